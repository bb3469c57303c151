"""Rate the declarations of the files that a search finds, without spending a budget on them.

    prompt -> evidence -> opened files, blocks and their worth -> names followed -> the best blocks

What a bundle shows whole, others show in part, such as the answers of research.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from repo_mcp.bundler.blocks import Block
from repo_mcp.bundler.candidates import SCORE_DECIMALS
from repo_mcp.bundler.evidence import gather_evidence
from repo_mcp.bundler.file_view import FileView
from repo_mcp.bundler.following import follow_names
from repo_mcp.bundler.hybrid import find_no_hints
from repo_mcp.bundler.opened_files import Opener
from repo_mcp.bundler.packing import Packer
from repo_mcp.bundler.records import Budget, BundleRequest
from repo_mcp.bundler.source import BundleSource
from repo_mcp.bundler.spans import LayoutReader
from repo_mcp.bundler.statements import is_branch
from repo_mcp.bundler.weights import WEIGHTS, Weights

BUDGET = Budget(max_files=12, max_total_lines=960, max_tokens=None)  # of which only the files are opened


# Factors of a block's worth for a question: what seldom answers, and what decides.
ASIDE, WORDLESS = 0.3, 0.6
TRIVIAL, TRIVIAL_LINES = 0.75, 8
DECIDING, DECIDING_BRANCHES = 1.25, 3
_ASIDE = re.compile(
    r"(?:^|/)(?:perf[\w-]*|bench\w*|examples?|samples?|demos?|sandbox|playground|fuzz\w*|scripts?|testing"
    r"|testutil\w*)[/.]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class RatedBlock:
    """A block of a live file, and what it is worth for a prompt."""

    path: str
    block: Block
    view: FileView
    worth: float
    told: str  # the step that led to it, or ""

    @property
    def term_lines(self) -> dict[int, tuple[str, ...]]:
        """Return the prompt's terms in the lines of the block, by line."""
        lines = range(self.block.start_line, self.block.end_line + 1)
        return {line: terms for line in lines if (terms := self.view.line_terms.get(line)) is not None}


def weigh_place(one: RatedBlock) -> float:
    """Return a factor for where a block stands, and for whether it has words of the question itself."""
    return (ASIDE if _ASIDE.search(one.path) else 1.0) * (1.0 if one.term_lines else WORDLESS)


def weigh_work(one: RatedBlock) -> float:
    """Return a factor for what a body does: one that decides says more of how things work than a setter."""
    lines = one.view.live.lines[one.block.start_line - 1 : one.block.end_line]
    branches = sum(map(is_branch, lines))
    if branches >= DECIDING_BRANCHES:
        return DECIDING
    return TRIVIAL if not branches and len(lines) <= TRIVIAL_LINES else 1.0


def rate_blocks(
    request: BundleRequest,
    source: BundleSource,
    read_layout: LayoutReader,
    most: int,
    weights: Weights = WEIGHTS,
) -> tuple[list[RatedBlock], dict[str, float]]:
    """Return the blocks that are worth most for a prompt, at most so many, and the weights of its terms.

    Raises IndexFormatError, OSError.
    """
    evidence = gather_evidence(request, source, find_no_hints, weights)
    opener = Opener(read_layout, evidence, weights, source, Packer(BUDGET), small_file_lines=0)
    opened = opener.open_best(BUDGET)
    opened += follow_names(opened, opener, source, weights, request.include_tests)
    rated = [
        RatedBlock(
            one.candidate.path,
            block,
            one.view,
            round(one.priority * worth, SCORE_DECIMALS),
            one.told.get(at, ""),
        )
        for one in opened
        for at, (block, worth) in enumerate(zip(one.blocks, one.worth, strict=True))
        if worth > 0.0
    ]
    rated.sort(key=lambda one: (-one.worth, one.path, one.block.start_line))
    return rated[:most], dict(evidence.term_weights)
