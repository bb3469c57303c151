"""The records of a bundle: requests and contents. No behaviour.

Scores are rounded once. Every value depends only on the tree, the configuration and the request: not on time,
on a generation number, or on the order in which files were indexed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from repo_mcp.bundler.limits import CHARS_PER_TOKEN, DEFAULT_STRATEGY
from repo_mcp.record_classes import dataclass

if TYPE_CHECKING:
    from repo_mcp.blocks.evidence import SearchTried
    from repo_mcp.ranking.query.clues import ClueKind


@dataclass(frozen=True, slots=True)
class BundleRequest:
    """A prompt and its limits. None means the configured default; for tokens, no limit."""

    prompt: str
    max_files: int | None = None
    max_total_lines: int | None = None
    max_tokens: int | None = None  # estimated as characters of the contents over CHARS_PER_TOKEN
    strategy: str = DEFAULT_STRATEGY
    include_tests: bool = True


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits within which a bundle was built."""

    max_files: int
    max_total_lines: int
    max_tokens: int | None


@dataclass(frozen=True, slots=True)
class Keyword:
    """A part of the prompt that was understood."""

    text: str
    kind: ClueKind


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """One indexed chunk that a search found and that shares lines with an excerpt."""

    chunk_id: str
    path: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Dropped:
    """A span that was considered and left out, and why."""

    path: str
    start_line: int | None  # None: the whole file
    end_line: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Selection:
    """One excerpt."""

    path: str
    start_line: int
    end_line: int
    symbol: str | None  # qualified name of the declaration that it shows or lies in
    evidence: tuple[str, ...]  # why it was chosen, the strongest first
    score: float
    matched_terms: tuple[str, ...]  # terms of the prompt that occur in the lines, the rarest first
    lines: tuple[str, ...]  # without line ends, long ones cut
    fingerprint: str  # of the bytes of the whole file, xxh3_128 in hexadecimal

    @property
    def rationale(self) -> str:
        """Return all the evidence in one sentence."""
        return "; ".join(self.evidence)

    @property
    def citation(self) -> str:
        """Return the citation `path:start-end`."""
        return f"{self.path}:{self.start_line}-{self.end_line}"

    @property
    def content(self) -> str:
        """Return numbered lines: `<number>\\t<text>\\n`."""
        return "".join(f"{number}\t{line}\n" for number, line in enumerate(self.lines, self.start_line))


@dataclass(frozen=True, slots=True)
class BundleTotals:
    """The part of the budget that was used."""

    files: int
    lines: int
    tokens: int  # estimated


def count_totals(selections: Sequence[Selection]) -> BundleTotals:
    """Return the totals of some excerpts."""
    chars = sum(len(one.content) for one in selections)
    files = len({one.path for one in selections})
    lines = sum(len(one.lines) for one in selections)
    return BundleTotals(files, lines, -(-chars // CHARS_PER_TOKEN))


@dataclass(frozen=True, slots=True)
class BundleAudit:
    """The account of how a bundle was made."""

    keywords: tuple[Keyword, ...]
    searches: tuple[SearchTried, ...]
    chunks: tuple[FoundChunk, ...]  # the first ones, in the order of the excerpts
    considered: int  # files
    dropped: tuple[Dropped, ...]  # the first ones
    dropped_total: int


@dataclass(frozen=True, slots=True)
class Bundle:
    """Excerpts for a prompt: the best file first, and within a file by line."""

    bundle_id: str  # digest of the request and everything chosen
    prompt: str
    prompt_fingerprint: str
    strategy: str
    include_tests: bool
    budget: Budget
    selections: tuple[Selection, ...]
    totals: BundleTotals
    audit: BundleAudit
    warnings: tuple[str, ...] = ()
