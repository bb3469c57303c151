"""Functions, classes, types and their members, as TypeScript and JavaScript declare them.

What else has a name is declared by its value (`repo_mcp/languages/typescript/values.py`), or by an assignment
(`repo_mcp/languages/typescript/assignments.py`), as is a property that JavaScript assigns to `this`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.typescript.contextual_types import expect
from repo_mcp.languages.typescript.destructuring import bind_parameters
from repo_mcp.languages.typescript.doc_comments import apply_doc, move_doc
from repo_mcp.languages.typescript.unnamed_exports import UNNAMED
from repo_mcp.languages.typescript.walk import Prefix, ScriptWalk, bind_written, read_type_text
from repo_mcp.symbols.model import BLOCK, GLOBAL, NOWHERE, OWN_NAME
from repo_mcp.symbols.symbol_record import Access, ReferenceRole, SymbolFlag, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

FUNCTION_VALUES = frozenset({"arrow_function", "function_expression", "generator_function"})
ACCESS = {"public": Access.PUBLIC, "protected": Access.PROTECTED, "private": Access.PRIVATE}
_FLAGS = {
    "static": SymbolFlag.STATIC,
    "abstract": SymbolFlag.ABSTRACT,
    "async": SymbolFlag.ASYNC,
    "override_modifier": SymbolFlag.OVERRIDE,
}
TYPE_HOLDERS = frozenset({SymbolKind.INTERFACE, SymbolKind.TYPE, SymbolKind.PROPERTY})
_OPTIONAL = re.compile(rb"\s*\?")  # after the name of a member or a parameter


def on_decorator(walk: ScriptWalk, node: Node) -> None:
    """Record decorators for the declaration after them."""
    start, end = walk.decorators
    is_next = end and walk.is_gap(end, node.start_byte)
    walk.decorators = (start if is_next else node.start_byte, node.end_byte)


def on_function(walk: ScriptWalk, node: Node) -> None:
    """Declare a function, or one of its overload signatures."""
    prefix = walk.find_prefix(node)
    name_node = node.child_by_field_name("name")
    name = _take_name(walk, name_node)
    entry = walk.declare(node, name, SymbolKind.FUNCTION, prefix)
    if name_node is None:
        hide_unnamed(walk)
    walk.read_signature(entry, node)
    if node.type == "function_signature":
        entry.flags |= SymbolFlag.FORWARD
    if walk.text.startswith(b"async", node.start_byte):
        entry.flags |= SymbolFlag.ASYNC
    walk.open_last(node.end_byte, is_local=True, hoists=True)
    apply_doc(walk, node, prefix.start, entry)
    if entry.parent:
        walk.bind_this(is_known=False)


def _take_name(walk: ScriptWalk, node: Node | None) -> str:
    if node is None:
        return walk.unnamed
    walk.taken.add(node.start_byte)
    return walk.read_name(node)


def hide_unnamed(walk: ScriptWalk) -> None:
    """Record that no line means the symbol declared last by its name, which only its file gave it."""
    entry, ordinal = walk.entries[-1], len(walk.entries) - 1
    if entry.name != UNNAMED:
        walk.refer(ReferenceRole.BIND, entry.name, entry.start, "", BLOCK, NOWHERE, ordinal)


def on_class(walk: ScriptWalk, node: Node) -> None:
    """Declare a class."""
    name_node = node.child_by_field_name("name")
    name = _take_name(walk, name_node)
    entry = walk.declare(node, name, SymbolKind.CLASS, walk.find_prefix(node))
    if name_node is None:
        hide_unnamed(walk)
    if node.type == "abstract_class_declaration":
        entry.flags |= SymbolFlag.ABSTRACT
    walk.open_last(node.end_byte, is_local=False)
    apply_doc(walk, node, walk.find_prefix(node).start, None)
    walk.bind_this(is_known=True)


def on_class_expression(walk: ScriptWalk, node: Node) -> None:
    """Open a class that is a value: it belongs to the symbol that it is assigned to, or is declared."""
    name_node = node.child_by_field_name("name")
    if name_node is not None:
        walk.taken.add(name_node.start_byte)
    ordinal = walk.values.get(node.start_byte, -1)
    if ordinal < 0:
        name = walk.read(name_node) or "class"
        walk.declare(node, name, SymbolKind.CLASS, Prefix(node.start_byte))
        ordinal = len(walk.entries) - 1
        last = walk.find_line(node.end_byte - 1)  # its name is visible only inside itself
        walk.refer(ReferenceRole.BIND, name, node.start_byte, "", BLOCK, last, ordinal)
    elif name_node is not None and walk.read(name_node) != walk.entries[ordinal].name:
        note_own_name(walk, name_node, ordinal)
        walk.open_scope(node.end_byte)  # its own name hides others in itself
        walk.bind(walk.read(name_node))
    walk.open_scope(node.end_byte, is_local=False, ordinal=ordinal)
    walk.bind_this(is_known=True)


def note_own_name(walk: ScriptWalk, name_node: Node, ordinal: int) -> None:
    """Record the name in `Shop.Page = class ShopPage {}`, which stack traces have."""
    name = walk.read(name_node)
    if name != walk.entries[ordinal].name:
        walk.refer(ReferenceRole.USE, name, name_node.start_byte, "", OWN_NAME, 0, ordinal)


def on_method(walk: ScriptWalk, node: Node) -> None:
    """Declare a method, an accessor, a constructor or a signature of one."""
    if node.start_byte < walk.bases_end:  # in a type argument of a base
        return
    name_node = node.child_by_field_name("name")
    name = walk.read_name(name_node)
    flags, access, words = _read_modifiers(walk, node, name_node)
    kind = SymbolKind.METHOD
    if words & {"get", "set"}:
        kind = SymbolKind.PROPERTY
    elif name == "constructor" and walk.entry.kind is SymbolKind.CLASS:
        kind = SymbolKind.CONSTRUCTOR
    parent = -1
    if walk.objects and walk.objects[-1][0] > node.start_byte and walk.objects[-1][1] >= 0:
        parent = walk.objects[-1][1]
    entry = walk.declare(node, name, kind, Prefix(node.start_byte), parent)
    entry.flags |= flags | read_optional(walk, name_node)
    entry.access = access
    if node.type == "method_signature" and walk.entry.kind is SymbolKind.CLASS:
        entry.flags |= SymbolFlag.FORWARD  # an overload
    walk.read_signature(entry, node)
    walk.open_last(node.end_byte, is_local=True, hoists=True)
    walk.bind_this(is_known=True)
    is_bound = apply_doc(walk, node, node.start_byte, entry)
    if node.start_byte in walk.contexts:
        if not is_bound:
            bind_parameters(walk, node)
        walk.expecting[walk.scope] = node.start_byte


def _read_modifiers(walk: ScriptWalk, node: Node, name: Node | None) -> tuple[int, Access, set[str]]:
    """Return the flags, access and words of a member's modifiers."""
    access = Access.PRIVATE if walk.text.startswith(b"#", name.start_byte if name else 0) else Access.PUBLIC
    if name is None or name.start_byte == node.start_byte:
        return 0, access, set()
    flags, words = 0, set()
    for child in node.children:
        if child.start_byte >= name.start_byte:
            break
        words.add(child.type)
        flags |= _FLAGS.get(child.type, 0)
        if child.type == "accessibility_modifier":
            access = ACCESS.get(walk.read(child), access)
    return flags, access, words


