"""The symbol record of a TypeScript, TSX or JavaScript file: a handler for each capture, and the end.

Left out on purpose: inferred types. A variable's type is known when it is written, or when the variable's
value is an instance or the result of something that has a name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.blanking import blank
from repo_mcp.languages.treesitter.parser import find_captures
from repo_mcp.languages.typescript import (
    assignments,
    conditions,
    declarations,
    doc_comments,
    modules,
    titled_calls,
    type_members,
    uses,
    values,
)
from repo_mcp.languages.typescript.tagged_templates import blank_type_arguments
from repo_mcp.languages.typescript.types import CUT
from repo_mcp.languages.typescript.walk import ScriptWalk
from repo_mcp.symbols.model import REST_OF_PARAMETERS, REST_OF_TYPE
from repo_mcp.symbols.record_builder import MAX_TEXT_CHARS, SymbolRecordBuilder, encode_failure
from repo_mcp.symbols.symbol_record import Access, ParseStatus, ReferenceRole, SymbolFlag, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node


# Names in minified code are letters assigned by a tool, and a bundle holds copies of declarations. As symbols
# and references they would only hide those that people wrote.
_MINIFIED = re.compile(r"[.-]min\.[cm]?js$")
LONG_LINE_BYTES = 1_000
BYTES_A_BRACKET = 100  # at most, in code; minified code has a "(" every 20 to 60 bytes


def is_named_minified(file_name: str) -> bool:
    """Return whether the name of a file says that it is minified: `jquery.min.js`.

    The lines of such a file may be short again, but its names stay short.
    """
    return _MINIFIED.search(file_name) is not None


def is_minified(text: bytes) -> bool:
    """Return whether more than half of a text is code in lines longer than LONG_LINE_BYTES.

    Brackets tell code from tables, drawings and long strings, which hand-written files may contain, too.
    """
    long_lines = [line for line in text.split(b"\n") if len(line) > LONG_LINE_BYTES]
    size = sum(map(len, long_lines))
    return size > len(text) / 2 and sum(line.count(b"(") for line in long_lines) * BYTES_A_BRACKET >= size


def _on_declarator(walk: ScriptWalk, node: Node) -> None:
    name = node.child_by_field_name("name")
    value = modules.find_requiring(walk, node.child_by_field_name("value"))
    if name is None:
        return
    if value is not None:
        modules.import_required(walk, name, value)
    values.declare_variable(walk, node, name, value)


# Syntax that the grammar does not know and names do not need: `<in out T>`,
# `export type * from`, a "|" before the first member of a bracketed union. Comments are matched for
# themselves, too: a search that began at each comma in them would read the rest of them each time.
_COMMENT = rb"//[^\n]*+\n|/\*(?:[^*]|\*(?!/)){0,2000}\*/"
_LEFT_OUT = re.compile(
    rb"([<,](?:\s|" + _COMMENT + rb")*(?:const\s+)?)(?:in\s+out|in|out)(?=\s+[A-Za-z_$])"
    rb"|(\bexport\s+)type(?=\s+\*)"
    rb"|([<,(]\s*)\|(?=\s)"
    rb"|(" + _COMMENT + rb")"
)
# Call signatures, one to a line and without ";": the grammar takes "<" for more of the line before.
_SIGNATURE = re.compile(rb"(\n[ \t]*)[ \t](?=<(?:[A-Z]|\n))")

# `using file = ...` and `await using file = ...` declare a constant; the grammar reads an assignment.
_USING = re.compile(rb"\b(await[ \t]+)?using(?=[ \t]+[A-Za-z_$][\w$]*[ \t]*(?::[^=;\n]+)?=[^=>])")

MAX_REST = 4 * MAX_TEXT_CHARS  # of a type or of parameters, beyond what one string of a record holds

# In the order in which captures of the same span are handled.
_HANDLERS: Mapping[str, Callable[[ScriptWalk, Node], None] | None] = {
    "comment": doc_comments.on_comment,
    "decorator": declarations.on_decorator,
    "export": modules.on_export,
    "ambient": declarations.on_ambient,
    "import": modules.on_import,
    "import_alias": modules.on_import_alias,
    "function": declarations.on_function,
    "class": declarations.on_class,
    "class_expression": declarations.on_class_expression,
    "method": declarations.on_method,
    "field": declarations.on_field,
    "property": declarations.on_property,
    "interface": declarations.on_interface,
    "type_alias": declarations.on_type_alias,
    "enum": declarations.on_enum,
    "enum_member": declarations.on_enum_member,
    "namespace": declarations.on_namespace,
    "variables": values.on_variables,
    "declarator": _on_declarator,
    "assignment": assignments.on_assignment,
    "object": values.on_object,
    "pair": values.on_pair,
    "arrow": values.on_function_scope,
    "function_expression": values.on_function_scope,
    "block": values.on_block,
    "return": values.on_return,
    "call_signature": type_members.on_call_signature,
    "construct_signature": type_members.on_construct_signature,
    "type_scope": type_members.on_type_scope,
    "index": type_members.on_index,
    "parameter": values.on_parameter,
    "type_parameter": type_members.on_type_parameter,
    "bound_type": type_members.on_bound_type,
    "bound": values.on_bound,
    "heritage": uses.on_heritage,
    "extends": uses.on_extends,
    "implements": uses.on_implements,
    "test": conditions.on_test,
    "switch": conditions.on_switch,
    "call": uses.on_call,
    "titled": titled_calls.on_titled,
    "new": uses.on_new,
    "jsx": uses.on_jsx,
    "jsx_end": uses.on_jsx_end,
    "member": uses.on_member,
    "nested_type": uses.on_nested_type,
    "type": uses.on_type,
    "identifier": None,
}
_MEMBER_HOLDERS = frozenset(
    {
        SymbolKind.CLASS,
        SymbolKind.INTERFACE,
        SymbolKind.ENUM,
        SymbolKind.TYPE,
        SymbolKind.CONSTANT,
        SymbolKind.VARIABLE,
        SymbolKind.PROPERTY,
        SymbolKind.COMPONENT,
    }
)


def parse_typescript(file_name: str, text: bytes) -> bytes:
    """Return the symbol record of a TypeScript file."""
    return _parse("typescript", ("ecmascript", "typescript"), file_name, text)


def parse_tsx(file_name: str, text: bytes) -> bytes:
    """Return the symbol record of a TypeScript file with JSX elements."""
    return _parse("tsx", ("ecmascript", "typescript", "jsx"), file_name, text)


def parse_javascript(file_name: str, text: bytes) -> bytes:
    """Return the symbol record of a JavaScript file; if minified, an empty PARTIAL one."""
    if is_named_minified(file_name) or is_minified(text):
        builder = SymbolRecordBuilder(file_name, text.count(b"\n") + (not text.endswith(b"\n")))
        builder.status = ParseStatus.PARTIAL
        return builder.encode()
    return _parse("javascript", ("ecmascript", "javascript", "jsx"), file_name, text)


def _parse(dialect: str, queries: tuple[str, ...], file_name: str, text: bytes) -> bytes:
    if b"using " in text:
        text = _USING.sub(lambda found: b" " * len(found[1] or b"") + b"const", text)
    known = text if dialect == "javascript" else blank_type_arguments(text)
    captures = find_captures(dialect, queries, known)
    if captures is None:
        return encode_failure(file_name, text.count(b"\n") + 1)
    if not captures.is_complete and dialect != "javascript":
        plain = _write_plainly(dialect, known)
        others = find_captures(dialect, queries, plain) if plain != known else None
        if others is not None and others.is_complete:
            captures = others
    walk = ScriptWalk(file_name, text, is_typescript=dialect != "javascript")
    walk.run(captures, _HANDLERS)
    doc_comments.refer_unapplied(walk)
    _finish(walk)
    _keep_long_texts(walk)
    return walk.encode()


def _write_plainly(dialect: str, text: bytes) -> bytes:
    """Return the text with unknown syntax blanked, at the same length and with the same lines."""
    text = _LEFT_OUT.sub(_blank_rest, text)
    return _SIGNATURE.sub(rb"\1;", text) if dialect == "typescript" else text


def _blank_rest(found: re.Match[bytes]) -> bytes:
    """Return a match in which only the group that matched is left."""
    kept = found[1] or found[2] or found[3] or found[4]
    return kept + blank(found[0][len(kept) :])


def _finish(walk: ScriptWalk) -> None:
    """Set the flags that are known only at the end: exports and components."""
    for ordinal, entry in enumerate(walk.entries):
        if ordinal in walk.components and uses.is_component(entry.name, entry.kind):
            entry.kind = SymbolKind.COMPONENT
        if not entry.parent and ordinal and entry.name in walk.exported:
            entry.flags |= SymbolFlag.PUBLIC_API
            entry.access = Access.PUBLIC
            if walk.exported[entry.name]:
                entry.flags |= SymbolFlag.DEFAULT_EXPORT
        parent = walk.entries[entry.parent]
        if parent.flags & SymbolFlag.PUBLIC_API and parent.kind in _MEMBER_HOLDERS:
            if entry.access is not Access.PRIVATE:
                entry.flags |= SymbolFlag.PUBLIC_API
        elif entry.parent and parent.kind is SymbolKind.MODULE and not parent.flags & SymbolFlag.PUBLIC_API:
            entry.flags &= ~SymbolFlag.PUBLIC_API


def _keep_long_texts(walk: ScriptWalk) -> None:
    """Record what a record cuts off from types and parameters, in as many rows as MAX_REST needs."""
    for ordinal, entry in enumerate(walk.entries):
        for alias, text in ((REST_OF_TYPE, entry.type), (REST_OF_PARAMETERS, entry.parameters)):
            if len(text) <= MAX_TEXT_CHARS:
                continue
            rest = text[MAX_TEXT_CHARS - 1 :]
            rest = rest if len(rest) <= MAX_REST else rest[: MAX_REST - 1] + CUT
            for at in range(0, len(rest), MAX_TEXT_CHARS):
                piece = rest[at : at + MAX_TEXT_CHARS]
                walk.refer(ReferenceRole.BIND, piece, entry.start, "", alias, at, ordinal)
