"""Builds what a hit shows: the best window of its best unit in the live text, and the enclosing declaration.

The index only says where to look. A hit whose file has changed since is searched again in its current
text, and left out when what matched is gone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, repeat
from operator import itemgetter
from typing import overload

import numpy as np

from index_format import compute_fingerprint
from repo_mcp.errors import RepoError
from repo_mcp.languages.patterns.declared_spans import SymbolSpan, holds_members
from repo_mcp.languages.patterns.enclosing import Declarations, find_declarations, find_near
from repo_mcp.languages.patterns.language_registry import get_language
from repo_mcp.model import Hit
from repo_mcp.ranking.declaration_rating import (
    MAX_RATED_LINES,
    SMALL_TYPE_LINES,
    Rated,
    choose_whole,
    demote_repeats,
    demote_tests,
    list_asked,
)
from repo_mcp.ranking.intent import NO_MATCH, SPELLING, AskedName, Grade, list_words
from repo_mcp.ranking.searcher import RankedChunk
from repo_mcp.record_classes import dataclass
from repo_mcp.text.analysis import LONG_WORD, get_root, get_word_terms
from repo_mcp.text.lines import decode_source

WINDOW_LINES = 8
SHOWN_LINES = 24, 16, 9, 6, 4, 3  # of the first hits; of each further one as many as of the last of these
RATED_HITS = 3  # whose files are looked through for the declarations that a question is about
MOST_RATED = 16  # declarations of such a file
WHOLE_LINES = 66  # of all such declarations that are shown whole
FIRST_LINES = 18  # of the best of the first file, if it is not among them; of others only the head is shown
FURTHER_LINES = 1  # of a hit whose file is not looked through
TYPE_HEAD_LINES = 2  # of a long type whose best member is shown
ALSO_NAMED = 4  # further declarations of such a file, those that rate best
HEAD_LINES = 12  # of such a declaration, at least
HEAD_SHARE = 2 / 3  # of the lines shown of a declaration that is too long: its first; the others match best
NAME_WORTH = 4  # lines, that of a declaration's name
OUTSIDE_WORTH = 0.5  # of lines in no declaration: mostly imports
LEAST_LINES = 3  # for a further declaration of a hit
SPARE_SHARE = 0.5  # of the lines shown of a declaration: if no more are left, they are shown too
MAX_LEAD_LINES = 4  # decorators that are shown above the line with the name
MAX_LINE_CHARS = 240  # of a line in a snippet; open_file shows more
_WORD = re.compile(r"\w+")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
# ASCII words in lower case, with spaces in place of everything between them.
_FOLDED = bytes(ord(chr(byte).lower()) if _WORD.match(chr(byte)) else ord(" ") for byte in range(128)) * 2
_get_terms = lru_cache(maxsize=2_048)(get_word_terms)  # hits on a page share words; 1 MB

ReadLive = Callable[[str], bytes]  # reads a file through the repository reader; raises RepoError


# Finding fifty lines in 211 KB takes 38 us, splitting off all of them 292; in 20 KB it takes 13 and 19.
LINE_FEED = ord("\n")
NEAR_BYTES = 4096  # scanned line end by line end


class TextLines(Sequence[bytes]):
    """Equals `split_lines` of normalised text, but cuts each line only on request."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._is_end = np.frombuffer(data, dtype=np.uint8) == LINE_FEED
        self._ends = int(np.count_nonzero(self._is_end))
        self.line_count = self._ends + (data[-1:] not in (b"", b"\n"))
        self._known = 0, 0  # a line and its start offset: the next one asked for is mostly near
        self._starts: dict[int, int] = {}  # of the lines asked for: most of them twice

    def __len__(self) -> int:
        return self.line_count

    def find_start(self, line: int) -> int:
        """Return the offset, in bytes, of a line counted from 0; the end of the text beyond the last line."""
        if line > self._ends:
            return len(self._data)
        start = self._starts.get(line)
        if start is None:
            start = self._starts[line] = self._search(line)
        return start

    def _search(self, line: int) -> int:
        known, start = self._known if self._known[0] <= line else (0, 0)
        ends = line - known  # to be passed
        if not ends:
            return start
        near = self._is_end[start : start + NEAR_BYTES].nonzero()[0]
        if len(near) >= ends:
            return start + int(near[ends - 1]) + 1
        start, stop, ends = start + NEAR_BYTES, len(self._data), ends - len(near)
        while stop - start > NEAR_BYTES:
            middle = (start + stop) // 2
            passed = int(np.count_nonzero(self._is_end[start:middle]))
            if passed < ends:
                start, ends = middle, ends - passed
            else:
                stop = middle
        return start + int(self._is_end[start:stop].nonzero()[0][ends - 1]) + 1

    @overload
    def __getitem__(self, position: int) -> bytes: ...
    @overload
    def __getitem__(self, position: slice) -> list[bytes]: ...
    def __getitem__(self, position: int | slice) -> bytes | list[bytes]:
        if isinstance(position, slice):
            first, stop, step = position.indices(self.line_count)
            assert step == 1
            return self.cut(first, stop).split(b"\n") if first < stop else []
        at = range(self.line_count)[position]
        return self.cut(at, at + 1)

    def cut(self, first: int, stop: int) -> bytes:
        """Return the lines [first, stop), counted from 0, as one text without its last line end."""
        start = self.find_start(first)
        self._known = first, start
        return self._data[start : self.find_start(stop)].removesuffix(b"\n")


