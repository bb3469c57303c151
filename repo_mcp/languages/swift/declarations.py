"""The declarations and bound names of Swift, and the table of all its handlers.

`class`, `struct`, `enum`, `actor` and `extension` are one node of the grammar, told apart by their first
word. An extension has an EXTEND row for its type. The syntax does not show which base of a class is a class:
the first base gives an INHERIT row, all others IMPLEMENT rows; those of a protocol give EXTEND rows. An
import has the number 1 if it is `@testable`, which only works for a module of the repository.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from repo_mcp.languages.swift.macros import read_macro_flags, refer_expanding
from repo_mcp.languages.swift.patterns import bind_value, on_catch, on_conditions, on_switch
from repo_mcp.languages.swift.types import strip_type
from repo_mcp.languages.swift.uses import (
    on_attribute,
    on_call,
    on_inherits,
    on_macro_call,
    on_navigation,
    on_prefix,
    on_user_type,
)
from repo_mcp.languages.swift.values import (
    expect_type,
    on_assignment,
    on_awaited,
    on_closure,
    on_comparison,
    on_for,
    on_infix,
    on_transfer,
    open_awaited,
)
from repo_mcp.languages.treesitter.capture_walk import (
    CaptureWalk,
    Dialect,
    on_block,
    on_bound,
    on_comment,
    on_taken,
    on_types,
    split_path,
)
from repo_mcp.languages.treesitter.recorded_rows import RowRules
from repo_mcp.languages.treesitter.source_text import find_child, leave_out_comments
from repo_mcp.symbols.record_builder import Head
from repo_mcp.symbols.symbol_record import TYPE_KINDS, Access, ReferenceRole, SymbolFlag, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

_BUILTINS_TEXT = """
String Int Bool Double Float Void Any AnyObject Character UInt8 UInt Int64 Int32 self super print
newValue oldValue fatalError precondition assert true false nil some none _ Self
"""
_VALUES = frozenset({SymbolKind.PROPERTY, SymbolKind.VARIABLE})
BUILTINS = frozenset(_BUILTINS_TEXT.split())
_KINDS = {
    "class": SymbolKind.CLASS,
    "actor": SymbolKind.CLASS,
    "struct": SymbolKind.STRUCT,
    "enum": SymbolKind.ENUM,
    "extension": SymbolKind.EXTENSION,
}
_ACCESSES = {
    "open": Access.PUBLIC,
    "public": Access.PUBLIC,
    "package": Access.INTERNAL,
    "internal": Access.INTERNAL,
    "fileprivate": Access.PRIVATE,
    "private": Access.PRIVATE,
}


# Declarations


def _on_import(walk: CaptureWalk, node: Node) -> None:
    walk.take_words(node)
    path = find_child(node, "identifier")
    if path is not None:
        module, _, dotted = walk.read(path).partition(".")
        name = dotted.rpartition(".")[2]
        is_testable = int(walk.read_line(node).startswith("@testable"))
        walk.refer(ReferenceRole.IMPORT, name, node, module, name or module, is_testable)


def _read_modifiers(walk: CaptureWalk, node: Node) -> tuple[Access, int]:
    first = next((one for one in node.children[:2] if one.type == "modifiers"), None)
    words = walk.read_line(first, 1_200).split() if first is not None else []
    scope = walk.scope
    is_member = scope.kind in TYPE_KINDS
    default = (
        scope.access if is_member and scope.kind in {SymbolKind.TRAIT, SymbolKind.EXTENSION} else Access.NONE
    )
    access = next((_ACCESSES[word] for word in words if word in _ACCESSES), default or Access.INTERNAL)
    flags = SymbolFlag.PUBLIC_API if access is Access.PUBLIC and not walk.is_local else 0
    is_static = not {"static", "class"}.isdisjoint(words) or any(
        one.type == "class" for one in node.children[:2]
    )
    flags |= SymbolFlag.STATIC if is_static and node.type != "class_declaration" else 0
    flags |= SymbolFlag.OVERRIDE if "override" in words else 0
    deprecated = any(word.startswith("@available") for word in words) and any(
        "deprecated" in one for one in words
    )
    return access, flags | (SymbolFlag.DEPRECATED if deprecated else 0)


def _on_class(walk: CaptureWalk, node: Node) -> None:
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return
    kind = _KINDS.get(walk.read(node.child_by_field_name("declaration_kind")), SymbolKind.CLASS)
    access, flags = _read_modifiers(walk, node)
    path = "".join(walk.read_line(name_node).partition("<")[0].split())
    name, qualifier = split_path(path)
    if kind is SymbolKind.EXTENSION and access is Access.INTERNAL:
        access = Access.NONE
    generic = _read_type_parameters(walk, node)
    ordinal = walk.declare(node, name, kind, Head(flags=flags, access=access, parameters=generic))
    walk.take_path(name_node)
    if kind is SymbolKind.EXTENSION:
        walk.refer(ReferenceRole.EXTEND, name, name_node, qualifier)
        if qualifier:
            outer, before = split_path(qualifier)
            walk.refer(ReferenceRole.TYPE, outer, name_node, before)
    else:
        walk.types_by_name.setdefault(name, ordinal)


def _read_type_parameters(walk: CaptureWalk, node: Node) -> str:
    """Return the type parameters of a type as written, "<Key, Value: Shape>"; empty for none."""
    return walk.read_line(find_child(node, "type_parameters"))


def _on_protocol(walk: CaptureWalk, node: Node) -> None:
    name_node = node.child_by_field_name("name")
    if name_node is not None:
        walk.taken.add(name_node.start_byte)
        access, flags = _read_modifiers(walk, node)
        flags |= SymbolFlag.ABSTRACT
        walk.declare(node, walk.read(name_node), SymbolKind.TRAIT, Head(flags=flags, access=access))


def _on_function(walk: CaptureWalk, node: Node) -> None:
    name_node = node.child_by_field_name("name")
    if name_node is not None:
        walk.taken.add(name_node.start_byte)
        _declare_callable(walk, node, walk.read(name_node), SymbolKind.FUNCTION)


def _on_initializer(walk: CaptureWalk, node: Node) -> None:
    _declare_callable(walk, node, "init", SymbolKind.CONSTRUCTOR)


def _on_deinitializer(walk: CaptureWalk, node: Node) -> None:
    _declare_callable(walk, node, "deinit", SymbolKind.FUNCTION)


def _on_subscript(walk: CaptureWalk, node: Node) -> None:
    _declare_callable(walk, node, "subscript", SymbolKind.FUNCTION)


def _on_macro(walk: CaptureWalk, node: Node) -> None:
    name_node = find_child(node, "simple_identifier")
    if name_node is not None:
        walk.taken.add(name_node.start_byte)
        _declare_callable(walk, node, walk.read(name_node), SymbolKind.MACRO, read_macro_flags(walk, node))
        refer_expanding(walk, node)


def _declare_callable(walk: CaptureWalk, node: Node, name: str, kind: SymbolKind, own: int = 0) -> None:
    access, flags = _read_modifiers(walk, node)
    flags |= own
    body = node.child_by_field_name("body")
    scope = walk.scope
    if kind is SymbolKind.FUNCTION and scope.kind in TYPE_KINDS:
        kind = SymbolKind.METHOD
    parameters = [one for one in node.named_children if one.type == "parameter"]
    text, head_end = walk.text, body.start_byte if body is not None else node.end_byte
    first = parameters[0].start_byte if parameters else node.start_byte
    name_node = node.child_by_field_name("name")
    last = parameters[-1].end_byte if parameters else (name_node or node).start_byte
    last = max([last, *(one.end_byte for one in node.children_by_field_name("default_value"))])
    tail = text[last : min(head_end, last + 400)]
    end = b"=" if kind is SymbolKind.MACRO else b"{"
    head, _, result = tail.partition(end)[0].partition(b"->")
    flags |= SymbolFlag.ASYNC if b"async" in head.split() else 0
    flags |= SymbolFlag.ABSTRACT if scope.kind is SymbolKind.TRAIT and body is None else 0
    flags |= SymbolFlag.VARIADIC if b"..." in text[first:last] and parameters else 0
    written = _write_labels(walk, parameters, last) if name == "subscript" else text[first:last]
    signature = leave_out_comments(written).decode("utf-8", "replace") if parameters else ""
    said = leave_out_comments(result.partition(b"where")[0]).decode("utf-8", "replace")
    for value in node.children_by_field_name("default_value"):
        before = [one for one in parameters if one.end_byte <= value.start_byte]
        types = before[-1].children_by_field_name("name") if before else []
        expect_type(walk, value, walk.read_line(types[-1]) if len(types) > 1 else "")
    ordinal = walk.declare(
        node,
        name,
        kind,
        Head(
            flags=flags,
            access=access,
            parameters="(" + " ".join(signature.split()) + ")",
            parameter_count=len(parameters),
            return_type=" ".join(said.split()),
        ),
    )
    walk.results[ordinal] = said
    _expect_only(walk, body, said)


def _expect_only(walk: CaptureWalk, body: Node | None, result: str) -> None:
    """Note the type of the only expression in a body, or in its getter: it is the value of the body."""
    inner = find_child(body, "computed_getter") if body is not None else None
    statements = find_child(inner or body, "statements") if body is not None else None
    if statements is not None and statements.named_child_count == 1:
        expect_type(walk, statements.named_children[0], result)


def _write_labels(walk: CaptureWalk, parameters: Sequence[Node], end: int) -> bytes:
    """Return the parameters of a subscript as those of a function: `_ key: Key` for `key: Key`."""
    written, at = b"", parameters[0].start_byte if parameters else end
    for one in parameters:
        has_label = one.child_by_field_name("external_name") is not None
        written += walk.text[at : one.start_byte] + (b"" if has_label else b"_ ")
        at = one.start_byte
    return written + walk.text[at:end]


def _on_property(walk: CaptureWalk, node: Node) -> None:
    patterns = node.children_by_field_name("name")
    declared = _read_declared(walk, node, patterns)
    for _, type_text, value in declared:
        expect_type(walk, value, type_text)
        _expect_only(walk, node.child_by_field_name("computed_value"), type_text)
    if walk.text.startswith(b"async", node.start_byte):
        open_awaited(walk, node.start_byte, node.end_byte, is_awaited=True)
    names = [(one, text, value) for pattern, text, value in declared for one in _find_names(pattern)]
    if walk.is_local or walk.scope.kind in _VALUES:  # in the closure that computes the value of a property
        if patterns:
            walk.shadowing.delay(patterns[0].start_byte, patterns[-1].end_byte, node.end_byte)
        for one, type_text, value in names:
            _bind(walk, one, type_text, value)
        return
    access, flags = _read_modifiers(walk, node)
    is_member = walk.scope.kind in TYPE_KINDS
    kind = SymbolKind.PROPERTY if is_member else SymbolKind.VARIABLE
    flags |= SymbolFlag.ABSTRACT if node.type.startswith("protocol") else 0
    for one, type_text, value in names:
        walk.taken.add(one.start_byte)
        opens = one is names[-1][0]
        result = type_text or _find_made_type(walk, value)
        ordinal = walk.declare(
            node, walk.read(one), kind, Head(flags=flags, access=access, return_type=result), opens=opens
        )
        walk.results[ordinal] = type_text


def _read_declared(
    walk: CaptureWalk, node: Node, patterns: Sequence[Node]
) -> list[tuple[Node, str, Node | None]]:
    """Return each pattern of a declaration with its written type and its value.

    In `var a, b: Item`, the type is that of both.
    """
    annotations = [one for one in node.named_children if one.type == "type_annotation"]
    values = list(node.children_by_field_name("value"))
    found: list[tuple[Node, str, Node | None]] = []
    type_text = ""
    for pattern in reversed(patterns):
        value = values.pop() if values and values[-1].start_byte >= pattern.end_byte else None
        if annotations and annotations[-1].start_byte >= pattern.end_byte:
            type_text = walk.read_line(annotations.pop()).lstrip(": ")
        elif value is not None:
            type_text = ""
        found.append((pattern, type_text, value))
    return found[::-1]


def _find_names(pattern: Node) -> list[Node]:
    """Return the identifiers that a pattern binds, such as `x` or `(a, b)`."""
    if pattern.type == "simple_identifier":
        return [pattern]
    bound = pattern.child_by_field_name("bound_identifier")
    if bound is not None:
        return [bound]
    inner = [one for one in pattern.named_children if one.type == "pattern"]
    return [one for each in inner for one in each.named_children if one.type == "simple_identifier"]


def _find_made_type(walk: CaptureWalk, value: Node | None) -> str:
    """Return the type of a value: "Foo<Bar>" for `Foo<Bar>(...)`, "make()" for `make()`."""
    for _ in range(3):
        if value is None or value.type not in {"try_expression", "await_expression", "as_expression"}:
            break
        if value.type == "as_expression":
            return walk.read_line(value.named_children[-1])
        value = value.named_children[-1] if value.named_child_count else None
    if value is not None and value.type == "constructor_expression":  # of `Set<Item>()`
        return walk.read_line(value.named_children[0])
    if value is None or value.type != "call_expression":
        return ""
    chain = walk.read_chain(value.named_children[0])
    if chain in {"", "?"}:
        return ""
    chain = chain.removesuffix(".init")
    return chain if chain.rpartition(".")[2][:1].isupper() else f"{chain}()"


def _bind(walk: CaptureWalk, node: Node, type_text: str, value: Node | None) -> None:
    name = walk.bind_name(node)
    made = _find_made_type(walk, value)
    if type_text or (made and not made.endswith("()")):
        walk.bind_type(name, strip_type(type_text or made), node)
    else:
        bind_value(walk, node, value)


def _on_enum_entry(walk: CaptureWalk, node: Node) -> None:
    access, owner = walk.scope.access, walk.scope.name
    flags = SymbolFlag.PUBLIC_API if access is Access.PUBLIC else 0
    named: Node | None = None
    written: dict[int, str] = {}
    for one in node.named_children:
        if one.type == "simple_identifier":
            named = one
        elif one.type == "enum_type_parameters" and named is not None:
            written[named.start_byte] = walk.read_line(one)
    for one in node.children_by_field_name("name"):
        if one.type == "simple_identifier":
            walk.taken.add(one.start_byte)
            kind, values = SymbolKind.ENUM_MEMBER, written.get(one.start_byte, "")
            walk.declare(
                node,
                walk.read(one),
                kind,
                Head(flags=flags, access=access, parameters=values, return_type=owner),
                opens=False,
            )


def _on_type_alias(walk: CaptureWalk, node: Node) -> None:
    name_node = node.child_by_field_name("name")
    if name_node is not None:
        walk.taken.add(name_node.start_byte)
        access, flags = _read_modifiers(walk, node)
        result = walk.read_line(node.named_children[-1]) if node.named_child_count > 1 else ""
        walk.declare(
            node,
            walk.read(name_node),
            SymbolKind.TYPE,
            Head(
                flags=flags, access=access, parameters=_read_type_parameters(walk, node), return_type=result
            ),
        )


# Local names


def _on_type_parameter(walk: CaptureWalk, node: Node) -> None:
    name = find_child(node, "type_identifier")
    if name is not None:
        bound = node.child_by_field_name("name")
        walk.bind_parameter_type(name, bound)
        walk.type_parameters[walk.scope.ordinal, walk.read(name)] = walk.read(bound)


def _on_parameter(walk: CaptureWalk, node: Node) -> None:
    walk.set_role(node, ReferenceRole.ACCEPT)
    names = node.children_by_field_name("name")
    external = node.child_by_field_name("external_name")
    if external is not None:
        walk.taken.add(external.start_byte)
    if names and names[0].type == "simple_identifier":
        type_text = strip_type(walk.read_line(names[1])) if len(names) > 1 else ""
        walk.bind_type(walk.bind_name(names[0]), type_text, names[0])


def _on_lambda_parameter(walk: CaptureWalk, node: Node) -> None:
    names = node.children_by_field_name("name")
    if names and names[0].type == "simple_identifier":
        name = walk.bind_name(names[0])
        if len(names) > 1:
            walk.bind_type(name, strip_type(walk.read_line(names[1])), names[0])


def _on_conditions(walk: CaptureWalk, node: Node) -> None:
    """Read the conditions of a statement, and bind each pattern after `let` that is a single name.

    This is done without a query for these names, which would take 0.35 s to compile.
    """
    on_conditions(walk, node)
    is_bound = False
    for one in node.named_children:
        is_bound = is_bound or one.type == "value_binding_pattern"
        if is_bound and one.type == "pattern" and one.named_child_count == 1:
            name = one.named_children[0]
            if name.type == "simple_identifier":
                _on_case_bound(walk, name)


def _on_case_bound(walk: CaptureWalk, node: Node) -> None:
    """Bind a name in `case let .some(name)`, but not the case itself, which follows a dot."""
    if not _is_behind_dot(walk, node):
        walk.bind_name(node)


def _is_behind_dot(walk: CaptureWalk, node: Node) -> bool:
    return walk.text[node.start_byte - 1 : node.start_byte] == b"."


def _on_pattern_name(walk: CaptureWalk, node: Node) -> None:
    """Add the use of a case of unknown type; the labels of associated values are no uses."""
    if node.start_byte in walk.taken:
        return
    if _is_behind_dot(walk, node):
        walk.taken.add(node.start_byte)
        walk.refer(ReferenceRole.USE, walk.read(node), node, "?")
    elif walk.text[node.end_byte : node.end_byte + 1] == b":":
        walk.taken.add(node.start_byte)


def _on_constrained(walk: CaptureWalk, node: Node) -> None:
    """Mark the words of `S.Element` in a `where` clause as no uses: what they mean depends on a parameter.

    A parameter without a bound of its own is bound by what stands there.
    """
    if node.named_child_count > 1:
        walk.take_words(node)
        return
    constraint, key = node.parent, (walk.scope.ordinal, walk.read(node))
    if constraint is not None and constraint.type == "inheritance_constraint":
        bound = walk.read(constraint.child_by_field_name("inherits_from"))
        if bound and walk.type_parameters.get(key) == "":
            walk.type_parameters[key] = bound
            walk.add_type_bounds(key[1], bound)


def _on_label(walk: CaptureWalk, node: Node) -> None:
    walk.take_words(node)


SWIFT = Dialect(
    "swift",
    {
        "comment": on_comment,
        "taken": on_taken,
        "attribute": on_attribute,
        "import": _on_import,
        "class": _on_class,
        "protocol": _on_protocol,
        "function": _on_function,
        "initializer": _on_initializer,
        "deinitializer": _on_deinitializer,
        "subscript": _on_subscript,
        "property": _on_property,
        "enum_entry": _on_enum_entry,
        "type_alias": _on_type_alias,
        "macro": _on_macro,
        "parameter": _on_parameter,
        "lambda_parameter": _on_lambda_parameter,
        "conditions": _on_conditions,
        "catch": on_catch,
        "closure": on_closure,
        "awaited": on_awaited,
        "block": on_block,
        "infix": on_infix,
        "bound": on_bound,
        "case_bound": _on_case_bound,
        "switch": on_switch,
        "pattern_name": _on_pattern_name,
        "type_parameter": _on_type_parameter,
        "label": _on_label,
        "constrained": _on_constrained,
        "comparison": on_comparison,
        "assignment": on_assignment,
        "transfer": on_transfer,
        "for": on_for,
        "inherits": on_inherits,
        "types": on_types,
        "call": on_call,
        "macro_call": on_macro_call,
        "navigation": on_navigation,
        "prefix": on_prefix,
        "user_type": on_user_type,
    },
    BUILTINS,
    RowRules(quotes=True, keeps_arguments=True),
)
