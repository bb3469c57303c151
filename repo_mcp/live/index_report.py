"""The report on the index of one root: its state, and what answers from it may lack.

The report changes nothing, and waits only for the walk with which watching begins; only a small tree that was
not looked at lately may be compared with the index.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np

from index_format import IndexFormatError, Snapshot
from repo_mcp.indexing.scan_state import SeenFiles
from repo_mcp.live.change_watch import ChangeWatch
from repo_mcp.live.generation import Generation
from repo_mcp.live.refresher import Refresher
from repo_mcp.live.tree_look import TreeLook
from repo_mcp.model import IndexStatus, SegmentFacts
from repo_mcp.ranking.scoring.searcher import Searcher

NOT_WHOLE = "The index is being built or updated: files may be missing here."
CHANGING = "The latest changes may not be indexed yet: results may be out of date."
RENEWED = "Changed files were being indexed during this call: results may be out of date. Ask again."
NOT_COMPARED = "The tree is being compared with the index: changed files may be missing here."
NOT_LISTED = (
    "Some directories could not be listed when the tree was last looked over, or were too deep: files in them"
    " may be missing or out of date. Check their permissions."
)
# While watching begins, the tree is walked once more, although a walk has just ended: an answer waits so long
# for that, instead of doubting itself.
PLACING_SECONDS = 0.3
_LAST_CHECKED = "The tree was last checked"


class IndexReport:
    """Reports the state of the index of one root. Safe for several threads."""

    def __init__(
        self,
        generation: Generation,
        refresher: Refresher,
        watch: ChangeWatch,
        look: TreeLook,
        find_searcher: Callable[[], Searcher | None],
        report_damage: Callable[[], object],
        *,
        follows: bool,
    ) -> None:
        """Take the parts of the index. With `follows` the index follows the tree by itself."""
        self._generation = generation
        self._refresher = refresher
        self._watch = watch
        self._look = look
        self._find_searcher = find_searcher
        self._report_damage = report_damage
        self._follows = follows
        self.place_notes: tuple[str, ...] = ()  # why the index is not where it was wanted
        self._stays = False  # the process keeps answering; a command answers once, and reports no age
        self.is_first_look = False  # the first refresh has begun and not ended
        self.has_looked = False  # a refresh has ended, successfully or not

    def note_begun(self, *, stays: bool = False) -> None:
        """Record that a refresh begins. With `stays`, the process is a server that keeps answering."""
        self._stays = self._stays or stays
        self.is_first_look = not self.has_looked

    def note_looked(self) -> None:
        """Record that a refresh has ended."""
        self.has_looked, self.is_first_look = True, False

    def status(self) -> IndexStatus:
        """Return the state of the index, from what is committed and what runs in this process."""
        searcher = self._find_searcher()
        if searcher is not None:
            try:
                return self._describe(searcher)
            except IndexFormatError:
                self._report_damage()
        is_building, progress = self._refresher.running.locked(), self._refresher.progress
        is_faulty = self._generation.fault or self._refresher.fault
        state = "degraded" if is_faulty else "building" if is_building else "missing"
        return IndexStatus(state, None, 0, 0, 0, 0, {}, None, None, progress, {}, self._list_faults())

    def list_segments(self) -> tuple[SegmentFacts, ...]:
        """Return the segments of the index, as the last committed generation names them."""
        searcher = self._find_searcher()
        entries = () if searcher is None else searcher.snapshot.manifest.segments
        return tuple(
            SegmentFacts(one.name, one.file_bytes, one.live_files, len(one.dead_files)) for one in entries
        )

    def _list_faults(self) -> tuple[str, ...]:
        faults = (self._generation.fault, self._generation.loss, self._refresher.fault, self._watch.fault)
        return tuple(filter(None, faults))

    def _describe(self, searcher: Searcher) -> IndexStatus:
        """Return the status of what is committed. Raises IndexFormatError when it cannot be read."""
        manifest = searcher.snapshot.manifest
        seen = self._generation.read_seen_of(searcher.snapshot)
        return IndexStatus(
            state="degraded" if self._refresher.fault else "ready" if seen is not None else "partial",
            snapshot=searcher.snapshot.name,
            generation=manifest.generation,
            indexed_files=searcher.snapshot.file_count,
            segments=len(manifest.segments),
            index_bytes=sum(entry.file_bytes for entry in manifest.segments),
            skipped=seen.count_reasons() if seen is not None else {},
            stale=self._count_stale(seen, searcher.snapshot.file_count),
            last_refresh=seen.taken_at if seen is not None else None,
            progress=self._refresher.progress,
            languages=count_languages(searcher.snapshot),
            warnings=(*self._list_faults(), *(() if seen is None or seen.complete else (NOT_LISTED,))),
            watching=self._follows,
            chunks=count_chunks(searcher.snapshot),
            watched=self._watch.is_active,
            origin="" if seen is None else seen.origin,
        )

    def _count_stale(self, seen: SeenFiles | None, files: int) -> int | None:
        waiting = self._watch.count_waiting()
        if waiting:
            return waiting
        return self._look.count_stale(seen, files, may_look=lambda: not self._refresher.running.locked())

    def is_whole(self, snapshot: Snapshot) -> bool:
        """Return True if a snapshot has all files of the tree, as they were at the last comparison.

        Results may depend on this. They must not depend on `describe_progress`, which changes from one moment
        to the next.
        """
        return self._generation.is_whole(snapshot) and not self._generation.loss

    def describe_progress(self, snapshot: Snapshot) -> list[str]:
        """Return warnings for answers from `snapshot`, which may lack changed or new files.

        The first counts what is missing, if that is known; the last says why a refresh failed. While an index
        is built for the first time, they say where if it was wanted elsewhere: a whole one may be there.
        """
        notes, fault = self._describe_missing(snapshot), self._refresher.fault
        if self.place_notes and not self._generation.is_whole(snapshot):
            notes += self.place_notes
        return [*notes, fault] if fault else notes

    def _describe_missing(self, snapshot: Snapshot) -> list[str]:
        known = self._describe_refresh(snapshot) or self._generation.loss or self._describe_changed()
        if known:
            return [known]
        is_placing = self._watch.is_placing
        if not self._watch.wait(PLACING_SECONDS if is_placing else 0.0):
            return [NOT_COMPARED if is_placing else CHANGING]
        if not self._generation.is_whole(snapshot):
            return [NOT_WHOLE]
        can_wait = self._watch.can_wait
        if self.is_first_look or (not can_wait and self._refresher.running.locked()):
            return [NOT_COMPARED]
        age = self._look.age
        if self._stays and not can_wait and age:
            return [describe_age(age)]
        return [RENEWED] if self._has_newer(snapshot) else []

    def _describe_refresh(self, snapshot: Snapshot) -> str:
        """Return how many files a running refresh has indexed; "" while it indexes none."""
        progress = self._refresher.progress
        if progress is None or progress.phase != "index" or not progress.files_total:
            return ""
        fault = "out of date" if self._generation.is_whole(snapshot) else "missing"
        done, total = progress.files_done, progress.files_total
        state = f"{done:,} of {total:,} files are done; the rest"
        if done >= total:  # all files are read, but not all shards are committed
            state = f"all {total:,} files are read; the last of them"
        return f"The index is being refreshed: {state} may be {fault} here."

    def _describe_changed(self) -> str:
        """Return how many changed files are known and not indexed yet; "" for none."""
        changed = self._watch.count_waiting() or self._look.stale
        if not changed:
            return ""
        named = "1 file changed and is" if changed == 1 else f"{changed:,} files changed and are"
        return f"{named} not indexed yet: results may be out of date."

    def _has_newer(self, snapshot: Snapshot) -> bool:
        """Return True when the index has been committed with other content since a snapshot was opened."""
        current = self._find_searcher()
        if current is None or current.snapshot.manifest == snapshot.manifest:
            return False
        return current.snapshot.name != snapshot.name

    def explain_missing(self) -> str:
        """Return why nothing can be searched yet."""
        progress, place = self._refresher.progress, self.place_notes
        if progress is not None and progress.files_total:
            done = f"{progress.files_done} of {progress.files_total}"
            return " ".join((f"Nothing can be searched yet: {done} files are indexed.", *place))
        if progress is not None:
            return " ".join(("Nothing can be searched yet: the tree is being listed.", *place))
        return " ".join(filter(None, ("There is no index yet.", self._refresher.fault)))


def describe_age(seconds: float) -> str:
    """Return a warning that the tree was last checked `seconds` ago."""
    return f"{_LAST_CHECKED} {max(seconds, 0.1):.1f} s ago: later changes may be missing here."


def is_about_age(warning: str) -> bool:
    """Return True for what `describe_age` returns, which says nothing about the request."""
    return warning.startswith(_LAST_CHECKED)


def count_languages(snapshot: Snapshot) -> dict[str, int]:
    """Return the number of live files of each language, sorted by name."""
    counts: Counter[str] = Counter()
    for segment in snapshot.segments:
        numbers = segment.reader.read_languages()[segment.live_file_mask]
        names = segment.reader.language_names
        for number, count in enumerate(np.bincount(numbers, minlength=len(names)).tolist()):
            counts[names[number]] += count
    return {name: count for name, count in sorted(counts.items()) if count}


def count_chunks(snapshot: Snapshot) -> int:
    """Return the number of chunks of the live files."""
    return sum(
        int(np.diff(segment.reader.files.first_chunks)[segment.live_file_mask].sum())
        for segment in snapshot.segments
    )
