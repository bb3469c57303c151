"""Finds the files of the tree that differ from an index, by walking the tree. One such walk is called a look.

A look at a large tree takes a second, so its result is reused for LOOK_REUSE_FACTOR times as long as it took.
Where the system reports changes, a large tree is not looked at while all reported changes are committed;
while some are not, a call looks again unless the last look began after the call did.
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

LOOK_FILES = 20_000  # a status does not compare a tree with more files, which takes over 0.1 s
CHEAP_LOOK_FILES = 3_000  # an exact search compares a tree up to this size each time, in 30 ms at most
LOOK_REUSE_FACTOR = 4  # the result for a larger tree is reused for this many times what the look took
MAX_REFRESH_LOOK_SECONDS = 1.0  # a refresh counts as a look that took at most this long


@dataclass(frozen=True, slots=True)
class _Look:
    """The findings of one look at the tree."""

    generation: int
    started: float  # time.monotonic; later changes may be missing
    took: float  # seconds
    files: int  # number of files in the tree
    changed: ChangedFiles
    is_last: bool = False  # never look again: a command answers about the tree as it was when it started

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
        """Take `is_settled`, which tells if all reported changes are committed; None if none are reported."""
        self._generation = generation
        self.walk = walk
        self._closed = closed
        self._is_settled = is_settled
        # The last generation that had all changes, and its differences.
        self._settled: tuple[int, ChangedFiles] | None = None
        self._calls = threading.local()  # `began`: when the call that this thread runs began (time.monotonic)
        self._looking = threading.Lock()  # held by the thread that looks at the tree
        self._look: _Look | None = None
        self.stale: int | None = None  # changed files that the last look found and no refresh has indexed yet
        self.age = 0.0  # age of that look in seconds when the last call used it; 0 if the call looked itself

    @contextmanager
    def once(self) -> Iterator[None]:
        """Let this thread reuse, until the block ends, any look that began after the block did."""
        self._calls.began = time.monotonic()
        try:
            yield
        finally:
            self._calls.began = None

    def find_changed(self, generation: int) -> ChangedFiles | None:
        """Return how the tree differs from a generation; None when that is not known.

        Does not look at a large tree if the generation is known to have all changes. If it is known to lack
        some, only a look that began after the call is used. Otherwise a look is reused until it is too old,
        and is renewed in the background when half of that time is over.
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
            with self._looking:  # Another thread's look will do if it began after this call
                look = self._look
                if look is None or look.generation != generation or look.started < asked:
                    return self._look_over(generation)
        elif look.is_old(0.5) and self._looking.acquire(blocking=False):
            self._start_look(generation)
        age = 0.0 if look.is_last else max(0.0, asked - look.started)
        return replace(look.changed, age=age)

    def _find_settled(self, generation: int) -> ChangedFiles | None:
        """Return how a large tree differs from a generation that has all reported changes.

        Returns None for a small tree: looking at it costs little, and finds changes that the system failed to
        report. Returns None too if a later generation is committed, which alone has the latest changes.
        """
        try:
            if (known := self._settled) is not None and known[0] == generation:
                manifest = self._generation.read_manifest()
                return known[1] if manifest is not None and manifest.generation == generation else None
            found = self._generation.read_seen(generation)
        except OSError:  # `_look_over` meets the same fault
            return None
        if found is None or found[1].whole_count <= CHEAP_LOOK_FILES:
            return None
        self._settled = generation, assume_unchanged(found[1])
        return self._settled[1]

    def note_changes(self, generation: int, files: int) -> None:
        """Set `stale` and `age` for an answer from a generation of about `files` files.

        A small tree is looked at now. For a larger one the last look is used, and another one begins in the
        background. Raises what a walk raises, and IndexFormatError.
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
        """Look at the tree in a new thread, which releases `_looking` at the end."""
        if not start_daemon(threading.Thread(target=self._look_ahead, args=(generation,), name="look")):
            self._looking.release()  # a later call tries again

    def _look_over(self, generation: int) -> ChangedFiles | None:
        try:
            found = self._generation.read_seen(generation)
        except OSError:  # answers say that the index cannot be reached
            return None
        if found is None:
            return None
        started = time.monotonic()
        files = self.walk(self._closed.is_set).files
        changed = compare_tree(found[1], files)
        self._look = _Look(generation, started, time.monotonic() - started, len(files), changed)
        return changed

    def _look_ahead(self, generation: int) -> None:
        """Look at the tree, and release `_looking`, which the starting thread has taken."""
        try:
            self._look_over(generation)
        except (RepoError, IndexFormatError, OSError):
            self._look = None  # the next search looks itself, and reports the fault
        finally:
            self._looking.release()

    def note_refresh(self, started: float, *, is_last: bool = False) -> None:
        """Record a refresh that began at `started` (time.monotonic) as a look, since it has walked the tree.

        With `is_last` the look never expires.
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
        """Return how many files have changed since the refresh, or for a large tree, had at the last look."""
        if seen is None or files > LOOK_FILES or not may_look():
            return self.stale
        try:
            self.stale = count_changed(seen, self.walk(self._closed.is_set).files)
        except RepoError:  # the root is gone, or we are closing
            return None
        return self.stale
