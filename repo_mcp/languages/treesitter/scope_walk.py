"""One pass over captured nodes, by start: it opens scopes and declares, binds and refers to names.

A language hands each capture to a handler of its own, which calls the methods here. A scope is a stretch of
the text; a symbol is a scope with a name. Declarations may follow uses, so only after the pass is it known
whether a function, a block or a parameter around a use binds its name: rows wait until then. A name that is
bound locally is not a reference. A call through it keeps the name as its qualifier if a BIND row gives its
type, and gets "?" otherwise.

Left out on purpose: walking trees, and asking nodes for parents or neighbours, which takes time by depth.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Self

from repo_mcp.languages.treesitter.source_text import SourceText
from repo_mcp.symbols.record_builder import MAX_TEXT_CHARS, Head, ReferenceRow, SymbolRecordBuilder
from repo_mcp.symbols.symbol_record import Access, Binding, ParseStatus, ReferenceRole, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Captures, Node

MAX_OPEN = 500  # nested scopes; deeper ones are not opened, and the record is partial
MAX_CHAIN_BYTES = 200  # of the qualifier of a member; a longer one becomes "?"
UNKNOWN = "?"
NUMBER = "/"  # separates the name of a variable and its number, if several variables have that name
# A BIND row has one of these in place of a number of arguments.
TYPE, CALLED, ITEMS = int(Binding.TYPE), int(Binding.CALLED), int(Binding.ITEMS)
SAME, ITEM = int(Binding.SAME), int(Binding.ITEM)
BIND, _USE = int(ReferenceRole.BIND), int(ReferenceRole.USE)
_MEMBERS = frozenset(
    {
        SymbolKind.METHOD,
        SymbolKind.CONSTRUCTOR,
        SymbolKind.PROPERTY,
        SymbolKind.ENUM_MEMBER,
        SymbolKind.EVENT,
    }
)  # not reached by their name alone
_UNCHECKED = frozenset({int(ReferenceRole.IMPORT), int(ReferenceRole.EXPORT)})

# scope, entry, role, name, qualifier, alias, start, arguments
Row = tuple[int, int, int, str, str, str, int, int]


class Entry:
    """A symbol during the pass; its flags may still change."""

    __slots__ = ("access", "count", "end", "flags", "kind", "name", "parameters", "parent", "start", "type")

    def __init__(self, name: str, kind: SymbolKind, parent: int, start: int, end: int) -> None:
        self.name = name
        self.kind = kind
        self.parent = parent
        self.start = start  # byte offset
        self.end = end
        self.flags = 0
        self.access = Access.NONE
        self.parameters = ""
        self.count = 0
        self.type = ""


class ScopeWalk(SourceText):
    """The state of one pass over the captures of a file."""

    line_bytes = 4 * MAX_TEXT_CHARS
    keeps_unknown = False  # variables of unknown type have BIND rows, too, because they hide others

    def __init__(self, file_name: str, text: bytes) -> None:
        super().__init__(text)
        self.entries = [Entry(file_name, SymbolKind.FILE, 0, 0, len(text))]
        self.ordinal = 0  # of the innermost open symbol
        self.scope = 0  # the innermost open scope; 0 is the file
        self.taken: set[int] = set()  # starts of identifiers for which nothing more is recorded
        self.is_partial = False
        self._open = [(len(text) + 1, 0, 0)]  # (end, scope, entry)
        self._scope_parents = [0]
        self._hoist_to = [0]
        self._is_local = [False]  # scope -> True if names bound in it are visible nowhere else
        self._bound: list[set[str]] = [set()]
        self._declared: list[set[str]] = [set()]
        self._rows: list[Row] = []
        self._found: dict[tuple[int, str], int] = {}
        # variables whose types are needed, although no qualifier begins with them
        self.asked: set[str] = set()
        self._typed: set[tuple[int, str]] = set()  # set at the end: (scope, variable) with a BIND row
        self._numbered: dict[tuple[int, str], str] = {}  # set at the end: what hides others -> its number

    def run(self, captures: Captures, handlers: Mapping[str, Callable[[Self, Node], None] | None]) -> None:
        """Pass every capture to its handler: by start, the longer one first, then in the order of the
        handlers.

        Most captures have None as their handler: those are uses of their names, unless another handler has
        accounted for them.
        """
        self.is_partial = not captures.is_complete
        called = list(handlers.values())
        opened, taken, rows, read = self._open, self.taken, self._rows, self.read_piece
        for start, end, rank, node in captures.iter_in_order(handlers):
            if opened[-1][0] <= start:
                while opened[-1][0] <= start:
                    opened.pop()
                _, self.scope, self.ordinal = opened[-1]
            handler = called[rank]
            if handler is not None:
                handler(self, node)
            elif start not in taken and start < end:
                taken.add(start)
                rows.append((self.scope, self.ordinal, _USE, read(start, end), "", "", start, 0))

    # Scopes and symbols

    @property
    def is_local(self) -> bool:
        """Return True inside functions, blocks and the like."""
        return self._is_local[self.scope]

    @property
    def entry(self) -> Entry:
        """Return the innermost open symbol."""
        return self.entries[self.ordinal]

    def open_scope(
        self, end: int, *, is_local: bool = True, hoists: bool = False, ordinal: int = -1, parent: int = -1
    ) -> None:
        """Open a scope that ends at byte `end`. Names that are hoisted in it are bound there if it `hoists`.

        It sees the names of the innermost scope, or only those of the scope `parent`.
        """
        if len(self._open) >= MAX_OPEN:
            self.is_partial = True
            return
        self._hoist_to.append(len(self._hoist_to) if hoists else self._hoist_to[self.scope])
        self._scope_parents.append(self.scope if parent < 0 else parent)
        self._is_local.append(is_local)
        self._bound.append(set())
        self._declared.append(set())
        self.scope = len(self._scope_parents) - 1
        if ordinal >= 0:
            self.ordinal = ordinal
        self._open.append((end, self.scope, self.ordinal))

    @property
    def outer_scope(self) -> int:
        """Return the scope around the innermost one."""
        return self._scope_parents[self.scope]

    @property
    def function(self) -> int:
        """Return the innermost scope that hoists, which is that of a function."""
        return self._hoist_to[self.scope]

    def add_symbol(self, name: str, kind: SymbolKind, start: int, end: int, parent: int = -1) -> int:
        """Add a symbol from byte `start` to `end`, in `parent` or the innermost one; return its entry."""
        if parent < 0 and kind not in _MEMBERS:
            self._declared[self.scope].add(name)
        self.entries.append(Entry(name, kind, self.ordinal if parent < 0 else parent, start, end))
        return len(self.entries) - 1

    def bind(self, name: str, *, hoist: bool = False) -> None:
        """Bind a name in the innermost scope; with `hoist`, in the innermost one that hoists."""
        self._bound[self._hoist_to[self.scope] if hoist else self.scope].add(name)

    # Uses of names

    def refer(
        self,
        role: int,
        name: str,
        start: int,
        qualifier: str = "",
        alias: str = "",
        arguments: int = 0,
        ordinal: int = -1,
    ) -> None:
        """Add a row for the innermost symbol, or for that of entry `ordinal`."""
        if name or qualifier or alias:
            at = self.ordinal if ordinal < 0 else ordinal
            self._rows.append((self.scope, at, int(role), name, qualifier, alias, start, arguments))

    def bind_item(self, alias: str, chain: str, start: int) -> None:
        """Record that a variable is one of the items of an expression."""
        if chain.endswith((">", ">()")):  # a name has no type arguments, so the whole chain is the qualifier
            self.refer(BIND, "", start, chain, alias, ITEM)
            return
        is_call = chain.endswith("()")
        qualifier, _, name = chain.removesuffix("()").rpartition(".")
        if chain != UNKNOWN and name:
            name += "()" if is_call else ""
            self.refer(BIND, name, start, qualifier, alias, ITEM)

    # The end

    def encode(self) -> bytes:
        """Return the symbol record of everything captured."""
        builder = SymbolRecordBuilder(self.entries[0].name, self.line_count)
        ordinals = self._add_entries(builder)
        builder.add_references(self._iter_references(ordinals))
        if self.is_partial:
            builder.status = ParseStatus.PARTIAL
        return builder.encode()

    def _add_entries(self, builder: SymbolRecordBuilder) -> list[int]:
        """Add the symbols to the record; return entry -> ordinal in the record."""
        ordinals = [0]
        for entry in self.entries[1:]:
            ordinal = builder.add_symbol(
                entry.name,
                entry.kind,
                ordinals[entry.parent],
                self.find_line(entry.start),
                self.find_line(max(entry.start, entry.end - 1)),
                Head(
                    flags=entry.flags,
                    access=entry.access,
                    parameters=entry.parameters,
                    parameter_count=entry.count,
                    return_type=entry.type,
                ),
            )
            ordinals.append(ordinal)
        return ordinals

    def _iter_references(self, ordinals: list[int]) -> Iterator[ReferenceRow]:
        """Yield each row that is a reference, without duplicates; `ordinals` maps entries to symbols."""
        breaks = self._breaks
        seen: set[tuple[int, int, str, str, str, int, int]] = set()
        for _, ordinal, role, name, qualifier, alias, start, arguments in self._iter_recorded():
            line = bisect_left(breaks, start) + 1
            # overloads of one name differ in the last two
            key = (ordinal, role, name, qualifier, alias, line, arguments)
            if key in seen and role != BIND:
                continue
            seen.add(key)
            yield ordinals[ordinal], role, name, qualifier, alias, line, arguments

    def _iter_recorded(self) -> Iterator[Row]:
        """Yield the rows of names that are not local, and the BIND rows that these need."""
        found, search, heads = self._found, self._find_binding, _FirstNames()
        typed = self._list_typed(heads)
        asked = {heads[row[4]] or row[3] for row in self._rows if row[4] or row[2] == BIND} | self.asked
        self._typed, self._numbered = typed, self._number_shadowed(heads)
        for row in self._rows:
            scope, ordinal, role, name, qualifier, alias, start, arguments = row
            if role in _UNCHECKED:
                yield row
                continue
            is_asked = alias in asked
            if role == BIND:
                bound = search(scope, alias)
                if not is_asked and bound >= 0:
                    continue  # no member of this variable is used
                alias = self._numbered.get((bound, alias), alias)
            head = heads[qualifier] if qualifier else name
            binding = found.get((scope, head))
            if binding is None:
                binding = search(scope, head)
            if binding >= 0 and (role == BIND or qualifier):
                if (binding, head) in typed:
                    own = self._numbered.get((binding, head), head)
                    qualifier = own + qualifier[len(head) :] if qualifier else ""
                    yield scope, ordinal, role, name if qualifier else own, qualifier, alias, start, arguments
                elif role != BIND:
                    yield scope, ordinal, role, name, UNKNOWN, alias, start, arguments
                elif self.keeps_unknown and is_asked:
                    yield scope, ordinal, role, UNKNOWN, "", alias, start, TYPE
            elif binding < 0:
                yield scope, ordinal, role, name, qualifier, alias, start, arguments

    def _list_typed(self, heads: _FirstNames) -> set[tuple[int, str]]:
        """Return (scope, name) of the variables that have a BIND row with a type."""
        return {(self._find_binding(row[0], row[5]), row[5]) for row in self._rows if row[2] == BIND}

    def _number_shadowed(self, heads: _FirstNames) -> dict[tuple[int, str], str]:
        """Return (scope, name) of variables that hide others -> their name with the number of the scope.

        A row of a variable holds for its symbol and the symbols in it, where its name must mean nothing else.
        """
        search, entries = self._find_binding, self.entries
        typed = [(row[1], row[5], search(row[0], row[5])) for row in self._rows if row[2] == BIND]
        shown = set(typed)
        meant: dict[tuple[int, str], set[int]] = {(ordinal, name): set() for ordinal, name, _ in typed}
        names = {name for _, name, _ in typed}
        seen: set[tuple[int, str, int]] = set()
        for row in self._rows:
            head = heads[row[4]] if row[4] else row[3]
            if head not in names or row[2] in _UNCHECKED:
                continue
            ordinal, binding = row[1], search(row[0], head)
            while (ordinal, head, binding) not in seen:
                seen.add((ordinal, head, binding))
                if (ordinal, head) in meant:
                    meant[ordinal, head].add(binding)
                if not ordinal or (ordinal, head, binding) in shown:
                    break
                ordinal = entries[ordinal].parent
        for ordinal, name, binding in typed:
            meant[ordinal, name].add(binding)
        return {
            (binding, name): f"{name}{NUMBER}{binding}"
            for ordinal, name, binding in typed
            if binding >= 0 and len(meant[ordinal, name]) > 1
        }

    def _find_binding(self, scope: int, name: str) -> int:
        """Return the scope that binds a name as a local one; -1 when none does."""
        found = self._found.get((scope, name))
        if found is None:
            found = self._found[scope, name] = self._search_binding(scope, name)
        return found

    def is_bound(self, name: str) -> bool:
        """Return whether a scope around this place has already bound a name, so that it means no symbol."""
        return self._search_binding(self.scope, name) >= 0

    def _search_binding(self, scope: int, name: str) -> int:
        while True:
            if name in self._declared[scope]:
                return -1
            if name in self._bound[scope]:
                return scope
            if not scope:
                return -1
            scope = self._scope_parents[scope]


class _FirstNames(dict[str, str]):
    """Qualifier -> the name that it begins with, cached."""

    def __missing__(self, qualifier: str) -> str:
        head = self[qualifier] = find_head(qualifier)
        return head


def find_head(chain: str) -> str:
    """Return the name that a chain begins with, without type arguments."""
    return chain.partition(".")[0].partition("(")[0].partition("[")[0].partition("<")[0]
