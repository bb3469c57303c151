"""Calls, paths, literals and fields in the code of Rust.

`a::b::c` is one row with a qualifier, and a use of the type before the last `::`. A member reached through
`Self` has that as its qualifier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.languages.rust.bindings import note_closure_item
from repo_mcp.languages.rust.macro_bindings import bind_in_tokens
from repo_mcp.languages.rust.members import refer_fields
from repo_mcp.languages.treesitter.capture_walk import CaptureWalk, count_arguments, split_path
from repo_mcp.symbols.model import DEREFERENCED, OF_MACRO, PATH
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node


def on_call(walk: CaptureWalk, node: Node) -> None:
    """Add a call of a function, a method or a path."""
    function = node.child_by_field_name("function")
    if function is not None and function.type == "generic_function":
        function = function.child_by_field_name("function")
    if function is not None:
        arguments = node.child_by_field_name("arguments")
        if function.type == "field_expression":
            note_closure_item(walk, function, arguments)
        _refer_called(walk, function, count_arguments(walk, arguments))


def _refer_called(walk: CaptureWalk, function: Node, count: int) -> None:
    if function.type == "identifier":
        name, before = function, None
    elif function.type == "field_expression":
        field = function.child_by_field_name("field")
        if field is None or field.type == "integer_literal":
            return
        name, before = field, function.child_by_field_name("value")
    elif function.type == "scoped_identifier":
        _refer_path(walk, function, ReferenceRole.CALL, count)
        return
    else:
        return
    walk.taken.add(name.start_byte)
    alias = DEREFERENCED if before is not None and _is_dereferenced(walk, before) else ""
    walk.refer(ReferenceRole.CALL, walk.read(name), name, walk.read_chain(before), alias, count)


def _is_dereferenced(walk: CaptureWalk, value: Node) -> bool:
    """Return whether a value is written as `(*value)`, so that `Deref` may apply."""
    return value.type == "parenthesized_expression" and walk.read(value)[1:].lstrip("& (")[:1] == "*"


def _refer_path(walk: CaptureWalk, node: Node, role: ReferenceRole, count: int = 0) -> None:
    """Add a row for `a::b::c`, after which nothing more is recorded for its names, but for type arguments."""
    start = node.start_byte
    walk.take_path(node)
    name_node, path_node = node.child_by_field_name("name"), node.child_by_field_name("path")
    if name_node is None:
        return
    walk.taken.update((-1 - start, name_node.start_byte))
    named = _find_trait(path_node) if path_node is not None else None
    qualifier = walk.read_chain(named or path_node) if path_node is not None else ""
    name, path = walk.read(name_node), PATH if qualifier[:1].islower() else ""
    if role is ReferenceRole.TYPE:
        walk.refer_type(name_node, name, qualifier, path)
    else:
        walk.refer(role, name, name_node, qualifier, path, count)
    last = qualifier.rpartition(".")[2]
    if last[:1].isupper() and last != "Self" and path_node is not None and named is None:
        before = qualifier.rpartition(".")[0]
        walk.refer(ReferenceRole.TYPE, last, path_node, before, PATH if before[:1].islower() else "")


def _find_trait(path: Node) -> Node | None:
    """Return the trait's name in `<Ix as IndexType>`, or None."""
    inside = next(iter(path.named_children), None) if path.type == "bracketed_type" else None
    trait = inside.child_by_field_name("alias") if inside is not None else None
    return trait.child_by_field_name("type") if trait is not None and trait.type == "generic_type" else trait


def on_macro_call(walk: CaptureWalk, node: Node) -> None:
    """Add the call of a macro."""
    macro = node.child_by_field_name("macro")
    if macro is None:
        return
    name, qualifier = split_path(walk.read_chain(macro))
    walk.taken.update((*walk.iter_words(macro.start_byte, macro.end_byte), -1 - macro.start_byte))
    walk.refer(ReferenceRole.CALL, name, macro, qualifier, OF_MACRO)
    bind_in_tokens(walk, node)


def on_literal(walk: CaptureWalk, node: Node) -> None:
    """Add a struct literal as a call of its type, with uses of the fields that it names."""
    name_node = node.child_by_field_name("name")
    if name_node is not None and name_node.type == "generic_type_with_turbofish":
        name_node = name_node.child_by_field_name("type")
    if name_node is None:
        return
    refer_fields(walk, node.child_by_field_name("body"), name_node)
    if name_node.type == "scoped_type_identifier":
        _refer_path(walk, name_node, ReferenceRole.CALL)
    elif name_node.type == "type_identifier":
        walk.taken.add(name_node.start_byte)
        walk.refer(ReferenceRole.CALL, walk.read(name_node), name_node)


def on_field_access(walk: CaptureWalk, node: Node) -> None:
    """Add a field that is read or written."""
    field = node.child_by_field_name("field")
    if field is not None and field.type == "field_identifier" and field.start_byte not in walk.taken:
        qualifier = walk.read_chain(node.child_by_field_name("value"))
        walk.refer(ReferenceRole.USE, walk.read(field), field, qualifier)


def on_scoped(walk: CaptureWalk, node: Node) -> None:
    """Add the use of a path that no other handler has recorded."""
    if node.start_byte not in walk.taken and -1 - node.start_byte not in walk.taken:
        _refer_path(walk, node, ReferenceRole.USE)


def on_scoped_type(walk: CaptureWalk, node: Node) -> None:
    """Add the use of a type by its path, unless another handler has recorded it."""
    if node.start_byte not in walk.taken and -1 - node.start_byte not in walk.taken:
        _refer_path(walk, node, ReferenceRole.TYPE)
