"""The symbol record of a C# file: the handler of each capture, and the end of the pass.

Both branches of `#if` are read if the text still parses with them. Otherwise only the first branch is read,
and the record is partial. Left out on purpose: inferred types.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from repo_mcp.languages.csharp import declarations, patterns, uses
from repo_mcp.languages.csharp.conditions import list_conditions
from repo_mcp.languages.csharp.extension_blocks import write_extension_methods
from repo_mcp.languages.csharp.walk import CSharpWalk
from repo_mcp.languages.treesitter.blanking import blank, blank_match
from repo_mcp.languages.treesitter.parser import Captures, find_captures
from repo_mcp.record_classes import replace
from repo_mcp.symbols.record_builder import encode_failure
from repo_mcp.symbols.symbol_record import Access, SymbolFlag, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

_CONDITION = re.compile(rb"^[ \t]*#[ \t]*if\b", re.MULTILINE)
# Syntax that the grammar does not know and names do not need: `ref partial struct`, `*(int*)&value`,
# `where T : allows ref struct`, the mark of `a?.b = c`, and the brackets of `{ [key] = value }`.
_LEFT_OUT = re.compile(
    rb"\bref(?=\s+partial\s+struct\b)|\*\(\w+\*\)"
    rb"|\bwhere\s+\w+\s*:\s*allows\s+ref\s+struct\b|,\s*allows\s+ref\s+struct\b"
    rb"|\?(?=\.\w++(?:\.\w++){0,9}\s*+[+-]?=[^=>])"
)
# Marks in a text of lines with values: `$@"""{name}"""`.
_VERBATIM = re.compile(rb"(\$@\"|@\$\")((?:[^\"]|\"\"){0,4000})\"(?!\")")
# Unknown syntax to the left of "=": `*(int*)(p + 1)`, read as an item of `_`, and `*p++`.
_POINTED = re.compile(rb"(\*\(\w+\*\))\(([^()]{0,300})\)")
_STEPPED = re.compile(rb"\*(\w+)(?:\+\+|--)(?=\s*=[^=])")
_INDEXED = re.compile(rb"([{,]\s*)\[([\w.]+|\"[^\"\\\n]{0,200}\"|'[^'\n]{1,6}')\](?=\s*=[^=>])")
# A variable with the name of a keyword: `bool async)`, `if (async)`, `async: true`; not `async (x) =>`.
_ASYNC = re.compile(rb"(?<![\w@])async(?=\s*[,);?:&|!.\]}=])")
_NO_ASYNC = b"asyn_"  # in its place: no keyword, of the same length
_DIRECTIVE = re.compile(rb"[ \t]*#[ \t]*(if|elif|else|endif)\b")

# In the order in which captures of the same span are handled.
_HANDLERS: Mapping[str, Callable[[CSharpWalk, Node], None] | None] = {
    "comment": declarations.on_comment,
    "namespace": declarations.on_namespace,
    "file_namespace": declarations.on_file_namespace,
    "using": uses.on_using,
    "type_declaration": declarations.on_type_declaration,
    "delegate": declarations.on_delegate,
    "enum_member": declarations.on_enum_member,
    "method": declarations.on_method,
    "local_function": declarations.on_local_function,
    "property": declarations.on_property,
    "field": declarations.on_field,
    "foreach": declarations.on_foreach,
    "looped": declarations.on_looped,
    "block": declarations.on_block,
    "accessor": declarations.on_accessor,
    "lambda": declarations.on_lambda,
    "variables": declarations.on_variables,
    "declarator": declarations.on_declarator,
    "parameters": declarations.on_parameters,
    "parameter": declarations.on_parameter,
    "type_parameter": declarations.on_type_parameter,
    "constraints": declarations.on_constraints,
    "bound": declarations.on_bound,
    "named": declarations.on_named,
    "named_first": declarations.on_named_first,
    "taken": declarations.on_taken,
    "preprocessed": declarations.on_taken,
    "bases": uses.on_bases,
    "chained": uses.on_chained,
    "attribute": uses.on_attribute,
    "call": uses.on_call,
    "assigned": uses.on_assigned,
    "new": uses.on_new,
    "implicit_new": uses.on_implicit_new,
    "anonymous": uses.on_anonymous,
    "with": uses.on_with,
    "conditional": uses.on_conditional,
    "member": uses.on_member,
    "typed": uses.on_typed,
    "pattern_name": patterns.on_pattern_name,
    "subpattern": patterns.on_subpattern,
    "type_span": uses.on_type_span,
    "type_arguments": uses.on_type_arguments,
    "qualified": uses.on_qualified,
    "identifier": uses.on_identifier,
}
_OPEN = frozenset({Access.PUBLIC, Access.PROTECTED, Access.PROTECTED_INTERNAL})


def parse_csharp(file_name: str, text: bytes) -> bytes:
    """Return the symbol record of a C# file."""
    written, text = text, write_extension_methods(text)
    captures = find_captures("csharp", ("csharp",), text)
    if captures is None:
        return encode_failure(file_name, text.count(b"\n") + 1)
    if not captures.is_complete:
        text, captures = _read_plainly(text, captures)
    walk = CSharpWalk(file_name, text.replace(_NO_ASYNC, b"async"))
    walk.run(captures, _HANDLERS)
    walk.asked_conditions = list_conditions(written)
    for ordinal, entry in enumerate(walk.entries):
        parent = walk.entries[entry.parent]
        is_reachable = parent.kind in {SymbolKind.FILE, SymbolKind.MODULE}
        is_reachable = is_reachable or bool(parent.flags & SymbolFlag.PUBLIC_API)
        if ordinal and is_reachable and entry.kind is not SymbolKind.MODULE and entry.access in _OPEN:
            entry.flags |= SymbolFlag.PUBLIC_API
    return walk.encode()


