"""The types that name a type of another repository as their base.

Left out on purpose: types further below, whose bases are declared here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.graph.edges import Edges, GatheredEdges
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.graph.vocabulary import BASES, ROLE_EDGES
from repo_mcp.record_classes import replace
from repo_mcp.symbols.symbol_record import get_role
from repo_mcp.text.roles import is_test_path

if TYPE_CHECKING:
    from repo_mcp.graph.graph import Graph

MOST_NAMED = 2_000  # references by a name, of which those are kept that name a base


def find_external_derived(graph: Graph, name: str, folder: str) -> Edges:
    """Return the edges to an undeclared name from the types in a folder whose head names it as a base.

    They are probable, since types of two libraries may have that name; those of tests come last. Raises
    IndexFormatError.
    """
    gathered = GatheredEdges(folder)
    listed = graph.name_uses.list_rare(name, MOST_NAMED)
    for path in sorted({path for paths in listed for path in paths}):
        record = graph.scan.find_record(path)
        for row in record.list_named_role(name, *BASES) if record is not None else ():
            assert record is not None
            owner = Declaration(path, int(record.ref_symbols[row]))
            edge_type, line = ROLE_EDGES[get_role(record, row)], int(record.ref_lines[row])
            gathered.add(edge_type, owner, Confidence.PROBABLE, line)
    found = gathered.take()
    return replace(found, edges=tuple(sorted(found.edges, key=lambda one: is_test_path(one.other.path))))
