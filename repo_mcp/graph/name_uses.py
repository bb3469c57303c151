"""Uses found by name alone: those of rare names, and those of a declaration that was removed.

Calls may raise IndexFormatError for a damaged index.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from repo_mcp.graph.bulk_scan import list_named
from repo_mcp.graph.edge_finder import EdgeFinder
from repo_mcp.graph.edges import Bounds, Edges, GatheredEdges
from repo_mcp.graph.go.builds import Builds
from repo_mcp.graph.lookup.external_bases import find_external_derived
from repo_mcp.graph.lookup.rival_symbols import drop_left_out
from repo_mcp.graph.lookup.symbol_search import SearchableProgram
from repo_mcp.graph.module_protocols import iter_protocol_members
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.graph.vocabulary import ROLE_EDGES
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.symbol_record import ReferenceRole, get_role

MAX_DECLARING = 8  # other files that declare the name of a removed symbol


@dataclass(frozen=True, slots=True)
class Meanings:
    """The meanings of a name in one file, as far as its imports and declarations tell."""

    imported: frozenset[Declaration | str] = frozenset()  # also external names
    declared: frozenset[Declaration] = frozenset()

    def differ(self, other: Meanings) -> bool:
        """Return whether the name means something else in another file: what one of the two imports shows it.

        Two files that each declare it may have two versions of one thing.
        """
        own, others = self.imported | self.declared, other.imported | other.declared
        return bool(self.imported or other.imported) and bool(own and others) and own.isdisjoint(others)


class NameUses:
    """The uses of names in one program. Calls take turns with those of its graph."""

    def __init__(self, program: SearchableProgram, edges: EdgeFinder, lock: threading.RLock) -> None:
        self._program = program
        self._edges = edges
        self._lock = lock

    def list_source_paths(self) -> list[str]:
        """Return all source files, with or without a symbol record, ascending."""
        with self._lock:
            return list(self._program.list_source_paths())

    def list_rare(self, name: str, most: int) -> list[list[str]]:
        """Return the files using a name and those declaring it, without lists longer than `most`."""
        with self._lock:
            return [list(paths) for paths in self._program.list_rare(name, most)]

    def count_using(self, name: str) -> int:
        """Return the number of files that use a name."""
        with self._lock:
            return self._program.count_using(name)

    def find_meanings(self, path: str, name: str) -> Meanings:
        """Return what a file imports under a name, and what it declares so outside of everything else."""
        with self._lock:
            record = self._program.find_record(path)
            if record is None:
                return Meanings()
            rows = [
                row
                for row in record.list_role(ReferenceRole.IMPORT)
                if record.strings[record.ref_aliases[row] or record.ref_names[row]] == name
            ]
            found = [self._edges.resolve(path, record, row) for row in rows]
            imported = {target.declaration for one in found for target in one.targets}
            outside = {one.external for one in found if one.external}
            declared = (one for one in record.find_symbols(name) if one and not record.get_parent(one))
            return Meanings(
                frozenset(imported | outside),
                frozenset(Declaration(path, one) for one in declared),
            )

    def drop_declared(self, nodes: Sequence[Node]) -> list[Node]:
        """Return nodes without those of `.d.ts` files that have their bodies elsewhere."""
        with self._lock:
            return [node for node in nodes if self._edges.bodies.find(node.declaration) is None]

    def drop_left_out(self, nodes: Sequence[Node]) -> list[Node]:
        """Return nodes without those in files that no build has; if there are no others, all."""
        with self._lock:
            return drop_left_out(nodes, Builds.find(self._program).is_left_out)

    def find_external_derived(self, name: str, folder: str) -> Edges:
        """Return the edges to an undeclared name from the types in a folder that name it as their base."""
        with self._lock:
            marked = self._edges.hierarchy.list_marked
            return find_external_derived(self._program, name, folder, marked)

    def list_protocol_members(self, node: Node) -> list[Declaration]:
        """Return the members of protocols of Python that a module's function may stand for."""
        with self._lock:
            return [*iter_protocol_members(self._program, self._edges.hierarchy, node)]

    def find_dangling(self, name: str, near: str, bounds: Bounds) -> Edges:
        """Return the references by a name, or an alias of it, that lead to no declaration: uses of a removed
        symbol.

        `near` is the file that declared it. The edges are PROBABLE if no file declares the name any more. If
        more than MAX_DECLARING files do, none are returned.
        """
        with self._lock:
            gathered, find_family = GatheredEdges(), self._edges.find_family
            family = find_family(near)
            left_in = [one for one in self._program.list_declaring(name) if find_family(one) == family]
            if len(left_in) > MAX_DECLARING:
                return gathered.take()
            confidence = Confidence.POSSIBLE if left_in else Confidence.PROBABLE
            paths = self._edges.list_candidates(name, near, is_imported=False)
            left = bounds.references
            for path in [one for one in paths[: bounds.files] if find_family(one) == family]:
                record = self._program.find_record(path)
                for row in list_named(record, name)[:left] if record is not None else ():
                    assert record is not None
                    left -= 1
                    role = get_role(record, row)
                    if role is not ReferenceRole.BIND and not self._edges.resolve(path, record, row).targets:
                        source = Declaration(path, int(record.ref_symbols[row]))
                        edge_type = ROLE_EDGES[role]
                        gathered.add(edge_type, source, confidence, int(record.ref_lines[row]))
            return gathered.take(cut=len(paths) > bounds.files or left <= 0)
