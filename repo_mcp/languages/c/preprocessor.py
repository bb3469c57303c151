"""Includes and macros of C, and what macros declare.

The body of a macro is not in the tree, so the names in it are found in its text. In kernel code,
`DEFINE_MUTEX(lock)` and the like declare a variable, `SYSCALL_DEFINE3(open, ...) {` a function, and
`TRACE_EVENT(run, ...)` an event and the function `trace_run`. The variable of `DEFINE_bool(size, ...)`, by
gflags, is `FLAGS_size`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from repo_mcp.languages.c.listed_members import declare_listed_members
from repo_mcp.languages.c.macro_arguments import bind_namespace, is_pasting
from repo_mcp.languages.c.macro_fields import declare_macro_fields
from repo_mcp.languages.c.pasting_macros import Called, Template, iter_declared, list_templates
from repo_mcp.languages.c.typed_macros import find_event_end
from repo_mcp.languages.treesitter.blanking import join_blanked
from repo_mcp.languages.treesitter.capture_scopes import OWN_EXTENT, Extent
from repo_mcp.languages.treesitter.capture_walk import CaptureWalk
from repo_mcp.symbols.record_builder import Head
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolFlag, SymbolKind

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
MAX_BLOCK_BYTES = 1 << 18  # bytes of a function whose head is a macro that are read
MAX_GAP_BYTES = 80  # between the head of a function and its body
_BRACE = re.compile(rb"[{}]")
_NO_NAMES = re.compile(
    rb"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|#[ \t]*\w+|/\*.*?(?:\*/|\Z)|//[^\n]*", re.S
)
_MACRO_NAME = re.compile(rb"(?:(->|\.|\b(?:struct|union|enum)\b)\s*)?(?<![\w.])([A-Za-z_]\w*)(?:[ \t]*(\())?")
_MEMBER_MARKS = frozenset({b"->", b"."})
_TYPE_MARKS = frozenset({b"struct", b"union", b"enum"})
_VARIABLE_MACRO = re.compile(r"(?:DEFINE|DECLARE)_\w+|LIST_HEAD|HLIST_HEAD|RADIX_TREE|BLOCKING_NOTIFIER_HEAD")
# Options of a command, by gflags and by Abseil
_FLAG = "FLAGS_"  # before their names in code
_TYPED_FLAG = "ABSL_FLAG"  # its type comes before its name
_FLAG_MACRO = re.compile(
    rf"(?:[A-Z0-9]+_)*(?:DEFINE|DECLARE)_(?:bool|double|string|u?int(?:32|64))|{_TYPED_FLAG}"
)
_SYSTEM_CALL = re.compile(r"(?:COMPAT_)?SYSCALL_DEFINE\d")
# An event of a trace, and the function that traces it; a class of events has none. Further ones set flags.
_EVENT_MACRO = re.compile(
    r"(TRACE|DEFINE)_EVENT(?:_(?!FLAGS|PERF)[A-Z]+)*|(DECLARE)_EVENT_CLASS(?:_[A-Z]+)*|DECLARE_TRACE(?:_[A-Z]+)*"
)
_DECLARING = re.compile(
    "|".join(one.pattern for one in (_VARIABLE_MACRO, _FLAG_MACRO, _SYSTEM_CALL, _EVENT_MACRO))
)
MAX_DECLARED = 24  # by one call
MAX_EXPANDED = 500  # names and calls of macros that one call stands for
_SOURCES = (".c", ".cc", ".cpp", ".cxx")


def on_include(walk: CaptureWalk, node: Node) -> None:
    """Add an import, whose qualifier is the path; "<" stands before it if it was written in `<>`."""
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
    walk.declare(
        node, walk.read(name_node), kind, Head(flags=flags, parameters=text, parameter_count=len(names))
    )
    for one in parameters.named_children if parameters is not None else ():
        walk.taken.add(one.start_byte)
    if value is not None and parameters is None:
        bind_namespace(walk, value)
    if value is not None and not declare_macro_fields(walk, node, value):
        _refer_in_macro(walk, value, frozenset(names) | _KEYWORDS)
        if len(names) == 1:
            declare_listed_members(walk, node, value, walk.read(name_node), names[0])


def _refer_in_macro(walk: CaptureWalk, value: Node, known: frozenset[str]) -> None:
    """Add the names in the body of a macro, without its parameters: calls, types, members and values."""
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


def on_loop(walk: CaptureWalk, node: Node) -> None:
    """Add the call of a macro that heads a block; in the parsed text it is a `while`."""
    start = node.start_byte
    if walk.text[start : start + 5] != b"while":
        end = walk.text.find(b"(", start, node.end_byte)
        name = walk.text[start : max(start, end)].decode("utf-8", "replace").strip()
        if name.isidentifier():
            walk.refer(ReferenceRole.CALL, name, node)


def declare_by_macro(walk: CaptureWalk, node: Node, macro: str, arguments: Node) -> None:
    """Declare what a macro outside functions declares."""
    templates = list_templates(walk.text)
    if macro not in templates and not _DECLARING.match(macro):
        return
    found = [*islice(_iter_named(walk, macro, arguments, templates), MAX_DECLARED)]
    if not found:
        return
    _take_declaring(walk, arguments, found)
    end = _find_end(walk, node, macro, arguments)
    last_row = node.start_point.row + walk.text.count(b"\n", node.start_byte, end)
    body = Extent(last_row=last_row, end=end)
    found.sort(key=lambda one: one[1] is SymbolKind.FUNCTION)  # the last one has the body
    for name, kind, flags in found:
        opens = kind is SymbolKind.FUNCTION and name == found[-1][0]
        extent = OWN_EXTENT if kind is SymbolKind.VARIABLE else body
        walk.declare(node, name, kind, Head(flags=flags), extent=extent, opens=opens)


def _take_declaring(walk: CaptureWalk, arguments: Node, found: Sequence[tuple[str, SymbolKind, int]]) -> None:
    """Mark the arguments that are parts of declared names as no uses; of the head of a function, all."""
    if all(kind is SymbolKind.FUNCTION for _, kind, _ in found):
        walk.take_words(arguments)
        return
    for one in arguments.named_children:
        if any(walk.read(one) in name for name, _, _ in found):
            walk.taken.add(one.start_byte)


def _iter_named(
    walk: CaptureWalk, macro: str, arguments: Node, templates: Mapping[str, Template]
) -> Iterator[tuple[str, SymbolKind, int]]:
    """Yield the name, the kind and the flags of all that a call declares."""
    end = arguments.end_byte - 1
    if walk.text[end : end + 1] not in (b")", b","):  # its end was moved in the parsed text
        end = max(end, walk.text.find(b")", end))
    given = walk.text[arguments.start_byte + 1 : end].decode("utf-8", "replace").split(",")
    expanded = iter_declared(templates, macro, [each.strip() for each in given])
    for one in islice(expanded, MAX_EXPANDED):
        if isinstance(one, Called):
            names = [each for each in one.arguments[:2] if each.isidentifier()]
            yield from _iter_known(one.macro, names, in_header=not walk.file_name.endswith(_SOURCES))
        elif one[0].isidentifier():
            name, is_function = one
            kind = SymbolKind.FUNCTION if is_function else SymbolKind.VARIABLE
            yield name, kind, SymbolFlag.PUBLIC_API


def _iter_known(
    macro: str, names: Sequence[str], *, in_header: bool
) -> Iterator[tuple[str, SymbolKind, int]]:
    """Yield what a macro declares by its name alone, given its first arguments that are names."""
    if not names:
        return
    event = _EVENT_MACRO.fullmatch(macro)
    if event is not None:
        name = names[-1] if event[1] == "DEFINE" else names[0]
        yield name, SymbolKind.EVENT, SymbolFlag.PUBLIC_API
        if not event[2]:
            yield f"trace_{name}", SymbolKind.FUNCTION, SymbolFlag.PUBLIC_API
    elif _SYSTEM_CALL.fullmatch(macro):
        yield f"sys_{names[0]}", SymbolKind.FUNCTION, SymbolFlag.PUBLIC_API
    elif _FLAG_MACRO.fullmatch(macro):
        name = names[-1 if macro == _TYPED_FLAG else 0]
        yield _FLAG + name, SymbolKind.VARIABLE, SymbolFlag.FORWARD * ("DECLARE_" in macro)
    elif _VARIABLE_MACRO.fullmatch(macro):
        is_per_cpu = "PER_CPU" in macro
        is_forward = macro.startswith("DECLARE_") and (in_header or is_per_cpu)
        name = names[is_per_cpu and len(names) > 1]
        yield name, SymbolKind.VARIABLE, SymbolFlag.FORWARD * is_forward


def take_names(walk: CaptureWalk, node: Node, arguments: Node) -> None:
    """Mark the plain names in the head of a function that is a macro as no uses: `TEST(run) {`."""
    end = node.end_byte
    if walk.text[end : end + MAX_GAP_BYTES].lstrip()[:1] == b"{":
        walk.taken.update(one.start_byte for one in arguments.named_children if one.type == "identifier")


def _find_end(walk: CaptureWalk, node: Node, macro: str, arguments: Node) -> int:
    """Return the end of what a call declares: of an event, a block in the parsed text, or of its block."""
    is_event = _EVENT_MACRO.fullmatch(macro) is not None
    end = find_event_end(walk.text, arguments.start_byte + 1) if is_event else 0
    return end or _find_block_end(walk, node.end_byte)


def _find_block_end(walk: CaptureWalk, start: int) -> int:
    """Return the end of the block that begins at a byte offset; the offset itself if there is none."""
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
