"""The files that a bundle may quote, in the order of the search, what the prompt names first. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from repo_mcp.bundler.weights import Weights
from repo_mcp.ranking.mentions import Mention
from repo_mcp.ranking.prompt import ClueKind
from repo_mcp.ranking.searcher import RankedChunk

SCORE_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that may come into the bundle."""

    path: str
    share: float  # its score in the search as a share of the best one's, or more where the prompt names it
    hit: int | None  # its first place among the hits of the search, from 1; None: not among them
    mentions: tuple[Mention, ...] = ()


def list_candidates(
    chunks: Sequence[RankedChunk], mentions: Sequence[Mention], weights: Weights, *, is_shown: bool = True
) -> tuple[Candidate, ...]:
    """Return the files of the ranked chunks and those that the prompt names, best first, ties by path.

    `is_shown` when a search for the prompt shows the chunks as they are.
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
    """Return path -> share for being named, by the file's best mention. The first frame is the innermost."""
    frames = list(dict.fromkeys(one.clue for one in mentions if one.clue.kind is ClueKind.FRAME))
    shares: dict[str, float] = {}
    for mention in mentions:
        value = weights.mention
        if mention.clue.kind is ClueKind.FRAME:
            value *= weights.next_frame ** frames.index(mention.clue)
        shares[mention.path] = max(shares.get(mention.path, 0.0), value * mention.share)
    return shares
