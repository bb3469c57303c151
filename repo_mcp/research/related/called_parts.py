"""Find what does a part of the work of the best declaration: functions that it calls and decides by.

What it calls says what it does, whatever words of the question that has. Of some 380 functions that the two
best ones of 44 questions call, one in five was part of an answer if the file has it for the best one alone,
if that branches on it, or if it has a word of the question; one in 30 of the others was. Of 101 with a single
statement, one was. Callers are not added: of 115 that were, two were part of an answer, and those that their
worth leads to are seeds already.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set

from repo_mcp.bodies.statements import decides, only_logs
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from repo_mcp.research.edges.filled_functions import fill
from repo_mcp.research.edges.open_functions import LEAST_STATEMENTS, is_open
from repo_mcp.research.findings.bounds import GLANCE, NARROW
from repo_mcp.research.findings.named_symbols import admits_node, list_statements
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState, list_uses
from repo_mcp.research.seeds.rated_seeds import MANY_USERS
from repo_mcp.research.seeds.seed import Seed, insert_seeds
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS
from repo_mcp.text.question_words import list_words, shares_word
from repo_mcp.text.roles import is_test_path

MOST_PARTS = 3  # of the best one


def put_called_parts(state: ResearchState, seeds: Sequence[Seed]) -> list[Seed]:
    """Return the seeds; parts of the best one, if that is a function, come right behind it."""
    best = seeds[0].node if seeds else None
    if best is None or best.symbol.kind not in CALLABLE_KINDS:
        return [*seeds]
    reason = Reason(f"called by {best.symbol.name}", Role.BESIDE)
    return insert_seeds(state, seeds, 1, dict.fromkeys(_list_parts(state, best), reason))


def _list_parts(state: ResearchState, node: Node) -> list[Node]:
    """Return the functions that are likely to do a part of another one, of those that it uses.

    A word that this one has in its own name does not tell them apart.
    """
    words = list_words(state.request.full_text)
    telling = [word for word in words if not shares_word(node.symbol.name, (word,))]
    lines = state.source.read_lines(node.path)
    own = lines[node.symbol.start_line : node.symbol.end_line]
    is_wrapper = len(list_statements(state, node)) < LEAST_STATEMENTS
    rated: dict[Node, int] = {}
    for other, at in _list_used(state, node).items():
        one = state.get_node(other)
        calling = state.graph.find_incoming(one, CALLS, GLANCE).edges
        users = sum(not is_test_path(edge.other.path) for edge in calling)
        called = (lines[line - 1] for line in at if line <= len(lines))
        texts = [text for text in called if not only_logs(text)]
        if one == node or users > MANY_USERS or not texts or not _may_do_part(state, one):
            continue
        is_beside = one.path == node.path
        rated[one] = (
            bool(shares_word(one.symbol.name, telling))
            + (is_beside and users == 1)
            + ((is_beside or is_wrapper) and _is_decided_by(one.symbol.name, texts, own))
        )
    best = sorted((one for one in rated if rated[one]), key=lambda one: -rated[one])  # stable
    return [filled for one in best[:MOST_PARTS] for filled in fill(state, one)]


def _list_used(state: ResearchState, node: Node) -> Mapping[Declaration, Set[int]]:
    """Return what a function calls or names, with the lines, in the order of these."""
    used: dict[Declaration, set[int]] = {}
    for edge in list_uses(state, node, NARROW, (*CALLS, EdgeType.REFERENCES)):
        used.setdefault(edge.other, set()).update(edge.lines)
    order = sorted(used, key=lambda one: (min(used[one], default=0), one.path, one.ordinal))
    return {one: used[one] for one in order}


def _may_do_part(state: ResearchState, node: Node) -> bool:
    """Return True for a function of the program that does several things, or is left to others."""
    return (
        node.symbol.kind in CALLABLE_KINDS
        and admits_node(state, node)
        and (is_open(state, node) or len(list_statements(state, node)) >= LEAST_STATEMENTS)
    )


def _is_decided_by(name: str, texts: Sequence[str], own: Sequence[str]) -> bool:
    """Return True if lines decide by what has a name, or by the variable that its call sets."""
    sets = re.compile(rf"\b(\w+)\s*:?=(?![=>]).*\b{re.escape(name)}\s*\(")
    made = {found[1] for found in map(sets.search, texts) if found is not None}
    return decides(name, texts) or any(decides(variable, own) for variable in made)