def read_optional(walk: ScriptWalk, name: Node | None) -> int:
    """Return the OPTIONAL flag for a member that an object need not have, else 0."""
    return SymbolFlag.OPTIONAL if name is not None and _OPTIONAL.match(walk.text, name.end_byte) else 0


def on_field(walk: ScriptWalk, node: Node) -> None:
    """Declare a field of a class; it is a method if its value is a function."""
    name_node = node.child_by_field_name("name") or node.child_by_field_name("property")
    name = walk.read_name(name_node)
    value, type_node = node.child_by_field_name("value"), node.child_by_field_name("type")
    is_function = value is not None and value.type in FUNCTION_VALUES
    kind = SymbolKind.METHOD if is_function else SymbolKind.PROPERTY
    owner = walk.ordinal
    entry = walk.declare(node, name, kind, Prefix(node.start_byte))
    flags, entry.access, _ = _read_modifiers(walk, node, name_node)
    entry.flags |= flags | read_optional(walk, name_node)
    said = walk.doc_types.get(node.start_byte, "")
    entry.type = read_type_text(walk, type_node) or ("" if is_function else said)
    ordinal = len(walk.entries) - 1
    if entry.type or said:
        expect(walk, value, entry.type or said)
    if value is not None and is_function:
        move_doc(walk, node.start_byte, value.start_byte)
        walk.values[value.start_byte] = ordinal
        read_function_value(walk, ordinal, value)
    elif not bind_written(walk, f"this.{name}", walk.read_line(type_node) or said, node.start_byte, owner):
        walk.bind_value(f"this.{name}", value, node.start_byte, owner)
    walk.open_scope(node.end_byte, is_local=False, ordinal=ordinal)


