"""Declarations of a capture walk: open scopes, local names, doc comments and attributes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.capture_text import CaptureText
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    Access,
    ParseStatus,
    SymbolFlag,
    SymbolKind,
    SymbolRecordBuilder,
)

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MAX_SCOPES = 400  # open at once; deeper ones are not opened, and the record is partial
NO_END = 1 << 62


@dataclass(slots=True)
class OpenScope:
    """A declaration while the walk is inside it."""

    end: int  # byte offset
    ordinal: int  # of its symbol
    kind: SymbolKind
    name: str
    access: Access = Access.NONE  # of members that do not state their own
    is_open: bool = True  # public members count as API


class CaptureScopes(CaptureText):
    """The symbols declared so far, and the ones still open."""

    def __init__(self, file_name: str, text: bytes) -> None:
        super().__init__(text)
        self.file_name = file_name
        self._lines = text.count(b"\n") + (not text.endswith(b"\n"))
        self.builder = SymbolRecordBuilder(file_name, self._lines)
        self.scopes = [OpenScope(NO_END, 0, SymbolKind.FILE, "")]
        self.scoped_enums: set[int] = set()  # ordinals of those whose members need their name before them
        self.types_by_name: dict[str, int] = {}  # type declared so far -> ordinal of its symbol
        self.names_to_come: dict[int, str] = {}  # start of a type without a name -> the name it gets
        self.last_declared: OpenScope | None = None
        self.spare_bytes = 1 << 22  # that handlers may still read beyond their nodes
        self.friend_end = -1  # byte offset where the last `friend` declaration ends
        self.parents = [0]  # ordinal of a symbol -> ordinal of its parent
        self.local_names: dict[int, set[str]] = {}  # ordinal of a symbol -> names that it binds
        self._expected: list[str] = []  # names that the next declaration binds
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

    def note_comment(self, node: Node) -> None:
        """Record the row where a doc comment ends."""
        self._comment_end = node.end_point.row - (node.end_point.column == 0)
        self._documented = -1

    def note_mark(self, node: Node) -> None:
        """Record an attribute that stands before a declaration and not in it."""
        row = node.start_point.row
        if row > self._mark_end + 1 or self._mark_start < 0:
            self._mark_start, self._marks = row, b""
        self._mark_end = node.end_point.row
        self._marks += self.text[node.start_byte : node.end_byte][:200]

    def note_wrapping(self, node: Node, inner: Node) -> None:
        """Record that `inner`, a node inside `node`, declares what begins with `node`."""
        self._mark_start, self._mark_end = node.start_point.row, inner.start_point.row

    def take_marks(self, row: int) -> tuple[int, bytes]:
        """Return the row where a declaration begins, with the attributes before it, and their text."""
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
        *,
        flags: int = 0,
        access: Access = Access.NONE,
        parameters: str = "",
        count: int = 0,
        result: str = "",
        parent: int | None = None,
        first_row: int | None = None,
        last_row: int | None = None,
        end: int | None = None,
        opens: bool = True,
    ) -> int:
        """Add the symbol of a node and return its ordinal; captures inside the node belong to it."""
        row = node.start_point.row if first_row is None else first_row
        if self._mark_end >= 0:
            row = self.take_marks(row)[0]
        if self._comment_end == row - 1 and row and self._documented in {-1, node.start_byte}:
            flags |= SymbolFlag.DOCUMENTED
            self._documented = node.start_byte
        above = self.scopes[-1].ordinal if parent is None else parent
        if last_row is None:
            last_row = node.end_point.row - (node.end_point.column == 0)
        lines = row + 1, max(row, last_row) + 1
        ordinal = self._add(name, kind, above, lines, flags, access, parameters, count, result)
        self.last_declared = OpenScope(node.end_byte if end is None else end, ordinal, kind, name, access)
        if self._expected:
            self.local_names.setdefault(ordinal, set()).update(self._expected)
            self._expected = []
        if opens:
            self.open(self.last_declared)
        return ordinal

    def declare_package(self, node: Node, name: str) -> None:
        """Add the package of the file; everything after it belongs to it."""
        row = node.start_point.row
        flags = SymbolFlag.DOCUMENTED if self._comment_end == row - 1 and row else 0
        kind = SymbolKind.MODULE
        ordinal = self.builder.add_symbol(name, kind, 0, row + 1, max(row + 1, self._lines), flags=flags)
        if ordinal == len(self.parents):
            self.parents.append(0)
        self.open(OpenScope(NO_END, ordinal, kind, name))

    def _add(
        self,
        name: str,
        kind: SymbolKind,
        above: int,
        lines: tuple[int, int],
        flags: int,
        access: Access,
        parameters: str,
        count: int,
        result: str,
    ) -> int:
        ordinal = self.builder.add_symbol(
            name,
            kind,
            above,
            *lines,
            flags=flags,
            access=access,
            parameters=parameters,
            parameter_count=count,
            return_type=result,
        )
        if ordinal == len(self.parents):
            self.parents.append(above)
        return ordinal

    def open(self, scope: OpenScope) -> None:
        """Open a declaration: captures before its end belong to it."""
        if len(self.scopes) < MAX_SCOPES:
            self.scopes.append(scope)
        else:
            self.builder.status = ParseStatus.PARTIAL

    def add_local(self, name: str) -> None:
        """Bind a name in the innermost declaration."""
        self.local_names.setdefault(self.scopes[-1].ordinal, set()).add(name)

    def expect_local(self, name: str) -> None:
        """Record a name that the next declaration binds, such as a template parameter."""
        self._expected.append(name)
