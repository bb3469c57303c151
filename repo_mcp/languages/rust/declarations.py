"""The declarations of Rust, and the table of all its handlers.

An `impl` is an EXTENSION named after its type, with an EXTEND row for the type and an IMPLEMENT row for the
trait. Its result is the type as it is written, if that is more than a name: `Arc<Shape>`, `&[u8]`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.rust.bindings import on_closure, on_for, on_match
from repo_mcp.languages.rust.imports import on_extern_crate, on_use
from repo_mcp.languages.rust.locals import (
    on_if,
    on_let,
    on_parameter,
    on_pattern,
    on_pattern_owner,
    on_self_parameter,
)
from repo_mcp.languages.rust.members import on_struct_pattern, on_token, on_token_name, on_tuple_pattern
from repo_mcp.languages.rust.uses import (
    on_call,
    on_field_access,
    on_literal,
    on_macro_call,
    on_scoped,
    on_scoped_type,
)
from repo_mcp.languages.treesitter.capture_scopes import Extent
from repo_mcp.languages.treesitter.capture_walk import (
    CaptureWalk,
    Dialect,
    on_block,
    on_bound,
    on_comment,
    on_type,
    on_types,
)
from repo_mcp.languages.treesitter.recorded_rows import MAX_BOUNDS, RowRules
from repo_mcp.languages.treesitter.type_names import TypeName, read_type, split_bounds
from repo_mcp.symbols.model import BEHIND_POINTER, BY_REFERENCE, DERIVED, UNKNOWN_TYPE
from repo_mcp.symbols.record_builder import Head
from repo_mcp.symbols.symbol_record import TYPE_KINDS, Access, ReferenceRole, SymbolFlag, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

_BUILTINS_TEXT = """
_ Some None Ok Err Option Result Vec String Box Self self str bool char u8 u16 u32 u64 u128 usize i8
i16 i32 i64 i128 isize f32 f64 drop true false Sized Send Sync
"""
BUILTINS = frozenset(_BUILTINS_TEXT.split())
_NAMELESS = frozenset({"tuple_type", "unit_type"})  # types that are named as they are written
_POINTERS = frozenset({"Arc", "Box", "Pin", "Rc"})
# A type that its name tells: type arguments that are written like parameters add nothing.
_NAMED_TYPE = re.compile(r"[\w:]+(?:<(?:(?:'\w++|[A-Z][0-9]?)(?:, ?)?)*>)?")
_MEMBERS = frozenset({SymbolKind.TRAIT, SymbolKind.EXTENSION})


def _read_visibility(walk: CaptureWalk, node: Node) -> tuple[Access, int]:
    first = next((one for one in node.children[:3] if one.type == "visibility_modifier"), None)
    if first is None:
        scope = walk.scope
        if scope.kind in _MEMBERS and scope.access is Access.PUBLIC:
            return Access.PUBLIC, SymbolFlag.PUBLIC_API if scope.is_open else 0
        return Access.PRIVATE, 0
    if walk.read(first) != "pub":
        return Access.INTERNAL, 0
    return Access.PUBLIC, 0 if walk.is_local else SymbolFlag.PUBLIC_API


def _declare(walk: CaptureWalk, node: Node, kind: SymbolKind, *, flags: int = 0, result: str = "") -> None:
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return
    walk.taken.add(name_node.start_byte)
    access, said = _read_visibility(walk, node)
    row, marks = walk.take_marks(node.start_point.row)
    said |= SymbolFlag.DEPRECATED if b"deprecated" in marks else 0
    if kind is SymbolKind.MODULE and b"macro_use" in marks:
        said |= SymbolFlag.MACRO_USE
    if kind is SymbolKind.MACRO and b"macro_export" in marks:
        access, said = Access.PUBLIC, said | SymbolFlag.PUBLIC_API
    name = walk.read(name_node)
    walk.declare(
        node, name, kind, Head(flags=flags | said, access=access, return_type=result), extent=Extent(row)
    )


def _on_module(walk: CaptureWalk, node: Node) -> None:
    has_body = node.child_by_field_name("body") is not None
    _declare(walk, node, SymbolKind.MODULE, flags=0 if has_body else SymbolFlag.FORWARD)


def _on_struct(walk: CaptureWalk, node: Node) -> None:
    _declare(walk, node, SymbolKind.STRUCT)
    body = node.child_by_field_name("body")
    if body is not None and body.type == "ordered_field_declaration_list":
        for position, one in enumerate(body.children_by_field_name("type")):
            result = walk.read_line(one)
            walk.declare(one, str(position), SymbolKind.PROPERTY, Head(return_type=result), opens=False)


def _on_union(walk: CaptureWalk, node: Node) -> None:
    _declare(walk, node, SymbolKind.UNION)


def _on_enum(walk: CaptureWalk, node: Node) -> None:
    _declare(walk, node, SymbolKind.ENUM)


def _on_variant(walk: CaptureWalk, node: Node) -> None:
    scope = walk.scope
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return
    walk.taken.add(name_node.start_byte)
    flags = SymbolFlag.PUBLIC_API if scope.access is Access.PUBLIC else 0
    body = node.child_by_field_name("body")
    is_tuple = body is not None and body.type == "ordered_field_declaration_list"
    walk.declare(
        node,
        walk.read(name_node),
        SymbolKind.ENUM_MEMBER,
        Head(
            flags=flags,
            access=scope.access,
            parameters=walk.read_line(body) if is_tuple else "",
            return_type=scope.name,
        ),
    )


def _on_trait(walk: CaptureWalk, node: Node) -> None:
    _declare(walk, node, SymbolKind.TRAIT, flags=SymbolFlag.ABSTRACT)
    bounds = node.child_by_field_name("bounds")
    if bounds is not None:
        walk.set_role(bounds, ReferenceRole.EXTEND)
        walk.taken.add(-1 - bounds.start_byte)


def _on_bounds(walk: CaptureWalk, node: Node) -> None:
    if -1 - node.start_byte not in walk.taken:
        walk.set_role(node, ReferenceRole.TYPE)


def _on_implementation(walk: CaptureWalk, node: Node) -> None:
    type_node, trait = node.child_by_field_name("type"), node.child_by_field_name("trait")
    if type_node is None:
        return
    is_tuple = type_node.type in _NAMELESS
    owner, kind = _read_self_type(walk, node, type_node)
    if not (owner.name or is_tuple):
        return
    row = walk.take_marks(node.start_point.row)[0]
    access = Access.PUBLIC if trait is not None else Access.NONE
    written = walk.read_line(type_node)
    name = written if is_tuple else owner.name
    is_plain = _NAMED_TYPE.fullmatch(written) is not None
    result = "" if is_tuple or is_plain else written
    walk.declare(
        node, name, SymbolKind.EXTENSION, Head(access=access, return_type=result), extent=Extent(row)
    )
    if not is_tuple and not _is_parameter(walk, node, owner.name):
        walk.refer(ReferenceRole.EXTEND, owner.name, type_node, owner.qualifier, "", kind)
    walk.take_path(type_node)
    if trait is not None:
        found = read_type(walk.read_line(trait).partition("<")[0])
        walk.refer(ReferenceRole.IMPLEMENT, found.name, trait, found.qualifier)
        walk.take_path(trait)


def _read_self_type(walk: CaptureWalk, node: Node, type_node: Node) -> tuple[TypeName, int]:
    """Return the type whose members `self` has in an `impl`, and what it is for if not for that type itself.

    `impl Draw for Arc<Shape>` is one for Shape behind a pointer, unless Shape is a type parameter or a trait.
    """
    written = walk.read_line(type_node)
    head = read_type(written.partition("<")[0])
    if head.name in _POINTERS and "dyn " not in written:
        pointee = read_type(written)
        if pointee.name and not pointee.is_items and not _is_parameter(walk, node, pointee.name):
            return pointee, BEHIND_POINTER
    return head, BY_REFERENCE if type_node.type == "reference_type" else 0


def _is_parameter(walk: CaptureWalk, node: Node, name: str) -> bool:
    """Return whether a name is a type parameter of an `impl`, as in `impl<T> Shape for T`."""
    parameters = walk.read_line(node.child_by_field_name("type_parameters"))
    return re.search(rf"[<,]\s*{re.escape(name)}\s*[:,=>]", parameters) is not None


def _on_function(walk: CaptureWalk, node: Node) -> None:
    name_node, parameters = node.child_by_field_name("name"), node.child_by_field_name("parameters")
    if name_node is None:
        return
    walk.taken.add(name_node.start_byte)
    access, flags = _read_visibility(walk, node)
    row, marks = walk.take_marks(node.start_point.row)
    listed = [one.type for one in parameters.named_children] if parameters is not None else []
    is_member = walk.scope.kind in _MEMBERS
    has_self = "self_parameter" in listed
    flags |= SymbolFlag.DEPRECATED if b"deprecated" in marks else 0
    flags |= SymbolFlag.STATIC if is_member and not has_self else 0
    flags |= SymbolFlag.VARIADIC if "variadic_parameter" in listed else 0
    flags |= SymbolFlag.ASYNC if b"async" in walk.text[node.start_byte : name_node.start_byte].split() else 0
    if node.type == "function_signature_item":
        flags |= SymbolFlag.ABSTRACT if walk.scope.kind is SymbolKind.TRAIT else SymbolFlag.FORWARD
    walk.declare(
        node,
        walk.read(name_node),
        SymbolKind.METHOD if is_member else SymbolKind.FUNCTION,
        Head(
            flags=flags,
            access=access,
            parameters=walk.read_line(parameters),
            parameter_count=listed.count("parameter"),
            return_type=walk.read_line(node.child_by_field_name("return_type")),
        ),
        extent=Extent(row),
    )


def _on_field(walk: CaptureWalk, node: Node) -> None:
    _declare(walk, node, SymbolKind.PROPERTY, result=walk.read_line(node.child_by_field_name("type")))


def _on_constant(walk: CaptureWalk, node: Node) -> None:
    _declare(walk, node, SymbolKind.CONSTANT, result=walk.read_line(node.child_by_field_name("type")))


def _on_static(walk: CaptureWalk, node: Node) -> None:
    result = walk.read_line(node.child_by_field_name("type"))
    _declare(walk, node, SymbolKind.VARIABLE, flags=SymbolFlag.STATIC, result=result)


def _on_type_alias(walk: CaptureWalk, node: Node) -> None:
    """Declare a type alias. Its result is the aliased type, or the bounds of a trait's associated type."""
    written = node.child_by_field_name("type") or node.child_by_field_name("bounds")
    _declare(walk, node, SymbolKind.TYPE, result=walk.read_line(written))


