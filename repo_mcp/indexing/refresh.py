"""One refresh of an index, from the walk to the commit.

Each shard is committed when it arrives, so a long build is searchable from its first seconds and a killed one
resumes where it stopped. After a build from nothing, or one that renewed most of the index, everything is
merged into one segment, whose bytes do not depend on the history.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain

from index_format import MOST_UNMERGED, EncodedRun, IndexWriter, Merge, Merger, SegmentEntry, Snapshot
from repo_mcp.indexing.adoption import Adoption, PendingAdoption
from repo_mcp.indexing.building import Building
from repo_mcp.indexing.known_files import FULL_MERGE_SHARE, KnownFiles
from repo_mcp.indexing.outcome import RefreshOutcome
from repo_mcp.indexing.purging import Purge
from repo_mcp.indexing.refresh_inputs import RefreshHooks, RefreshResources, Walk
from repo_mcp.indexing.scan_state import SeenFiles, find_inode
from repo_mcp.indexing.scan_state_pages import BackgroundPages
from repo_mcp.indexing.shard_pool import ShardPool
from repo_mcp.indexing.shards.shards import ShardPlanner, ShardResult
from repo_mcp.indexing.shards.workers import check_cancelled, make_merger
from repo_mcp.indexing.tree_changes import drop_unchanged, find_changed
from repo_mcp.indexing.walk_record import keep_walk, recall_walk
from repo_mcp.model import RefreshReport, WalkedFile, WalkReport
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.workspace.path_changes import PathChanges
from repo_mcp.workspace.walked_files import WalkedFiles, build_walked_files

# A small window, since symbols may be purged at the same time: the kernel takes 119 MB instead of 166.
PURGE_WINDOW_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class _Scan:
    """The outcome of one walk, compared with the record of the refresh before."""

    started_ns: int  # since the epoch
    report: WalkReport
    seen: SeenFiles | None  # the record of the refresh before; without one every file is read
    changed: Sequence[int]  # positions in `report.files` of the files to read
    missing: Sequence[str]  # paths of the record that the walk did not find

    @property
    def has_changes(self) -> bool:
        """Return True when there is anything to read or to remove."""
        return self.seen is None or bool(self.changed or self.missing)


class Refresh:
    """One refresh. `run` or `run_named` is called once, inside `pool`."""

    def __init__(self, resources: RefreshResources, writer: IndexWriter, hooks: RefreshHooks) -> None:
        """Raises IndexFormatError, OSError."""
        self._resources = resources
        self._writer = writer
        self._hooks = hooks
        self.pool = ShardPool(  # the caller enters it
            resources.settings, resources.workers, resources.remaining, writer.reserve_temporary
        )
        self.warnings: list[str] = []
        self._outcome = RefreshOutcome()
        self._purge: Purge | None = None
        self._adoption: Adoption | None = None
        self._building: Building | None = None
        self._is_merging = False
        self._indexed_files = 0
        self._commits_shards = True
        self._reads_all = False
        self._pages: BackgroundPages | None = None  # pages of the new record, if there was no record before

    @property
    def has_purged(self) -> bool:
        """Return True when text had to be purged."""
        return self._purge is not None and bool(self._purge.segments)

    def run(self, walk: Walk, force: bool) -> RefreshReport:
        """Refresh from a walk. Raises CANCELLED, INTERNAL for a dead worker, IndexFormatError, OSError."""
        started, scan_started_ns = time.monotonic(), time.time_ns()
        self._writer.delete_garbage()
        while self._merge_early(added=False):  # the many segments of a build that was killed
            pass
        self._hooks.report("walk", 0, 0, 0, 0)
        manifest = self._writer.commit()
        generation = manifest.generation
        purge = self._begin_purge(generation)
        seen = None if force else self._read_seen(generation)
        known = pending = None
        if seen is None:
            known = self._read_known()
            pending = self._begin_without_record(known, force)
        report = self._walk_root(walk, pending, manifest.configuration)
        scan = _Scan(scan_started_ns, report, seen, *find_changed(seen, report.files))
        if seen is None:
            self._pages = BackgroundPages(build_walked_files(report.files))
        else:
            self._outcome.skipped = seen.get_skipped()
        if scan.has_changes or purge.segments or Merger(self._writer).is_due:
            generation = self._apply_scan(scan, known if known is not None else self._read_known(), purge)
        return self._build_report(started, generation, report)

    def _begin_without_record(self, known: KnownFiles, force: bool) -> PendingAdoption | None:
        """Prepare a refresh that has no record of seen files; return the donor of an empty index, if any.

        Reading begins at once, while the walk goes on. But if Git may know which files are the same as in the
        donor, or the donor is small, it begins after the walk.
        """
        self._reads_all = force
        self._commits_shards = not force or not known.count  # a forced rebuild becomes visible as a whole
        self._resources.remaining.is_hidden = not self._commits_shards
        pending = None
        if not force and not self._writer.segments:
            pending = PendingAdoption(self._writer, self._resources.donations)
        if pending is None or not pending.is_known_by_git:
            self._adoption = self._finish_adoption(pending)
            if self._adoption is None or self._adoption.must_be_read:
                self._begin_building(known, is_in_order=self._adoption is None)
        return pending

    def _apply_scan(self, scan: _Scan, known: KnownFiles, purge: Purge) -> int:
        """Bring the index in line with a scan, merge it, and return the generation committed last."""
        self._indexed_files = known.count
        self._remove_missing(known, purge, scan)
        files = build_walked_files(scan.report.files).take(scan.changed)
        if self._adoption is not None:
            files = self._confirm(self._adoption, files, purge, is_begun=self._building is not None)
        seen, denied = scan.seen, scan.report.denied_inodes
        # Files may have been renamed to denied names, and others put in their places.
        if seen is not None and denied:
            purge.add([one.path for one in files if find_inode(seen, one.path) in denied], known)
        (self._building if self._building is not None else self._begin_building(known)).finish(files)
        self._put_adopted()
        written = None
        if seen is None and self._commits_shards:  # if we are killed in the merge, nothing is read again
            written = self._commit()
            self._write_seen(written, scan)
        self._merge()
        generation = self._commit()
        self._writer.delete_garbage()
        if generation != written:
            self._write_seen(generation, scan)
        return generation

    def run_named(self, changes: PathChanges) -> RefreshReport | None:
        """Refresh only the named files; return None when a walk is needed. Raises as `run` does.

        A walk is needed if there is no current record of seen files, if a purge is unfinished, or if a file
        was replaced and the old one may now have a denied name.
        """
        started, scan_started_ns = time.monotonic(), time.time_ns()
        generation = self._writer.commit().generation
        seen = self._read_seen(generation)
        if seen is None or self._resources.mark.read() is not None:
            return None
        purge = self._begin_purge(generation)
        changed = drop_unchanged(seen, changes.files)
        missing = [path for path in changes.gone if seen.find(path) is not None]
        if changes.met_denied and any(_was_replaced(seen, file) for file in changed):
            return None
        self._outcome.skipped = seen.get_skipped()
        if changed or missing:
            known = self._read_known()
            self._indexed_files = known.count
            denied = missing if changes.met_denied else purge.find_moved(missing, seen)
            self._remove(missing, denied, known)
            self._begin_building(known).finish(build_walked_files(changed))
            self._merge()
            generation = self._commit()
            self._writer.delete_garbage()
            files = build_walked_files(changed)
            self._put_seen(self._outcome.renew_seen(seen, generation, scan_started_ns, files, missing))
        return self._build_report(started, generation, WalkReport((), seen.left_out, (), ()))

    def _walk_root(self, walk: Walk, pending: PendingAdoption | None, configuration: str) -> WalkReport:
        """Walk the root with the verdicts on names of earlier walks, and keep those of this one."""
        directory, memory = self._resources.directory, self._resources.memory
        if memory is not None:
            donor = None if pending is None else pending.donor
            if donor is not None and donor.manifest.configuration == configuration:
                recall_walk(directory, memory, donor.directory)
            else:
                recall_walk(directory, memory)
        try:
            report = walk(self._hooks.cancelled, None if self._building is None else self._building.note)
        except BaseException:
            if pending is not None:
                pending.close()
            raise
        if pending is not None and pending.is_known_by_git:
            self._adoption = self._finish_adoption(pending)
        self.warnings += report.warnings
        if memory is not None:
            with suppress(OSError):  # the next walk judges the names again
                keep_walk(directory, memory)
        return report

    def _read_known(self) -> KnownFiles:
        """Return the live files of the committed generation."""
        snapshot = Snapshot.open(self._resources.directory) if self._writer.segments else None
        try:
            return KnownFiles(snapshot)
        finally:
            if snapshot is not None:
                snapshot.close()

    def _finish_adoption(self, pending: PendingAdoption | None) -> Adoption | None:
        """Return the files of a donor that may be the same here; None without a usable donor."""
        adoption = None if pending is None else pending.finish()
        if pending is not None and adoption is None:
            self.warnings += self._resources.donations.warn()
        return adoption

    def _confirm(
        self, adoption: Adoption, files: WalkedFiles, purge: Purge, *, is_begun: bool
    ) -> WalkedFiles:
        """Confirm the files that are known to be the same as in the donor; return those that must be read.

        If reading `is_begun`, all files are read.
        """
        rows = adoption.find_rows(files.paths)
        purge.add_there(adoption.list_others(rows), adoption)
        if is_begun:
            return files
        left, binary = adoption.confirm_shared(files, rows)
        self._outcome.skipped.update(binary)
        files = files.take(left)
        if adoption.is_soon_compared(files):  # nothing is committed then before the index is whole
            self.pool.stay_here()
        elif adoption.confirmed:
            self._put_adopted()
            self._commit()
        return files

    def _put_adopted(self) -> None:
        """Add the confirmed files of a donor to the next commit."""
        if self._adoption is not None:
            for entry in self._adoption.iter_entries():
                self._writer.put(entry)
            self._indexed_files = self._adoption.confirmed

    def _take_adopted(self, adoption: Adoption, result: ShardResult) -> None:
        """Confirm the files of a shard that are the same in the donor."""
        adoption.confirm(result.unchanged)
        held = [path for path in result.skipped if adoption.find_fingerprint(path) is not None]
        if self._purge is not None:
            self._purge.add(held, adoption)
        is_awaited = self._resources.remaining.is_awaited(result.temporary)
        if result.entries or is_awaited or adoption.is_worth_a_commit:
            self._put_adopted()
            if not result.entries:
                self._commit()

    def _begin_purge(self, generation: int) -> Purge:
        one = self._resources
        self._purge = Purge(one.probe, one.mark, one.note_purge_due, self._writer, generation)
        return self._purge

    def _remove_missing(self, known: KnownFiles, purge: Purge, scan: _Scan) -> None:
        """Mark files dead that the walk did not find, except below directories that it could not list."""
        report, seen = scan.report, scan.seen
        missing = scan.missing if seen is not None and seen.complete else None  # None: it is not known
        if missing is None and (known.count or self._outcome.skipped):
            walked = frozenset(build_walked_files(report.files).paths)
            missing = [
                path for path in chain(known.iter_paths(), self._outcome.skipped) if path not in walked
            ]
        missing = missing or ()
        unreadable = tuple(directory + "/" if directory else "" for directory in report.unreadable)
        gone = [path for path in missing if not path.startswith(unreadable)]
        self._remove(gone, purge.find_left_out(gone, report.denied_inodes, seen), known)
        self._outcome.forget(missing)

    def _remove(self, gone: Sequence[str], left_out: Sequence[str], known: KnownFiles) -> None:
        """Mark files dead that are `gone`, and purge those that are in the tree but `left_out`."""
        self._outcome.removed += self._mark_dead(left_out, known, purges=True)
        self._outcome.removed += self._mark_dead(gone, known)
        self._outcome.forget(gone)

    def _mark_dead(self, paths: Sequence[str], known: KnownFiles, *, purges: bool = False) -> int:
        """Mark files dead; return how many of them were indexed.

        With `purges` nothing of them or of their older versions stays in the index.
        """
        if purges and self._purge is not None:
            self._purge.add([path for path in paths if known.find(path) is not None], known)
        taken = known.take(paths)
        for segment, files in taken.items():
            self._writer.mark_dead(segment, files)
        return sum(map(len, taken.values()))

    def _begin_building(self, known: KnownFiles, *, is_in_order: bool = True) -> Building:
        source = known if self._adoption is None else self._adoption
        find = (lambda _path: None) if self._reads_all else source.find_fingerprint
        settings = self._resources.settings
        planner = ShardPlanner(
            find,
            self._writer.reserve_temporary,
            settings.shard_bytes,
            keeps_stats=settings.cluster is not None,
        )
        # Each committed segment is a file that searches have open. Without commits there is none to merge.
        between_shards = self._merge_early if self._commits_shards else lambda: False
        self._building = Building(
            planner,
            self.pool,
            self._resources.remaining,
            self._hooks,
            partial(self._take, known=known),
            between_shards,
            is_in_order=is_in_order,
        )
        return self._building

    def _take(self, result: ShardResult, known: KnownFiles) -> None:
        """Add a shard to the index, replacing the older versions of its files."""
        self._outcome.note(result, self._mark_dead(result.indexed, known))
        self._outcome.removed += self._mark_dead(tuple(result.skipped), known, purges=True)
        self._outcome.removed += self._mark_dead(result.gone, known)
        if self._adoption is not None:
            self._take_adopted(self._adoption, result)
        for entry in result.entries:
            self._writer.add(entry)
        if result.entries and self._commits_shards:
            self._commit()

    def _merge_early(self, *, added: bool = True) -> bool:
        """Merge some of the segments if there are too many, since a search keeps the file of each one open.

        Merges only segments of this build, unless `added` is False. Returns False if there was no merge.
        """
        if self._is_merging:
            return False
        self._is_merging = True
        try:
            window_bytes = self._resources.settings.memory.window_bytes
            merger = Merger(self._writer, encode=self._encode_between, window_bytes=window_bytes)
            return merger.merge_early(added=added, committed=self._hooks.committed)
        finally:
            self._is_merging = False

    def _encode_between(self, entries: Sequence[SegmentEntry], merge: Merge) -> Iterator[EncodedRun]:
        """Yield the encoded windows of a merge, taking finished shards in between.

        So builders get new work, and searches the files that they wait for. No more shards are taken than
        segments may be open.
        """
        most = MOST_UNMERGED * len(entries)
        for window in range(len(merge.windows)):
            check_cancelled(self._hooks.cancelled)
            yield merge.encode_window(window)
            if self._building is not None:
                self._building.take_done(lambda: len(self._writer.segments) < most)

    def _commit(self) -> int:
        generation = self._writer.commit().generation
        self._hooks.committed()
        return generation

    def _merge(self) -> None:
        self._hooks.report("merge", 0, 0, 0, 0)
        one, outcome, cancelled = self._resources, self._outcome, self._hooks.cancelled
        make = partial(make_merger, self._writer, one.settings, one.workers, cancelled, self.pool.hand_over)
        merger, purger = make(), make(PURGE_WINDOW_BYTES)
        full = outcome.added + outcome.updated > FULL_MERGE_SHARE * (self._indexed_files + outcome.added)
        merger.merge(full=full, between=self._commit_merge)
        purger.purge(set() if self._purge is None else self._purge.segments)

    def _commit_merge(self) -> None:
        """Commit one merge before the next: searches then read fewer segments, and the disk holds fewer."""
        if self._commits_shards:
            self._commit()
            self._writer.delete_garbage()

    def _read_seen(self, generation: int) -> SeenFiles | None:
        return self._resources.record.read(self._resources.directory, generation, self._writer.segments)

    def _write_seen(self, generation: int, scan: _Scan) -> None:
        if scan.seen is None:
            origin = "" if self._adoption is None else self._adoption.describe()
            seen = self._outcome.build_seen(generation, scan.started_ns, scan.report, origin, self._pages)
        else:
            files = build_walked_files(scan.report.files).take(scan.changed)
            seen = self._outcome.renew_seen(scan.seen, generation, scan.started_ns, files, scan.missing)
            seen = replace(seen, left_out=scan.report.skipped, complete=not scan.report.unreadable)
        self._put_seen(seen)

    def _put_seen(self, seen: SeenFiles) -> None:
        try:
            self._resources.record.write(self._resources.directory, seen, self._writer.segments)
        except OSError:
            self.warnings.append(
                "The record of seen files could not be written; the next refresh reads every file."
            )

    def _build_report(self, started: float, generation: int, report: WalkReport) -> RefreshReport:
        indexed = sum(entry.live_files for entry in self._writer.segments)
        warnings = (*self.warnings, *self.pool.warnings)
        return self._outcome.build_report(started, generation, report.skipped, indexed, warnings)


def _was_replaced(seen: SeenFiles, file: WalkedFile) -> bool:
    """Return True when the record has another inode for the path of the file."""
    return find_inode(seen, file.path) not in (None, file.stat.inode)
