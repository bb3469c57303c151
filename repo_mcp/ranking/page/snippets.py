"""Builds what a hit shows, from the live text: `show_hits` makes the hits of a page.

    of a question        declarations of the first files that it is about, whole or by their heads
    of a report          the lines that match best, and those that it cites: pasted text, or its title
    of a name            its declaration
    of anything else     the lines of the best unit that match, within the declarations around them

The index only says where to look. A hit whose file has changed since is searched again in its current text,
and left out when what matched is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice, repeat
from operator import attrgetter, itemgetter

from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.languages.patterns.enclosing import OUTSIDE, Declarations
from repo_mcp.model import Hit
from repo_mcp.ranking.page.declaration_rating import Named
from repo_mcp.ranking.page.line_terms import find_line_terms
from repo_mcp.ranking.page.live_chunks import ChunkReader, LiveChunk, ReadLive, decode_lines
from repo_mcp.ranking.page.page_declarations import SMALL_TYPE_LINES, AskedFile, has_members, rate_files
from repo_mcp.ranking.page.quoted_lines import Quotable, find_quoted
from repo_mcp.ranking.query.asked_name import NO_MATCH, SPELLING, AskedName, Grade, list_words
from repo_mcp.ranking.scoring.ranked_chunks import RankedChunk
from repo_mcp.record_classes import dataclass

WINDOW_LINES = 8
SHOWN_LINES = 24, 16, 9, 6, 4, 3  # of the first hits; each further hit gets as many as the last of these
RATED_HITS = 3  # of a question at most: the first, whose whole files are searched for what it is about
WHOLE_LINES = 100  # of declarations that are shown whole, on one page
FEW_WHOLE_LINES = 45  # the same for what asks nothing: words, a report, pasted text
FURTHER_LINES = 1  # of a hit after these
TYPE_HEAD_LINES = 2  # of a long type whose best member is shown
ALSO_NAMED = 4  # further declarations that a rated hit names, the best first
PASTED_NAMED = 8, 4  # of the first file for pasted text, and of each further one
NAMESAKES = 4  # further declarations of the best one's name, such as overloads, that are named before others
HEADS_SHOWN = 3  # of these: the lines with their names
HEAD_LINES = 12  # of a rated file's best declaration, if the page shows none whole
BRIEF_LINES = 4  # of a rated file's best declaration, if the page shows other declarations whole
FIRST_LINES = 6  # the same for the first file
CITED_NEAR = 6  # lines before and after one that pasted text cites, in the first file
NEXT_NEAR = 3  # and in each further one
SHORT_LINES = 16  # of the declaration that pasted text is about: one with no more is shown whole
LEAST_AROUND = 2  # lines of the declaration around a cited line: that of one line may be a variable's
MOST_AROUND = 100  # lines of a type around the best that is named: of a longer one, the members are opened
PASTED_LINES = 6  # of the best declaration in the first file for pasted text
TITLE_LINES = 8  # the same for a single line with a name of code: it has fewer words to find declarations by
NEXT_LINES = 2  # and in each further one: a reader opens what these tell it to
HEAD_SHARE = 2 / 3  # of the lines shown of a declaration that is too long, from its start; others match best
NAME_WORTH = 4  # a line with a declaration's name is worth as much as so many others
OUTSIDE_WORTH = 0.5  # share of the worth of lines outside all declarations: they are mostly imports
LEAST_LINES = 3  # for a further declaration of a hit
SPARE_SHARE = 0.5  # if no more than this share of the shown lines is left of a declaration, it is shown whole
MAX_LEAD_LINES = 4  # decorators that are shown above the line with the name
MAX_LINE_CHARS = 240  # of a line in a snippet; open_file shows more
_get_terms = attrgetter("matched_terms")


@dataclass(frozen=True, slots=True)
class ShownHits:
    """Hits in ranking order, and warnings about those that could not be shown as indexed."""

    hits: tuple[Hit, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReportClues:
    """The lines and names that a report points at. A report is pasted text, or the title of such."""

    cited: Mapping[str, int]  # the line that it cites of each of these paths
    quotable: Quotable  # what it may quote of a file
    named: Collection[Named]  # declarations that count for more
    first_lines: int = PASTED_LINES  # that are shown of the first file


def show_hits(
    ranked: Sequence[RankedChunk],
    phrases: Sequence[str],
    read_live: ReadLive,
    most: int | None = None,
    asked: AskedName | None = None,
    telling: Mapping[str, float] | None = None,
    near: int = RATED_HITS,
    room: int = WHOLE_LINES,
    report: ReportClues | None = None,
) -> ShownHits:
    """Return hits for the ranked chunks, with their live text.

    A chunk must hold all `phrases`, ignoring case and white space. `most` limits the number of hits. A hit
    that declares the name that is `asked` for shows its declaration. For other queries, `telling` may give
    the weights of words: then the first `near` hits show the declarations of their files that are about these
    words, and others one line. As many declarations are shown whole as fit into `room` lines; without room,
    only the head of each file's best is shown. Of a report, the lines that match best, and those that it
    points at, are shown instead of a head.
    """
    reader = ChunkReader(phrases, read_live)
    chunks = islice(reader.iter(ranked), most)  # those behind the first one at a time: a file may be 1 MB
    best = tuple(islice(chunks, near)) if telling else ()
    files = rate_files(best, telling, room, report.named if report else ()) if telling else {}
    longest = HEAD_LINES if telling and not room else SHOWN_LINES[0]
    terms = tuple(dict.fromkeys(chain.from_iterable(map(_get_terms, ranked[:most]))))
    hits: list[Hit] = []
    for place, (one, lines) in enumerate(zip(chain(best, chunks), _iter_shown_lines(), strict=False)):
        if place in files:
            file = files[place]
            if report is None or not telling or room:
                show = partial(_show_asked, file, *_choose_head(is_first=not hits, shows_whole=room > 0))
                hits.append(_show_rated(file, show))
            else:
                line = report.cited.get(one.ranked.path, 0) or find_quoted(one.data, report.quotable)
                some = NEXT_LINES if hits else report.first_lines
                hits.append(_show_report(file, [*telling.values()], line, some, is_first=not hits))
        else:
            is_further = telling and (place >= near or (report is not None and hits))
            hits.append(_build_hit(one, terms, asked, FURTHER_LINES if is_further else min(lines, longest)))
    return ShownHits(tuple(hits), reader.list_warnings())


def _iter_shown_lines() -> Iterator[int]:
    return chain(SHOWN_LINES, repeat(SHOWN_LINES[-1]))


def _is_long_type(live: LiveChunk, span: SymbolSpan) -> bool:
    return span.end_line - span.head_line >= SMALL_TYPE_LINES and has_members(live, span)


def _choose_head(*, is_first: bool, shows_whole: bool) -> tuple[int, int]:
    """Return how many lines are shown of the best declaration of a file: its first, and all together."""
    if not shows_whole:
        return HEAD_LINES, HEAD_LINES
    return BRIEF_LINES, FIRST_LINES if is_first else BRIEF_LINES


def _show_rated(file: AskedFile, show: Callable[[SymbolSpan], dict[int, str]]) -> Hit:
    """Return the hit of a file: the declarations that are shown whole, and a part of the best one."""
    live, spans = file.live, [span for _, span in file.rated]
    best = spans[0]
    shown: dict[int, str] = {}
    for span in file.whole:
        shown |= enumerate(decode_lines(live.lines, span.head_line, span.end_line), span.head_line)
    inner = None if best in file.whole else _find_member(live, best, spans)
    if inner is not None:
        last = min(best.name_line + TYPE_HEAD_LINES, inner.head_line) - 1
        shown |= enumerate(decode_lines(live.lines, best.name_line, last), best.name_line)
        best = inner
    if best not in file.whole:
        shown |= show(best)
    return show_lines(live, dict(sorted(shown.items())), best, spans)


def _find_member(live: LiveChunk, around: SymbolSpan, spans: Sequence[SymbolSpan]) -> SymbolSpan | None:
    """Return the first of `spans` that is a member of a type or module; None if there is none."""
    if not has_members(live, around):
        return None
    return next((one for one in spans if around.name_line < one.head_line <= around.end_line), None)


def _show_report(file: AskedFile, weights: Sequence[float], cited: int, most: int, *, is_first: bool) -> Hit:
    """Return the hit of a file for a report: `most` lines of its best declaration, and the names of others.

    The best is the one around line `cited`, if any. `weights` are those of the words in `file.held`.
    """
    spans = [span for _, span in file.rated]
    around = file.declarations.find_innermost(cited, LEAST_AROUND) if cited else None
    best = around or _find_member(file.live, spans[0], spans) or spans[0]
    first, last = best.head_line, best.end_line
    others = [
        span
        for span in spans
        if not span.head_line <= first <= last <= span.end_line
        or span.end_line - span.head_line < MOST_AROUND
    ]
    lines = _show_matching(file, weights, cited, best, most)
    alike = _list_namesakes(file, best)[:NAMESAKES]
    others = [*alike, *(span for span in others if span not in alike)]
    return show_lines(file.live, lines, best, others, PASTED_NAMED[0 if is_first else 1])


def _list_namesakes(file: AskedFile, best: SymbolSpan) -> list[SymbolSpan]:
    """Return the other declarations of a qualified name: what is wrong in an overload often is in each."""
    named = file.declarations.list_named({best.name})
    return [one for one in named if one.qualified_name == best.qualified_name and one != best]


def _show_matching(
    file: AskedFile, weights: Sequence[float], cited: int, symbol: SymbolSpan, most: int
) -> dict[int, str]:
    """Return at most `most` lines by number: those around line `cited`, if any, and a declaration's best.

    Those around a cited line leave room for half as many others, at least. In the first file it is up to
    SHORT_LINES if these show the declaration whole.
    """
    lines = file.live.lines
    beside = NEXT_NEAR if most == NEXT_LINES else CITED_NEAR
    start, stop = max(1, cited - beside), min(lines.line_count, cited + beside)
    if symbol.head_line <= cited <= symbol.end_line:
        start, stop = max(start, symbol.head_line), min(stop, symbol.end_line)
    near = range(start, stop + 1) if 0 < cited <= lines.line_count else ()
    chosen = {at for at in near if not _says_nothing(decode_lines(lines, at, at)[0])}
    whole = chosen | {*range(symbol.head_line, symbol.end_line + 1)}
    first = symbol.head_line if len(whole) <= most else symbol.name_line
    whole = chosen | {*range(first, symbol.end_line + 1)}
    if len(whole) <= (most if most == NEXT_LINES else SHORT_LINES):
        chosen = whole
    else:
        text = decode_lines(lines, first, symbol.end_line)
        is_comment = file.declarations.mark_comments(len(file.held))[first - 1 : symbol.end_line]
        is_idle = [
            bool(comment) or at in chosen or _says_nothing(line)
            for at, (comment, line) in enumerate(zip(is_comment, text, strict=True), first)
        ]
        held = file.held[first - 1 : symbol.end_line]
        room = max(most // 2, most - len(chosen - {first}))
        chosen |= {at + first for at in choose_telling(held, weights, is_idle, room)}
    return {at: decode_lines(lines, at, at)[0] for at in sorted(chosen)}


def _says_nothing(line: str) -> bool:
    """Return True for a blank line, and for brackets and other signs without a word."""
    return not any(map(str.isalnum, line))


def choose_telling(
    held: Sequence[int], weights: Sequence[float], is_idle: Sequence[bool], room: int
) -> set[int]:
    """Return `room` of some lines, counted from 0: the first one, and those that tell most.

    A line is worth the weights of its words, each less the more often it was shown, and has the lines beside
    it unless they are idle. What room is left is for the lines that follow the first. Of idle lines only the
    first is chosen, whatever it holds: `_` is a word, and `_ => {}` says nothing.
    """
    chosen = {0}
    seen = [0] * len(weights)
    waiting = {at: _list_bits(bits) for at, bits in enumerate(held) if at and bits and not is_idle[at]}
    while waiting and len(chosen) < room:
        best = max(waiting, key=lambda at: sum(weights[bit] / (1 + seen[bit]) for bit in waiting[at]))
        beside = [at for at in (best, best + 1, best - 1) if 0 <= at < len(held) and not is_idle[at]]
        chosen.update([at for at in beside if at not in chosen][: room - len(chosen)])
        for at in [at for at in waiting if at in chosen]:
            for bit in waiting.pop(at):
                seen[bit] += 1
    rest = (at for at, idle in enumerate(is_idle) if at not in chosen and not idle)
    return chosen | {*islice(rest, room - len(chosen))}


def _list_bits(bits: int) -> list[int]:
    return [at for at in range(bits.bit_length()) if bits >> at & 1]


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
            is_type = room > 1 and _is_long_type(live, symbol)
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
        rated.append((_value(held) * (OUTSIDE_WORTH if span is None else 1.0), span, places))
    rated.sort(key=itemgetter(0), reverse=True)  # of equal ones the first stays so
    groups: dict[SymbolSpan | None, list[int]] = {}
    for _, span, places in rated:
        lines = groups[span] = [0] * len(found)
        for place in places:
            lines[place] = found[place]
    return groups or {None: list(found)}


def _choose_outside(first: int, lines: Sequence[str], found: Sequence[int], room: int) -> dict[int, str]:
    """Return the best window of the lines from line `first` on, by number."""
    start, stop = _trim(lines, *choose_window(found, None, room))
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


def show_declaration(live: LiveChunk, symbol: SymbolSpan, most_lines: int) -> Hit:
    """Return the hit that shows a declaration in a chunk's file: its head, and what follows."""
    first = symbol.head_line if symbol.name_line - symbol.head_line < MAX_LEAD_LINES else symbol.name_line
    last = min(symbol.end_line, first + most_lines - 1)
    if symbol.end_line - last <= most_lines * SPARE_SHARE:
        last = symbol.end_line
    return show_lines(live, dict(enumerate(decode_lines(live.lines, first, last), first)), symbol)


