"""Uses of names in C#: usings, bases, calls, members, types.

In a row that is not a call, the number is that of the type arguments of the name. A call with type arguments,
or a new instance of a generic type, has their number in the alias, as "`2", before the arguments of the call
and after "new". A base has its type arguments, "<A, B>", in the alias. An attribute has two rows, for the two
names that its type may have: `[Flags]` means FlagsAttribute or Flags.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from repo_mcp.languages.csharp.arguments import read_type_arguments, refer_call
from repo_mcp.languages.csharp.chains import split_last
from repo_mcp.languages.csharp.products import is_product
from repo_mcp.languages.csharp.types import (
    ARGUMENT_SHIFT,
    ATTRIBUTE,
    ATTRIBUTE_ENDING,
    BEFORE_DOT,
    IS_ITSELF,
    IS_VALUE,
    NEW,
    PARAMETER_SHIFT,
    PASSED,
    count_arity,
    name_arity,
    read_type,
)
from repo_mcp.languages.csharp.walk import TYPE_DECLARATIONS, CSharpWalk, Passed
from repo_mcp.languages.treesitter.scope_walk import MAX_CHAIN_BYTES, NUMBER, UNKNOWN
from repo_mcp.languages.treesitter.source_text import find_child
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

USE, TYPE = ReferenceRole.USE, ReferenceRole.TYPE
GLOBAL_USING = "global using"  # alias of a row that marks a file with usings for every file
_BEFORE_ARGUMENTS = re.compile(rb"\s+<")
_GENERIC_VALUE = re.compile(rb"<[\w\s,.?<>\[\]]{0,200}>\s*[.,;)\]}]")
# `(A)Read<T>(x)`, which the grammar takes for two comparisons; the language takes it for a call.
_PLAIN_TYPES = rb"[\w\s,.?\[\]]{0,200}+"
_GENERIC_TYPES = _PLAIN_TYPES + rb"(?:<" + _PLAIN_TYPES + rb">" + _PLAIN_TYPES + rb"){0,8}"
_GENERIC_CALL = re.compile(
    rb"<" + _PLAIN_TYPES + rb"(?:<" + _GENERIC_TYPES + rb">" + _PLAIN_TYPES + rb"){0,8}>\("
)
_NAMED = frozenset({"identifier", "generic_name"})
_OF_BASES = frozenset({ReferenceRole.INHERIT, ReferenceRole.IMPLEMENT, ReferenceRole.EXTEND})
_INHERITING = frozenset({SymbolKind.CLASS, SymbolKind.RECORD})


def on_using(walk: CSharpWalk, node: Node) -> None:
    """Add a using; the name is "*" for a namespace or a static type, the number 1 if it is global."""
    words = [one.type for one in node.children if not one.is_named]
    walk.taken.update(range(node.start_byte, node.end_byte))
    alias_node = node.child_by_field_name("name")
    target = node.named_children[-1] if node.named_child_count else None
    everywhere = int("global" in words)
    if everywhere and not walk.has_global_using:
        walk.has_global_using = True
        walk.refer(ReferenceRole.IMPORT, "", node.start_byte, "", GLOBAL_USING)
    found = read_type(walk.read_line(target))
    if not found.name:
        return
    if alias_node is not None and "=" in words:
        alias = walk.read_name(alias_node)
        walk.refer(ReferenceRole.IMPORT, found.name, node.start_byte, found.qualifier, alias, everywhere)
        return
    dotted = f"{found.qualifier}.{found.name}" if found.qualifier else found.name
    walk.refer(ReferenceRole.IMPORT, "*", node.start_byte, dotted, "", everywhere)


def on_bases(walk: CSharpWalk, node: Node) -> None:
    """Record what a type inherits or implements, judged by names; the resolver decides."""
    kind = walk.entry.kind
    for number, child in enumerate(one for one in node.named_children if one.type != "comment"):
        if child.type == "argument_list":
            _refer_base_call(walk, child)
            continue
        named = child
        if child.type == "primary_constructor_base_type":
            named = child.child_by_field_name("type") or child
        role = _guess_role(walk, kind, named, number)
        walk.types.append((named.start_byte, named.end_byte, role))
        if number == 0:
            walk.bases[walk.ordinal] = walk.read_name(named)
        if named is not child:
            arguments = find_child(child, "argument_list")
            if arguments is not None:
                _refer_base_call(walk, arguments)
    walk.types.sort(key=lambda one: (-one[0], one[1]))


def _guess_role(walk: CSharpWalk, kind: SymbolKind, named: Node, number: int) -> ReferenceRole:
    if kind is SymbolKind.INTERFACE:
        return ReferenceRole.EXTEND
    if kind is SymbolKind.ENUM:
        return TYPE
    name = read_type(walk.read_line(named)).name
    is_interface = name[:1] == "I" and name[1:2].isupper()
    if number == 0 and kind in _INHERITING and not is_interface:
        return ReferenceRole.INHERIT
    return ReferenceRole.IMPLEMENT


def _refer_base_call(walk: CSharpWalk, arguments: Node) -> None:
    base = walk.bases.get(walk.ordinal, "")
    _, _, name = base.rpartition(".")
    if name:
        refer_call(walk, name, arguments.start_byte, "base", 0, arguments)


def on_chained(walk: CSharpWalk, node: Node) -> None:
    """Add the constructor call of `: this(...)` or `: base(...)`."""
    ordinal = walk.ordinal
    while ordinal and walk.entries[ordinal].kind not in TYPE_DECLARATIONS:
        ordinal = walk.entries[ordinal].parent
    arguments = find_child(node, "argument_list")
    is_own = any(one.type == "this" for one in node.children)
    name = walk.entries[ordinal].name if is_own else walk.bases.get(ordinal, "").rpartition(".")[2] or "base"
    qualifier = "this" if is_own else "base"
    refer_call(walk, name, node.start_byte, qualifier, 0, arguments)


def on_attribute(walk: CSharpWalk, node: Node) -> None:
    """Note the type of an attribute, and add the members that its arguments name."""
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return
    made = walk.read_chain(name_node).removesuffix(ATTRIBUTE_ENDING) + ATTRIBUTE_ENDING
    arguments = find_child(node, "attribute_argument_list")
    for one in arguments.named_children if arguments is not None else ():
        named = one.child_by_field_name("name")
        if named is not None and any(each.type == "=" for each in one.children):
            walk.taken.add(named.start_byte)
            walk.refer(USE, walk.read_name(named), named.start_byte, made)
    walk.types.append((name_node.start_byte, name_node.end_byte, TYPE))
    last = name_node
    if last.type in {"qualified_name", "alias_qualified_name"}:
        last = last.child_by_field_name("name") or last
    walk.attributes.add(last.start_byte)


def on_call(walk: CSharpWalk, node: Node) -> None:
    """Add a call of a name or of a member."""
    function = node.child_by_field_name("function")
    if function is None:
        return
    name_node, qualifier = _split(walk, function)
    if name_node is None:
        return
    walk.taken.add(name_node.start_byte)
    name = walk.read_name(name_node)
    if name != "nameof":
        is_generic = name_node.type == "generic_name"
        arity = _count_type_arguments(walk, name_node.children[0].end_byte) if is_generic else 0
        arguments = node.child_by_field_name("arguments")
        refer_call(walk, name, name_node.start_byte, qualifier, arity, arguments)


def _split(walk: CSharpWalk, named: Node) -> tuple[Node | None, str]:
    """Return the last name of an expression, and its qualifier."""
    start = named.start_byte
    if named.type in _NAMED:
        return named, ""
    node = named
    if named.type == "conditional_access_expression":
        on_conditional(walk, named)
        node = named.named_children[-1]
        start = node.start_byte
    if node.type not in {"member_access_expression", "member_binding_expression"}:
        return None, ""
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return None, ""
    return name_node, _read_before(walk, start, name_node.start_byte)


def _read_before(walk: CSharpWalk, start: int, end: int) -> str:
    """Return the expression from a byte offset to the dot before a name."""
    text = walk.text
    if end - start > 400:
        return UNKNOWN
    head = text[start:end].rstrip(b" \t\r\n").removesuffix(b".").removesuffix(b"->").rstrip(b" \t\r\n!")
    if not head:
        return walk.conditions.get(start, UNKNOWN)
    return walk.read_span(start, start + len(head))


def on_conditional(walk: CSharpWalk, node: Node) -> None:
    """Record that the members after `?` in `a?.b` are those of `a`."""
    condition = node.child_by_field_name("condition")
    last = node.named_children[-1]
    if condition is None or last.start_byte in walk.conditions:
        return
    walk.conditions[last.start_byte] = walk.read_chain(condition)
    if last.type == "member_binding_expression":
        name_node = last.child_by_field_name("name")
        if name_node is not None and name_node.start_byte not in walk.taken:
            walk.pending[name_node.start_byte] = walk.conditions[last.start_byte]


def on_new(walk: CSharpWalk, node: Node) -> None:
    """Add the call of `new Foo(...)`, and the members that its initialiser names."""
    type_node = node.child_by_field_name("type")
    found = read_type(walk.read_line(type_node))
    # a list of plain values, `List<int>`
    is_list = type_node is not None and type_node.type == "generic_name"
    if type_node is None or not (found.name or is_list):
        return
    name_node = type_node
    if type_node.type == "nullable_type":
        name_node = type_node.child_by_field_name("type") or type_node
    if name_node.type in {"qualified_name", "alias_qualified_name"}:
        name_node = name_node.child_by_field_name("name") or name_node
    written = walk.read_name(name_node)
    walk.types.append((type_node.start_byte, type_node.end_byte, USE))
    walk.taken.add(name_node.start_byte)
    qualifier = _read_qualifier(walk, type_node, name_node)
    arity = found.arity if found.name == written else _count_type_arguments(walk, type_node.end_byte)
    arguments = node.child_by_field_name("arguments")
    initializer = node.child_by_field_name("initializer")
    if arguments is None and initializer is None:  # `(A)(B)new Foo<T>(x)`, which is read as two comparisons
        alias = NEW + name_arity(_count_type_arguments(walk, type_node.end_byte))
        walk.refer(ReferenceRole.CALL, written, name_node.start_byte, qualifier, alias)
        return
    refer_call(walk, written, name_node.start_byte, qualifier, arity, arguments, is_new=True)
    if initializer is not None:
        _refer_initialized(walk, initializer, f"{walk.read_chain(type_node)}()")


def _read_qualifier(walk: CSharpWalk, type_node: Node, name_node: Node) -> str:
    if name_node.start_byte <= type_node.start_byte:
        return ""
    return _read_before(walk, type_node.start_byte, name_node.start_byte).removesuffix(".")


def _refer_initialized(walk: CSharpWalk, initializer: Node | None, owner: str) -> None:
    """Add the members of the new object that `{ A = 1, B = { C = 2 } }` names."""
    for one in initializer.named_children if initializer is not None else ():
        left = one.child_by_field_name("left") if one.type == "assignment_expression" else None
        if left is None or left.type != "identifier":
            continue
        walk.taken.add(left.start_byte)
        name = walk.read_name(left)
        walk.refer(USE, name, left.start_byte, owner)
        right = one.child_by_field_name("right")
        if right is not None and owner != UNKNOWN:
            note_value(walk, right, name, owner, left.start_byte)
            if right.type == "initializer_expression":
                _refer_initialized(walk, right, f"{owner}.{name}")


def note_value(walk: CSharpWalk, value: Node, name: str, qualifier: str, start: int) -> None:
    """Note that a function, or `new()`, is assigned to a member or a variable, whose type it has."""
    if value.type == "lambda_expression":
        walk.passed[value.start_byte] = Passed(name, qualifier, start, IS_VALUE)
    elif value.type == "implicit_object_creation_expression":
        walk.targets[value.start_byte] = f"{qualifier}.{name}".lstrip(".")


def on_assigned(walk: CSharpWalk, node: Node) -> None:
    """Note a function, or `new()`, that is assigned."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or {right.start_byte} & (walk.passed.keys() | walk.targets.keys()):
        return
    chain = walk.read_chain(left)
    if chain != UNKNOWN and not chain.endswith((")", "]", ">")):
        qualifier, name = split_last(chain)
        note_value(walk, right, name, qualifier, left.start_byte)


