"""Turn the blocks that a search rates into those of the declarations that they tell about. Pure.

    a long comment alone                ->  the declaration below it
    a namespace with a single type      ->  that type

Bundles cut such a comment from its declaration, as it would fill them, and take a small file for one block.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.blocks.best_blocks import RatedBlock
from repo_mcp.blocks.blocks import MAX_LEAD_LINES, Block
from repo_mcp.languages.patterns.declared_spans import SymbolSpan, holds_members
from repo_mcp.record_classes import replace

_IS_NAMESPACE = re.compile(r"\b(?:module|namespace|package|mod)\s+$")


def name_told(rated: Sequence[RatedBlock]) -> list[RatedBlock]:
    """Return the blocks, best first, each of a declaration once, as the declaration that it tells about."""
    told: dict[tuple[str, int], RatedBlock] = {}
    for one in map(_find_told, rated):
        block, span = one.block, one.block.span
        has_name = span is not None and block.start_line <= span.name_line <= block.end_line
        told.setdefault((one.path, span.name_line if span and has_name else block.start_line), one)
    return [*told.values()]


def _find_told(one: RatedBlock) -> RatedBlock:
    spans = one.view.layout.spans
    below = next((span for span in spans if _is_told(one, span)), None)
    if below is not None:
        return replace(one, block=Block(below.start_line, below.end_line, below, one.block.owner))
    span = one.block.span
    if span is None or one.block.end_line < span.end_line:  # no whole declaration
        return one
    inner = _find_only_type(one.view.live.lines, spans, span)
    return one if inner is span else replace(one, block=Block(inner.start_line, inner.end_line, inner, span))


def _is_told(one: RatedBlock, span: SymbolSpan) -> bool:
    """Return True for a declaration right below a block that ends with its long comment and says no more."""
    if span.head_line != one.block.end_line + 1 or span.head_line - span.start_line <= MAX_LEAD_LINES:
        return False
    heads = {other.name_line for other in one.view.layout.spans if other.end_line > span.end_line}
    return all(line >= span.start_line or line in heads for line in one.term_lines)


def _find_only_type(lines: Sequence[str], spans: Sequence[SymbolSpan], outer: SymbolSpan) -> SymbolSpan:
    """Return the innermost declaration of those of which each is all that a namespace holds."""
    while _IS_NAMESPACE.search(
        " ".join(lines[outer.head_line - 1 : outer.name_line]).partition(outer.name)[0]
    ):
        within = (one for one in spans if outer.name_line < one.name_line <= outer.end_line)
        held = [one for one in within if one.qualified_name == f"{outer.qualified_name}.{one.name}"]
        if len(held) != 1 or not _is_type(lines, held[0]):
            break
        outer = held[0]
    return outer


def _is_type(lines: Sequence[str], span: SymbolSpan) -> bool:
    return holds_members(" ".join(lines[span.head_line - 1 : span.name_line]), span.name)
