"""Calls, members and types in the code of Java."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.java.arguments import is_text, type_arguments
from repo_mcp.languages.java.lambdas import bind_passed, bind_typed
from repo_mcp.languages.treesitter.capture_scopes import MAX_CHAIN_BYTES, name_chain
from repo_mcp.languages.treesitter.capture_walk import (
    CaptureWalk,
    count_arguments,
    on_block,
    on_inherit,
    refer_bare_call,
    split_path,
)
from repo_mcp.languages.treesitter.type_names import read_type
from repo_mcp.symbols.model import AS_FUNCTION, AS_LABEL, CAST, CAST_OUTER, CONSTRUCTED, NEW, PATH
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MAX_BRACKETS = 3  # brackets around `new Base() { ... }`
MAX_OUTER = 8  # types around a nested one that are recorded as uses
_TEXT_CLASS = "String"
_CAST = re.compile(rb"\(\s*\(\s*([A-Z][\w$.]*)\s*+(?:<[\w\s,.?<>]*>)?\s*+\)")
_BRACKET = re.compile(rb"[()]")
_FUNCTIONS = frozenset({"lambda_expression", "method_reference"})
_METHOD = "method_declaration"
_RETURNED_FROM = frozenset({_METHOD, "lambda_expression", "class_body"})


def on_annotation(walk: CaptureWalk, node: Node) -> None:
    """Add the use of the type of an annotation."""
    name_node = node.child_by_field_name("name")
    if name_node is not None:
        walk.take_words(name_node)
        name, qualifier = split_path(walk.read_chain(name_node))
        walk.refer(ReferenceRole.TYPE, name, name_node, qualifier)


def on_new(walk: CaptureWalk, node: Node) -> None:
    """Add the call of the type after `new`; it names the unnamed class that may follow."""
    made = node.child_by_field_name("type")
    if made is None:
        return
    found = read_type(walk.read_line(made).partition("<")[0])
    inner = made.named_children[0] if made.type == "generic_type" and made.named_child_count else made
    walk.take_words(inner)
    arguments = node.child_by_field_name("arguments")
    alias, count = CONSTRUCTED + type_arguments(walk, arguments), count_arguments(walk, arguments)
    walk.refer(ReferenceRole.CALL, found.name, made, found.qualifier, alias, count)
    bind_passed(walk, arguments, f"{NEW}{found.name}", found.qualifier)
    _refer_outer(walk, made, found.qualifier)
    body = node.named_children[-1]
    if body.type == "class_body" and found.name:
        walk.names_to_come[body.start_byte] = ".".join(filter(None, (found.qualifier, found.name)))


def refer_implemented(walk: CaptureWalk, value: Node | None, type_text: str) -> None:
    """Add the use of the type that a lambda or a method reference implements, if it is written."""
    found = read_type(type_text.partition("<")[0])
    if value is not None and value.type in _FUNCTIONS and found.name not in {"", "var"}:
        walk.refer(ReferenceRole.IMPLEMENT, found.name, value, found.qualifier, "", AS_FUNCTION)
        bind_typed(walk, value, type_text)


def on_cast(walk: CaptureWalk, node: Node) -> None:
    """Add the use of the type to which a function is cast, which it implements."""
    type_text = walk.read_line(node.child_by_field_name("type"))
    refer_implemented(walk, node.child_by_field_name("value"), type_text)


def on_return(walk: CaptureWalk, node: Node) -> None:
    """Add the use of the type that a returned function implements, which the method around it declares."""
    on_block(walk, node)
    value = node.named_children[0] if node.named_child_count else None
    if value is None or value.type not in _FUNCTIONS:
        return
    around = node.parent
    while around is not None and around.type not in _RETURNED_FROM:
        around = around.parent
    if around is not None and around.type == _METHOD:
        refer_implemented(walk, value, walk.read_line(around.child_by_field_name("type")))


def on_switch(walk: CaptureWalk, node: Node) -> None:
    """Note the value that a `switch` compares with its labels."""
    walk.switches.append((node.end_byte, walk.read_chain(node.child_by_field_name("condition"))))


def on_case_label(walk: CaptureWalk, node: Node) -> None:
    """Add the use of a constant in a label, where constants of an enum are named without the enum."""
    walk.taken.add(node.start_byte)
    while walk.switches and walk.switches[-1][0] <= node.start_byte:
        walk.switches.pop()
    if walk.switches:
        name, chosen_by = walk.read(node), walk.switches[-1][1]
        walk.refer(ReferenceRole.USE, name, node, chosen_by or "?", "", AS_LABEL)


def on_superclass(walk: CaptureWalk, node: Node) -> None:
    """Note the class that a class extends, which `super(...)` means."""
    on_inherit(walk, node)
    found = read_type(walk.read_line(node).removeprefix("extends ").partition("<")[0])
    walk.superclasses[walk.scope.ordinal] = found.name


def on_constructor_call(walk: CaptureWalk, node: Node) -> None:
    """Add the call of another constructor: `this(...)` or `super(...)`, under the name of its class."""
    which = walk.read(node.child_by_field_name("constructor"))
    own = walk.parents[walk.scope.ordinal]
    name = walk.scope.name if which == "this" else walk.superclasses.get(own, "")
    if which in {"this", "super"} and name:
        arguments = node.child_by_field_name("arguments")
        alias, count = CONSTRUCTED + type_arguments(walk, arguments), count_arguments(walk, arguments)
        walk.refer(ReferenceRole.CALL, name, node, which, alias, count)


def on_call(walk: CaptureWalk, node: Node) -> None:
    """Add the call of a method."""
    name, before = node.child_by_field_name("name"), node.child_by_field_name("object")
    if name is not None:
        walk.taken.add(name.start_byte)
        arguments = node.child_by_field_name("arguments")
        alias, count = type_arguments(walk, arguments), count_arguments(walk, arguments)
        qualifier = _read_receiver(walk, before)
        walk.refer(ReferenceRole.CALL, walk.read(name), name, qualifier, alias, count)
        bind_passed(walk, arguments, walk.read(name), qualifier)


def _read_receiver(walk: CaptureWalk, node: Node | None) -> str:
    """Return the chain before a member.

    For `new Base() { ... }.member` it is the name of the anonymous class, for `"text".member` the class of
    texts.
    """
    if node is None:
        return ""
    chain = name_anonymous(walk, node) or _read_cast(walk, node) or walk.read_chain(node)
    return _TEXT_CLASS if chain == "?" and is_text(walk, node) else chain


def _read_cast(walk: CaptureWalk, node: Node) -> str:
    """Return the chain of `((Base) value).next()`, "^Base.next()"; "" for any other expression."""
    start, end = node.start_byte, node.end_byte
    found = _CAST.match(walk.text, start, end) if end - start <= MAX_CHAIN_BYTES else None
    if found is None:
        return ""
    depth = 0
    for bracket in _BRACKET.finditer(walk.text, start, end):
        depth += 1 if bracket[0] == b"(" else -1
        if not depth:
            if name_chain(walk.text[found.end() : bracket.start()]) == "?":
                return ""  # the whole is no cast: `((Base) one == two ? three : four)`
            behind = name_chain(b"x" + walk.text[bracket.end() : end].lstrip())
            name = found[1].decode("utf-8", "replace").replace(".", CAST_OUTER)
            return f"{CAST}{name}{behind[1:]}" if behind.startswith("x") else ""
    return ""


def name_anonymous(walk: CaptureWalk, node: Node) -> str:
    """Return the name and the line of the anonymous class of `new Base() { ... }`; "" for other nodes."""
    for _ in range(MAX_BRACKETS):
        if node.type != "parenthesized_expression" or not node.named_child_count:
            break
        node = node.named_children[0]
    body = node.named_children[-1] if node.type == "object_creation_expression" else None
    found = read_type(walk.read_line(node.child_by_field_name("type")).partition("<")[0])
    if body is None or body.type != "class_body" or not found.name:
        return ""
    return f"{NEW}{found.name}:{walk.find_line(body.start_byte)}"


def on_method_reference(walk: CaptureWalk, node: Node) -> None:
    """Add the use of a method as a value, `Foo::run`; `Foo::new` is a call."""
    names = node.named_children
    if len(names) > 1 and names[-1].type == "identifier":
        walk.taken.add(names[-1].start_byte)
        walk.refer(ReferenceRole.USE, walk.read(names[-1]), node, walk.read_chain(names[0]), PATH)
    elif names and names[0].type in {"identifier", "type_identifier"}:  # Foo::new
        refer_bare_call(walk, names[0], None)


def on_field_access(walk: CaptureWalk, node: Node) -> None:
    """Add the use of a field, or of a type after its package, which is no field."""
    field = node.child_by_field_name("field")
    if field is None or field.start_byte in walk.taken:
        return
    walk.taken.add(field.start_byte)
    qualifier = _read_receiver(walk, node.child_by_field_name("object"))
    name = walk.read(field)
    if name != "length" and not (name.islower() and _is_package(qualifier)):
        walk.refer(ReferenceRole.USE, name, field, qualifier)


def _is_package(qualifier: str) -> bool:
    """Return whether a qualifier is a package, `com.foo`, as in a fully qualified type."""
    return qualifier.islower() and qualifier.partition(".")[0] in {"com", "org", "java", "javax", "net", "io"}


def on_scoped_type(walk: CaptureWalk, node: Node) -> None:
    """Add the use of a type by its qualified name."""
    if node.start_byte in walk.taken:
        return
    walk.take_words(node)
    found = read_type(walk.read_line(node))
    if found.name:
        walk.refer_type(node, found.name, found.qualifier)
        _refer_outer(walk, node, found.qualifier)


def _refer_outer(walk: CaptureWalk, node: Node, qualifier: str) -> None:
    """Add the uses of the types around a nested one: `Outer` of `Outer.Inner`."""
    before = ""
    for name in qualifier.split(".")[:MAX_OUTER]:
        if name[:1].isupper():
            walk.refer(ReferenceRole.TYPE, name, node, before)
        before = f"{before}.{name}" if before else name
