"""Note what the subjects of a question call, where the question names it besides what calls them.

"who calls Aspect.on_error, and what does it do with the transaction" -> `rollback_transaction`
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.graph.vocabulary import CALLS
from repo_mcp.research.edges.hops import NARROW
from repo_mcp.research.findings.locating import is_program
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.words.shown_lines import show_body
from repo_mcp.text.question_words import list_words, shares_word

MOST_CALLEES, CALLEE_CHARS = 3, 700  # shown, and characters of each


def note_asked_callees(state: ResearchState, nodes: Sequence[Node]) -> None:
    """Note the callees of the subjects whose names share a word with the question, as subjects are noted.

    The words of the subjects' own names name no callee.
    """
    own = " ".join(node.qualified_name for node in nodes)
    words = [word for word in list_words(state.request.query) if not shares_word(own, (word,))]
    noted = 0
    for node in nodes if words else ():
        state.check()
        for edge in state.graph.find_outgoing(node, CALLS, NARROW).edges:
            other = state.get_node(edge.other)
            is_sure = edge.confidence is not Confidence.POSSIBLE and is_program(other.path)
            if noted < MOST_CALLEES and is_sure and shares_word(other.symbol.name, words):
                shown = show_body(state, other, CALLEE_CHARS)
                text = f"has a word of the question, and is called by {node.qualified_name}"
                reason = Reason(text, Role.ASKED_CALLEE, node.qualified_name)
                noted += state.add(other, reason, 0, edge.confidence, shown=shown)