def read_function_value(walk: ScriptWalk, ordinal: int, value: Node) -> None:
    entry = walk.entries[ordinal]
    written = entry.type
    walk.read_signature(entry, value)
    entry.type = entry.type or written
    if walk.text.startswith(b"async", value.start_byte):
        entry.flags |= SymbolFlag.ASYNC


def on_property(walk: ScriptWalk, node: Node) -> None:
    """Declare a property of an interface or a named type; those of unnamed types are left out."""
    if walk.is_local or walk.entry.kind not in TYPE_HOLDERS or node.start_byte < walk.bases_end:
        return
    name_node, type_node = node.child_by_field_name("name"), node.child_by_field_name("type")
    entry = walk.declare(node, walk.read_name(name_node), SymbolKind.PROPERTY, Prefix(node.start_byte))
    entry.flags |= read_optional(walk, name_node)
    entry.type = read_type_text(walk, type_node)
    entry.access = Access.PUBLIC
    walk.open_last(node.end_byte, is_local=False)


def on_interface(walk: ScriptWalk, node: Node) -> None:
    """Declare an interface."""
    _declare_type(walk, node, SymbolKind.INTERFACE)


def on_type_alias(walk: ScriptWalk, node: Node) -> None:
    """Declare a type alias; its type is the aliased one."""
    _declare_type(walk, node, SymbolKind.TYPE)
    walk.entry.type = read_type_text(walk, node.child_by_field_name("value"))


def on_enum(walk: ScriptWalk, node: Node) -> None:
    """Declare an enum."""
    _declare_type(walk, node, SymbolKind.ENUM)


def _declare_type(walk: ScriptWalk, node: Node, kind: SymbolKind) -> None:
    name = _take_name(walk, node.child_by_field_name("name"))
    walk.declare(node, name, kind, walk.find_prefix(node))
    walk.open_last(node.end_byte, is_local=False)


def on_enum_member(walk: ScriptWalk, node: Node) -> None:
    """Declare a member of an enum, with or without a value."""
    name_node = node.child_by_field_name("name") if node.type == "enum_assignment" else node
    entry = walk.declare(node, walk.read_name(name_node), SymbolKind.ENUM_MEMBER, Prefix(node.start_byte))
    entry.access = Access.PUBLIC


def on_namespace(walk: ScriptWalk, node: Node) -> None:
    """Declare a namespace or a `declare module`; `a.b` is one symbol of that name."""
    name_node = node.child_by_field_name("name")
    if name_node is not None:
        walk.taken.update(range(name_node.start_byte, name_node.end_byte))
    walk.declare(node, walk.read_name(name_node), SymbolKind.MODULE, walk.find_prefix(node))
    walk.open_last(node.end_byte, is_local=False)
    body = node.child_by_field_name("body")
    if body is not None:
        walk.values[body.start_byte] = walk.ordinal  # its braces are not a block


def on_ambient(walk: ScriptWalk, node: Node) -> None:
    """Pass the prefix `declare` on to the declaration after it, and declare a namespace for `global`."""
    above = walk.find_prefix(node)
    inner = node.named_children
    if inner and inner[-1].type == "statement_block":
        walk.declare(node, GLOBAL, SymbolKind.MODULE, above)
        walk.open_last(node.end_byte, is_local=False)
        walk.values[inner[-1].start_byte] = walk.ordinal  # its braces are not a block
    elif inner:
        prefix = Prefix(above.start, above.is_exported, above.is_default)
        walk.prefixes[inner[-1].start_byte] = prefix
