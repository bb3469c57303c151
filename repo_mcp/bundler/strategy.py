"""The seam between a request for a bundle and whoever chooses what is in it.

A strategy is given the request, its budget and a source, and gives excerpts with their reasons. One that
asks a model can stand here too: what a client sends and receives does not change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from repo_mcp.bundler.records import Budget, BundleAudit, BundleRequest, BundleTotals, Selection
from repo_mcp.bundler.source import BundleSource


@dataclass(frozen=True, slots=True)
class Choice:
    """What a strategy chose."""

    selections: tuple[Selection, ...]
    totals: BundleTotals
    audit: BundleAudit
    warnings: tuple[str, ...] = ()


class Strategy(Protocol):
    """Chooses the excerpts of a bundle."""

    @property
    def name(self) -> str:
        """As a request names it."""
        ...

    def choose(self, request: BundleRequest, budget: Budget, source: BundleSource) -> Choice:
        """Excerpts within the budget, the same for the same tree and request."""
        ...
