"""One pass over what a query of tree-sitter captured in a text: declarations in, uses of names in their roles out.

A dialect is a query and one handler for each name of a capture. Captures come in the order of their start,
the larger first, so that a handler may open a scope and the captures inside are its own. Which names are
bound locally is known when a function has been passed; rows wait until then, and those whose name turns
out to be a local one are dropped.

Left out on purpose: walking trees, asking a node for its parent or its neighbours (both take time by the
breadth of the tree, which a hostile text decides), and scopes inside of functions: a name that a function
binds anywhere is local to all of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from repo_mcp.adapters.type_names import read_type
from repo_mcp.structure import (
    CALLABLE_KINDS,
    Access,
    ParseStatus,
    ReferenceRole,
    StructureBuilder,
    SymbolFlag,
    SymbolKind,
)

if TYPE_CHECKING:
    from repo_mcp.adapters.tree_sitter_parser import Node

MAX_CHAIN_BYTES = 600  # of the text before a called name; of a longer one no more is said than "?"
MAX_SCOPES = 400  # open at once; deeper ones do not open, and the record is partial
NO_END = 1 << 62

Handler = Callable[["CaptureWalk", "Node"], None]

_STRINGS = re.compile(rb'"[^"\\\n]*"')
_INSIDE_ROUND = re.compile(rb"\([^()]+\)")
_INSIDE_SQUARE = re.compile(rb"\s*\[[^\[\]]*\]")
_INSIDE_CURLY = re.compile(rb"\s*\{[^{}]*\}")
_TYPE_ARGUMENTS = re.compile(rb"(?:::)?<[\w\s,:&*.?]*>")
_SEPARATORS = re.compile(rb"[?!]*\s*(?:->|::|\.(?!\[))\s*|[?!]+(?=\.\[)")
_PREFIX = re.compile(rb"[\s&*(]*+(?:(?:await|try[?!]?|mut|new)\s++)*+")
_CHAIN = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*+(?:\(\)|\.\[\]|\.[\w$\x80-\xff]++)*+")
_WORD = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")
_CHECKED_ROLES = frozenset(
    {ReferenceRole.CALL, ReferenceRole.USE, ReferenceRole.TYPE, ReferenceRole.ACCEPT, ReferenceRole.INHERIT}
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """What makes a language of the walk."""

    query: str  # name of the file in `queries`
    handlers: Mapping[str, Handler]  # of each capture; one without a handler is passed over
    builtins: frozenset[str]  # names that every file has and nobody asks for


@dataclass(slots=True)
class Scope:
    """A declaration while what stands in it is passed."""

    end: int  # byte
    place: int  # of its symbol
    kind: SymbolKind
    name: str
    access: Access = Access.NONE  # of members that do not say theirs
    is_open: bool = True  # members count as API when they are public


class CaptureWalk:
    """The state of one pass."""

    def __init__(self, dialect: Dialect, file_name: str, text: bytes) -> None:
        self.text = text
        self.file_name = file_name
        self.builder = StructureBuilder(file_name, text.count(b"\n") + (not text.endswith(b"\n")))
        self.scopes = [Scope(NO_END, 0, SymbolKind.FILE, "")]
        self.taken: set[int] = set()  # starts of identifiers that are accounted for
        self.types_by_name: dict[str, int] = {}  # types declared so far -> places
        self.names_to_come: dict[int, str] = {}  # start of a type without a name -> the one it gets
        self.friend_end = -1  # byte where the last `friend` declaration ends
        self._expected: list[str] = []  # names that the next declaration binds
        self.last_declared: Scope | None = None
        self.imported: set[str] = set()  # local names of imports
        self._lines = self.text.count(b"\n") + (not text.endswith(b"\n"))
        self._builtins = dialect.builtins
        self._handlers = dialect.handlers
        self._roles: list[tuple[int, ReferenceRole]] = []  # ends of spans in which types have a role
        self._locals: dict[int, set[str]] = {}
        self._parents = [0]
        self._rows: list[tuple[int, ReferenceRole, str, str, str, int, int]] = []
        self._comment_end = -1  # row of the last comment's end
        self._mark_start = -1  # row on which the attributes before a declaration begin
        self._mark_end = -1
        self.marks = b""  # text of those attributes

    def run(self, captures: Mapping[str, list[Node]]) -> None:
        """Hand every capture to its handler, in order."""
        rows = []
        for order, (name, handler) in enumerate(self._handlers.items()):
            rows += [
                (node.start_byte, -node.end_byte, order, handler, node) for node in captures.get(name, ())
            ]
        rows.sort(key=_get_place)
        scopes = self.scopes
        for start, _, _, handler, node in rows:
            while scopes[-1].end <= start:
                scopes.pop()
            handler(self, node)

    # -- text ---------------------------------------------------------------------------------------------

    def read(self, node: Node | None) -> str:
        """The text of a node; empty for none."""
        if node is None:
            return ""
        return self.text[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def read_line(self, node: Node | None, limit: int = 300) -> str:
        """The text of a node on one line, cut short."""
        if node is None:
            return ""
        text = self.text[node.start_byte : min(node.end_byte, node.start_byte + 2 * limit)]
        return " ".join(text.decode("utf-8", "replace").split())

    def read_chain(self, node: Node | None) -> str:
        """What stands before a member, dotted: "a.b", "make()", "list.[]"; "?" for anything else."""
        if node is None:
            return ""
        start, end = node.start_byte, node.end_byte
        if end - start > MAX_CHAIN_BYTES:
            return "?"
        text = self.text[start:end]
        if not text.isalnum():
            text = _simplify(text)
        return text.decode("utf-8", "replace") if text else "?"

    def simplify(self, text: bytes) -> str:
        """A chain of members in a piece of text, as `read_chain` has it; empty for what is none."""
        return _simplify(text[:MAX_CHAIN_BYTES]).decode("utf-8", "replace")

    # -- declarations -------------------------------------------------------------------------------------

    @property
    def scope(self) -> Scope:
        """The innermost declaration."""
        return self.scopes[-1]

    @property
    def is_local(self) -> bool:
        """True inside of what can be called: what is declared there is nobody else's."""
        return self.scopes[-1].kind in CALLABLE_KINDS

    def note_comment(self, node: Node) -> None:
        """Remember where a doc comment ended."""
        self._comment_end = node.end_point.row - (node.end_point.column == 0)

    def note_mark(self, node: Node) -> None:
        """Remember an attribute that stands before a declaration and not in it."""
        row = node.start_point.row
        if row > self._mark_end + 1 or self._mark_start < 0:
            self._mark_start, self.marks = row, b""
        self._mark_end = node.end_point.row
        self.marks += self.text[node.start_byte : node.end_byte][:200]

    def note_wrapping(self, node: Node, inner: Node) -> None:
        """Remember that what begins with one node is declared by another in it."""
        self._mark_start, self._mark_end = node.start_point.row, inner.start_point.row

    def take_marks(self, row: int) -> tuple[int, bytes]:
        """The row where a declaration begins with the attributes right before it, and their text."""
        if self._mark_start >= 0 and self._mark_end in {row, row - 1}:
            found = min(self._mark_start, row), self.marks
            self._mark_start, self._mark_end, self.marks = -1, -1, b""
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
        end: int | None = None,
        opens: bool = True,
    ) -> int:
        """One more symbol, the node's; what is captured inside of the node is inside of the symbol."""
        row = node.start_point.row if first_row is None else first_row
        if self._mark_end >= 0:
            row = self.take_marks(row)[0]
        if self._comment_end == row - 1 and row:
            flags |= SymbolFlag.DOCUMENTED
        place = self._add(node, name, kind, row, flags, access, parameters, count, result, parent)
        self.last_declared = Scope(node.end_byte if end is None else end, place, kind, name, access)
        if self._expected:
            self._locals.setdefault(place, set()).update(self._expected)
            self._expected = []
        if opens:
            self.open(self.last_declared)
        return place

    def declare_package(self, node: Node, name: str) -> None:
        """The package of the file: all that follows is inside of it."""
        row = node.start_point.row
        flags = SymbolFlag.DOCUMENTED if self._comment_end == row - 1 and row else 0
        kind = SymbolKind.MODULE
        place = self.builder.add_symbol(name, kind, 0, row + 1, max(row + 1, self._lines), flags=flags)
        if place == len(self._parents):
            self._parents.append(0)
        self.open(Scope(NO_END, place, kind, name))

    def _add(
        self,
        node: Node,
        name: str,
        kind: SymbolKind,
        row: int,
        flags: int,
        access: Access,
        parameters: str,
        count: int,
        result: str,
        parent: int | None,
    ) -> int:
        above = self.scopes[-1].place if parent is None else parent
        end = node.end_point
        place = self.builder.add_symbol(
            name,
            kind,
            above,
            row + 1,
            max(row, end.row - (end.column == 0)) + 1,
            flags=flags,
            access=access,
            parameters=parameters,
            parameter_count=count,
            return_type=result,
        )
        if place == len(self._parents):
            self._parents.append(above)
        return place

    def open(self, scope: Scope) -> None:
        """Let what is captured until its end be inside of a declaration."""
        if len(self.scopes) < MAX_SCOPES:
            self.scopes.append(scope)
        else:
            self.builder.status = ParseStatus.PARTIAL

    # -- uses of names ------------------------------------------------------------------------------------

    def set_role(self, node: Node, role: ReferenceRole) -> None:
        """Types inside of a node have a role of their own."""
        self._roles.append((node.end_byte, role))

    def refer(
        self,
        role: ReferenceRole,
        name: str,
        node: Node,
        qualifier: str = "",
        alias: str = "",
        arguments: int = 0,
    ) -> None:
        """One more row, for what is innermost."""
        if name in self._builtins and not qualifier:
            return
        row = (self.scopes[-1].place, role, name, qualifier, alias, node.start_point.row + 1, arguments)
        self._rows.append(row)

    def refer_type(self, node: Node, name: str, qualifier: str = "") -> None:
        """A row for a type, in the role that its place gives it."""
        start, roles = node.start_byte, self._roles
        while roles and roles[-1][0] <= start:
            roles.pop()
        self.refer(roles[-1][1] if roles else ReferenceRole.TYPE, name, node, qualifier)

    def take_words(self, node: Node) -> None:
        """Nothing inside of a node is a use of a name."""
        self.taken.update(self.iter_words(node.start_byte, node.end_byte))

    def iter_words(self, start: int, end: int) -> Iterator[int]:
        """Where the words of a part of the text begin."""
        return (found.start() for found in _WORD.finditer(self.text, start, end))

    def bind_name(self, node: Node) -> str:
        """The name that an identifier binds here, which from now on is a local one."""
        self.taken.add(node.start_byte)
        name = self.read(node)
        self.add_local(name)
        return name

    def add_local(self, name: str) -> None:
        """A name that is bound in the innermost declaration."""
        self._locals.setdefault(self.scopes[-1].place, set()).add(name)

    def expect_local(self, name: str) -> None:
        """A name that the declaration to come binds: a parameter of a template."""
        self._expected.append(name)

    def bind_type(self, name: str, type_text: str, node: Node) -> None:
        """Tell the type of a local variable."""
        found = read_type(type_text)
        if found.name and found.name not in {"auto", "var"}:
            items = 2 if found.is_items else 0
            self._bind(name, found.name, found.qualifier, node, items)

    def bind_call(self, name: str, called: str, qualifier: str, node: Node) -> None:
        """Tell that a local variable is what a call gives."""
        if not called and qualifier:  # the variable is what another name holds
            called, qualifier = qualifier.rpartition(".")[2], qualifier.rpartition(".")[0]
        if called:
            self._bind(name, called, qualifier, node, 1)

    def _bind(self, alias: str, name: str, qualifier: str, node: Node, arguments: int) -> None:
        line = node.start_point.row + 1
        row = (self.scopes[-1].place, ReferenceRole.BIND, name, qualifier, alias, line, arguments)
        self._rows.append(row)

    # -- the end ------------------------------------------------------------------------------------------

    def encode(self) -> bytes:
        """The record: rows of names that are not local, and of types of variables that are asked for."""
        chains = [self._chain(place) for place in range(len(self._parents))]
        roots = self._gather_roots(chains)
        last: dict[tuple[int, ReferenceRole, str, str, int], None] = {}
        add = self.builder.add_reference
        for place, role, name, qualifier, alias, line, arguments in self._rows:
            if role is ReferenceRole.BIND:
                if alias not in roots.get(place, ()):
                    continue
            elif not qualifier and role in _CHECKED_ROLES and any(name in names for names in chains[place]):
                continue
            key = (place, role, name, qualifier or alias, line)
            if key not in last:
                last[key] = None
                add(place, role, name, line, qualifier=qualifier, alias=alias, arguments=arguments)
        return self.builder.encode()

    def _chain(self, place: int) -> tuple[set[str], ...]:
        """The local names of a declaration and of those around it."""
        found: list[set[str]] = []
        for _ in range(MAX_SCOPES):
            names = self._locals.get(place)
            if names:
                found.append(names)
            if not place:
                break
            place = self._parents[place]
        return tuple(found)

    def _gather_roots(self, chains: list[tuple[set[str], ...]]) -> dict[int, set[str]]:
        """Place of a declaration -> first names of what calls in it go through."""
        roots: dict[int, set[str]] = {}
        for place, role, _, qualifier, _, _, _ in self._rows:
            if not qualifier or role is ReferenceRole.IMPORT or role is ReferenceRole.BIND:
                continue
            root = qualifier.partition(".")[0].partition("(")[0]
            above = place
            while root not in roots.setdefault(above, set()):
                roots[above].add(root)
                if not above:
                    break
                above = self._parents[above]
        return roots


def _get_place(row: tuple[int, int, int, Handler, Node]) -> tuple[int, int, int]:
    return row[:3]


def _simplify(text: bytes) -> bytes:
    """A chain of members as dotted names; empty for what is none."""
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
    """Without what stands between brackets; round ones stay, square ones become a member."""
    text = _STRINGS.sub(b"", text)
    for _ in range(4):
        shorter = _INSIDE_CURLY.sub(b"", _INSIDE_ROUND.sub(b"()", text))
        if shorter == text:
            break
        text = shorter
    return _INSIDE_SQUARE.sub(b".[]", text)
