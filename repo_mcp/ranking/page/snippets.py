"""Builds what a hit shows, from the live text: `show_hits` makes the hits of a page.

    of a question        declarations of the first files that it is about, whole or by their heads
    of a report          the lines that match best, and those that it cites (`report_lines.py`)
    of a name            its declaration
    of anything else     the lines of the best unit that match, within the declarations around them

The index only says where to look. A hit whose file has changed since is searched again in its current text,
and left out when what matched is gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice, repeat
from operator import attrgetter, itemgetter

from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.languages.patterns.enclosing import OUTSIDE, Declarations
from repo_mcp.model import Hit
from repo_mcp.ranking.page.asked_declaration import choose_declaration
from repo_mcp.ranking.page.hit_lines import show_declaration, show_lines
from repo_mcp.ranking.page.line_terms import WINDOW_LINES, choose_window, count_worth, find_line_terms
from repo_mcp.ranking.page.live_chunks import ChunkReader, LiveChunk, ReadLive, decode_lines
from repo_mcp.ranking.page.page_declarations import AskedFile, RatedPages, find_member, is_long_type
from repo_mcp.ranking.page.report_lines import ReportClues, show_report
from repo_mcp.ranking.query.asked_name import AskedName
from repo_mcp.ranking.scoring.ranked_chunks import RankedChunk
from repo_mcp.record_classes import dataclass
from repo_mcp.text.lines import trim_blank

SHOWN_LINES = 24, 16, 9, 6, 4, 3  # of the first hits; each further hit gets as many as the last of these
RATED_HITS = 3  # at most: the first, whose whole files are searched for what a query is about
WHOLE_LINES = 130  # of declarations that are shown whole, on one page
WHOLE_HITS = 5  # of a page with so many lines, instead of RATED_HITS
FEW_WHOLE_LINES = 45  # of whole declarations for what asks nothing: words, a report, pasted text
FURTHER_LINES = 1  # of a hit after these
TYPE_HEAD_LINES = 2  # of a long type whose best member is shown
HEAD_LINES = 12  # of a rated file's best declaration, if the page shows none whole
BRIEF_LINES = 4  # of a rated file's best declaration, if the page shows other declarations whole
FIRST_LINES = 6  # the same for the first file
HEAD_SHARE = 2 / 3  # of the lines shown of a declaration that is too long, from its start; others match best
NAME_WORTH = 4  # a line with a declaration's name is worth as much as so many others
OUTSIDE_WORTH = 0.5  # share of the worth of lines outside all declarations: they are mostly imports
LEAST_LINES = 3  # for a further declaration of a hit
_get_terms = attrgetter("matched_terms")


@dataclass(frozen=True, slots=True)
class ShownHits:
    """Hits in ranking order, and warnings about those that could not be shown as indexed."""

    hits: tuple[Hit, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageForm:
    """The form of a page, which depends on what the query is: what its hits show."""

    most: int | None = None  # hits; None for all
    asked: AskedName | None = None  # the name that the query is: a hit that declares it shows its declaration
    telling: Mapping[str, float] | None = None  # weights of the words that tell something; None for a name
    near: int = RATED_HITS  # so many first hits show the declarations of their files that have these words
    room: int = WHOLE_LINES  # lines of declarations that are shown whole; 0: the head of each file's best
    report: ReportClues | None = None  # of a report, of which single lines are shown
    are_brief: bool = False  # all hits show FURTHER_LINES, since places that were looked up come before them


def show_hits(
    ranked: Sequence[RankedChunk],
    phrases: Sequence[str],
    read_live: ReadLive,
    form: PageForm,
    known: RatedPages | None = None,
) -> ShownHits:
    """Return hits for the ranked chunks, with their live text. `known` are the files that were rated before.

    A chunk must hold all `phrases`, ignoring case and white space.
    """
    telling, report, room = form.telling, form.report, form.room
    reader = ChunkReader(phrases, read_live)
    chunks = islice(reader.iter(ranked), form.most)  # those behind the first one by one: a file may be 1 MB
    best = tuple(islice(chunks, form.near)) if telling else ()
    known = RatedPages() if known is None else known
    files = known.rate(best, telling, room, report.named if report else ()) if telling else {}
    weights = [*telling.values()] if telling else []
    longest = HEAD_LINES if telling and not room else SHOWN_LINES[0]
    terms = tuple(dict.fromkeys(chain.from_iterable(map(_get_terms, ranked[: form.most]))))
    hits: list[Hit] = []
    for place, (one, lines) in enumerate(zip(chain(best, chunks), _iter_shown_lines(), strict=False)):
        if place not in files:
            is_further = telling and (place >= form.near or (report is not None and hits))
            most_lines = FURTHER_LINES if is_further or form.are_brief else min(lines, longest)
            hits.append(_build_hit(one, terms, form.asked, most_lines))
        elif report is not None:
            hits.append(show_report(files[place], weights, report, is_first=not hits))
        else:
            hits.append(_show_rated(files[place], *_choose_head(is_first=not hits, shows_whole=room > 0)))
    return ShownHits(tuple(hits), reader.list_warnings())


def _iter_shown_lines() -> Iterator[int]:
    return chain(SHOWN_LINES, repeat(SHOWN_LINES[-1]))


def _choose_head(*, is_first: bool, shows_whole: bool) -> tuple[int, int]:
    """Return how many lines are shown of the best declaration of a file: its first, and all together."""
    if not shows_whole:
        return HEAD_LINES, HEAD_LINES
    return BRIEF_LINES, FIRST_LINES if is_first else BRIEF_LINES


def _show_rated(file: AskedFile, head: int, room: int) -> Hit:
    """Return the hit of a file: the declarations that are shown whole, and a part of the best one.

    That part has `room` lines, the first `head` of them from its start.
    """
    live, spans = file.live, [span for _, span in file.rated]
    best = spans[0]
    shown: dict[int, str] = {}
    for span in file.whole:
        shown |= enumerate(decode_lines(live.lines, span.head_line, span.end_line), span.head_line)
    inner = None if best in file.whole else find_member(live, best, spans)
    if inner is not None:
        last = min(best.name_line + TYPE_HEAD_LINES, inner.head_line) - 1
        shown |= enumerate(decode_lines(live.lines, best.name_line, last), best.name_line)
        best = inner
    if best not in file.whole:
        shown |= _show_asked(file, head, room, best)
    return show_lines(live, dict(sorted(shown.items())), best, spans)


def _build_hit(live: LiveChunk, terms: Sequence[str], asked: AskedName | None, most_lines: int) -> Hit:
    """Return the hit of a chunk with at most `most_lines` lines.

    `terms` are those of all hits of a page, so that they are prepared once. What a best unit lacks is in none
    of its lines.
    """
    declarations = live.find_near(live.start_line, live.end_line)
    symbol = None if asked is None else choose_declaration(declarations, asked, live)
    if symbol is not None:
        return show_declaration(live, symbol, most_lines)
    lines = decode_lines(live.lines, live.start_line, live.end_line)
    found = find_line_terms(lines, terms)
    groups = _group_lines(declarations, live.start_line, found, with_comments=most_lines == FURTHER_LINES)
    shown: dict[int, str] = {}
    for symbol in groups:
        room = most_lines - len(shown)
        if shown and room < LEAST_LINES:
            break
        if symbol is None:
            shown |= _choose_outside(live.start_line, lines, groups[None], min(room, WINDOW_LINES))
            continue
        is_whole = symbol.end_line - symbol.head_line < room
        first, last = symbol.head_line, symbol.end_line
        if not is_whole:
            first = symbol.name_line
            is_type = room > 1 and is_long_type(live, symbol)
            head = TYPE_HEAD_LINES if is_type else int(room * HEAD_SHARE)
            last = min(last, first + max(1, min(head, room - 1)) - 1)
        start, stop = first - live.start_line, last - live.start_line + 1
        is_inside = start >= 0 and last <= live.end_line
        shown |= enumerate(lines[start:stop] if is_inside else decode_lines(live.lines, first, last), first)
        room -= last - first + 1
        if not is_whole and room:
            shown |= _choose_inside(symbol, last, live.start_line, lines, groups[symbol], room)
    return show_lines(live, dict(sorted(shown.items())), next(iter(groups)))


def _show_asked(file: AskedFile, head: int, room: int, symbol: SymbolSpan) -> dict[int, str]:
    """Return `room` lines of a declaration by number: all of them, or `head` and those that match best."""
    live, held = file.live, file.held
    first, last = symbol.head_line, symbol.end_line
    if last - first >= room:
        first = symbol.name_line
        last = min(last, first + head - 1)
    shown = dict(enumerate(decode_lines(live.lines, first, last), first))
    left = room - len(shown)
    if last < symbol.end_line and left > 0:
        begin, end = choose_window(held[last : symbol.end_line], None, left)
        shown |= enumerate(decode_lines(live.lines, last + 1 + begin, last + end), last + 1 + begin)
    return shown


def _group_lines(
    declarations: Declarations, first: int, found: Sequence[int], *, with_comments: bool
) -> dict[SymbolSpan | None, list[int]]:
    """Return the innermost declarations around lines that match, the best first; None for those outside.

    `found` are the terms of each line from line `first` on, and so is what is returned for each declaration.
    Each is worth what its lines tell; a line with its name is as much as NAME_WORTH lines.
    """
    rated: list[tuple[float, SymbolSpan | None, list[int]]] = []
    for number, places in declarations.group_innermost(first, found, with_comments=with_comments).items():
        span = None if number == OUTSIDE else declarations.get(number)
        held = list(map(found.__getitem__, places))
        if span is not None and span.name_line - first in places:
            held += [found[span.name_line - first]] * (NAME_WORTH - 1)
        rated.append((count_worth(held) * (OUTSIDE_WORTH if span is None else 1.0), span, places))
    rated.sort(key=itemgetter(0), reverse=True)  # of equal ones the first stays so
    groups: dict[SymbolSpan | None, list[int]] = {}
    for _, span, places in rated:
        lines = groups[span] = [0] * len(found)
        for place in places:
            lines[place] = found[place]
    return groups or {None: list(found)}


def _choose_outside(first: int, lines: Sequence[str], found: Sequence[int], room: int) -> dict[int, str]:
    """Return the best window of the lines from line `first` on, by number."""
    start, stop = trim_blank(lines, *choose_window(found, None, room))
    return dict(enumerate(lines[start:stop], first + start))


def _choose_inside(
    symbol: SymbolSpan, after: int, first: int, lines: Sequence[str], found: Sequence[int], room: int
) -> dict[int, str]:
    """Return the best window of a declaration's lines after line `after`, by number.

    `lines` are those of the file from line `first` on.
    """
    start = max(0, after + 1 - first)
    stop = min(len(lines), symbol.end_line + 1 - first)
    begin, end = choose_window(found[start:stop], None, room)
    return dict(enumerate(lines[start + begin : start + end], first + start + begin))
