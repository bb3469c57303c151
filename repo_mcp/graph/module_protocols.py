"""The members of Python's protocols that a function of a module may stand for.

A module satisfies a protocol by what it declares, and is mostly loaded by its name: nothing in the text calls
its functions but through the protocol. Left out on purpose: whether a module satisfies all of one.
"""

from __future__ import annotations

from collections.abc import Iterator

from repo_mcp.graph.hierarchy.hierarchy import Hierarchy
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration, Program
from repo_mcp.symbols.symbol_record import SymbolKind
from repo_mcp.text.citations import write_citation

PROTOCOL = "Protocol"
MAY_RUN = "Calls of {} ({}) may run this, if its module is used as that protocol."


def iter_protocol_members(program: Program, hierarchy: Hierarchy, node: Node) -> Iterator[Declaration]:
    """Yield the methods of protocols with the name and the number of parameters of a module's function."""
    symbol = node.symbol
    if node.language != "python" or symbol.kind is not SymbolKind.FUNCTION or symbol.parent:
        return
    using = frozenset(program.list_using(PROTOCOL))
    for path in (one for one in program.list_declaring(symbol.name) if one in using):
        record = program.find_record(path)
        for ordinal in record.find_symbols(symbol.name) if record is not None else ():
            assert record is not None
            owner = Declaration(path, record.get_parent(ordinal))
            is_alike = int(record.parameter_counts[ordinal]) == symbol.parameter_count
            if owner.ordinal and is_alike and hierarchy.is_interface(owner):
                yield Declaration(path, ordinal)


def say_may_run(member: Node) -> str:
    """Return a sentence on the member of a protocol through which a function may be called."""
    symbol = member.symbol
    return MAY_RUN.format(member.name_inside, write_citation(member.path, symbol.start_line, symbol.end_line))
