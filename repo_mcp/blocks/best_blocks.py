"""Rate the declarations of the files that a search finds, without spending a budget on them.

    prompt -> evidence -> opened files, blocks and their worth -> names followed -> the best blocks

Bundles show these blocks whole; other answers, such as those of research, show parts of them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from repo_mcp.blocks.block_worth import list_far_comments, rate_work
from repo_mcp.blocks.blocks import Block
from repo_mcp.blocks.evidence import SCORE_DECIMALS, find_no_hints, gather_evidence
from repo_mcp.blocks.file_view import FileView
from repo_mcp.blocks.following import follow_names
from repo_mcp.blocks.layouts import LayoutReader
from repo_mcp.blocks.opened_files import MAX_OPENED, Opener, RatedFile
from repo_mcp.blocks.source import BlockSource
from repo_mcp.blocks.weights import QUESTION_WEIGHTS, Weights
from repo_mcp.bodies.body import says_nothing
from repo_mcp.bodies.statements import holds_failure
from repo_mcp.ranking.page.declaration_rating import is_inner_test
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolKind, SymbolRecord
from repo_mcp.text.roles import is_side_file

# Factors of a block's worth for a question: in a side file, without a term, in a test.
SIDE_FILE, WORDLESS, TESTING = 0.3, 0.6, 0.3
TRIVIAL, DECIDING = 0.6, 1.4  # factors for bodies, as `rate_work` gives them
DECIDING_BRANCHES = 3
# If errors are asked for: the factor of a block without any, and what is added to 1 for a block that holds
# all its terms in lines that fail.
FAILS_NOT, FAILING = 0.5, 1.5
REGISTERING = 1.8  # factor for what registers things, if the question is how to add one
NOT_RUN = 0.6  # factor for what does nothing by itself: a value, an interface
RUN = CALLABLE_KINDS | {SymbolKind.CLASS}
VARIETY = 0.6  # power of the number of terms that a block holds: two terms say more than one term twice
_REGISTERS = re.compile(
    r"^_?(?:add|register|load|use|with|install|enable|plug|set|map|bind|append|create|include|mount)(?=[_A-Z]|$)",
    re.IGNORECASE,
)
_REGISTRY = re.compile(
    r"(?:types|registry|plugins?|adapters|handlers|flags|policies|known\w*)$", re.IGNORECASE
)


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


def weigh_extension(one: RatedBlock) -> float:
    """Return a factor for a declaration that is registered, or that by its name registers something."""
    name = "" if one.block.span is None else one.block.span.name
    return REGISTERING if _REGISTERS.match(name) or _REGISTRY.search(name) else 1.0


def weigh_work(one: RatedBlock) -> float:
    """Return a factor for a body's work: a body that decides explains more than a setter does.

    Comments do not count, however long they are.
    """
    comment_lines, lines = one.view.layout.comment_lines, one.view.live.lines
    numbers = range(one.block.start_line, one.block.end_line + 1)
    code = [lines[at - 1] for at in numbers if at not in comment_lines]
    return rate_work([line for line in code if not says_nothing(line)], DECIDING, TRIVIAL, DECIDING_BRANCHES)


def weigh_failures(one: RatedBlock) -> float:
    """Return a factor for the share of a block's terms that lines with errors hold.

    It is below 1 for a block without such lines.
    """
    lines = one.view.live.lines
    if not any(map(holds_failure, lines[one.block.start_line - 1 : one.block.end_line])):
        return FAILS_NOT
    failing = {term for line, own in one.term_lines.items() if holds_failure(lines[line - 1]) for term in own}
    return 1.0 + FAILING * len(failing) / max(1, len(one.terms))


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
