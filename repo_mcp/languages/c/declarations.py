"""The declarations, bound names and calls of C, and the table of all its handlers.

Functions and variables that are `static` stay in their file; prototypes and `extern` variables are FORWARD. A
type named only by a `typedef` gets that name. What macros declare is in `preprocessor.py`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.c.casts import refer_called
from repo_mcp.languages.c.declarators import Declarator, count_parameters, iter_declarators, read_declarator
from repo_mcp.languages.c.macro_arguments import read_macro_arguments
from repo_mcp.languages.c.macro_fields import refer_macro_fields
from repo_mcp.languages.c.members import (
    note_initialised,
    on_compound_literal,
    on_initializer,
    on_initializer_pair,
    on_member,
    on_offset,
)
from repo_mcp.languages.c.preprocessor import (
    BUILTINS,
    declare_by_macro,
    on_include,
    on_loop,
    on_macro,
    on_tested,
    take_names,
)
from repo_mcp.languages.treesitter.capture_scopes import OpenScope
from repo_mcp.languages.treesitter.capture_walk import (
    CaptureWalk,
    Dialect,
    count_arguments,
    on_block,
    on_comment,
    on_type,
)
from repo_mcp.languages.treesitter.recorded_rows import FLAT_KINDS, RowRules
from repo_mcp.symbols.record_builder import Head
from repo_mcp.symbols.symbol_record import Access, ParseStatus, ReferenceRole, SymbolFlag, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MAX_HEAD_BYTES = 300  # bytes of a declaration that are searched for words such as `static`
_OUTER_ARGUMENTS = re.compile(r"<[^<>]*>(?=\s*::)")  # the name of the outer class, in a definition outside it


# Types


def on_struct(walk: CaptureWalk, node: Node) -> None:
    """Declare a `struct` with a body."""
    declare_type(walk, node, SymbolKind.STRUCT)


def on_union(walk: CaptureWalk, node: Node) -> None:
    """Declare a `union` with a body."""
    declare_type(walk, node, SymbolKind.UNION)


def on_enum(walk: CaptureWalk, node: Node) -> None:
    """Declare an `enum` with a body."""
    declare_type(walk, node, SymbolKind.ENUM)
    if any(one.type in {"class", "struct"} for one in node.children[:2]):
        walk.scoped_enums.add(walk.scope.ordinal)


def declare_type(walk: CaptureWalk, node: Node, kind: SymbolKind) -> None:
    """Declare a type with a body; the members of an unnamed one belong to the symbol around it.

    A type defined outside its class, `class Outer<T>::Inner {`, belongs to the class if the file declares it
    above.
    """
    name_node = node.child_by_field_name("name")
    arguments, owner = "", ""  # of a template specialisation
    if name_node is not None and b":" in walk.text[node.start_byte : name_node.start_byte]:
        return  # `enum : Size {`
    if name_node is not None:
        text = _OUTER_ARGUMENTS.sub("", walk.read_line(name_node))
        head, angle, rest = text.partition("<")
        outer, _, last = head.rpartition("::")
        owner, name, arguments = outer.rpartition("::")[2].strip(), last.strip(), angle + rest
        walk.take_words(name_node)
    else:
        name = walk.names_to_come.pop(node.start_byte, "")
    if not name:
        return
    access = Access.NONE if walk.scope.kind in FLAT_KINDS else walk.scope.access
    flags = find_public_flag(walk, access)
    parent = walk.types_by_name.get(owner)
    ordinal = walk.declare(
        node, name, kind, Head(access=access, flags=flags, parameters=arguments), parent=parent
    )
    walk.types_by_name.setdefault(name, ordinal)
    walk.types_by_name.setdefault(name_nested(walk.parents[ordinal], name), ordinal)


def name_nested(outer: int, name: str) -> str:
    """Return the key of a type inside another one, by which those of one name, as `Impl`, are told apart."""
    return f"{outer} {name}"


def find_public_flag(walk: CaptureWalk, access: Access) -> int:
    """Return PUBLIC_API for a declaration that other files can reach, else 0."""
    hidden = access in {Access.PRIVATE, Access.PROTECTED} or walk.is_local or not walk.scope.is_open
    return 0 if hidden else SymbolFlag.PUBLIC_API


def on_enumerator(walk: CaptureWalk, node: Node) -> None:
    """Declare a value of an enum; only the values of an `enum class` have a type, which their names need."""
    walk.taken.add(node.start_byte)
    scope = walk.scope
    flags = find_public_flag(walk, scope.access)
    result = scope.name if scope.ordinal in walk.scoped_enums else ""
    kind = SymbolKind.ENUM_MEMBER
    walk.declare(
        node, walk.read(node), kind, Head(flags=flags, access=scope.access, return_type=result), opens=False
    )


def on_typedef(walk: CaptureWalk, node: Node) -> None:
    """Declare the alias of a `typedef`, or give an unnamed type its only name."""
    type_node = node.child_by_field_name("type")
    is_unnamed = type_node is not None and _is_unnamed(type_node)
    for found in iter_declarators(node):
        if found.name.type == "primitive_type":
            continue
        walk.taken.add(found.name.start_byte)
        name = walk.read(found.name)
        if is_unnamed and type_node is not None and not found.pointers and found.function is None:
            walk.names_to_come[type_node.start_byte] = name
            is_unnamed = False
            continue
        result = spell_type(walk, type_node, found)
        flags = find_public_flag(walk, walk.scope.access)
        ordinal = walk.declare(
            node, name, SymbolKind.TYPE, Head(flags=flags, return_type=result), opens=False
        )
        walk.types_by_name.setdefault(name, ordinal)


def _is_unnamed(node: Node) -> bool:
    return node.child_by_field_name("body") is not None and node.child_by_field_name("name") is None


def spell_type(walk: CaptureWalk, node: Node | None, declarator: Declarator) -> str:
    """Return the written type of a declaration, without a body."""
    if node is None:
        return ""
    body = node.child_by_field_name("body")
    end = body.start_byte if body is not None else node.end_byte
    text = walk.text[node.start_byte : min(end, node.start_byte + 300)].decode("utf-8", "replace")
    stars = declarator.pointers.replace("[]", "")
    said = " ".join(text.split()) + (" " + stars if stars else "")
    return said + "[]" * declarator.pointers.count("[]")


# Functions and variables


def is_static(walk: CaptureWalk, node: Node, stop: int) -> bool:
    """Return whether `static` stands in a declaration before its name."""
    return b"static" in _read_words(walk, node, stop)


def _read_words(walk: CaptureWalk, node: Node, stop: int) -> list[bytes]:
    """Return the first words of a declaration, not all: one may declare thousands of names."""
    start = node.start_byte
    return walk.text[start : min(stop, start + MAX_HEAD_BYTES)].split()


def on_function(walk: CaptureWalk, node: Node) -> None:
    """Declare a function with a body."""
    declarator = node.child_by_field_name("declarator")
    found = read_declarator(declarator) if declarator is not None else None
    if found is None or is_of_directive(walk, found):
        walk.open(OpenScope(node.end_byte, walk.scope.ordinal, SymbolKind.FUNCTION, ""))
        return
    declare_function(walk, node, found, 0)


def is_of_directive(walk: CaptureWalk, found: Declarator) -> bool:
    """Return whether a function without parameters has the name of a macro that `#ifdef` tests.

    The grammar takes `struct a`, `#ifdef B`, `{}`, `#endif`, `;` for such a function.
    """
    start = found.name.start_byte
    line = walk.text[walk.text.rfind(b"\n", 0, start) + 1 : start] if found.function is None else b""
    return line.lstrip().startswith(b"#")


def declare_function(walk: CaptureWalk, node: Node, found: Declarator, flags: int) -> None:
    """Declare a function or its prototype."""
    walk.taken.add(found.name.start_byte)
    is_own = is_static(walk, node, found.name.start_byte)
    parameters = found.function.child_by_field_name("parameters") if found.function is not None else None
    count, variadic = count_parameters(parameters)
    flags |= SymbolFlag.STATIC if is_own else find_public_flag(walk, Access.NONE)
    flags |= (SymbolFlag.VARIADIC if variadic else 0) | find_deprecated_flag(walk, node)
    walk.declare(
        node,
        walk.read(found.name),
        SymbolKind.FUNCTION,
        Head(
            flags=flags,
            parameters=walk.read_line(parameters),
            parameter_count=count,
            return_type=spell_type(walk, node.child_by_field_name("type"), found),
        ),
    )


def find_deprecated_flag(walk: CaptureWalk, node: Node) -> int:
    """Return DEPRECATED for a declaration whose head contains "deprecated", else 0."""
    body = node.child_by_field_name("body")
    end = min(body.start_byte if body is not None else node.end_byte, node.start_byte + 1000)
    return SymbolFlag.DEPRECATED if b"deprecated" in walk.text[node.start_byte : end].lower() else 0


def _on_declaration(walk: CaptureWalk, node: Node) -> None:
    type_node = node.child_by_field_name("type")
    if walk.is_local or is_lost(walk, node):
        bind_variables(walk, node, type_node)
        return
    has_body = type_node is not None and type_node.child_by_field_name("body") is not None
    for found in iter_declarators(node):
        if found.function is not None:
            declare_function(walk, node, found, SymbolFlag.FORWARD)
        else:
            declare_variable(walk, node, type_node, found, opens=not has_body)
        if walk.scope.ordinal:
            walk.scopes.pop()
    reopen(walk, node, has_body)


def reopen(walk: CaptureWalk, node: Node, has_body: bool) -> None:
    """Open the scope of the last declared name again, so that what its value uses belongs to it."""
    last = walk.last_declared
    if not has_body and last is not None and last.end == node.end_byte:
        walk.open(last)


def is_lost(walk: CaptureWalk, node: Node) -> bool:
    """Return whether a declaration is in a function that the grammar did not recognise.

    In a text with errors, that holds for indented declarations outside functions that declare no function: 31
    of 31 in libuv and Redis.
    """
    if walk.builder.status is not ParseStatus.PARTIAL or walk.scope.kind is not SymbolKind.FILE:
        return False
    has_function = any(one.function is not None for one in iter_declarators(node))
    return bool(node.start_point.column) and not has_function


def declare_variable(
    walk: CaptureWalk, node: Node, type_node: Node | None, found: Declarator, *, opens: bool
) -> None:
    """Declare a variable outside functions."""
    walk.taken.add(found.name.start_byte)
    words = _read_words(walk, node, found.name.start_byte)
    is_own = b"static" in words
    is_extern = b"extern" in words or words[0].startswith(b"DECLARE_")  # the latter by `typed_macros.py`
    flags = SymbolFlag.FORWARD if is_extern and found.value is None else 0
    flags |= SymbolFlag.STATIC if is_own else find_public_flag(walk, Access.NONE)
    kind = SymbolKind.CONSTANT if b"constexpr" in words else SymbolKind.VARIABLE
    result = spell_type(walk, type_node, found)
    note_initialised(walk, found.value, result)
    walk.declare(node, walk.read(found.name), kind, Head(flags=flags, return_type=result), opens=opens)


def bind_variables(walk: CaptureWalk, node: Node, type_node: Node | None) -> None:
    """Bind variables inside a function, with their types."""
    for found in iter_declarators(node):
        if found.function is None or found.value is not None or type_node is None:
            name, type_text = walk.bind_name(found.name), spell_type(walk, type_node, found)
            walk.bind_type(name, type_text, found.name)
            note_initialised(walk, found.value, type_text)
        else:
            walk.taken.add(found.name.start_byte)


def on_parameter(walk: CaptureWalk, node: Node) -> None:
    """Bind a parameter, whose type has the role ACCEPT."""
    walk.set_role(node, ReferenceRole.ACCEPT)
    declarator = node.child_by_field_name("declarator")
    found = read_declarator(declarator) if declarator is not None else None
    if found is not None:
        name = walk.bind_name(found.name)
        walk.bind_type(name, spell_type(walk, node.child_by_field_name("type"), found), found.name)


def _on_field(walk: CaptureWalk, node: Node) -> None:
    type_node = node.child_by_field_name("type")
    has_body = type_node is not None and type_node.child_by_field_name("body") is not None
    declarators = node.children_by_field_name("declarator")
    if not declarators and refer_macro_fields(walk, node, type_node):
        return
    for declarator in declarators:
        found = read_declarator(declarator)
        if found is None:
            continue
        walk.taken.add(found.name.start_byte)
        result = spell_type(walk, type_node, found)
        opens = not has_body and declarator is declarators[-1]
        kind = SymbolKind.PROPERTY
        walk.declare(
            node,
            walk.read(found.name),
            kind,
            Head(flags=SymbolFlag.PUBLIC_API, return_type=result),
            opens=opens,
        )


def on_loose_block(walk: CaptureWalk, node: Node) -> None:
    """Open the body of a function whose head is a macro, so that its declarations are local."""
    scope = walk.scope
    if scope.kind not in FLAT_KINDS:
        return
    walk.open(OpenScope(node.end_byte, scope.ordinal, SymbolKind.FUNCTION, ""))


# Calls


def _on_call(walk: CaptureWalk, node: Node) -> None:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None:
        return
    kind = function.type
    if kind == "field_expression":
        field = function.child_by_field_name("field")
        if field is not None:
            refer_called(walk, field, function.child_by_field_name("argument"), arguments)
    elif kind == "identifier":
        if walk.scope.kind in FLAT_KINDS and arguments is not None:
            declare_by_macro(walk, node, walk.read(function), arguments)
            take_names(walk, node, arguments)
        walk.taken.add(function.start_byte)
        name, macro = walk.read(function), walk.names_to_come.pop(function.start_byte, "")
        walk.refer(ReferenceRole.CALL, name, function, "", macro, count_arguments(walk, arguments))
        read_macro_arguments(walk, name, arguments)


def on_attribute(walk: CaptureWalk, node: Node) -> None:
    """Mark the names in an attribute as no uses."""
    walk.take_words(node)


C = Dialect(
    "c",
    {
        "comment": on_comment,
        "tested": on_tested,
        "attribute": on_attribute,
        "include": on_include,
        "macro": on_macro,
        "typedef": on_typedef,
        "function": on_function,
        "declaration": _on_declaration,
        "field": _on_field,
        "struct": on_struct,
        "union": on_union,
        "enum": on_enum,
        "enumerator": on_enumerator,
        "loose_block": on_loose_block,
        "block": on_block,
        "parameter": on_parameter,
        "loop": on_loop,
        "call": _on_call,
        "member": on_member,
        "compound_literal": on_compound_literal,
        "initializer": on_initializer,
        "initializer_pair": on_initializer_pair,
        "offset": on_offset,
        "type": on_type,
    },
    BUILTINS,
    RowRules(is_preprocessed=True),
)
