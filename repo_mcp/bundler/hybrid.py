"""The strategy `hybrid`: the files of the search, cut into declarations, rated by the prompt's words.

    prompt -> evidence -> opened files, blocks and their worth -> names followed -> budget spent -> selections

Each step is a function of the result of the step before; this module only joins them. No model is asked.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.bundler.companions import take_companions
from repo_mcp.bundler.descriptions import build_audit, describe, list_warnings
from repo_mcp.bundler.evidence import HintFinder, gather_evidence
from repo_mcp.bundler.following import follow_names
from repo_mcp.bundler.limits import NOTHING_FITS
from repo_mcp.bundler.opened_files import OpenedFile, Opener
from repo_mcp.bundler.packing import Packer, order_selections
from repo_mcp.bundler.records import Budget, BundleRequest
from repo_mcp.bundler.source import BundleSource
from repo_mcp.bundler.spans import LayoutReader
from repo_mcp.bundler.spending import spend
from repo_mcp.bundler.strategy import Choice
from repo_mcp.bundler.weights import WEIGHTS, Weights
from repo_mcp.ranking.rare_words import look_up_words, tell_of_absent

MAX_COMPANION_FILES = 8


def find_no_hints(_prompt: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return no names: without an installed adapter nothing more is known of a prompt."""
    return (), ()


class HybridStrategy:
    """Chooses declarations by the prompt's words, names and paths."""

    name = "hybrid"

    def __init__(
        self, read_layout: LayoutReader, find_hints: HintFinder = find_no_hints, weights: Weights = WEIGHTS
    ) -> None:
        """`read_layout` finds the declarations of a file, `find_hints` more symbols that a prompt names."""
        self._read_layout = read_layout
        self._find_hints = find_hints
        self._weights = weights

    def choose(self, request: BundleRequest, budget: Budget, source: BundleSource) -> Choice:
        """Choose the excerpts for a request within its budget, with the audit of how they were found."""
        evidence = gather_evidence(request, source, self._find_hints, self._weights)
        packer = Packer(budget)
        opener = Opener(self._read_layout, evidence, self._weights, source, packer)
        opened = opener.open_best(budget)
        opened += follow_names(opened, opener, source, self._weights, request.include_tests)
        spend(opened, packer, self._weights)
        shown = _order_shown(opened, packer)
        for file in shown[:MAX_COMPANION_FILES]:
            take_companions(packer, file.view.live, file.view.layout.spans)
        files = {one.candidate.path: one for one in shown}
        selections = tuple(
            describe(one, files[one.path], evidence)
            for one in order_selections(packer.selections, {path: at for at, path in enumerate(files)})
        )
        too_small = [NOTHING_FITS] if not selections and any(any(one.worth) for one in opened) else []
        absent = tell_of_absent(look_up_words(request.prompt, source.count_units), is_whole=source.is_whole)
        return Choice(
            selections,
            packer.total(),
            build_audit(evidence, packer, selections),
            (*absent, *too_small, *list_warnings(evidence, packer, shown)),
        )


def _order_shown(opened: Sequence[OpenedFile], packer: Packer) -> list[OpenedFile]:
    """Return the files that are shown, the one with the best excerpt first."""
    best: dict[str, float] = {}
    for one in packer.selections:
        best[one.path] = max(one.score, best.get(one.path, 0.0))
    shown = [one for one in opened if one.candidate.path in best]
    return sorted(shown, key=lambda one: -best[one.candidate.path])
