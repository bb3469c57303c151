"""The handlers of captures in C++, beyond those of C.

A function defined as `Foo::run` belongs to Foo if the file has declared Foo above, otherwise to an EXTENSION
of that name, whose EXTEND row has the qualifier of Foo. A member function without a body is FORWARD, unless
it is pure: then it is ABSTRACT. `Base(1)` among a constructor's initialisers is a call.

Left out on purpose: instances of templates, and the choice of overloads.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.native.c import (
    BUILTINS,
    bind_variables,
    declare_by_macro,
    declare_function,
    declare_type,
    declare_variable,
    find_deprecated_flag,
    find_public_flag,
    has_word,
    is_of_directive,
    on_attribute,
    on_enum,
    on_enumerator,
    on_include,
    on_loop,
    on_loose_block,
    on_macro,
    on_parameter,
    on_tested,
    on_typedef,
    reopen,
    spell_type,
    take_names,
)
from repo_mcp.languages.native.c_declarators import Declarator, count_parameters, read_declarator
from repo_mcp.languages.native.c_given import read_given
from repo_mcp.languages.native.c_macro_fields import refer_macro_fields
from repo_mcp.languages.native.c_members import (
    on_compound_literal,
    on_initializer,
    on_initializer_pair,
    on_member,
    on_offset,
)
from repo_mcp.languages.native.cpp_fixtures import declare_in_fixture
from repo_mcp.languages.native.cpp_given import mark_given
from repo_mcp.languages.treesitter.capture_scopes import OpenScope
from repo_mcp.languages.treesitter.capture_walk import (
    CaptureWalk,
    Dialect,
    count_arguments,
    on_block,
    on_bound,
    on_comment,
    on_inherit,
    on_type,
    on_types,
    read_called,
    split_path,
)
from repo_mcp.symbols.model import PATH
from repo_mcp.symbols.symbol_record import TYPE_KINDS, Access, ReferenceRole, SymbolFlag, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

_ACCESSES = {"public": Access.PUBLIC, "protected": Access.PROTECTED, "private": Access.PRIVATE}
# The head of a body by a macro with a class and a name as arguments; the parser saw a semicolon before it.
_HEAD_NAME = re.compile(r"[A-Z][A-Z0-9_]{3,}")
_FLAT_SCOPES = frozenset({SymbolKind.FILE, SymbolKind.MODULE})


# -- scopes ------------------------------------------------------------------------------------------------


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
    declare_type(walk, node, kind)
    if len(walk.scopes) > before:
        walk.scope.access = members


def _on_access(walk: CaptureWalk, node: Node) -> None:
    walk.scope.access = _ACCESSES.get(walk.read(node), Access.NONE)


def _on_alias(walk: CaptureWalk, node: Node) -> None:
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return
    walk.taken.add(name_node.start_byte)
    flags = find_public_flag(walk, walk.scope.access)
    result = walk.read_line(node.child_by_field_name("type"))
    name, kind = walk.read(name_node), SymbolKind.TYPE
    ordinal = walk.declare(node, name, kind, flags=flags, access=walk.scope.access, result=result)
    walk.types_by_name.setdefault(name, ordinal)


def _on_concept(walk: CaptureWalk, node: Node) -> None:
    name_node = node.child_by_field_name("name")
    if name_node is not None:
        walk.taken.add(name_node.start_byte)
        walk.declare(node, walk.read(name_node), SymbolKind.TYPE, flags=find_public_flag(walk, Access.NONE))


# -- functions ---------------------------------------------------------------------------------------------


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
    if walk.scope.kind not in _FLAT_SCOPES or _HEAD_NAME.fullmatch(name) is None:
        return False
    parameters = found.function.child_by_field_name("parameters")
    if parameters is not None:
        walk.take_words(parameters)
    read_called(walk, found.name, None, parameters)
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
    _declare_method(walk, node, found, flags, scope.ordinal, scope.name, scope.access)


def _is_pure(walk: CaptureWalk, node: Node) -> bool:
    value = node.child_by_field_name("default_value")
    return value is not None and walk.read(value) == "0"


def _declare_outside(walk: CaptureWalk, node: Node, found: Declarator) -> None:
    """Declare a function that is defined outside its class or namespace."""
    path = [*filter(None, (part.strip() for part in _strip_arguments(walk.read(found.name)).split("::")))]
    walk.take_words(found.name)
    _refer_outer(walk, found.name, path[:-2])  # the definition of a member is not a use of its class
    owner = path[-2] if len(path) > 1 else ""
    parent = walk.types_by_name.get(owner)
    if parent is None and owner:
        parent = walk.declare(node, owner, SymbolKind.EXTENSION, opens=False)
        walk.types_by_name[owner] = parent
        walk.scopes.append(OpenScope(node.end_byte, parent, SymbolKind.EXTENSION, owner))
        walk.refer(ReferenceRole.EXTEND, owner, found.name, ".".join(path[:-2]))
        walk.scopes.pop()
    access = Access.NONE
    _declare_method(walk, node, found, 0, parent or 0, owner, access, " ".join(path[-1:]))


def _on_loose_block(walk: CaptureWalk, node: Node) -> None:
    """Declare the member of a class that a macro at the head of a body defines: `TEST_F(Fixture, name) {`."""
    if walk.scope.kind not in _FLAT_SCOPES or not declare_in_fixture(walk, node):
        on_loose_block(walk, node)


def _strip_arguments(text: str) -> str:
    """Return a text without its parts in angle brackets; `operator<` keeps its own."""
    head, word, operator = text.rpartition("operator")
    if not word:
        head, operator = text, ""
    while "<" in head and ">" in head:
        start = head.rindex("<")
        end = head.find(">", start)
        if end < 0:
            break
        head = head[:start] + head[end + 1 :]
    return head + word + operator


def _declare_method(
    walk: CaptureWalk,
    node: Node,
    found: Declarator,
    flags: int,
    parent: int,
    owner: str,
    access: Access,
    name: str = "",
) -> None:
    walk.take_words(found.name)
    name = name or _read_name(walk, found.name)
    parameters = found.function.child_by_field_name("parameters") if found.function is not None else None
    count, variadic = count_parameters(parameters)
    body = node.child_by_field_name("body")
    head_end = body.start_byte if body is not None else node.end_byte
    tail = walk.text[found.name.end_byte : head_end].rpartition(b")")[2].split()
    flags |= SymbolFlag.OVERRIDE if b"override" in tail or b"override;" in tail else 0
    flags |= SymbolFlag.STATIC if has_word(walk, node, found.name.start_byte, b"static") else 0
    flags |= (
        (SymbolFlag.VARIADIC if variadic else 0)
        | find_deprecated_flag(walk, node)
        | find_public_flag(walk, access)
    )
    walk.declare(
        node,
        name,
        SymbolKind.CONSTRUCTOR if name == owner else SymbolKind.METHOD,
        flags=flags,
        access=access,
        parameters=walk.read_line(parameters),
        count=count,
        result=spell_type(walk, node.child_by_field_name("type"), found),
        parent=parent,
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
        _bind_values(walk, node, type_node)
        _bind_made(walk, node, type_node)
        return
    has_body = type_node is not None and type_node.child_by_field_name("body") is not None
    depth = len(walk.scopes)
    for declarator in node.children_by_field_name("declarator"):
        found = read_declarator(declarator)
        if found is None:
            continue
        if found.name.type == "qualified_identifier":
            walk.take_words(found.name)  # a static member's definition, or an instance of a template
        elif found.function is not None or found.name.type == "operator_cast":
            _declare_callable(walk, node, found, SymbolFlag.FORWARD)
        else:
            declare_variable(walk, node, type_node, found, opens=not has_body)
        del walk.scopes[depth:]
    reopen(walk, node, has_body)


def _on_field(walk: CaptureWalk, node: Node) -> None:
    type_node = node.child_by_field_name("type")
    has_body = type_node is not None and type_node.child_by_field_name("body") is not None
    depth = len(walk.scopes)
    declarators = node.children_by_field_name("declarator")
    if not declarators and refer_macro_fields(walk, node, type_node):
        return
    for declarator in declarators:
        found = read_declarator(declarator)
        if found is None:
            continue
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
    flags |= SymbolFlag.STATIC if has_word(walk, node, found.name.start_byte, b"static") else 0
    result, kind = spell_type(walk, type_node, found), SymbolKind.PROPERTY
    walk.declare(node, walk.read(found.name), kind, flags=flags, access=access, result=result, opens=opens)


def _on_friend(walk: CaptureWalk, node: Node) -> None:
    walk.friend_end = max(walk.friend_end, node.end_byte)


# -- local names -------------------------------------------------------------------------------------------


def _bind_made(walk: CaptureWalk, node: Node, type_node: Node | None) -> None:
    """Bind the variable of `Lock lock(mutex);`, which looks like a function, though a body rarely has one."""
    for declarator in node.children_by_field_name("declarator"):
        found = read_declarator(declarator)
        if found is None or found.function is None or found.value is not None:
            continue
        parameters = found.function.child_by_field_name("parameters")
        given = parameters.named_children if parameters is not None else []
        types = [one.child_by_field_name("type") for one in given]
        if not types or any(one.child_by_field_name("declarator") is not None for one in given):
            continue
        if any(one is None or one.type != "type_identifier" for one in types):
            continue
        walk.bind_type(walk.bind_name(found.name), walk.read_line(type_node), found.name)
        for one in types:
            assert one is not None
            walk.taken.add(one.start_byte)
            walk.refer(ReferenceRole.USE, walk.read(one), one)


def _bind_values(walk: CaptureWalk, node: Node, type_node: Node | None) -> None:
    """Record the type of `auto x`: the result of a call, or the type that `new` or a cast names."""
    if type_node is None or type_node.type != "placeholder_type_specifier":
        return
    for declarator in node.children_by_field_name("declarator"):
        found = read_declarator(declarator)
        if found is None or found.value is None:
            continue
        name, value = walk.read(found.name), found.value
        if value.type == "new_expression":
            walk.bind_type(name, walk.read_line(value.child_by_field_name("type")), found.name)
        elif value.type == "call_expression":
            _bind_call(walk, name, value, found.name)


def _bind_call(walk: CaptureWalk, name: str, value: Node, node: Node) -> None:
    function = value.child_by_field_name("function")
    text = walk.read_line(function)
    head, _, inside = text.partition("<")
    if inside and head.endswith(("_cast", "make_unique", "make_shared")):
        walk.bind_type(name, inside.rpartition(">")[0], node)
        return
    chain = walk.read_chain(function)
    if chain != "?":
        called, qualifier = split_path(chain)
        walk.bind_call(name, called, qualifier, node)


def _on_value_parameter(walk: CaptureWalk, node: Node) -> None:
    declarator = node.child_by_field_name("declarator")
    found = read_declarator(declarator) if declarator is not None else None
    if found is not None:
        walk.taken.add(found.name.start_byte)
        walk.expect_local(walk.read(found.name))
    walk.taken.add(-1 - node.start_byte)  # so that it does not count as a function parameter as well


def _on_type_parameter(walk: CaptureWalk, node: Node) -> None:
    walk.taken.add(node.start_byte)
    walk.expect_local(walk.read(node), is_type=True)


def _on_parameter(walk: CaptureWalk, node: Node) -> None:
    if -1 - node.start_byte not in walk.taken:
        on_parameter(walk, node)


def _on_lambda(walk: CaptureWalk, node: Node) -> None:
    """Open the block of a lambda; only its body sees the names that it captures."""
    on_block(walk, node)
    captures, body = node.child_by_field_name("captures"), node.child_by_field_name("body")
    if captures is not None and body is not None:
        walk.shadowing.delay(captures.start_byte, captures.end_byte, body.start_byte)


def _on_range(walk: CaptureWalk, node: Node) -> None:
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


# -- uses --------------------------------------------------------------------------------------------------


def _on_call(walk: CaptureWalk, node: Node) -> None:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None:
        return
    before: Node | None = None
    if function.type == "field_expression":
        before = function.child_by_field_name("argument")
        function = function.child_by_field_name("field") or function
    for _ in range(4):
        if function.type not in {"template_function", "template_method", "dependent_name"}:
            break
        function = function.child_by_field_name("name") or next(iter(function.named_children), function)
    if function.type in {"identifier", "field_identifier", "type_identifier"}:
        if before is None and walk.scope.kind in _FLAT_SCOPES and arguments is not None:
            declare_by_macro(walk, node, walk.read(function), arguments)
            take_names(walk, node, arguments)
        macro = walk.names_to_come.pop(function.start_byte, "") if before is None else ""
        read_called(walk, function, before, arguments, macro + mark_given(walk, arguments))
        if before is None:
            read_given(walk, walk.read(function), arguments)
    elif function.type == "qualified_identifier":
        count, marks = count_arguments(walk, arguments), mark_given(walk, arguments)
        _refer_qualified(walk, function, ReferenceRole.CALL, count, marks)
        read_given(walk, walk.read(function).rpartition("::")[2], arguments)


def _refer_qualified(
    walk: CaptureWalk, node: Node, role: ReferenceRole, arguments: int = 0, marks: str = ""
) -> None:
    """Add a row for `a::b::c` and mark its names as accounted for."""
    path = _strip_arguments(walk.read(node)[:300])
    start = node.start_byte
    head_end = walk.text.find(b"<", start, node.end_byte)
    walk.taken.update(walk.iter_words(start, node.end_byte if head_end < 0 else head_end))
    last = walk.text.rfind(b">::", start, node.end_byte)
    if last > start:
        head_end = walk.text.find(b"<", last, node.end_byte)
        walk.taken.update(walk.iter_words(last, node.end_byte if head_end < 0 else head_end))
    parts = [*filter(None, (part.strip() for part in path.split("::")))]
    if parts and parts[-1].replace("_", "a").isalnum():
        walk.taken.add(-1 - start)
        alias = (PATH if len(parts) == 1 else "") + marks
        if role is ReferenceRole.TYPE:
            walk.refer_type(node, parts[-1], ".".join(parts[:-1]), alias)
        else:
            walk.refer(role, parts[-1], node, ".".join(parts[:-1]), alias, arguments)
        _refer_outer(walk, node, parts[:-1], is_value=role is ReferenceRole.USE)


def _refer_outer(walk: CaptureWalk, node: Node, parts: list[str], *, is_value: bool = False) -> None:
    """Add a use of each class before `::`.

    Only names with an initial capital count, because namespaces have none. The last name before a value
    also counts, since it is usually that of an enum.
    """
    for position, name in enumerate(parts):
        is_last = is_value and position == len(parts) - 1 and name != "std"
        if name[:1].isupper() or is_last:
            walk.refer(ReferenceRole.TYPE, name, node, ".".join(parts[:position]))


def _on_qualified(walk: CaptureWalk, node: Node) -> None:
    start = node.start_byte
    if start in walk.taken or -1 - start in walk.taken:
        return
    last = node.child_by_field_name("name")
    for _ in range(20):
        if last is None or last.type != "qualified_identifier":
            break
        last = last.child_by_field_name("name")
    is_type = last is not None and last.type in {"type_identifier", "template_type"}
    _refer_qualified(walk, node, ReferenceRole.TYPE if is_type else ReferenceRole.USE)


def _on_new(walk: CaptureWalk, node: Node) -> None:
    made = node.child_by_field_name("type")
    arguments = node.child_by_field_name("arguments")
    if made is None:
        return
    if made.type == "template_type":
        made = made.child_by_field_name("name") or made
    if made.type == "type_identifier":
        read_called(walk, made, None, arguments)
    elif made.type == "qualified_identifier":
        _refer_qualified(walk, made, ReferenceRole.CALL, count_arguments(walk, arguments))


def _on_field_initializer(walk: CaptureWalk, node: Node) -> None:
    name = next(iter(node.named_children), None)
    arguments = node.named_children[1] if node.named_child_count > 1 else None
    if name is not None and name.type in {"template_method", "template_type"}:
        name = name.child_by_field_name("name") or name
    if name is not None and name.type in {"field_identifier", "type_identifier", "identifier"}:
        read_called(walk, name, None, arguments)


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
        "lambda": _on_lambda,
        "type_parameter": _on_type_parameter,
        "value_parameter": _on_value_parameter,
        "parameter": _on_parameter,
        "range": _on_range,
        "bound": on_bound,
        "bases": on_inherit,
        "types": on_types,
        "loop": on_loop,
        "call": _on_call,
        "new": _on_new,
        "field_initializer": _on_field_initializer,
        "member": on_member,
        "compound_literal": on_compound_literal,
        "initializer": on_initializer,
        "initializer_pair": on_initializer_pair,
        "offset": on_offset,
        "qualified": _on_qualified,
        "type": on_type,
    },
    BUILTINS,
    walls=frozenset({SymbolKind.METHOD, SymbolKind.CONSTRUCTOR}),
    is_preprocessed=True,
)
