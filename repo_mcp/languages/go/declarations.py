"""The declarations, bound names and uses of Go, and the table of all its handlers.

A method belongs to the type of its receiver if the file has declared it above, otherwise to an EXTENSION of
that name. An embedded type is a field named after it and a base of the type that embeds it. An alias such as
`type A = B` is FORWARD, unlike `type A B`. What a build must have to include the file, by a line `//go:build`
or lines `// +build` above the package, is a row CONDITIONS. A line `//go:linkname` is a use of the symbol
that it names.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.go.texts import read_operand
from repo_mcp.languages.treesitter.capture_scopes import OpenScope
from repo_mcp.languages.treesitter.capture_walk import (
    CaptureWalk,
    Dialect,
    count_arguments,
    on_block,
    on_bound,
    on_comment,
    on_extend,
    on_inherit,
    on_taken,
    on_type,
    split_path,
)
from repo_mcp.languages.treesitter.source_text import find_first_child
from repo_mcp.languages.treesitter.type_names import read_type
from repo_mcp.symbols.model import CONDITIONS, LINKED, LINKED_STUB, OF_TYPE
from repo_mcp.symbols.record_builder import Head
from repo_mcp.symbols.symbol_record import Access, Binding, ReferenceRole, SymbolFlag, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

_BUILTINS_TEXT = """
_ append cap close complex copy delete imag len make new panic real recover true false nil iota any
bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string
uint uint8 uint16 uint32 uint64 uintptr
"""
BUILTINS = frozenset(_BUILTINS_TEXT.split())
BUILTIN = "builtin"  # the package of predeclared names, as in `interface { error }`
ARITHMETIC = "?+"  # the qualifier of a call on the value of such an expression, which is no struct
_WORD = re.compile(rb"[\w\x80-\xff]+")
MAX_LITERALS = 12  # nodes around a key that are searched: literals nested up to four times
_GO_BUILD = re.compile(rb"^//go:build[ \t]++(.*[^ \t\n])", re.M)
_PLUS_BUILD = re.compile(rb"^//[ \t]*\+build[ \t]++(.*[^ \t\n])", re.M)  # before Go 1.17
_LINKNAME = re.compile(rb"//go:linkname[ \t]+(\w+)[ \t]+(\S+)\.(\w+)\s*$")
_LIST = re.compile(r"(?:map)?\[[^\]]*\]")  # before the type of the items of a literal
_INDEXED = frozenset({"map_type", "slice_type", "array_type", "implicit_length_array_type"})
_DECLARING_TYPES = frozenset({"type_spec", "type_alias"})
_TYPE_KINDS = {"struct_type": SymbolKind.STRUCT, "interface_type": SymbolKind.INTERFACE}


def _find_access(name: str) -> tuple[Access, int]:
    """Return access and flags of a name: those that begin with a capital are exported."""
    return (Access.PUBLIC, SymbolFlag.PUBLIC_API) if name[:1].isupper() else (Access.INTERNAL, 0)


def _on_comment(walk: CaptureWalk, node: Node) -> None:
    on_comment(walk, node)
    found = _LINKNAME.match(walk.text, node.start_byte, node.end_byte)
    if found is not None:
        local, package, name = (one.decode("utf-8", "replace") for one in found.groups())
        kind = LINKED_STUB if local in _list_stubs(walk, node) else LINKED
        walk.refer(ReferenceRole.USE, name, node, package, local, kind)


def _list_stubs(walk: CaptureWalk, comment: Node) -> frozenset[str]:
    """Return the names of the functions without a body, which the first line `//go:linkname` looks for."""
    if walk.stubs is None:
        beside = comment.parent.named_children if comment.parent is not None else []
        functions = (one for one in beside if one.type == "function_declaration")
        stubs = (one for one in functions if one.child_by_field_name("body") is None)
        walk.stubs = frozenset(walk.read(one.child_by_field_name("name")) for one in stubs)
    return walk.stubs


def _on_package(walk: CaptureWalk, node: Node) -> None:
    constraint = _read_constraint(walk.text[: node.start_byte])
    if constraint:
        line = walk.find_line(node.start_byte)
        walk.builder.add_reference(0, ReferenceRole.BIND, constraint, line, alias=CONDITIONS)
    walk.declare_package(node, walk.read(node))


def _read_constraint(head: bytes) -> str:
    """Return the build constraint above a package, in the form of `//go:build`; "" if there is none."""
    line = _GO_BUILD.search(head)
    if line is not None:
        return line.group(1).decode("utf-8", "replace")
    each = [one.group(1).decode("utf-8", "replace") for one in _PLUS_BUILD.finditer(head)]
    # a space is "or", and a comma is "and"
    return " && ".join(f"({' || '.join(one.split())})".replace(",", " && ") for one in each)


def _on_import(walk: CaptureWalk, node: Node) -> None:
    path = walk.read(node.child_by_field_name("path")).strip('"`')
    alias = walk.read(node.child_by_field_name("name"))
    name = ""
    if alias == ".":
        name, alias = "*", ""
    elif not alias:
        alias = _guess_package(path)
    walk.imported.add(alias)
    walk.refer(ReferenceRole.IMPORT, name, node, path, alias)


def _guess_package(path: str) -> str:
    """Return the package name that an import path most often has."""
    parts = path.split("/")
    last = parts[-1]
    if len(parts) > 1 and last[:1] == "v" and last[1:].isdigit():
        last = parts[-2]
    head, dot, version = last.rpartition(".v")  # gopkg.in/yaml.v3
    if dot and version.isdigit():
        last = head
    return last.removeprefix("go-").replace("-", "_")


def _on_type_declaration(walk: CaptureWalk, node: Node) -> None:
    name_node, type_node = node.child_by_field_name("name"), node.child_by_field_name("type")
    if name_node is None:
        return
    walk.taken.add(name_node.start_byte)
    name = walk.read(name_node)
    kind = _TYPE_KINDS.get(type_node.type if type_node is not None else "", SymbolKind.TYPE)
    access, flags = _find_access(name)
    result = walk.read_line(type_node) if kind is SymbolKind.TYPE else ""
    if node.type == "type_alias" and kind is SymbolKind.TYPE:
        flags |= SymbolFlag.FORWARD
    ordinal = walk.declare(node, name, kind, Head(access=access, flags=flags, return_type=result))
    walk.types_by_name.setdefault(name, ordinal)


def _on_field(walk: CaptureWalk, node: Node) -> None:
    type_node = node.child_by_field_name("type")
    result = walk.read_line(type_node)
    names = node.children_by_field_name("name")
    kind = SymbolKind.PROPERTY
    if not names and type_node is not None:
        name = read_type(result).name
        access, flags = _find_access(name)
        walk.declare(type_node, name, kind, Head(access=access, flags=flags, return_type=result), opens=False)
    for name_node in names:
        name = walk.read(name_node)
        access, flags = _find_access(name)
        opens = name_node is names[-1]
        walk.declare(node, name, kind, Head(access=access, flags=flags, return_type=result), opens=opens)


def _on_embedded(walk: CaptureWalk, node: Node) -> None:
    if _is_of_declared_type(node):
        on_inherit(walk, node)


def _is_of_declared_type(embedded: Node) -> bool:
    """Return whether what embeds a type is declared by a name; `struct{ Base }{}` is only a value."""
    around = embedded.parent
    while around is not None and around.type not in _TYPE_KINDS:
        around = around.parent
    return around is not None and around.parent is not None and around.parent.type in _DECLARING_TYPES


def _on_base(walk: CaptureWalk, node: Node) -> None:
    if not _is_of_declared_type(node):
        return
    name = walk.read(node)
    if name in BUILTINS:
        walk.refer(ReferenceRole.EXTEND, name, node, BUILTIN)
    else:
        on_extend(walk, node)


def _on_method_element(walk: CaptureWalk, node: Node) -> None:
    _declare_callable(walk, node, SymbolKind.METHOD, flags=SymbolFlag.ABSTRACT)


def _on_function(walk: CaptureWalk, node: Node) -> None:
    _declare_callable(walk, node, SymbolKind.FUNCTION)


def _on_method(walk: CaptureWalk, node: Node) -> None:
    receiver = node.child_by_field_name("receiver")
    parameter = next(iter(receiver.named_children), None) if receiver is not None else None
    type_text = walk.read_line(parameter.child_by_field_name("type")) if parameter is not None else ""
    owner = read_type(type_text).name
    parent = walk.types_by_name.get(owner)
    if parent is None and owner and receiver is not None:
        access, flags = _find_access(owner)
        parent = walk.declare(
            node, owner, SymbolKind.EXTENSION, Head(access=access, flags=flags), opens=False
        )
        walk.types_by_name[owner] = parent
        walk.scopes.append(OpenScope(receiver.start_byte, parent, SymbolKind.EXTENSION, owner))
        walk.refer(ReferenceRole.EXTEND, owner, receiver)
        walk.scopes.pop()
    _declare_callable(walk, node, SymbolKind.METHOD, parent=parent)
    if receiver is not None:
        _take_receiver(walk, receiver)


def _take_receiver(walk: CaptureWalk, receiver: Node) -> None:
    """Bind the type arguments of a receiver, which is no parameter: its type is the parent."""
    start = receiver.start_byte
    names = [*_WORD.finditer(walk.text, start, receiver.end_byte)]
    walk.taken.update(found.start() for found in names)
    opening = walk.text.find(b"[", start, receiver.end_byte)
    for found in names:
        if 0 <= opening < found.start():
            walk.add_local(found.group().decode("utf-8", "replace"))


def _declare_callable(
    walk: CaptureWalk, node: Node, kind: SymbolKind, *, flags: int = 0, parent: int | None = None
) -> None:
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return
    walk.taken.add(name_node.start_byte)
    name = walk.read(name_node)
    parameters = node.child_by_field_name("parameters")
    count, variadic = _count_parameters(parameters)
    access, public = _find_access(name)
    walk.declare(
        node,
        name,
        kind,
        Head(
            flags=flags | public | (SymbolFlag.VARIADIC if variadic else 0),
            access=access,
            parameters=walk.read_line(parameters),
            parameter_count=count,
            return_type=walk.read_line(node.child_by_field_name("result")),
        ),
        parent=parent,
    )


def _count_parameters(node: Node | None) -> tuple[int, bool]:
    count, variadic = 0, False
    for child in node.named_children if node is not None else ():
        if child.type == "parameter_declaration":
            count += max(1, len(child.children_by_field_name("name")))
        elif child.type == "variadic_parameter_declaration":
            count, variadic = count + 1, True
    return count, variadic


def _on_constant(walk: CaptureWalk, node: Node) -> None:
    _declare_values(walk, node, SymbolKind.CONSTANT)


def _on_variable(walk: CaptureWalk, node: Node) -> None:
    _declare_values(walk, node, SymbolKind.VARIABLE)


def _declare_values(walk: CaptureWalk, node: Node, kind: SymbolKind) -> None:
    names = [one for one in node.children_by_field_name("name") if one.type == "identifier"]
    if names:
        walk.shadowing.delay(names[0].start_byte, names[-1].end_byte, node.end_byte)
    type_node, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    result = walk.read_line(type_node)
    if walk.is_local:
        _bind_names(walk, names, result, value)
        return
    values = value.named_children if value is not None else []
    for position, name_node in enumerate(names):
        walk.taken.add(name_node.start_byte)
        name = walk.read(name_node)
        access, flags = _find_access(name)
        said = result or (_find_made_type(walk, values[position]) if position < len(values) else "")
        opens = position == len(names) - 1
        walk.declare(node, name, kind, Head(access=access, flags=flags, return_type=said), opens=opens)


def _find_made_type(walk: CaptureWalk, value: Node) -> str:
    """Return the type of a value: that of a literal, or "make()" for a call."""
    if value.type == "unary_expression":
        value = value.child_by_field_name("operand") or value
    if value.type == "composite_literal":
        return walk.read_line(value.child_by_field_name("type"))
    if value.type == "call_expression":
        chain = walk.read_chain(value.child_by_field_name("function"))
        return "" if chain == "?" else f"{chain}()"
    return ""


def _strip(value: Node) -> Node:
    """Return a value without parentheses, `&` and `*`: a pointer has the members of what it points to."""
    for _ in range(MAX_LITERALS):
        inner = find_first_child(value)
        is_pointer = value.type == "unary_expression" and value.children[0].type in {"&", "*"}
        if inner is None or not (is_pointer or value.type == "parenthesized_expression"):
            break
        value = inner
    return value


def _bind_names(walk: CaptureWalk, names: list[Node], type_text: str, value: Node | None) -> None:
    values = value.named_children if value is not None else []
    for position, name_node in enumerate(names):
        name = walk.bind_name(name_node)
        if type_text:
            _bind_type(walk, name, type_text, name_node)
        elif position < len(values):
            _bind_value(walk, name, values[position], name_node)


def _bind_type(walk: CaptureWalk, name: str, text: str, node: Node) -> None:
    """Bind a variable to a written type; one without a name is read as `struct`."""
    walk.bind_type(name, text.replace("struct {", "struct{"), node)


def _bind_value(walk: CaptureWalk, name: str, value: Node, node: Node) -> None:
    value = _strip(value)
    said = _find_made_type(walk, value)
    if said.endswith("()"):
        qualifier, _, called = said[:-2].rpartition(".")
        if called == "new" and not qualifier:
            arguments = value.child_by_field_name("arguments")
            given = find_first_child(arguments) if arguments is not None else None
            if given is not None and given.type.endswith(("expression", "literal")):
                _bind_value(walk, name, given, node)
            else:
                walk.bind_type(name, walk.read_line(arguments).strip("() "), node)
        else:
            walk.bind_call(name, called, qualifier, node)
    elif said:
        _bind_type(walk, name, said, node)
    elif value.type == "type_assertion_expression":
        walk.bind_type(name, walk.read_line(value.child_by_field_name("type")), node)
    elif value.type in {"selector_expression", "index_expression"}:
        chain = walk.read_chain(value)
        if chain != "?":
            called, qualifier = split_path(chain)
            is_item = called == "[]"  # which has the type of that member
            form = Binding.CALLED if is_item else Binding.SAME
            walk.bind_call(name, called, qualifier, node, form)


def _on_type_parameter(walk: CaptureWalk, node: Node) -> None:
    for name in node.children_by_field_name("name"):
        if name.type == "identifier":
            bound = node.child_by_field_name("type")
            walk.bind_parameter_type(name, bound)
            if bound is not None:
                walk.bind_type_bounds(walk.read(name), walk.read_line(bound), name)


def _on_parameter(walk: CaptureWalk, node: Node) -> None:
    walk.set_role(node, ReferenceRole.ACCEPT)
    walk.shadowing.delay(node.start_byte, node.end_byte, node.end_byte)  # `config config`
    type_text = walk.read_line(node.child_by_field_name("type"))
    if node.type == "variadic_parameter_declaration":
        type_text = "..." + type_text
    for name_node in node.children_by_field_name("name"):
        if name_node.type == "identifier":
            walk.bind_type(walk.bind_name(name_node), type_text, name_node)


def _on_short_variable(walk: CaptureWalk, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is not None:
        walk.shadowing.delay(left.start_byte, left.end_byte, node.end_byte)
        names = [one for one in left.named_children if one.type == "identifier"]
        _bind_names(walk, names, "", right)


def _on_range(walk: CaptureWalk, node: Node) -> None:
    left = node.child_by_field_name("left")
    names = [one for one in left.named_children if one.type == "identifier"] if left is not None else []
    if left is not None:
        walk.shadowing.delay(left.start_byte, left.end_byte, node.end_byte)
    right = node.child_by_field_name("right")
    source = walk.read_chain(right)
    listed = _LIST.match(_find_made_type(walk, right)) if right is not None else None
    for position, name_node in enumerate(names):
        name = walk.bind_name(name_node)
        if position == 1 and listed is not None:
            _bind_type(walk, name, listed.string[listed.end() :], name_node)
        elif position == 1 and source != "?":  # an item has the type of the member "[]"
            walk.bind_call(name, "[]", source, name_node)


def _on_call(walk: CaptureWalk, node: Node) -> None:
    function = node.child_by_field_name("function") or node.child_by_field_name("type")
    for _ in range(4):
        if function is None or function.type not in {
            "parenthesized_expression",
            "generic_type",
            "index_expression",
        }:
            break
        inner = function.child_by_field_name("operand") or function.child_by_field_name("type")
        function = inner or next(iter(function.named_children), None)
    if function is None:
        return
    _refer_called(walk, function, count_arguments(walk, node.child_by_field_name("arguments")))


def _refer_called(walk: CaptureWalk, function: Node, count: int) -> None:
    if function.type in {"identifier", "type_identifier"}:
        walk.taken.add(function.start_byte)
        walk.refer(ReferenceRole.CALL, walk.read(function), function, "", "", count)
    elif function.type == "selector_expression":
        field = function.child_by_field_name("field")
        if field is not None:
            walk.taken.add(field.start_byte)
            operand = function.child_by_field_name("operand")
            qualifier = ARITHMETIC if _is_arithmetic(operand) else read_operand(walk, operand)
            walk.refer(ReferenceRole.CALL, walk.read(field), field, qualifier, "", count)
    elif function.type == "qualified_type":
        name = function.child_by_field_name("name")
        if name is not None:
            walk.taken.update((name.start_byte, function.start_byte))
            package = walk.read(function.child_by_field_name("package"))
            walk.refer(ReferenceRole.CALL, walk.read(name), name, package, "", count)


def _is_arithmetic(node: Node | None) -> bool:
    """Return whether an expression in parentheses has an operator between two operands."""
    for _ in range(MAX_LITERALS):
        if node is None or node.type != "parenthesized_expression":
            break
        node = next(iter(node.named_children), None)
    return node is not None and node.type == "binary_expression"


def _on_literal(walk: CaptureWalk, node: Node) -> None:
    made = node.child_by_field_name("type")
    if made is not None and made.type == "generic_type":
        made = made.child_by_field_name("type")
    if made is not None and made.type in {"type_identifier", "qualified_type"}:
        _refer_called(walk, made, 0)


def _on_key(walk: CaptureWalk, node: Node) -> None:
    """Add a key of a literal: a field of a struct; in a map or an array, any other name."""
    made, depth = _find_literal_type(node)
    for _ in range(depth):
        made = made and (made.child_by_field_name("element") or made.child_by_field_name("value"))
    if made is not None and made.type == "pointer_type":
        made = next(iter(made.named_children), None)
    if made is not None and made.type == "generic_type":
        made = made.child_by_field_name("type")
    if made is not None and made.type in _INDEXED:
        return
    walk.taken.add(node.start_byte)
    if made is not None and made.type in {"type_identifier", "qualified_type"}:
        walk.refer(ReferenceRole.USE, walk.read(node), node, walk.read(made), "", OF_TYPE)


def _find_literal_type(key: Node) -> tuple[Node | None, int]:
    """Return the type of the innermost typed literal around a key, and the depth of the key in it."""
    node, depth = key.parent, -1
    for _ in range(MAX_LITERALS):
        if node is None:
            break
        if node.type == "literal_value":
            depth += 1
        elif node.type == "composite_literal":
            return node.child_by_field_name("type"), depth
        node = node.parent
    return None, 0


def _on_selector(walk: CaptureWalk, node: Node) -> None:
    field = node.child_by_field_name("field")
    if field is not None and field.start_byte not in walk.taken:
        qualifier = read_operand(walk, node.child_by_field_name("operand"))
        walk.refer(ReferenceRole.USE, walk.read(field), field, qualifier)


def _on_qualified_type(walk: CaptureWalk, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None and name.start_byte not in walk.taken:
        walk.taken.add(name.start_byte)
        walk.refer_type(name, walk.read(name), walk.read(node.child_by_field_name("package")))


GO = Dialect(
    "go",
    {
        "comment": _on_comment,
        "block": on_block,
        "package": _on_package,
        "import": _on_import,
        "type_declaration": _on_type_declaration,
        "field": _on_field,
        "embedded": _on_embedded,
        "base": _on_base,
        "method_element": _on_method_element,
        "function": _on_function,
        "method": _on_method,
        "constant": _on_constant,
        "variable": _on_variable,
        "type_parameter": _on_type_parameter,
        "parameter": _on_parameter,
        "short_variable": _on_short_variable,
        "range": _on_range,
        "bound": on_bound,
        "label": on_taken,
        "key": _on_key,
        "call": _on_call,
        "literal": _on_literal,
        "selector": _on_selector,
        "qualified_type": _on_qualified_type,
        "type": on_type,
    },
    BUILTINS,
)
