"""Names that a function, a lambda or a template of C++ binds, with the types that their values have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.languages.c.casts import read_object
from repo_mcp.languages.c.declarations import on_parameter
from repo_mcp.languages.c.declarators import iter_declarators, read_declarator
from repo_mcp.languages.treesitter.capture_walk import CaptureWalk, count_arguments, on_block, split_path
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

# Functions, by the ends of their names, that return their type argument or a pointer to it.
_OF_ARGUMENT = ("_cast", "make_unique", "make_shared", "std::get_if", "std::get")
MAX_CALLS = 4  # nested expressions in what looks like the parameters of a function


def bind_made(walk: CaptureWalk, node: Node, type_node: Node | None) -> None:
    """Bind the variable of `Lock lock(mutex);` and of `Path path(find(name));`.

    To the grammar these are declarations of functions, which a body rarely has.
    """
    for found in iter_declarators(node):
        if found.function is None or found.value is not None:
            continue
        parameters = found.function.child_by_field_name("parameters")
        declared = parameters.named_children if parameters is not None else []
        if declared and all(map(_may_be_value, declared)):
            walk.bind_type(walk.bind_name(found.name), walk.read_line(type_node), found.name)
            for one in declared:
                _refer_value(walk, one)


def _may_be_value(node: Node, depth: int = 0) -> bool:
    """Return whether a parameter may be a value instead: a name, or a call.

    A call looks like the type of a function without a name.
    """
    type_node, call = node.child_by_field_name("type"), node.child_by_field_name("declarator")
    if type_node is None or node.named_child_count != 1 + (call is not None):
        return False
    if call is None:
        return type_node.type == "type_identifier"
    inside = call.child_by_field_name("parameters")
    if call.type != "abstract_function_declarator" or call.named_child_count != 1 or inside is None:
        return False
    is_name = type_node.type in {"type_identifier", "qualified_identifier"}
    return (
        is_name and depth < MAX_CALLS and all(_may_be_value(one, depth + 1) for one in inside.named_children)
    )


def _refer_value(walk: CaptureWalk, node: Node) -> None:
    """Add the uses in a parameter that is a value."""
    type_node, call = node.child_by_field_name("type"), node.child_by_field_name("declarator")
    if type_node is None:
        return
    walk.take_words(type_node)
    name, qualifier = split_path(walk.read_chain(type_node))
    inside = call.child_by_field_name("parameters") if call is not None else None
    role = ReferenceRole.USE if inside is None else ReferenceRole.CALL
    walk.refer(role, name, type_node, qualifier, "", count_arguments(walk, inside))
    for one in inside.named_children if inside is not None else ():
        _refer_value(walk, one)


def bind_values(walk: CaptureWalk, node: Node, type_node: Node | None) -> None:
    """Record the type of `auto x`: the result of a call, or the type that `new` or a cast names."""
    if type_node is None or type_node.type != "placeholder_type_specifier":
        return
    for found in iter_declarators(node):
        value = found.value or node.child_by_field_name("value")  # of a condition: `if (auto x = ...)`
        if value is None:
            continue
        name = walk.read(found.name)
        if value.type == "new_expression":
            walk.bind_type(name, walk.read_line(value.child_by_field_name("type")), found.name)
        elif value.type == "call_expression":
            _bind_call(walk, name, value, found.name)


def _bind_call(walk: CaptureWalk, name: str, value: Node, node: Node) -> None:
    function = value.child_by_field_name("function")
    text = walk.read_line(function)
    head, _, inside = text.partition("<")
    is_type = text.endswith(">") and not inside[:1].isdigit()  # the argument of `std::get<0>` is a position
    if is_type and head.endswith(_OF_ARGUMENT):
        walk.bind_type(name, inside.rpartition(">")[0], node)
        return
    chain = read_object(walk, function)
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
    """Open the block of a lambda, outside of which the names that it captures are not bound."""
    on_block(walk, node)
    captures, body = node.child_by_field_name("captures"), node.child_by_field_name("body")
    if captures is not None and body is not None:
        walk.shadowing.delay(captures.start_byte, captures.end_byte, body.start_byte)


def on_range(walk: CaptureWalk, node: Node) -> None:
    """Bind the variable of `for (auto one : all)`, which is an item of the range."""
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
