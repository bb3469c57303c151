"""Names that parameters, `let` and patterns of Rust bind; `bindings.py` records their types."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.rust.bindings import bind_pattern, bind_value, find_result_variable, on_match_pattern
from repo_mcp.languages.treesitter.capture_walk import CaptureWalk, note_binding
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

_PATTERN_WORD = re.compile(rb"(?<![\w.:])(?:ref[ \t]+)?(?:mut[ \t]+)?([a-z_]\w*+)(?![ \t]*(?:::|\(|\{|!))")
_NO_BINDING = frozenset(b"ref mut box if in true false self super crate const as dyn".split())


def on_parameter(walk: CaptureWalk, node: Node) -> None:
    """Bind a parameter, whose type has the role ACCEPT, or the names in its pattern."""
    walk.set_role(node, ReferenceRole.ACCEPT)
    pattern = node.child_by_field_name("pattern")
    if pattern is None:
        return
    if pattern.type == "identifier":
        type_text = walk.read_line(node.child_by_field_name("type"))
        walk.bind_type(walk.bind_name(pattern), type_text, pattern)
    else:
        _bind_words(walk, pattern)


def on_self_parameter(walk: CaptureWalk, node: Node) -> None:
    """Bind `self`."""
    walk.add_local("self")


def on_let(walk: CaptureWalk, node: Node) -> None:
    """Bind the variables of `let`, which are not visible in its value."""
    pattern = node.child_by_field_name("pattern")
    if pattern is None:
        return
    if pattern.type != "identifier":
        on_pattern_owner(walk, node)
        return
    walk.shadowing.delay(pattern.start_byte, pattern.end_byte, node.end_byte)
    name = walk.bind_name(pattern)
    type_node, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    note_binding(walk, name, pattern.start_byte).result = find_result_variable(walk, value)
    if type_node is not None:
        walk.bind_type(name, walk.read_line(type_node), pattern)
    elif value is not None:
        bind_value(walk, name, value, pattern)


def on_pattern(walk: CaptureWalk, node: Node) -> None:
    """Bind the names in the pattern of an arm of `match`."""
    _bind_words(walk, node)
    on_match_pattern(walk, node)


def on_pattern_owner(walk: CaptureWalk, node: Node) -> None:
    """Bind the names in the pattern of `if let` and the like, as parts of the value."""
    pattern = node.child_by_field_name("pattern")
    if pattern is not None:
        walk.shadowing.delay(pattern.start_byte, pattern.end_byte, node.end_byte)
        _bind_words(walk, pattern)
        bind_pattern(walk, pattern, walk.read_chain(node.child_by_field_name("value")))


def on_if(walk: CaptureWalk, node: Node) -> None:
    """Open the block in which names that `if let` binds are visible: `else` is outside of it."""
    consequence = node.child_by_field_name("consequence")
    if consequence is not None:
        walk.shadowing.add_block(node.start_byte, consequence.end_byte)


def _bind_words(walk: CaptureWalk, node: Node) -> None:
    """Bind the lower-case words of a pattern."""
    condition = node.child_by_field_name("condition")
    end = condition.start_byte if condition is not None else node.end_byte
    for found in _PATTERN_WORD.finditer(walk.text, node.start_byte, end):
        if found.group(1) not in _NO_BINDING:
            walk.taken.add(found.start(1))
            name = found.group(1).decode("utf-8", "replace")
            walk.add_local(name)
            note_binding(walk, name, found.start(1))
