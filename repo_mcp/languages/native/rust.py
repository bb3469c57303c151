"""The handlers of captures in Rust.

An `impl` is an EXTENSION named after its type, with an EXTEND row for the type and an IMPLEMENT row for the
trait. A `use` tree gives one IMPORT row for each of its leaves; `self::`, `super::` and `crate::` stay as
written. A member reached through `Self` has that as its qualifier.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.native.rust_bindings import (
    bind_pattern,
    bind_value,
    find_given,
    note_given,
    on_closure,
    on_for,
    on_match,
    on_match_pattern,
)
from repo_mcp.languages.native.rust_macro_bindings import bind_in_tokens
from repo_mcp.languages.native.rust_members import (
    on_struct_pattern,
    on_token,
    on_token_name,
    on_tuple_pattern,
    refer_fields,
)
from repo_mcp.languages.treesitter.capture_walk import (
    MAX_BOUNDS,
    CaptureWalk,
    Dialect,
    count_arguments,
    note_bound,
    on_block,
    on_bound,
    on_comment,
    on_type,
    on_types,
    split_path,
)
from repo_mcp.languages.treesitter.type_names import read_type, split_bounds
from repo_mcp.symbols.model import BY_REFERENCE, DERIVED, OF_MACRO, PATH, UNKNOWN_TYPE
from repo_mcp.symbols.symbol_record import TYPE_KINDS, Access, ReferenceRole, SymbolFlag, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

_BUILTINS_TEXT = """
_ Some None Ok Err Option Result Vec String Box Self self str bool char u8 u16 u32 u64 u128 usize i8
i16 i32 i64 i128 isize f32 f64 drop true false Sized Send Sync
"""
BUILTINS = frozenset(_BUILTINS_TEXT.split())
MAX_USE_LEAVES = 1_000  # of one `use`
_PATTERN_WORD = re.compile(rb"(?<![\w.:])(?:ref[ \t]+)?(?:mut[ \t]+)?([a-z_]\w*)(?!\w*[ \t]*(?:::|\(|\{|!))")
_NO_BINDING = frozenset(b"ref mut box if in true false self super crate const as dyn".split())
_MEMBERS = frozenset({SymbolKind.TRAIT, SymbolKind.EXTENSION})


# -- declarations ------------------------------------------------------------------------------------------


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
    walk.declare(node, name, kind, flags=flags | said, access=access, result=result, first_row=row)


def _on_module(walk: CaptureWalk, node: Node) -> None:
    has_body = node.child_by_field_name("body") is not None
    _declare(walk, node, SymbolKind.MODULE, flags=0 if has_body else SymbolFlag.FORWARD)


def _on_struct(walk: CaptureWalk, node: Node) -> None:
    _declare(walk, node, SymbolKind.STRUCT)
    body = node.child_by_field_name("body")
    if body is not None and body.type == "ordered_field_declaration_list":
        for ordinal, one in enumerate(body.children_by_field_name("type")):
            result = walk.read_line(one)
            walk.declare(one, str(ordinal), SymbolKind.PROPERTY, result=result, opens=False)


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
        flags=flags,
        access=scope.access,
        parameters=walk.read_line(body) if is_tuple else "",
        result=scope.name,
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
    owner = read_type(walk.read_line(type_node).partition("<")[0])
    if type_node is None or not owner.name:
        return
    row = walk.take_marks(node.start_point.row)[0]
    access = Access.PUBLIC if trait is not None else Access.NONE
    walk.declare(node, owner.name, SymbolKind.EXTENSION, access=access, first_row=row)
    if not _is_parameter(walk, node, owner.name):
        is_reference = type_node.type == "reference_type"
        kind = BY_REFERENCE if is_reference else 0
        walk.refer(ReferenceRole.EXTEND, owner.name, type_node, owner.qualifier, "", kind)
    _take_path(walk, type_node)
    if trait is not None:
        found = read_type(walk.read_line(trait).partition("<")[0])
        walk.refer(ReferenceRole.IMPLEMENT, found.name, trait, found.qualifier)
        _take_path(walk, trait)


def _is_parameter(walk: CaptureWalk, node: Node, name: str) -> bool:
    """Return whether a name is a type parameter of an `impl`, as in `impl<T> Shape for T`."""
    parameters = walk.read_line(node.child_by_field_name("type_parameters"))
    return re.search(rf"[<,]\s*{re.escape(name)}\s*[:,=>]", parameters) is not None


def _take_path(walk: CaptureWalk, node: Node) -> None:
    """Mark the names of a path as accounted for, but not its type arguments."""
    start, end = node.start_byte, node.end_byte
    angle = walk.text.find(b"<", start, end)
    walk.taken.update(walk.iter_words(start, end if angle < 0 else angle))


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
        flags=flags,
        access=access,
        parameters=walk.read_line(parameters),
        count=listed.count("parameter"),
        result=walk.read_line(node.child_by_field_name("return_type")),
        first_row=row,
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


# -- imports -----------------------------------------------------------------------------------------------


def _on_extern_crate(walk: CaptureWalk, node: Node) -> None:
    walk.take_words(node)
    name = walk.read(node.child_by_field_name("name"))
    alias = walk.read(node.child_by_field_name("alias")) or name
    walk.refer(ReferenceRole.IMPORT, "", node, name, alias)
    if _is_public(node):
        walk.refer(ReferenceRole.EXPORT, name, node, "", alias)


def _is_public(node: Node) -> bool:
    return any(one.type == "visibility_modifier" for one in node.children[:2])


def _on_use(walk: CaptureWalk, node: Node) -> None:
    """Add the imports of a tree of paths, flattened without recursion."""
    walk.take_words(node)
    is_public = _is_public(node)
    argument = node.child_by_field_name("argument")
    waiting: list[tuple[Node, str]] = [(argument, "")] if argument is not None else []
    for _ in range(MAX_USE_LEAVES):
        if not waiting:
            return
        one, before = waiting.pop()
        if one.type == "scoped_use_list":
            path = _join(before, _read_path(walk, one.child_by_field_name("path")))
            inner = one.child_by_field_name("list")
            waiting.extend((child, path) for child in reversed(inner.named_children if inner else []))
        elif one.type == "use_list":
            waiting.extend((child, before) for child in reversed(one.named_children))
        else:
            _refer_leaf(walk, one, before, is_public)


def _refer_leaf(walk: CaptureWalk, node: Node, before: str, is_public: bool) -> None:
    alias = ""
    if node.type == "use_wildcard":
        path = _read_path(walk, next(iter(node.named_children), None))
        name, qualifier = "*", _join(before, path)
    else:
        if node.type == "use_as_clause":
            alias = walk.read(node.child_by_field_name("alias"))
            path = _read_path(walk, node.child_by_field_name("path"))
        else:
            path = _read_path(walk, node)
        whole = before if path == "self" else _join(before, path)
        name, qualifier = split_path(whole)
        alias = alias or name
    walk.refer(ReferenceRole.IMPORT, name, node, qualifier, alias)
    if is_public:
        walk.refer(ReferenceRole.EXPORT, name, node, qualifier, alias)


def _read_path(walk: CaptureWalk, node: Node | None) -> str:
    return "".join(walk.read(node).split()).replace("::", ".").strip(".") if node is not None else ""


def _join(before: str, path: str) -> str:
    return f"{before}.{path}" if before and path else before or path


# -- local names -------------------------------------------------------------------------------------------


def _on_type_parameter(walk: CaptureWalk, node: Node) -> None:
    name, bounds = node.child_by_field_name("name"), node.child_by_field_name("bounds")
    if name is not None:
        walk.bind_parameter_type(name, bounds)
        _bind_bound(walk, name, bounds)


def _on_predicate(walk: CaptureWalk, node: Node) -> None:
    name, bounds = node.child_by_field_name("left"), node.child_by_field_name("bounds")
    if name is not None and bounds is not None:
        walk.note_bound(walk.read(name), walk.read_line(bounds))
        _bind_bound(walk, name, bounds)


def _bind_bound(walk: CaptureWalk, name: Node, bounds: Node | None) -> None:
    if bounds is None:
        walk.bind_bound(walk.read(name), UNKNOWN_TYPE, name)
        return
    if walk.scope.kind in TYPE_KINDS:
        walk.bind_bound(walk.read(name), walk.read_line(bounds), name)
        return
    for one in split_bounds(walk.read_line(bounds).lstrip(": "))[:MAX_BOUNDS]:
        walk.bind_type(walk.read(name), one, name)


def _on_parameter(walk: CaptureWalk, node: Node) -> None:
    walk.set_role(node, ReferenceRole.ACCEPT)
    pattern = node.child_by_field_name("pattern")
    if pattern is None:
        return
    if pattern.type == "identifier":
        type_text = walk.read_line(node.child_by_field_name("type"))
        walk.bind_type(walk.bind_name(pattern), type_text, pattern)
    else:
        _bind_pattern(walk, pattern)


def _on_self_parameter(walk: CaptureWalk, node: Node) -> None:
    walk.add_local("self")


def _on_let(walk: CaptureWalk, node: Node) -> None:
    pattern = node.child_by_field_name("pattern")
    if pattern is None:
        return
    if pattern.type != "identifier":
        _on_pattern_owner(walk, node)
        return
    walk.shadowing.delay(pattern.start_byte, pattern.end_byte, node.end_byte)
    name = walk.bind_name(pattern)
    type_node, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    note_bound(walk, name, pattern.start_byte).given = find_given(walk, value)
    if type_node is not None:
        walk.bind_type(name, walk.read_line(type_node), pattern)
    elif value is not None:
        bind_value(walk, name, value, pattern)


def _on_pattern(walk: CaptureWalk, node: Node) -> None:
    _bind_pattern(walk, node)
    on_match_pattern(walk, node)


def _on_pattern_owner(walk: CaptureWalk, node: Node) -> None:
    pattern = node.child_by_field_name("pattern")
    if pattern is not None:
        walk.shadowing.delay(pattern.start_byte, pattern.end_byte, node.end_byte)
        _bind_pattern(walk, pattern)
        bind_pattern(walk, pattern, walk.read_chain(node.child_by_field_name("value")))


def _on_if(walk: CaptureWalk, node: Node) -> None:
    """Open the block of the names that `if let` binds, which `else` does not see."""
    consequence = node.child_by_field_name("consequence")
    if consequence is not None:
        walk.shadowing.add_block(node.start_byte, consequence.end_byte)


def _bind_pattern(walk: CaptureWalk, node: Node) -> None:
    """Bind the lower-case words of a pattern."""
    condition = node.child_by_field_name("condition")
    end = condition.start_byte if condition is not None else node.end_byte
    for found in _PATTERN_WORD.finditer(walk.text, node.start_byte, end):
        if found.group(1) not in _NO_BINDING:
            walk.taken.add(found.start(1))
            name = found.group(1).decode("utf-8", "replace")
            walk.add_local(name)
            note_bound(walk, name, found.start(1))


# -- uses --------------------------------------------------------------------------------------------------


def _on_call(walk: CaptureWalk, node: Node) -> None:
    function = node.child_by_field_name("function")
    if function is not None and function.type == "generic_function":
        function = function.child_by_field_name("function")
    if function is not None:
        arguments = node.child_by_field_name("arguments")
        if function.type == "field_expression":
            note_given(walk, function, arguments)
        _refer_called(walk, function, count_arguments(walk, arguments))


def _refer_called(walk: CaptureWalk, function: Node, count: int) -> None:
    if function.type == "identifier":
        name, before = function, None
    elif function.type == "field_expression":
        field = function.child_by_field_name("field")
        if field is None or field.type == "integer_literal":
            return
        name, before = field, function.child_by_field_name("value")
    elif function.type == "scoped_identifier":
        _refer_path(walk, function, ReferenceRole.CALL, count)
        return
    else:
        return
    walk.taken.add(name.start_byte)
    walk.refer(ReferenceRole.CALL, walk.read(name), name, walk.read_chain(before), "", count)


def _refer_path(walk: CaptureWalk, node: Node, role: ReferenceRole, count: int = 0) -> None:
    """Add a row for `a::b::c` and mark its names as accounted for, but not its type arguments."""
    start = node.start_byte
    _take_path(walk, node)
    name_node, path_node = node.child_by_field_name("name"), node.child_by_field_name("path")
    if name_node is None:
        return
    walk.taken.update((-1 - start, name_node.start_byte))
    named = _find_trait(path_node) if path_node is not None else None
    qualifier = walk.read_chain(named or path_node) if path_node is not None else ""
    name, path = walk.read(name_node), PATH if qualifier[:1].islower() else ""
    if role is ReferenceRole.TYPE:
        walk.refer_type(name_node, name, qualifier, path)
    else:
        walk.refer(role, name, name_node, qualifier, path, count)
    last = qualifier.rpartition(".")[2]
    if last[:1].isupper() and last != "Self" and path_node is not None and named is None:
        before = qualifier.rpartition(".")[0]
        walk.refer(ReferenceRole.TYPE, last, path_node, before, PATH if before[:1].islower() else "")


def _find_trait(path: Node) -> Node | None:
    """Return the trait's name in `<Ix as IndexType>`, or None."""
    inside = next(iter(path.named_children), None) if path.type == "bracketed_type" else None
    trait = inside.child_by_field_name("alias") if inside is not None else None
    return trait.child_by_field_name("type") if trait is not None and trait.type == "generic_type" else trait


