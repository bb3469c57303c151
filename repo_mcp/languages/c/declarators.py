"""Declarators of C and C++: the declared name, and whether it is that of a function.

`int *(*table[4])(int)` declares a variable, `int *make(int)` a function. Both are a name wrapped in pointers,
brackets and parameter lists, which are read from the outside in.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from repo_mcp.record_classes import dataclass

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MAX_WRAPPINGS = 40
_NAMES_TEXT = """
identifier field_identifier type_identifier qualified_identifier destructor_name operator_name
template_function operator_cast primitive_type
"""
_NAMES = frozenset(_NAMES_TEXT.split())
_POINTERS = {"pointer_declarator": "*", "reference_declarator": "&", "array_declarator": "[]"}


@dataclass(frozen=True, slots=True)
class Declarator:
    """The parts of one declarator."""

    name: Node
    function: Node | None  # its `function_declarator`, if it declares a function
    pointers: str  # what stands before the name, "**" or "&"; "[]" for an array
    value: Node | None  # its initial value


def read_declarator(node: Node) -> Declarator | None:
    """Return the declared name and what wraps it; None without a name, or with several: `auto [a, b]`."""
    function: Node | None = None
    value: Node | None = None
    pointers, is_pointer = "", False
    current: Node | None = node
    for _ in range(MAX_WRAPPINGS):
        if current is None or current.type == "structured_binding_declarator":
            return None
        kind = current.type
        if current.is_missing:  # the grammar wanted a name that the text does not have
            return None
        if kind in _NAMES:
            return Declarator(current, None if is_pointer else function, pointers, value)
        if kind == "function_declarator":
            function, is_pointer = current, False
        elif kind in _POINTERS:
            if function is None:
                pointers += _POINTERS[kind]
            is_pointer = function is not None
        elif kind == "init_declarator":
            value = current.child_by_field_name("value")
        current = current.child_by_field_name("declarator") or _find_inner(current)
    return None


def iter_declarators(node: Node) -> Iterator[Declarator]:
    """Yield the declarators of a declaration in which a name is found."""
    return filter(None, map(read_declarator, node.children_by_field_name("declarator")))


def _find_inner(node: Node) -> Node | None:
    """Return the inner declarator of a node that has no field for it: brackets, references, attributes."""
    for child in node.named_children[:6]:
        if child.type in _NAMES or child.type.endswith("declarator"):
            return child
    return None


def count_parameters(parameters: Node | None) -> tuple[int, bool]:
    """Return how many parameters a list has, and whether it is variadic."""
    count, variadic = 0, False
    for child in parameters.named_children if parameters is not None else ():
        kind = child.type
        if kind in {"variadic_parameter", "variadic_parameter_declaration"}:
            variadic = True
            count += kind != "variadic_parameter"
        elif kind == "parameter_declaration":
            type_node = child.child_by_field_name("type")
            is_void = (
                type_node is not None and type_node.end_byte == child.end_byte and type_node.text == b"void"
            )
            count += not is_void
        elif kind in {"optional_parameter_declaration", "identifier"}:
            count += 1
    if parameters is not None and not variadic:
        variadic = any(child.type == "..." for child in parameters.children[-2:])
    return count, variadic
