"""The declarations and bound names of Java, and the table of all its handlers.

The package is a MODULE around the file. Members of interfaces are public by default. An anonymous class is
named after its base, "new Runnable"; an enum constant with a body extends its enum. A lambda with a
contextual type implements it. Annotations are uses of their types.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.java.arguments import type_arguments
from repo_mcp.languages.java.uses import (
    name_anonymous,
    on_annotation,
    on_call,
    on_case_label,
    on_cast,
    on_constructor_call,
    on_field_access,
    on_method_reference,
    on_new,
    on_return,
    on_scoped_type,
    on_superclass,
    on_switch,
    refer_implemented,
)
from repo_mcp.languages.treesitter.capture_scopes import OpenScope
from repo_mcp.languages.treesitter.capture_walk import (
    CaptureWalk,
    Dialect,
    count_arguments,
    on_block,
    on_bound,
    on_extend,
    on_implement,
    on_taken,
    on_type,
    on_types,
    split_path,
)
from repo_mcp.languages.treesitter.recorded_rows import RowRules
from repo_mcp.languages.treesitter.source_text import find_child
from repo_mcp.symbols.model import NEW, PLAIN_TYPES_OF_JAVA, UNKNOWN_TYPE
from repo_mcp.symbols.record_builder import Head
from repo_mcp.symbols.symbol_record import Access, Binding, ReferenceRole, SymbolFlag, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

_BLANK = re.compile(rb"\s*\n")
_NEGATED = re.compile(rb"\(\s*!\s*\(")
_INTERFACES = frozenset({SymbolKind.INTERFACE})
_ACCESSES = {"public": Access.PUBLIC, "protected": Access.PROTECTED, "private": Access.PRIVATE}


# Declarations


def _on_comment(walk: CaptureWalk, node: Node) -> None:
    """Note a comment; between one of Javadoc and its declaration there may be empty lines."""
    blank = _BLANK.match(walk.text, node.end_byte) if walk.text.startswith(b"/**", node.start_byte) else None
    walk.note_comment(node, blank[0].count(b"\n") - 1 if blank is not None else 0)


def _on_package(walk: CaptureWalk, node: Node) -> None:
    name = next((one for one in node.named_children if one.type.endswith("identifier")), None)
    if name is not None:
        walk.take_words(name)
        walk.declare_package(node, walk.read_chain(name))


def _on_import(walk: CaptureWalk, node: Node) -> None:
    path = next((one for one in node.named_children if one.type.endswith("identifier")), None)
    if path is None:
        return
    walk.take_words(path)
    text = walk.read_chain(path)
    if node.named_children[-1].type == "asterisk":
        walk.refer(ReferenceRole.IMPORT, "*", node, text)
    else:
        name, qualifier = split_path(text)
        walk.refer(ReferenceRole.IMPORT, name, node, qualifier, name)
    if b"static" in walk.text[node.start_byte : path.start_byte].split():
        whose = text if node.named_children[-1].type == "asterisk" else split_path(text)[1]
        name, qualifier = split_path(whose)  # the type is used, though no name is bound to it
        walk.refer(ReferenceRole.IMPORT, name, node, qualifier)


def _on_class(walk: CaptureWalk, node: Node) -> None:
    _declare_type(walk, node, SymbolKind.CLASS)


def _on_interface(walk: CaptureWalk, node: Node) -> None:
    _declare_type(walk, node, SymbolKind.INTERFACE, SymbolFlag.ABSTRACT)


def _on_enum(walk: CaptureWalk, node: Node) -> None:
    _declare_type(walk, node, SymbolKind.ENUM)


def _on_record(walk: CaptureWalk, node: Node) -> None:
    _declare_type(walk, node, SymbolKind.RECORD)
    parameters = node.child_by_field_name("parameters")
    for one in parameters.named_children if parameters is not None else ():
        name_node = one.child_by_field_name("name")
        if name_node is not None:
            walk.taken.add(name_node.start_byte)
            result, kind = walk.read_line(one.child_by_field_name("type")), SymbolKind.PROPERTY
            name = walk.read(name_node)
            walk.declare(one, name, kind, Head(access=Access.PRIVATE, return_type=result), opens=False)


def _on_annotation_type(walk: CaptureWalk, node: Node) -> None:
    _declare_type(walk, node, SymbolKind.INTERFACE)


def _declare_type(walk: CaptureWalk, node: Node, kind: SymbolKind, flags: int = 0) -> None:
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return
    walk.taken.add(name_node.start_byte)
    access, said = _read_modifiers(walk, node)
    is_open = bool(said & SymbolFlag.PUBLIC_API)
    walk.declare(node, walk.read(name_node), kind, Head(flags=flags | said, access=access))
    walk.scope.is_open = is_open


def _read_modifiers(walk: CaptureWalk, node: Node) -> tuple[Access, int]:
    """Return access and flags of a declaration, by its modifiers and by its scope."""
    first = next(iter(node.named_children), None)
    words = walk.read(first).split() if first is not None and first.type == "modifiers" else []
    scope = walk.scope
    access = next((_ACCESSES[word] for word in words if word in _ACCESSES), Access.INTERNAL)
    flags = 0
    if scope.kind in _INTERFACES:
        access = Access.PRIVATE if access is Access.PRIVATE else Access.PUBLIC
        has_body = node.child_by_field_name("body") is not None
        flags |= SymbolFlag.ABSTRACT if node.type == "method_declaration" and not has_body else 0
        flags |= SymbolFlag.STATIC if node.type == "constant_declaration" else 0
    flags |= SymbolFlag.STATIC if "static" in words else 0
    flags |= SymbolFlag.ABSTRACT if "abstract" in words else 0
    flags |= SymbolFlag.OVERRIDE if "@Override" in words else 0
    flags |= SymbolFlag.DEPRECATED if any(word.startswith("@Deprecated") for word in words) else 0
    is_seen = access in {Access.PUBLIC, Access.PROTECTED} and scope.is_open and not walk.is_local
    return access, flags | (SymbolFlag.PUBLIC_API if is_seen else 0)


def _on_enum_constant(walk: CaptureWalk, node: Node) -> None:
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return
    walk.taken.add(name_node.start_byte)
    flags = SymbolFlag.STATIC | (SymbolFlag.PUBLIC_API if walk.scope.is_open else 0)
    owner, arguments = walk.scope.name, node.child_by_field_name("arguments")
    kind = SymbolKind.ENUM_MEMBER
    walk.declare(node, walk.read(name_node), kind, Head(flags=flags, access=Access.PUBLIC, return_type=owner))
    if node.child_by_field_name("body") is not None:
        walk.refer(ReferenceRole.INHERIT, owner, node)
    if arguments is not None:
        alias, count = type_arguments(walk, arguments), count_arguments(walk, arguments)
        walk.refer(ReferenceRole.CALL, owner, node, "", alias, count)


def _on_anonymous(walk: CaptureWalk, node: Node) -> None:
    """Declare the class of a body after `new Base(...)`, whose base `on_new` has noted."""
    base = walk.names_to_come.pop(node.start_byte, "")
    if base:
        name, qualifier = split_path(base)
        walk.declare(node, f"{NEW}{name}", SymbolKind.CLASS, Head(access=Access.PRIVATE))
        walk.scope.is_open = False
        walk.refer(ReferenceRole.INHERIT, name, node, qualifier)


def _on_method(walk: CaptureWalk, node: Node) -> None:
    _declare_callable(walk, node, SymbolKind.METHOD)


def _on_constructor(walk: CaptureWalk, node: Node) -> None:
    _declare_callable(walk, node, SymbolKind.CONSTRUCTOR)


def _declare_callable(walk: CaptureWalk, node: Node, kind: SymbolKind) -> None:
    name_node, parameters = node.child_by_field_name("name"), node.child_by_field_name("parameters")
    if name_node is None:
        return
    walk.taken.add(name_node.start_byte)
    access, flags = _read_modifiers(walk, node)
    listed = parameters.named_children if parameters is not None else []
    counted = [
        one.type for one in listed if one.type.endswith("parameter") and one.type != "receiver_parameter"
    ]
    flags |= SymbolFlag.VARIADIC if "spread_parameter" in counted else 0
    walk.declare(
        node,
        walk.read(name_node),
        kind,
        Head(
            flags=flags,
            access=access,
            parameters=walk.read_line(parameters),
            parameter_count=len(counted),
            return_type=walk.read_line(node.child_by_field_name("type")),
        ),
    )


def _on_initializer(walk: CaptureWalk, node: Node) -> None:
    scope = walk.scope
    walk.open(OpenScope(node.end_byte, scope.ordinal, SymbolKind.METHOD, scope.name))


def _on_field(walk: CaptureWalk, node: Node) -> None:
    access, flags = _read_modifiers(walk, node)
    result = walk.read_line(node.child_by_field_name("type"))
    declarators = node.children_by_field_name("declarator")
    is_constant = (
        flags & SymbolFlag.STATIC and b"final" in walk.text[node.start_byte : node.end_byte][:80].split()
    )
    kind = SymbolKind.CONSTANT if is_constant or node.type == "constant_declaration" else SymbolKind.PROPERTY
    for declarator in declarators:
        name_node = declarator.child_by_field_name("name")
        if name_node is not None:
            walk.taken.add(name_node.start_byte)
            opens = declarator is declarators[-1]
            name = walk.read(name_node)
            walk.declare(node, name, kind, Head(flags=flags, access=access, return_type=result), opens=opens)
        refer_implemented(walk, declarator.child_by_field_name("value"), result)


# Local names


def _on_type_parameter(walk: CaptureWalk, node: Node) -> None:
    name = find_child(node, "type_identifier")
    bound = find_child(node, "type_bound")
    if name is not None:
        walk.bind_parameter_type(name, bound)
        text = walk.read_line(bound).removeprefix("extends ").replace("&", "+")
        walk.bind_type_bounds(walk.read(name), text or UNKNOWN_TYPE, name)


def _on_parameter(walk: CaptureWalk, node: Node) -> None:
    walk.set_role(node, ReferenceRole.ACCEPT)
    if walk.scope.kind is SymbolKind.RECORD:
        return
    type_text = walk.read_line(_find_type(node))
    name_node = node.child_by_field_name("name")
    if node.type == "spread_parameter":
        declarator = node.named_children[-1]
        name_node, type_text = declarator.child_by_field_name("name"), type_text + "..."
    if name_node is not None:
        walk.bind_type(walk.bind_name(name_node), type_text, name_node)


def _find_type(node: Node) -> Node | None:
    found = node.child_by_field_name("type")
    if found is not None:
        return found
    return next((one for one in node.named_children if one.type.endswith(("type", "type_identifier"))), None)


def _on_catch(walk: CaptureWalk, node: Node) -> None:
    name_node = node.child_by_field_name("name")
    caught = find_child(node, "catch_type")
    if name_node is not None:
        walk.bind_type(walk.bind_name(name_node), walk.read_line(caught), name_node)


def _on_local(walk: CaptureWalk, node: Node) -> None:
    type_text = walk.read_line(node.child_by_field_name("type"))
    for declarator in node.children_by_field_name("declarator"):
        _bind_declarator(walk, declarator, type_text)


def _bind_declarator(walk: CaptureWalk, node: Node, type_text: str) -> None:
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return
    name = walk.bind_name(name_node)
    value = node.child_by_field_name("value")
    refer_implemented(walk, value, type_text)
    if type_text != "var":
        walk.bind_type(name, type_text, name_node)
    elif value is not None and (made := name_anonymous(walk, value)):
        walk.bind_call(name, made, "", name_node, Binding.SAME)
    elif value is not None and value.type == "object_creation_expression":
        walk.bind_type(name, walk.read_line(value.child_by_field_name("type")), name_node)
    elif value is not None and value.type == "method_invocation":
        called = walk.read(value.child_by_field_name("name"))
        qualifier = walk.read_chain(value.child_by_field_name("object"))
        if qualifier != "?":
            walk.bind_call(name, called, qualifier, name_node)
    elif value is not None and value.type == "cast_expression":
        walk.bind_type(name, walk.read_line(value.child_by_field_name("type")), name_node)


def _on_for_each(walk: CaptureWalk, node: Node) -> None:
    name_node = node.child_by_field_name("name")
    type_text = walk.read_line(node.child_by_field_name("type"))
    if name_node is None:
        return
    body = node.child_by_field_name("body")
    if body is not None:
        walk.shadowing.delay(name_node.start_byte, name_node.end_byte, body.start_byte)
    name = walk.bind_name(name_node)
    source = walk.read_chain(node.child_by_field_name("value"))
    if type_text == "var" and source != "?":
        walk.bind_call(name, "[]", source, name_node)
    else:
        walk.bind_type(name, type_text, name_node)


def _on_resource(walk: CaptureWalk, node: Node) -> None:
    _bind_declarator(walk, node, walk.read_line(node.child_by_field_name("type")))


def _on_instance_test(walk: CaptureWalk, node: Node) -> None:
    name_node = node.child_by_field_name("name")
    if name_node is not None:
        type_text = walk.read_line(node.child_by_field_name("right"))
        walk.bind_type(walk.bind_name(name_node), type_text, name_node)


def _on_if(walk: CaptureWalk, node: Node) -> None:
    """Open the block in which the names that a condition binds are visible, unless it is negated."""
    consequence = node.child_by_field_name("consequence")
    if consequence is not None and not _is_negated(walk, node):
        walk.shadowing.add_block(node.start_byte, consequence.end_byte)


def _on_while(walk: CaptureWalk, node: Node) -> None:
    if not _is_negated(walk, node):
        on_block(walk, node)


def _is_negated(walk: CaptureWalk, node: Node) -> bool:
    condition = node.child_by_field_name("condition")
    return condition is not None and _NEGATED.match(walk.text, condition.start_byte) is not None


JAVA = Dialect(
    "java",
    {
        "comment": _on_comment,
        "taken": on_taken,
        "block": on_block,
        "return": on_return,
        "if": _on_if,
        "while": _on_while,
        "package": _on_package,
        "import": _on_import,
        "class": _on_class,
        "interface": _on_interface,
        "enum": _on_enum,
        "record": _on_record,
        "annotation_type": _on_annotation_type,
        "enum_constant": _on_enum_constant,
        "anonymous": _on_anonymous,
        "method": _on_method,
        "constructor": _on_constructor,
        "initializer": _on_initializer,
        "field": _on_field,
        "bound": on_bound,
        "type_parameter": _on_type_parameter,
        "parameter": _on_parameter,
        "catch": _on_catch,
        "local": _on_local,
        "for_each": _on_for_each,
        "resource": _on_resource,
        "instance_test": _on_instance_test,
        "pattern_name": on_bound,
        "superclass": on_superclass,
        "super_interfaces": on_implement,
        "extends_interfaces": on_extend,
        "types": on_types,
        "annotation": on_annotation,
        "switch": on_switch,
        "case_label": on_case_label,
        "cast": on_cast,
        "new": on_new,
        "constructor_call": on_constructor_call,
        "call": on_call,
        "method_reference": on_method_reference,
        "field_access": on_field_access,
        "scoped_type": on_scoped_type,
        "type": on_type,
    },
    PLAIN_TYPES_OF_JAVA,
    RowRules(keeps_types=True, calls_variables=False),
)
