"""Declarations, scopes and bound names of TypeScript and JavaScript.

A function or class that is the value of a variable, a property or an export is declared under that name.
Variables are declared outside functions and blocks only; members of an object, when the object is the value
of something declared. In JavaScript a class has the properties that it assigns to `this`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.scope_walk import SAME, UNKNOWN, Entry
from repo_mcp.languages.typescript.walk import (
    EXPECTED,
    Prefix,
    ScriptWalk,
    Variables,
    bind_expected,
    bind_items,
    bind_pattern,
    bind_tuple,
    expect,
    expect_result,
    read_pattern_owner,
    read_type_text,
    refer_keys,
)
from repo_mcp.symbols.model import BLOCK, MAX_PARAMETERS, UNKNOWN_TYPE
from repo_mcp.symbols.symbol_record import Access, ReferenceRole, SymbolFlag, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

FUNCTION_VALUES = frozenset({"arrow_function", "function_expression", "generator_function"})
_ACCESS = {"public": Access.PUBLIC, "protected": Access.PROTECTED, "private": Access.PRIVATE}
_FLAGS = {
    "static": SymbolFlag.STATIC,
    "abstract": SymbolFlag.ABSTRACT,
    "async": SymbolFlag.ASYNC,
    "override_modifier": SymbolFlag.OVERRIDE,
}
TYPE_HOLDERS = frozenset({SymbolKind.INTERFACE, SymbolKind.TYPE, SymbolKind.PROPERTY})
_PARAMETER_PROPERTY = frozenset({"accessibility_modifier", "override_modifier", "readonly"})
_OPTIONAL = re.compile(rb"\s*\?")  # behind the name of a member or a parameter
UNNAMED = "default"
THIS = "this"  # an arrow function in an object binds it to itself: it is the outer one
RESULT = "()"  # stands for the variable in the row of a function's result
OBJECT = (
    "(){}"  # the same in a row of an object that is the result, up to line `arguments`: the function holds
)
# the symbols of its members


def on_comment(walk: ScriptWalk, node: Node) -> None:
    """Record a doc comment for the declaration after it."""
    start = node.start_byte
    if walk.text.startswith(b"/**", start):
        walk.comment = (start, node.end_byte)


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
    walk.read_signature(entry, node)
    if node.type == "function_signature":
        entry.flags |= SymbolFlag.FORWARD
    if walk.text.startswith(b"async", node.start_byte):
        entry.flags |= SymbolFlag.ASYNC
    walk.open_last(node.end_byte, is_local=True, hoists=True)
    if entry.parent:
        walk.bind_this(is_known=False)


def _take_name(walk: ScriptWalk, node: Node | None) -> str:
    if node is None:
        return UNNAMED
    walk.taken.add(node.start_byte)
    return walk.read_name(node)


def on_class(walk: ScriptWalk, node: Node) -> None:
    """Declare a class."""
    name = _take_name(walk, node.child_by_field_name("name"))
    entry = walk.declare(node, name, SymbolKind.CLASS, walk.find_prefix(node))
    if node.type == "abstract_class_declaration":
        entry.flags |= SymbolFlag.ABSTRACT
    walk.open_last(node.end_byte, is_local=False)
    walk.bind_this(is_known=True)


def on_class_expression(walk: ScriptWalk, node: Node) -> None:
    """Open a class that is a value: of the symbol that it is assigned to, else declare one."""
    name_node = node.child_by_field_name("name")
    if name_node is not None:
        walk.taken.add(name_node.start_byte)
    ordinal = walk.values.get(node.start_byte, -1)
    if ordinal < 0:
        name = walk.read(name_node) or "class"
        walk.declare(node, name, SymbolKind.CLASS, Prefix(node.start_byte))
        ordinal = len(walk.entries) - 1
        last = walk.find_line(node.end_byte - 1)  # by its name it is seen in itself alone
        walk.refer(ReferenceRole.BIND, name, node.start_byte, "", BLOCK, last, ordinal)
    elif name_node is not None and walk.read(name_node) != walk.entries[ordinal].name:
        walk.open_scope(node.end_byte)  # its own name hides others in itself
        walk.bind(walk.read(name_node))
    walk.open_scope(node.end_byte, is_local=False, ordinal=ordinal)
    walk.bind_this(is_known=True)


def on_method(walk: ScriptWalk, node: Node) -> None:
    """Declare a method, an accessor, a constructor or a signature of one."""
    if node.start_byte < walk.bases_end:  # of a type that a base is given
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
    entry.flags |= flags | _read_optional(walk, name_node)
    entry.access = access
    if node.type == "method_signature" and walk.entry.kind is SymbolKind.CLASS:
        entry.flags |= SymbolFlag.FORWARD  # an overload
    walk.read_signature(entry, node)
    walk.open_last(node.end_byte, is_local=True, hoists=True)
    walk.bind_this(is_known=True)
    if node.start_byte in walk.contexts:
        _bind_parameters(walk, node)
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
            access = _ACCESS.get(walk.read(child), access)
    return flags, access, words


def _read_optional(walk: ScriptWalk, name: Node | None) -> int:
    """Return the flag of a member that need not be there; 0 for any other."""
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
    entry.flags |= flags | _read_optional(walk, name_node)
    entry.type = read_type_text(walk, type_node)
    ordinal = len(walk.entries) - 1
    if type_node is not None:
        expect(walk, value, entry.type)
    if value is not None and is_function:
        walk.values[value.start_byte] = ordinal
        _read_function_value(walk, ordinal, value)
    elif not walk.bind_annotation(f"this.{name}", type_node, node.start_byte, owner):
        walk.bind_value(f"this.{name}", value, node.start_byte, owner)
    walk.open_scope(node.end_byte, is_local=False, ordinal=ordinal)


def _read_function_value(walk: ScriptWalk, ordinal: int, value: Node) -> None:
    entry = walk.entries[ordinal]
    written = entry.type
    walk.read_signature(entry, value)
    entry.type = entry.type or written
    if walk.text.startswith(b"async", value.start_byte):
        entry.flags |= SymbolFlag.ASYNC


def on_property(walk: ScriptWalk, node: Node) -> None:
    """Declare a property of an interface or a named type; those of unnamed types are ignored."""
    if walk.is_local or walk.entry.kind not in TYPE_HOLDERS or node.start_byte < walk.bases_end:
        return
    name_node, type_node = node.child_by_field_name("name"), node.child_by_field_name("type")
    entry = walk.declare(node, walk.read_name(name_node), SymbolKind.PROPERTY, Prefix(node.start_byte))
    entry.flags |= _read_optional(walk, name_node)
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
    """Pass on the prefix of a declaration after `declare`."""
    above = walk.find_prefix(node)
    inner = node.named_children
    if inner:
        prefix = Prefix(above.start, above.is_exported, above.is_default)
        walk.prefixes[inner[-1].start_byte] = prefix


def on_variables(walk: ScriptWalk, node: Node) -> None:
    """Record how the names of a `const`, `let` or `var` are bound."""
    start = node.start_byte
    is_constant = walk.text.startswith(b"const", start)
    hoists = node.type == "variable_declaration"
    walk.variables.append(Variables(node.end_byte, is_constant, hoists, walk.find_prefix(node)))


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
    if type_node is not None:
        expect(walk, value, walk.read_line(type_node))
    is_function = value is not None and value.type in FUNCTION_VALUES
    is_class = value is not None and value.type == "class"
    if walk.is_local and not is_function and not is_class:
        walk.bind(name, hoist=variables.hoists)
        if not walk.bind_annotation(name, type_node, start):
            walk.bind_value(name, value, start)
    else:
        kind = SymbolKind.CONSTANT if variables.is_constant else SymbolKind.VARIABLE
        kind = SymbolKind.FUNCTION if is_function else SymbolKind.CLASS if is_class else kind
        _declare_variable(walk, node, name, kind, variables)


def _declare_variable(
    walk: ScriptWalk, node: Node, name: str, kind: SymbolKind, variables: Variables
) -> None:
    is_local = walk.is_local
    value = node.child_by_field_name("value")
    entry = walk.declare(node, name, kind, variables.prefix)
    type_node = node.child_by_field_name("type")
    entry.type = read_type_text(walk, type_node)
    ordinal = len(walk.entries) - 1
    if value is not None:
        inner = _unwrap(value)
        walk.values[inner.start_byte] = ordinal
        if kind is SymbolKind.FUNCTION:
            _read_function_value(walk, ordinal, value)
    if kind in {SymbolKind.CONSTANT, SymbolKind.VARIABLE} and not walk.bind_annotation(
        name, type_node, node.start_byte
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
    walk.declare(node, name, kind, Prefix(node.start_byte), owner)
    ordinal = len(walk.entries) - 1
    walk.values[_unwrap(value).start_byte] = ordinal
    if is_function:
        _read_function_value(walk, ordinal, value)
        if value.type == "arrow_function":
            walk.refer(ReferenceRole.BIND, THIS, node.start_byte, "", THIS, SAME, ordinal)
    else:
        walk.bind_value(f"this.{name}", value, node.start_byte, owner)
        walk.open_scope(node.end_byte, is_local=is_local, ordinal=ordinal)


def _open_block(walk: ScriptWalk, node: Node, *, hoists: bool = False, ordinal: int = -1) -> None:
    """Open the scope of a block, or of a function that is the value of entry `ordinal` or of none."""
    walk.open_scope(node.end_byte, hoists=hoists, ordinal=ordinal)
    if ordinal < 0:
        walk.blocks[walk.scope] = node.start_byte, node.end_byte


def on_function_scope(walk: ScriptWalk, node: Node) -> None:
    """Open the scope of a function that is a value."""
    name_node = node.child_by_field_name("name")
    ordinal = walk.values.get(node.start_byte, -1)
    _open_block(walk, node, hoists=True, ordinal=ordinal)
    if node.type != "arrow_function":
        walk.bind_this(is_known=ordinal >= 0 and _is_called_on_owner(walk, walk.entries[ordinal]))
    if name_node is not None:
        walk.taken.add(name_node.start_byte)
        walk.bind(walk.read(name_node))
    if node.start_byte in walk.contexts:
        _bind_parameters(walk, node)
    body = node.child_by_field_name("body")
    is_value = body is not None and body.type != "statement_block"
    if ordinal >= 0:
        walk.functions[walk.scope] = ordinal
    if node.start_byte in walk.contexts:
        walk.expecting[walk.scope] = node.start_byte
    if body is not None and is_value:
        _on_result(walk, body)


def _is_called_on_owner(walk: ScriptWalk, entry: Entry) -> bool:
    """Return False for a function that a variable in a function holds, or the field of a class.

    Whatever calls it says what `this` is."""
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


def _bind_parameters(walk: ScriptWalk, node: Node) -> None:
    """Bind the untyped parameters of a function with a contextual type."""
    single, parameters = node.child_by_field_name("parameter"), node.child_by_field_name("parameters")
    given = [single] if single is not None else [] if parameters is None else parameters.named_children
    names = [one for one in given if one.type != "comment"][:MAX_PARAMETERS]
    for index, one in enumerate(names):
        pattern: Node | None = one
        if one.type in {"required_parameter", "optional_parameter"}:
            is_typed = one.child_by_field_name("type") is not None
            pattern = None if is_typed else one.child_by_field_name("pattern")
        if pattern is None:
            continue
        start = pattern.start_byte
        if pattern.type == "identifier":
            walk.bind(walk.read(pattern))
            bind_expected(walk, node, walk.read(pattern), index, start)
        elif pattern.type == "object_pattern" and bind_expected(
            walk, node, f"{EXPECTED}{start}", index, start
        ):
            bind_pattern(walk, pattern, f"{EXPECTED}{start}")


def on_return(walk: ScriptWalk, node: Node) -> None:
    """Record the returned value of a function without a written result type."""
    value = node.named_child(0) if node.named_child_count else None
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
    if ordinal >= 0 and not walk.entries[ordinal].type:
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
        if left is not None and node.child_by_field_name("kind") is not None:
            _bind_item(walk, left, walk.read_chain(node.child_by_field_name("right")))


def on_bound(walk: ScriptWalk, node: Node) -> None:
    """Declare or bind a name in a pattern, or add its use when it is assigned to."""
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
    """Bind a TypeScript parameter, whose type is accepted; a constructor's may also be a property."""
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
        walk.bind_value(name, value, pattern.start_byte)
    first = node.children[0]
    if first.type in _PARAMETER_PROPERTY and walk.entry.kind is SymbolKind.CONSTRUCTOR:
        owner = walk.entry.parent
        entry = walk.declare(node, name, SymbolKind.PROPERTY, Prefix(node.start_byte), owner)
        entry.access = _ACCESS.get(walk.read(first), Access.PUBLIC)
        entry.flags |= _read_optional(walk, pattern)
        entry.type = read_type_text(walk, type_node)
        walk.bind_annotation(f"this.{name}", type_node, pattern.start_byte, owner)
