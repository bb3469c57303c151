"""List the files in which an answer may be: those that the prompt names, and those that a search found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from repo_mcp.blocks.named_modules import is_below, is_of_module
from repo_mcp.blocks.prompt_names import MAX_DECLARING
from repo_mcp.blocks.source import BlockSource
from repo_mcp.blocks.weights import Weights
from repo_mcp.ranking.query.mentions import Mention, number_frames
from repo_mcp.ranking.scoring.ranked_chunks import RankedChunk
from repo_mcp.record_classes import dataclass, replace

MAX_DECLARING_COMMON = 300  # files that declare a name, of which a module chooses
SCORE_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file in which the answer may be."""

    path: str
    share: float  # its search score as a share of the best one; more if the prompt names it
    hit: int | None  # number of its first hit in the search, from 1; None: it has none
    mentions: tuple[Mention, ...] = ()  # clues of the prompt that name it
    may_declare: bool = False  # a name of the prompt


def list_candidates(
    chunks: Sequence[RankedChunk], mentions: Sequence[Mention], weights: Weights, *, is_shown: bool = True
) -> tuple[Candidate, ...]:
    """Return the files of the ranked chunks and those that the prompt names, best first, ties by path.

    `is_shown` tells whether a search for the prompt would show the chunks in this order.
    """
    best = chunks[0].score if chunks else 0.0
    hits: dict[str, int] = {}
    for number, chunk in enumerate(chunks, 1):
        hits.setdefault(chunk.path, number)
    shares = {path: chunks[hit - 1].score / best if best > 0.0 else 0.0 for path, hit in hits.items()}
    named = _rate_mentions(mentions, weights)
    found = [
        Candidate(
            path,
            round(shares.get(path, 0.0) + named.get(path, 0.0), SCORE_DECIMALS),
            hits.get(path) if is_shown else None,
            tuple(one for one in mentions if one.path == path),
        )
        for path in {**shares, **named}
    ]
    return tuple(sorted(found, key=lambda one: (-one.share, one.path.encode())))


def _rate_mentions(mentions: Sequence[Mention], weights: Weights) -> dict[str, float]:
    """Return the share that each file gets by its best mention, by path."""
    frames = number_frames(mentions)
    shares: dict[str, float] = {}
    for mention in mentions:
        value = weights.mention * weights.next_frame ** frames.get(mention.clue, 0)
        shares[mention.path] = max(shares.get(mention.path, 0.0), value * mention.share)
    return shares


def put_others_last(found: Iterable[Candidate], folder: str, weights: Weights) -> tuple[Candidate, ...]:
    """Return the candidates; those outside of a folder that the prompt does not name count less."""
    rated = [
        one
        if one.mentions or is_below(one.path, folder)
        else replace(one, share=round(one.share * weights.side_file, SCORE_DECIMALS))
        for one in found
    ]
    return tuple(sorted(rated, key=lambda one: -one.share))  # stable


def find_in_module(source: BlockSource, name: str, folder: str, *, include_tests: bool) -> list[str]:
    """Return the few files of the module or folder that the prompt names which declare a common name."""
    if not folder and "." not in name:
        return []
    paths = source.find_declaring(name.rpartition(".")[2], MAX_DECLARING_COMMON, include_tests)
    own = [path for path in paths if is_of_module(path, name) or (folder and is_below(path, folder))]
    return own if len(own) <= MAX_DECLARING else []
