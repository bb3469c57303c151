"""Choose the lines of one file to show: whole declarations, the most relevant first. Pure.

A file is cut into blocks: a declaration that fits stays whole, a longer one is cut into those inside it and
the lines between them. The value of a block is the weight of the prompt's terms in it, with repetitions
counting ever less, and more when it declares a name of the prompt. A block with a line that the prompt names
precedes all others.
A window begins as the best block and takes in its neighbours while they are worth it. A block longer than
the window may be is narrowed to its best lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from repo_mcp.bundler.companions import find_licence, list_imports
from repo_mcp.bundler.source import LiveFile
from repo_mcp.bundler.weights import Weights
from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.text.analysis import get_word_terms

WHOLE_LINES = 60  # a longer declaration is cut into blocks even where it would fit
SMALL_LINES = 6  # neighbours this short are joined to one block: imports, constants
NAMED_WORTH = 1_000.0  # of a line that the prompt names, far above the weight of any terms
NOTHING = (False, 0.0)
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Block:
    """Some lines that are shown together, 1-based, both ends included."""

    start_line: int
    end_line: int
    value: float
    is_named: bool = False  # holds a line that the prompt names

    @property
    def worth(self) -> tuple[bool, float]:
        """Return the sort key of blocks: a named line beats all terms."""
        return self.is_named, self.value

    @property
    def line_count(self) -> int:
        """Return the number of lines."""
        return self.end_line - self.start_line + 1


@dataclass(frozen=True, slots=True)
class FileView:
    """A live file with the prompt's terms in it."""

    live: LiveFile
    spans: tuple[SymbolSpan, ...]
    # For each line the prompt's terms in it; none for imports and licences.
    line_terms: tuple[tuple[str, ...], ...]
    named_lines: frozenset[int]  # lines that the prompt names


def view_file(
    live: LiveFile, spans: Sequence[SymbolSpan], terms: Collection[str], named_lines: Iterable[int]
) -> FileView:
    """Find the prompt's terms in each line of a file."""
    wanted: dict[str, tuple[str, ...]] = {}
    found: list[tuple[str, ...]] = []
    for line in live.lines:
        words = _WORD.findall(line)
        for word in words:
            if word not in wanted:
                wanted[word] = tuple(term for term in get_word_terms(word) if term in terms)
        found.append(tuple(term for word in words for term in wanted[word]))
    # Imports and licences name everything and say nothing.
    for first, end in (*list_imports(live.lines), *find_licence(live.lines)):
        found[first : end + 1] = [()] * (end + 1 - first)
    last = len(live.lines)
    return FileView(live, tuple(spans), tuple(found), frozenset(n for n in named_lines if 1 <= n <= last))


def cut_blocks(view: FileView, most_lines: int) -> list[tuple[int, int]]:
    """Return a partition of the lines: declarations of at most `most_lines` whole, longer ones cut."""
    most = min(most_lines, WHOLE_LINES)
    bounds = {1, len(view.live.lines) + 1}
    whole_until = 0
    for span in sorted(view.spans, key=lambda span: (span.start_line, -span.end_line)):
        if span.start_line > whole_until:
            bounds |= {span.start_line, span.end_line + 1}
            if span.end_line - span.start_line < most:
                whole_until = span.end_line
    ordered = sorted(bounds)
    return _join_small(list(zip(ordered, (bound - 1 for bound in ordered[1:]), strict=False)), most)


