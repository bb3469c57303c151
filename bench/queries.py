"""Queries of four classes, taken from an indexed tree itself: the same for the same tree.

- rare: identifiers that occur in one to four units
- common: the compound identifiers that occur in most units
- questions: three to six words as they follow each other in a comment
- pairs: two of the words that occur in most units
"""

from __future__ import annotations

import random
import re
from collections import Counter

from bench.engine import Indexed, open_snapshot
from index_format import Snapshot
from repo_mcp.index.schema import BODY

PER_CLASS = 50
SAMPLED_FILES = 400  # evenly spaced in path order
MAX_RARE_UNITS = 4
COMMON_WORDS = 60
SEED = 2
CLASSES = ("rare", "common", "questions", "pairs")
_IDENTIFIER = re.compile(r"\b(?:[A-Za-z][a-z0-9]*(?:_[a-z0-9]+)+|[A-Za-z]?[a-z]+(?:[A-Z][a-z0-9]+)+)\b")
_WORD = re.compile(r"\b[a-z]{4,12}\b")
_COMMENT = re.compile(r"^[ \t]*(?:#|///?|/?\*+)[ \t]+([A-Za-z][A-Za-z ,'-]{15,})", re.MULTILINE)


def choose_queries(indexed: Indexed) -> dict[str, list[str]]:
    """Class -> PER_CLASS queries, or all that the tree gives when it is small."""
    snapshot = open_snapshot(indexed.index_path)
    text = _read_sample(indexed, snapshot)
    draw = random.Random(SEED)
    identifiers = _count_units(snapshot, set(_IDENTIFIER.findall(text)))
    seldom = sorted(word for word, units in identifiers.items() if 0 < units <= MAX_RARE_UNITS)
    words = _take_commonest(_count_units(snapshot, set(_WORD.findall(text))), COMMON_WORDS)
    snapshot.close()
    return {
        "rare": draw.sample(seldom, min(PER_CLASS, len(seldom))),
        "common": _take_commonest(identifiers, PER_CLASS),
        "questions": _cut_questions(text, draw),
        "pairs": [" ".join(draw.sample(words, 2)) for _ in range(PER_CLASS)],
    }


def _read_sample(indexed: Indexed, snapshot: Snapshot) -> str:
    paths = [segment.reader.files.read_path(file) for segment, file in snapshot.iter_live_files()]
    sample = paths[:: max(1, len(paths) // SAMPLED_FILES)]
    return "\n".join((indexed.root / path).read_text("utf-8", "replace") for path in sample)


def _count_units(snapshot: Snapshot, words: set[str]) -> Counter[str]:
    """For each word the number of units that hold it outside of comments."""
    counts: Counter[str] = Counter()
    for word in sorted(words):
        for segment in snapshot.segments:
            lists = segment.reader.find_lists(word.lower().encode())
            counts[word] += sum(one.frequency for one in lists if one.field == BODY)
    return counts


def _take_commonest(counts: Counter[str], count: int) -> list[str]:
    ordered = sorted(counts, key=lambda word: (-counts[word], word))
    return ordered[:count]


def _cut_questions(text: str, draw: random.Random) -> list[str]:
    lines = [re.findall(r"[A-Za-z]{2,}", line) for line in _COMMENT.findall(text)]
    long_enough = [words for words in lines if len(words) >= 3]
    chosen = draw.sample(long_enough, min(PER_CLASS, len(long_enough)))
    return [" ".join(words[: draw.randint(3, 6)]) for words in chosen]
