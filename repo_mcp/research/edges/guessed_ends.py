"""Put guessed functions in the place of the ends of a path that plain words only describe.

"how does a parcel get from the driver to store_parcel? (receive, deliver)"
    -> from receive, or else deliver, to store_parcel
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.research.edges.paths import find_paths
from repo_mcp.research.findings.named_symbols import admits_node
from repo_mcp.research.findings.records import Reading, Subject, TakenAs
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.readings import build_reading
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolFlag
from repo_mcp.text.guessed_names import list_own_names

MOST_DECLARING = 20  # files that declare one guessed name
MOST_TRIED = 4  # guesses from which a path is looked for


def take_guessed_ends(state: ResearchState, reading: Reading) -> Reading:
    """Return the reading of a path; an end that does nothing is the first guess that a path connects.

    If none does, it is the first guess. Without guesses, the reading stays as it is.
    """
    first, last = reading.subjects[0], reading.subjects[-1]
    if len(reading.subjects) != 2 or _does(first) is _does(last):
        return reading
    known = {node.symbol.name for node in (*first.nodes, *last.nodes)}
    guesses = [name for name in list_own_names(state.request.guesses) if name not in known]
    named = [(name, nodes) for name in guesses if (nodes := _list_functions(state, name))][:MOST_TRIED]
    if not named:
        return reading
    is_start = not _does(first)
    found = next((one for one in named if _find(state, one[1], last if is_start else first, is_start)), None)
    name, nodes = found or named[0]
    state.limits.clear()
    guess = Subject(name, TakenAs.DECLARED, tuple(nodes), name)
    ends = (guess, last) if is_start else (first, guess)
    return build_reading(reading.form, ends)


def _does(subject: Subject) -> bool:
    """Return True for a subject that is a function or a type by its own name."""
    kinds = CALLABLE_KINDS | TYPE_KINDS
    is_named = subject.taken_as is not TakenAs.WORDS
    return is_named and any(node.symbol.kind in kinds for node in subject.nodes)


def _find(state: ResearchState, nodes: Sequence[Node], other: Subject, is_start: bool) -> bool:
    starts, ends = (nodes, other.nodes) if is_start else (other.nodes, nodes)
    return bool(find_paths(state, starts, ends))


def _list_functions(state: ResearchState, name: str) -> list[Node]:
    """Return the functions of the program with a name, definitions before prototypes."""
    declared = map(state.get_node, state.graph.scan.find_declared(name, MOST_DECLARING))
    own = [node for node in declared if node.symbol.kind in CALLABLE_KINDS and admits_node(state, node)]
    whole = [node for node in own if not node.symbol.flags & SymbolFlag.FORWARD]
    return whole or own