@dataclass(frozen=True, slots=True)
class ShownHits:
    """Hits in ranking order, and warnings about those that could not be shown as indexed."""

    hits: tuple[Hit, ...]
    warnings: tuple[str, ...]


def show_hits(
    ranked: Sequence[RankedChunk],
    phrases: Sequence[str],
    read_live: ReadLive,
    most: int | None = None,
    asked: AskedName | None = None,
    telling: Mapping[str, float] | None = None,
    near: int | None = None,
    room: int = WHOLE_LINES,
) -> ShownHits:
    """Return hits for the ranked chunks, with their live text.

    A chunk must hold all `phrases`, ignoring case and white space. `most` limits the number of hits. A hit
    that declares the name that is `asked` for shows its declaration. If no name is, `telling` may give the
    weights of several words: the first hit of each of the first files shows the declarations about them.
    Of fewer files if only the first `near` hits score high. Those that `room` lines hold are shown whole;
    without room, the head of each file's best is all that is shown.
    """
    found = read_chunks(ranked, phrases, read_live, most)
    first = RATED_HITS if near is None else min(RATED_HITS, near)
    rated = _rate_first(found.chunks[:first], telling, room) if telling else {}
    longest = HEAD_LINES if telling and not room else SHOWN_LINES[0]
    hits: list[Hit] = []
    for place, (one, lines) in enumerate(zip(found.chunks, _iter_shown_lines(), strict=False)):
        if place in rated:
            hits.append(_show_rated(one, rated[place], HEAD_LINES if hits else min(FIRST_LINES, longest)))
        else:
            is_further = rated and place >= first
            hits.append(_build_hit(one, asked, FURTHER_LINES if is_further else min(lines, longest)))
    return ShownHits(tuple(hits), found.warnings)


def _iter_shown_lines() -> Iterator[int]:
    return chain(SHOWN_LINES, repeat(SHOWN_LINES[-1]))


@dataclass(frozen=True, slots=True)
class LiveChunk:
    """One chunk of a ranking within the current text of its file."""

    ranked: RankedChunk
    data: bytes  # the whole file, normalised
    lines: TextLines  # of `data`
    start_line: int  # lines to search for the best window: the best unit,
    end_line: int  # or the whole chunk when the file has changed
    fingerprint: bytes  # of the file as it is now
    is_changed: bool = False  # the file differs from what was indexed

    def find_declarations(self) -> Declarations:
        """Return the declarations of the file as it is now."""
        return find_declarations(get_language(self.ranked.language), self.data, self.fingerprint)

    def find_near(self, first: int, last: int) -> Declarations:
        """Return the declarations around or in the lines from `first` to `last`, and perhaps others."""
        offsets = self.lines.find_start(first - 1), self.lines.find_start(max(first, last))
        language = get_language(self.ranked.language)
        return find_near(language, self.data, self.fingerprint, (first, last), offsets)


