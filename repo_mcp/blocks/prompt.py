"""Read a prompt: its text, its clues, and which of these it has in prose or only in pasted code.

A pasted prompt is read as a search reads it (`repo_mcp/ranking/query/pasted_text.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from repo_mcp.blocks.prompt_names import find_joined, find_light_names, is_in_prose
from repo_mcp.blocks.source import BlockSource
from repo_mcp.blocks.weights import Weights
from repo_mcp.ranking.query.clues import Clue, ClueKind, parse_prompt
from repo_mcp.ranking.query.query import Query, parse_query
from repo_mcp.ranking.query.report_noise import drop_written, read_template, read_words
from repo_mcp.record_classes import dataclass
from repo_mcp.text.idioms import leave_out_light_words, list_plain_terms
from repo_mcp.text.product_name import is_one_sentence, leave_out_product

MAX_WORDS = 1_000  # of the prompt

# prompt -> names that it seems to mean, and warnings about adapters that failed
HintFinder = Callable[[str], tuple[tuple[str, ...], tuple[str, ...]]]


def find_no_hints(_prompt: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return no names and no warnings: without an installed adapter, nothing adds names to a prompt."""
    return (), ()


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as it was read."""

    text: str  # without text that carries no information
    query: Query  # the search for it
    clues: tuple[Clue, ...]
    pasted: frozenset[Clue]  # those that are not in its prose
    plain_terms: tuple[str, ...]  # words that programs use for its idioms
    warnings: tuple[str, ...]  # about adapters that gave no hints because they failed


def read_prompt(asked: str, source: BlockSource, find_hints: HintFinder, weights: Weights) -> Prompt:
    """Read what is asked. Raises IndexFormatError, OSError."""

    def read_lines(path: str) -> Sequence[str]:
        return source.read(path).lines

    if is_one_sentence(asked):
        asked = leave_out_product(asked, read_lines)
    read_own = partial(read_template, source.find_paths, lambda path: "\n".join(read_lines(path)))
    query = parse_query(asked, MAX_WORDS, read_own)
    text = query.text if query.is_pasted else asked
    says_plainly = query.is_pasted or not weights.plain
    clues = parse_prompt(text if says_plainly else leave_out_light_words(text))
    if not query.is_pasted:
        clues += find_light_names(text, clues, source.count_units)
    hints, warnings = find_hints(text)
    known = {clue.text for clue in clues if clue.kind is ClueKind.SYMBOL}
    clues += tuple(Clue(ClueKind.SYMBOL, name) for name in hints if name not in known)
    prose = drop_written(text.removesuffix(query.code)) if query.is_pasted else text
    clues += find_joined(prose, source.count_units) if weights.joined_term else ()
    prose_words = frozenset(read_words(prose).split())
    pasted = frozenset(clue for clue in clues if not is_in_prose(clue, prose_words))
    plain_terms = () if says_plainly else tuple(list_plain_terms(text))
    return Prompt(text, query, clues, pasted, plain_terms, warnings)
