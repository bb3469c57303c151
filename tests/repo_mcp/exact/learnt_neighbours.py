"""A repository whose punctuation beside words exact search has learnt, and uses even for few files."""

from __future__ import annotations

import time

import pytest

from repo_mcp.exact import candidate_files, neighbour_bloom
from repo_mcp.indexing import scan_state
from repo_mcp.model import ExactRequest
from repo_mcp.repository import Repository
from repo_mcp.workspace.reader import opened_file

GRANULARITY_NS = 50_000_000  # instead of two seconds


def use_neighbours(patch: pytest.MonkeyPatch, common_units: int) -> None:
    """Treat small trees like large ones, which are full of common words that are worth a look-up."""
    patch.setattr(neighbour_bloom, "COMMON_UNITS", common_units)
    patch.setattr(candidate_files, "FEW_FILES", 0)
    patch.setattr(candidate_files, "IMPATIENT_FILES", 2)


def grow_old(patch: pytest.MonkeyPatch) -> None:
    """Wait until all files are older than the clock's granularity: newer ones are searched in any case.

    The ctime of a file, by which that is decided, cannot be set.
    """
    for module in (scan_state, opened_file):
        patch.setattr(module, "GRANULARITY_NS", GRANULARITY_NS)
    time.sleep(2 * GRANULARITY_NS / 1e9)


def learn_neighbours(repository: Repository) -> None:
    """Learn the punctuation beside the common words of all indexed files."""
    repository.search_exact(ExactRequest("anything"))
    assert repository.engines.exact._searcher is not None
    for memory in repository.engines.exact._searcher.memory.values():
        if not memory.neighbours.is_known:
            memory.neighbours.compute(repository.tree.read_many, lambda: False, gently=False)
