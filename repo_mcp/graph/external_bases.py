"""The types that name a type of another repository as their base.

Left out on purpose: types further below, whose bases are declared here.
"""

from __future__ import annotations

from repo_mcp.graph.edges import Edges, GatheredEdges
from repo_mcp.graph.program import Confidence, Declaration, Program
from repo_mcp.graph.vocabulary import BASES, ROLE_EDGES
from repo_mcp.record_classes import replace
from repo_mcp.symbols.symbol_record import get_role
from repo_mcp.text.roles import is_test_path

MAX_USING = 2_000  # files that use an undeclared name, of which a few name it as a base


def find_external_derived(program: Program, name: str, folder: str = "") -> Edges:
    """Return the edges to an undeclared name from the types in a folder whose head names it as a base.

    They are probable, since types of two libraries may have that name; those of tests come last. Raises
    IndexFormatError.
    """
    gathered = GatheredEdges(folder)
    for path in program.list_using(name)[:MAX_USING] if name else ():
        record = program.find_record(path)
        for row in record.list_named_role(name, *BASES) if record is not None else ():
            assert record is not None
            owner = int(record.ref_symbols[row])
            edge_type, line = ROLE_EDGES[get_role(record, row)], int(record.ref_lines[row])
            if owner:
                gathered.add(edge_type, Declaration(path, owner), Confidence.PROBABLE, line)
    found = gathered.take()
    return replace(found, edges=tuple(sorted(found.edges, key=lambda one: is_test_path(one.other.path))))
