"""Find where those stand together that one more is to be added to, as names, keys or texts.

    "where would I add an option such as gate.paint?"    the names behind `gate.` in the program
    "how do I add a parcel macro? (ParcelGetMacro)"      the entries of the table with a guessed name

Who adds one has to look at each such place, whatever kind of place it is: a schema, defaults, a condition.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from repo_mcp.model import ExactMatch, ExactRequest
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.locating import is_aside
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState, note_lines
from repo_mcp.research.question.phrase_names import split_parts
from repo_mcp.research.words.mirrored_tables import list_keys
from repo_mcp.research.words.read_tables import list_guessed_tables
from repo_mcp.text.question_words import count_words, list_words, shares_word
from repo_mcp.text.roles import FileRole, find_role

LEAST_TOGETHER = 3  # siblings in one place
MOST_SIBLINGS = 8  # that are searched for
MOST_READ, MOST_FOUND = 120, 600  # lines with several or an owner, and lines with one
SPAN_LINES = 80  # in which siblings stand together
MOST_PLACES = 5
MOST_CHARS = 400  # of a line; a longer one is generated
MOST_SHOWN = 6  # lines of one place
_PLAIN = frozenset({Role.OTHER, Role.HAS_WORDS, Role.NAMED_SO, Role.TABLE})  # the words alone lead there
_OWNED = re.compile(r"(?<![\w./@-])([A-Za-z_]\w{2,})\.([A-Za-z_]\w*)(?![\w/(.])")  # `gate.paint`
_Found = tuple[re.Pattern[str], Sequence[ExactMatch]]


def note_siblings(state: ResearchState) -> None:
    """Note the places where those stand together that a question asks to add one to."""
    siblings, texts = _list_siblings(state)
    lines: dict[str, dict[int, set[str]]] = {}
    for word, matches in (_search_names(state, siblings), _search_texts(state, texts)):
        for one in matches:
            is_own = find_role(one.path) is not FileRole.DOCS and not is_aside(one.path)
            if is_own and state.admits(one.path) and len(one.line) <= MOST_CHARS:
                found = {name.strip("\"'").lower() for name in word.findall(one.line)}
                lines.setdefault(one.path, {}).setdefault(one.start_line, set()).update(found)
    places = [place for path, own in lines.items() if (place := _choose_span(state, path, own)) is not None]
    if not places:
        return
    places.sort(key=lambda one: -len(one[2]))  # stable
    for path, numbers, names in places[:MOST_PLACES]:
        _note(state, path, numbers, len(names))
    state.findings.sort(key=lambda one: (one.role in _PLAIN, one.role is Role.SIBLINGS))  # stable


def _list_siblings(state: ResearchState) -> tuple[list[str], list[str]]:
    """Return the names of those of which one more is to be added, and what tells them apart as texts."""
    query = state.request.query
    for owner, name in _OWNED.findall(query):
        pattern = rf"\b{owner}\.[A-Za-z_]\w*"
        request = ExactRequest(pattern, regex=True, include_tests=False, limit=MOST_READ, by_role=True)
        found = (
            re.findall(rf"\b{owner}\.(\w+)", one.line) for one in state.source.search_exact(request).matches
        )
        counts = Counter(one for names in found for one in names if one != name)
        telling = sorted(counts, key=lambda one: (count_words(one) < 2, -counts[one]))  # stable
        if len(telling) >= LEAST_TOGETHER:
            return telling[:MOST_SIBLINGS], []
    tables = list_guessed_tables(state)
    keys = [key.partition(".")[0] for key in list_keys(state, tables[0])] if tables else []
    return [], _list_telling(keys, list_words(query))


def _list_telling(names: Sequence[str], words: Sequence[str]) -> list[str]:
    """Return what tells names apart that have words of a question: `Get` of `ParcelGetMacro`."""
    parts = [[part for part in split_parts(name) if not shares_word(part, words)] for name in names]
    return [*dict.fromkeys(own[0] for own in parts if len(own) == 1)]


def _search_names(state: ResearchState, names: Sequence[str]) -> _Found:
    """Return the expression for some names, and the lines with one of them."""
    word = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")
    if len(names) < LEAST_TOGETHER:
        return word, ()
    request = ExactRequest(word.pattern, regex=True, include_tests=False, limit=MOST_FOUND, by_role=True)
    return word, state.source.search_exact(request).matches


def _search_texts(state: ResearchState, texts: Sequence[str]) -> _Found:
    """Return the expression for some texts in quotes, in any case, and the lines with several of them."""
    word = re.compile(rf"[\"'](?:{'|'.join(texts)})[\"']", re.IGNORECASE)
    if len(texts) < LEAST_TOGETHER:
        return word, ()
    request = ExactRequest(
        ".*".join([word.pattern] * LEAST_TOGETHER),
        regex=True,
        case_sensitive=False,
        include_tests=False,
        limit=MOST_READ,
        by_role=True,
    )
    return word, state.source.search_exact(request).matches


def _choose_span(
    state: ResearchState, path: str, lines: dict[int, set[str]]
) -> tuple[str, list[int], set[str]] | None:
    """Return the lines of a file near each other that have most siblings; None if these are too few."""
    if len(set().union(*lines.values())) < LEAST_TOGETHER:
        return None
    comments = state.source.read_comment_lines(path)
    held = [at for at in sorted(lines) if at not in comments]
    best: tuple[list[int], set[str]] = ([], set())
    for first in held:
        near = [at for at in held if first <= at < first + SPAN_LINES]
        names = set().union(*(lines[at] for at in near))
        best = max(best, (near, names), key=lambda one: len(one[1]))
    return (path, *best) if len(best[1]) >= LEAST_TOGETHER else None


def _note(state: ResearchState, path: str, numbers: Sequence[int], count: int) -> None:
    """Note a place with siblings; of one that is noted already, show the lines with them, too."""
    node = state.source.find_around(path, numbers[0])
    reason = Reason(f"names {count} of the kind together", Role.SIBLINGS)
    lines = tuple(numbers[:MOST_SHOWN])
    is_inside = node is not None and node.symbol.end_line >= numbers[-1]
    for at, one in enumerate(state.findings):
        if is_inside and node is not None and one.node_id == node.node_id:
            own = one.reason if one.role not in _PLAIN else reason
            shown = tuple(sorted({*one.shown, *lines}))
            state.findings[at] = replace(one, reason=own, lines=one.lines or lines, shown=shown)
            return
    if is_inside and node is not None:
        state.add(node, reason, 0, lines=lines, shown=(node.symbol.start_line, *lines))
    else:
        note_lines(state, path, (numbers[0], numbers[-1]), path, reason, 0, lines, shown=lines)
