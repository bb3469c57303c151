"""Gather what the prompt and the index say together, before any file is opened.

    prompt -> clues -> files that they refer to, weights of terms, names of declarations
           -> search -> candidates, and the files that may declare the names

Candidates are the files in which the answer may be: those that the prompt names, then the others in the order
of the search.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from repo_mcp.blocks.candidates import Candidate, find_in_module, list_candidates, put_others_last
from repo_mcp.blocks.mentioned_files import find_mentioned
from repo_mcp.blocks.named_modules import find_leading_folder, is_below
from repo_mcp.blocks.prompt import HintFinder, Prompt, read_prompt
from repo_mcp.blocks.prompt_names import MAX_DECLARING, MAX_NAMES, list_names
from repo_mcp.blocks.prompt_terms import weigh_clues
from repo_mcp.blocks.source import BlockSource
from repo_mcp.blocks.weights import Weights
from repo_mcp.ranking.query.clues import Clue, find_title
from repo_mcp.ranking.query.mentions import Mention
from repo_mcp.ranking.scoring.searcher import Ranking
from repo_mcp.record_classes import dataclass, replace


@dataclass(frozen=True, slots=True)
class SearchTried:
    """One search and the size of its result."""

    name: str  # "prompt" or "symbol NAME"
    query: str  # what was searched for
    hits: int  # chunks that matched; of a symbol, files
    files: int  # files that became candidates


@dataclass(frozen=True, slots=True)
class Evidence:
    """The clues of a prompt and of the index, known before any file is opened."""

    prompt: str  # without text that carries no information
    clues: tuple[Clue, ...]
    names: Mapping[str, float]  # names of declarations, qualified by dots -> how surely they are meant
    mentions: tuple[Mention, ...]
    term_weights: Mapping[str, float]
    ranking: Ranking
    candidates: tuple[Candidate, ...]  # best first
    searches: tuple[SearchTried, ...]
    warnings: tuple[str, ...]  # about adapters that gave no hints because they failed
    title: frozenset[str] = frozenset()  # terms of the title of pasted text
    folder: str = ""  # that the prompt begins with, before a colon


def gather_evidence(
    asked: str, source: BlockSource, find_hints: HintFinder, weights: Weights, *, include_tests: bool = True
) -> Evidence:
    """Read what is asked, and search for its text and its names. Raises IndexFormatError, OSError."""
    prompt = read_prompt(asked, source, find_hints, weights)
    query = prompt.query
    title = (find_title(prompt.text) or "") if query.is_pasted else None
    mentions = find_mentioned(prompt.clues, source, title, include_tests=include_tests)
    term_weights = weigh_clues(
        prompt.clues, source.count_units, source.unit_count, weights, prompt.pasted, prompt.plain_terms
    )
    names = list_names(prompt.text, _list_naming(prompt, mentions), weights, prompt.pasted)
    ranking = source.rank(query, include_tests)
    # A search for the prompt shows other hits if it is restricted to a phrase.
    found = list_candidates(ranking.chunks, mentions, weights, is_shown=not query.phrases)
    folder = find_leading_folder(prompt.text, source.find_paths)
    if any(is_below(one.path, folder) for one in found):
        found = put_others_last(found, folder, weights)
    declaring = _find_declaring(names, source, folder, include_tests=include_tests)
    candidates = _add_declaring(found, declaring)
    whole = SearchTried("prompt", " ".join(term_weights), ranking.total, len(found))
    searches = [SearchTried(f"symbol {name}", name, len(own), len(own)) for name, own in declaring.items()]
    return Evidence(
        prompt.text,
        prompt.clues,
        names,
        mentions,
        term_weights,
        ranking,
        candidates,
        (whole, *searches),
        prompt.warnings,
        query.title,
        folder,
    )


def _list_naming(prompt: Prompt, mentions: Sequence[Mention]) -> list[Clue]:
    """Return the clues whose names may be declarations that the prompt asks for.

    A frame leads to its function by its line. Other declarations only happen to have its name.
    """
    followed = {one.clue.name for one in mentions}
    return [clue for clue in prompt.clues if clue not in prompt.pasted or clue.text not in followed]


def _find_declaring(
    names: Mapping[str, float], source: BlockSource, folder: str, *, include_tests: bool
) -> dict[str, list[str]]:
    """Return the files that may declare the first names, by the last part of each name."""
    declaring = {}
    for name, whole in islice({name.rpartition(".")[2]: name for name in names}.items(), MAX_NAMES):
        paths = source.find_declaring(name, MAX_DECLARING, include_tests)
        declaring[name] = paths or find_in_module(source, whole, folder, include_tests=include_tests)
    return declaring


def _add_declaring(
    found: Sequence[Candidate], declaring: Mapping[str, Sequence[str]]
) -> tuple[Candidate, ...]:
    """Return the candidates, with the files that may declare a name behind those that were found."""
    candidates = {one.path: one for one in found}
    for path in (path for paths in declaring.values() for path in paths):
        candidates[path] = replace(candidates.get(path, Candidate(path, 0.0, None)), may_declare=True)
    return tuple(candidates.values())
