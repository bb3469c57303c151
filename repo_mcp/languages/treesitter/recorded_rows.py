"""Decides which of the rows that a walk gathered are recorded, after it has passed the whole text.

Only then are the local names of each function known. Rows of names that turn out to be local are dropped,
variables that hide others get numbers, and the types of variables are recorded if a chain begins with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field

from repo_mcp.languages.treesitter.capture_scopes import CaptureScopes
from repo_mcp.languages.treesitter.shadowing import Numbering, Row, Shadowing, find_first_name, make_unknown
from repo_mcp.languages.treesitter.type_names import TypeName, read_type, split_bounds
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.model import BLOCK, CAST, PATH, UNKNOWN_TYPE
from repo_mcp.symbols.symbol_record import Binding, ReferenceRole, SymbolKind

MAX_BOUNDS = 8  # bounds of one type parameter that are recorded
MAX_TYPE_CHARS = 120  # the longest written type that is recorded with its type arguments
UNREAD = -1  # in place of the number of arguments: the name is the text of a type that is still to be read
NO_TYPES = frozenset({"auto", "var", "__auto_type", "const auto", "const auto&", "auto&", "auto&&", "auto*"})
FLAT_KINDS = frozenset({SymbolKind.FILE, SymbolKind.MODULE})  # what is declared in these kinds is no member
_OF_VALUES = frozenset({int(Binding.CALLED), int(Binding.SAME), int(Binding.ITEM)})

_USE, _BIND = ReferenceRole.USE, ReferenceRole.BIND

_CHECKED_ROLES = frozenset(
    {ReferenceRole.CALL, ReferenceRole.USE, ReferenceRole.TYPE, ReferenceRole.ACCEPT, ReferenceRole.INHERIT}
)

# a name after one of these words is the name of a type
_TAGGING = re.compile(rb"\b(?:struct|union|enum|class)\s+\Z")

# Roles in which a name may mean something else than a variable of the function, before or after its block.
_FREE_ROLES = frozenset({ReferenceRole.CALL, ReferenceRole.TYPE, ReferenceRole.ACCEPT, ReferenceRole.INHERIT})


@dataclass(frozen=True, slots=True)
class RowRules:
    """The rules of a language about which rows are recorded, and in which form."""

    quotes: bool = False  # names may be in backticks
    keeps_arguments: bool = False  # rows have type arguments, and the chains of the arguments of calls
    keeps_types: bool = False  # rows of variables have type arguments, except for type parameters
    converting: frozenset[str] = frozenset()  # types that give their argument, which rows have as well
    walls: frozenset[SymbolKind] = frozenset()  # kinds of symbols that see no variable of those around them
    is_preprocessed: bool = False
    has_paths: bool = False  # a capital after a dot shows that a chain is a path: `error::Kind::new()`
    calls_variables: bool = True  # False if only methods can be called, as in Java


PLAIN_RULES = RowRules()


@dataclass(slots=True)
class GatheredRows:
    """The rows of one walk, and all that decides which of them are recorded."""

    rows: list[Row] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)  # byte offset of each row
    ends: dict[int, int] = field(default_factory=dict)  # position of a BIND row -> where its node ends
    values: list[tuple[int, int, int]] = field(default_factory=list)  # (ordinal, start, end) of plain names
    skipped: frozenset[str] = frozenset()  # plain names that are not recorded
    bounds: dict[tuple[int, str], str] = field(default_factory=dict)  # (ordinal, type parameter) -> bounds
    shadowing: Shadowing = field(default_factory=Shadowing)


def record_rows(scopes: CaptureScopes, gathered: GatheredRows, rules: RowRules) -> None:
    """Add the rows of names that are not local to the record, with the types of variables that they need."""
    _RowRecording(scopes, gathered, rules).run()


class _RowRecording:
    """The recording of the rows of one text."""

    def __init__(self, scopes: CaptureScopes, gathered: GatheredRows, rules: RowRules) -> None:
        self._scopes = scopes
        self._gathered = gathered
        self._rules = rules
        self._rows = gathered.rows
        self._starts = gathered.starts
        self._shadowing = gathered.shadowing
        self._parents = scopes.parents
        # (role, ordinal, name, line) of uses that do not mean the local variable of that name
        self._free: set[tuple[int, int, str, int]] = set()

    def run(self) -> None:
        """Number the variables, drop the rows of local names, and add the others to the record."""
        self._number_variables()
        chains = self._gather_chains()
        self._refer_values(chains)
        self._scopes.builder.add_references(self._iter_references(chains))

    def _refer_values(self, chains: list[tuple[set[str], ...]]) -> None:
        """Add rows for the plain identifiers that are not local: half of all names in a text."""
        scopes, skipped, rows = self._scopes, self._gathered.skipped, self._rows
        read = scopes.read_piece
        for ordinal, start, end in self._gathered.values:
            name = read(start, end)
            if name in skipped or name[:1] == "$":
                continue
            for names in chains[ordinal]:
                if name in names:
                    break
            else:
                rows.append((ordinal, _USE, name, "", "", scopes.find_line(start), 0))

    def _iter_references(self, chains: list[tuple[set[str], ...]]) -> Iterator[Row]:
        """Yield each row that is a reference once, and the rows of types that references need."""
        roots = self._gather_roots()
        local = set().union(*self._scopes.local_names.values())  # names that are local anywhere: most are not
        seen: set[tuple[int, ReferenceRole, str, str, int, int]] = set()
        quoted = self._rules.quotes and b"`" in self._scopes.text
        for each in map(_unquote, self._rows) if quoted else self._rows:
            row = self._resolve_cast(each, chains[each[0]]) if each[3][:1] == CAST else each
            ordinal, role, name, qualifier, alias, line, arguments = row
            if role is _BIND:
                if arguments == Binding.BOUND or alias in roots.get(ordinal, ()):
                    yield from self._iter_bindings(row, chains[ordinal])
                continue
            is_checked = name in local and not qualifier and role in _CHECKED_ROLES
            is_local = is_checked and any(name in names for names in chains[ordinal])
            if is_local and (role, ordinal, name, line) not in self._free:
                continue
            key = (ordinal, role, name, qualifier or alias, line, arguments)
            if key not in seen:
                seen.add(key)
                yield row
        for ordinal, line, last in self._scopes.blocks:
            yield ordinal, _BIND, UNKNOWN_TYPE, "", BLOCK, line, last
        for ordinal, name, line in self._scopes.open_types:
            yield ordinal, _BIND, UNKNOWN_TYPE, "", name, line, Binding.BOUND

    def _resolve_cast(self, row: Row, names: tuple[set[str], ...]) -> Row:
        """Return a row whose chain begins with a cast; after one to a type parameter, it is unknown."""
        ordinal, role, name, qualifier, alias, line, arguments = row
        written = qualifier.partition(".")[0].removeprefix(CAST)
        if not any(written in one for one in names) or self._is_variable(ordinal, written):
            return row
        return ordinal, role, name, UNKNOWN_TYPE, alias, line, arguments

    def _number_variables(self) -> None:
        """Give numbers to variables that hide others, in all rows; add rows for those without a type."""
        shadowing, rows, starts = self._shadowing, self._rows, self._starts
        shadowing.finish()
        walls = {one for one in range(len(self._parents)) if self._scopes.kinds[one] in self._rules.walls}
        numbering = Numbering(shadowing, self._parents, self._scopes.members, walls)
        bound = {}
        for at, end in self._gathered.ends.items():
            found = shadowing.find_at(rows[at][0], rows[at][4], starts[at], end)
            if found is not None:
                bound[at] = found
                found.rows.append(at)
        if self._rules.is_preprocessed:
            shadowing.weaken_twins(rows)
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
            typed = [] if one.is_uncertain else shadowing.find_rows(ordinal, one)
            for at in typed:
                _, role, said, qualifier, _, _, arguments = self._rename(numbering, rows[at], starts[at])
                self._rows.append((ordinal, role, said, qualifier, spelled, one.line, arguments))
            if not typed and spelled == name:
                self._rows.append(make_unknown(ordinal, name, one.line))

    def _note_free_names(self, numbering: Numbering) -> None:
        """Note the calls and types that only have the name of a local variable: `let a = a();`."""
        for row, start in zip(self._rows, self._starts, strict=True):
            ordinal, role, name, qualifier, _, line, _ = row
            if role not in _FREE_ROLES or qualifier or name not in self._shadowing.names:
                continue
            is_tag = self._rules.is_preprocessed and _TAGGING.search(
                self._scopes.text, max(0, start - 16), start
            )
            if not is_tag and self._is_other_local(ordinal, name):
                continue
            is_apart = is_tag or (role is ReferenceRole.CALL and not self._rules.calls_variables)
            if is_apart or not numbering.is_variable(ordinal, name, start):
                self._free.add((role, ordinal, name, line))

    def _is_other_local(self, ordinal: int, name: str) -> bool:
        """Return whether a name is that of a type parameter of a symbol, or of one around it."""
        while ordinal:
            if name in self._scopes.local_names.get(ordinal, ()) and not self._shadowing.binds(ordinal, name):
                return True
            ordinal = self._parents[ordinal]
        return False

    def _note_uses(self, numbering: Numbering) -> set[int]:
        """Note the variables with which chains begin; return the positions of the rows that have one."""
        roots, variables, keeps_arguments = _Roots(), self._shadowing.names, self._rules.keeps_arguments
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
        """Return whether a row names modules and types rather than variables."""
        return self._rules.has_paths and (alias == PATH or qualifier.partition(".")[2][:1].isupper())

    def _rename(self, numbering: Numbering, row: Row, start: int) -> Row:
        """Return a row in whose chains variables have their numbers."""
        ordinal, role, name, qualifier, alias, line, arguments = row
        if role is ReferenceRole.IMPORT or self._is_path(alias, qualifier):
            return row
        if qualifier:
            qualifier = numbering.rename(ordinal, qualifier, start)
        elif role is ReferenceRole.BIND and arguments in _OF_VALUES:
            name = numbering.rename(ordinal, name, start)
        if role is ReferenceRole.CALL and self._rules.keeps_arguments:
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
        shown = [one for one in found if one[0] not in NO_TYPES and (one[0] or arguments != UNREAD)]
        for each, before, relation in shown or [(UNKNOWN_TYPE, "", Binding.SAME)]:
            yield ordinal, role, each, before, alias, line, relation

    def _read_types(self, ordinal: int, text: str, names: tuple[set[str], ...]) -> list[TypeName]:
        """Return the type that a text names, or the bounds if that is a type parameter.

        Of nested lists the outer list is returned, because a row does not have the depth of items.
        """
        found = read_type(text)
        if self._rules.keeps_arguments and "<" in text and found.name and len(text) < MAX_TYPE_CHARS:
            return [TypeName(text)]
        if self._is_converting(found, text) and not found.is_items:
            return [TypeName(text)]
        is_free = bool(found.qualifier) or not any(found.name in one for one in names)
        is_kept = self._rules.keeps_types and text.endswith(">") and (is_free or not found.is_items)
        if is_kept and found.name and len(text) < MAX_TYPE_CHARS:
            return [TypeName(text)]
        if found.inner:
            return [TypeName(found.outer)]
        if is_free:
            return [found]
        if self._is_variable(ordinal, found.name):  # `struct list *list`
            return [found]
        bounds = split_bounds(self._find_bound(ordinal, found.name))[:MAX_BOUNDS]
        read = ((one, read_type(one)) for one in bounds)
        return [
            TypeName(text.strip())
            if self._is_converting(one, text) and not found.is_items
            else TypeName(one.name, one.qualifier, found.is_items)
            for text, one in read
        ]

    def _is_converting(self, named: TypeName, text: str) -> bool:
        return named.name in self._rules.converting and "<" in text and len(text) < MAX_TYPE_CHARS

    def _is_variable(self, ordinal: int, name: str) -> bool:
        while ordinal and not self._shadowing.binds(ordinal, name):
            ordinal = self._parents[ordinal]
        return self._shadowing.binds(ordinal, name)

    def _find_bound(self, ordinal: int, name: str) -> str:
        while (ordinal, name) not in self._gathered.bounds and ordinal:
            ordinal = self._parents[ordinal]
        return self._gathered.bounds.get((ordinal, name), "")

    def _gather_chains(self) -> list[tuple[set[str], ...]]:
        """Return for each declaration, by ordinal, its local names and those of the declarations around it.

        In C, local names of a file or a namespace belong to bodies whose head is a macro, as
        `TEST_CASE("...") {`: no other declaration sees them.
        """
        chains: list[tuple[set[str], ...]] = []
        flat = FLAT_KINDS if self._rules.is_preprocessed else frozenset()
        for ordinal, parent in enumerate(self._parents):
            above = chains[parent] if ordinal and self._scopes.kinds[parent] not in flat else ()
            names = self._scopes.local_names.get(ordinal)
            chains.append((names, *above) if names else above)
        return chains

    def _gather_roots(self) -> dict[int, set[str]]:
        """Return a map from declarations, by ordinal, to the first names of the qualifiers in them."""
        roots: dict[int, set[str]] = {}
        unused = (ReferenceRole.IMPORT, _BIND)
        for ordinal, qualifier in {(row[0], row[3]) for row in self._rows if row[3] and row[1] not in unused}:
            self._add_root(roots, ordinal, qualifier.partition(".")[0].partition("(")[0])
        self._follow_bindings(roots)
        return roots

    def _add_root(self, roots: dict[int, set[str]], ordinal: int, root: str) -> None:
        """Add a first name to those of a declaration and of all declarations around it."""
        while root not in roots.setdefault(ordinal, set()):
            roots[ordinal].add(root)
            if not ordinal:
                break
            ordinal = self._parents[ordinal]

    def _follow_bindings(self, roots: dict[int, set[str]]) -> None:
        """Add the first names of the chains that are the values of recorded variables."""
        for ordinal, role, _, _, alias, _, _ in self._rows if self._rules.keeps_arguments else ():
            for chain in alias.split("|")[1:] if role is ReferenceRole.CALL else ():
                roots.setdefault(ordinal, set()).add(find_first_name(chain))
        for ordinal, role, name, qualifier, alias, _, arguments in reversed(self._rows):
            if role is ReferenceRole.BIND and arguments in _OF_VALUES and alias in roots.get(ordinal, ()):
                self._add_root(roots, ordinal, (qualifier or name).partition(".")[0].partition("(")[0])


class _Roots(dict[str, str]):
    """Chain -> its first name, cached."""

    def __missing__(self, chain: str) -> str:
        root = self[chain] = find_first_name(chain)
        return root


def _unquote(row: Row) -> Row:
    """Return a row without the backticks around names."""
    ordinal, role, name, qualifier, alias, line, arguments = row
    name, qualifier, alias = (one.replace("`", "") for one in (name, qualifier, alias))
    return ordinal, role, name, qualifier, alias, line, arguments
