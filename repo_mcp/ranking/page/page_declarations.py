"""Chooses the declarations of a page's first files that a question may be about.

    words of each line -> rated declarations of each file -> names that the best call -> those shown whole

The words of a question occur where a thing is used or described, and what answers it is often one call
further. So a declaration that one of the best calls is worth a share of that more. Only the files that were
read are looked at, because others would have to be found and read.

The lines of a page go to the declarations of all its first files that are worth most for their length.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field
from operator import itemgetter

from repo_mcp.languages.patterns.declared_spans import SymbolSpan, holds_members
from repo_mcp.languages.patterns.enclosing import Declarations
from repo_mcp.ranking.page.called_names import list_called, may_follow
from repo_mcp.ranking.page.declaration_rating import (
    Named,
    Rated,
    demote_repeats,
    demote_tests,
    list_asked,
    raise_named,
)
from repo_mcp.ranking.page.line_terms import find_text_terms
from repo_mcp.ranking.page.live_chunks import LiveChunk, decode_lines
from repo_mcp.record_classes import dataclass

MAX_RATED_LINES = 20_000  # of a file: looking through 1,000 lines takes about a millisecond
MOST_RATED = 16  # declarations of a file, beside those that are called
SMALL_TYPE_LINES = 30  # of a type that is shown whole, and whose calls are followed
CALLERS = 6  # declarations whose calls are followed
HANDING_LINES = 4  # of a declaration that may only call another one of its name
CALLEE_SHARE = 0.35  # of the worth of a declaration, that one which it calls is worth more
MAX_NAMESAKES = 4  # of a name that is followed: one with more says little of each
LENGTH_POWER = 0.25  # of the lines by which a declaration's worth is divided
PLACE_LINES = 10  # added to them, so that the shortest are not the best
LEAST_SHARE = 0.15  # of the worth of the best declaration of a page for its lines: others are not shown whole

_Place = tuple[int, SymbolSpan]  # a file's number and a declaration of it


@dataclass(slots=True)
class AskedFile:
    """A file of a hit, and its declarations that a question may be about."""

    live: LiveChunk
    declarations: Declarations
    held: Sequence[int]  # the words of each line of the file
    is_comment: Sequence[int]  # whether each line is of a comment
    rated: list[Rated]  # the best first, at least one
    whole: list[SymbolSpan] = field(default_factory=list)  # those that are shown whole


def has_members(live: LiveChunk, span: SymbolSpan) -> bool:
    """Return True for a declaration that holds members: a class, a module."""
    return holds_members(" ".join(decode_lines(live.lines, span.head_line, span.name_line)), span.name)


def is_long_type(live: LiveChunk, span: SymbolSpan) -> bool:
    """Return True for a declaration with members that is too long to be shown whole."""
    return span.end_line - span.head_line >= SMALL_TYPE_LINES and has_members(live, span)


def find_member(live: LiveChunk, around: SymbolSpan, spans: Sequence[SymbolSpan]) -> SymbolSpan | None:
    """Return the first of `spans` that is a member of a type or module; None if there is none."""
    if not has_members(live, around):
        return None
    return next((one for one in spans if around.name_line < one.head_line <= around.end_line), None)


def rate_files(
    chunks: Sequence[LiveChunk], telling: Mapping[str, float], room: int, named: Collection[Named]
) -> dict[int, AskedFile]:
    """Return the rated files of the first hits by their places, without those that hold nothing asked.

    Of all of them together, at most `room` lines are shown whole. Without room, declarations are rated by
    their lines alone: of two ways to rate, this one finds the head that a question is about for fewer bytes.
    Those that are `named` count for more.
    """
    files: dict[int, AskedFile] = {}
    seen: set[str] = set()
    for place, live in enumerate(chunks):
        if live.ranked.path in seen or live.lines.line_count > MAX_RATED_LINES:
            continue
        seen.add(live.ranked.path)
        share = live.ranked.score / chunks[0].ranked.score
        one = _rate(live, telling, share, named, reads_names=room > 0)
        if one.rated:
            files[place] = one
    if room:  # else one head of each file is shown, which bodies and calls lead to less often
        _add_callees([*files.values()])
        _choose_whole([*files.values()], room)
    return files


class RatedPages:
    """Keeps the rated files of one search, which shows them again if it is asked for more hits."""

    def __init__(self) -> None:
        self._known: list[tuple[object, dict[int, AskedFile]]] = []

    def rate(
        self, chunks: Sequence[LiveChunk], telling: Mapping[str, float], room: int, named: Collection[Named]
    ) -> dict[int, AskedFile]:
        """Return what `rate_files` does."""
        key = [(live.ranked, live.fingerprint) for live in chunks], [*telling.items()], room, named
        for known, files in self._known:
            if known == key:
                return files
        files = rate_files(chunks, telling, room, named)
        self._known.append((key, files))
        return files


def _rate(
    live: LiveChunk,
    telling: Mapping[str, float],
    share: float,
    named: Collection[Named],
    *,
    reads_names: bool,
) -> AskedFile:
    """Return a file with its rated declarations: their worth times the file's `share` of the best score.

    Unless names are read, only lines count, and those of comments count like any other.
    """
    held = find_text_terms(live.data.decode("utf-8", "replace"), live.lines.line_count, [*telling])
    declarations = live.find_declarations()
    is_comment = declarations.mark_comments(len(held)) if reads_names else bytearray(len(held))
    found = list_asked(declarations, held, is_comment, telling, MOST_RATED, reads_names=reads_names)
    if named:
        found = raise_named(found, named)
    found = demote_repeats(demote_tests(found))
    rated = [(worth * share, span) for worth, span in found]
    return AskedFile(live, declarations, held, is_comment, rated)


def _add_callees(files: Sequence[AskedFile]) -> None:
    """Raise the worth of what the best declarations call, and sort the declarations of each file again."""
    offers = ((worth, at, span) for at, one in enumerate(files) for worth, span in one.rated)
    best = sorted(offers, key=itemgetter(0), reverse=True)[:CALLERS]  # of equals the first stays so
    calls = [(worth, (at, span), [*_iter_calls(files[at], span)]) for worth, at, span in best]
    names = {name for *_, called in calls for name in called}
    named: dict[str, list[_Place]] = {}
    for at, one in enumerate(files):
        for span in one.declarations.list_named(names):
            if not has_members(one.live, span):  # what a class does is in its members
                named.setdefault(span.name, []).append((at, span))
    more: dict[_Place, float] = {}
    for worth, caller, called in calls:
        for name in called:
            targets = _choose_targets(named.get(name, []), caller)
            for target in targets:
                more[target] = max(CALLEE_SHARE * worth / len(targets), more.get(target, 0.0))
    for at, one in enumerate(files):
        worths = {span: worth for worth, span in one.rated}
        worths |= {
            span: worths.get(span, 0.0) + worth for (place, span), worth in more.items() if place == at
        }
        one.rated = sorted(((worth, span) for span, worth in worths.items()), key=itemgetter(0), reverse=True)


def _choose_targets(places: Sequence[_Place], caller: _Place) -> list[_Place]:
    """Return the declarations of a name that a caller means: those in its file, else all; none if too many.

    A declaration inside the caller is a part of it, and leads no further.
    """
    at, span = caller
    targets = [place for place in places if place[0] == at] or [*places]
    if len(targets) > MAX_NAMESAKES:
        return []
    inside = range(span.head_line, span.end_line + 1)
    return [place for place in targets if place[0] != at or place[1].head_line not in inside]


def _iter_calls(one: AskedFile, span: SymbolSpan) -> Iterator[str]:
    """Yield the names that a declaration calls, in code; none of a long type, whose members are rated."""
    if is_long_type(one.live, span):
        return
    lines = decode_lines(one.live.lines, span.head_line, span.end_line)
    is_comment = one.is_comment[span.head_line - 1 : span.end_line]
    code = [line for line, comment in zip(lines, is_comment, strict=True) if not comment]
    text = "\n".join(code)
    hands_on = span.end_line - span.name_line < HANDING_LINES and text.count(f"{span.name}(") > 1
    for name in list_called(text):
        if may_follow(name) and (name != span.name or hands_on):
            yield name


def _choose_whole(files: Sequence[AskedFile], room: int) -> None:
    """Choose the declarations that are shown whole, the best for their lines first, into their files."""
    offers: list[tuple[float, AskedFile, SymbolSpan]] = []
    for one in files:
        for worth, span in one.rated:
            lines = span.end_line - span.head_line + 1
            offers.append((worth / (lines + PLACE_LINES) ** LENGTH_POWER, one, span))
    offers.sort(key=itemgetter(0), reverse=True)  # of equals the first stays so
    shown: dict[int, set[int]] = {id(one): set() for one in files}
    for worth, one, span in offers:
        if worth < LEAST_SHARE * offers[0][0]:
            break
        new = {*range(span.head_line, span.end_line + 1)} - shown[id(one)]
        if new and len(new) <= room and not is_long_type(one.live, span):
            room -= len(new)
            shown[id(one)] |= new
            one.whole.append(span)
