"""Judges by a few uses of a name how often each of several symbols of that name is meant.

Of the files that use the name, some are read, spread over all of them, and in each its first use is resolved.
Left out on purpose: tests, and names that mostly mean members of types, which receivers choose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from repo_mcp.graph.nodes import NamedProgram, Node
from repo_mcp.graph.program import Declaration, Resolution
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.symbol_record import TYPE_KINDS, ReferenceRole, SymbolRecord, get_role
from repo_mcp.text.roles import is_test_path

MAX_SAMPLED = 30  # files: 0.1 s, if none was read before
FEWEST = 10  # resolved uses that are enough to choose by
CLEAR = 0.9  # of these, the part that must mean one symbol
_USES = frozenset(ReferenceRole) - {ReferenceRole.BIND, ReferenceRole.IMPORT, ReferenceRole.EXPORT}


@dataclass(frozen=True, slots=True)
class SampledUses:
    """Symbols of one name, the most used first, each with the number of sampled uses that mean it."""

    nodes: Sequence[Node]
    counts: Sequence[int]  # a use may mean several
    total: int  # of the sampled uses that mean one of them

    @property
    def is_clear(self) -> bool:
        """Return whether nearly all uses mean the first one, and nearly none another."""
        least = CLEAR * self.total
        return self.total >= FEWEST and self.counts[0] >= least and self.counts[1] <= self.total - least


class UseSampler:
    """Samples the uses of names in one program. Used by one call at a time."""

    def __init__(
        self,
        program: NamedProgram,
        resolve: Callable[[str, SymbolRecord, int], Resolution],
        list_places: Callable[[Node], list[Node]],
    ) -> None:
        """`list_places` returns all declarations of one symbol."""
        self._program = program
        self._resolve = resolve
        self._list_places = list_places

    def sample(self, nodes: Sequence[Node]) -> SampledUses:
        """Return symbols of one name in the order in which uses mean them; of equally used ones, as given."""
        counts, total = dict.fromkeys((one.declaration for one in nodes), 0), 0
        outside = {one.declaration for one in nodes if self._is_outside_types(one)}
        if outside:
            owners = {place.declaration: one.declaration for one in nodes for place in self._list_places(one)}
            for meant in self._iter_meant(nodes[0].symbol.name):
                meant_owners = {owners[one] for one in meant if one in owners}
                total += bool(meant_owners)
                for owner in meant_owners:
                    counts[owner] += 1
        ordered = sorted(nodes, key=lambda one: -counts[one.declaration])
        if ordered[0].declaration not in outside:  # a member
            return SampledUses(nodes, [0] * len(nodes), 0)
        return SampledUses(ordered, [counts[one.declaration] for one in ordered], total)

    def _is_outside_types(self, node: Node) -> bool:
        record = self._program.find_record(node.path)
        return record is not None and record.get_kind(node.symbol.parent) not in TYPE_KINDS

    def _iter_meant(self, name: str) -> Iterator[list[Declaration]]:
        """Yield the declarations that the first use of the name in each sampled file may mean."""
        paths = [path for path in self._program.list_using(name) if not is_test_path(path)]
        step = max(1, len(paths) // MAX_SAMPLED)
        for path in paths[step // 2 :: step][:MAX_SAMPLED]:
            record = self._program.find_record(path)
            rows = [] if record is None else record.find_references(name)
            row = next((one for one in rows if record and get_role(record, one) in _USES), None)
            if record is not None and row is not None:
                yield [one.declaration for one in self._resolve(path, record, row).targets]
