"""Tell by a block's path, name and lines whether it is the work of the program or beside it. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.bundler.statements import is_branch

TRIVIAL_LINES = 8  # a body of so few that decides nothing hands something on
DECIDING_BRANCHES = 3
_ASIDE = re.compile(
    r"(?:^|/)(?:perf[\w-]*|bench\w*|_?examples?|samples?|demos?|sandbox|playground|fuzz\w*|scripts?|testing"
    r"|testutil\w*)[/.]",
    re.IGNORECASE,
)
_TEST = re.compile(r"(?:^|\.)(?:tests\b|test\.|test_|Test[A-Z])")


def is_aside(path: str) -> bool:
    """Return True for a file of examples, benchmarks and the like, whose role may be that of code."""
    return _ASIDE.search(path) is not None


def is_inner_test(name: str) -> bool:
    """Return True for the qualified name of a test, which may lie in a file of the program, as in Rust."""
    return _TEST.search(name) is not None


def rate_work(lines: Sequence[str], deciding: float, trivial: float) -> float:
    """Return `deciding` for a body with several branches, `trivial` for a short one without any, else 1."""
    branches = sum(map(is_branch, lines))
    if branches >= DECIDING_BRANCHES:
        return deciding
    return trivial if not branches and len(lines) <= TRIVIAL_LINES else 1.0