def _on_macro(walk: CaptureWalk, node: Node) -> None:
    _declare(walk, node, SymbolKind.MACRO)


def _on_attribute(walk: CaptureWalk, node: Node) -> None:
    walk.note_mark(node)
    text = walk.text[node.start_byte : min(node.end_byte, node.start_byte + 400)]
    if text.startswith(b"#[derive("):
        for found in re.finditer(rb"(\w+)\s*[,)]", text[9:]):
            name = found.group(1).decode("utf-8", "replace")
            walk.refer(ReferenceRole.TYPE, name, node, arguments=DERIVED)
    walk.take_words(node)


def _on_type_parameter(walk: CaptureWalk, node: Node) -> None:
    name, bounds = node.child_by_field_name("name"), node.child_by_field_name("bounds")
    if name is not None:
        walk.bind_parameter_type(name, bounds)
        _bind_type_bounds(walk, name, bounds)


def _on_predicate(walk: CaptureWalk, node: Node) -> None:
    name, bounds = node.child_by_field_name("left"), node.child_by_field_name("bounds")
    if name is not None and bounds is not None:
        walk.add_type_bounds(walk.read(name), walk.read_line(bounds))
        _bind_type_bounds(walk, name, bounds)


def _bind_type_bounds(walk: CaptureWalk, name: Node, bounds: Node | None) -> None:
    if bounds is None:
        walk.bind_type_bounds(walk.read(name), UNKNOWN_TYPE, name)
        return
    if walk.scope.kind in TYPE_KINDS:
        walk.bind_type_bounds(walk.read(name), walk.read_line(bounds), name)
        return
    for one in split_bounds(walk.read_line(bounds).lstrip(": "))[:MAX_BOUNDS]:
        walk.bind_type(walk.read(name), one, name)


