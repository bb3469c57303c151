"""Investigate a question for a difference: both sides, what they share, and what only one of them has."""

from __future__ import annotations

from repo_mcp.graph.nodes import Node
from repo_mcp.record_classes import replace
from repo_mcp.research.edges.paths import find_paths
from repo_mcp.research.edges.shared_members import list_alone, list_shared_members
from repo_mcp.research.findings.named_symbols import read_body
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Chain, Reading
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.words.seeds import find_seeds
from repo_mcp.symbols.symbol_record import TYPE_KINDS

COMPARED = 3  # declarations of one name
MOST_ALONE = 2  # functions shown that only one of the types has
_OF_BOTH = Reason("is declared by both of the types that are compared", Role.COMPARED)
_OF_ONE = Reason("only one of the types that are compared declares it", Role.COMPARED)


def note_compared(state: ResearchState, reading: Reading) -> list[Chain]:
    """Note what is compared, and the functions in which types differ. Return the calls between the first."""
    nodes = [node for subject in reading.subjects for node in subject.nodes]
    first = [subject.nodes[0] for subject in reading.subjects if subject.nodes]
    if all(node.symbol.kind in TYPE_KINDS for node in first):
        state.alone = list_alone(state, first)
    shared = list_shared_members(state, first)
    alone = [one for found in state.alone.values() for one in found[:MOST_ALONE]] if shared else []
    reasons = {**dict.fromkeys(shared, _OF_BOTH), **dict.fromkeys(alone, _OF_ONE)}
    text = " ".join(subject.asked for subject in reading.subjects)
    find_seeds(state, text, first=[*nodes, *alone, *shared], reasons=reasons, only_near=True)
    return find_paths(state, nodes[:1], nodes[-1:]) if len(nodes) > 1 else []


def pair_subjects(state: ResearchState, reading: Reading) -> Reading:
    """Return a reading whose subjects have at most COMPARED declarations each, the fitting ones first.

    Of many overloads, one compares those in a file that declares the others too, with the same parameters.
    """
    paired = []
    for subject in reading.subjects:
        others = [node for one in reading.subjects if one is not subject for node in one.nodes]
        paths, parameters = {node.path for node in others}, {_read_parameters(state, node) for node in others}
        ordered = sorted(  # stable
            subject.nodes,
            key=lambda node: (node.path not in paths, _read_parameters(state, node) not in parameters),
        )
        left_out = subject.left_out + max(0, len(ordered) - COMPARED)
        paired.append(replace(subject, nodes=tuple(ordered[:COMPARED]), left_out=left_out))
    return replace(reading, subjects=tuple(paired))


def _read_parameters(state: ResearchState, node: Node) -> str:
    """Return what stands in the round brackets behind the name of a declaration; "" for none."""
    head = next(iter(read_body(state, node)), "")
    return head.partition(f"{node.symbol.name}(")[2].partition(")")[0]