def show_lines(
    live: LiveChunk,
    lines: Mapping[int, str],
    symbol: SymbolSpan | None,
    rated: Sequence[SymbolSpan] = (),
    most_named: int = ALSO_NAMED,
) -> Hit:
    """Return the hit of lines by number, ascending. It names the best of `rated` that it does not show.

    Of the first of these it also has the heads.
    """
    ranked = live.ranked
    numbers = list(lines)
    also = [
        span
        for span in rated
        if span != symbol
        and span.end_line > span.head_line
        and not all(map(lines.__contains__, range(span.name_line, span.end_line + 1)))
    ][:most_named]
    named = sorted({span.name_line for span in also[:HEADS_SHOWN]} - lines.keys())
    heads = {at: live.lines[at - 1].decode("utf-8", "replace") for at in named}
    return Hit(
        ranked.path,
        numbers[0],
        numbers[-1],
        render_numbered(lines),
        ranked.score,
        ranked.matched_terms,
        None if symbol is None else symbol.qualified_name,
        ranked.explanation,
        ranked.chunk_id,
        (ranked.chunk.start_line, min(ranked.chunk.end_line, live.lines.line_count)),
        None if symbol is None else (symbol.head_line, symbol.end_line),
        tuple([(span.qualified_name, (span.head_line, span.end_line)) for span in also]),
        render_numbered(heads) if heads else "",
        "" if symbol is None else symbol.name,
    )