@dataclass(frozen=True, slots=True)
class LiveChunks:
    """Chunks in ranking order, and warnings about those that could not be shown as indexed."""

    chunks: tuple[LiveChunk, ...]
    warnings: tuple[str, ...]


def read_chunks(
    ranked: Iterable[RankedChunk], phrases: Sequence[str], read_live: ReadLive, most: int | None = None
) -> LiveChunks:
    """Return the first `most` (or all) chunks whose file still holds what matched and all `phrases`."""
    chunks: list[LiveChunk] = []
    changed = tried = 0
    for chunk in ranked:
        if most is not None and len(chunks) >= most:
            break
        tried += 1
        try:
            raw = read_live(chunk.path)
            data = decode_source(raw).data
        except RepoError:
            changed += 1
            continue
        fingerprint = compute_fingerprint(raw)
        changed += fingerprint != chunk.fingerprint
        live = _find_live(chunk, phrases, data, fingerprint)
        if live is not None:
            chunks.append(live)
    warnings = []
    if changed:
        warnings.append(f"{changed} of the files found changed after indexing: refresh the index.")
    if len(chunks) < tried:
        left_out = tried - len(chunks)
        warnings.append(f"Hits left out because their text is gone or lacks the phrase: {left_out}.")
    return LiveChunks(tuple(chunks), tuple(warnings))


def _find_live(
    ranked: RankedChunk, phrases: Sequence[str], data: bytes, fingerprint: bytes
) -> LiveChunk | None:
    """Return the chunk in a file's normalised text; None when the match is no longer there."""
    changed = fingerprint != ranked.fingerprint
    raw = TextLines(data)
    count = raw.line_count
    chunk_start, chunk_end = ranked.chunk.start_line, min(ranked.chunk.end_line, count)
    if changed and not any(find_line_terms(decode_lines(raw, chunk_start, chunk_end), ranked.matched_terms)):
        return None
    if phrases and not _holds(" ".join(decode_lines(raw, chunk_start, chunk_end)), phrases):
        return None
    if changed:  # the unit's lines may have moved within the chunk
        return LiveChunk(ranked, data, raw, chunk_start, chunk_end, fingerprint, is_changed=True)
    return LiveChunk(ranked, data, raw, ranked.unit_start, min(ranked.unit_end, count), fingerprint)


@dataclass(frozen=True, slots=True)
class _RatedFile:
    """The declarations of a hit's file that a question may be about."""

    spans: Sequence[SymbolSpan]  # the best first, at least one
    held: Sequence[int]  # the words of each line of the file
    whole: Sequence[SymbolSpan]  # those that are shown whole


def _rate_first(
    chunks: Sequence[LiveChunk], telling: Mapping[str, float], room: int
) -> dict[int, _RatedFile]:
    """Return the rated files of the first hits by their places, without those that hold nothing asked."""
    rated: list[list[Rated]] = []
    held: list[list[int]] = []
    places: list[int] = []
    seen: set[str] = set()
    for place, live in enumerate(chunks):
        if live.ranked.path in seen or live.lines.line_count > MAX_RATED_LINES:
            continue
        seen.add(live.ranked.path)
        words = find_line_terms(decode_lines(live.lines, 1, live.lines.line_count), list(telling))
        found = list_asked(live.find_declarations(), words, list(telling.values()), MOST_RATED)
        if found:
            places.append(place)
            rated.append(demote_repeats(demote_tests(found)))
            held.append(words)
    whole = choose_whole(rated, lambda at, span: _holds_members(chunks[places[at]], span), room)
    return {
        place: _RatedFile([span for _, span in rated[at]], held[at], whole[at])
        for at, place in enumerate(places)
    }


def _is_long_type(live: LiveChunk, span: SymbolSpan) -> bool:
    return span.end_line - span.head_line >= SMALL_TYPE_LINES and _holds_members(live, span)


def _holds_members(live: LiveChunk, span: SymbolSpan) -> bool:
    return holds_members(" ".join(decode_lines(live.lines, span.head_line, span.name_line)), span.name)


