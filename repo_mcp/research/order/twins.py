"""Put declarations that say the same as a better one behind the others, as what is written for each type."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from repo_mcp.bodies.body import are_twins, list_code
from repo_mcp.research.seeds.seed import Seed

LEAST_LINES = 6  # of code that says something; shorter functions are alike by chance
# The share of the shorter one's lines that twins have in common, in two files and in one. In one file,
# `enable` and `disable` are alike, and both say something.
SHARE, SHARE_IN_FILE = 0.6, 0.75
_VARIANT = re.compile(r"\d+|async", re.IGNORECASE)  # what tells the names of twins apart


def put_twins_last(seeds: Sequence[Seed], guesses: Set[str] = frozenset()) -> list[Seed]:
    """Return the seeds; twins of better ones come last, but for those that a guessed name led to."""
    kept: list[tuple[Seed, set[str]]] = []
    twins: list[Seed] = []
    for seed in seeds:
        lines = _list_lines(seed)
        if seed.reason.about not in guesses and any(_is_twin(seed, lines, *better) for better in kept):
            twins.append(seed)
        else:
            kept.append((seed, lines))
    return [*(seed for seed, _ in kept), *twins]


def _list_lines(seed: Seed) -> set[str]:
    """Return the lines of code of a declaration, without what tells variants apart."""
    lines = (seed.body.lines[at - 1].strip() for at in list_code(seed.body) if at != seed.body.head_line)
    return {_VARIANT.sub("", line) for line in lines}


def _is_twin(seed: Seed, lines: Set[str], other: Seed, others: Set[str]) -> bool:
    return are_twins(lines, others, LEAST_LINES, SHARE_IN_FILE if seed.path == other.path else SHARE)
