"""Uses of fields in Rust beyond `value.field`.

These are `Shape { side }` in expressions and patterns, and names in the token trees of macros, which are
judged by the characters around them. Fields of a literal or a pattern are recorded as members of the type
that it names: OF_TYPE.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.rust.token_chains import UNKNOWN, WORD_BYTES, read_chain_before
from repo_mcp.languages.treesitter.capture_walk import CaptureWalk
from repo_mcp.symbols.model import AS_VALUE, OF_MACRO, OF_TYPE, PATH
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MAX_CHAIN_BYTES = 80  # before a name in a macro's token tree
_TYPED_PATH = re.compile(rb"([\w:]*\w)(?:::)?\Z")  # before type arguments: `Vec::` in `Vec::<u8>::new()`
_DECLARED = re.compile(rb"\bfn\s+\Z")  # before a name that is declared, and not called
_MACRO_CALL = re.compile(rb"!\s*[(\[{]")
_RANGE = b".."
_SEPARATORS = b".", b"::"
_CHAIN_BYTES = WORD_BYTES + b".:"


def refer_fields(walk: CaptureWalk, body: Node | None, made: Node) -> None:
    """Add a use of each field that is named in a literal or a pattern of the type `made`."""
    if body is None:
        return
    qualifier = walk.read_chain(made)
    for one in body.named_children:
        if one.type in {"field_initializer", "field_pattern"}:
            name = one.child_by_field_name("field") or one.child_by_field_name("name")
        else:
            name = next(iter(one.named_children), None) if one.type == "shorthand_field_initializer" else None
        if name is not None and name.type != "integer_literal":
            walk.refer(ReferenceRole.USE, walk.read(name), name, qualifier, "", OF_TYPE)


def on_struct_pattern(walk: CaptureWalk, node: Node) -> None:
    """Add uses of the fields that a pattern destructures."""
    made = node.child_by_field_name("type")
    if made is not None:
        refer_fields(walk, node, made)


def on_tuple_pattern(walk: CaptureWalk, node: Node) -> None:
    """Add a use of the struct or variant whose values a pattern takes apart."""
    if node.start_byte not in walk.taken:
        walk.taken.add(node.start_byte)
        walk.refer(ReferenceRole.USE, walk.read(node), node, arguments=AS_VALUE)


def on_token_name(walk: CaptureWalk, node: Node) -> None:
    """Add a call of a name in the token tree of a macro, if a parenthesis or `!` and a bracket follow."""
    text, end = walk.text, node.end_byte
    is_macro = _MACRO_CALL.match(text, end) is not None
    if (text[end : end + 1] != b"(" and not is_macro) or node.start_byte in walk.taken:
        return
    walk.taken.add(node.start_byte)
    if _DECLARED.search(text, max(0, node.start_byte - MAX_CHAIN_BYTES), node.start_byte):
        return
    qualifier, kind = _read_before(walk, node.start_byte)
    walk.refer(ReferenceRole.CALL, walk.read(node), node, qualifier, OF_MACRO if is_macro else kind)


def on_token(walk: CaptureWalk, node: Node) -> None:
    """Add a use of a name in the token tree of a macro; a bare one needs an initial capital."""
    start = node.start_byte
    if start in walk.taken:
        return
    qualifier, kind = _read_before(walk, start)
    if qualifier:
        walk.taken.add(start)
        walk.refer(ReferenceRole.USE, walk.read(node), node, qualifier, kind)
    elif not walk.text[start : start + 1].isupper():
        walk.taken.add(start)


def _read_before(walk: CaptureWalk, start: int) -> tuple[str, str]:
    """Return the dotted names before a name in the token tree of a macro, and PATH if they are modules.

    Returns "?" for any other qualifier, and "" without one.
    """
    text, least = walk.text, max(0, start - MAX_CHAIN_BYTES)
    before = text[least:start].rstrip()
    end = least + len(before)
    if not before.endswith(_SEPARATORS) or before.endswith(_RANGE) or _is_in_comment(text, end, start):
        return "", ""
    first = least + len(before.rstrip(_CHAIN_BYTES))
    chain, mark = text[first:end].decode("utf-8", "replace").rpartition("..")[2], text[first - 1 : first]
    if chain.startswith(".") and mark != b"$":
        return read_chain_before(text, start), ""
    if chain == "::" and mark == b">":
        return _read_typed_path(text, first), ""
    if mark == b"$" and not chain.startswith("crate"):
        return UNKNOWN, ""  # an argument of a macro
    is_path = chain.endswith("::") and chain[:1].islower()
    return chain.replace("::", ".").strip(".") or UNKNOWN, PATH if is_path else ""


def _read_typed_path(text: bytes, end: int) -> str:
    """Return the path before type arguments that end at an offset, dotted; UNKNOWN if there is none."""
    depth = 0
    for at in range(end - 1, max(0, end - MAX_CHAIN_BYTES), -1):
        mark = text[at : at + 1]
        depth += (mark == b">" and text[at - 1 : at] != b"-") - (mark == b"<")
        if mark in (b";", b"{", b"}"):
            break
        if not depth:
            path = _TYPED_PATH.search(text, max(0, at - MAX_CHAIN_BYTES), at)
            return (
                UNKNOWN if path is None else path[1].decode("utf-8", "replace").replace("::", ".").strip(".")
            )
    return UNKNOWN


def _is_in_comment(text: bytes, end: int, start: int) -> bool:
    """Return whether the dot before a name is the last one of a comment on a line above it."""
    if b"\n" not in text[end:start]:
        return False
    return b"//" in text[text.rfind(b"\n", 0, end) + 1 : end]
