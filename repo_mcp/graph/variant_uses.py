"""Uses of a name of C of which each build decides what they mean: `arch/a/include/asm/cache.h` or `arch/b/…`.

Two headers are variants if both declare the name and their paths end alike, in the same folder of different
ones. What lies in neither of these is compiled with any of them, so its uses are those of each variant.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from posixpath import commonpath

from repo_mcp.graph.edge_finder import EdgeFinder
from repo_mcp.graph.nodes import NamedProgram, Node
from repo_mcp.graph.program import Confidence, Resolution
from repo_mcp.graph.vocabulary import ROLE_EDGES, EdgeType
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.symbol_record import ReferenceRole, get_role

MOST_RESOLVED = 500  # references by name
_ALIKE = 2  # parts at the end of the paths of variants
_HEADERS = ".h"


@dataclass(frozen=True, slots=True)
class SharedUses:
    """The uses that may mean any of some variants."""

    variants: int
    places: Sequence[tuple[str, int]]  # path and line; empty if they are too many to be resolved
    most: int  # references by name, an upper bound


class VariantUses:
    """The shared uses in one program. Calls take turns with those of its graph."""

    def __init__(self, program: NamedProgram, edges: EdgeFinder, lock: threading.RLock) -> None:
        self._program = program
        self._edges = edges
        self._lock = lock

    def find(self, node: Node, types: frozenset[EdgeType]) -> SharedUses | None:
        """Return the uses that a symbol shares with its variants; None for a symbol without variants."""
        name, family = node.symbol.name, self._edges.find_family(node.path)
        if family != "c" or not node.path.endswith(_HEADERS):
            return None
        with self._lock:
            alike = "/" + "/".join(node.path.split("/")[-_ALIKE:])
            variants = [one for one in self._program.list_declaring(name) if one.endswith(alike)]
            if len(variants) < 2:
                return None
            around = commonpath(variants)
            start = len(around) + 1 if around else 0
            folders = tuple(one[: one.index("/", start) + 1] for one in variants)
            uses = [one for one in self._program.list_uses(name) if not one[0].startswith(folders)]
            most = sum(count for _, count in uses)
            places = [] if most > MOST_RESOLVED else self._list_places(name, uses, types, frozenset(variants))
            return SharedUses(len(variants), places, most)

    def _list_places(
        self, name: str, uses: Sequence[tuple[str, int]], types: frozenset[EdgeType], variants: frozenset[str]
    ) -> list[tuple[str, int]]:
        found: dict[tuple[str, int], None] = {}
        for path, _ in uses:
            record = self._program.find_record(path)
            for row in record.find_references(name) if record is not None else ():
                assert record is not None
                role = get_role(record, row)
                if role is ReferenceRole.BIND or ROLE_EDGES[role] not in types:
                    continue
                if not _means_other(self._edges.resolve(path, record, row), variants):
                    found[path, int(record.ref_lines[row])] = None
        return [*found]


def _means_other(meaning: Resolution, variants: frozenset[str]) -> bool:
    """Return whether a use surely means something that is no variant."""
    sure = [one for one in meaning.targets if one.confidence is not Confidence.POSSIBLE]
    return bool(sure) and all(one.declaration.path not in variants for one in sure)