def _show_rated(live: LiveChunk, file: _RatedFile, room: int) -> Hit:
    """Return the hit of declarations of a file that are shown whole, and of `room` lines of the best."""
    best = file.spans[0]
    shown: dict[int, str] = {}
    for span in file.whole:
        shown |= enumerate(decode_lines(live.lines, span.head_line, span.end_line), span.head_line)
    if best not in file.whole and _holds_members(live, best):
        members = (one for one in file.spans if best.name_line < one.head_line <= best.end_line)
        inner = next(members, None)
        if inner is not None:
            last = min(best.name_line + TYPE_HEAD_LINES, inner.head_line) - 1
            shown |= enumerate(decode_lines(live.lines, best.name_line, last), best.name_line)
            best = inner
    if best not in file.whole:
        shown |= _show_asked(live, best, file.held, room)
    return show_lines(live, dict(sorted(shown.items())), best, file.spans)


def _build_hit(live: LiveChunk, asked: AskedName | None, most_lines: int) -> Hit:
    declarations = live.find_near(live.start_line, live.end_line)
    symbol = None if asked is None else choose_declaration(declarations, asked, live)
    if symbol is not None:
        return show_declaration(live, symbol, most_lines)
    lines = decode_lines(live.lines, live.start_line, live.end_line)
    found = find_line_terms(lines, live.ranked.matched_terms)
    groups = _group_lines(declarations, live.start_line, found)
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
            head = TYPE_HEAD_LINES if _is_long_type(live, symbol) else int(room * HEAD_SHARE)
            last = min(last, first + max(1, min(head, room - 1)) - 1)
        start, stop = first - live.start_line, last - live.start_line + 1
        is_inside = start >= 0 and last <= live.end_line
        shown |= enumerate(lines[start:stop] if is_inside else decode_lines(live.lines, first, last), first)
        if not is_whole:
            room -= last - first + 1
            shown |= _choose_inside(symbol, last, live.start_line, lines, groups[symbol], room)
    return show_lines(live, dict(sorted(shown.items())), next(iter(groups)))


def _show_asked(live: LiveChunk, symbol: SymbolSpan, held: Sequence[int], room: int) -> dict[int, str]:
    """Return the lines of a declaration by number: all of them, or its head and those that match best.

    `held` are the words of each line of the file.
    """
    first, last = symbol.head_line, symbol.end_line
    if last - first >= room:
        first = symbol.name_line
        last = min(last, first + max(HEAD_LINES, int(room * HEAD_SHARE)) - 1)
    shown = dict(enumerate(decode_lines(live.lines, first, last), first))
    left = room - len(shown)
    if last < symbol.end_line and left > 0:
        begin, end = choose_window(held[last : symbol.end_line], None, left)
        shown |= enumerate(decode_lines(live.lines, last + 1 + begin, last + end), last + 1 + begin)
    return shown


def _group_lines(
    declarations: Declarations, first: int, found: Sequence[int]
) -> dict[SymbolSpan | None, list[int]]:
    """Return the innermost declarations around lines that match, the best first; None for those outside.

    `found` are the terms of each line from line `first` on, and so is what is returned for each declaration.
    Each is worth what its lines tell; a line with its name is as much as NAME_WORTH lines.
    """
    spans: list[SymbolSpan | None] = []
    groups: list[list[int]] = []
    worth: list[list[int]] = []
    places: dict[int, int] = {}  # in these, by identity: hashing a span takes a microsecond
    for place, span in declarations.list_innermost(first, found):
        at = places.setdefault(id(span), len(spans))
        if at == len(spans):
            spans.append(span)
            groups.append([0] * len(found))
            worth.append([])
        groups[at][place] = found[place]
        is_name = span is not None and span.name_line == first + place
        worth[at].extend([found[place]] * (NAME_WORTH if is_name else 1))
    if not groups:
        return {None: list(found)}
    values = [*map(float, map(_value, worth))]
    if id(None) in places:
        values[places[id(None)]] *= OUTSIDE_WORTH
    best = sorted(range(len(spans)), key=values.__getitem__, reverse=True)  # of equal ones the first stays so
    return {spans[at]: groups[at] for at in best}


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
    live: LiveChunk, lines: Mapping[int, str], symbol: SymbolSpan | None, rated: Sequence[SymbolSpan] = ()
) -> Hit:
    """Return the hit of lines by number, ascending. It names the best of `rated` that it does not show."""
    ranked = live.ranked
    numbers = list(lines)
    also = [
        (span.qualified_name, (span.head_line, span.end_line))
        for span in rated
        if span != symbol and not lines.keys() >= {*range(span.name_line, span.end_line + 1)}
    ]
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
        tuple(also[:ALSO_NAMED]),
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
    """Return how well a declaration in a chunk's file is named as is asked for."""
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


