"""Find where a word stands that the best declaration for a question lacks, if few files have it.

A question in other words than the code's may have one that the program says in a single place. That place is
a better start than a declaration that has only the frequent words of the question. Comments do not count:
their plain words say less.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.model import ExactMatch, ExactRequest
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.locating import is_test_symbol, may_answer
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.words.rated_seeds import Seed, build_seed
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS
from repo_mcp.text.analysis import get_word_terms

LEAST_LACKING = 0.5  # of the weight of a question's words, so that the best is hardly about it
FEW_FILES = 2  # of the program that have the word
MAX_MATCHES = 20  # lines that have it
LEAST_CHARS = 5  # of its stem, which is looked for in longer words, too


def find_elsewhere(state: ResearchState, weighed: Mapping[str, float]) -> Seed | None:
    """Return the function with most lines that have the heaviest lacking word; None if many files have it.

    `weighed` has the weights of the question's words. Return None, too, if the best has half of the weight.
    """
    lacking = [word for word in state.lacking if word in weighed]
    if sum(weighed[word] for word in lacking) <= LEAST_LACKING * sum(weighed.values()):
        return None
    held = [word for word in lacking if word not in state.absent]
    word = max(held, key=lambda one: weighed[one], default="")
    terms = get_word_terms(word) if word else ()
    stem = min(terms, key=len, default="")
    if len(stem) < LEAST_CHARS:
        return None
    state.check()
    request = ExactRequest(stem, case_sensitive=False, include_tests=False, limit=MAX_MATCHES)
    answer = state.source.search_exact(request)
    own = [one for one in answer.matches if may_answer(one.path) and state.admits(one.path)]
    if answer.truncated or len({one.path for one in own}) > FEW_FILES:
        return None
    holders = _find_holders(state, own)
    if not holders:
        return None
    node = max(holders, key=lambda one: len(holders[one]))  # the first of equal ones, by path and line
    seed = build_seed(state, node, 0.0)
    body = replace(seed.body, terms=dict.fromkeys(holders[node], terms))
    reason = Reason(f"is one of few places with the word {word}", Role.RARE_WORD, word)
    return replace(seed, body=body, reason=reason)


def _find_holders(state: ResearchState, matches: Sequence[ExactMatch]) -> dict[Node, list[int]]:
    """Return the functions around matches, each with the lines of code that match."""
    holders: dict[Node, list[int]] = defaultdict(list)
    for one in matches:
        node = state.source.find_around(one.path, one.start_line)
        is_code = one.start_line not in state.source.read_comment_lines(one.path)
        if is_code and node is not None and node.symbol.kind in CALLABLE_KINDS and not is_test_symbol(node):
            holders[node].append(one.start_line)
    return holders
