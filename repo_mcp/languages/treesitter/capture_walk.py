"""One pass over the nodes that a query captured in a text: it collects declarations and uses of names.

A dialect is a query and one handler for each capture name. Captures come in the order of their start,
larger ones first, so that a handler may open a scope for the captures inside it. The local names of a
function are known only when it has been passed; rows wait until then, and rows whose name turns out to be
local are dropped.

Left out on purpose: walking trees, asking a node for its parent or its neighbours (both take time by the
breadth of the tree, which a hostile text decides), and, but for calls and types, scopes inside functions: a
name that a function binds anywhere is local to all of it.

Captures that mean the same in every dialect have their handlers here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.capture_scopes import CaptureScopes
from repo_mcp.languages.treesitter.shadowing import (
    NUMBER,
    Bound,
    Numbering,
    Row,
    Shadowing,
    find_root,
    make_unknown,
)
from repo_mcp.languages.treesitter.type_names import TypeName, read_type, split_bounds
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.model import BLOCK, PATH, UNKNOWN_TYPE
from repo_mcp.symbols.symbol_record import Binding, ReferenceRole, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Captures, Node

PLAIN = "identifier"  # the capture of names that are uses of values unless a handler took them

MAX_BOUNDS = 8  # of one type parameter, that are recorded
MAX_TYPE_CHARS = 120  # of a written type that is recorded with its type arguments
UNREAD = -1  # stands for the number of arguments: the name is a type's text, not read yet
_NO_TYPES = frozenset({"auto", "var", "__auto_type", "const auto", "const auto&", "auto&", "auto&&", "auto*"})
_OF_VALUES = frozenset({int(Binding.CALLED), int(Binding.SAME), int(Binding.ITEM)})

_USE, _BIND = ReferenceRole.USE, ReferenceRole.BIND

Handler = Callable[["CaptureWalk", "Node"], None]

_CHECKED_ROLES = frozenset(
    {ReferenceRole.CALL, ReferenceRole.USE, ReferenceRole.TYPE, ReferenceRole.ACCEPT, ReferenceRole.INHERIT}
)

_TAGGING = re.compile(rb"\b(?:struct|union|enum|class)\s+\Z")  # a name behind it never means a variable

# Roles in which a name that a function binds may mean something else, before it is bound or after its block.
_FREE_ROLES = frozenset({ReferenceRole.CALL, ReferenceRole.TYPE, ReferenceRole.ACCEPT, ReferenceRole.INHERIT})

FLAT_KINDS = frozenset({SymbolKind.FILE, SymbolKind.MODULE})  # what is declared in these is no member


@dataclass(frozen=True, slots=True)
class Dialect:
    """A language of the walk."""

    query: str  # name of its file in `queries`
    handlers: Mapping[str, Handler]  # capture name -> handler, for all but PLAIN
    builtins: frozenset[str]  # names in every file, which nobody searches for
    quotes: bool = False  # a name may be in backticks, which are not part of it
    follows: bool = False  # variables that the types of others depend on have recorded types, too
    keeps_arguments: bool = False  # rows hold type arguments, and those of the arguments of calls
    walls: frozenset[SymbolKind] = frozenset()  # kinds of symbols that see no variable of those around them
    is_preprocessed: bool = False
    has_paths: bool = (
        False  # a name with a capital behind another one makes both a path: `error::Kind::new()`
    )
    calls_variables: bool = True  # False if only methods can be called, as in Java


class CaptureWalk(CaptureScopes):
    """The state of one pass over the captures of a file."""

    def __init__(self, dialect: Dialect, file_name: str, text: bytes) -> None:
        super().__init__(file_name, text)
        self.imported: set[str] = set()  # local names of imports, which are not uses by themselves
        self.bounds: dict[tuple[int, str], str] = {}  # (ordinal, type parameter) -> text of its bounds
        # Start of an initialiser list -> the chain of its type, and the depth of its items in arrays.
        self.values_to_come: dict[int, tuple[str, int]] = {}
        self.open_values: list[tuple[int, str, int]] = []  # (end, chain, depth) of the open ones
        self.type_parameters: dict[tuple[int, str], str] = {}  # (ordinal, name) -> its bound
        self.results: dict[int, str] = {}  # ordinal of a function or property -> the type of its value
        self.switches: list[tuple[int, str]] = []  # (end, compared value) of the open ones
        self.closures: list[tuple[int, int]] = []  # (end, number) of the open ones
        self.awaited: list[tuple[int, bool]] = []  # (end, whether `await` is before it) of open expressions
        self.closure_numbers: dict[int, int] = {}  # start of a closure -> its number
        self._builtins = dialect.builtins
        self._handlers = dialect.handlers
        self.shadowing = Shadowing()
        self._dialect = dialect
        self._roles: list[tuple[int, ReferenceRole]] = []  # (end, role) of spans in which types have a role
        self._rows: list[Row] = []
        self._starts: list[int] = []  # byte offsets of the rows
        self._free: set[tuple[int, int, str, int]] = set()  # (role, ordinal, name, line): local, not there
        self._hiding: set[str] = set()  # variables that only others depend on: their rows show no type
        self._ends: dict[int, int] = {}  # position of a BIND row -> where the node that it was read from ends
        self._values: list[tuple[int, int, int]] = []  # (ordinal, start, end) of names that no handler took

    def run(self, captures: Captures) -> None:
        """Pass every capture to its handler, in order; plain identifiers that none took are values."""
        called = list(self._handlers.values())
        scopes, taken, values = self.scopes, self.taken, self._values
        for start, end, rank, node in captures.iter_in_order([*self._handlers, PLAIN]):
            while scopes[-1].end <= start:
                scopes.pop()
            if rank < len(called):
                called[rank](self, node)
            elif start not in taken:
                values.append((scopes[-1].ordinal, start, end))

    def _refer_values(self, chains: list[tuple[set[str], ...]]) -> None:
        """Add rows for the plain identifiers that are not local: half of all names in a text."""
        read, skipped, rows = self.read_piece, self._builtins | self.imported, self._rows
        for ordinal, start, end in self._values:
            name = read(start, end)
            if name in skipped or name[:1] == "$":
                continue
            for names in chains[ordinal]:
                if name in names:
                    break
            else:
                rows.append((ordinal, _USE, name, "", "", self.find_line(start), 0))

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
        note_bound(self, name, node.start_byte)
        return name

    def bind_parameter_type(self, node: Node, bound: Node | None) -> None:
        """Bind a type parameter, and note its bound."""
        self.taken.add(node.start_byte)
        name = self.read(node)
        self.add_local(name)
        if bound is not None:
            self.note_bound(name, self.read_line(bound))

    def note_bound(self, name: str, text: str) -> None:
        """Add bounds to those of a type parameter."""
        key, text = (self.scopes[-1].ordinal, name), text.lstrip(": ").removeprefix("extends ")
        self.bounds[key] = f"{self.bounds[key]} + {text}" if key in self.bounds else text

    def bind_bound(self, name: str, bound: str, node: Node) -> None:
        """Record the bounds of a type's type parameter, since fields may have it as their type."""
        if bound == UNKNOWN_TYPE:
            self._bind(name, bound, "", node, Binding.BOUND)
            return
        for part in split_bounds(bound.lstrip(": "))[:MAX_BOUNDS]:
            found = read_type(part)
            if found.name:
                self._bind(name, found.name, found.qualifier, node, Binding.BOUND)

    def bind_type(self, name: str, type_text: str, node: Node) -> None:
        """Record the type of a local variable as written; it is read only if needed."""
        if type_text:
            self._bind(name, type_text, "", node, UNREAD)

    def bind_call(
        self, name: str, called: str, qualifier: str, node: Node, relation: int = Binding.CALLED
    ) -> None:
        """Record that a local variable holds the result of a call, or has another relation to a name."""
        if not called and qualifier:  # the variable holds the value of another name
            called, qualifier = qualifier.rpartition(".")[2], qualifier.rpartition(".")[0]
        if called:
            self._bind(name, called, qualifier, node, relation)

    def _bind(self, alias: str, name: str, qualifier: str, node: Node, arguments: int) -> None:
        if arguments == UNREAD and name in _NO_TYPES:
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
        self._ends[len(self._rows)] = node.end_byte
        self._rows.append(row)
        self._starts.append(start)

    # The end

    def encode(self) -> bytes:
        """Return the record: rows of names that are not local, and of the variable types that they need."""
        self._number_variables()
        chains = self._gather_chains()
        self._refer_values(chains)
        self.builder.add_references(self._iter_references(chains))
        return self.builder.encode()

    def _iter_references(self, chains: list[tuple[set[str], ...]]) -> Iterator[Row]:
        """Yield the rows that are references after all, each once, and those of the types they need."""
        roots = self._gather_roots()
        local = set().union(*self.local_names.values())  # somewhere: most names are not
        seen: set[tuple[int, ReferenceRole, str, str, int, int]] = set()
        quoted = self._dialect.quotes and b"`" in self.text
        for row in map(_unquote, self._rows) if quoted else self._rows:
            ordinal, role, name, qualifier, alias, line, arguments = row
            if role is _BIND:
                if arguments == Binding.BOUND or alias in roots.get(ordinal, ()):
                    yield from self._iter_bindings(row, chains[ordinal])
                elif alias in self._hiding:
                    yield ordinal, role, UNKNOWN_TYPE, "", alias, line, Binding.SAME
                continue
            is_checked = name in local and not qualifier and role in _CHECKED_ROLES
            is_local = is_checked and any(name in names for names in chains[ordinal])
            if is_local and (role, ordinal, name, line) not in self._free:
                continue
            key = (ordinal, role, name, qualifier or alias, line, arguments)
            if key not in seen:
                seen.add(key)
                yield row
        for ordinal, line, last in self.blocks:
            yield ordinal, _BIND, UNKNOWN_TYPE, "", BLOCK, line, last
        for ordinal, name, line in self.open_types:
            yield ordinal, _BIND, UNKNOWN_TYPE, "", name, line, Binding.BOUND

    def _number_variables(self) -> None:
        """Give the variables that hide others numbers, in all rows, and add rows for those without a type."""
        shadowing, rows, starts = self.shadowing, self._rows, self._starts
        shadowing.finish()
        walls = {one for one in range(len(self.parents)) if self.kinds[one] in self._dialect.walls}
        numbering = Numbering(shadowing, self.parents, self.members, walls)
        bound = {}
        for at, end in self._ends.items():
            found = shadowing.find_at(rows[at][0], rows[at][4], starts[at], end)
            if found is not None:
                bound[at] = found
                found.rows.append(at)
        if self._dialect.is_preprocessed:
            shadowing.doubt_twins(rows)
        self._note_free_names(numbering)
        used = self._note_uses(numbering)
        self._rows = [
            self._rename(numbering, row, starts[at]) if at in used else row
            for at, row in enumerate(rows)
            if at not in bound
        ]
        for ordinal, name, one in sorted(shadowing.iter_bound(), key=lambda each: each[2].start):
            if not numbering.is_used(ordinal, name, one):
                continue
            spelled = numbering.spell(ordinal, name, one)
            typed = [] if one.is_doubted else shadowing.find_rows(ordinal, one)
            for at in typed:
                _, role, said, qualifier, _, _, arguments = self._rename(numbering, rows[at], starts[at])
                self._rows.append((ordinal, role, said, qualifier, spelled, one.line, arguments))
            if not typed and spelled == name:
                self._rows.append(make_unknown(ordinal, name, one.line, UNKNOWN_TYPE))

    def _note_free_names(self, numbering: Numbering) -> None:
        """Note calls and types with the name of a variable of the function around them: `let a = a();`."""
        for row, start in zip(self._rows, self._starts, strict=True):
            ordinal, role, name, qualifier, _, line, _ = row
            if role not in _FREE_ROLES or qualifier or name not in self.shadowing.names:
                continue
            is_tag = self._dialect.is_preprocessed and _TAGGING.search(self.text, max(0, start - 16), start)
            if not is_tag and self._is_other_local(ordinal, name):
                continue
            is_apart = is_tag or (role is ReferenceRole.CALL and not self._dialect.calls_variables)
            if is_apart or not numbering.is_variable(ordinal, name, start):
                self._free.add((role, ordinal, name, line))

    def _is_other_local(self, ordinal: int, name: str) -> bool:
        """Return whether a name is a type parameter of a symbol or of one around it, so no variable."""
        while ordinal:
            if name in self.local_names.get(ordinal, ()) and not self.shadowing.binds(ordinal, name):
                return True
            ordinal = self.parents[ordinal]
        return False

    def _note_uses(self, numbering: Numbering) -> set[int]:
        """Note the variables that chains begin with; return the positions of their rows: a few of all."""
        roots, variables, keeps_arguments = _Roots(), self.shadowing.names, self._dialect.keeps_arguments
        found = set()
        for at, (ordinal, role, name, qualifier, alias, _, arguments) in enumerate(self._rows):
            chain = qualifier or (name if role is _BIND and arguments in _OF_VALUES else "")
            passed = alias.split("|")[1:] if keeps_arguments and role is ReferenceRole.CALL else ()
            if not passed and not (chain and roots[chain] in variables):
                continue
            if role is ReferenceRole.IMPORT or self._is_path(alias, qualifier):
                continue
            for one in (chain, *passed):
                if one and roots[one] in variables:
                    found.add(at)
                    numbering.note_use(ordinal, roots[one], self._starts[at])
        return found

    def _is_path(self, alias: str, qualifier: str) -> bool:
        """Return whether the names of a row are those of modules and types."""
        return self._dialect.has_paths and (alias == PATH or qualifier.partition(".")[2][:1].isupper())

    def _rename(self, numbering: Numbering, row: Row, start: int) -> Row:
        """Return a row in whose chains variables have their numbers."""
        ordinal, role, name, qualifier, alias, line, arguments = row
        if role is ReferenceRole.IMPORT or self._is_path(alias, qualifier):
            return row
        if qualifier:
            qualifier = numbering.rename(ordinal, qualifier, start)
        elif role is ReferenceRole.BIND and arguments in _OF_VALUES:
            name = numbering.rename(ordinal, name, start)
        if role is ReferenceRole.CALL and self._dialect.keeps_arguments:
            labels, *passed = alias.split("|")
            alias = "|".join([labels, *(numbering.rename(ordinal, one, start) for one in passed)])
        return ordinal, role, name, qualifier, alias, line, arguments

    def _iter_bindings(self, row: Row, names: tuple[set[str], ...]) -> Iterator[Row]:
        """Yield the rows that show the type of a variable."""
        ordinal, role, name, qualifier, alias, line, arguments = row
        found = [(name, qualifier, arguments)]
        if arguments == UNREAD:
            found = [
                (one.name, one.qualifier, Binding.ITEMS if one.is_items else Binding.TYPE)
                for one in self._read_types(ordinal, name, names)
            ]
        shown = [one for one in found if one[0] not in _NO_TYPES and (one[0] or arguments != UNREAD)]
        for each, before, relation in shown or [(UNKNOWN_TYPE, "", Binding.SAME)]:
            yield ordinal, role, each, before, alias, line, relation

    def _read_types(self, ordinal: int, text: str, names: tuple[set[str], ...]) -> list[TypeName]:
        """Return the type that a text names, or the bounds of the type parameter that it names.

        For nested lists this is the outer list, because a row does not hold the depth of items."""
        found = read_type(text)
        if self._dialect.keeps_arguments and "<" in text and found.name and len(text) < MAX_TYPE_CHARS:
            return [TypeName(text)]
        if found.inner:
            return [TypeName(found.outer)]
        if found.qualifier or not any(found.name in one for one in names):
            return [found]
        if self._is_variable(ordinal, found.name):  # `struct list *list`
            return [found]
        bounds = split_bounds(self._find_bound(ordinal, found.name))[:MAX_BOUNDS]
        read = (read_type(one) for one in bounds)
        return [TypeName(one.name, one.qualifier, found.is_items) for one in read]

    def _is_variable(self, ordinal: int, name: str) -> bool:
        while ordinal and not self.shadowing.binds(ordinal, name):
            ordinal = self.parents[ordinal]
        return self.shadowing.binds(ordinal, name)

    def _find_bound(self, ordinal: int, name: str) -> str:
        while (ordinal, name) not in self.bounds and ordinal:
            ordinal = self.parents[ordinal]
        return self.bounds.get((ordinal, name), "")

    def _gather_chains(self) -> list[tuple[set[str], ...]]:
        """Return, by ordinal of a declaration, its local names and those of the ones around it.

        In C those of a file or a namespace are of bodies that macros head, as `TEST_CASE("...") {`, and no
        other declaration sees them."""
        chains: list[tuple[set[str], ...]] = []
        flat = FLAT_KINDS if self._dialect.is_preprocessed else frozenset()
        for ordinal, parent in enumerate(self.parents):
            above = chains[parent] if ordinal and self.kinds[parent] not in flat else ()
            names = self.local_names.get(ordinal)
            chains.append((names, *above) if names else above)
        return chains

    def _gather_roots(self) -> dict[int, set[str]]:
        """Return ordinals of declarations -> the first names of the qualifiers used in them."""
        roots: dict[int, set[str]] = {}
        unused = (ReferenceRole.IMPORT, _BIND)
        for ordinal, qualifier in {(row[0], row[3]) for row in self._rows if row[3] and row[1] not in unused}:
            self._add_root(roots, ordinal, qualifier.partition(".")[0].partition("(")[0])
        self._follow_bindings(roots)
        return roots

    def _add_root(self, roots: dict[int, set[str]], ordinal: int, root: str) -> None:
        """Add a first name to those of a declaration and of all around it."""
        while root not in roots.setdefault(ordinal, set()):
            roots[ordinal].add(root)
            if not ordinal:
                break
            ordinal = self.parents[ordinal]

    def _follow_bindings(self, roots: dict[int, set[str]]) -> None:
        """Add the first names of the chains to which recorded variables are bound."""
        for ordinal, role, _, _, alias, _, _ in self._rows if self._dialect.keeps_arguments else ():
            for chain in alias.split("|")[1:] if role is ReferenceRole.CALL else ():
                roots.setdefault(ordinal, set()).add(find_root(chain))
        for ordinal, role, name, qualifier, alias, _, arguments in reversed(self._rows):
            if role is ReferenceRole.BIND and arguments in _OF_VALUES and alias in roots.get(ordinal, ()):
                root = (qualifier or name).partition(".")[0].partition("(")[0]
                if not self._dialect.follows and NUMBER not in root:
                    self._hiding.add(root)
                    continue
                self._add_root(roots, ordinal, root)


