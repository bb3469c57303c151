"""Declarations, scopes and bound names of C#.

A primary constructor is a symbol of its own; in a record, its parameters are also properties. Fields are
properties. Declarations in top-level statements are local.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.languages.csharp.arguments import read_value, refer_call
from repo_mcp.languages.csharp.chains import simplify
from repo_mcp.languages.csharp.products import is_product
from repo_mcp.languages.csharp.types import (
    ARGUMENT_SHIFT,
    IS_ITSELF,
    IS_TYPE,
    PARAMETER_SHIFT,
    PASSED,
    read_type,
)
from repo_mcp.languages.csharp.walk import TYPE_DECLARATIONS, CSharpWalk, Passed
from repo_mcp.languages.treesitter.scope_walk import Entry
from repo_mcp.languages.treesitter.source_text import find_child
from repo_mcp.symbols.symbol_record import Access, ReferenceRole, SymbolFlag, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

_TYPE_KINDS = {
    "class_declaration": SymbolKind.CLASS,
    "struct_declaration": SymbolKind.STRUCT,
    "interface_declaration": SymbolKind.INTERFACE,
    "record_declaration": SymbolKind.RECORD,
    "enum_declaration": SymbolKind.ENUM,
}
_PUBLIC_HOLDERS = frozenset({SymbolKind.INTERFACE, SymbolKind.ENUM})


def on_comment(walk: CSharpWalk, node: Node) -> None:
    """Record where a doc comment ends."""
    start = node.start_byte
    if walk.text.startswith((b"///", b"/**"), start):
        walk.comment_end = node.end_byte


def on_namespace(walk: CSharpWalk, node: Node) -> None:
    """Declare a namespace with braces."""
    walk.declare(node, _take_name(walk, node), SymbolKind.MODULE)
    walk.open_scope(node.end_byte, is_local=False, ordinal=len(walk.entries) - 1)


def on_file_namespace(walk: CSharpWalk, node: Node) -> None:
    """Declare the namespace of the rest of the file."""
    entry = walk.declare(node, _take_name(walk, node), SymbolKind.MODULE)
    entry.end = len(walk.text)
    walk.open_scope(len(walk.text) + 1, is_local=False, ordinal=len(walk.entries) - 1)


def _take(walk: CSharpWalk, node: Node | None) -> None:
    """Mark all names in a node, for which nothing more is recorded."""
    if node is not None:
        walk.taken.update(range(node.start_byte, node.end_byte))


def _take_name(walk: CSharpWalk, node: Node) -> str:
    """Return the name of a declaration, for which nothing more is recorded."""
    name_node = node.child_by_field_name("name")
    _take(walk, name_node)
    return walk.read_name(name_node)


def _get_default_access(walk: CSharpWalk) -> Access:
    kind = walk.entry.kind
    if kind in _PUBLIC_HOLDERS:
        return Access.PUBLIC
    return Access.PRIVATE if kind in TYPE_DECLARATIONS else Access.INTERNAL


def on_type_declaration(walk: CSharpWalk, node: Node) -> None:
    """Declare a class, a struct, an interface, a record or an enum."""
    default = _get_default_access(walk)
    entry = walk.declare(node, _take_name(walk, node), _TYPE_KINDS[node.type])
    walk.read_modifiers(node, entry, default)
    entry.parameters = _read_type_parameters(walk, node)
    ordinal = len(walk.entries) - 1
    parameters = find_child(node, "parameter_list")
    walk.open_scope(node.end_byte, is_local=False, ordinal=ordinal)
    if parameters is not None:
        constructor = walk.declare(parameters, entry.name, SymbolKind.CONSTRUCTOR)
        constructor.access = entry.access
        walk.read_parameters(constructor, parameters)


def _read_type_parameters(walk: CSharpWalk, node: Node) -> str:
    """Return the type parameters of a type, "<T, U>"; their number tells types of one name apart."""
    found = find_child(node, "type_parameter_list")
    return walk.read_line(found)


def on_delegate(walk: CSharpWalk, node: Node) -> None:
    """Declare a delegate: a type that is called."""
    default = _get_default_access(walk)
    entry = walk.declare(node, _take_name(walk, node), SymbolKind.TYPE)
    walk.read_modifiers(node, entry, default)
    walk.read_parameters(entry, node.child_by_field_name("parameters"))
    entry.parameters = _read_type_parameters(walk, node) + entry.parameters
    result = node.child_by_field_name("type")
    entry.type = walk.read_line(result)
    walk.note_type(result)
    walk.open_scope(node.end_byte, ordinal=len(walk.entries) - 1)


def on_enum_member(walk: CSharpWalk, node: Node) -> None:
    """Declare a member of an enum."""
    entry = walk.declare(node, _take_name(walk, node), SymbolKind.ENUM_MEMBER)
    walk.read_modifiers(node, entry, Access.PUBLIC)


def on_method(walk: CSharpWalk, node: Node) -> None:
    """Declare a method, a constructor, an operator or an indexer."""
    holder = walk.entry
    default = _get_default_access(walk)
    kind = SymbolKind.CONSTRUCTOR if node.type == "constructor_declaration" else SymbolKind.METHOD
    entry = walk.declare(node, _name_method(walk, node), kind)
    words = walk.read_modifiers(node, entry, default)
    if any(one.type == "explicit_interface_specifier" for one in node.named_children):
        entry.access = Access.NONE
    walk.read_parameters(entry, node.child_by_field_name("parameters"))
    entry.parameters = _read_type_parameters(walk, node) + entry.parameters
    body = node.child_by_field_name("body") or node.child_by_field_name("accessors")
    if body is None:
        body = find_child(node, "arrow_expression_clause")
    if body is None and holder.kind is SymbolKind.INTERFACE:
        entry.flags |= SymbolFlag.ABSTRACT
    if body is None and "partial" in words:
        entry.flags |= SymbolFlag.FORWARD
    result = node.child_by_field_name("returns") or node.child_by_field_name("type")
    _open_function(walk, node, entry, result)


def _name_method(walk: CSharpWalk, node: Node) -> str:
    kind = node.type
    if kind == "indexer_declaration":
        return "this[]"
    if kind == "operator_declaration":
        return f"operator {walk.read(node.child_by_field_name('operator'))}"
    if kind == "conversion_operator_declaration":
        return f"operator {walk.read_line(node.child_by_field_name('type'))}"
    name = _take_name(walk, node)
    return f"~{name}" if kind == "destructor_declaration" else name


def _open_function(walk: CSharpWalk, node: Node, entry: Entry, result: Node | None) -> None:
    ordinal = len(walk.entries) - 1
    entry.type = walk.read_line(result)
    walk.note_type(result)
    walk.open_scope(node.end_byte, hoists=True, ordinal=ordinal)


def on_local_function(walk: CSharpWalk, node: Node) -> None:
    """Declare a function inside another."""
    entry = walk.declare(node, _take_name(walk, node), SymbolKind.FUNCTION)
    walk.read_modifiers(node, entry, Access.NONE)
    walk.read_parameters(entry, node.child_by_field_name("parameters"))
    entry.parameters = _read_type_parameters(walk, node) + entry.parameters
    _open_function(walk, node, entry, node.child_by_field_name("type"))


def on_property(walk: CSharpWalk, node: Node) -> None:
    """Declare a property, or an event with accessors."""
    type_node = node.child_by_field_name("type")
    default = _get_default_access(walk)
    kind = SymbolKind.EVENT if node.type == "event_declaration" else SymbolKind.PROPERTY
    holder = walk.entry
    entry = walk.declare(node, _take_name(walk, node), kind)
    walk.read_modifiers(node, entry, default)
    if any(one.type == "explicit_interface_specifier" for one in node.named_children):
        entry.access = Access.NONE
    if holder.kind is SymbolKind.INTERFACE:
        entry.flags |= SymbolFlag.ABSTRACT
    entry.type = walk.read_line(type_node)
    walk.note_type(type_node)
    value = node.child_by_field_name("value")
    walk.open_scope(node.end_byte, ordinal=len(walk.entries) - 1)
    _note_typed(walk, type_node, value)


def _refer_target_type(walk: CSharpWalk, type_node: Node | None, value: Node) -> None:
    """Add the constructor call of `Foo x = new(1)`, with the type of the variable."""
    found = read_type(walk.read_line(type_node))
    if found.name and not found.is_items:
        arguments = find_child(value, "argument_list")
        refer_call(walk, found.name, value.start_byte, found.qualifier, found.arity, arguments, is_new=True)


def on_field(walk: CSharpWalk, node: Node) -> None:
    """Declare fields, constants or events; each variable is a symbol."""
    default = _get_default_access(walk)
    kind = SymbolKind.EVENT if node.type == "event_field_declaration" else SymbolKind.PROPERTY
    declaration = find_child(node, "variable_declaration")
    if declaration is None:
        return
    type_node = declaration.child_by_field_name("type")
    for declarator in declaration.named_children:
        if declarator.type == "variable_declarator":
            entry = walk.declare(node, walk.read_name(declarator.child_by_field_name("name")), kind)
            if "const" in walk.read_modifiers(node, entry, default):
                entry.kind = SymbolKind.CONSTANT
            entry.type = walk.read_line(type_node)
            walk.field_positions[declarator.start_byte] = len(walk.entries) - 1


def on_variables(walk: CSharpWalk, node: Node) -> None:
    """Record the type that variables share."""
    type_node = node.child_by_field_name("type")
    walk.note_type(type_node)
    if type_node is not None:
        for one in node.named_children:
            if one.type == "variable_declarator":
                walk.variable_types[one.start_byte] = type_node


def on_declarator(walk: CSharpWalk, node: Node) -> None:
    """Bind one local variable, or open the scope of one field."""
    start = node.start_byte
    type_node = walk.variable_types.get(start)
    name_node = node.child_by_field_name("name")
    children = node.named_children
    value = children[-1] if len(children) > 1 else None
    is_field = start in walk.field_positions
    if is_field:
        walk.open_scope(node.end_byte, ordinal=walk.field_positions[start])
    _note_typed(walk, type_node, value)
    _take(walk, name_node)
    if is_field or name_node is None:
        return
    name = walk.read_name(name_node)
    walk.bind(name)
    if type_node is None or type_node.type == "implicit_type" or not walk.bind_type(name, type_node, start):
        walk.bind_value(name, value, start)
        if value is not None:
            walk.note_plain_type(name, read_value(walk, value))


def on_block(walk: CSharpWalk, node: Node) -> None:
    """Open a scope that binds names of its own."""
    walk.open_scope(node.end_byte)


def on_accessor(walk: CSharpWalk, node: Node) -> None:
    """Open the scope of `get` or `set` and bind `value`."""
    walk.open_scope(node.end_byte, hoists=True)
    walk.bind("value")


def on_foreach(walk: CSharpWalk, node: Node) -> None:
    """Open the scope of a loop and bind its variable; those of a pattern are bound where they stand."""
    walk.open_scope(node.end_byte)
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is not None and left.type == "identifier":
        _bind_item(walk, left, node.child_by_field_name("type"), right)


def on_looped(walk: CSharpWalk, node: Node) -> None:
    """Open a scope for what is looped over, where the variables of the loop are not yet visible."""
    walk.open_scope(node.end_byte, parent=walk.outer_scope)


def _bind_item(walk: CSharpWalk, left: Node, type_node: Node | None, right: Node | None) -> None:
    """Bind the variable of a loop: it has the written type, or is an item of what is looped over."""
    _take(walk, left)
    name = walk.read_name(left)
    walk.bind(name)
    walk.note_type(type_node)
    if type_node is not None and type_node.type != "implicit_type":
        walk.bind_type(name, type_node, left.start_byte)
        return
    walk.bind_item(name, walk.read_chain(right), left.start_byte)


def on_lambda(walk: CSharpWalk, node: Node) -> None:
    """Open the scope of a lambda, and record from what the types of its parameters follow."""
    walk.open_scope(node.end_byte, hoists=True)
    passed = walk.passed.get(node.start_byte)
    parameters = node.child_by_field_name("parameters")
    if passed is None or parameters is None:
        return
    is_list = parameters.type == "parameter_list"
    named = [one for one in parameters.named_children if one.type == "parameter"] if is_list else [parameters]
    for number, one in enumerate(named[:IS_ITSELF]):
        name = walk.read_name(one.child_by_field_name("name") if is_list else one)
        if name == "_" or (is_list and one.child_by_field_name("type") is not None):
            continue
        walk.bind(name)
        kind = PASSED | passed.argument << ARGUMENT_SHIFT | number << PARAMETER_SHIFT
        walk.refer(ReferenceRole.BIND, passed.name, passed.start, passed.qualifier, name, kind)


def _note_typed(walk: CSharpWalk, type_node: Node | None, value: Node | None) -> None:
    """Note that a function, or `new()`, is the value of a variable with a written type."""
    if value is None or value.type not in {"lambda_expression", "implicit_object_creation_expression"}:
        return
    written = walk.read_line(type_node)
    found = read_type(written)
    if value.type == "lambda_expression":
        if found.name and not found.is_items:
            arguments = f"<{found.type_arguments}>" if found.type_arguments else ""
            walk.passed[value.start_byte] = Passed(
                found.name, found.qualifier + arguments, value.start_byte, IS_TYPE
            )
        return
    _refer_target_type(walk, type_node, value)
    chain = simplify(written.rstrip("?").encode()).decode()
    if chain:
        walk.targets[value.start_byte] = f"{chain}()"


def on_parameters(walk: CSharpWalk, node: Node) -> None:
    """Bind the last parameter of a list if it is `params`, for which the grammar has no node."""
    children = node.children
    if not any(one.type == "params" for one in children):
        return
    type_node, name_node = node.child_by_field_name("type"), node.child_by_field_name("name")
    walk.note_type(type_node, ReferenceRole.ACCEPT)
    if name_node is not None:
        _take(walk, name_node)
        walk.bind(walk.read_name(name_node))
        walk.bind_type(walk.read_name(name_node), type_node, name_node.start_byte)


def on_parameter(walk: CSharpWalk, node: Node) -> None:
    """Bind a parameter, whose type has the role ACCEPT; in a record, declare a property instead."""
    name_node, type_node = node.child_by_field_name("name"), node.child_by_field_name("type")
    walk.note_type(type_node, ReferenceRole.ACCEPT)
    if name_node is None:
        return
    _take(walk, name_node)
    name = walk.read_name(name_node)
    if walk.entry.kind is SymbolKind.RECORD and not walk.is_local:
        entry = walk.declare(node, name, SymbolKind.PROPERTY)
        entry.access = Access.PUBLIC
        entry.type = walk.read_line(type_node)
        return
    walk.bind(name)
    walk.bind_type(name, type_node, name_node.start_byte)


def on_type_parameter(walk: CSharpWalk, node: Node) -> None:
    """Bind a type parameter: its name refers to nothing else."""
    walk.bind(_take_name(walk, node))


def on_constraints(walk: CSharpWalk, node: Node) -> None:
    """Bind a type parameter to the first type that `where` requires: its values have the members of that."""
    name, *demanded = [one for one in node.named_children if one.type != "comment"]
    walk.asked.add(walk.read_name(name))  # fields may have this type
    for one in demanded:
        type_node = one.child_by_field_name("type")
        if type_node is not None and walk.bind_type(walk.read_name(name), type_node, node.start_byte):
            return


def on_bound(walk: CSharpWalk, node: Node) -> None:
    """Bind a name without a type."""
    walk.taken.add(node.start_byte)
    walk.bind(walk.read_name(node))


def on_named(walk: CSharpWalk, node: Node) -> None:
    """Bind a name that may have a type: patterns, `out var x`, `catch (E e)`, `from x in xs`."""
    if is_product(node):
        return
    name_node, type_node = node.child_by_field_name("name"), node.child_by_field_name("type")
    walk.note_type(type_node)
    if name_node is None:
        return
    _take(walk, name_node)
    name = walk.read_name(name_node)
    walk.bind(name)
    passed = walk.passed.get(node.start_byte) if node.type == "declaration_expression" else None
    if type_node is not None and type_node.type != "implicit_type":
        walk.bind_type(name, type_node, name_node.start_byte)
    elif passed is not None:
        kind = PASSED | passed.argument << ARGUMENT_SHIFT | IS_ITSELF << PARAMETER_SHIFT
        walk.refer(ReferenceRole.BIND, passed.name, passed.start, passed.qualifier, name, kind)


def on_named_first(walk: CSharpWalk, node: Node) -> None:
    """Bind the name of `let x = ...` or `join x in ...`."""
    first = find_child(node, "identifier")
    if first is not None:
        on_bound(walk, first)


def on_taken(walk: CSharpWalk, node: Node) -> None:
    """Mark a name that is no use of anything."""
    _take(walk, node)