def on_implicit_new(walk: CSharpWalk, node: Node) -> None:
    """Add the members that `new(...) { A = 1 }` names, which belong to the type that is expected there."""
    start = node.start_byte
    initializer = find_child(node, "initializer_expression")
    passed = walk.passed.get(start)
    owner = walk.targets.get(start, UNKNOWN)
    if passed is not None and initializer is not None:
        owner = f"new{NUMBER}{start}"
        number = PASSED | passed.argument << ARGUMENT_SHIFT | IS_ITSELF << PARAMETER_SHIFT
        walk.refer(ReferenceRole.BIND, passed.name, passed.start, passed.qualifier, owner, number)
        walk.asked.add(owner)
    _refer_initialized(walk, initializer, owner)


def on_with(walk: CSharpWalk, node: Node) -> None:
    """Add the members that `x with { A = 1 }` names."""
    children = node.named_children
    owner = walk.read_chain(children[0]) if children else UNKNOWN
    for child in children[1:]:
        left = child.named_child(0) if child.type == "with_initializer" else None
        if left is not None and left.type == "identifier":
            walk.taken.add(left.start_byte)
            walk.refer(USE, walk.read_name(left), left.start_byte, owner)


def on_anonymous(walk: CSharpWalk, node: Node) -> None:
    """Mark the names of `new { A = 1 }` as no uses: they belong to no declared type."""
    children = node.children
    for one, after in pairwise(children):
        if one.type == "identifier" and after.type == "=":
            walk.taken.add(one.start_byte)


