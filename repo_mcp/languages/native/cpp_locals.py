"""Names that a function, a lambda or a template of C++ binds, with the types that their values show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.languages.native.c import on_parameter
from repo_mcp.languages.native.c_declarators import iter_declarators, read_declarator
from repo_mcp.languages.treesitter.capture_walk import CaptureWalk, on_block, split_path
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node


def bind_made(walk: CaptureWalk, node: Node, type_node: Node | None) -> None:
    """Bind the variable of `Lock lock(mutex);`, which looks like a function, though a body rarely has one."""
    for found in iter_declarators(node):
        if found.function is None or found.value is not None:
            continue
        parameters = found.function.child_by_field_name("parameters")
        declared = parameters.named_children if parameters is not None else []
        types = [one.child_by_field_name("type") for one in declared]
        if not types or any(one.child_by_field_name("declarator") is not None for one in declared):
            continue
        if any(one is None or one.type != "type_identifier" for one in types):
            continue
        walk.bind_type(walk.bind_name(found.name), walk.read_line(type_node), found.name)
        for one in types:
            assert one is not None
            walk.taken.add(one.start_byte)
            walk.refer(ReferenceRole.USE, walk.read(one), one)


def bind_values(walk: CaptureWalk, node: Node, type_node: Node | None) -> None:
    """Record the type of `auto x`: the result of a call, or the type that `new` or a cast names."""
    if type_node is None or type_node.type != "placeholder_type_specifier":
        return
    for found in iter_declarators(node):
        if found.value is None:
            continue
        name, value = walk.read(found.name), found.value
        if value.type == "new_expression":
            walk.bind_type(name, walk.read_line(value.child_by_field_name("type")), found.name)
        elif value.type == "call_expression":
            _bind_call(walk, name, value, found.name)


def _bind_call(walk: CaptureWalk, name: str, value: Node, node: Node) -> None:
    function = value.child_by_field_name("function")
    text = walk.read_line(function)
    head, _, inside = text.partition("<")
    if inside and head.endswith(("_cast", "make_unique", "make_shared")):
        walk.bind_type(name, inside.rpartition(">")[0], node)
        return
    chain = walk.read_chain(function)
    if chain != "?":
        called, qualifier = split_path(chain)
        walk.bind_call(name, called, qualifier, node)


def on_value_parameter(walk: CaptureWalk, node: Node) -> None:
    """Bind a value parameter of a template, `template <int size>`, in what the template declares."""
    declarator = node.child_by_field_name("declarator")
    found = read_declarator(declarator) if declarator is not None else None
    if found is not None:
        walk.taken.add(found.name.start_byte)
        walk.expect_local(walk.read(found.name))
    walk.taken.add(-1 - node.start_byte)  # so that it does not count as a function parameter as well


def on_type_parameter(walk: CaptureWalk, node: Node) -> None:
    """Bind a type parameter of a template in what the template declares."""
    walk.taken.add(node.start_byte)
    walk.expect_local(walk.read(node), is_type=True)


def on_function_parameter(walk: CaptureWalk, node: Node) -> None:
    """Bind a parameter of a function; those of a template are bound already."""
    if -1 - node.start_byte not in walk.taken:
        on_parameter(walk, node)


def on_lambda(walk: CaptureWalk, node: Node) -> None:
    """Open the block of a lambda; only its body sees the names that it captures."""
    on_block(walk, node)
    captures, body = node.child_by_field_name("captures"), node.child_by_field_name("body")
    if captures is not None and body is not None:
        walk.shadowing.delay(captures.start_byte, captures.end_byte, body.start_byte)


def on_range(walk: CaptureWalk, node: Node) -> None:
    """Bind the variable of `for (auto one : all)`, an item of what it goes through."""
    declarator, type_node = node.child_by_field_name("declarator"), node.child_by_field_name("type")
    body = node.child_by_field_name("body")
    if declarator is not None and body is not None:
        walk.shadowing.delay(declarator.start_byte, declarator.end_byte, body.start_byte)
    found = read_declarator(declarator) if declarator is not None else None
    if found is None:
        return
    name = walk.bind_name(found.name)
    if type_node is not None and type_node.type != "placeholder_type_specifier":
        walk.bind_type(name, walk.read_line(type_node), found.name)
        return
    source = walk.read_chain(node.child_by_field_name("right"))
    if source != "?":
        walk.bind_call(name, "[]", source, found.name)
