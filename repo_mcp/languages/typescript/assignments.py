"""Assignments in TypeScript and JavaScript files that declare exports, members or properties of `this`.

Where an exported value goes is for `repo_mcp/languages/typescript/modules.py`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.scope_walk import SAME
from repo_mcp.languages.typescript.declarations import FUNCTION_VALUES
from repo_mcp.languages.typescript.doc_comments import move_doc
from repo_mcp.languages.typescript.modules import (
    DECLARING_VALUES,
    MODULE_OBJECTS,
    export_member,
    export_whole,
)
from repo_mcp.languages.typescript.walk import Prefix, ScriptWalk, bind_written
from repo_mcp.symbols.model import CONSTRUCTED, UNKNOWN_TYPE
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

THIS_DEPTH = 2  # symbols around `this`, from a method to its class
PROTOTYPE = "prototype"
_WORD = re.compile(r"[\w$]+")


def on_assignment(walk: ScriptWalk, node: Node) -> None:
    """Record an assignment to exports, to a member that it declares, or to a pattern."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return
    move_doc(walk, node.start_byte, right.start_byte)
    if left.type in {"array_pattern", "object_pattern"}:
        walk.assigned_end = left.end_byte
        return
    if left.type == "identifier" and walk.is_local and not walk.is_typescript:
        _rebind(walk, walk.read(left), right, left.start_byte)
    if left.type != "member_expression":
        return
    chain = walk.read_chain(left)
    owner, _, name = chain.rpartition(".")
    if chain == "module.exports" or owner in MODULE_OBJECTS:
        walk.taken.update(range(left.start_byte, left.end_byte))
    if chain == "module.exports":
        export_whole(walk, node, right)
    elif owner in MODULE_OBJECTS:
        export_member(walk, node, name, right)
    elif owner == "this":
        _assign_this(walk, node, name, right)
    elif not walk.is_local:
        _assign_member(walk, node, owner, name, right)
    elif not walk.is_typescript and right.type in FUNCTION_VALUES:
        _add_to_parameter(walk, node, owner, name, right)


def _add_to_parameter(walk: ScriptWalk, node: Node, owner: str, name: str, value: Node) -> None:
    """Declare a method that a function of the file adds to a class that it takes as a parameter.

    `module.exports = function (Store) { Store.prototype.load = function () {} }`; without `prototype` the
    parameter must begin with a capital.
    """
    ordinal = walk.functions.get(walk.function, 0)
    plain = owner.removesuffix(f".{PROTOTYPE}")
    if not ordinal or (plain == owner and not plain[:1].isupper()):
        return
    function = walk.entries[ordinal]
    if not function.parent and plain in _WORD.findall(function.parameters):
        _declare_method(walk, node, name, value, ordinal)


def _declare_method(walk: ScriptWalk, node: Node, name: str, value: Node, parent: int) -> None:
    entry = walk.declare(node, name, SymbolKind.METHOD, Prefix(node.start_byte), parent)
    walk.values[value.start_byte] = len(walk.entries) - 1
    walk.read_signature(entry, value)


def _rebind(walk: ScriptWalk, name: str, value: Node, start: int) -> None:
    """Record a further value of a JavaScript variable, which may keep its earlier one."""
    if value.type not in {"null", "undefined"}:
        walk.bind_value(name, value, start)
        walk.refer(ReferenceRole.BIND, UNKNOWN_TYPE, start, "", name, SAME)


def _assign_member(walk: ScriptWalk, node: Node, owner: str, name: str, value: Node) -> None:
    """Declare what is assigned to a member of something that this file declares.

    In JavaScript these are also members of a prototype that are no functions, and members of an object that
    becomes the prototype.
    """
    is_of_prototype = owner.endswith(f".{PROTOTYPE}") and not walk.is_typescript
    if value.type in DECLARING_VALUES or is_of_prototype:
        _declare_member(walk, node, owner, name, value)
    elif name == PROTOTYPE and value.type == "object" and not walk.is_typescript:
        parent = walk.members.get((0, owner), -1)
        if parent >= 0:
            walk.values[value.start_byte] = parent


def _assign_this(walk: ScriptWalk, node: Node, name: str, value: Node) -> None:
    """Record `this.name = value` in a class; in JavaScript, declare the property."""
    owner = walk.ordinal
    for _ in range(THIS_DEPTH):
        if walk.entries[owner].kind is SymbolKind.CLASS:
            break
        owner = walk.entries[owner].parent
    if walk.entries[owner].kind is not SymbolKind.CLASS:
        owner = _find_constructing(walk)
        if not owner:
            return
        for alias in (CONSTRUCTED, f"{CONSTRUCTED}.{name}"):
            walk.refer(ReferenceRole.BIND, UNKNOWN_TYPE, node.start_byte, "", alias, SAME, owner)
    said = walk.doc_types.get(node.start_byte, "")
    if not bind_written(walk, f"this.{name}", said, node.start_byte, owner):
        walk.bind_value(f"this.{name}", value, node.start_byte, owner)
    if walk.is_typescript or (owner, name) in walk.members:
        return
    kind = SymbolKind.METHOD if value.type in FUNCTION_VALUES else SymbolKind.PROPERTY
    entry = walk.declare(node, name, kind, Prefix(node.start_byte), owner)
    if kind is SymbolKind.PROPERTY:
        entry.type = said
    else:
        walk.values[value.start_byte] = len(walk.entries) - 1


def _find_constructing(walk: ScriptWalk) -> int:
    """Return the JavaScript constructor function around an assignment: its name begins with a capital.

    Returns 0 if the innermost function has no such name.
    """
    ordinal = walk.functions.get(walk.function, 0)
    entry = walk.entries[ordinal]
    is_named = entry.kind is SymbolKind.FUNCTION and not entry.parent and entry.name[:1].isupper()
    return ordinal if is_named and not walk.is_typescript else 0


def _declare_member(walk: ScriptWalk, node: Node, owner: str, name: str, value: Node) -> None:
    """Declare the member of `owner.name = function` if this file declares the owner."""
    plain = owner.removesuffix(f".{PROTOTYPE}")
    parent = walk.members.get((0, plain), -1)
    if parent < 0 and plain != owner and value.type in FUNCTION_VALUES and not walk.is_typescript:
        _declare_method(walk, node, name, value, 0)  # the class may be declared in another file
        return
    if "." in plain or parent < 0:
        return
    kind = SymbolKind.METHOD if value.type in FUNCTION_VALUES else SymbolKind.PROPERTY
    kind = SymbolKind.CLASS if value.type == "class" else kind
    if kind is SymbolKind.PROPERTY and (parent, name) in walk.members:
        return
    entry = walk.declare(node, name, kind, Prefix(node.start_byte), parent)
    ordinal = len(walk.entries) - 1
    walk.values[value.start_byte] = ordinal
    if kind is SymbolKind.METHOD:
        walk.read_signature(entry, value)
