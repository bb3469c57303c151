"""Gather what a prompt asks for and what the index finds for it, before any file is opened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice

from repo_mcp.bundler.candidates import Candidate, list_candidates
from repo_mcp.bundler.prompt_terms import find_joined, take_telling, weigh_terms
from repo_mcp.bundler.records import BundleRequest, SearchTried
from repo_mcp.bundler.source import MAX_WORDS, BundleSource
from repo_mcp.bundler.weights import Weights
from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.ranking.mentions import Mention, resolve_mentions
from repo_mcp.ranking.prompt import Clue, ClueKind, parse_prompt, split_symbol
from repo_mcp.ranking.query import parse_query
from repo_mcp.ranking.searcher import Ranking
from repo_mcp.text.roles import is_test_path

MAX_NAMES = 12  # of the prompt, looked up where they are declared
MAX_DECLARING = 4  # files or blocks; a name that more declare says little of each
SOLE_WORDS = 2  # a prompt of so few asks for names
SELF_NAMES = frozenset(("self", "this", "cls", "super"))

# prompt -> names that it seems to speak of, and warnings about adapters that failed
HintFinder = Callable[[str], tuple[tuple[str, ...], tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The clues of a prompt and of the index, known before any file is opened."""

    prompt: str  # without what says nothing
    clues: tuple[Clue, ...]
    names: Mapping[str, float]  # of declarations, qualified by dots, and how sure it is that they are meant
    mentions: tuple[Mention, ...]
    term_weights: Mapping[str, float]
    ranking: Ranking
    candidates: tuple[Candidate, ...]  # best first
    searches: tuple[SearchTried, ...]
    warnings: tuple[str, ...]  # about hints that are missing


def gather_evidence(
    request: BundleRequest, source: BundleSource, find_hints: HintFinder, weights: Weights
) -> Evidence:
    """Understand the prompt, and search for its text and its names. Raises IndexFormatError, OSError."""
    prompt = take_telling(request.prompt)
    clues = parse_prompt(prompt)
    hints, warnings = find_hints(prompt)
    known = {clue.text for clue in clues if clue.kind is ClueKind.SYMBOL}
    clues += tuple(Clue(ClueKind.SYMBOL, name) for name in hints if name not in known)
    clues += find_joined(prompt, source.count_units)
    mentions = resolve_mentions(clues, source.find_paths)
    if not request.include_tests:
        mentions = tuple(one for one in mentions if not is_test_path(one.path))
    term_weights = weigh_terms(clues, source.count_units, source.unit_count, weights)
    names = list_names(prompt, clues, weights)
    ranking = source.rank(prompt, request.include_tests)
    # A search for the prompt shows other hits where it holds only what has a phrase, or more of the text.
    is_shown = prompt == request.prompt and not parse_query(prompt, MAX_WORDS).phrases
    found = list_candidates(ranking.chunks, mentions, weights, is_shown=is_shown)
    candidates = {one.path: one for one in found}
    searches = [SearchTried("prompt", " ".join(term_weights), ranking.total, len(candidates))]
    for name in islice(dict.fromkeys(name.rpartition(".")[2] for name in names), MAX_NAMES):
        paths = source.find_declaring(name, MAX_DECLARING, request.include_tests)
        searches.append(SearchTried(f"symbol {name}", name, len(paths), len(paths)))
        for path in paths:
            candidates.setdefault(path, Candidate(path, 0.0, None))
    return Evidence(
        prompt,
        clues,
        names,
        mentions,
        term_weights,
        ranking,
        (*candidates.values(),),
        tuple(searches),
        warnings,
    )


def list_names(prompt: str, clues: Iterable[Clue], weights: Weights) -> dict[str, float]:
    """Return the names of declarations that the prompt asks for, as `Evidence.names` holds them."""
    words = prompt.split()
    sole = [word for word in words if word.isidentifier()] if len(words) <= SOLE_WORDS else []
    names = dict.fromkeys(sole, 1.0)
    for clue in clues:
        parts = split_symbol(clue.text) if clue.kind is ClueKind.SYMBOL else ()
        if parts:
            name = ".".join(parts[1:] if len(parts) > 1 and parts[0] in SELF_NAMES else parts)
            sure = weights.joined if clue.is_joined else 1.0 if clue.is_strong else weights.unsure
            names[name] = max(sure, names.get(name, 0.0))
    return names


def is_called(span: SymbolSpan, name: str) -> bool:
    """Return True when a declaration has a name, qualified as far as the name is: `Reader.read`."""
    return f".{span.qualified_name}".endswith(f".{name}")
