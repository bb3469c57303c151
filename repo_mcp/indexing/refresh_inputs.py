"""Records of what a refresh is given: the walk, its callbacks, and what all refreshes of one index share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Protocol

from index_format import Directory, MakeTag
from repo_mcp.indexing.adoption import NO_DONATIONS, Donations
from repo_mcp.indexing.purging import NO_PROBE, PurgeMark, TreeProbe
from repo_mcp.indexing.remaining_files import RemainingFiles
from repo_mcp.indexing.scan_state import SeenRecord
from repo_mcp.indexing.shards.shards import BuildSettings
from repo_mcp.model import IndexProgress, ProgressCallback, WalkReport
from repo_mcp.record_classes import dataclass
from repo_mcp.workspace.walk_memory import WalkMemory
from repo_mcp.workspace.walked_files import FileColumns


class Walk(Protocol):
    """Returns the files of the root, calling `met` now and then with those found so far.

    Raises CANCELLED when `cancelled` returns True, and what `met` raises.
    """

    def __call__(
        self, cancelled: Callable[[], bool], met: Callable[[FileColumns], None] | None = None, /
    ) -> WalkReport: ...


@dataclass(frozen=True, slots=True)
class RefreshHooks:
    """The callbacks of one refresh, which report its progress and may cancel it."""

    progress: ProgressCallback | None = None
    cancelled: Callable[[], bool] = lambda: False
    committed: Callable[[], None] = lambda: None  # called after each commit

    def report(self, phase: str, files: int, files_total: int, size: int, size_total: int) -> None:
        """Call `progress`, if there is one; sizes are bytes."""
        if self.progress is not None:
            self.progress(IndexProgress(phase, files, files_total, size, size_total))


@dataclass(frozen=True, slots=True)
class RefreshResources:
    """The objects that all refreshes of one index share."""

    directory: Directory
    settings: BuildSettings
    workers: int
    record: SeenRecord = field(default_factory=SeenRecord)
    probe: TreeProbe = NO_PROBE  # looks for files that a walk did not find
    make_tag: MakeTag | None = None  # seals the mark of a purge
    # Called with the committed generation before text that must not be served is marked dead.
    note_purge_due: Callable[[int], None] = lambda _generation: None
    donations: Donations = NO_DONATIONS  # the indexes that an empty one may start from
    remaining: RemainingFiles = field(default_factory=RemainingFiles)
    memory: WalkMemory | None = None  # verdicts on names of earlier walks, also stored beside the index

    @property
    def mark(self) -> PurgeMark:
        """Return the mark of a purge that is not finished."""
        return PurgeMark(self.directory, self.make_tag)
