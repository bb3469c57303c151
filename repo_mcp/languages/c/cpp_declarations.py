"""The declarations of C++, beyond those of C, and the table of all handlers.

A function that is defined as `Foo::run`, or a class as `Foo::Impl`, belongs to Foo if the file has declared
Foo above, otherwise to an EXTENSION of that name, whose EXTEND row has the qualifier of Foo. That of a nested
class is inside that of the class around it. A member
function without a body is FORWARD, unless it is pure: then it is ABSTRACT.

Left out on purpose: instances of templates, and the choice between overloads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from repo_mcp.languages.c.cpp_fixtures import declare_in_fixture, declare_test
from repo_mcp.languages.c.cpp_locals import (
    bind_made,
    bind_values,
    on_function_parameter,
    on_lambda,
    on_range,
    on_type_parameter,
    on_value_parameter,
)
from repo_mcp.languages.c.cpp_uses import (
    on_call,
    on_field_initializer,
    on_new,
    on_qualified,
    refer_outer,
    strip_arguments,
)
from repo_mcp.languages.c.declarations import (
    bind_variables,
    declare_function,
    declare_type,
    declare_variable,
    find_deprecated_flag,
    find_public_flag,
    is_of_directive,
    is_static,
    name_nested,
    on_attribute,
    on_enum,
    on_enumerator,
    on_loose_block,
    on_typedef,
    reopen,
    spell_type,
)
from repo_mcp.languages.c.declarators import Declarator, count_parameters, iter_declarators, read_declarator
from repo_mcp.languages.c.macro_fields import refer_macro_fields
from repo_mcp.languages.c.members import (
    on_compound_literal,
    on_initializer,
    on_initializer_pair,
    on_member,
    on_offset,
)
from repo_mcp.languages.c.preprocessor import BUILTINS, on_include, on_loop, on_macro, on_tested
from repo_mcp.languages.treesitter.capture_scopes import OpenScope
from repo_mcp.languages.treesitter.capture_walk import (
    CaptureWalk,
    Dialect,
    on_block,
    on_bound,
    on_comment,
    on_inherit,
    on_type,
    on_types,
    refer_bare_call,
    split_path,
)
from repo_mcp.languages.treesitter.recorded_rows import FLAT_KINDS, RowRules
from repo_mcp.symbols.record_builder import Head
from repo_mcp.symbols.symbol_record import TYPE_KINDS, Access, ReferenceRole, SymbolFlag, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MAX_PARTS = 12  # of a qualified name: each class in it has a symbol of its own
_ACCESSES = {"public": Access.PUBLIC, "protected": Access.PROTECTED, "private": Access.PRIVATE}
# The head of a body by a macro with a class and a name as arguments; the parser saw a semicolon before it.
_HEAD_NAME = re.compile(r"[A-Z][A-Z0-9_]{3,}")


# Scopes


def _on_namespace(walk: CaptureWalk, node: Node) -> None:
    name_node = node.child_by_field_name("name")
    if name_node is None:
        scope = walk.scope
        inside = OpenScope(
            node.end_byte, scope.ordinal, scope.kind, scope.name, Access.PRIVATE, is_open=False
        )
        inside.flags = int(SymbolFlag.STATIC)  # no other file sees it
        walk.open(inside)
        return
    walk.take_words(name_node)
    for name in walk.read(name_node).replace("inline ", "").split("::"):
        walk.declare(node, name.strip(), SymbolKind.MODULE)


def _on_namespace_alias(walk: CaptureWalk, node: Node) -> None:
    walk.take_words(node)
    names = [walk.read(one) for one in node.named_children]
    if len(names) == 2:
        walk.refer(ReferenceRole.IMPORT, "", node, names[1].replace("::", "."), names[0])


def _on_using(walk: CaptureWalk, node: Node) -> None:
    walk.take_words(node)
    path = walk.read_chain(next(iter(node.named_children), None))
    if path == "?":
        return
    if b"namespace" in walk.text[node.start_byte : node.start_byte + 20]:
        walk.refer(ReferenceRole.IMPORT, "*", node, path)
    else:
        name, qualifier = split_path(path)
        walk.refer(ReferenceRole.IMPORT, name, node, qualifier, name)


def _on_template(walk: CaptureWalk, node: Node) -> None:
    if node.named_child_count:
        walk.note_wrapping(node, node.named_children[-1])


def _on_class(walk: CaptureWalk, node: Node) -> None:
    _declare_class(walk, node, SymbolKind.CLASS, Access.PRIVATE)


def _on_struct(walk: CaptureWalk, node: Node) -> None:
    _declare_class(walk, node, SymbolKind.STRUCT, Access.PUBLIC)


def _on_union(walk: CaptureWalk, node: Node) -> None:
    _declare_class(walk, node, SymbolKind.UNION, Access.PUBLIC)


def _declare_class(walk: CaptureWalk, node: Node, kind: SymbolKind, members: Access) -> None:
    before = len(walk.scopes)
    name_node = node.child_by_field_name("name")
    path = _read_path(walk, name_node) if name_node is not None else []
    special = name_node is not None and walk.text[node.start_byte : name_node.end_byte].endswith(b">")
    if name_node is not None and len(path) > 1 and path[-2][:1].isupper() and not special:  # no namespace
        _find_holder(walk, node, name_node, path)
    declare_type(walk, node, kind)
    if len(walk.scopes) > before:
        walk.scope.access = members


def _on_access(walk: CaptureWalk, node: Node) -> None:
    word = node.children[0].type  # read from the parsed text, in which `signals:` is `public:`
    walk.scope.access = _ACCESSES.get(word, Access.NONE)


def _on_alias(walk: CaptureWalk, node: Node) -> None:
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return
    walk.taken.add(name_node.start_byte)
    flags = find_public_flag(walk, walk.scope.access)
    result = walk.read_line(node.child_by_field_name("type"))
    name, kind = walk.read(name_node), SymbolKind.TYPE
    ordinal = walk.declare(node, name, kind, Head(flags=flags, access=walk.scope.access, return_type=result))
    walk.types_by_name.setdefault(name, ordinal)


def _on_concept(walk: CaptureWalk, node: Node) -> None:
    name_node = node.child_by_field_name("name")
    if name_node is not None:
        walk.taken.add(name_node.start_byte)
        walk.declare(
            node, walk.read(name_node), SymbolKind.TYPE, Head(flags=find_public_flag(walk, Access.NONE))
        )


# Functions


def _on_function(walk: CaptureWalk, node: Node) -> None:
    declarator = node.child_by_field_name("declarator")
    found = read_declarator(declarator) if declarator is not None else None
    if found is None or is_of_directive(walk, found):
        walk.open(OpenScope(node.end_byte, walk.scope.ordinal, SymbolKind.FUNCTION, ""))
    elif found.name.type == "qualified_identifier":
        _declare_outside(walk, node, found)
    elif not _is_macro_head(walk, node, found):
        _declare_callable(walk, node, found, 0)


def _is_macro_head(walk: CaptureWalk, node: Node, found: Declarator) -> bool:
    """Return whether a function without a result, outside classes, is a macro before a body; add its call."""
    body, name = node.child_by_field_name("body"), walk.read(found.name)
    if found.function is None or body is None or node.child_by_field_name("type") is not None:
        return False
    if walk.scope.kind not in FLAT_KINDS or _HEAD_NAME.fullmatch(name) is None:
        return False
    parameters = found.function.child_by_field_name("parameters")
    if parameters is not None:
        walk.take_words(parameters)
    refer_bare_call(walk, found.name, parameters)
    _on_loose_block(walk, body)
    return True


def _declare_callable(walk: CaptureWalk, node: Node, found: Declarator, flags: int) -> None:
    """Declare a function inside its class or namespace."""
    scope = walk.scope
    if scope.kind not in TYPE_KINDS or node.end_byte <= walk.friend_end:
        declare_function(walk, node, found, flags)
        return
    if found.function is not None and found.value is None and _is_pure(walk, node):
        flags = flags & ~SymbolFlag.FORWARD | SymbolFlag.ABSTRACT
    _declare_method(walk, node, found, flags, scope)


def _is_pure(walk: CaptureWalk, node: Node) -> bool:
    value = node.child_by_field_name("default_value")
    return value is not None and walk.read(value) == "0"


def _declare_outside(walk: CaptureWalk, node: Node, found: Declarator) -> None:
    """Declare a function that is defined outside its class or namespace."""
    path = _read_path(walk, found.name)
    walk.take_words(found.name)
    refer_outer(walk, found.name, path[:-2])  # the definition of a member is no use of its class
    owner = path[-2] if len(path) > 1 else ""
    parent = _find_holder(walk, node, found.name, path) if owner else 0
    holder = OpenScope(node.end_byte, parent, SymbolKind.EXTENSION, owner)
    _declare_method(walk, node, found, 0, holder, " ".join(path[-1:]))


def _read_path(walk: CaptureWalk, name: Node) -> list[str]:
    """Return the last parts of a name between `::`, without template arguments."""
    parts = [*filter(None, (part.strip() for part in strip_arguments(walk.read(name)).split("::")))]
    return parts[-MAX_PARTS:]


def _find_holder(walk: CaptureWalk, node: Node, name: Node, path: Sequence[str]) -> int:
    """Return the class to which a member that is defined outside it belongs, or an extension in its place."""
    *around, owner = path[:-1]
    is_nested = bool(around) and _is_class(walk, around[-1], owner)
    outer = _find_holder(walk, node, name, path[:-1]) if is_nested else None
    key = owner if outer is None else name_nested(outer, owner)
    parent = walk.types_by_name.get(key)
    if parent is None:
        parent = walk.declare(node, owner, SymbolKind.EXTENSION, parent=outer, opens=False)
        walk.types_by_name[key] = parent
        walk.types_by_name.setdefault(owner, parent)
        walk.scopes.append(OpenScope(node.end_byte, parent, SymbolKind.EXTENSION, owner))
        walk.refer(ReferenceRole.EXTEND, owner, name, ".".join(around))
        walk.scopes.pop()
    return parent


def _is_class(walk: CaptureWalk, name: str, inner: str) -> bool:
    """Return whether a name before another is that of a class: namespaces have no initial capital."""
    declared = walk.types_by_name.get(inner)
    is_in_namespace = declared is not None and walk.kinds[walk.parents[declared]] is SymbolKind.MODULE
    return name in walk.types_by_name or (name[:1].isupper() and not is_in_namespace)


def _on_loose_block(walk: CaptureWalk, node: Node) -> None:
    """Declare the member or test that a macro before a body defines: `TEST_F(Fixture, name) {`."""
    is_flat = walk.scope.kind in FLAT_KINDS
    if not is_flat or not (declare_in_fixture(walk, node) or declare_test(walk, node)):
        on_loose_block(walk, node)


def _declare_method(
    walk: CaptureWalk, node: Node, found: Declarator, flags: int, holder: OpenScope, name: str = ""
) -> None:
    """Declare a function of the class or extension `holder`, named as its declarator or `name`."""
    walk.take_words(found.name)
    name = name or _read_name(walk, found.name)
    parameters = found.function.child_by_field_name("parameters") if found.function is not None else None
    count, variadic = count_parameters(parameters)
    body = node.child_by_field_name("body")
    head_end = body.start_byte if body is not None else node.end_byte
    tail = walk.text[found.name.end_byte : head_end].rpartition(b")")[2].split()
    flags |= SymbolFlag.OVERRIDE if b"override" in tail or b"override;" in tail else 0
    flags |= SymbolFlag.STATIC if is_static(walk, node, found.name.start_byte) else 0
    flags |= (
        (SymbolFlag.VARIADIC if variadic else 0)
        | find_deprecated_flag(walk, node)
        | find_public_flag(walk, holder.access)
    )
    walk.declare(
        node,
        name,
        SymbolKind.CONSTRUCTOR if name == holder.name else SymbolKind.METHOD,
        Head(
            flags=flags,
            access=holder.access,
            parameters=walk.read_line(parameters),
            parameter_count=count,
            return_type=spell_type(walk, node.child_by_field_name("type"), found),
        ),
        parent=holder.ordinal,
    )


def _read_name(walk: CaptureWalk, node: Node) -> str:
    """Return the name of a function: "operator==" of an operator, "operator bool" of a conversion."""
    if node.type == "operator_cast":
        return "operator " + walk.read_line(node.child_by_field_name("type"))
    return "".join(walk.read_line(node).split()) if node.type == "operator_name" else walk.read(node)


def _on_declaration(walk: CaptureWalk, node: Node) -> None:
    type_node = node.child_by_field_name("type")
    if walk.is_local:
        bind_variables(walk, node, type_node)
        bind_values(walk, node, type_node)
        bind_made(walk, node, type_node)
        return
    has_body = type_node is not None and type_node.child_by_field_name("body") is not None
    depth = len(walk.scopes)
    for found in iter_declarators(node):
        if found.name.type == "qualified_identifier" or _is_deduction_guide(type_node, found):
            walk.take_words(found.name)  # the definition of a static member, or an instance of a template
        elif found.function is not None or found.name.type == "operator_cast":
            _declare_callable(walk, node, found, SymbolFlag.FORWARD)
        else:
            declare_variable(walk, node, type_node, found, opens=not has_body)
        del walk.scopes[depth:]
    reopen(walk, node, has_body)


def _is_deduction_guide(type_node: Node | None, found: Declarator) -> bool:
    """Return whether a declaration says which instance of a class template arguments make.

    As in `Box(T) -> Box<T>;`, which declares nothing.
    """
    parts = () if found.function is None or type_node is not None else found.function.named_children
    return any(one.type == "trailing_return_type" for one in parts)


def _on_field(walk: CaptureWalk, node: Node) -> None:
    type_node = node.child_by_field_name("type")
    has_body = type_node is not None and type_node.child_by_field_name("body") is not None
    depth = len(walk.scopes)
    if not node.children_by_field_name("declarator") and refer_macro_fields(walk, node, type_node):
        return
    for found in iter_declarators(node):
        if found.function is not None:
            _declare_callable(walk, node, found, SymbolFlag.FORWARD)
        else:
            _declare_property(walk, node, type_node, found, opens=not has_body)
        del walk.scopes[depth:]
    reopen(walk, node, has_body)


def _declare_property(
    walk: CaptureWalk, node: Node, type_node: Node | None, found: Declarator, *, opens: bool
) -> None:
    walk.taken.add(found.name.start_byte)
    access = walk.scope.access
    flags = find_public_flag(walk, access)
    flags |= SymbolFlag.STATIC if is_static(walk, node, found.name.start_byte) else 0
    result, kind = spell_type(walk, type_node, found), SymbolKind.PROPERTY
    walk.declare(
        node, walk.read(found.name), kind, Head(flags=flags, access=access, return_type=result), opens=opens
    )


def _on_friend(walk: CaptureWalk, node: Node) -> None:
    walk.friend_end = max(walk.friend_end, node.end_byte)


CPP = Dialect(
    "cpp",
    {
        "comment": on_comment,
        "tested": on_tested,
        "attribute": on_attribute,
        "include": on_include,
        "macro": on_macro,
        "template": _on_template,
        "namespace": _on_namespace,
        "namespace_alias": _on_namespace_alias,
        "using": _on_using,
        "alias": _on_alias,
        "concept": _on_concept,
        "access": _on_access,
        "friend": _on_friend,
        "typedef": on_typedef,
        "function": _on_function,
        "declaration": _on_declaration,
        "field": _on_field,
        "class": _on_class,
        "struct": _on_struct,
        "union": _on_union,
        "enum": on_enum,
        "enumerator": on_enumerator,
        "loose_block": _on_loose_block,
        "block": on_block,
        "lambda": on_lambda,
        "type_parameter": on_type_parameter,
        "value_parameter": on_value_parameter,
        "parameter": on_function_parameter,
        "range": on_range,
        "bound": on_bound,
        "bases": on_inherit,
        "types": on_types,
        "loop": on_loop,
        "call": on_call,
        "new": on_new,
        "field_initializer": on_field_initializer,
        "member": on_member,
        "compound_literal": on_compound_literal,
        "initializer": on_initializer,
        "initializer_pair": on_initializer_pair,
        "offset": on_offset,
        "qualified": on_qualified,
        "type": on_type,
    },
    BUILTINS,
    RowRules(
        keeps_types=True, walls=frozenset({SymbolKind.METHOD, SymbolKind.CONSTRUCTOR}), is_preprocessed=True
    ),
)
