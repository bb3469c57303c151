"""Variables, parameters and results of TypeScript and JavaScript, and their values: objects and functions.

A function or class that is the value of a variable, a property or an export is declared under that name.
Variables are declared outside functions and blocks only; members of an object, if the object is the value of
something declared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.scope_walk import SAME, UNKNOWN, Entry
from repo_mcp.languages.treesitter.source_text import find_first_child
from repo_mcp.languages.typescript.contextual_types import expect, expect_result, refer_keys
from repo_mcp.languages.typescript.declarations import (
    ACCESS,
    FUNCTION_VALUES,
    note_own_name,
    read_function_value,
    read_optional,
)
from repo_mcp.languages.typescript.destructuring import (
    bind_items,
    bind_parameters,
    bind_pattern,
    bind_tuple,
    read_pattern_owner,
)
from repo_mcp.languages.typescript.doc_comments import apply_doc, move_doc
from repo_mcp.languages.typescript.modules import import_result
from repo_mcp.languages.typescript.walk import (
    EXPECTED,
    RESULT,
    Prefix,
    ScriptWalk,
    Variables,
    bind_anything,
    bind_written,
    hold_type,
    read_cast,
    read_type_text,
)
from repo_mcp.languages.typescript.written_bases import note_implemented
from repo_mcp.symbols.model import UNKNOWN_TYPE
from repo_mcp.symbols.symbol_record import Access, ReferenceRole, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

_PARAMETER_PROPERTY = frozenset({"accessibility_modifier", "override_modifier", "readonly"})
THIS = "this"  # an arrow function in an object binds it to itself: it is the outer one
# As RESULT, in a row of an object that is the result, up to line `arguments`: the function holds the symbols
# of its members.
OBJECT = "(){}"


def on_variables(walk: ScriptWalk, node: Node) -> None:
    """Record how the names of a `const`, `let` or `var` are bound."""
    start = node.start_byte
    is_constant = walk.text.startswith(b"const", start)
    if (walk.docs or walk.doc_types) and node.named_child_count:
        _pass_doc(walk, walk.find_prefix(node).start, node.named_children[0])
    hoists = node.type == "variable_declaration"
    walk.variables.append(Variables(node.end_byte, is_constant, hoists, walk.find_prefix(node)))


def _pass_doc(walk: ScriptWalk, start: int, first: Node) -> None:
    """Let a comment before variables count for the first of them, or for the function that is its value."""
    value = first.child_by_field_name("value")
    move_doc(walk, start, first.start_byte if value is None else value.start_byte)
    if start in walk.doc_types:
        walk.doc_types[first.start_byte] = walk.doc_types[start]


def _get_variables(walk: ScriptWalk, start: int) -> Variables:
    variables = walk.variables
    while variables and variables[-1].end <= start:
        variables.pop()
    return variables[-1] if variables else Variables(0, False, False, Prefix(start))


def declare_variable(walk: ScriptWalk, node: Node, name_node: Node, value: Node | None) -> None:
    """Declare a variable that is a function, a class or not local; else bind it."""
    start = node.start_byte
    variables = _get_variables(walk, start)
    if value is not None and walk.values.get(value.start_byte) == -1:
        return  # imported by `require`
    if name_node.type != "identifier":
        walk.pattern, walk.pattern_end = variables, name_node.end_byte
        if name_node.type == "array_pattern":
            bind_items(walk, name_node, node.child_by_field_name("type"), value)
        else:
            bind_pattern(walk, name_node, walk.read_owner(node.child_by_field_name("type"), value))
        return
    walk.taken.add(start)
    name = walk.read(name_node)
    type_node = node.child_by_field_name("type")
    said = walk.read_line(type_node) or walk.doc_types.get(start, "")
    if said:
        expect(walk, value, said)
    is_function = value is not None and value.type in FUNCTION_VALUES
    is_class = value is not None and value.type == "class"
    if walk.is_local and not is_function and not is_class:
        walk.bind(name, hoist=variables.hoists)
        if not bind_written(walk, name, said, start):
            if value is not None:
                bind_anything(walk, name, type_node, start)
            walk.bind_value(name, value, start)
    else:
        kind = SymbolKind.CONSTANT if variables.is_constant else SymbolKind.VARIABLE
        kind = SymbolKind.FUNCTION if is_function else SymbolKind.CLASS if is_class else kind
        _declare_variable(walk, node, name, kind, variables, value)


def _declare_variable(
    walk: ScriptWalk, node: Node, name: str, kind: SymbolKind, variables: Variables, value: Node | None
) -> None:
    is_local = walk.is_local
    entry = walk.declare(node, name, kind, variables.prefix)
    type_node = node.child_by_field_name("type")
    said = "" if kind is SymbolKind.FUNCTION else walk.doc_types.get(node.start_byte, "")
    entry.type = read_type_text(walk, type_node) or said
    ordinal = len(walk.entries) - 1
    if value is not None:
        inner = _unwrap(value)
        walk.values[inner.start_byte] = ordinal
        note_implemented(walk, type_node, value)
        if kind is SymbolKind.FUNCTION:
            read_function_value(walk, ordinal, value)
    if kind in {SymbolKind.CONSTANT, SymbolKind.VARIABLE} and not bind_written(
        walk, name, walk.read_line(type_node) or said, node.start_byte
    ):
        walk.bind_value(name, value, node.start_byte)
    walk.open_scope(node.end_byte, is_local=is_local, ordinal=ordinal)


def _unwrap(value: Node) -> Node:
    """Return the expression inside `... as const`, `... satisfies T` and parentheses."""
    for _ in range(3):
        if value.type not in {"as_expression", "satisfies_expression", "parenthesized_expression"}:
            break
        inner = value.named_children
        if not inner:
            break
        value = inner[0]
    return value


def on_object(walk: ScriptWalk, node: Node) -> None:
    """Record an object and the symbol whose value it is, if any."""
    _pop_objects(walk, node.start_byte)
    refer_keys(walk, node)
    owner = walk.values.get(node.start_byte, -1)
    walk.objects.append((node.end_byte, owner))
    if owner < 0:
        return
    _bind_shorthands(walk, node, owner)


def _bind_shorthands(walk: ScriptWalk, node: Node, owner: int) -> None:
    for one in node.named_children:
        if one.type == "shorthand_property_identifier":
            name = walk.read(one)
            walk.refer(ReferenceRole.BIND, name, one.start_byte, "", f"this.{name}", SAME, owner)


def _pop_objects(walk: ScriptWalk, start: int) -> int:
    """Return the entry whose value the innermost object is; -1 for none."""
    objects = walk.objects
    while objects and objects[-1][0] <= start:
        objects.pop()
    return objects[-1][1] if objects else -1


def on_pair(walk: ScriptWalk, node: Node) -> None:
    """Declare a member of an object with its value."""
    owner = _pop_objects(walk, node.start_byte)
    value = node.child_by_field_name("value")
    if value is None:
        return
    is_function = value.type in FUNCTION_VALUES
    if owner < 0 and not is_function:
        return
    name = walk.read_name(node.child_by_field_name("key"))
    is_local = walk.is_local
    kind = SymbolKind.METHOD if is_function else SymbolKind.PROPERTY
    entry = walk.declare(node, name, kind, Prefix(node.start_byte), owner)
    ordinal = len(walk.entries) - 1
    walk.values[_unwrap(value).start_byte] = ordinal
    if is_function:
        move_doc(walk, node.start_byte, value.start_byte)
        read_function_value(walk, ordinal, value)
        if value.type == "arrow_function":
            walk.refer(ReferenceRole.BIND, THIS, node.start_byte, "", THIS, SAME, ordinal)
    else:
        entry.type = walk.doc_types.get(node.start_byte, "")
        if not bind_written(walk, f"this.{name}", entry.type, node.start_byte, owner):
            walk.bind_value(f"this.{name}", value, node.start_byte, owner)
        walk.open_scope(node.end_byte, is_local=is_local, ordinal=ordinal)


def _open_block(walk: ScriptWalk, node: Node, *, hoists: bool = False, ordinal: int = -1) -> None:
    """Open the scope of a block, or of a function that is the value of entry `ordinal` (-1 for none)."""
    walk.open_scope(node.end_byte, hoists=hoists, ordinal=ordinal)
    if walk.titled.get(node.start_byte):
        walk.titled_scopes.add(walk.scope)
    if ordinal < 0 and node.start_byte not in walk.titled:
        walk.blocks[walk.scope] = node.start_byte, node.end_byte


def on_function_scope(walk: ScriptWalk, node: Node) -> None:
    """Open the scope of a function that is a value."""
    name_node = node.child_by_field_name("name")
    ordinal = walk.values.get(node.start_byte, -1)
    if name_node is not None and ordinal >= 0:
        note_own_name(walk, name_node, ordinal)
    _open_block(walk, node, hoists=True, ordinal=ordinal)
    if node.type != "arrow_function":
        walk.bind_this(is_known=ordinal >= 0 and _is_called_on_owner(walk, walk.entries[ordinal]))
    if name_node is not None:
        walk.taken.add(name_node.start_byte)
        walk.bind(walk.read(name_node))
    is_bound = apply_doc(walk, node, node.start_byte, walk.entries[ordinal] if ordinal >= 0 else None)
    if node.start_byte in walk.contexts and not is_bound:
        bind_parameters(walk, node)
    body = node.child_by_field_name("body")
    is_value = body is not None and body.type != "statement_block"
    if ordinal >= 0:
        walk.functions[walk.scope] = ordinal
    if node.start_byte in walk.contexts:
        walk.expecting[walk.scope] = node.start_byte
    if body is not None and is_value:
        _on_result(walk, body)


def _is_called_on_owner(walk: ScriptWalk, entry: Entry) -> bool:
    """Return False for a function that is the value of a variable in a function, or of a field of a class.

    For these, `this` depends on the call.
    """
    if entry.kind is SymbolKind.METHOD:
        is_field = walk.entries[entry.parent].kind is SymbolKind.CLASS
        return not is_field or walk.text.startswith(b"this.", entry.start)
    return entry.kind is not SymbolKind.FUNCTION or not entry.parent


def _bind_item(walk: ScriptWalk, item: Node, chain: str) -> None:
    """Bind a variable, or the names in a pattern, that is an item of an expression."""
    start = item.start_byte
    if item.type == "identifier":
        name = walk.read(item)
        walk.bind(name)
        walk.bind_item(name, chain, start)
    elif item.type == "object_pattern" and chain != UNKNOWN:
        walk.bind_item(f"{EXPECTED}{start}", chain, start)
        bind_pattern(walk, item, f"{EXPECTED}{start}")


def on_return(walk: ScriptWalk, node: Node) -> None:
    """Record the returned value of a function without a written result."""
    value = find_first_child(node)
    if value is not None:
        _on_result(walk, value)


def _on_result(walk: ScriptWalk, value: Node) -> None:
    ordinal = walk.functions.get(walk.function, -1)
    if ordinal >= 0:
        expect(walk, value, walk.entries[ordinal].type)
        _bind_result(walk, value)
    start = walk.expecting.get(walk.function, -1)
    if start >= 0:
        expect_result(walk, value, start)


def _bind_result(walk: ScriptWalk, value: Node) -> None:
    ordinal = walk.functions.get(walk.function, -1)
    if ordinal >= 0 and not walk.entries[ordinal].type and not import_result(walk, value, ordinal):
        walk.bind_value(RESULT, value, value.start_byte, ordinal)
        inner = _unwrap(value)
        if inner.type == "object":
            last = walk.find_line(inner.end_byte - 1)
            walk.refer(ReferenceRole.BIND, UNKNOWN_TYPE, inner.start_byte, "", OBJECT, last, ordinal)
            _bind_shorthands(walk, inner, ordinal)
        elif inner.type == "array" and walk.text.endswith(b"const", value.start_byte, value.end_byte):
            last = walk.find_line(inner.end_byte - 1)
            walk.refer(ReferenceRole.BIND, UNKNOWN_TYPE, inner.start_byte, "", OBJECT, last, ordinal)
            bind_tuple(walk, inner, ordinal)


def on_block(walk: ScriptWalk, node: Node) -> None:
    """Open the scope of a block that binds names of its own."""
    if node.start_byte in walk.values:
        return
    _open_block(walk, node)
    if node.type == "for_in_statement" and walk.read(node.child_by_field_name("operator")) == "of":
        left = node.child_by_field_name("left")
        right = node.child_by_field_name("right")
        if left is not None and right is not None and node.child_by_field_name("kind") is not None:
            cast = read_cast(walk, right.start_byte) if right.type == "parenthesized_expression" else ""
            chain = hold_type(walk, cast, right.start_byte) if cast else walk.read_chain(right)
            _bind_item(walk, left, chain)


def on_bound(walk: ScriptWalk, node: Node) -> None:
    """Declare or bind a name in a pattern; if the pattern is assigned to, add its use."""
    start = node.start_byte
    if start in walk.taken:
        return
    walk.taken.add(start)
    name = walk.read(node)
    if start < walk.assigned_end:
        walk.refer(ReferenceRole.USE, name, start)
        return
    variables = walk.pattern if start < walk.pattern_end else None
    if walk.is_local or variables is None:
        walk.bind(name, hoist=variables is not None and variables.hoists)
        return
    kind = SymbolKind.CONSTANT if variables.is_constant else SymbolKind.VARIABLE
    walk.declare(node, name, kind, variables.prefix)


def on_parameter(walk: ScriptWalk, node: Node) -> None:
    """Bind a TypeScript parameter; in a constructor, it may also declare a property."""
    pattern, type_node = node.child_by_field_name("pattern"), node.child_by_field_name("type")
    if type_node is not None:
        walk.roles.append((type_node.start_byte, type_node.end_byte, ReferenceRole.ACCEPT))
    if pattern is None or pattern.type != "identifier":
        if pattern is not None and pattern.type == "object_pattern":
            bind_pattern(walk, pattern, read_pattern_owner(walk, pattern, type_node))
        return
    walk.taken.add(pattern.start_byte)
    name = walk.read(pattern)
    walk.bind(name)
    is_known = walk.bind_annotation(name, type_node, pattern.start_byte)
    value = node.child_by_field_name("value")
    if not is_known and value is not None:
        bind_anything(walk, name, type_node, pattern.start_byte)
        walk.bind_value(name, value, pattern.start_byte)
    first = node.children[0]
    if first.type in _PARAMETER_PROPERTY and walk.entry.kind is SymbolKind.CONSTRUCTOR:
        owner = walk.entry.parent
        entry = walk.declare(node, name, SymbolKind.PROPERTY, Prefix(node.start_byte), owner)
        entry.access = ACCESS.get(walk.read(first), Access.PUBLIC)
        entry.flags |= read_optional(walk, pattern)
        entry.type = read_type_text(walk, type_node)
        walk.bind_annotation(f"this.{name}", type_node, pattern.start_byte, owner)
