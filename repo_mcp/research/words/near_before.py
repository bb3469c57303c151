"""Look for the answer to a part of a question first where the part before was answered.

    "When is a feed tried again, and does it count as a failure?"
        -> what answers the first part, what that calls and what calls it, if it says "count" or "failure"

What lies there is more likely meant than what has the same words elsewhere. If the part has no word of its
own ("and what is done with them?"), what the best for the part before calls is meant, the last call first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.graph.vocabulary import CALLS
from repo_mcp.record_classes import replace
from repo_mcp.research.edges.structural import list_filling
from repo_mcp.research.findings.named_symbols import admits_node, count_lines
from repo_mcp.research.findings.reasons import Reason
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.words.rated_seeds import LONG_LINES, MANY_USERS, Seed, build_seed
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.base_forms import find_base_form
from repo_mcp.text.question_words import list_shared, shares_word
from repo_mcp.text.word_families import list_stand_ins, spell_stand_in

FOLLOWED = 3  # best declarations of the part before whose calls are followed
MOST_NEAR = 3  # declarations that come first
LESS = 0.5  # factor of the worth of those that have fewer of the words than the best
_BOUNDS = Bounds(files=30, references=120)


def put_near_first(state: ResearchState, seeds: list[Seed]) -> list[Seed]:
    """Return the seeds; those near the answer to the part before that say what this part asks come first.

    The words that this part repeats count only if neither they nor the best have one of the others.
    """
    fresh = [word for word in state.own_words if not shares_word(word, state.words_before)]
    near = {} if state.own_words and not fresh else _list_near(state)
    if not near or not seeds:
        return seeds
    known = {seed.node: seed for seed in seeds}
    rated = [
        replace(known.get(node) or build_seed(state, node, 0.0), reason=Reason(why))
        for node, why in near.items()
    ]
    first = _choose_saying(state, seeds[0], rated, fresh)
    first = first if first is not None else _choose_saying(state, seeds[0], rated, state.own_words) or []
    nodes = {seed.node for seed in first}
    return [*first, *(seed for seed in seeds if seed.node not in nodes)]


def _choose_saying(
    state: ResearchState, best: Seed, near: Sequence[Seed], words: Sequence[str]
) -> list[Seed] | None:
    """Return those near that say at least as much of some words as the best; None if none and it say nothing.

    Without words, return those whose names have most words of the part before.
    """
    if not words:
        named = sorted(near, key=lambda seed: -shares_word(seed.name, state.words_before))  # stable
        return [
            replace(seed, worth=best.worth * LESS ** bool(at)) for at, seed in enumerate(named[:MOST_NEAR])
        ]
    weighed = {
        word: max((state.weights.get(term, 0.0) for term in get_word_terms(word)), default=0.0)
        for word in words
    }
    said = _match_said(weighed)
    least = _weigh_said(best, said, weighed)
    held = [(_weigh_said(seed, said, weighed, least[0]), seed) for seed in near]
    most = max(weight for weight, _ in held)
    if not any((*least, *most)):
        return None
    fitting = [one for one in held if one[0] >= least and any(one[0])]
    fitting.sort(key=itemgetter(0), reverse=True)  # stable
    return [
        replace(seed, worth=best.worth * (1.0 if weight == most else LESS))
        for weight, seed in fitting[:MOST_NEAR]
    ]


def _match_said(words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return for each word what says the same: its base form, and the words that programs use for it."""
    return {
        word: (
            find_base_form(word) or word,
            *(spell_stand_in(one) for term in get_word_terms(word) for one in list_stand_ins(term)),
        )
        for word in words
    }


def _weigh_said(
    seed: Seed, said: Mapping[str, Sequence[str]], weighed: Mapping[str, float], least: float = 0.0
) -> tuple[float, float, float]:
    """Return the weights of the words that a declaration says, the best of its lines, and its name.

    If it says less than `least`, its lines and its name are not looked at.
    """
    every = [one for plain in said.values() for one in plain]

    def weigh(text: str) -> float:
        shared = set(list_shared(text, every))
        return sum(weighed[word] for word, plain in said.items() if not shared.isdisjoint(plain))

    body = seed.body
    numbers = range(body.start_line, body.end_line + 1)
    own = [body.lines[at - 1] for at in numbers if at not in body.comment_lines]
    whole = weigh("\n".join((seed.full_name, *own)))
    if not whole or whole < least:
        return whole, 0.0, 0.0
    return whole, max(map(weigh, own), default=0.0), weigh(seed.name)


def _list_near(state: ResearchState) -> dict[Node, str]:
    """Return what answers the part before, what that calls and what calls it, each with the reason for it."""
    near: dict[Node, str] = {}
    if state.own_words:
        near.update((node, "answers the part before") for node in state.near)
    for node in state.near[:FOLLOWED] if state.own_words else state.near[:1]:
        state.check()
        called = _list_callees(state, node)
        for other in called if state.own_words else reversed(called):
            near.setdefault(other, f"called by {node.symbol.name}, which answers the part before")
        for other in _list_callers(state, node) if state.own_words else ():
            near.setdefault(other, f"calls {node.symbol.name}, which answers the part before")
    return {
        node: why
        for node, why in near.items()
        if node.symbol.kind in CALLABLE_KINDS and admits_node(state, node) and count_lines(node) <= LONG_LINES
    }


def _list_callees(state: ResearchState, node: Node) -> Sequence[Node]:
    """Return what a symbol surely calls, in order; of what is left open, what fills it in."""
    edges = state.graph.find_outgoing(node, CALLS, _BOUNDS).edges
    called = []
    for edge in sorted(edges, key=lambda one: one.lines[:1]):
        if edge.confidence is not Confidence.POSSIBLE:
            other = state.get_node(edge.other)
            filling = [state.get_node(link.target) for link in list_filling(state, other, _BOUNDS)[0]]
            called += filling or [other]
    return called


def _list_callers(state: ResearchState, node: Node) -> Sequence[Node]:
    """Return what surely calls a symbol, unless much does."""
    edges = state.graph.find_incoming(node, CALLS, _BOUNDS).edges
    sure = [state.get_node(edge.other) for edge in edges if edge.confidence is not Confidence.POSSIBLE]
    return sure if len(sure) <= MANY_USERS else ()
