"""The types that name a type of another repository as their base.

Left out on purpose: types further below, whose bases are declared here.
"""

from __future__ import annotations

from collections.abc import Callable

from repo_mcp.graph.edges import Edges, GatheredEdges
from repo_mcp.graph.program import Confidence, Declaration, Program, Resolution, Target
from repo_mcp.graph.vocabulary import BASES, ROLE_EDGES
from repo_mcp.record_classes import replace
from repo_mcp.symbols.symbol_record import SymbolRecord, get_role
from repo_mcp.text.roles import is_test_path

FEW_BASES = 20  # that are resolved to know whether a name is that of an external type
Resolve = Callable[[str, SymbolRecord, int], Resolution]
ListMarked = Callable[[Declaration], list[tuple[Target, int]]]
MAX_USING = 2_000  # files that use an undeclared name, of which a few name it as a base


def is_external_base(program: Program, resolve: Resolve, name: str) -> bool:
    """Return whether most of the first types that have a base of this name mean none that is declared here.

    `resolve` returns the meaning of a reference: of a file, its record and a row.
    """
    met = outside = 0
    for path in program.list_using(name)[:MAX_USING]:
        record = program.find_record(path)
        for row in record.list_named_role(name, *BASES) if record is not None else ():
            assert record is not None
            met += 1
            outside += not resolve(path, record, row).targets
        if met >= FEW_BASES:
            break
    return 2 * outside > met


def find_external_derived(
    program: Program, name: str, folder: str = "", list_marked: ListMarked = lambda macro: []
) -> Edges:
    """Return the edges to an undeclared name from the types in a folder whose head names it as a base.

    They are probable, since types of two libraries may have that name; those of tests come last.
    `list_marked` returns the types that a macro stands for, each with a line. Raises IndexFormatError.
    """
    gathered = GatheredEdges(folder)
    for path in program.list_using(name)[:MAX_USING] if name else ():
        record = program.find_record(path)
        for row in record.list_named_role(name, *BASES) if record is not None else ():
            assert record is not None
            owner = int(record.ref_symbols[row])
            edge_type, line = ROLE_EDGES[get_role(record, row)], int(record.ref_lines[row])
            marked = list_marked(Declaration(path, owner))
            for one, at in marked:
                gathered.add(edge_type, one.declaration, Confidence.PROBABLE, at)
            if owner and not marked:
                gathered.add(edge_type, Declaration(path, owner), Confidence.PROBABLE, line)
    found = gathered.take()
    return replace(found, edges=tuple(sorted(found.edges, key=lambda one: is_test_path(one.other.path))))
