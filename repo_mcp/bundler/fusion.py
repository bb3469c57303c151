"""From hits of several searches, names of files and mentions in the prompt to one list of files. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from repo_mcp.bundler.searches import SearchHits
from repo_mcp.bundler.weights import Weights
from repo_mcp.index.analysis import analyse_text
from repo_mcp.index.mentions import Mention
from repo_mcp.index.prompt import ClueKind
from repo_mcp.index.roles import FileRole, find_role

SCORE_DECIMALS = 6
MIN_PREFIX_CHARS = 4  # a word that begins like a part of a name, or the other way round
PREFIX_VALUE = 0.8

_ASKS_FOR = {
    FileRole.TEST: frozenset(("test", "pytest", "unittest", "fixtur", "spec", "mock")),
    FileRole.DOCS: frozenset(("doc", "document", "readme", "changelog", "tutori", "guid", "markdown")),
    FileRole.CONFIG: frozenset(
        ("config", "configur", "yaml", "toml", "json", "ini", "makefil", "kconfig", "ci", "workflow")
    ),
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that may come into the bundle."""

    path: str
    score: float  # rounded
    found: float  # the part of the score that searches and the file's name gave
    mentions: tuple[Mention, ...]


def fuse(
    hits: Iterable[SearchHits],
    mentions: Sequence[Mention],
    term_weights: Mapping[str, float],
    weights: Weights,
) -> tuple[Candidate, ...]:
    """The files that anything speaks for, best first, ties by path."""
    scores: defaultdict[str, float] = defaultdict(float)
    for found in hits:
        for path, share in share_out(found, weights.unit_decay).items():
            scores[path] += found.planned.weight * share
    best_term = max(term_weights.values(), default=0.0)
    for path in list(scores):
        scores[path] += score_name(path, term_weights, best_term, weights)
    named = _score_mentions(mentions, weights)
    ranked = []
    for path in {**scores, **named}:
        factor = 1.0 if path in named else _weigh_role(path, term_weights, weights)
        found_score = round(scores[path] * factor, SCORE_DECIMALS)
        score = round(found_score + named.get(path, 0.0), SCORE_DECIMALS)
        own = tuple(mention for mention in mentions if mention.path == path)
        ranked.append(Candidate(path, score, found_score, own))
    return tuple(sorted(ranked, key=lambda one: (-one.score, one.path.encode())))


def share_out(found: SearchHits, decay: float) -> dict[str, float]:
    """Each file's part of what the best file of one search scores. A file's chunks add up, ever less."""
    factors: defaultdict[str, float] = defaultdict(lambda: 1.0)
    sums: defaultdict[str, float] = defaultdict(float)
    for chunk in found.chunks:
        sums[chunk.path] += chunk.score * factors[chunk.path]
        factors[chunk.path] *= decay
    best = max(sums.values(), default=0.0)
    return {path: score / best for path, score in sums.items()} if best else {}


def score_name(path: str, term_weights: Mapping[str, float], best: float, weights: Weights) -> float:
    """What the words of the prompt in a file's name and directories are worth."""
    head, _, name = path.rpartition("/")
    own = _score_parts(name.partition(".")[0], term_weights, best) * weights.file_name
    return own + _score_parts(head, term_weights, best) * weights.directory


def _score_parts(text: str, term_weights: Mapping[str, float], best: float) -> float:
    """The mean weight of the matched parts, times the share of the parts that matched, from 0 to 1."""
    parts = [term for word in text.replace("/", " ").replace("-", " ").split() for term in _split(word)]
    values = [_match_part(part, term_weights) for part in parts]
    matched = [value for value in values if value > 0.0]
    return sum(matched) / len(matched) / best * len(matched) / len(parts) if matched else 0.0


def _split(word: str) -> list[str]:
    whole, *parts = analyse_text(word) or [word]
    return parts or [whole]


def _match_part(part: str, term_weights: Mapping[str, float]) -> float:
    if part in term_weights:
        return term_weights[part]
    if len(part) < MIN_PREFIX_CHARS:
        return 0.0
    near = [
        weight
        for term, weight in term_weights.items()
        if len(term) >= MIN_PREFIX_CHARS and (term.startswith(part) or part.startswith(term))
    ]
    return PREFIX_VALUE * max(near, default=0.0)


def _score_mentions(mentions: Sequence[Mention], weights: Weights) -> dict[str, float]:
    """What being named is worth to each file: its best mention. The first frame is the innermost."""
    frames = list(dict.fromkeys(one.clue for one in mentions if one.clue.kind is ClueKind.FRAME))
    scores: dict[str, float] = {}
    for mention in mentions:
        value = weights.named_path
        if mention.clue.kind is ClueKind.FRAME:
            value = weights.frame * weights.frame_decay ** frames.index(mention.clue)
        scores[mention.path] = max(scores.get(mention.path, 0.0), value * mention.share)
    return scores


def _weigh_role(path: str, term_weights: Mapping[str, float], weights: Weights) -> float:
    """Less for tests, documents and configuration, unless the prompt speaks of them."""
    role = find_role(path)
    if role is FileRole.CODE or not _ASKS_FOR[role].isdisjoint(term_weights):
        return 1.0
    return weights.test_role if role is FileRole.TEST else weights.other_role
