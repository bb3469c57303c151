"""A Rust text in which calls of its own macros are replaced by the items that they expand to.

A call stays as `name!{;}`, followed by its items. What a name in the call declares is on the line of that
name; what a name in the definition declares has the lines of the call. A name in a call counts as used once,
where it is declared or used first. Names in the definition are uses by the macro, where it is defined, and
not in its calls.

Left out on purpose: macros of other files, which the parser of one file does not see; definitions inside
functions; and calls that are statements, expressions or types.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from repo_mcp.languages.rust.macros import Arm, Expansion, read_arms
from repo_mcp.languages.rust.tokens import (
    CLOSING,
    Group,
    Steps,
    Token,
    Tree,
    UndecidedMacro,
    read_trees,
)
from repo_mcp.languages.treesitter.capture_walk import CaptureWalk, Dialect
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.record_builder import SymbolRecordBuilder
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Captures, Node

MAX_STEPS = 300_000  # steps for all macros of a file: a third of a second
MAX_CALLS = 5_000  # of one file
MAX_TEXT_BYTES = 300_000  # of a file that is expanded, because it is parsed twice
MAX_ADDED_BYTES = 300_000  # by all calls of a file
_STANDARD = b"""macro_rules! thread_local {
    ($($(#[$a:meta])* $v:vis static $name:ident : $t:ty = $(const)? $e:expr);* $(;)?) => {
        $($(#[$a])* $v static $name: std::thread::LocalKey<$t> = $e;)*
    };
}"""
_DEFINED = re.compile(rb"macro_rules!\s*(\w++)\s*([({\[])")
_HOLDING = frozenset({"module", "implementation", "trait"})  # captures of nodes that items may be in
_OTHER = (
    "function", "block", "macro", "macro_call", "constant", "static", "struct", "union", "enum",
    "type_alias", "use", "attribute", "if",
)  # fmt: skip
_WORD_END = re.compile(rb"[\w\x80-\xff]\Z")
_WORD_START = re.compile(rb"[\w\x80-\xff'\"]")
_BEFORE_ITEM = frozenset((b";", b",", b"}", b")", b"]"))
_QUOTING = frozenset((b"stringify", b"concat"))
_USED = frozenset({ReferenceRole.CALL, ReferenceRole.USE, ReferenceRole.TYPE, ReferenceRole.ACCEPT})

Piece = tuple[bytes, int, bool]  # text, its line or 0, and whether the names in it are no uses


@dataclass(frozen=True, slots=True)
class _Place:
    """A part of an expanded text that comes from one line of the source, or is an exact copy of it."""

    start: int  # byte offset in the expanded text
    offset: int  # byte offset of the same text in the source; -1 in an expansion
    line: int  # line in the source, if it comes from a call
    is_silent: bool  # the names in it are no uses
    call: tuple[int, int]  # first and last line of the call


class ExpandedText:
    """An expanded text, with the places of its parts in the source."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._breaks = [found.start() for found in re.finditer(rb"\n", source)]
        self._places: list[_Place] = []
        self._starts: list[int] = []
        self._copied = 0
        self._parts: list[bytes] = []
        self._length = 0
        self.added = 0  # bytes of all expansions

    @property
    def text(self) -> bytes:
        """Return the whole text, when it is finished."""
        return b"".join(self._parts)

    @property
    def line_count(self) -> int:
        """Return the number of lines of the source."""
        return len(self._breaks) + (not self._source.endswith(b"\n"))

    def copy(self, end: int) -> None:
        """Add the source up to an offset, from the end of the last copy or call."""
        self._add(self._source[self._copied : end], _Place(self._length, self._copied, 0, False, (0, 0)))
        self._copied = end

    def replace_call(self, first: int, last: int, items: Sequence[Piece]) -> None:
        """Add the items that a call expands to, whose arguments are between two offsets of the source."""
        self._add(b"!{;} ", _Place(self._length, first, 0, False, (0, 0)))
        call = self.find_source_line(first), self.find_source_line(last - 1)
        for text, line, is_silent in items:
            self._add(text, _Place(self._length, -1, line, is_silent, call))
            self.added += len(text)
        self._add(b" ", _Place(self._length, last, 0, False, (0, 0)))
        self._copied = last

    def _add(self, text: bytes, place: _Place) -> None:
        self._places.append(place)
        self._starts.append(place.start)
        self._parts.append(text)
        self._length += len(text)

    def find_source_line(self, offset: int) -> int:
        """Return the line of an offset in the source."""
        return bisect_right(self._breaks, offset - 1) + 1

    def find_place(self, start: int) -> _Place:
        """Return the part that has an offset of the expanded text."""
        return self._places[bisect_right(self._starts, start) - 1]

    def find_line(self, start: int) -> int:
        """Return the line in the source for an offset in the expanded text."""
        place = self.find_place(start)
        return place.line if place.offset < 0 else self.find_source_line(place.offset + start - place.start)


class ExpandedWalk(CaptureWalk):
    """The walk over an expanded text, whose rows have the lines of the source."""

    def __init__(self, dialect: Dialect, file_name: str, expanded: ExpandedText) -> None:
        super().__init__(dialect, file_name, expanded.text)
        self._expanded = expanded
        self.builder = SymbolRecordBuilder(file_name, expanded.line_count)

    def find_line(self, start: int) -> int:
        """Return the line in the source."""
        return self._expanded.find_line(start)

    def find_lines(self, node: Node, row: int, last_row: int) -> tuple[int, int]:
        """Return the first and the last line of a declaration in the source."""
        name = node.child_by_field_name("name") or node.child_by_field_name("type") or node
        place = self._expanded.find_place(name.start_byte)
        if place.offset >= 0:
            first = self.find_line(node.start_byte) - max(0, node.start_point.row - row)
            return first, max(first, self.find_line(node.end_byte - 1))
        if place.is_silent or node.type == "impl_item":
            return place.call
        return place.line, max(place.line, self._expanded.find_line(node.end_byte - 1))

    def refer(
        self,
        role: ReferenceRole,
        name: str,
        node: Node,
        qualifier: str = "",
        alias: str = "",
        arguments: int = 0,
    ) -> None:
        """Add a row, unless it is a use in the definition of a macro."""
        if role not in _USED or not self._expanded.find_place(node.start_byte).is_silent:
            super().refer(role, name, node, qualifier, alias, arguments)

    def encode(self) -> bytes:
        """Return the record of the text, without the names that stand in the definition of a macro."""
        find = self._expanded.find_place
        values = self._gathered.values
        values[:] = [one for one in values if not find(one[1]).is_silent]
        return super().encode()


def expand_calls(text: bytes, found: Captures) -> ExpandedText | None:
    """Return the text with expanded calls of its macros; None if no call can be expanded."""
    has_macros = b"macro_rules!" in text or b"thread_local!" in text
    if not has_macros or len(text) > MAX_TEXT_BYTES:
        return None
    steps = Steps(MAX_STEPS)
    definitions, calls = _list_items(found)
    macros, places = _read_macros(text, definitions, steps)
    if not macros:
        return None
    expansion, expanded = Expansion(macros, steps), ExpandedText(text)
    for node in calls[:MAX_CALLS]:
        name_node = node.child_by_field_name("macro")
        start, end = places.get(_read(text, name_node), (0, 0))
        if name_node is not None and start <= node.start_byte < end:
            items = _expand_call(text, name_node, node.end_byte, expanded, expansion)
            if items:
                expanded.copy(name_node.end_byte)
                expanded.replace_call(name_node.end_byte, node.end_byte, items)
        if expanded.added > MAX_ADDED_BYTES:
            break
    if not expanded.added:
        return None
    expanded.copy(len(text))
    return expanded


def _read(text: bytes, node: Node | None) -> bytes:
    return text[node.start_byte : node.end_byte] if node is not None else b""


def _expand_call(
    text: bytes, name: Node, end: int, expanded: ExpandedText, expansion: Expansion
) -> Sequence[Piece]:
    """Return the parts that a call expands to; nothing if that is uncertain."""
    start, steps = name.end_byte, expansion.steps
    try:
        line = expanded.find_source_line(start)
        given = read_trees(text, start, end, line, steps)
        group = given[1] if len(given) > 1 else None
        if not isinstance(group, Group):
            return ()
        return _Flattening(steps).flatten(expansion.expand(_read(text, name), group.trees), line)
    except UndecidedMacro:
        return ()


def _list_items(found: Captures) -> tuple[list[tuple[Node, int]], list[Node]]:
    """Return the macro definitions and the macro calls that are items.

    Each definition comes with the end of the module around it.
    """
    names = (*_HOLDING, *_OTHER)
    definitions: list[tuple[Node, int]] = []
    calls: list[Node] = []
    modules, outer_end = [1 << 62], 0
    for start, end, rank, node in found.iter_in_order(names):
        name = names[rank]
        if start < outer_end:
            continue
        while modules[-1] <= start:
            modules.pop()
        if name == "module":
            modules.append(end)
        elif name not in _HOLDING:
            outer_end = end
            if name == "macro":
                definitions.append((node, modules[-1]))
            elif name == "macro_call":
                calls.append(node)
    return definitions, calls


def _read_macros(
    text: bytes, definitions: Sequence[tuple[Node, int]], steps: Steps
) -> tuple[Mapping[bytes, Sequence[Arm]], Mapping[bytes, tuple[int, int]]]:
    """Return the arms of each macro, and where it may be called; without macros that are defined twice."""
    macros: dict[bytes, Sequence[Arm]] = {}
    places: dict[bytes, tuple[int, int]] = {}
    for name, arms, start, end in _iter_macros(text, definitions, steps):
        if name in places:
            macros.pop(name, None)
            places[name] = 0, 0
            continue
        places[name] = start, end
        if arms:
            macros[name] = arms
    if b"thread_local!" in text and b"thread_local" not in places:
        macros[b"thread_local"] = _read_standard()
        places[b"thread_local"] = 0, len(text)
    return macros, {name: place for name, place in places.items() if name in macros}


def _iter_macros(
    text: bytes, definitions: Sequence[tuple[Node, int]], steps: Steps
) -> Iterator[tuple[bytes, Sequence[Arm], int, int]]:
    for node, end in definitions:
        found = _DEFINED.match(text, node.start_byte, node.end_byte)
        if found is not None:
            try:
                (body,) = read_trees(text, found.start(2), _find_end(text, node), 0, steps)
                arms = read_arms(body.trees) if isinstance(body, Group) else []
            except (UndecidedMacro, ValueError):
                arms = []
            yield found.group(1), arms, node.end_byte, end


def _find_end(text: bytes, node: Node) -> int:
    """Return where the brackets of a definition end, before a semicolon."""
    end = node.end_byte
    return end - 1 if text[end - 1 : end] == b";" else end


def _read_standard() -> Sequence[Arm]:
    start = _STANDARD.index(b"{")
    (body,) = read_trees(_STANDARD, start, len(_STANDARD), 0, Steps(1_000))
    assert isinstance(body, Group)
    return read_arms(body.trees)


class _Flattening:
    """The text of token trees, with the line of each part."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._seen: set[int] = set()
        self._parts: list[Piece] = []

    def flatten(self, trees: Sequence[Tree], first: int) -> list[Piece]:
        """Return the parts of a text, each with a line.

        A part of the definition gets the line of the next part of the call; a closing mark that of the part
        before it.
        """
        self._add(trees, is_quoted=False)
        parts = self._parts
        line = first
        for at, (text, own_line, is_silent) in enumerate(parts):
            line = own_line or line
            if not own_line and text.strip() in _BEFORE_ITEM:
                parts[at] = text, line, is_silent
        after = line
        for at in range(len(parts) - 1, -1, -1):
            text, own_line, is_silent = parts[at]
            after = own_line if own_line and text.strip() not in _BEFORE_ITEM else after
            parts[at] = text, own_line or after, is_silent
        return parts

    def _add(self, trees: Sequence[Tree], *, is_quoted: bool) -> None:
        for at, one in enumerate(trees):
            self._steps.take()
            if isinstance(one, Token):
                if not _is_doc(one, trees, at + 1):
                    self._add_token(one, is_quoted=is_quoted)
                continue
            before = trees[at - 1] if at else None
            if one.bracket == b"[" and isinstance(before, Token) and before.text == b"#":
                doc = _find_doc(one)
                if doc is not None:
                    self._parts.append((b"\n" + doc.text + b"\n", doc.line, True))
                    continue
                is_inner = True
            else:
                is_inner = is_quoted or _is_quoting(trees, at)
            if one.bracket:
                self._parts.append((b" " * one.is_spaced + one.bracket, 0, True))
            self._add(one.trees, is_quoted=is_inner)
            if one.bracket:
                self._parts.append((CLOSING[one.bracket], 0, True))

    def _add_token(self, one: Token, *, is_quoted: bool) -> None:
        self._steps.take(len(one.text) // 16)
        is_silent = not one.line or is_quoted or id(one) in self._seen
        if one.line and not is_quoted:
            self._seen.add(id(one))
        space = b" " if one.is_spaced or self._needs_space(one) else b""
        self._parts.append((space + one.text, one.line, is_silent))

    def _needs_space(self, one: Token) -> bool:
        if not self._parts:
            return False
        before, line, _ = self._parts[-1]
        if _WORD_END.search(before):
            return _WORD_START.match(one.text) is not None
        return one.kind == "mark" and bool(line) != bool(one.line)


def _is_doc(one: Token, trees: Sequence[Tree], at: int) -> bool:
    """Return whether a mark is the `#` of a doc comment."""
    behind = trees[at] if at < len(trees) else None
    return one.text == b"#" and isinstance(behind, Group) and _find_doc(behind) is not None


def _find_doc(group: Group) -> Token | None:
    """Return the doc comment in the brackets of an attribute; None if there is none."""
    inside = group.trees[0] if group.bracket == b"[" and len(group.trees) == 1 else None
    if isinstance(inside, Group) and not inside.bracket and len(inside.trees) == 1:
        inside = inside.trees[0]
    return inside if isinstance(inside, Token) and inside.kind == "doc" else None


def _is_quoting(trees: Sequence[Tree], at: int) -> bool:
    """Return whether a group holds what a macro turns into a string."""
    name = trees[at - 2] if at > 1 else None
    return isinstance(name, Token) and name.text in _QUOTING
