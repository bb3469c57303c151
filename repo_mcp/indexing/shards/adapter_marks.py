"""Asks installed adapters for the names and chunks of source files, in a process that can be killed.

A file whose adapter fails is indexed without it, and gets a flag by which `status` counts and names it. After
MAX_ENDED texts that ended the process no adapter is asked any more: each costs seconds, and the fault is
then the adapter's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from index_format import FLAGS, Snapshot
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.shards.segment_builder import SourceFile
from repo_mcp.languages.adapter_registry import AdapterRegistry
from repo_mcp.languages.adapter_tasks import MAX_ENDED
from repo_mcp.languages.outline.adapter import ParserFailed, ParserFault
from repo_mcp.languages.outline.adapter_answers import Marks
from repo_mcp.languages.outline.installed import InstalledAdapter
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.process.parse_worker import ParseWorker
from repo_mcp.record_classes import replace
from repo_mcp.text.schema import FLAG_ADAPTER_FAILED
from repo_mcp.workspace.reader.client_paths import shown

MAX_NAMED = 3  # most files that a warning names
WALL_SECONDS = 30.0  # most time for one text; where possible, a limit on processor time ends it sooner


class Marker:
    """Marks the source files of one builder."""

    def __init__(
        self, installed: Sequence[InstalledAdapter], disabled: Sequence[str], languages: Mapping[str, str]
    ) -> None:
        """Start nothing yet. `languages` are the overrides of `find_language`."""
        self._worker = ParseWorker(wall_seconds=WALL_SECONDS)
        self._ended = 0
        self._registry = AdapterRegistry(
            self._parse,
            installed,
            disabled=disabled,
            find_language=partial(find_language, overrides=languages),
        )

    def mark(self, file: SourceFile) -> SourceFile:
        """Return the file with what its adapter marks, if it has one. Raises INTERNAL without a process."""
        lines = file.data.count(b"\n") + (not file.data.endswith(b"\n") and bool(file.data))
        try:
            marks: Marks | None = self._registry.mark(file.path, file.data, lines)
        except ParserFailed as error:
            raise RepoError(
                ErrorCode.INTERNAL,
                "No process could be started for an installed language adapter.",
                "Refresh again; what was indexed so far is kept.",
            ) from error
        if marks is None:
            return file
        return replace(file, marks=marks, flags=file.flags | (FLAG_ADAPTER_FAILED if marks.fault else 0))

    def _parse(self, task: str, text: bytes) -> bytes:
        if self._ended >= MAX_ENDED:
            raise ParserFailed(ParserFault.DIED)
        try:
            return self._worker.parse(task, text)
        except ParserFailed as failure:
            self._ended += failure.fault is ParserFault.DIED
            raise

    def close(self) -> None:
        """End the process."""
        self._worker.close()


def list_unmarked(snapshot: Snapshot) -> list[str]:
    """Return the live files whose adapter failed, in path order. Raises IndexFormatError."""
    found: list[str] = []
    for segment in snapshot.segments:
        files = segment.reader.files
        flags = files.read_column(FLAGS, 0, segment.reader.file_count)
        rows = np.flatnonzero((flags & FLAG_ADAPTER_FAILED != 0) & segment.live_file_mask)
        found += [files.read_path(row) for row in rows.tolist()]
    return sorted(found, key=str.encode)


def warn_of_unmarked(
    paths: Sequence[str], find_installed: Callable[[str], InstalledAdapter | None]
) -> tuple[str, ...]:
    """Return one warning for each adapter that failed on some of the paths."""
    failed: dict[str, list[str]] = {}
    for path in paths:
        adapter = find_installed(path)
        if adapter is not None:
            failed.setdefault(adapter.name, []).append(path)
    return tuple(
        f"The adapter {name} failed on {len(own)} of the files, which are indexed without its results:"
        f" {', '.join(map(shown, own[:MAX_NAMED]))}{', ...' if len(own) > MAX_NAMED else '.'}"
        for name, own in sorted(failed.items())
    )
