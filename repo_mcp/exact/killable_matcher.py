"""Matches patterns where there is no RE2: by `re`, in a process that is killed when it takes too long.

`re` tries alternatives one after another, which for some patterns takes years. The parent reads the pattern,
so that an invalid one is refused at once, and skips texts that lack what every match contains. Each other
text goes to the process as one request:

    request: the ExactRequest as JSON | "\\n" | text
    answer:  six int64 for each LineMatch, in the machine's byte order

The limits are those of a parser process: 5 s of processor time for a text, and a gigabyte of memory.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.exact.engines import PythonEngine
from repo_mcp.exact.line_matcher import LineMatch, LineMatcher, MatchingStopped
from repo_mcp.languages.outline.adapter import ParserFailed, ParserFault
from repo_mcp.model import ExactRequest
from repo_mcp.process.parse_worker import ParseWorker
from repo_mcp.text.lines import unify_line_ends

TASK = "lines"
WALL_SECONDS = 5.0  # most time for one text: half of what a whole search may take
_NESTING = 50_000  # stack frames: groups may be 5,000 deep, and `re` takes a few for each
_FIELDS = 6


def start_matcher_process() -> ParseWorker:
    """Return the process that matches patterns; it starts with the first text."""
    return ParseWorker(wall_seconds=WALL_SECONDS, serve=serve)


class KillableMatcher(LineMatcher):
    """A pattern that another process matches. Safe for several threads."""

    def __init__(self, request: ExactRequest, worker: ParseWorker) -> None:
        """Read the pattern. Raises as `LineMatcher` does."""
        super().__init__(request, PythonEngine())
        self._header = json.dumps(asdict(request)).encode() + b"\n"
        self._worker = worker
        is_plain = not request.regex and request.case_sensitive
        needle = unify_line_ends(request.pattern) if is_plain else self.reading.literal
        self._needle = needle.encode()
        self.needs_edges = True  # each text is sent alone, not joined with others
        self.counts_lines = False

    def iter_matches(self, data: bytes, stopped: Callable[[], bool] = lambda: False) -> Iterator[LineMatch]:
        """Yield the matching lines of normalised text in order, each once. The process has its own limit.

        Raises MatchingStopped when that takes too long, and RepoError with INTERNAL when no process starts.
        """
        if self._needle not in data:
            return
        try:
            answer = self._worker.parse(TASK, self._header + data)
        except ParserFailed as failed:
            if failed.fault is ParserFault.DIED:
                raise MatchingStopped from failed
            raise RepoError(
                ErrorCode.INTERNAL,
                "No process could be started to search for this pattern.",
                "Try again, or install google-re2, which needs none. Ranked search works without it.",
            ) from failed
        for row in np.frombuffer(answer, dtype=np.int64).reshape(-1, _FIELDS).tolist():
            yield LineMatch(*row)


def serve(requests: Any, answers: Any, niceness: int = 0) -> None:
    """Answer requests until the pipe is closed (matcher process only)."""
    from repo_mcp.process import parse_process

    sys.setrecursionlimit(_NESTING)
    parse_process.serve(requests, answers, niceness, _Matching().run)


class _Matching:
    """Matches in the child process, where the last pattern stays compiled."""

    def __init__(self) -> None:
        self._last: tuple[bytes, LineMatcher] | None = None

    def run(self, task: str, text: bytes) -> bytes:
        """Return the answer to a request. Raises KeyError for another task."""
        if task != TASK:
            raise KeyError(task)
        header, _, data = text.partition(b"\n")
        if self._last is None or self._last[0] != header:
            self._last = (header, LineMatcher(ExactRequest(**json.loads(header)), PythonEngine()))
        rows = [
            (one.start_line, one.end_line, one.line_start, one.line_end, one.start, one.end)
            for one in self._last[1].iter_matches(data)
        ]
        return np.array(rows, dtype=np.int64).tobytes()