def _on_macro_call(walk: CaptureWalk, node: Node) -> None:
    macro = node.child_by_field_name("macro")
    if macro is None:
        return
    name, qualifier = split_path(walk.read_chain(macro))
    walk.taken.update((*walk.iter_words(macro.start_byte, macro.end_byte), -1 - macro.start_byte))
    walk.refer(ReferenceRole.CALL, name, macro, qualifier, OF_MACRO)
    bind_in_tokens(walk, node)


def _on_literal(walk: CaptureWalk, node: Node) -> None:
    name_node = node.child_by_field_name("name")
    if name_node is not None and name_node.type == "generic_type_with_turbofish":
        name_node = name_node.child_by_field_name("type")
    if name_node is None:
        return
    refer_fields(walk, node.child_by_field_name("body"), name_node)
    if name_node.type == "scoped_type_identifier":
        _refer_path(walk, name_node, ReferenceRole.CALL)
    elif name_node.type == "type_identifier":
        walk.taken.add(name_node.start_byte)
        walk.refer(ReferenceRole.CALL, walk.read(name_node), name_node)


def _on_field_access(walk: CaptureWalk, node: Node) -> None:
    field = node.child_by_field_name("field")
    if field is not None and field.type == "field_identifier" and field.start_byte not in walk.taken:
        qualifier = walk.read_chain(node.child_by_field_name("value"))
        walk.refer(ReferenceRole.USE, walk.read(field), field, qualifier)