def on_member(walk: CSharpWalk, node: Node) -> None:
    """Add the use of a member."""
    name_node = node.child_by_field_name("name")
    if name_node is None or name_node.start_byte in walk.taken:
        return
    start = name_node.start_byte
    walk.taken.add(start)
    qualifier = _read_before(walk, node.start_byte, start)
    if not _refer_generic_call(walk, name_node, qualifier):
        walk.refer(USE, walk.read_name(name_node), start, qualifier)


def _refer_generic_call(walk: CSharpWalk, name_node: Node, qualifier: str) -> bool:
    """Add a call that the grammar takes for comparisons; return whether a name is that of one."""
    end = name_node.end_byte
    found = _GENERIC_CALL.match(walk.text, end)
    if found is None or name_node.type != "identifier":
        return False
    alias = name_arity(_count_type_arguments(walk, end))
    walk.refer(ReferenceRole.CALL, walk.read_name(name_node), name_node.start_byte, qualifier, alias)
    walk.types.append((end, found.end() - 1, TYPE))
    return True


def on_qualified(walk: CSharpWalk, node: Node) -> None:
    """Add a type by its full name; its qualifier is a use."""
    name_node = node.child_by_field_name("name")
    if name_node is None or name_node.start_byte in walk.taken:
        return
    start = name_node.start_byte
    walk.taken.add(start)
    role = walk.find_role(node.start_byte)
    qualifier = _read_before(walk, node.start_byte, start)
    name = walk.read_name(name_node)
    arity = _count_type_arguments(walk, start + len(name.encode()), role)
    _refer_type(walk, role, name, start, qualifier, arity)
    walk.types.append((node.start_byte, start, USE))


