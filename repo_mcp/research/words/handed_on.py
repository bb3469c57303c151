"""Find the functions to which the best declarations hand on, so that these are shown behind them.

    if self._find_conflict():                            for one in self._list_candidates(name):
        self._ask(text, yes=self._cancel_other)              self._adapter = one()

A function near by that is looped over, branched on or returned decides what the best one does, whatever
words it has, unless others that it uses fit the question anyway. One that is passed as a value, or called
several times, needs a word of the question in its name; one that is only called needs two. Beyond it, those
with such a word are found, too. One that may be anywhere is found by a name of which the question has every
word. An abstract function stands for those that override it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from enum import IntEnum

from repo_mcp.bundler.statements import only_logs
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from repo_mcp.record_classes import replace
from repo_mcp.research.edges.filled_functions import LEAST_STATEMENTS, fill, is_open
from repo_mcp.research.edges.hops import NARROW
from repo_mcp.research.findings.named_symbols import admits_node, count_lines, list_statements
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState, list_uses
from repo_mcp.research.kinds.derived_types import GLANCE
from repo_mcp.research.words.asked_decisions import read_decision
from repo_mcp.research.words.rated_seeds import MANY_USERS, Seed, build_seed
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolKind
from repo_mcp.text.question_words import asks_to_extend, is_said, list_words, says_whole, shares_word

MOST_HANDED = (3, 2)  # functions shown behind the best declaration, behind the next and so on
MOST_STEPS = 3  # from a declaration to a function on the way
TELLING_WORDS = 2  # of the question, in the name of a function beyond the first step
LEADING = 6  # declarations that keep the room which they have by their rank
LONG_LINES = 100  # of a function; a longer one leads elsewhere
_DECIDES = (
    r"^\s*(?:\}}?\s*)?(?:el(?:se\s*)?if|if|while|until|unless|for|foreach|switch|match|guard|return|yield)"
    r"\b.*\b{}\b"
)
_CALLED = r"\b{}\s*(?:<[^<>()]*>\s*)?\("
_MEMBERS = frozenset({SymbolKind.METHOD, SymbolKind.CONSTRUCTOR})


class _Use(IntEnum):
    """A use of a function, worth the words of the question that its name needs to be found by it."""

    DECIDES = 0  # looped over, branched on or returned
    HANDED = 1  # passed as a value, or called several times
    CALLED = 2


def put_handed_on(state: ResearchState, seeds: Sequence[Seed]) -> list[Seed]:
    """Return the seeds; those functions to which the first ones hand on come right behind them.

    If the best one lacks words of the question, it may not be what is asked for, and they stay as they are.
    If a question asks how something is decided, only the best one decides it.
    """
    if state.word_match.lacking:
        return [*seeds]
    words = list_words(" ".join((state.request.query, *state.request.guesses)))
    limits = MOST_HANDED[: 1 if read_decision(state.request.query) else None]
    ordered: list[Seed] = []
    known = {_locate(seed): seed for seed in seeds[:LEADING]}
    placed = {_locate(seed) for seed in seeds[: len(limits)]}
    for position, seed in enumerate(seeds):
        ordered.append(seed)
        most = limits[position] if position < len(limits) else 0
        for other in _list_handed(state, seed, seeds[:LEADING], words, most) if most else ():
            if _locate(other) in placed:
                continue
            placed.add(_locate(other))
            reason = Reason(f"a step of {seed.name or seed.path}", Role.DECIDES)
            ordered.append(known.get(_locate(other), replace(other, worth=seed.worth, reason=reason)))
    first = {_locate(seed): at for at, seed in reversed([*enumerate(ordered)])}
    return [seed for at, seed in enumerate(ordered) if not seed.name or first[_locate(seed)] == at]


def _locate(seed: Seed) -> tuple[str, str, int]:
    """Return what tells a declaration from any other."""
    return seed.path, seed.name, seed.body.end_line


def _list_handed(
    state: ResearchState, seed: Seed, leading: Sequence[Seed], words: Sequence[str], most: int
) -> list[Seed]:
    """Return the functions to which a declaration hands on, those with most words in their names first."""
    fitting = {one.node for one in leading}
    around = " ".join(seed.full_name.split(".")[:-1])
    telling = [word for word in words if not shares_word(around, (word,))]
    if seed.node is None or seed.node.symbol.kind not in CALLABLE_KINDS:
        return []
    ranked = _rank_handed(state, seed.node, telling, fitting)[:most]
    if asks_to_extend(state.request.query):  # those that exist say the same again
        ranked = [node for node in ranked if not is_open(state, node)]
    return [build_seed(state, one, 0.0) for node in ranked for one in fill(state, node)]


def _rank_handed(
    state: ResearchState, start: Node, telling: Sequence[str], fitting: Set[Node | None]
) -> list[Node]:
    """Return what a function hands on to, up to MOST_STEPS away, what has most words in its name first."""
    found: dict[Node, int] = {}  # the most words in the name of a function, or of one that it leads to
    before: dict[Node, Node] = {}
    level = [start]
    least = int(not fitting.isdisjoint(_list_used(state, start, telling)))  # words of what it decides by
    for steps in range(1, MOST_STEPS + 1):
        fresh: list[Node] = []
        for one in level:
            for other, use in _list_used(state, one, telling).items():
                named = _count_said(other.symbol.name, telling)
                if other not in (start, *found) and named >= (max(use, least) if steps == 1 else 1):
                    found[other], before[other] = named, one
                    fresh.append(other)
                    for above in _list_before(before, one):
                        found[above] = max(found[above], named)
        level = fresh
    told = [one for one in found if before[one] == start or found[one] >= TELLING_WORDS]
    return sorted(told, key=lambda one: -found[one])  # stable


def _list_before(before: Mapping[Node, Node], node: Node) -> list[Node]:
    """Return a function and those before it on the way, without the one at which the way begins."""
    way = []
    while node in before:
        way.append(node)
        node = before[node]
    return way


def _count_said(name: str, telling: Sequence[str]) -> int:
    """Return how many of some words are in a name; more than TELLING_WORDS if one of them is the name.

    It is TELLING_WORDS at least if they say all of it.
    """
    if is_said(name, telling):
        return TELLING_WORDS + 1
    return max(shares_word(name, telling), TELLING_WORDS * says_whole(telling, name))


def _list_used(state: ResearchState, node: Node, telling: Sequence[str]) -> dict[Node, _Use]:
    """Return the functions that a function uses, and how, in the order of their uses.

    These are near it, or said by some words.
    """
    lines = state.source.read_lines(node.path)
    used: dict[Declaration, set[int]] = {}
    for edge in list_uses(state, node, NARROW, (*CALLS, EdgeType.REFERENCES)):
        name = state.get_node(edge.other).symbol.name
        if _is_near(state, node, edge.other) or _count_said(name, telling) >= TELLING_WORDS:
            used.setdefault(edge.other, set()).update(edge.lines)
    found = {}
    for declaration in sorted(used, key=lambda one: (min(used[one], default=0), one.ordinal)):
        other = state.get_node(declaration)
        texts = [lines[at - 1] for at in sorted(used[declaration]) if at <= len(lines)]
        texts = [text for text in texts if not only_logs(text)]
        if texts and other != node and _may_decide(state, other):
            found[other] = _find_use(other.symbol.name, texts)
    return found


def _is_near(state: ResearchState, node: Node, other: Declaration) -> bool:
    """Return True for what the same file declares, or the same type in another file beside it, as in Go."""
    if other.path == node.path:
        return True
    is_beside = other.path.rpartition("/")[0] == node.path.rpartition("/")[0]
    return is_beside and _name_owner(state.get_node(other)) == _name_owner(node) != ""


def _name_owner(node: Node) -> str:
    """Return the name of the type that a member belongs to; "" for any other function."""
    return node.qualified_name.rpartition(".")[0] if node.symbol.kind in _MEMBERS else ""


def _find_use(name: str, texts: Sequence[str]) -> _Use:
    """Return how lines use a function."""
    decides, called = (re.compile(one.format(re.escape(name))) for one in (_DECIDES, _CALLED))
    if any(map(decides.search, texts)):
        return _Use.DECIDES
    is_value = not all(map(called.search, texts))
    return _Use.HANDED if is_value or len(texts) > 1 else _Use.CALLED


def decides(name: str, texts: Sequence[str]) -> bool:
    """Return True if lines loop over, branch on or return what has a name."""
    return _find_use(name, texts) is _Use.DECIDES


def _may_decide(state: ResearchState, node: Node) -> bool:
    """Return True for a function of the program that does something, and is used by few."""
    return (
        node.symbol.kind in CALLABLE_KINDS
        and admits_node(state, node)
        and count_lines(node) <= LONG_LINES
        and (is_open(state, node) or len(list_statements(state, node)) >= LEAST_STATEMENTS)
        and len(state.graph.find_incoming(node, CALLS, GLANCE).edges) <= MANY_USERS
    )
