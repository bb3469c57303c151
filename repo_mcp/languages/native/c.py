"""The handlers of captures in C.

Functions and variables that are `static` stay in their file; prototypes and `extern` variables are FORWARD. A
type named only by a `typedef` gets that name. The body of a macro is not in the tree, so its names are found
in its text. In kernel code, `DEFINE_MUTEX(lock)` and the like declare a variable, `SYSCALL_DEFINE3(open, ...)
{` a function.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.native.c_declarators import Declarator, count_parameters, read_declarator
from repo_mcp.languages.native.c_given import bind_namespace, is_pasting, read_given
from repo_mcp.languages.native.c_listed_members import declare_listed_members
from repo_mcp.languages.native.c_macro_fields import declare_macro_fields, refer_macro_fields
from repo_mcp.languages.native.c_members import (
    note_initialised,
    on_compound_literal,
    on_initializer,
    on_initializer_pair,
    on_member,
    on_offset,
)
from repo_mcp.languages.treesitter.blanking import join_blanked
from repo_mcp.languages.treesitter.capture_scopes import OpenScope
from repo_mcp.languages.treesitter.capture_walk import (
    FLAT_KINDS,
    CaptureWalk,
    Dialect,
    count_arguments,
    on_block,
    on_comment,
    on_type,
    read_called,
)
from repo_mcp.symbols.symbol_record import Access, ParseStatus, ReferenceRole, SymbolFlag, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

_BUILTINS_TEXT = """
NULL true false bool int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t
ssize_t u8 u16 u32 u64 s8 s16 s32 s64 uintptr_t intptr_t va_list ptrdiff_t off_t wchar_t uint ulong
ushort uchar defined __u8 __u16 __u32 __u64 __s8 __s16 __s32 __s64 __FILE__ __LINE__ __func__
__FUNCTION__ this override final va_start va_end va_arg va_copy sizeof offsetof typeof __typeof__
__builtin_expect nullptr static_cast dynamic_cast const_cast reinterpret_cast noexcept decltype
alignof typeid
"""
BUILTINS = frozenset(_BUILTINS_TEXT.split())
_KEYWORDS_TEXT = """
void char short int long float double signed unsigned const volatile static extern register inline
struct union enum typedef break continue auto restrict
if for while switch return sizeof do else case goto defined __attribute__ typeof __typeof__ alignof
asm __asm__ _Generic static_assert decltype noexcept catch
"""
_KEYWORDS = BUILTINS | frozenset(_KEYWORDS_TEXT.split())
MAX_BLOCK_BYTES = 1 << 18  # read of a function whose head is a macro
MAX_GAP_BYTES = 80  # between the head of a function and its body
MAX_HEAD_BYTES = 300  # of a declaration, searched for words such as `static`
_BRACE = re.compile(rb"[{}]")
_NO_NAMES = re.compile(
    rb"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|#[ \t]*\w+|/\*.*?(?:\*/|\Z)|//[^\n]*", re.S
)
_MACRO_NAME = re.compile(rb"(?:(->|\.|\b(?:struct|union|enum)\b)\s*)?(?<![\w.])([A-Za-z_]\w*)(?:[ \t]*(\())?")
_MEMBER_MARKS = frozenset({b"->", b"."})
_TYPE_MARKS = frozenset({b"struct", b"union", b"enum"})
_VARIABLE_MACRO = re.compile(r"(?:DEFINE|DECLARE)_\w+|LIST_HEAD|HLIST_HEAD|RADIX_TREE|BLOCKING_NOTIFIER_HEAD")
_SYSTEM_CALL = re.compile(r"(?:COMPAT_)?SYSCALL_DEFINE\d")
_OUTER_ARGUMENTS = re.compile(r"<[^<>]*>(?=\s*::)")  # of the outer class in a definition outside it


# -- the preprocessor --------------------------------------------------------------------------------------


def on_include(walk: CaptureWalk, node: Node) -> None:
    """Add an import whose qualifier is the path, with "<" before it if it was written so."""
    path = walk.read_line(node.child_by_field_name("path"))
    if path[:1] in {'"', "<"}:
        path = path.strip('"') if path[0] == '"' else path.rstrip(">")
        walk.refer(ReferenceRole.IMPORT, "", node, path)


def on_macro(walk: CaptureWalk, node: Node) -> None:
    """Declare the macro of a `#define`, and add the names in its body."""
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return
    walk.taken.add(name_node.start_byte)
    parameters, value = node.child_by_field_name("parameters"), node.child_by_field_name("value")
    text = walk.read_line(parameters)
    names = [one for one in text.strip("()").replace(" ", "").split(",") if one]
    is_public = walk.file_name.endswith((".h", ".hpp", ".hh", ".hxx"))
    flags = (SymbolFlag.VARIADIC if text.endswith("...)") else 0) | (
        SymbolFlag.PUBLIC_API if is_public else 0
    )
    if value is not None and is_pasting(walk, value, names):
        flags |= SymbolFlag.PASTING
    kind = SymbolKind.MACRO
    walk.declare(node, walk.read(name_node), kind, flags=flags, parameters=text, count=len(names))
    for one in parameters.named_children if parameters is not None else ():
        walk.taken.add(one.start_byte)
    if value is not None and parameters is None:
        bind_namespace(walk, value)
    if value is not None and not declare_macro_fields(walk, node, value):
        _refer_in_macro(walk, value, frozenset(names) | _KEYWORDS)
        if len(names) == 1:
            declare_listed_members(walk, node, value, walk.read(name_node), names[0])


def _refer_in_macro(walk: CaptureWalk, value: Node, known: frozenset[str]) -> None:
    """Add the names in the body of a macro, except its parameters: calls, types, members and values."""
    start = value.start_byte
    text = _NO_NAMES.sub(join_blanked, walk.text[start : value.end_byte])
    for found in _MACRO_NAME.finditer(text):
        before, word, bracket = found.groups()
        name = word.decode("ascii", "replace")
        if name in known and before not in _MEMBER_MARKS:
            continue
        if before in _TYPE_MARKS:
            role = ReferenceRole.TYPE
        else:
            role = ReferenceRole.CALL if bracket else ReferenceRole.USE
        qualifier = "?" if before in _MEMBER_MARKS else ""
        walk.refer_at(role, name, start + found.start(2), qualifier)


def on_tested(walk: CaptureWalk, node: Node) -> None:
    """Add the use of a macro by `#ifdef` or `defined`."""
    walk.taken.add(node.start_byte)
    walk.refer(ReferenceRole.USE, walk.read(node), node)


# -- types -------------------------------------------------------------------------------------------------


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
    ordinal = walk.declare(node, name, kind, access=access, flags=flags, parameters=arguments, parent=parent)
    walk.types_by_name.setdefault(name, ordinal)


def find_public_flag(walk: CaptureWalk, access: Access) -> int:
    """Return PUBLIC_API for a declaration that other files can reach, else 0."""
    hidden = access in {Access.PRIVATE, Access.PROTECTED} or walk.is_local or not walk.scope.is_open
    return 0 if hidden else SymbolFlag.PUBLIC_API


def on_enumerator(walk: CaptureWalk, node: Node) -> None:
    """Declare one value of an enum.

    Only values of an `enum class` have a type: their names need the enum's.
    """
    walk.taken.add(node.start_byte)
    scope = walk.scope
    flags = find_public_flag(walk, scope.access)
    result = scope.name if scope.ordinal in walk.scoped_enums else ""
    kind = SymbolKind.ENUM_MEMBER
    walk.declare(node, walk.read(node), kind, flags=flags, access=scope.access, result=result, opens=False)


def on_typedef(walk: CaptureWalk, node: Node) -> None:
    """Declare the alias of a `typedef`, or give an unnamed type its only name."""
    type_node = node.child_by_field_name("type")
    is_unnamed = type_node is not None and _is_unnamed(type_node)
    for declarator in node.children_by_field_name("declarator"):
        found = read_declarator(declarator)
        if found is None or found.name.type == "primitive_type":
            continue
        walk.taken.add(found.name.start_byte)
        name = walk.read(found.name)
        if is_unnamed and type_node is not None and not found.pointers and found.function is None:
            walk.names_to_come[type_node.start_byte] = name
            is_unnamed = False
            continue
        result = spell_type(walk, type_node, found)
        flags = find_public_flag(walk, walk.scope.access)
        ordinal = walk.declare(node, name, SymbolKind.TYPE, flags=flags, result=result, opens=False)
        walk.types_by_name.setdefault(name, ordinal)


def _is_unnamed(node: Node) -> bool:
    return node.child_by_field_name("body") is not None and node.child_by_field_name("name") is None


def spell_type(walk: CaptureWalk, node: Node | None, declarator: Declarator) -> str:
    """Return the type of a declaration, without its body."""
    if node is None:
        return ""
    body = node.child_by_field_name("body")
    end = body.start_byte if body is not None else node.end_byte
    text = walk.text[node.start_byte : min(end, node.start_byte + 300)].decode("utf-8", "replace")
    stars = declarator.pointers.replace("[]", "")
    said = " ".join(text.split()) + (" " + stars if stars else "")
    return said + "[]" * declarator.pointers.count("[]")


# -- functions and variables -------------------------------------------------------------------------------


def has_word(walk: CaptureWalk, node: Node, stop: int, word: bytes) -> bool:
    """Return True if a word is in a declaration before its name."""
    return word in _read_words(walk, node, stop)


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
    """Return whether a function without parameters is named like a macro that `#ifdef` tests.

    The grammar reads `struct a`, `#ifdef B`, `{}`, `#endif`, `;` as such a function.
    """
    start = found.name.start_byte
    line = walk.text[walk.text.rfind(b"\n", 0, start) + 1 : start] if found.function is None else b""
    return line.lstrip().startswith(b"#")


def declare_function(walk: CaptureWalk, node: Node, found: Declarator, flags: int) -> None:
    """Declare a function or its prototype."""
    walk.taken.add(found.name.start_byte)
    is_static = has_word(walk, node, found.name.start_byte, b"static")
    parameters = found.function.child_by_field_name("parameters") if found.function is not None else None
    count, variadic = count_parameters(parameters)
    flags |= SymbolFlag.STATIC if is_static else find_public_flag(walk, Access.NONE)
    flags |= (SymbolFlag.VARIADIC if variadic else 0) | find_deprecated_flag(walk, node)
    walk.declare(
        node,
        walk.read(found.name),
        SymbolKind.FUNCTION,
        flags=flags,
        parameters=walk.read_line(parameters),
        count=count,
        result=spell_type(walk, node.child_by_field_name("type"), found),
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
    for declarator in node.children_by_field_name("declarator"):
        found = read_declarator(declarator)
        if found is None:
            continue
        if found.function is not None:
            declare_function(walk, node, found, SymbolFlag.FORWARD)
        else:
            declare_variable(walk, node, type_node, found, opens=not has_body)
        if walk.scope.ordinal:
            walk.scopes.pop()
    reopen(walk, node, has_body)


def reopen(walk: CaptureWalk, node: Node, has_body: bool) -> None:
    """Open the scope of the last declared name again, so that its value belongs to it."""
    last = walk.last_declared
    if not has_body and last is not None and last.end == node.end_byte:
        walk.open(last)


def is_lost(walk: CaptureWalk, node: Node) -> bool:
    """Return whether a declaration is in a function that the grammar did not understand.

    In a text with errors, these are the indented declarations outside functions that do not declare a
    function: 31 of 31 in libuv and Redis.
    """
    if walk.builder.status is not ParseStatus.PARTIAL or walk.scope.kind is not SymbolKind.FILE:
        return False
    declarators = map(read_declarator, node.children_by_field_name("declarator"))
    has_function = any(one is not None and one.function is not None for one in declarators)
    return bool(node.start_point.column) and not has_function


def declare_variable(
    walk: CaptureWalk, node: Node, type_node: Node | None, found: Declarator, *, opens: bool
) -> None:
    """Declare a variable outside functions."""
    walk.taken.add(found.name.start_byte)
    words = _read_words(walk, node, found.name.start_byte)
    is_static = b"static" in words
    flags = SymbolFlag.FORWARD if b"extern" in words and found.value is None else 0
    flags |= SymbolFlag.STATIC if is_static else find_public_flag(walk, Access.NONE)
    kind = SymbolKind.CONSTANT if b"constexpr" in words else SymbolKind.VARIABLE
    result = spell_type(walk, type_node, found)
    note_initialised(walk, found.value, result)
    walk.declare(node, walk.read(found.name), kind, flags=flags, result=result, opens=opens)


def bind_variables(walk: CaptureWalk, node: Node, type_node: Node | None) -> None:
    """Bind variables inside a function, with their types."""
    for declarator in node.children_by_field_name("declarator"):
        found = read_declarator(declarator)
        if found is None:
            continue
        if found.function is None or found.value is not None or type_node is None:
            name, type_text = walk.bind_name(found.name), spell_type(walk, type_node, found)
            walk.bind_type(name, type_text, found.name)
            note_initialised(walk, found.value, type_text)
        else:
            walk.taken.add(found.name.start_byte)


def on_parameter(walk: CaptureWalk, node: Node) -> None:
    """Bind a parameter, whose type is accepted."""
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
            node, walk.read(found.name), kind, flags=SymbolFlag.PUBLIC_API, result=result, opens=opens
        )


def on_loose_block(walk: CaptureWalk, node: Node) -> None:
    """Open a function body whose head is a macro, so that its declarations are local."""
    scope = walk.scope
    if scope.kind not in FLAT_KINDS:
        return
    walk.open(OpenScope(node.end_byte, scope.ordinal, SymbolKind.FUNCTION, ""))


# -- calls -------------------------------------------------------------------------------------------------


def _on_call(walk: CaptureWalk, node: Node) -> None:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None:
        return
    if function.type == "field_expression":
        field = function.child_by_field_name("field")
        if field is not None:
            read_called(walk, field, function.child_by_field_name("argument"), arguments)
    elif function.type == "identifier":
        if walk.scope.kind in FLAT_KINDS and arguments is not None:
            declare_by_macro(walk, node, walk.read(function), arguments)
            take_names(walk, node, arguments)
        walk.taken.add(function.start_byte)
        name, macro = walk.read(function), walk.names_to_come.pop(function.start_byte, "")
        walk.refer(ReferenceRole.CALL, name, function, "", macro, count_arguments(walk, arguments))
        read_given(walk, name, arguments)


def on_attribute(walk: CaptureWalk, node: Node) -> None:
    """Mark the names in an attribute, which are not uses."""
    walk.take_words(node)


def on_loop(walk: CaptureWalk, node: Node) -> None:
    """Add the call of a macro that heads a block, which the parser saw as `while`."""
    start = node.start_byte
    if walk.text[start : start + 5] != b"while":
        end = walk.text.find(b"(", start, node.end_byte)
        name = walk.text[start : max(start, end)].decode("utf-8", "replace").strip()
        if name.isidentifier():
            walk.refer(ReferenceRole.CALL, name, node)


def declare_by_macro(walk: CaptureWalk, node: Node, macro: str, arguments: Node) -> None:
    """Declare what a macro outside functions declares."""
    names = [one for one in arguments.named_children[:2] if one.type == "identifier"]
    if not names:
        return
    if _SYSTEM_CALL.fullmatch(macro):
        name, kind = "sys_" + walk.read(names[0]), SymbolKind.FUNCTION
    elif _VARIABLE_MACRO.fullmatch(macro):
        name, kind = walk.read(names["PER_CPU" in macro and len(names) > 1]), SymbolKind.VARIABLE
    else:
        return
    walk.take_words(arguments)
    if kind is SymbolKind.VARIABLE:
        walk.declare(node, name, kind, opens=False)
        return
    end = _find_block_end(walk, node.end_byte)
    last_row = node.start_point.row + walk.text.count(b"\n", node.start_byte, end)
    walk.declare(node, name, kind, flags=SymbolFlag.PUBLIC_API, end=end, last_row=last_row)


def take_names(walk: CaptureWalk, node: Node, arguments: Node) -> None:
    """Mark the plain names that a macro at the head of a function turns into others: `TEST(run) {`."""
    end = node.end_byte
    if walk.text[end : end + MAX_GAP_BYTES].lstrip()[:1] == b"{":
        walk.taken.update(one.start_byte for one in arguments.named_children if one.type == "identifier")


def _find_block_end(walk: CaptureWalk, start: int) -> int:
    """Return the end of the block right after a byte offset; the offset itself if there is none."""
    text, depth = walk.text, 0
    if text[start : start + MAX_GAP_BYTES].lstrip(b"; \t\n")[:1] != b"{":
        return start
    limit = min(MAX_BLOCK_BYTES, walk.spare_bytes)
    for found in _BRACE.finditer(text, start, start + limit):
        depth += 1 if found.group() == b"{" else -1
        if depth == 0:
            walk.spare_bytes -= found.end() - start
            return found.end()
    walk.spare_bytes -= limit
    return start


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
    is_preprocessed=True,
)