def _join_small(spans: Sequence[tuple[int, int]], most_lines: int) -> list[tuple[int, int]]:
    """Join small neighbours where the result fits into `most_lines`."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        last = joined[-1] if joined else None
        small = last is not None and max(end - start, last[1] - last[0]) < SMALL_LINES
        if last is not None and small and end - last[0] < most_lines:
            joined[-1] = (last[0], end)
        else:
            joined.append((start, end))
    return joined


def value_blocks(
    view: FileView, most_lines: int, term_weights: Mapping[str, float], weights: Weights
) -> list[Block]:
    """Return the blocks of a file with their values."""
    declared = _value_declared(view.spans, term_weights, weights)
    return [
        Block(
            start,
            end,
            _value_block(view, start, end, declared, term_weights, weights),
            any(start <= line <= end for line in view.named_lines),
        )
        for start, end in cut_blocks(view, most_lines)
    ]


def _value_block(
    view: FileView,
    start: int,
    end: int,
    declared: Mapping[int, float],
    term_weights: Mapping[str, float],
    weights: Weights,
) -> float:
    counts = Counter(term for terms in view.line_terms[start - 1 : end] for term in terms)
    value = sum(
        term_weights[term] * count / (count + weights.spread) for term, count in sorted(counts.items())
    )
    over = max(0.0, (end - start + 1) / weights.length_lines - 1.0)
    value /= 1.0 + weights.length_share * over
    # Only the best declared name counts, so that a class does not win by its many methods.
    return value + max((declared[line] for line in range(start, end + 1) if line in declared), default=0.0)


def _value_declared(
    spans: Iterable[SymbolSpan], term_weights: Mapping[str, float], weights: Weights
) -> dict[int, float]:
    """Return for each line that declares a name the worth of the prompt's terms in that name."""
    values: dict[int, float] = {}
    for span in spans:
        terms = [term for word in _WORD.findall(span.name) for term in get_word_terms(word)]
        matched = [term_weights[term] for term in terms if term in term_weights]
        if matched:
            value = weights.declared * sum(matched) / len(terms) * len(matched) / len(terms)
            values[span.name_line] = max(value, values.get(span.name_line, 0.0))
    return values


def choose_window(
    view: FileView,
    blocks: Sequence[Block],
    taken: Collection[int],
    most_lines: int,
    term_weights: Mapping[str, float],
    grow_share: float,
) -> Block | None:
    """Return the best window of at most `most_lines` without `taken` lines; None if no block has a value."""
    free = [
        position for position, block in enumerate(blocks) if block.worth > NOTHING and _is_free(block, taken)
    ]
    if not free or most_lines < 1:
        return None
    seed = max(free, key=lambda position: (blocks[position].worth, -position))
    if blocks[seed].line_count > most_lines:
        return _trim(view, _narrow(view, blocks[seed], most_lines, term_weights))
    first = last = seed
    least = grow_share * blocks[seed].value
    while True:
        room = most_lines - (blocks[last].end_line - blocks[first].start_line + 1)
        sides = [
            position
            for position in (first - 1, last + 1)
            if 0 <= position < len(blocks)
            and blocks[position].worth > NOTHING
            and (blocks[position].is_named or blocks[position].value >= least)
            and blocks[position].line_count <= room
            and _is_free(blocks[position], taken)
        ]
        if not sides:
            break
        side = max(sides, key=lambda position: (blocks[position].worth, position))
        first, last = min(first, side), max(last, side)
    value = max(block.value for block in blocks[first : last + 1])
    return _trim(view, Block(blocks[first].start_line, blocks[last].end_line, value, blocks[seed].is_named))


def _is_free(block: Block, taken: Collection[int]) -> bool:
    return not taken or all(line not in taken for line in range(block.start_line, block.end_line + 1))


def _narrow(view: FileView, block: Block, most_lines: int, term_weights: Mapping[str, float]) -> Block:
    """Return the `most_lines` lines of a block with the heaviest terms; of equal ones the first."""
    worth = [
        sum(term_weights[term] for term in sorted(set(terms))) + NAMED_WORTH * (line in view.named_lines)
        for line, terms in enumerate(view.line_terms[block.start_line - 1 : block.end_line], block.start_line)
    ]
    sums = [0.0, *accumulate(worth)]
    starts = range(len(worth) - most_lines + 1)
    best = max(starts, key=lambda start: (round(sums[start + most_lines] - sums[start], 9), -start))
    first = block.start_line + best
    return Block(first, first + most_lines - 1, block.value, block.is_named)


def _trim(view: FileView, window: Block) -> Block:
    """Return the window without empty lines at its ends."""
    start, end = window.start_line, window.end_line
    while start < end and not view.live.lines[start - 1].strip():
        start += 1
    while end > start and not view.live.lines[end - 1].strip():
        end -= 1
    return Block(start, end, window.value, window.is_named)


def find_around(spans: Sequence[SymbolSpan], start_line: int, end_line: int) -> SymbolSpan | None:
    """Return the smallest declaration that holds all the lines, or None."""
    around = [span for span in spans if span.start_line <= start_line and end_line <= span.end_line]
    return min(around, key=lambda span: (span.end_line - span.start_line, span.name_line), default=None)


def iter_declared(spans: Sequence[SymbolSpan], start_line: int, end_line: int) -> Iterator[SymbolSpan]:
    """Return an iterator over the declarations whose names stand in the lines, in order."""
    return (span for span in spans if start_line <= span.name_line <= end_line)
