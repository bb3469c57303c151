"""Rate the blocks of a file by what they say about a prompt. Pure.

    worth = share of the prompt's weight that the block holds, names counting more and comments less

Each repetition of a term counts less than the one before, and a term counts less in a long block, as in BM25.
A body that decides is worth more than one that passes something on.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence, Set
from heapq import nlargest
from itertools import islice

from repo_mcp.blocks.blocks import Block
from repo_mcp.blocks.file_view import FileView, PromptTermFinder
from repo_mcp.blocks.weights import Weights
from repo_mcp.bodies.statements import is_branch
from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.ranking.page.declaration_rating import is_inner_test
from repo_mcp.text.analysis import get_word_terms

KEYWORD_TERMS = 16  # heaviest terms, whose sum is the weight of a prompt
PROTOTYPE_LINES = 4  # at most; a longer declaration that ends in a semicolon is something else
BODY_LINES = 2  # a shorter declaration has no body
TRIVIAL_LINES = 8  # a body of at most so many lines without branches only passes something on
MANY_COMMENTS = 30  # lines of comments of a block; further ones are a manual


class Rater:
    """Rates blocks for one prompt."""

    def __init__(self, term_weights: Mapping[str, float], finder: PromptTermFinder, weights: Weights) -> None:
        self._term_weights = term_weights
        self._finder = finder
        self._weights = weights
        self._whole = sum(nlargest(KEYWORD_TERMS, term_weights.values())) or 1.0

    def rate(self, view: FileView, blocks: Sequence[Block], *, is_program: bool) -> list[float]:
        """Return the worth of each block, from 0 to a little above 1 + `weights.name`.

        `is_program` means that the file is part of the program and that tests in it are not asked for.
        """
        lines, names = list(view.line_terms), self._rate_names(blocks)
        bounds = [(bisect_left(lines, one.start_line), bisect_right(lines, one.end_line)) for one in blocks]
        return [
            self._rate(view, block, lines[first:end], names, is_program) / self._whole
            for block, (first, end) in zip(blocks, bounds, strict=True)
        ]

    def _rate(
        self, view: FileView, block: Block, lines: Sequence[int], names: Mapping[str, float], is_program: bool
    ) -> float:
        weights, counts = self._weights, dict[str, float]()
        head = block.span.head_line if block.span is not None else 0
        far = list_far_comments(view, block)
        for line in lines:
            is_comment = line in view.layout.comment_lines
            share = (weights.lead if line < head else weights.comment) if is_comment else 1.0
            share *= weights.far_comment if line in far else 1.0
            for term in view.line_terms[line]:
                counts[term] = counts.get(term, 0.0) + share
        excess = max(0.0, block.line_count / weights.usual_lines - 1.0)
        half = weights.repeats * (1.0 + weights.length * excess)
        text = sum(
            self._term_weights[term] * count / (count + half) for term, count in sorted(counts.items())
        )
        named = weights.name * names.get(block.span.name, 0.0) if block.span is not None else 0.0
        owner = block.owner if block.owner is not block.span else None
        owned = weights.owner * names.get(owner.name, 0.0) if owner is not None else 0.0
        worth = text + named + owned
        return worth * self._weigh_kind(view, block, is_program) if worth else 0.0

    def _weigh_kind(self, view: FileView, block: Block, is_program: bool) -> float:
        """Return the factor of a block for its kind, whichever terms it holds."""
        weights = self._weights
        lines = view.live.lines[block.start_line - 1 : block.end_line]
        factor = rate_work(lines, weights.deciding, weights.trivial, weights.least_branches)
        if not _has_body(block):
            factor *= weights.no_body
        if block.span is not None and is_program and is_inner_test(block.span.qualified_name):
            factor *= weights.inner_test
        return factor

    def _rate_names(self, blocks: Sequence[Block]) -> dict[str, float]:
        """Return the weight of the terms in each name that has any, times their share of the name's parts."""
        spans = (span for block in blocks for span in (block.span, block.owner) if span is not None)
        names = list(dict.fromkeys(span.name for span in spans))
        rated: dict[str, float] = {}
        by_number = self._finder.find_lines([name.replace("\n", " ") for name in names])
        for number, matched in by_number.items():
            terms = get_word_terms(names[number - 1])
            parts = terms[1:] or terms
            share = sum(part in matched for part in parts) / len(parts)
            rated[names[number - 1]] = share * sum(self._term_weights[term] for term in sorted(set(matched)))
        return rated


def list_far_comments(view: FileView, block: Block) -> Set[int]:
    """Return the comment lines of a block after the first MANY_COMMENTS.

    They are a manual, which says what everything around the block does, and little of what its body does.
    """
    if block.line_count <= MANY_COMMENTS:
        return frozenset()
    numbers = range(block.start_line, block.end_line + 1)
    return frozenset([number for number in numbers if number in view.layout.comment_lines][MANY_COMMENTS:])


def is_prototype(view: FileView, span: SymbolSpan | None) -> bool:
    """Return True for a declaration that ends where its body would begin, as in an interface of Java."""
    if span is None or span.end_line - span.name_line >= PROTOTYPE_LINES:
        return False
    return view.live.lines[span.end_line - 1].rstrip().endswith(";")


def _has_body(block: Block) -> bool:
    """Return True for a declaration of two lines or more that is not the head of a longer class."""
    span = block.span
    return span is not None and span is not block.owner and span.end_line - span.head_line >= BODY_LINES - 1


def is_straight(lines: Sequence[str]) -> bool:
    """Return True for a block that has no branch, though it is longer than what only passes something on."""
    return len(lines) > TRIVIAL_LINES and not any(map(is_branch, lines))


def rate_work(lines: Sequence[str], deciding: float, trivial: float, least_branches: int) -> float:
    """Return `deciding` for a body with so many branches, `trivial` for a short one without any, else 1.

    If both factors are equal, they are returned without reading the lines.
    """
    if deciding == trivial:
        return deciding
    branches = len([*islice(filter(is_branch, lines), least_branches)])
    if branches == least_branches:
        return deciding
    return trivial if not branches and len(lines) <= TRIVIAL_LINES else 1.0
