"""One round of parsing, from its plan to the last commit.

A segment is committed for every SEGMENT_WEIGHT of files, or after PENDING_SECONDS. Files that calls ask for
are parsed first, and committed at once.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from repo_mcp.indexing.derived.phase import PhaseMessages, SegmentRound
from repo_mcp.indexing.derived.plan import Plan, WantedFile
from repo_mcp.model import SymbolIndexReport
from repo_mcp.symbol_index.asked_files import AskedFiles
from repo_mcp.symbols.symbol_record import ParseStatus

if TYPE_CHECKING:
    from repo_mcp.symbol_index.documents import ParsedFile
    from repo_mcp.symbol_index.workers import ParseWorkers

SEGMENT_WEIGHT = 12 * 1024 * 1024  # of a segment's files, 5 MB of records: writing takes 130 MB at most
PENDING_SECONDS = 15.0  # that parsed files wait at most for a segment to fill: slow texts take minutes
MESSAGES = PhaseMessages(
    "structure",
    "Another process is writing this symbol index.",
    "Parsing was cancelled.",
    "What was parsed so far is kept.",
)


class _Yielded(Exception):
    """Ends the wait for texts that are being parsed."""


class ParsingRound:
    """One round, from plan to commit."""

    def __init__(self, segments: SegmentRound[ParsedFile], plan: Plan, asked: AskedFiles) -> None:
        self._segments = segments
        self._plan = plan
        self._asked = asked
        self._pending_weight = 0
        self._flush_at = 0.0  # time.monotonic, once anything is pending
        self._statuses: Counter[ParseStatus] = Counter()
        self._taken: set[str] = set()  # a file that is asked for may be parsed a second time
        self._files: dict[str, WantedFile] | None = None  # those to parse, once something is asked for

    def run(
        self, start_workers: Callable[[], ParseWorkers], yields: Callable[[], bool], *, at_once: bool
    ) -> SymbolIndexReport:
        """Parse, commit and merge. The round ends when it `yields`, with `at_once` amid a text.

        Raises what the check of its segments does.
        """

        def check() -> None:
            segments.check()
            if at_once and yields():
                raise _Yielded
            self._serve_asked(parsing)
            if self._pending_weight and time.monotonic() >= self._flush_at:
                self._flush()

        segments = self._segments
        segments.begin(MESSAGES.name)
        if self._plan.files:
            with start_workers() as parsing, suppress(_Yielded):
                for outcomes in parsing.iter_outcomes(check):
                    self._take(outcomes)
                    if yields():
                        break
            segments.flush()
            self._asked.end(self._taken)  # a merge may take seconds
        complete = segments.taken + len(segments.left) == len(self._plan.files)
        if complete:
            segments.merge()
        generation = segments.end()
        return SymbolIndexReport(
            parsed=segments.taken,
            partial=self._statuses[ParseStatus.PARTIAL],
            failed=self._statuses[ParseStatus.FAILED],
            removed=len(self._plan.gone),
            unchanged=self._plan.done_files,
            left=tuple(sorted(segments.left)),
            complete=complete,
            generation=generation,
        )

    def _serve_asked(self, parsing: ParseWorkers) -> None:
        """Put the files that calls ask for first, and commit those that are parsed."""
        for question in self._asked.take():
            if self._files is None:
                self._files = {file.path: file for file in self._plan.files}
            question.wanted &= self._files.keys()
            wanted = [path for path in question.paths if path in question.wanted - self._taken]
            parsing.put_first([self._files[path] for path in wanted])
        due = self._asked.find_due(self._taken)
        if due:
            self._flush()
            self._asked.release(due, self._taken)

    def _flush(self) -> None:
        self._segments.flush()
        self._pending_weight = 0

    def _take(self, outcomes: Sequence[ParsedFile | WantedFile]) -> None:
        for one in outcomes:
            if one.path in self._taken:
                continue
            self._taken.add(one.path)
            if isinstance(one, WantedFile):
                self._segments.left.append(one.path)
                continue
            self._segments.take(one)
            if not self._pending_weight:
                self._flush_at = time.monotonic() + PENDING_SECONDS
            self._pending_weight += one.weight
            self._statuses[one.status] += 1
            if self._pending_weight >= SEGMENT_WEIGHT:
                self._flush()
        self._segments.report(MESSAGES.name)
