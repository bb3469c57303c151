"""Rate the declarations of the files that a search finds, without spending a budget on them.

    prompt -> evidence -> opened files, blocks and their worth -> names followed -> the best blocks

Bundles show these blocks whole; other answers, such as those of research, show parts of them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from repo_mcp.blocks.block_worth import list_far_comments
from repo_mcp.blocks.blocks import Block
from repo_mcp.blocks.candidates import SCORE_DECIMALS
from repo_mcp.blocks.evidence import gather_evidence
from repo_mcp.blocks.file_view import FileView
from repo_mcp.blocks.following import follow_names
from repo_mcp.blocks.layouts import LayoutReader
from repo_mcp.blocks.opened_files import MAX_OPENED, Opener
from repo_mcp.blocks.prompt import find_no_hints
from repo_mcp.blocks.rated_files import RatedFile
from repo_mcp.blocks.source import BlockSource
from repo_mcp.blocks.weights import QUESTION_WEIGHTS, Weights
from repo_mcp.ranking.page.declaration_rating import is_inner_test
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.symbol_record import SymbolRecord
from repo_mcp.text.roles import is_side_file

# Factors of a block's worth for a question: in a side file, without a term, in a test.
SIDE_FILE, WORDLESS, TESTING = 0.3, 0.6, 0.3
VARIETY = 0.6  # power of the number of terms that a block holds: two terms say more than one term twice


@dataclass(frozen=True, slots=True)
class RatedBlock:
    """A block of a live file, and what it is worth for a prompt."""

    path: str
    block: Block
    view: FileView
    worth: float
    origin: str  # what led to it, in words; "" if its own words did

    @property
    def term_lines(self) -> dict[int, tuple[str, ...]]:
        """Return the prompt's terms in the lines of the block, by line."""
        lines = range(self.block.start_line, self.block.end_line + 1)
        return {line: terms for line in lines if (terms := self.view.line_terms.get(line)) is not None}

    @property
    def terms(self) -> list[str]:
        """Return the prompt's terms that the block holds, in the order of its lines."""
        return list(dict.fromkeys(term for terms in self.term_lines.values() for term in terms))


def find_declared(one: RatedBlock, record: SymbolRecord) -> int:
    """Return the ordinal of the symbol that a block declares; 0 if the record has none."""
    span = one.block.span
    if span is None:
        return 0
    starts, ends = record.starts, record.starts + record.spans
    named = [at for at in record.find_symbols(span.name) if starts[at] <= span.name_line <= ends[at]]
    return min(named, key=lambda at: (int(record.spans[at]), at), default=0)


def rate_blocks(
    prompt: str,
    source: BlockSource,
    read_layout: LayoutReader,
    most: int,
    weights: Weights = QUESTION_WEIGHTS,
    *,
    include_tests: bool = True,
) -> tuple[list[RatedBlock], dict[str, float]]:
    """Return the `most` best blocks for a question, and the weights of the question's terms.

    Raises IndexFormatError, OSError.
    """
    evidence = gather_evidence(prompt, source, find_no_hints, weights, include_tests=include_tests)
    opened = Opener(read_layout, evidence, weights, source, small_file_lines=0).open_best(MAX_OPENED)
    follow_names(opened, source, weights)
    rated = [block for one in opened for block in _iter_rated(one, include_tests)]
    rated.sort(key=lambda one: (-one.worth, one.path, one.block.start_line))
    return rated[:most], dict(evidence.term_weights)


def _iter_rated(one: RatedFile, include_tests: bool) -> Iterator[RatedBlock]:
    """Yield the blocks of a file with a worth above 0. Tests in a file of the program count less."""
    lines = list(one.view.line_terms)
    place = SIDE_FILE if is_side_file(one.candidate.path) else 1.0
    for at, (block, worth) in enumerate(zip(one.blocks, one.worth, strict=True)):
        if worth <= 0.0:
            continue
        held = lines[bisect_left(lines, block.start_line) : bisect_right(lines, block.end_line)]
        far = list_far_comments(one.view, block)
        terms = {term for line in held if line not in far for term in one.view.line_terms[line]}
        weighed = worth * one.priority * place * ((1.0 + len(terms)) ** VARIETY if terms else WORDLESS)
        if not include_tests and block.span is not None and is_inner_test(block.span.qualified_name):
            weighed *= TESTING
        origin = one.origins.get(at, "")
        yield RatedBlock(one.candidate.path, block, one.view, round(weighed, SCORE_DECIMALS), origin)
