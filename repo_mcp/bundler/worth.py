"""Rate the blocks of a file by the prompt's terms in their names, code and comments. Pure.

    worth = share of the prompt's weight that the block holds, names counting more and comments less

A term counts ever less the oftener it occurs, and less in a long block, as in BM25. What the prompt names
is worth more than any terms.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from heapq import nlargest

from repo_mcp.bundler.blocks import Block
from repo_mcp.bundler.file_view import FileView, TermFinder
from repo_mcp.bundler.kinds import is_inner_test, rate_work
from repo_mcp.bundler.weights import Weights
from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.text.analysis import get_word_terms

KEYWORD_TERMS = 16  # the heaviest ones, which make up the weight of a prompt
PROTOTYPE_LINES = 4  # at most; a longer declaration that ends in a semicolon is something else
BODY_LINES = 2


class Rater:
    """Rates blocks for one prompt."""

    def __init__(
        self,
        term_weights: Mapping[str, float],
        finder: TermFinder,
        weights: Weights,
    ) -> None:
        self._term_weights = term_weights
        self._finder = finder
        self._weights = weights
        self._whole = sum(nlargest(KEYWORD_TERMS, term_weights.values())) or 1.0

    def rate(self, view: FileView, blocks: Sequence[Block], *, is_program: bool) -> list[float]:
        """Return the worth of each block, from 0 to a little above 1 + `weights.name`.

        `is_program` says that the file is part of the program, and tests in it are not asked for.
        """
        lines = list(view.line_terms)
        bounds = [(bisect_left(lines, one.start_line), bisect_right(lines, one.end_line)) for one in blocks]
        return [
            self._rate(view, block, lines[first:end], is_program) / self._whole
            for block, (first, end) in zip(blocks, bounds, strict=True)
        ]

    def _rate(self, view: FileView, block: Block, lines: Sequence[int], is_program: bool) -> float:
        weights, counts = self._weights, dict[str, float]()
        for line in lines:
            share = weights.comment if line in view.layout.comment_lines else 1.0
            for term in view.line_terms[line]:
                counts[term] = counts.get(term, 0.0) + share
        excess = max(0.0, block.line_count / weights.usual_lines - 1.0)
        half = weights.repeats * (1.0 + weights.length * excess)
        text = sum(
            self._term_weights[term] * count / (count + half) for term, count in sorted(counts.items())
        )
        named = weights.name * self._rate_name(block.span)
        if named and _is_prototype(view, block.span):
            named *= weights.prototype
        owned = weights.owner * self._rate_name(block.owner) if block.owner is not block.span else 0.0
        return (text + named + owned) * self._weigh_kind(view, block, is_program)

    def _weigh_kind(self, view: FileView, block: Block, is_program: bool) -> float:
        """Return the factor of a block for what it is, whatever terms it holds."""
        weights = self._weights
        lines = view.live.lines[block.start_line - 1 : block.end_line]
        factor = rate_work(lines, weights.deciding, weights.trivial)
        if not _has_body(block):
            factor *= weights.no_body
        if block.span is not None and is_program and is_inner_test(block.span.qualified_name):
            factor *= weights.inner_test
        return factor

    def _rate_name(self, span: SymbolSpan | None) -> float:
        """Return the weight of the prompt's terms in a name, times the share of its parts that they are."""
        if span is None:
            return 0.0
        matched = set(self._finder.find(span.name))
        if not matched:
            return 0.0
        terms = get_word_terms(span.name)
        parts = terms[1:] or terms
        share = sum(part in matched for part in parts) / len(parts)
        return share * sum(self._term_weights[term] for term in sorted(matched))


def _is_prototype(view: FileView, span: SymbolSpan | None) -> bool:
    """Return True for a declaration that ends where its body would begin, as in a header of C."""
    if span is None or span.end_line - span.name_line >= PROTOTYPE_LINES:
        return False
    return view.live.lines[span.end_line - 1].rstrip().endswith(";")


def _has_body(block: Block) -> bool:
    """Return True for a declaration of two lines or more that is not the head of a longer class."""
    span = block.span
    return span is not None and span is not block.owner and span.end_line - span.head_line >= BODY_LINES - 1
