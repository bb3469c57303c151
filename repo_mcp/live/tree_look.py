"""Looks over the tree for files that differ from one index.

A call may look `once`, at its beginning. In a large tree a look takes a second, so its result is reused for
LOOK_REUSE_FACTOR times as long as it took. Where the system reports changes, none is needed while all are
committed, and otherwise none counts that began before the call.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from index_format import IndexFormatError
from repo_mcp.errors import RepoError
from repo_mcp.indexing.refresh_inputs import Walk
from repo_mcp.indexing.scan_state import SeenFiles
from repo_mcp.indexing.tree_changes import ChangedFiles, assume_unchanged, compare_tree, count_changed
from repo_mcp.live.generation import Generation
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.threads import start_daemon

LOOK_FILES = 20_000  # in a larger tree a status does not look itself: walking it takes over 0.1 s
CHEAP_LOOK_FILES = 3_000  # an exact search in a smaller tree looks it over each time, in 30 ms at most
LOOK_REUSE_FACTOR = 4  # in a larger one a look is used again for this many times what it took
MAX_REFRESH_LOOK_SECONDS = 1.0  # what looking took in a refresh that took longer, at most


@dataclass(frozen=True, slots=True)
class _Look:
    """The findings of one look at the tree."""

    generation: int
    started: float  # time.monotonic: what changed later may be missing
    took: float  # seconds
    files: int  # that were looked at
    changed: ChangedFiles
    is_last: bool = False  # it never expires: a command answers about the tree as it found it

    def is_old(self, share: float = 1.0) -> bool:
        """Return True when `share` of the time for which the look may be reused is over."""
        keeps = LOOK_REUSE_FACTOR * self.took if self.files > CHEAP_LOOK_FILES else 0.0
        return not self.is_last and time.monotonic() - self.started >= share * keeps


class TreeLook:
    """The differences between the tree and one index. Safe for several threads."""

    def __init__(
        self,
        generation: Generation,
        walk: Walk,
        closed: threading.Event,
        is_settled: Callable[[], bool | None] = lambda: None,
    ) -> None:
        """`is_settled` tells whether all changes so far are committed; None if the system reports none."""
        self._generation = generation
        self.walk = walk
        self._closed = closed
        self._is_settled = is_settled
        self._settled: tuple[int, ChangedFiles] | None = None  # for the last generation that had all changes
        self._calls = threading.local()  # when the call of a thread began
        self._looking = threading.Lock()  # held while the tree is looked over for an exact search
        self._look: _Look | None = None
        self.stale: int | None = None  # files found changed at the last look and not indexed yet
        self.age = 0.0  # seconds from that look to the last answer; 0 if the answer looked itself

    @contextmanager
    def once(self) -> Iterator[None]:
        """Let this thread look only once meanwhile: each time it asks, a look that began since will do."""
        self._calls.began = time.monotonic()
        try:
            yield
        finally:
            self._calls.began = None

    def find_changed(self, generation: int) -> ChangedFiles | None:
        """Return how the tree differs from a generation; None when that is not known.

        After half of its time, a look is renewed in the background. A large tree is not looked over while the
        generation is known to have all changes. While it is known to lack some, a look from before the call
        may lack them, too.
        """
        began = getattr(self._calls, "began", None)
        asked = time.monotonic() if began is None else began
        is_settled = self._is_settled()
        if is_settled and (settled := self._find_settled(generation)) is not None:
            return settled
        look = self._look
        if look is not None and look.generation == generation and began is not None and look.started >= began:
            return look.changed
        is_behind = is_settled is False and look is not None and look.started < asked
        if look is None or look.generation != generation or look.is_old() or is_behind:
            with self._looking:  # who had to wait uses a look that began after it had asked
                look = self._look
                if look is None or look.generation != generation or look.started < asked:
                    return self._look_over(generation)
        elif look.is_old(0.5) and self._looking.acquire(blocking=False):
            self._start_look(generation)
        age = 0.0 if look.is_last else max(0.0, asked - look.started)
        return replace(look.changed, age=age)

    def _find_settled(self, generation: int) -> ChangedFiles | None:
        """Return how a large tree differs from a generation that has all changes.

        None for a small tree, of which a look costs little and sees what the system might lose. None as well
        if the generation has been replaced: then it may lack the latest changes.
        """
        try:
            if (known := self._settled) is not None and known[0] == generation:
                manifest = self._generation.read_manifest()
                return known[1] if manifest is not None and manifest.generation == generation else None
            found = self._generation.read_seen(generation)
        except OSError:  # the look says so
            return None
        if found is None or found[1].whole_count <= CHEAP_LOOK_FILES:
            return None
        self._settled = generation, assume_unchanged(found[1])
        return self._settled[1]

    def note_changes(self, generation: int, files: int) -> None:
        """Count in `stale` what changed since a generation of about `files` files, for answers from it.

        A small tree is compared at once. For a larger one nobody waits: the last look counts, with its `age`,
        and another begins in the background. Raises as a walk does, and IndexFormatError.
        """
        look = self._look
        self.age = 0.0
        if files <= CHEAP_LOOK_FILES or look is None or look.generation != generation:
            changed = self.find_changed(generation)
        else:
            changed, self.age = look.changed, time.monotonic() - look.started
            if look.is_old(0.5) and self._looking.acquire(blocking=False):
                self._start_look(generation)
        if changed is not None:
            self.stale = changed.certain + len(changed.missing)

    def _start_look(self, generation: int) -> None:
        """Compare the tree in a thread, to which `_looking` is handed over."""
        if not start_daemon(threading.Thread(target=self._look_ahead, args=(generation,), name="look")):
            self._looking.release()  # a later answer tries again

    def _look_over(self, generation: int) -> ChangedFiles | None:
        try:
            found = self._generation.read_seen(generation)
        except OSError:  # the answer says that the index cannot be reached
            return None
        if found is None:
            return None
        started = time.monotonic()
        files = self.walk(self._closed.is_set).files
        changed = compare_tree(found[1], files)
        self._look = _Look(generation, started, time.monotonic() - started, len(files), changed)
        return changed

    def _look_ahead(self, generation: int) -> None:
        """Compare the tree, in a thread to which `_looking` was handed over."""
        try:
            self._look_over(generation)
        except (RepoError, IndexFormatError, OSError):
            self._look = None  # the next search looks itself, and says what is wrong
        finally:
            self._looking.release()

    def note_refresh(self, started: float, *, is_last: bool = False) -> None:
        """Count a refresh that began at `started` (time.monotonic) as a look: it has examined the tree, too.

        With `is_last` they never expire.
        """
        found = self._generation.read_seen()
        if found is not None:
            manifest, seen = found
            self._generation.note_whole(manifest)
            took = min(time.monotonic() - started, MAX_REFRESH_LOOK_SECONDS)
            self._look = _Look(
                manifest.generation, started, took, seen.whole_count, assume_unchanged(seen), is_last
            )

    def count_stale(self, seen: SeenFiles | None, files: int, *, may_look: Callable[[], bool]) -> int | None:
        """Return the number of files changed since the refresh; in a large tree, at the last look."""
        if seen is None or files > LOOK_FILES or not may_look():
            return self.stale
        try:
            self.stale = count_changed(seen, self.walk(self._closed.is_set).files)
        except RepoError:  # the root is gone, or we are closing
            return None
        return self.stale
