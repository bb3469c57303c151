"""Find the functions that an open question names, with owners or in backquotes, and what those hand on to.

"how does Pool.lend work when it is empty" -> `Pool.lend`, and if all it does is `return Lending(self)`,
`Lending`
"how does `lend` keep the pool small" -> the functions of that name with most of the other words
"""

from __future__ import annotations

import re
from collections.abc import Collection

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.graph.vocabulary import CALLS
from repo_mcp.research.findings.bounds import NARROW
from repo_mcp.research.findings.named_symbols import admits_node, count_lines, list_statements, read_body
from repo_mcp.research.findings.reasons import Reason, explain_named
from repo_mcp.research.findings.records import Form, Subject, TakenAs
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.phrases import read_phrase
from repo_mcp.research.question.subjects import Subjects
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS
from repo_mcp.text.question_words import list_words, shares_word

MOST_NAMED = 2  # functions of one name, such as overloads
MOST_STATEMENTS = 2  # of a function that only hands on, its signature included
HANDING_LINES = 30  # of such a function with its comments; cutting 100 lines into statements takes 10 ms
_CONSTRUCTORS = frozenset({"__init__", "constructor", "init", "new"})
_QUOTED = re.compile(r"`([A-Za-z_]\w*)(?:\(\))?`")
_QUALIFIED = re.compile(r"(?<![\w./:#-])[A-Za-z_]\w*(?:(?:\.|::|#)[A-Za-z_]\w*)+(?![\w/-])")


def find_named_members(state: ResearchState) -> dict[Node, Reason]:
    """Return the functions that a question names so and what they hand on to, with the reasons."""
    query = state.request.query
    subjects = Subjects(state.graph, state.request.folder, state.source.read_lines)
    quoted = _QUOTED.findall(query)
    found: dict[Node, Reason] = {}
    for name in dict.fromkeys((*_QUALIFIED.findall(query), *quoted)):
        subject = subjects.find(read_phrase(name), Form.CALLEES)
        for node in _list_functions(state, subject, name, quoted):
            found.setdefault(node, explain_named(name))
            handed = find_handed(state, node)
            if handed is not None:
                found.setdefault(handed, Reason(f"called by {name}, which does nothing else"))
    return found


def _list_functions(state: ResearchState, subject: Subject, name: str, quoted: Collection[str]) -> list[Node]:
    """Return the functions of a name: with its owner, all if they are few.

    Of a bare name they are those with most of what else is `quoted`, then with most words of the question.
    """
    nodes = [node for node in subject.nodes if node.symbol.kind in CALLABLE_KINDS]
    if subject.taken_as is not TakenAs.DECLARED or len(nodes) != len(subject.nodes):
        return []
    nodes = [node for node in nodes if admits_node(state, node)]
    if not name.isidentifier():
        is_sure = not subject.left_out and len(nodes) <= MOST_NAMED
        return nodes if is_sure else []
    words = [word for word in list_words(state.request.query) if word != name]

    def rate(node: Node) -> tuple[int, int]:
        text = " ".join(read_body(state, node))
        return sum(one in text for one in {*quoted} - {name}), shares_word(text, words)

    return sorted(nodes, key=rate, reverse=True)[:MOST_NAMED]  # stable


def find_handed(state: ResearchState, node: Node) -> Node | None:
    """Return the function or type that is all that a function calls, in its one statement; or None."""
    if node.symbol.kind not in CALLABLE_KINDS or count_lines(node) > HANDING_LINES:
        return None
    if len(list_statements(state, node)) > MOST_STATEMENTS:
        return None
    edges = state.graph.find_outgoing(node, CALLS, NARROW).edges
    if len(edges) != 1 or edges[0].confidence is Confidence.POSSIBLE:
        return None
    handed = state.get_node(edges[0].other)
    if handed == node or not admits_node(state, handed):
        return None
    around = state.get_parent(handed)
    if handed.symbol.name == around.symbol.name or handed.symbol.name in _CONSTRUCTORS:
        handed = around
    return handed if handed.symbol.kind in CALLABLE_KINDS | TYPE_KINDS else None
