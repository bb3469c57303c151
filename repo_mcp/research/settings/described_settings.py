"""Find the setting that a question describes, by the words of its name and of the lines that tell of it.

    "the maximum size of a request body"
    client_max_size: int = 1024**2                         `max` and `size` are in its name
    if body_size > self._client_max_size:                  `body` is in a condition with it,
        raise HTTPRequestEntityTooLarge(...)               and `request` in what that guards

What counts or changes while the program runs is no setting, whatever its name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from repo_mcp.bodies.statements import is_branch
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.typed.path_lookup import VALUE_KINDS
from repo_mcp.graph.vocabulary import SymbolFilter
from repo_mcp.model import ExactMatch, ExactRequest
from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.first_sentences import MOST_COMMENT_LINES, list_comment
from repo_mcp.research.findings.locating import is_test_node, may_answer
from repo_mcp.research.findings.records import Subject, TakenAs
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.phrase_names import write_snake
from repo_mcp.text.question_words import count_words, list_words, shares_word
from repo_mcp.text.stemming import stem_word
from repo_mcp.text.word_families import abbreviates, list_synonyms, spell_stem

MOST_VALUES = 100  # that a search for the words of a description finds
MOST_NAMES = 6  # whose lines are read
MOST_LINES = 60  # with one name
MOST_OTHERS = 2  # words that a name has besides those of the description
LEAST_SHARED = 3  # words of a description in a name that needs no line to tell the others
LEAST_WORDS = 2  # of a description
MOST_COMMENTED = 3  # declarations of one name, whose comments are read
UNTELLING = frozenset({"default", "defaults", "value"})  # words that are said of any setting
# A text of several words: "the body exceeded settings.MAX_BODY"
_NAMED_IN_TEXT = re.compile(r"[\"'`][^\"'`]{0,200} [^\"'`]{0,200}[\"'`]")


@dataclass(frozen=True, slots=True)
class _Named:
    """The values of one name, with the words of the description that the name has."""

    name: str
    nodes: tuple[Node, ...]
    own: frozenset[str]

    @property
    def others(self) -> int:
        return count_words(self.name) - len(self.own)


def find_described(state: ResearchState, described: str) -> Subject | None:
    """Return the values of the program that a description means; None if none or several fit as well.

    Their name has two thirds of the telling words, LEAST_SHARED at least, or two, or one that a comment on
    it names with the others, if the lines with the name have all the others.
    """
    words = tuple(word for word in list_words(described) if word.lower() not in UNTELLING)
    if len(words) < LEAST_WORDS:
        return None
    found = _list_named(state, words)
    named = [one for one in found if len(one.own) >= LEAST_SHARED and 3 * len(one.own) >= 2 * len(words)]
    best = _choose(named) or _choose([one for one in found[:MOST_NAMES] if _is_told(state, one, words)])
    if best is None:
        return None
    nodes = sorted(best.nodes, key=lambda node: node.symbol.name.startswith("_"))  # stable
    return Subject(described, TakenAs.DECLARED, tuple(nodes), nodes[0].symbol.name)


def _list_named(state: ResearchState, words: Sequence[str]) -> list[_Named]:
    """Return the names of values with words of a description, those with most of them first."""
    spelled = {word: (word, *list_short(word)) for word in words}
    text = " ".join(one for own in spelled.values() for one in own)
    found = [node for node, _ in state.graph.search(text, SymbolFilter(kind="property"), MOST_VALUES)[0]]
    found += [node for node, _ in state.graph.search(text, SymbolFilter(), MOST_VALUES)[0]]
    named: dict[str, list[Node]] = {}
    for node in dict.fromkeys(found):
        is_value = node.symbol.kind in VALUE_KINDS and not is_test_node(node)
        if is_value and may_answer(node.path) and state.admits(node.path):
            named.setdefault(_fold(node), []).append(node)
    rated = []
    for nodes in named.values():
        name = nodes[0].symbol.name
        own = frozenset(word for word in words if any(shares_word(name, (one,)) for one in spelled[word]))
        one = _Named(name, tuple(nodes), own)
        # The name of a thing, such as `connection`, is that of no setting of it.
        rated += [one] if own and count_words(name) > 1 and one.others <= MOST_OTHERS else []
    return sorted(rated, key=_rate)  # stable


def list_short(word: str) -> list[str]:
    """Return the short and the long forms of a word: `max` for "maximum", `msg` for "message"."""
    own = word.lower()
    synonyms = (spell_stem(one) for one in list_synonyms(stem_word(own.encode()).decode()))
    return [one for one in synonyms if abbreviates(one, own) or abbreviates(own, one)]


def _fold(node: Node) -> str:
    return write_snake(node.symbol.name).strip("_")


def _rate(named: _Named) -> tuple[int, int]:
    return -len(named.own), named.others


def _choose(named: Sequence[_Named]) -> _Named | None:
    """Return what fits best of what is sorted; None for nothing, or if two fit as well."""
    is_one = named and (len(named) == 1 or _rate(named[0]) != _rate(named[1]))
    return named[0] if is_one else None


def _is_told(state: ResearchState, named: _Named, words: Sequence[str]) -> bool:
    """Return True for a setting that its comments or lines describe by all words that its name lacks.

    Of a single word in the name, all the words must stand together.
    """
    matches = _list_lines(state, named)
    if not _is_set_once(named.name.strip("_"), matches):
        return False
    is_sure = len(named.own) > 1
    owners = " ".join(node.qualified_name.rpartition(".")[0] for node in named.nodes)
    asked = [one for one in words if one not in named.own and not shares_word(owners, (one,))]
    asked = asked if is_sure else list(words)
    return (
        not asked
        or any(_is_described(state, node, asked) for node in named.nodes[:MOST_COMMENTED])
        or any(_tells(state, one, asked, is_sure=is_sure) for one in matches)
    )


def _list_lines(state: ResearchState, named: _Named) -> list[ExactMatch]:
    """Return the lines of the program with a name: in the files that declare it, or as that of a member."""
    name = named.name.strip("_")
    request = ExactRequest(name, case_sensitive=True, limit=MOST_LINES, include_tests=False)
    whole, member = re.compile(rf"\b_*{re.escape(name)}\b"), re.compile(rf"[.>]_*{re.escape(name)}\b")
    paths = {node.path for node in named.nodes}
    return [
        one
        for one in state.source.search_exact(request).matches
        if may_answer(one.path) and (whole if one.path in paths else member).search(one.line)
    ]


def _is_described(state: ResearchState, node: Node, words: Sequence[str]) -> bool:
    """Return True for a declaration with a comment that has all of some words."""
    lines = state.source.read_lines(node.path)
    above = lines[max(0, node.symbol.start_line - 1 - MOST_COMMENT_LINES) : node.symbol.start_line - 1]
    if shares_word(" ".join(above), words) < len(words):
        return False  # it takes longer to find the comments of a file
    comment = (lines[at - 1] for at in list_comment(state, node) if at <= len(lines))
    return shares_word(" ".join(comment), words) == len(words)


def _tells(state: ResearchState, match: ExactMatch, words: Sequence[str], *, is_sure: bool) -> bool:
    """Return True for a comment that names a setting if it and the next line have all of some words.

    Of a name that `is_sure`, a condition tells them, too, and a text in quotes that names it, as of an error.
    """
    lines = state.source.read_lines(match.path)[match.start_line - 1 : match.start_line + 1]
    if shares_word(" ".join(lines), words) < len(words):
        return False
    is_said = is_branch(match.line) or _NAMED_IN_TEXT.search(match.line) is not None
    return (is_sure and is_said) or match.start_line in state.source.read_comment_lines(match.path)


def _is_set_once(name: str, matches: Collection[ExactMatch]) -> bool:
    """Return True for a name that the program neither counts with nor adds to."""
    return bool(matches) and not counts_with(name, [one.line for one in matches])


def counts_with(name: str, lines: Iterable[str]) -> bool:
    """Return True for lines of which one counts with a name or adds to it."""
    quoted = re.escape(name)
    counts = re.compile(rf"\b_*{quoted}\s*(?:\+\+|--|[-+*/|]=)|(?:\+\+|--)[\w.>-]*\b_*{quoted}\b")
    return any(map(counts.search, lines))