RUST = Dialect(
    "rust",
    {
        "block": on_block,
        "if": on_if,
        "comment": on_comment,
        "attribute": _on_attribute,
        "use": on_use,
        "extern_crate": on_extern_crate,
        "module": _on_module,
        "struct": _on_struct,
        "union": _on_union,
        "enum": _on_enum,
        "variant": _on_variant,
        "trait": _on_trait,
        "implementation": _on_implementation,
        "function": _on_function,
        "field": _on_field,
        "constant": _on_constant,
        "static": _on_static,
        "type_alias": _on_type_alias,
        "macro": _on_macro,
        "bound": on_bound,
        "type_parameter": _on_type_parameter,
        "predicate": _on_predicate,
        "parameter": on_parameter,
        "self_parameter": on_self_parameter,
        "let": on_let,
        "pattern_owner": on_pattern_owner,
        "pattern": on_pattern,
        "bounds": _on_bounds,
        "types": on_types,
        "call": on_call,
        "macro_call": on_macro_call,
        "token_name": on_token_name,
        "tuple_pattern": on_tuple_pattern,
        "token": on_token,
        "literal": on_literal,
        "struct_pattern": on_struct_pattern,
        "match": on_match,
        "for": on_for,
        "closure": on_closure,
        "field_access": on_field_access,
        "scoped": on_scoped,
        "scoped_type": on_scoped_type,
        "type": on_type,
    },
    BUILTINS,
    RowRules(
        walls=frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD}),
        has_paths=True,
        converting=frozenset({"AsMut", "AsRef", "Borrow", "BorrowMut", "Into", "TryInto"}),
    ),
)
