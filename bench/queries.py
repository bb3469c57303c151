"""Choose queries from an indexed tree, the same for the same tree, in four classes that are timed separately.

- rare: identifiers that occur in one to four units
- common: the compound identifiers that occur in most units
- questions: three to six successive words of a comment
- pairs: two of the words that occur in most units

And the mix with which engines are compared: identifiers from the rarest to the commonest, questions, pairs,
and substrings of identifiers, which begin and end inside of words.
"""

from __future__ import annotations

import random
import re
from collections import Counter

from bench.engine import Indexed, open_snapshot
from index_format import Snapshot
from repo_mcp.text.schema import BODY

PER_CLASS = 50
SAMPLED_FILES = 400  # evenly spaced in path order
MAX_RARE_UNITS = 4
COMMON_WORDS = 60
SEED = 2
CLASSES = ("rare", "common", "questions", "pairs")
MIX = {"identifiers": 100, "questions": 100, "pairs": 50, "substrings": 50}
MIN_CUT_CHARS = 8  # of an identifier that a substring is cut from
_IDENTIFIER = re.compile(r"\b(?:[A-Za-z][a-z0-9]*(?:_[a-z0-9]+)+|[A-Za-z]?[a-z]+(?:[A-Z][a-z0-9]+)+)\b")
_WORD = re.compile(r"\b[a-z]{4,12}\b")
_COMMENT = re.compile(r"^[ \t]*(?:#|///?|/?\*+)[ \t]+([A-Za-z][A-Za-z ,'-]{15,})", re.MULTILINE)


def choose_queries(indexed: Indexed) -> dict[str, list[str]]:
    """Return PER_CLASS queries of each class, or fewer if the tree is too small."""
    snapshot = open_snapshot(indexed.index_path)
    text = _read_sample(indexed, snapshot)
    draw = random.Random(SEED)
    identifiers = count_units(snapshot, set(_IDENTIFIER.findall(text)))
    seldom = sorted(word for word, units in identifiers.items() if 0 < units <= MAX_RARE_UNITS)
    words = _take_commonest(count_units(snapshot, set(_WORD.findall(text))), COMMON_WORDS)
    snapshot.close()
    return {
        "rare": draw.sample(seldom, min(PER_CLASS, len(seldom))),
        "common": _take_commonest(identifiers, PER_CLASS),
        "questions": _cut_questions(text, draw),
        "pairs": [" ".join(draw.sample(words, 2)) for _ in range(PER_CLASS)],
    }


def choose_mixed(indexed: Indexed) -> dict[str, list[str]]:
    """Return as many queries of each class as MIX says, or fewer if the tree is too small."""
    snapshot = open_snapshot(indexed.index_path)
    text = _read_sample(indexed, snapshot)
    draw = random.Random(SEED)
    found = count_units(snapshot, set(_IDENTIFIER.findall(text)))
    words = _take_commonest(count_units(snapshot, set(_WORD.findall(text))), COMMON_WORDS)
    snapshot.close()
    long = sorted(word for word in found if len(word) >= MIN_CUT_CHARS)
    return {
        "identifiers": _spread(found, MIX["identifiers"]),
        "questions": _cut_questions(text, draw, MIX["questions"]),
        "pairs": [" ".join(draw.sample(words, 2)) for _ in range(MIX["pairs"]) if len(words) > 1],
        "substrings": [
            _cut_inside(word, draw) for word in draw.sample(long, min(MIX["substrings"], len(long)))
        ],
    }


def _spread(counts: Counter[str], wanted: int) -> list[str]:
    """Return words whose numbers of units are evenly spaced on a logarithmic scale, from one to the most."""
    ordered = sorted((count, word) for word, count in counts.items() if count)
    if len(ordered) <= wanted:
        return [word for _, word in ordered]
    most, chosen, place = ordered[-1][0], [], 0
    for number in range(wanted):
        least = most ** (number / max(1, wanted - 1))
        last = len(ordered) - (wanted - number)  # leaves one for each that is still wanted
        while place < last and ordered[place][0] < least:
            place += 1
        chosen.append(ordered[place][1])
        place += 1
    return chosen


def _cut_inside(word: str, draw: random.Random) -> str:
    """Return five characters or more from the inside of a word."""
    start = draw.randint(1, len(word) - 7)
    return word[start : draw.randint(start + 5, len(word) - 1)]


def _read_sample(indexed: Indexed, snapshot: Snapshot) -> str:
    paths = [segment.reader.files.read_path(file) for segment, file in snapshot.iter_live_files()]
    sample = paths[:: max(1, len(paths) // SAMPLED_FILES)]
    return "\n".join((indexed.root / path).read_text("utf-8", "replace") for path in sample)


def count_units(snapshot: Snapshot, words: set[str]) -> Counter[str]:
    """Return for each word the number of units that hold it outside of comments."""
    counts: Counter[str] = Counter()
    for word in sorted(words):
        for segment in snapshot.segments:
            lists = segment.reader.postings.find_lists(word.lower().encode())
            counts[word] += sum(one.frequency for one in lists if one.field == BODY)
    return counts


def _take_commonest(counts: Counter[str], count: int) -> list[str]:
    ordered = sorted(counts, key=lambda word: (-counts[word], word))
    return ordered[:count]


def _cut_questions(text: str, draw: random.Random, count: int = PER_CLASS) -> list[str]:
    lines = [re.findall(r"[A-Za-z]{2,}", line) for line in _COMMENT.findall(text)]
    long_enough = [words for words in lines if len(words) >= 3]
    chosen = draw.sample(long_enough, min(count, len(long_enough)))
    return [" ".join(words[: draw.randint(3, 6)]) for words in chosen]
