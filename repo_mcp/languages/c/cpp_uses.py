"""Calls and qualified names of C++.

`a::b::c` is one row with a qualifier, and a use of each class before the last `::`. `Base(1)` among a
constructor's initialisers is a call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.languages.c.casts import refer_called
from repo_mcp.languages.c.cpp_literals import mark_literals
from repo_mcp.languages.c.macro_arguments import read_macro_arguments
from repo_mcp.languages.c.preprocessor import declare_by_macro, take_names
from repo_mcp.languages.treesitter.capture_walk import CaptureWalk, count_arguments, refer_bare_call
from repo_mcp.languages.treesitter.recorded_rows import FLAT_KINDS
from repo_mcp.symbols.model import PATH
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node


def strip_arguments(text: str) -> str:
    """Return a text without its parts in angle brackets, but with the `<` of `operator<`."""
    head, word, operator = text.rpartition("operator")
    if not word:
        head, operator = text, ""
    while "<" in head and ">" in head:
        start = head.rindex("<")
        end = head.find(">", start)
        if end < 0:
            break
        head = head[:start] + head[end + 1 :]
    return head + word + operator


def on_call(walk: CaptureWalk, node: Node) -> None:
    """Add a call of a name, a member or a qualified name; outside functions, a macro may declare a name."""
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None:
        return
    before: Node | None = None
    kind = function.type
    if kind == "field_expression":
        before = function.child_by_field_name("argument")
        function = function.child_by_field_name("field") or function
        kind = function.type
    for _ in range(4):
        if kind not in {"template_function", "template_method", "dependent_name"}:
            break
        function = function.child_by_field_name("name") or next(iter(function.named_children), function)
        kind = function.type
    if kind in {"identifier", "field_identifier", "type_identifier"}:
        if before is None and walk.scope.kind in FLAT_KINDS and arguments is not None:
            declare_by_macro(walk, node, walk.read(function), arguments)
            take_names(walk, node, arguments)
        macro = walk.names_to_come.pop(function.start_byte, "") if before is None else ""
        refer_called(walk, function, before, arguments, macro + mark_literals(walk, arguments))
        if before is None:
            read_macro_arguments(walk, walk.read(function), arguments)
    elif kind == "qualified_identifier":
        count, marks = count_arguments(walk, arguments), mark_literals(walk, arguments)
        _refer_qualified(walk, function, ReferenceRole.CALL, count, marks)
        read_macro_arguments(walk, walk.read(function).rpartition("::")[2], arguments)


def _refer_qualified(
    walk: CaptureWalk, node: Node, role: ReferenceRole, arguments: int = 0, marks: str = ""
) -> None:
    """Add a row for `a::b::c`, after which nothing more is recorded for its names."""
    path = strip_arguments(walk.read(node)[:300])
    start = node.start_byte
    head_end = walk.text.find(b"<", start, node.end_byte)
    walk.taken.update(walk.iter_words(start, node.end_byte if head_end < 0 else head_end))
    last = walk.text.rfind(b">::", start, node.end_byte)
    if last > start:
        head_end = walk.text.find(b"<", last, node.end_byte)
        walk.taken.update(walk.iter_words(last, node.end_byte if head_end < 0 else head_end))
    parts = [*filter(None, (part.strip() for part in path.split("::")))]
    if parts and parts[-1].replace("_", "a").isalnum():
        walk.taken.add(-1 - start)
        alias = (PATH if len(parts) == 1 else "") + marks
        if role is ReferenceRole.TYPE:
            walk.refer_type(node, parts[-1], ".".join(parts[:-1]), alias)
        else:
            walk.refer(role, parts[-1], node, ".".join(parts[:-1]), alias, arguments)
        refer_outer(walk, node, parts[:-1], is_value=role is ReferenceRole.USE)


def refer_outer(walk: CaptureWalk, node: Node, parts: list[str], *, is_value: bool = False) -> None:
    """Add a use of each class before `::`.

    Only names with an initial capital count, because those of namespaces have none. The last name before a
    value also counts, since it is usually that of an enum.
    """
    for position, name in enumerate(parts):
        is_last = is_value and position == len(parts) - 1 and name != "std"
        if name[:1].isupper() or is_last:
            walk.refer(ReferenceRole.TYPE, name, node, ".".join(parts[:position]))


def on_qualified(walk: CaptureWalk, node: Node) -> None:
    """Add the use of a qualified name or type that no other handler has recorded."""
    start = node.start_byte
    if start in walk.taken or -1 - start in walk.taken:
        return
    last = node.child_by_field_name("name")
    for _ in range(20):
        if last is None or last.type != "qualified_identifier":
            break
        last = last.child_by_field_name("name")
    is_type = last is not None and last.type in {"type_identifier", "template_type"}
    _refer_qualified(walk, node, ReferenceRole.TYPE if is_type else ReferenceRole.USE)


def on_new(walk: CaptureWalk, node: Node) -> None:
    """Add the call of the type after `new`."""
    made = node.child_by_field_name("type")
    arguments = node.child_by_field_name("arguments")
    if made is None:
        return
    if made.type == "template_type":
        made = made.child_by_field_name("name") or made
    if made.type == "type_identifier":
        refer_bare_call(walk, made, arguments)
    elif made.type == "qualified_identifier":
        _refer_qualified(walk, made, ReferenceRole.CALL, count_arguments(walk, arguments))


def on_field_initializer(walk: CaptureWalk, node: Node) -> None:
    """Add a call for `name(...)` among the initialisers of a constructor: of a base or a field."""
    name = next(iter(node.named_children), None)
    arguments = node.named_children[1] if node.named_child_count > 1 else None
    if name is not None and name.type in {"template_method", "template_type"}:
        name = name.child_by_field_name("name") or name
    if name is not None and name.type in {"field_identifier", "type_identifier", "identifier"}:
        refer_bare_call(walk, name, arguments)
