"""Patterns for exact search, in five classes, taken from the indexed tree.

- rare literal: the inside of a rare identifier, so that it may occur within longer ones
- common literal: two words that follow each other in many lines, such as `static int`
- expression: a class of expressions around identifiers: calls, assignments, either of two, one then another
- common expression: the same around common words
- no run: expressions without three word characters in a row, the same for every tree
"""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

from bench.engine import Indexed, open_snapshot

PER_CLASS = 40
SAMPLED_FILES = 400  # evenly spaced in path order
COMMON_PAIRS = 60
SEED = 3
LITERALS = ("rare literal", "common literal")
EXPRESSIONS = ("expression", "common expression", "no run")
NO_RUN = (r"[0-9]{4}-[0-9]{2}-3[0-9]", r"=~=", r"[A-Z]{24}", r"\)\s*\{\{", r"\$\$\{", r"[^ -~]{12}")
_IDENTIFIER = re.compile(r"\b[A-Za-z]\w{7,40}\b")
_PAIR = re.compile(r"\b([a-z]{3,10}) ([a-z]{3,10})\b")


def choose_patterns(indexed: Indexed) -> dict[str, list[str]]:
    """Return PER_CLASS patterns of each class, or fewer when the tree is small."""
    text = _read_sample(indexed.root, indexed.index_path)
    draw = random.Random(SEED)
    counts = Counter(_IDENTIFIER.findall(text))
    rare = sorted(word for word, count in counts.items() if count == 1)
    common = sorted(counts, key=lambda word: (-counts[word], word))[: 2 * PER_CLASS]
    pairs = Counter(f"{one} {other}" for one, other in _PAIR.findall(text))
    frequent = sorted(pairs, key=lambda pair: (-pairs[pair], pair))[:COMMON_PAIRS]
    return {
        "rare literal": [word[1:-1] for word in draw.sample(rare, min(PER_CLASS, len(rare)))],
        "common literal": draw.sample(frequent, min(PER_CLASS, len(frequent))),
        "expression": _build_expressions(draw, rare, common),
        "common expression": _build_expressions(draw, common, common),
        "no run": list(NO_RUN),
    }


def _build_expressions(draw: random.Random, words: list[str], others: list[str]) -> list[str]:
    if len(words) < 2 or not others:
        return []
    shapes = (
        r"\b{}\b",
        r"{}\s*\(",
        r"{}\w*\s*=",
        "({}|{})[;,)]",
        "{}.*{}",
        r"^\s+{}",
        r"{}_?[0-9]+",
        "(?i){}",
    )
    built = []
    for place in range(PER_CLASS):
        shape = shapes[place % len(shapes)]
        built.append(shape.format(draw.choice(words), draw.choice(others)))
    return built


def _read_sample(root: Path, index_path: Path) -> str:
    snapshot = open_snapshot(index_path)
    paths = [segment.reader.files.read_path(file) for segment, file in snapshot.iter_live_files()]
    snapshot.close()
    sample = paths[:: max(1, len(paths) // SAMPLED_FILES)]
    return "\n".join((root / path).read_text("utf-8", "replace") for path in sample)