def _on_scoped(walk: CaptureWalk, node: Node) -> None:
    if node.start_byte not in walk.taken and -1 - node.start_byte not in walk.taken:
        _refer_path(walk, node, ReferenceRole.USE)


def _on_scoped_type(walk: CaptureWalk, node: Node) -> None:
    if node.start_byte not in walk.taken and -1 - node.start_byte not in walk.taken:
        _refer_path(walk, node, ReferenceRole.TYPE)


RUST = Dialect(
    "rust",
    {
        "block": on_block,
        "if": _on_if,
        "comment": on_comment,
        "attribute": _on_attribute,
        "use": _on_use,
        "extern_crate": _on_extern_crate,
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
        "parameter": _on_parameter,
        "self_parameter": _on_self_parameter,
        "let": _on_let,
        "pattern_owner": _on_pattern_owner,
        "pattern": _on_pattern,
        "bounds": _on_bounds,
        "types": on_types,
        "call": _on_call,
        "macro_call": _on_macro_call,
        "token_name": on_token_name,
        "tuple_pattern": on_tuple_pattern,
        "token": on_token,
        "literal": _on_literal,
        "struct_pattern": on_struct_pattern,
        "match": on_match,
        "for": on_for,
        "closure": on_closure,
        "field_access": _on_field_access,
        "scoped": _on_scoped,
        "scoped_type": _on_scoped_type,
        "type": on_type,
    },
    BUILTINS,
    walls=frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD}),
    has_paths=True,
)