def decode_lines(raw: TextLines, first: int, last: int) -> list[str]:
    """Return the lines from `first` to `last`, counted from 1, both included."""
    return raw.cut(first - 1, last).decode("utf-8", "replace").split("\n") if first <= last else []


def _holds(text: str, phrases: Sequence[str]) -> bool:
    folded = " ".join(text.lower().split())
    return all(phrase.lower() in folded for phrase in phrases)


def find_line_terms(lines: Sequence[str], terms: Sequence[str]) -> list[int]:
    """Return, for each line, a bit set of the terms it holds; the first term is the lowest bit."""
    wanted = _prepare_terms(tuple(terms))
    text = "\n".join(lines)
    found = [0] * len(lines)
    known: dict[str, int] = {}
    line = passed = 0
    for position, word in sorted(_find_words(text, wanted.roots)):
        held = known.get(word)
        if held is None:
            held = 0
            for term in _get_terms(word):
                held |= wanted.bits.get(term, 0)
            known[word] = held
        if held:
            line += text.count("\n", passed, position)
            passed = position
            found[line] |= held
    return found


@dataclass(frozen=True, slots=True)
class _WantedTerms:
    """The terms sought on a page, which its hits share."""

    bits: Mapping[str, int]  # each term's bit
    roots: tuple[bytes, ...]  # every word that yields a term holds one of them; none when any word may


@lru_cache(maxsize=64)
def _prepare_terms(terms: tuple[str, ...]) -> _WantedTerms:
    roots = {get_root(term).encode("utf-8", "surrogatepass") for term in terms}
    is_any = b"" in roots or LONG_WORD in terms
    bits = {term: 1 << position for position, term in enumerate(terms)}
    return _WantedTerms(bits, () if is_any else tuple(roots))


def _find_words(text: str, roots: Sequence[bytes]) -> list[tuple[int, str]]:
    """Return positions and words of a text, including every word that holds a root; some repeat."""
    if not roots:
        return [(match.start(), match[0]) for match in _WORD.finditer(text)]
    found: list[tuple[int, str]] = []
    folded = bytearray(text.encode("ascii", "replace").translate(_FOLDED) + b" ")
    end = 0
    for other in () if text.isascii() else _NOT_ASCII.finditer(text):
        if other.start() >= end:
            start, end = text.rfind("\n", 0, other.start()) + 1, text.find("\n", other.end())
            end = len(text) if end < 0 else end
            found += [(match.start(), match[0]) for match in _WORD.finditer(text, start, end)]
            folded[start:end] = b" " * (end - start)
    for root in roots:
        at = folded.find(root)
        while at >= 0:
            start, end = folded.rfind(b" ", 0, at) + 1, folded.index(b" ", at)
            found.append((start, text[start:end]))
            at = folded.find(root, end + 1)
    return found


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


def render_lines(lines: Sequence[str], first_line: int) -> str:
    """Render numbered lines, `<number>\\t<text>\\n` each, with long lines cut."""
    return render_numbered(dict(enumerate(lines, first_line)))


def render_numbered(lines: Mapping[int, str]) -> str:
    """Render lines by their numbers as `render_lines` does."""
    if len(max(lines.values(), key=len, default="")) > MAX_LINE_CHARS:
        lines = {
            number: line if len(line) <= MAX_LINE_CHARS else line[:MAX_LINE_CHARS] + "…"
            for number, line in lines.items()
        }
    return "".join([f"{number}\t{line}\n" for number, line in lines.items()])
