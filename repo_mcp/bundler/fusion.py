"""Fuse the file ranking, the hits of several searches and the prompt's mentions into one list of files. Pure.

The ranking has already used the names of files, their definitions and their roles. The searches add what
single names and phrases of the prompt find.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from repo_mcp.bundler.searches import SearchHits
from repo_mcp.bundler.weights import Weights
from repo_mcp.ranking.mentions import Mention
from repo_mcp.ranking.prompt import ClueKind

SCORE_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that may come into the bundle."""

    path: str
    score: float  # rounded
    found: float  # the part of the score from the ranking and the searches
    mentions: tuple[Mention, ...]


def fuse(
    ranked: Mapping[str, float], hits: Iterable[SearchHits], mentions: Sequence[Mention], weights: Weights
) -> tuple[Candidate, ...]:
    """Return the files with any evidence, best first, ties by path. `ranked` maps paths to scores."""
    best = max(ranked.values(), default=0.0)
    scores = defaultdict(float, {path: weights.ranking * score / best for path, score in ranked.items()})
    for found in hits:
        for path, share in share_out(found, weights.unit_decay).items():
            # A file without a rank is not added by a single search.
            if path in ranked:
                scores[path] += found.planned.weight * share * ranked[path] / best
    named = _score_mentions(mentions, weights)
    candidates = []
    for path in {**scores, **named}:
        found_score = round(scores[path], SCORE_DECIMALS)
        score = round(found_score + named.get(path, 0.0), SCORE_DECIMALS)
        own = tuple(mention for mention in mentions if mention.path == path)
        candidates.append(Candidate(path, score, found_score, own))
    return tuple(sorted(candidates, key=lambda one: (-one.score, one.path.encode())))


def share_out(found: SearchHits, decay: float) -> dict[str, float]:
    """Return path -> share of the best file's score in one search. Each further chunk of a file adds less."""
    factors: defaultdict[str, float] = defaultdict(lambda: 1.0)
    sums: defaultdict[str, float] = defaultdict(float)
    for chunk in found.chunks:
        sums[chunk.path] += chunk.score * factors[chunk.path]
        factors[chunk.path] *= decay
    best = max(sums.values(), default=0.0)
    return {path: score / best for path, score in sums.items()} if best else {}


def _score_mentions(mentions: Sequence[Mention], weights: Weights) -> dict[str, float]:
    """Return path -> score for being named, by the file's best mention. The first frame is the innermost."""
    frames = list(dict.fromkeys(one.clue for one in mentions if one.clue.kind is ClueKind.FRAME))
    scores: dict[str, float] = {}
    for mention in mentions:
        value = weights.named_path
        if mention.clue.kind is ClueKind.FRAME:
            value = weights.frame * weights.frame_decay ** frames.index(mention.clue)
        scores[mention.path] = max(scores.get(mention.path, 0.0), value * mention.share)
    return scores
