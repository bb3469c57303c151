"""Find the type that declares all of several names which are compared.

    What is the difference between `apply` and `apply_async`?      those of Task, which has both

Of several such types, those come first that others can use, then that with the longest functions. Left out on
purpose: the number of callers and of types that override them, which did not tell what is meant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.named_symbols import DOING, admits_node, rank_owner
from repo_mcp.research.findings.records import Reading, Subject
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.namesakes import only_declares
from repo_mcp.research.question.readings import build_reading
from repo_mcp.symbols.symbol_record import SymbolFlag

MAX_FILES, MAX_DECLARED = 200, 400  # that declare one name, and declarations that are looked at


def keep_of_one_type(state: ResearchState, reading: Reading) -> Reading:
    """Return a reading of several names with their declarations in the type that declares all of them.

    Return it as it is if there is no such type, if no name has several declarations, or one names its type.
    """
    subjects = reading.subjects
    if len(subjects) < 2 or any("." in (one.name or one.asked) for one in subjects):
        return reading
    if not any(len(one.nodes) > 1 for one in subjects) or not all(map(_are_functions, subjects)):
        return reading
    of_owner = [_map_owners(state, one) for one in subjects]
    shared = [owner for owner in of_owner[0] if all(owner in own for own in of_owner[1:])]
    if not shared:
        return reading
    best, *others = sorted(shared, key=lambda owner: rank_owner(state, [own[owner] for own in of_owner]))
    state.also_declaring = [state.get_node(one) for one in others]
    chosen = []
    for one, own in zip(subjects, of_owner, strict=True):
        nodes = [*own[best], *_find_told(own, best)]
        left_out = max(0, one.left_out + len(one.nodes) - len(nodes))
        chosen.append(replace(one, nodes=tuple(nodes), left_out=left_out))
    return build_reading(reading.form, tuple(chosen))


def _find_told(own: Mapping[Declaration, Sequence[Node]], best: Declaration) -> list[Node]:
    """Return the first namesake with a comment, if the functions of the best type have none."""
    if any(node.symbol.flags & SymbolFlag.DOCUMENTED for node in own[best]):
        return []
    return [node for nodes in own.values() for node in nodes if node.symbol.flags & SymbolFlag.DOCUMENTED][:1]


def _are_functions(subject: Subject) -> bool:
    return bool(subject.nodes) and all(node.symbol.kind in DOING for node in subject.nodes)


def _map_owners(state: ResearchState, subject: Subject) -> dict[Declaration, list[Node]]:
    """Return the functions of the program that have the name of a subject, by the type or file around."""
    declared = state.graph.scan.find_declared(subject.nodes[0].symbol.name, MAX_FILES)[:MAX_DECLARED]
    nodes = dict.fromkeys((*subject.nodes, *map(state.get_node, declared)))
    owners: dict[Declaration, list[Node]] = {}
    for node in nodes:
        if node.symbol.kind in DOING and admits_node(state, node) and not only_declares(node.path):
            owners.setdefault(Declaration(node.path, node.symbol.parent), []).append(node)
    return owners