def on_type_arguments(walk: CSharpWalk, node: Node) -> None:
    """Note the types between angle brackets."""
    walk.types.append((node.start_byte, node.end_byte, TYPE))


def on_typed(walk: CSharpWalk, node: Node) -> None:
    """Note the type in an expression or in another type, which keeps its role."""
    if is_product(node):
        return
    type_node = node.child_by_field_name("type")
    if type_node is None and node.named_child_count:
        type_node = node.named_child(0)
    if type_node is not None and walk.find_role(type_node.start_byte) is USE:
        walk.note_type(type_node)


def on_type_span(walk: CSharpWalk, node: Node) -> None:
    """Note a type that is recognised as one only by its position."""
    walk.note_type(node)


def on_identifier(walk: CSharpWalk, node: Node) -> None:
    """Add the use of a name that no other handler has recorded."""
    start = node.start_byte
    if start in walk.taken:
        return
    walk.taken.add(start)
    name = walk.read_name(node)
    qualifier = walk.pending.get(start, "")
    if name != "_":
        role = walk.find_role(start)
        if role is USE and _refer_generic_call(walk, node, qualifier):
            return
        arity = _count_type_arguments(walk, node.end_byte, role)
        if role is USE and not arity and not qualifier and name[:1].isupper():
            arity = BEFORE_DOT * walk.text.startswith(b".", node.end_byte)
        _refer_type(walk, role, name, start, qualifier, arity)


def _refer_type(
    walk: CSharpWalk, role: ReferenceRole, name: str, start: int, qualifier: str, arity: int
) -> None:
    arguments = ""
    if start in walk.attributes:
        arity += ATTRIBUTE
        if not name.endswith(ATTRIBUTE_ENDING):
            walk.refer(role, name + ATTRIBUTE_ENDING, start, qualifier, "", arity)
    elif arity and role in _OF_BASES:
        arguments = read_type_arguments(walk, start + len(name.encode()))
    walk.refer(role, name, start, qualifier, arguments, arity)


def _count_type_arguments(walk: CSharpWalk, end: int, role: ReferenceRole = TYPE) -> int:
    """Return the number of type arguments after a name; after a value, "<" may mean something else."""
    if walk.text[end : end + 1] != b"<":
        found = _BEFORE_ARGUMENTS.match(walk.text, end)
        if found is None:
            return 0
        end = found.end() - 1
    if role is USE and _GENERIC_VALUE.match(walk.text, end) is None:
        return 0
    return count_arity(walk.text[end : end + MAX_CHAIN_BYTES].decode("utf-8", "replace"))
