"""One pass over the nodes that a query captured in a text: it collects declarations and uses of names.

A dialect is a query and one handler for each capture name. Captures come in the order of their start,
larger ones first, so that a handler may open a scope for the captures inside it. The local names of a
function are known only when it has been passed; rows wait until then (`recorded_rows`).

Left out on purpose: walking trees, asking a node for its parent or its neighbours (both take time by the
breadth of the tree, which a hostile text decides), and, but for calls and types, scopes inside functions: a
name that a function binds anywhere is local to all of it.

Captures that mean the same in every dialect have their handlers here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.capture_scopes import CaptureScopes
from repo_mcp.languages.treesitter.recorded_rows import (
    MAX_BOUNDS,
    NO_TYPES,
    PLAIN_RULES,
    UNREAD,
    GatheredRows,
    RowRules,
    record_rows,
)
from repo_mcp.languages.treesitter.shadowing import Bound
from repo_mcp.languages.treesitter.type_names import read_type, split_bounds
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.model import UNKNOWN_TYPE
from repo_mcp.symbols.symbol_record import Binding, ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Captures, Node

PLAIN = "identifier"  # captured names that are uses of values, unless a handler has accounted for them

Handler = Callable[["CaptureWalk", "Node"], None]


@dataclass(frozen=True, slots=True)
class Dialect:
    """A language of the walk."""

    query: str  # name of its file in `queries`
    handlers: Mapping[str, Handler]  # capture name -> handler, for all but PLAIN
    builtins: frozenset[str]  # names that nobody searches for, such as those of basic types
    rules: RowRules = PLAIN_RULES


class CaptureWalk(CaptureScopes):
    """The state of one pass over the captures of a file."""

    def __init__(self, dialect: Dialect, file_name: str, text: bytes) -> None:
        super().__init__(file_name, text)
        self.imported: set[str] = set()  # local names of imports, which are not uses by themselves
        # Start of an initialiser list -> the chain of its type, and the depth of its items in arrays.
        self.values_to_come: dict[int, tuple[str, int]] = {}
        self.open_values: list[tuple[int, str, int]] = []  # (end, chain, depth) of the open ones
        self.type_parameters: dict[tuple[int, str], str] = {}  # (ordinal, name) -> its bound
        # (ordinal, name) of a local variable -> its written type, "" for one without
        self.written_types: dict[tuple[int, str], str] = {}
        self.superclasses: dict[int, str] = {}  # ordinal of a class of Java -> the name of its superclass
        self.stubs: frozenset[str] | None = None  # functions of Go without a body; None: not yet asked for
        self.results: dict[int, str] = {}  # ordinal of a function or property -> the type of its value
        self.switches: list[tuple[int, str]] = []  # (end, compared value) of the open ones
        self.closures: list[tuple[int, int]] = []  # (end, number) of the open ones
        self.awaited: list[tuple[int, bool]] = []  # (end, whether `await` is before it) of open expressions
        self.closure_numbers: dict[int, int] = {}  # start of a closure -> its number
        self._builtins = dialect.builtins
        self._handlers = dialect.handlers
        self._rules = dialect.rules
        self._roles: list[tuple[int, ReferenceRole]] = []  # (end, role) of spans in which types have a role
        self._gathered = gathered = GatheredRows()
        self._rows, self._starts = gathered.rows, gathered.starts
        self.shadowing = gathered.shadowing
        self.bounds = gathered.bounds

    def run(self, captures: Captures) -> None:
        """Pass every capture to its handler, in order; plain identifiers that none took are values."""
        called = list(self._handlers.values())
        scopes, taken, values = self.scopes, self.taken, self._gathered.values
        for start, end, rank, node in captures.iter_in_order([*self._handlers, PLAIN]):
            while scopes[-1].end <= start:
                scopes.pop()
            if rank < len(called):
                called[rank](self, node)
            elif start not in taken:
                values.append((scopes[-1].ordinal, start, end))

    # Uses of names

    def set_role(self, node: Node, role: ReferenceRole) -> None:
        """Give the types inside a node a role."""
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
        """Add a row for the innermost declaration, unless the name is a builtin without a qualifier."""
        if name in self._builtins and not qualifier:
            return
        start = node.start_byte
        line = self.find_line(start)
        self._rows.append((self.scopes[-1].ordinal, role, name, qualifier, alias, line, arguments))
        self._starts.append(start)

    def refer_at(
        self, role: ReferenceRole, name: str, start: int, qualifier: str = "", arguments: int = 0
    ) -> None:
        """Add a row for a name at a byte offset that has no node."""
        line = self.find_line(start)
        self._rows.append((self.scopes[-1].ordinal, role, name, qualifier, "", line, arguments))
        self._starts.append(start)

    def refer_type(self, node: Node, name: str, qualifier: str = "", alias: str = "") -> None:
        """Add a row for a type, in the role of the span around it."""
        start, roles = node.start_byte, self._roles
        while roles and roles[-1][0] <= start:
            roles.pop()
        self.refer(roles[-1][1] if roles else ReferenceRole.TYPE, name, node, qualifier, alias)

    def bind_name(self, node: Node) -> str:
        """Bind the name of an identifier as a local one and return it."""
        self.taken.add(node.start_byte)
        name = self.read(node)
        self.add_local(name)
        self.written_types[self.scopes[-1].ordinal, name] = ""
        note_binding(self, name, node.start_byte)
        return name

    def bind_parameter_type(self, node: Node, bound: Node | None) -> None:
        """Bind a type parameter, and record its bounds."""
        self.taken.add(node.start_byte)
        name = self.read(node)
        self.add_local(name)
        if bound is not None:
            self.add_type_bounds(name, self.read_line(bound))

    def add_type_bounds(self, name: str, text: str) -> None:
        """Add bounds to those of a type parameter."""
        key, text = (self.scopes[-1].ordinal, name), text.lstrip(": ").removeprefix("extends ")
        self.bounds[key] = f"{self.bounds[key]} + {text}" if key in self.bounds else text

    def bind_type_bounds(self, name: str, bound: str, node: Node) -> None:
        """Record the bounds of a type parameter of a type, since fields may have it as their type."""
        if bound == UNKNOWN_TYPE:
            self._bind(name, bound, "", node, Binding.BOUND)
            return
        for part in split_bounds(bound.lstrip(": "))[:MAX_BOUNDS]:
            found = read_type(part)
            if found.name:
                self._bind(name, found.name, found.qualifier, node, Binding.BOUND)

    def bind_type(self, name: str, type_text: str, node: Node) -> None:
        """Record the written type of a local variable, which is read only if it is needed."""
        if type_text:
            self.written_types[self.scopes[-1].ordinal, name] = type_text
            self._bind(name, type_text, "", node, UNREAD)

    def bind_call(
        self, name: str, called: str, qualifier: str, node: Node, relation: int = Binding.CALLED
    ) -> None:
        """Record that a local variable holds the result of a call, or has another relation to a name."""
        if not called and qualifier:  # the value of the variable is that of another name
            called, qualifier = qualifier.rpartition(".")[2], qualifier.rpartition(".")[0]
        if called:
            self._bind(name, called, qualifier, node, relation)

    def _bind(self, alias: str, name: str, qualifier: str, node: Node, arguments: int) -> None:
        if arguments == UNREAD and name in NO_TYPES:
            return
        start = node.start_byte
        row = (
            self.scopes[-1].ordinal,
            ReferenceRole.BIND,
            name,
            qualifier,
            alias,
            self.find_line(start),
            arguments,
        )
        self._gathered.ends[len(self._rows)] = node.end_byte
        self._rows.append(row)
        self._starts.append(start)

    # The end

    def encode(self) -> bytes:
        """Return the record of the text."""
        self._gathered.skipped = self._builtins | self.imported
        record_rows(self, self._gathered, self._rules)
        return self.builder.encode()


def on_comment(walk: CaptureWalk, node: Node) -> None:
    """Note a comment, which documents a declaration that begins on the next line."""
    walk.note_comment(node)


def on_bound(walk: CaptureWalk, node: Node) -> None:
    """Bind the name of a local variable or a type parameter."""
    walk.bind_name(node)


def on_block(walk: CaptureWalk, node: Node) -> None:
    """Open a block of statements, or one that sees the names of a pattern."""
    walk.shadowing.add_block(node.start_byte, node.end_byte)


def note_binding(walk: CaptureWalk, name: str, start: int) -> Bound:
    """Note that a name is bound at a byte offset; the type of the variable may be added to the result."""
    return walk.shadowing.note(walk.scope.ordinal, name, start, walk.find_line(start))


def on_taken(walk: CaptureWalk, node: Node) -> None:
    """Mark an identifier that is not a use of a name."""
    walk.taken.add(node.start_byte)


def on_type(walk: CaptureWalk, node: Node) -> None:
    """Add a reference to a type by its bare name."""
    if node.start_byte not in walk.taken:
        walk.refer_type(node, walk.read(node))


def make_role_handler(role: ReferenceRole) -> Handler:
    """Return a handler that gives the types inside a node a role."""

    def handle(walk: CaptureWalk, node: Node) -> None:
        walk.set_role(node, role)

    return handle


on_types = make_role_handler(ReferenceRole.TYPE)
on_inherit = make_role_handler(ReferenceRole.INHERIT)
on_implement = make_role_handler(ReferenceRole.IMPLEMENT)
on_extend = make_role_handler(ReferenceRole.EXTEND)


def count_arguments(walk: CaptureWalk, node: Node | None) -> int:
    """Return the number of arguments plus 1; 0 where there is no argument list."""
    if node is None:
        return 0
    count = node.named_child_count + 1
    if walk.text.find(b"/", node.start_byte, node.end_byte) >= 0:
        count -= sum(one.type.endswith("comment") for one in node.named_children)
    return count


def refer_bare_call(walk: CaptureWalk, name: Node, arguments: Node | None) -> None:
    """Add a call of a name without a qualifier."""
    walk.taken.add(name.start_byte)
    count = count_arguments(walk, arguments)
    walk.refer(ReferenceRole.CALL, walk.read(name), name, arguments=count)


def split_path(path: str) -> tuple[str, str]:
    """Return the name and the qualifier of a dotted path."""
    qualifier, _, name = path.rpartition(".")
    return name, qualifier
