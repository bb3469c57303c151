"""What a hit shows: the best window of its best unit in the live text, and the enclosing declaration.

The index only says where to look. A hit whose file changed since is looked at again as it is now,
and left out when what matched is gone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from index_format import compute_fingerprint
from repo_mcp.adapters.languages import Language, scan
from repo_mcp.adapters.registry import find_language
from repo_mcp.errors import RepoError
from repo_mcp.index.analysis import get_word_terms
from repo_mcp.index.searcher import RankedChunk
from repo_mcp.model import Hit
from repo_mcp.textfile import decode_source, split_lines

WINDOW_LINES = 8
MAX_LINE_CHARS = 240  # of a snippet; open_file shows more
SYMBOL_SEARCH_BYTES = 64 * 1024  # looked through before the window for the declaration around it
LOOKAHEAD_BYTES = 1024
_WORD = re.compile(r"\w+")

ReadLive = Callable[[str], bytes]  # the bytes of a file through the door; raises RepoError


@dataclass(frozen=True, slots=True)
class ShownHits:
    """Hits of a ranking in its order, and what could not be shown as it was indexed."""

    hits: tuple[Hit, ...]
    warnings: tuple[str, ...]


def show_hits(
    ranked: Sequence[RankedChunk],
    phrases: Sequence[str],
    read_live: ReadLive,
    extensions: Mapping[str, str] | None = None,
    most: int | None = None,
) -> ShownHits:
    """The ranked chunks with their live text. A chunk must hold all `phrases`, case and white space aside.

    Of the chunks the first `most` that can be shown, or all. `extensions` gives file extensions another
    language than the built-in one.
    """
    hits: list[Hit] = []
    changed = 0
    tried = 0
    for chunk in ranked:
        if most is not None and len(hits) >= most:
            break
        tried += 1
        try:
            raw = read_live(chunk.path)
            text = decode_source(raw).data
        except RepoError:
            changed += 1
            continue
        is_changed = compute_fingerprint(raw) != chunk.fingerprint
        changed += is_changed
        hit = _build_hit(chunk, phrases, text, is_changed, find_language(chunk.path, extensions))
        if hit is not None:
            hits.append(hit)
    warnings = []
    if changed:
        warnings.append(f"{changed} of the files found changed since they were indexed: refresh the index.")
    if len(hits) < tried:
        left_out = tried - len(hits)
        warnings.append(f"{left_out} hits were left out: their text is gone or does not hold the phrase.")
    return ShownHits(tuple(hits), tuple(warnings))


def _build_hit(
    ranked: RankedChunk, phrases: Sequence[str], data: bytes, changed: bool, language: Language
) -> Hit | None:
    """The hit in a file's normalised text; None when what was looked for is not there any more."""
    lines = [line.decode("utf-8", "replace") for line in split_lines(data)]
    chunk_end = min(ranked.chunk.end_line, len(lines))
    chunk = lines[ranked.chunk.start_line - 1 : chunk_end]
    if changed and not any(find_line_terms(line, ranked.matched_terms) for line in chunk):
        return None
    folded = " ".join(" ".join(chunk).lower().split())
    if any(phrase.lower() not in folded for phrase in phrases):
        return None
    start, end = ranked.unit_start, min(ranked.unit_end, len(lines))
    if changed:  # the unit's lines may be elsewhere in the chunk by now
        start, end = ranked.chunk.start_line, chunk_end
    window = choose_window(lines[start - 1 : end], ranked.matched_terms)
    first, last = start - 1 + window[0], start - 1 + window[1]
    best = first + _find_best_line(lines[first:last], ranked.matched_terms)
    offset = sum(len(line.encode()) + 1 for line in lines[:best])
    return Hit(
        ranked.path,
        ranked.chunk.start_line,
        chunk_end,
        render_lines(lines[first:last], first + 1),
        ranked.score,
        ranked.matched_terms,
        find_enclosing_symbol(language, data, offset),
        ranked.explanation,
    )


def find_line_terms(line: str, terms: Collection[str]) -> set[str]:
    """The wanted terms that a line holds."""
    return {term for word in set(_WORD.findall(line)) for term in get_word_terms(word) if term in terms}


def choose_window(lines: Sequence[str], terms: Sequence[str]) -> tuple[int, int]:
    """The half-open span of WINDOW_LINES or fewer that shows most of the terms, the first of equal ones.

    A window is worth the sum, over its lines, of their terms, a term new to the window counting four
    times: eight lines with one word each show less than one line with all. It does not begin or end
    with an empty line where it need not.
    """
    wanted = frozenset(terms)
    found = [find_line_terms(line, wanted) for line in lines]
    last_start = max(0, len(lines) - WINDOW_LINES)
    best = max(range(last_start + 1), key=lambda start: (_value(found[start : start + WINDOW_LINES]), -start))
    return best, min(len(lines), best + WINDOW_LINES)


def _find_best_line(lines: Sequence[str], terms: Collection[str]) -> int:
    """The first of the lines that hold most of the terms."""
    counts = [len(find_line_terms(line, terms)) for line in lines]
    return counts.index(max(counts)) if counts else 0


def _value(found: Sequence[set[str]]) -> int:
    return sum(map(len, found)) + 3 * len(set().union(*found))


def render_lines(lines: Sequence[str], first_line: int) -> str:
    """Numbered lines: `<number>\\t<text>\\n`, long ones cut."""
    return "".join(f"{first_line + place}\t{_cut(line)}\n" for place, line in enumerate(lines))


def _cut(line: str) -> str:
    return line if len(line) <= MAX_LINE_CHARS else line[:MAX_LINE_CHARS] + "…"


def find_enclosing_symbol(language: Language, data: bytes, offset: int) -> str | None:
    """The name declared last before or at the line of `offset` in normalised text, if any is near."""
    line_end = data.find(b"\n", offset)
    line_end = len(data) if line_end < 0 else line_end
    start = max(0, offset - SYMBOL_SEARCH_BYTES)
    if start:
        start = data.find(b"\n", start) + 1
    # A declaration may be told by what follows its line, such as a brace on the next.
    landmarks = scan(language, data[start : line_end + LOOKAHEAD_BYTES])
    for first, last in reversed(landmarks.definitions):
        if start + first < line_end:
            return data[start + first : start + last].decode("utf-8", "replace")
    return None
