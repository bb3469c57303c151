"""Find the table, the switch or the calls to which one more is added, where no type is the base of its kind.

    "a new compression method"    the calls of `register` in compression.py
    "a new file type"             the table DEFAULT_TYPES
    "a new locale"                the exports of locales/index.ts

A place fits if its name, its path or the comment above it, or else most of its entries, have the nouns.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from repo_mcp.bodies.body import Body
from repo_mcp.graph.nodes import Node
from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.locating import is_test_node, may_answer
from repo_mcp.research.findings.named_symbols import (
    DOING,
    VALUES,
    admits_node,
    count_lines,
    find_by_name,
    is_deprecated,
)
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.kinds.listed_lines import find_opening, is_import
from repo_mcp.research.kinds.listings import EXPORTS, Place, find_holder
from repo_mcp.research.kinds.parallel_lines import CASES, IMPORTED, TEXTS, Run, find_runs
from repo_mcp.research.kinds.siblings import split_words
from repo_mcp.symbols.symbol_record import TYPE_KINDS
from repo_mcp.text.question_words import count_words, list_shared, spell_plural
from repo_mcp.text.word_families import abbreviates

MOST_RATED, MOST_NAMED = 16, 10  # files with words of the question, and constants and variables so named
MOST_FILES = 30  # whose lines are looked at
MOST_PATHS = 6  # that export what lies in a folder named after the kind
COMMENT_LINES = 10  # above a list
MOST_LISTS = 2
MOST_SHOWN = 6  # entries of a list
MOST_ENTRIES = 12  # of which one to copy is looked for
MODEL_LINES = 3
LEAST_SHORT = 3  # characters of an abbreviated noun
LEAST_NEAR = 0.93  # of the fit of the best list for that of another
LEAST_FIT = 0.65  # of the worth of all nouns, for a place with them
# Worth of a noun in the name of what holds a list, in the entries, in the path, or in the comment above.
IN_NAME, IN_ENTRIES, IN_PATH, IN_COMMENT = 1.0, 0.8, 0.8, 0.6
OF_VALUE = 0.2  # more for a constant or a variable: it does nothing else
SAID_OF_ANY, MOST_DECLARED = 0.2, 8
# Words that many kinds are called by.
_ANY = frozenset({"format", "kind", "method", "mode", "scheme", "strategy", "type", "variant", "way"})
_REGISTERS = re.compile(
    r"_*(?:register|add|append|bind|command|define|include|insert|install|map|option|plug|push|route|rule|set"
    r"|use|with)(?![a-z])",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"[^\"\n]{0,80}\"|'[^'\n]{0,80}'")
_MAKES = re.compile(r"\bnew\s++[A-Z]")
_NAME = re.compile(r"[A-Za-z_]\w{2,}")


@dataclass(frozen=True, slots=True)
class WordListing:
    """A list with the nouns of a question."""

    place: Place
    run: Run
    fit: float
    body: Body  # of which only a few lines are left


def find_word_listings(state: ResearchState, nouns: Sequence[str]) -> list[WordListing]:
    """Return the lists that fit the nouns of a kind best, at most MOST_LISTS; none that lack most of them."""
    found = [
        one for path in islice(_iter_paths(state, nouns), MOST_FILES) for one in _read(state, path, nouns)
    ]
    found.sort(key=lambda one: (-one.fit, one.place.path, one.run.lines[0]))
    chosen: list[WordListing] = []
    for one in found:
        is_near = not chosen or one.fit >= chosen[0].fit * LEAST_NEAR
        if not is_near or len(chosen) == MOST_LISTS:
            break
        if _is_own(state, one) and all(one.place != other.place for other in chosen):
            chosen.append(one)
    return chosen


def _is_own(state: ResearchState, one: WordListing) -> bool:
    """Return False for calls of what is declared elsewhere, unless they hand over something new."""
    lines = state.source.read_lines(one.place.path)
    return (
        not one.run.is_call
        or find_callee(state, one) is not None
        or all(_MAKES.search(lines[at - 1]) for at in one.run.lines)
    )


def _iter_paths(state: ResearchState, nouns: Sequence[str]) -> Iterator[str]:
    """Yield the files that may list a kind, each once."""
    met: set[str] = set()
    for path in (*_list_exporting(state, nouns), *_list_naming(state, nouns), *_list_rated(state)):
        if path not in met and may_answer(path) and state.admits(path):
            met.add(path)
            yield path


def _list_rated(state: ResearchState) -> list[str]:
    paths = dict.fromkeys(one.path for rated, _ in state.rated.values() for one in rated)
    return [*paths][:MOST_RATED]


def _list_naming(state: ResearchState, nouns: Sequence[str]) -> list[str]:
    """Return the files of the constants and variables named after a kind, in the plural or not."""
    plural = spell_plural(nouns[-1])
    queries: list[tuple[str, str | None]] = [(f"*{plural}", kind) for kind in ("constant", "variable")]
    queries += [(noun, None) for noun in dict.fromkeys((plural, *nouns))]
    nodes = (
        node
        for query, kind in queries
        for node in find_by_name(state, query, kind)
        if node.symbol.kind in VALUES and count_lines(node) > MODEL_LINES
    )
    return [*dict.fromkeys(node.path for node in islice(nodes, MOST_NAMED))]


def _list_exporting(state: ResearchState, nouns: Sequence[str]) -> list[str]:
    """Return the files that export what is in a folder named after a kind, or that are named so."""
    begins = [noun[:5] for noun in nouns if noun not in _ANY]
    paths = (path for path in state.graph.name_uses.list_source_paths() if may_answer(path))
    told = (path for path in paths if any(one in path.lower() for one in begins))
    fitting = (path for path in told if EXPORTS.search(path) or _is_named(path, nouns))
    near = (path for path in fitting if list_shared(" ".join(path.split("/")[-2:]), nouns))
    return sorted(islice(near, 4 * MOST_PATHS), key=lambda one: (one.count("/"), one))[:MOST_PATHS]


def _is_named(path: str, nouns: Sequence[str]) -> bool:
    stem = path.rpartition("/")[2].partition(".")[0].lower()
    return any(stem in (noun, spell_plural(noun)) for noun in nouns)


def _read(state: ResearchState, path: str, nouns: Sequence[str]) -> list[WordListing]:
    """Return the lists of a file that have the nouns."""
    lines, comments = state.source.read_lines(path), state.source.read_comment_lines(path)
    weights = {noun: SAID_OF_ANY if noun in _ANY and len(nouns) > 1 else 1.0 for noun in nouns}
    found = []
    for run in find_runs(lines, comments):
        if run.is_call and not _may_register(run.kind, nouns):
            continue
        place = Place(path, find_holder(state, path, run.lines[0], run.lines[-1]))
        opening = find_opening(lines, run.lines[0])
        if not _may_hold(place, run) or (opening is not None and is_import(lines[opening - 1])):
            continue
        above = lines[max(0, (opening or run.lines[0]) - 1 - COMMENT_LINES) : opening or run.lines[0] - 1]
        fit = sum(weight * _measure(place, run, lines, above, noun) for noun, weight in weights.items())
        if fit >= LEAST_FIT * sum(weights.values()):
            words = 0 if place.node is None else count_words(place.node.symbol.name)
            is_value = place.node is not None and place.node.symbol.kind in VALUES
            worth = fit + (math.log2(len(run.lines)) - words) / 20 + OF_VALUE * is_value
            found.append(WordListing(place, run, worth, _show(place, run, lines, opening)))
    return found


def _may_register(callee: str, nouns: Sequence[str]) -> bool:
    name = callee.rpartition(".")[2]
    return _REGISTERS.match(name) is not None or bool(list_shared(name, nouns))


def _may_hold(place: Place, run: Run) -> bool:
    """Return False for names in a row inside a function or a type: arguments and fields are no list.

    What a file imports from beside it, it exports only if that is its purpose.
    """
    if run.kind == IMPORTED:
        return EXPORTS.search(place.path) is not None
    if place.node is None or place.node.symbol.kind in VALUES:
        return True
    is_test = is_test_node(place.node) or place.node.symbol.name.lower().startswith("test")
    is_function = place.node.symbol.kind in DOING and not is_test
    return is_function and (run.is_call or run.kind in (CASES, TEXTS))


def _measure(place: Place, run: Run, lines: Sequence[str], above: Sequence[str], noun: str) -> float:
    """Return what it is worth where a list has a noun: 0.0 for one that has it nowhere."""
    joined = noun.replace("-", "")
    name = "" if place.node is None else place.node.symbol.name
    near = " ".join(place.path.split("/")[-2:])
    entries = [lines[at - 1] for at in run.lines]
    held = sum(bool(list_shared(one, (noun,))) for one in entries)
    worths = (
        (IN_NAME, bool(list_shared(name, (noun,))) or joined in name.lower() or _abbreviates(name, noun)),
        (IN_ENTRIES, 2 * held > len(entries)),
        (IN_PATH, bool(list_shared(near, (noun,))) or joined in near.lower()),
        (IN_COMMENT, bool(list_shared(" ".join(above), (noun,)))),
    )
    return max((worth for worth, is_held in worths if is_held), default=0.0)


def _abbreviates(name: str, noun: str) -> bool:
    """Return True for a name with the first letter of a noun and its next consonants as a word: `cmd`."""
    short = noun[0] + "".join(char for char in noun[1:] if char not in "aeiou")
    words = (word for word in split_words(name) if LEAST_SHORT <= len(word) < len(noun))
    return any(abbreviates(word, short) for word in words)


def _show(place: Place, run: Run, lines: Sequence[str], opening: int | None) -> Body:
    """Return a body of which the head, what opens the list, and a few of its entries are left."""
    entries = [*run.lines[: MOST_SHOWN - 1], run.lines[-1]]
    shown = {*entries} | ({opening} if opening is not None else set())
    if run.kind == CASES:
        shown |= {at + 1 for at in entries if at + 1 not in run.lines and at < len(lines)}
    start, end = min(shown), max(shown)
    node = place.node
    if node is not None:
        start, end = node.symbol.start_line, max(end, node.symbol.end_line)
        named = (at for at in range(start, end + 1) if node.symbol.name in lines[at - 1])
        shown.add(next(named, start))
    return Body(lines, start, end, start, {}, frozenset(range(start, end + 1)) - shown)


def find_entry_model(state: ResearchState, one: WordListing) -> Node | None:
    """Return the shortest function or type that an entry of a list names; None if none is declared here."""
    lines = state.source.read_lines(one.place.path)
    beside = 1 if one.run.kind == CASES else 0  # lines behind each entry
    entries = (at + more for at in one.run.lines[:MOST_ENTRIES] for more in range(beside + 1))
    texts = (_QUOTED.sub("", lines[at - 1]) for at in entries if at <= len(lines))
    names = dict.fromkeys(name for text in texts for name in _NAME.findall(text))
    own = set(one.run.kind.split("."))
    nodes = [
        node
        for name in names
        if name not in own
        for declared in [state.graph.scan.find_declared(name, MOST_DECLARED)]
        if len(declared) < MOST_DECLARED
        for node in map(state.get_node, declared)
        if node.symbol.kind in DOING | TYPE_KINDS
        and admits_node(state, node)
        and not is_deprecated(node)
        and count_lines(node) >= MODEL_LINES
    ]
    return min(nodes, key=lambda node: (count_lines(node), node.path), default=None)


def find_callee(state: ResearchState, one: WordListing) -> Node | None:
    """Return the function of the program whose calls make a list; None without one."""
    if not one.run.is_call:
        return None
    declared = state.graph.scan.find_declared(one.run.kind.rpartition(".")[2], MOST_DECLARED)
    nodes = [node for node in map(state.get_node, declared) if node.symbol.kind in DOING]
    own = [node for node in nodes if admits_node(state, node)]
    return min(own, key=lambda node: (node.path != one.place.path, node.path), default=None)