def _read_plainly(text: bytes, captures: Captures) -> tuple[bytes, Captures]:
    """Return a text with errors in simpler syntax, with its captures; both unchanged if it has no fewer.

    The first branches of conditions alone are read only if they have no errors: the others are missing then.
    """
    plain = _write_plainly(text)
    others = find_captures("csharp", ("csharp",), plain) if plain != text else None
    if others is not None and others.broken_bytes < captures.broken_bytes:
        text, captures = plain, others
    if captures.is_complete or _CONDITION.search(plain) is None:
        return text, captures
    first = _keep_first_branches(plain)
    others = find_captures("csharp", ("csharp",), first)
    if others is not None and others.is_complete:
        return first, replace(others, is_complete=False)
    return text, captures


def _write_plainly(text: bytes) -> bytes:
    """Return the text with unknown syntax blanked, at the same length and with the same lines."""
    text = _ASYNC.sub(_NO_ASYNC, text)
    text = _POINTED.sub(lambda found: b"_[".rjust(len(found[1]) + 1) + found[2] + b"]", text)
    text = _STEPPED.sub(rb" \1  ", text)
    text = _VERBATIM.sub(lambda found: found[1] + found[2].replace(b'""', b"  ") + b'"', text)
    return _INDEXED.sub(_write_key, _LEFT_OUT.sub(blank_match, text))


def _write_key(found: re.Match[bytes]) -> bytes:
    """Return `{ [key] = ` as an assignment to a name: nothing else may stand before `??` in a value."""
    key = found[2]
    return found[1] + (b" " + key + b" " if key[:1] not in b"\"'" else b"_" * (len(key) + 2))


def _keep_first_branches(text: bytes) -> bytes:
    """Return the text, at the same length, with `#if` directives and all but first branches blank."""
    lines = text.split(b"\n")
    is_kept = [True]
    for number, line in enumerate(lines):
        found = _DIRECTIVE.match(line)
        if found is not None:
            if found[1] == b"if":
                is_kept.append(is_kept[-1])
            elif found[1] == b"endif" and len(is_kept) > 1:
                is_kept.pop()
            elif found[1] in {b"else", b"elif"} and len(is_kept) > 1:
                is_kept[-1] = False
        if found is not None or not is_kept[-1]:
            lines[number] = blank(line)
    return b"\n".join(lines)
