"""The declarations of a capture walk: open scopes, local names, doc comments and attributes.

Text under captured nodes is taken as written, on one line, or as chains of dotted names. These are read by
their characters, not by their nodes: `a->b(x).c[1]` is "a.b().c.[]" in every language. Texts are cut before
they are read, and bracketed parts are dropped from the inside out at most a few times, so that no chain costs
more than its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from repo_mcp.languages.treesitter.assigned_values import name_assigned
from repo_mcp.languages.treesitter.source_text import KEPT_CHAINS, SourceText
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.record_builder import BARE_HEAD, Head, SymbolRecordBuilder
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    TYPE_KINDS,
    Access,
    ParseStatus,
    SymbolFlag,
    SymbolKind,
)

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MAX_SCOPES = 400  # nested scopes; deeper ones are not opened, and the record is partial
NO_END = 1 << 62
MAX_CHAIN_BYTES = 2_400  # of the text before a called name; a longer one becomes "?"
MAX_TAKEN_BYTES = 1 << 16  # words in one node that are marked at most: nodes may be nested

_STRINGS = re.compile(rb'"[^"\\\n]*"')
_ROUND = re.compile(rb"\([^()\[\]{}]*\)")
_SQUARE = re.compile(rb"\s*\[[^()\[\]{}]*\]")
_CURLY = re.compile(rb"\s*\{[^()\[\]{}]*\}")
# A range of a list is a list: `a[1..]`, in Rust also `a.get(1..)`.
_RANGE = rb"(?:(?!\.\.)[^()\[\]{}])*\.\.[^()\[\]{}]*+"
_RANGES = re.compile(rb"\s*+\[%b\]" % _RANGE)
_SLICING = re.compile(rb"\.get(?:_unchecked)?(?:_mut)?\(%b\)" % _RANGE)
MAX_NESTED = 6  # nested brackets that are dropped
_TYPE_ARGUMENTS = re.compile(rb"(?:::)?<[\w\s,:&*.?]*>")
_SEPARATORS = re.compile(rb"[?!]*\s*(?:->|::|\.(?!\[))\s*|[?!]+(?=\.\[)")
_PREFIX = re.compile(rb"[\s&*(]*+(?:(?:await|try[?!]?|mut|new)\s++){0,4}")
_CHAIN = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*+(?:\(\)|\.\[\]|\.[\w$\x80-\xff]++)*")
_WORD = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")


@dataclass(slots=True)
class OpenScope:
    """A declaration while the walk is inside it."""

    end: int  # byte offset
    ordinal: int  # of its symbol
    kind: SymbolKind
    name: str
    access: Access = Access.NONE  # access of members that do not state it
    is_open: bool = True  # public members belong to the API
    flags: int = 0  # of all that is declared directly inside


class Extent(NamedTuple):
    """The place of a declaration, where it differs from that of its node."""

    first_row: int | None = None  # from 0
    last_row: int | None = None
    end: int | None = None  # byte offset at which captures cease to belong to it


OWN_EXTENT = Extent()


class CaptureText(SourceText):
    """A text, and the identifiers in it for which nothing more is recorded."""

    def __init__(self, text: bytes) -> None:
        super().__init__(text)
        self.taken: set[int] = set()  # starts of identifiers that are accounted for

    def read_chain(self, node: Node | None) -> str:
        """Return the qualifier of a member, dotted: "a.b", "make()", "list.[]"; "?" for anything else."""
        if node is None:
            return ""
        start, end = node.start_byte, node.end_byte
        if end - start > MAX_CHAIN_BYTES:
            return "?"
        return name_chain(self.text[start:end])

    def take_words(self, node: Node) -> None:
        """Mark the words inside a node as no uses of names."""
        start = node.start_byte
        self.taken.update(self.iter_words(start, min(node.end_byte, start + MAX_TAKEN_BYTES)))

    def take_path(self, node: Node) -> None:
        """Mark the names of a path or a type as recorded, but not its type arguments."""
        start, end = node.start_byte, node.end_byte
        angle = self.text.find(b"<", start, end)
        self.taken.update(self.iter_words(start, end if angle < 0 else angle))

    def iter_words(self, start: int, end: int) -> Iterator[int]:
        """Yield the byte offset of each word between `start` and `end`."""
        return (found.start() for found in _WORD.finditer(self.text, start, end))


@lru_cache(KEPT_CHAINS)
def name_chain(text: bytes) -> str:
    """Return an expression as a dotted qualifier; "?" if it is no chain of members."""
    chain = text if text.isalnum() else _simplify(text)
    return chain.decode("utf-8", "replace") or "?"


def _simplify(text: bytes) -> bytes:
    """Return a chain of members as dotted names; empty for any other text."""
    text = (name_assigned(text) or text) if text.startswith(b"(") else text
    start = _PREFIX.match(text)
    text = text[start.end() :] if start is not None else text
    text = text.rstrip(b" \n\t?!")
    if text.count(b")") > text.count(b"("):
        text = text[: text.rindex(b")")]
    if b"(" in text or b"[" in text or b"{" in text:
        text = _collapse(text)
    if b"<" in text:
        for _ in range(3):
            text = _TYPE_ARGUMENTS.sub(b"", text)
    text = _SEPARATORS.sub(b".", text)
    return text if _CHAIN.fullmatch(text) else b""


def _collapse(text: bytes) -> bytes:
    """Return a chain without the contents of its brackets; "()" stays, "[]" becomes a member."""
    if b'"' in text:
        text = _STRINGS.sub(b"", text)
    for _ in range(MAX_NESTED):
        if b".." in text:
            text = _RANGES.sub(b"", _SLICING.sub(b".as_ref()", text))
        shorter = _ROUND.sub(b"\0", text)
        if b"[" in shorter:
            shorter = _SQUARE.sub(b"\x01", shorter)
        if b"{" in shorter:
            shorter = _CURLY.sub(b"", shorter)
        if shorter == text:
            break
        text = shorter
    return text.replace(b"\0", b"()").replace(b"\x01", b".[]")


class CaptureScopes(CaptureText):
    """The symbols declared so far, and the ones still open."""

    def __init__(self, file_name: str, text: bytes) -> None:
        super().__init__(text)
        self.file_name = file_name
        self._lines = text.count(b"\n") + (not text.endswith(b"\n"))
        self.builder = SymbolRecordBuilder(file_name, self._lines)
        self.scopes = [OpenScope(NO_END, 0, SymbolKind.FILE, "")]
        self.scoped_enums: set[int] = set()  # ordinals of enums whose name must precede that of a member
        self.types_by_name: dict[str, int] = {}  # type declared so far -> ordinal of its symbol
        self.names_to_come: dict[int, str] = {}  # start of an unnamed type -> the name it gets
        self.last_declared: OpenScope | None = None
        self.spare_bytes = 1 << 22  # bytes that handlers may still read beyond their nodes
        self.friend_end = -1  # byte offset where the last `friend` declaration ends
        self.parents = [0]  # ordinal of a symbol -> ordinal of its parent
        self.kinds = [SymbolKind.FILE]  # ordinal of a symbol -> its kind
        self.members: set[tuple[int, str]] = set()  # (symbol, name) of what is declared in it
        self.local_names: dict[int, set[str]] = {}  # ordinal of a symbol -> names that it binds
        self._expected: list[str] = []  # names that the next declaration binds
        self._expected_types: list[str] = []  # those of type parameters
        self.open_types: list[tuple[int, str, int]] = []  # ordinal, type parameter without bounds, line
        # Symbols of a body whose head is a macro, with their first lines and the last line that sees them.
        self.blocks: list[tuple[int, int, int]] = []
        self._comment_end = -1  # row where the last comment ends
        self._documented = -1  # start of the declaration that the comment belongs to
        self._mark_start = -1  # row on which the attributes before a declaration begin
        self._mark_end = -1
        self._marks = b""  # text of those attributes

    @property
    def scope(self) -> OpenScope:
        """Return the innermost open declaration."""
        return self.scopes[-1]

    @property
    def is_local(self) -> bool:
        """Return True inside a callable: declarations there are visible nowhere else."""
        return self.scopes[-1].kind in CALLABLE_KINDS

    def note_comment(self, node: Node, blank_rows: int = 0) -> None:
        """Record the row where a doc comment ends, with the empty rows below that belong to it."""
        self._comment_end = node.end_point.row - (node.end_point.column == 0) + blank_rows
        self._documented = -1

    def note_mark(self, node: Node) -> None:
        """Record an attribute that stands before the node of a declaration."""
        row = node.start_point.row
        if row > self._mark_end + 1 or self._mark_start < 0:
            self._mark_start, self._marks = row, b""
        self._mark_end = node.end_point.row
        self._marks += self.text[node.start_byte : node.end_byte][:200]

    def note_wrapping(self, node: Node, inner: Node) -> None:
        """Record that the declaration in the node `inner` begins where the node around it begins."""
        self._mark_start, self._mark_end = node.start_point.row, inner.start_point.row

    def take_marks(self, row: int) -> tuple[int, bytes]:
        """Return the row where a declaration begins with its attributes, and the text of these."""
        if self._mark_start >= 0 and self._mark_end in {row, row - 1}:
            found = min(self._mark_start, row), self._marks
            self._mark_start, self._mark_end, self._marks = -1, -1, b""
            return found
        return row, b""

    def declare(
        self,
        node: Node,
        name: str,
        kind: SymbolKind,
        head: Head = BARE_HEAD,
        *,
        parent: int | None = None,
        extent: Extent = OWN_EXTENT,
        opens: bool = True,
    ) -> int:
        """Add the symbol of a node and return its ordinal; captures inside the node then belong to it."""
        first_row, last_row, end = extent
        row = node.start_point.row if first_row is None else first_row
        if self._mark_end >= 0:
            row = self.take_marks(row)[0]
        flags = head.flags | (self.scopes[-1].flags if parent is None else 0)
        if self._take_comment(row, node.start_byte):
            flags |= SymbolFlag.DOCUMENTED
        name = name.strip("`")  # Swift writes backticks around a keyword
        above = self.scopes[-1].ordinal if parent is None else parent
        if last_row is None:
            last_row = node.end_point.row - (node.end_point.column == 0)
        first, last = self.find_lines(node, row, max(row, last_row))
        ordinal = self.builder.add_symbol(name, kind, above, first, last, head._replace(flags=flags))
        self._note_parent(ordinal, above, kind)
        if self.is_local and parent is None and self._is_of_block(above, kind):
            self.blocks.append((ordinal, first, self.find_line(self.scopes[-1].end - 1)))
        self.members.add((above, name))
        end = node.end_byte if end is None else end
        self.last_declared = OpenScope(end, ordinal, kind, name, head.access)
        if self._expected:
            self._bind_expected(ordinal, kind, row + 1, head.return_type)
        if opens:
            self.open(self.last_declared)
        return ordinal

    def _take_comment(self, row: int, start: int) -> bool:
        """Return whether a doc comment ends above a row, and belongs to the declaration that starts there."""
        if self._comment_end != row - 1 or not row or self._documented not in {-1, start}:
            return False
        self._documented = start
        return True

    def _bind_expected(self, ordinal: int, kind: SymbolKind, line: int, result: str) -> None:
        """Bind the names noted for a declaration, and record type parameters that members use."""
        self.local_names.setdefault(ordinal, set()).update(self._expected)
        types = self._expected_types
        named = types if kind in TYPE_KINDS else [one for one in types if one in result]
        self.open_types += [(ordinal, one, line) for one in named]
        self._expected, self._expected_types = [], []

    def _is_of_block(self, above: int, kind: SymbolKind) -> bool:
        """Return whether a symbol in a body is of no function, because a macro heads the body."""
        return kind is not SymbolKind.MACRO and self.kinds[above] not in CALLABLE_KINDS

    def find_lines(self, node: Node, row: int, last_row: int) -> tuple[int, int]:
        """Return the first and the last line of a declaration, from 1, by its rows."""
        return row + 1, last_row + 1

    def declare_package(self, node: Node, name: str) -> None:
        """Add the package of the file; everything after it belongs to it."""
        row = node.start_point.row
        flags = SymbolFlag.DOCUMENTED if self._comment_end == row - 1 and row else 0
        kind = SymbolKind.MODULE
        ordinal = self.builder.add_symbol(
            name, kind, 0, row + 1, max(row + 1, self._lines), Head(flags=flags)
        )
        self._note_parent(ordinal, 0, kind)
        self.open(OpenScope(NO_END, ordinal, kind, name))

    def _note_parent(self, ordinal: int, parent: int, kind: SymbolKind) -> None:
        """Record the parent and kind of a symbol, unless the builder left it out for being one too many."""
        if ordinal == len(self.parents):
            self.parents.append(parent)
            self.kinds.append(kind)

    def open(self, scope: OpenScope) -> None:
        """Open a declaration: captures before its end belong to it."""
        if len(self.scopes) < MAX_SCOPES:
            self.scopes.append(scope)
        else:
            self.builder.status = ParseStatus.PARTIAL

    def add_local(self, name: str) -> None:
        """Bind a name in the innermost declaration."""
        self.local_names.setdefault(self.scopes[-1].ordinal, set()).add(name)

    def expect_local(self, name: str, *, is_type: bool = False) -> None:
        """Note a name that the next declaration binds, such as a template parameter."""
        self._expected.append(name)
        if is_type:
            self._expected_types.append(name)
