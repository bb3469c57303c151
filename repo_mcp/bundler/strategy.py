"""The interface between a request for a bundle and the code that chooses its contents.

A strategy receives the request, its budget and a source, and returns excerpts with reasons. A strategy that
asks a model would fit as well, without a change for clients.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from repo_mcp.bundler.records import Budget, BundleAudit, BundleRequest, BundleTotals, Selection
from repo_mcp.bundler.source import BundleSource


@dataclass(frozen=True, slots=True)
class Choice:
    """The result of a strategy."""

    selections: tuple[Selection, ...]
    totals: BundleTotals
    audit: BundleAudit
    warnings: tuple[str, ...] = ()


class Strategy(Protocol):
    """Chooses the excerpts of a bundle."""

    @property
    def name(self) -> str:
        """Return the name that requests use."""
        ...

    def choose(self, request: BundleRequest, budget: Budget, source: BundleSource) -> Choice:
        """Choose excerpts within the budget, the same for the same tree and request."""
        ...