class _Roots(dict[str, str]):
    """Chains -> their first names."""

    def __missing__(self, chain: str) -> str:
        root = self[chain] = find_root(chain)
        return root


def _unquote(row: Row) -> Row:
    """Return a row without the backticks around names."""
    ordinal, role, name, qualifier, alias, line, arguments = row
    name, qualifier, alias = (one.replace("`", "") for one in (name, qualifier, alias))
    return ordinal, role, name, qualifier, alias, line, arguments


def on_comment(walk: CaptureWalk, node: Node) -> None:
    """Note a comment: it documents a declaration that begins on the next line."""
    walk.note_comment(node)


def on_bound(walk: CaptureWalk, node: Node) -> None:
    """Bind the name of a local variable or a type parameter."""
    walk.bind_name(node)


def on_block(walk: CaptureWalk, node: Node) -> None:
    """Open a block of statements, or of one pattern and what it is for."""
    walk.shadowing.add_block(node.start_byte, node.end_byte)


def note_bound(walk: CaptureWalk, name: str, start: int) -> Bound:
    """Note where a name is bound, whose type may be shown then."""
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


def read_called(
    walk: CaptureWalk, name: Node, before: Node | None, arguments: Node | None, alias: str = ""
) -> None:
    """Add a call of a name; `before` is the node of its qualifier."""
    walk.taken.add(name.start_byte)
    qualifier = walk.read_chain(before)
    walk.refer(ReferenceRole.CALL, walk.read(name), name, qualifier, alias, count_arguments(walk, arguments))


def split_path(path: str) -> tuple[str, str]:
    """Return the name and the qualifier of a dotted path."""
    qualifier, _, name = path.rpartition(".")
    return name, qualifier