def choose_declaration(declarations: Declarations, asked: AskedName, live: LiveChunk) -> SymbolSpan | None:
    """Return the declaration in a chunk's best unit that is named most alike; None without any like it."""
    near = [
        (grade_span(asked, span, live), -span.name_line, span)
        for span in declarations.find_between(live.start_line, live.end_line, asked.root)
    ]
    best = max(near, default=None, key=itemgetter(0, 1))
    return best[2] if best is not None and best[0] >= (SPELLING, 0) else None


def grade_span(asked: AskedName, span: SymbolSpan, live: LiveChunk) -> Grade:
    """Return how well the name of a declaration in a chunk's file fits the one that is asked for."""
    grade = asked.grade(span.qualified_name)
    if grade == NO_MATCH or not asked.qualifiers:
        return grade
    (head,) = decode_lines(live.lines, span.name_line, span.name_line)
    return asked.grade(span.qualified_name, list_words(live.ranked.path, head))


def _trim(lines: Sequence[str], first: int, last: int) -> tuple[int, int]:
    """Return the half-open span without blank lines at its ends, at least one line of it."""
    while last - first > 1 and not lines[last - 1].strip():
        last -= 1
    while last - first > 1 and not lines[first].strip():
        first += 1
    return first, last


def choose_window(
    found: Sequence[int], extra: Sequence[int] | None = None, size: int = WINDOW_LINES
) -> tuple[int, int]:
    """Return the half-open span of at most `size` lines with the highest value; the first on a tie.

    A window's value is the sum over its lines of their terms, where a term's first occurrence counts four
    times: eight lines with one term each show less than one line with all. `extra` is added per line.
    """
    extra = [0] * len(found) if extra is None else extra
    best, most = 0, _value(found[:size]) + sum(extra[:size])
    for last in range(size, len(found)):
        if found[last] or extra[last]:  # otherwise the window is worth no more than the one before
            start = last - size + 1
            worth = _value(found[start : last + 1]) + sum(extra[start : last + 1])
            if worth > most:
                best, most = start, worth
    return best, min(len(found), best + size)


def _value(found: Sequence[int]) -> int:
    shown = worth = 0
    for held in found:
        shown |= held
        worth += held.bit_count()
    return worth + 3 * shown.bit_count()


def find_best_line(found: Sequence[int]) -> int:
    """Return the index of the first line among those that hold the most terms."""
    counts = list(map(int.bit_count, found))
    return counts.index(max(counts)) if counts else 0


def render_numbered(lines: Mapping[int, str]) -> str:
    """Render lines by their numbers, `<number>\\t<text>\\n` each, with long lines cut."""
    if len(max(lines.values(), key=len, default="")) > MAX_LINE_CHARS:
        lines = {
            number: line if len(line) <= MAX_LINE_CHARS else line[:MAX_LINE_CHARS] + "…"
            for number, line in lines.items()
        }
    return "".join([f"{number}\t{line}\n" for number, line in lines.items()])
