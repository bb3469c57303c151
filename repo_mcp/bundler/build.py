"""Build a bundle from a request: check the budget, run a strategy, identify the result by its digest.

A strategy receives a request, its budget and a source, and returns excerpts with reasons. A strategy that
asks a model could be added without a change for clients.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields
from typing import Any, Protocol

from repo_mcp.blocks.source import BlockSource
from repo_mcp.bundler.limits import LINES_PER_FILE, MAX_BUNDLE_TOKENS, STRATEGIES
from repo_mcp.bundler.records import Budget, Bundle, BundleAudit, BundleRequest, BundleTotals, Selection
from repo_mcp.config.server_config import Limits
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.record_classes import dataclass, replace

ID_BYTES = 8


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

    def choose(self, request: BundleRequest, budget: Budget, source: BlockSource) -> Choice:
        """Choose excerpts within the budget, the same for the same tree and request."""
        ...


def build_bundle(request: BundleRequest, limits: Limits, source: BlockSource, strategy: Strategy) -> Bundle:
    """Build the bundle for a request. Raises RepoError with INVALID_ARGUMENT, naming the argument."""
    budget = check_request(request, limits)
    choice = strategy.choose(request, budget, source)
    return Bundle(
        compute_bundle_id(request, budget, choice),
        request.prompt,
        compute_digest(request.prompt),
        request.strategy,
        request.include_tests,
        budget,
        choice.selections,
        choice.totals,
        choice.audit,
        choice.warnings,
    )


def check_request(request: BundleRequest, limits: Limits) -> Budget:
    """Return the budget with its defaults filled in; more lines allow more files, too.

    Raises RepoError with INVALID_ARGUMENT, naming the argument.
    """
    if not request.prompt.strip():
        raise _invalid("prompt", "is empty", "Give a task, a question or an error as the prompt.")
    if request.strategy not in STRATEGIES:
        raise _invalid("strategy", "is unknown", f"Strategies: {', '.join(STRATEGIES)}.")
    files, lines, tokens = request.max_files, request.max_total_lines, request.max_tokens
    for name, value, most in (
        ("max_files", files, limits.max_bundle_files),
        ("max_total_lines", lines, limits.max_bundle_lines),
        ("max_tokens", tokens, MAX_BUNDLE_TOKENS),
    ):
        if value is not None and not 1 <= value <= most:
            raise _invalid(f"budget.{name}", f"is {value}", f"Give 1 to {most}.")
    lines = lines or limits.default_bundle_lines
    usual = max(limits.default_bundle_files, lines // LINES_PER_FILE)
    return Budget(files or min(usual, limits.max_bundle_files), lines, tokens)


def compute_bundle_id(request: BundleRequest, budget: Budget, choice: Choice) -> str:
    """Return the digest of the request, its budget and what was chosen, with the fingerprints of the files.

    It is equal for equal trees, whatever the history of the index. Warnings do not count.
    """
    identified = [request, budget, replace(choice, warnings=())]
    return compute_digest(json.dumps(identified, default=_name_values, sort_keys=True))


def _name_values(record: Any) -> dict[str, Any]:
    return {one.name: getattr(record, one.name) for one in fields(record)}


def compute_digest(text: str) -> str:
    """Return the BLAKE2b digest (RFC 7693) of a text: 8 bytes in hexadecimal."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=ID_BYTES).hexdigest()


def _invalid(argument: str, what: str, hint: str) -> RepoError:
    return RepoError(ErrorCode.INVALID_ARGUMENT, f"{argument} {what}.", hint, {"argument": argument})
