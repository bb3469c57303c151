"""A repository of which exact search knows the signs beside words, and uses them from the first file on."""

from __future__ import annotations

import pytest

from repo_mcp.exact import neighbour_bloom
from repo_mcp.exact import paths as exact_paths
from repo_mcp.model import ExactRequest
from repo_mcp.repository import Repository


def use_sides(patch: pytest.MonkeyPatch, common_units: int) -> None:
    """Make small trees what only large ones are: full of common words that are worth a look-up."""
    patch.setattr(neighbour_bloom, "COMMON_UNITS", common_units)
    patch.setattr(exact_paths, "FEW_FILES", 0)
    patch.setattr(exact_paths, "IMPATIENT_FILES", 2)


def learn_sides(repository: Repository) -> None:
    """Know the signs beside the common words of all that is indexed."""
    repository.search_exact(ExactRequest("anything"))
    assert repository.engines.exact._searcher is not None
    for memory in repository.engines.exact._searcher.memory.values():
        if not memory.sides.is_known:
            memory.sides.compute(repository.tree.read_many, lambda: False, gently=False)
