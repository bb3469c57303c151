"""The live index of one root: it serves searches and keeps itself up to date.

Reading takes no lock and uses the last committed generation, which another process may have written. It waits
only a moment for files that were just saved, or for the first files; otherwise answers say what is missing. A
damaged index is noticed when it is read, and rebuilt in the background. Every method may be called from
several threads at once.

Left out on purpose: in which state it is, and what answers from it may lack (`repo_mcp.live.index_report`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing

from index_format import IndexFormatError
from repo_mcp.errors import CHECK_PLACE, ErrorCode, RepoError
from repo_mcp.indexing.refresh_inputs import Walk
from repo_mcp.indexing.shards.shards import ShardBuilder
from repo_mcp.live.change_watch import ChangeWatch
from repo_mcp.live.generation import Generation
from repo_mcp.live.index_report import IndexReport
from repo_mcp.live.look_ahead import LookAhead, Need, ReadMany
from repo_mcp.live.refresher import REFRESH_POLL_SECONDS, IndexSetup, Refresher
from repo_mcp.live.tree_look import CHEAP_LOOK_FILES, TreeLook
from repo_mcp.model import ProgressCallback, RefreshReport, SkipReason
from repo_mcp.ranking.scoring.searcher import Searcher
from repo_mcp.record_classes import replace
from repo_mcp.threads import REFUSED, start_daemon, stops_when
from repo_mcp.workspace.path_changes import PathChangeFinder, PathChanges

NOT_INDEXED_HINT = "Search again in a moment; repo.status shows the progress. Files can already be opened."
FIRST_FILES_SECONDS = 2.0  # how long a call waits for the first files; a small tree is indexed in one
CATCH_UP_SECONDS = 0.15  # how long a call waits for changed files to be indexed; a saved file takes 0.1
AWAITED_FILES = 50  # a call does not wait while more files than this are being indexed
LOOKED_AT_POLL_SECONDS = 0.005
FIRST_REFRESH_SECONDS = 1.0  # after the walk: the watch begins when the first refresh has ended, or then
MAX_GIVEN_WAY = 3  # how often a background refresh is begun again so that changed files go first
HEALING_SECONDS = 10.0  # between two rebuilds of a damaged index: the disk may be at fault
CLOSE_WAIT_SECONDS = 1.5  # how long `close` waits for a refresh to stop; the server must end within two


class LiveIndex:
    """The index that searches use and refreshes change."""

    def __init__(
        self,
        setup: IndexSetup,
        walk: Walk,
        *,
        watch: bool,
        finder: PathChangeFinder | None,
        note_refresh: Callable[[], None],
        read_many: ReadMany,
    ) -> None:
        """Make the directory of the index. If that fails, there is no index until a refresh can make it.

        `walk` lists the files of the root, `finder` looks at a few of them by name, and `read_many` returns
        the bytes of some. With `watch` the index follows the tree. `note_refresh` is called after each
        refresh.
        """
        self._closed = threading.Event()
        self.generation = Generation(setup.settings.index_path, setup.configuration, setup.make_tag)
        self.look = TreeLook(self.generation, walk, self._closed, lambda: self._watch.is_settled)
        self.refresher = Refresher(self.generation, self.look, setup, finder)
        self._follows = watch
        self._watch = ChangeWatch(
            finder,
            self._closed,
            self.refresh,
            self._index_changes,
            self.refresher.note_failure,
            self.wait_for_first_refresh,
        )
        self._note_refresh_done = note_refresh
        self.look_ahead = LookAhead(self.refresher.remaining, read_many, self._closed)
        self.report = IndexReport(
            self.generation,
            self.refresher,
            self._watch,
            self.look,
            self.find_searcher,
            self.report_damage,
            follows=watch,
        )
        self.is_expected = False  # Somebody will begin a refresh; a call that finds no index does so now
        self._threads: set[threading.Thread] = set()  # threads that run a background refresh, or are about to
        self._next_healing = 0.0  # earliest time of the next rebuild of a damaged index (time.monotonic)

    # Reading

    def get_searcher(self, *, waits: bool = True, fresh: bool = False, need: Need | None = None) -> Searcher:
        """Return the searcher of the committed generation. Raises INDEX_UNAVAILABLE when there is none.

        With `fresh`, files that were saved just before the call are indexed first, or `describe_progress`
        says that they may be missing. With `waits`, the call waits a little for the first files of a first
        build. During a build, the files of `need` are indexed before all others.

        Begins a refresh in the background, without waiting for it, when a check of the tree is due, or when
        there is no index yet and a refresh is expected.
        """
        if not self.refresher.running.locked() and self._is_refresh_due():
            self.start_background_refresh()
        if fresh:
            self._catch_up()
        searcher = self.find_searcher()
        if waits:
            searcher = self._wait_for_first(searcher, looks=need is not None)
        if need is not None and self.refresher.remaining.are_any:
            searcher = self._wait_for_first(self._look_for(need, searcher))
        if searcher is None or (not searcher.snapshot.segments and self.refresher.running.locked()):
            hint = CHECK_PLACE if self.refresher.is_kept_out else NOT_INDEXED_HINT
            raise RepoError(ErrorCode.INDEX_UNAVAILABLE, self.report.explain_missing(), hint)
        return searcher

    def _is_refresh_due(self) -> bool:
        if self._follows:
            return self._watch.is_look_due()
        return self.is_expected and self.find_searcher() is None

    def _look_for(self, need: Need, searcher: Searcher | None) -> Searcher | None:
        """Have the files that a call needs indexed first, and return the searcher that has them."""
        try:
            self.look_ahead.look(need, searcher.count_units if searcher is not None else lambda _term: 0)
        except IndexFormatError as error:
            raise self.report_damage(error) from error
        return self.find_searcher()

    def _wait_for_first(self, searcher: Searcher | None, *, looks: bool = False) -> Searcher | None:
        """Return `searcher` or, if it has no files yet, the one that has the first files, after a wait.

        A model asks only once, so an empty answer would stand. A call that `looks` through the unindexed
        files itself waits only until they are listed.
        """
        started, commits = time.monotonic(), -1  # -1: do not wait if a commit came since the caller looked
        while not self.generation.fault and (searcher is None or not searcher.snapshot.segments):
            waited = time.monotonic() - started
            is_coming = self.refresher.running.locked() or self._threads
            if not is_coming or waited > FIRST_FILES_SECONDS or (looks and self.refresher.remaining.are_any):
                break
            self.refresher.wait_for_commit(commits)
            if self._closed.is_set():
                break
            commits, searcher = self.refresher.commits, self.find_searcher()
        return searcher

    def find_searcher(self) -> Searcher | None:
        """Return the searcher of the committed generation; None without one that can be read."""
        try:
            return self.generation.find()
        except IndexFormatError as error:
            self.report_damage(error)
            return None

    def report_damage(self, error: IndexFormatError | None = None) -> RepoError:
        """Begin to rebuild the index in the background. Return the error for the client."""
        self.generation.drop(error)
        now = time.monotonic()
        if now >= self._next_healing and not self.refresher.running.locked() and not self._closed.is_set():
            self._next_healing = now + HEALING_SECONDS
            self.start_background_refresh(force=True)
        return RepoError(
            ErrorCode.INDEX_UNAVAILABLE, "The index is damaged and is being rebuilt.", NOT_INDEXED_HINT
        )

    def _catch_up(self) -> None:
        """Index what changed before the call, for at most CATCH_UP_SECONDS. Answers mention what is left.

        If the system reports changes, asking it costs microseconds. Otherwise a small tree is compared with
        the index, in 30 ms at most, unless a refresh is already doing that. For a larger tree, answers say
        how long ago it was last compared.
        """
        if self._watch.can_wait:
            if not self._is_far_behind:
                self._watch.wait(CATCH_UP_SECONDS)
            return
        searcher = self.find_searcher()
        if searcher is None:
            return
        files = searcher.snapshot.file_count
        # That refresh compares the tree too, and answers say what it has not done yet.
        if self.refresher.running.locked():
            if files <= CHEAP_LOOK_FILES:
                self._wait_while(self.refresher.running.locked)
            return
        try:
            self.look.note_changes(searcher.snapshot.generation, files)
        except RepoError as error:  # the root is gone, or we are closing
            self.refresher.note_failure(error)
        except IndexFormatError as error:
            self.report_damage(error)
        if self.look.stale and self._follows:
            self._index_looked_at()

    @property
    def _is_far_behind(self) -> bool:
        progress = self.refresher.progress
        return progress is not None and progress.files_total > AWAITED_FILES

    def _index_looked_at(self) -> None:
        """Begin to index the changes that the comparison found, and wait a little for them."""
        if not self.refresher.running.locked():
            self.start_background_refresh()
        self._wait_while(lambda: bool(self.look.stale))

    def _wait_while(self, is_coming: Callable[[], bool]) -> None:
        """Wait while `is_coming`, at most CATCH_UP_SECONDS, and not while many files are being indexed."""
        deadline = time.monotonic() + CATCH_UP_SECONDS
        while is_coming() and time.monotonic() < deadline and not self._is_far_behind:
            if self._closed.wait(LOOKED_AT_POLL_SECONDS):
                break

    # Writing

    def refresh(
        self,
        *,
        force: bool = False,
        progress: ProgressCallback | None = None,
        cancelled: Callable[[], bool] | None = None,
        joins: bool = False,
        is_last: bool = False,
    ) -> RefreshReport:
        """Bring the index up to date with the tree. Raises BUSY, CANCELLED, INDEX_UNAVAILABLE.

        If a refresh is already running, waits for it for a few seconds, then raises BUSY. With `joins` it
        waits until that refresh has ended, and the report counts the work of both. With `is_last` the tree is
        never compared with the index again, as in a command that answers once. The report names the snapshot
        only with `joins` and without `is_last`.
        """
        stop = stops_when(self._closed, cancelled)
        self.report.note_begun()
        add_joined = self.refresher.join(stop, progress) if joins else None
        if not joins:
            self.refresher.begin(stop)
        started = time.monotonic()
        try:
            done = self.refresher.refresh(force=force, progress=progress, stop=stop)
            self.look.note_refresh(started, is_last=is_last)
            self._watch.note_walk(started)
            self.report.note_looked()
            self._note_refresh_done()
            if joins and not is_last:
                done = replace(done, snapshot=self.refresher.name_snapshot())
            return done if add_joined is None else add_joined(done)
        except Exception as error:
            self._watch.note_walk(started, error)
            if self.refresher.fault:  # answers report the fault instead of a first look that has not ended
                self.report.note_looked()
            raise
        finally:
            self.look_ahead.forget()
            self.refresher.running.release()
            self._watch.note_directories()

    def is_being_built(self) -> bool:
        """Return True while a refresh runs and the committed generation is only a part of the index."""
        if not self.refresher.running.locked():
            return False
        try:
            return self.generation.read_seen() is None
        except (IndexFormatError, OSError):  # the refresh rebuilds it
            return True

    def refresh_paths(
        self, paths: Iterable[str], cancelled: Callable[[], bool] | None = None
    ) -> Mapping[str, SkipReason]:
        """Bring a few files of the index up to date now, without a walk if that is possible.

        Returns every file of the root that is not indexed, with the reason. Raises as `refresh` does.
        """
        stop, finder = stops_when(self._closed, cancelled), self._watch.finder
        changes = finder.look_at(paths) if finder is not None else None
        if changes is not None and self.refresher.refresh_changes(changes, stop):
            self._note_refresh_done()
        else:
            self.refresh(cancelled=stop)
        found = self.generation.read_seen()
        return {} if found is None else found[1].get_skipped()

    def find_left_out(self, paths: Iterable[str]) -> dict[str, SkipReason]:
        """Return which of a few files a refresh would not index as they are now, and why.

        Files that are excluded by their names are reported only after the first walk of the tree.
        """
        finder = self._watch.finder
        there = [] if finder is None else [path for path in paths if finder.is_there(path)]
        with closing(ShardBuilder(replace(self.refresher.setup.settings, adapters=()))) as builder:
            found = builder.find_reasons(there)
        for path in there:
            changes = None if finder is None else finder.look_at([path])
            if changes is not None and not changes.files:
                found[path] = SkipReason.EXCLUDED
        return found

    def _index_changes(self, changes: PathChanges) -> bool:
        """Index the changes that the watcher reported. Returns False when the tree must be walked."""
        done = self.refresher.refresh_changes(changes, self._closed.is_set)
        if done:
            self._note_refresh_done()
        return done

    def start_watching(self) -> None:
        """Watch for changes from now on if the system supports that; otherwise check the tree for them."""
        if self._follows:
            self._watch.start()

    def wait_for_walk(self) -> None:
        """Wait while a refresh is walking the tree."""
        while self.refresher.is_walking and not self._closed.wait(REFRESH_POLL_SECONDS):
            pass

    def wait_for_first_refresh(self) -> None:
        """Wait until the first refresh and the parsing after it have ended, at most FIRST_REFRESH_SECONDS.

        Work that is not urgent waits here, such as the start of the watch: it would compete with them for the
        interpreter. A refresh that began with a donor has little left to do after its walk.
        """
        deadline = time.monotonic() + FIRST_REFRESH_SECONDS
        while not self.report.has_looked and time.monotonic() < deadline:
            if self._closed.wait(LOOKED_AT_POLL_SECONDS):
                return
        self.refresher.wait_for_follower(deadline)

    def start_background_refresh(self, *, force: bool = False) -> None:
        """Refresh in a thread of its own; a failure becomes a warning in the status and in answers.

        Does nothing while a refresh is at work, except with `force`.
        """
        self.is_expected = False
        self.report.note_begun(stays=True)
        if self.refresher.progress is not None and not force:  # a second walk of the kernel takes 0.4 s
            return
        thread = threading.Thread(target=self._refresh_quietly, args=(force,), name="refresh")
        self._threads.add(thread)  # before it starts, because under load that may take a while
        if not start_daemon(thread):
            self._threads.discard(thread)
            self.refresher.note_failure(RepoError(ErrorCode.INTERNAL, f"{REFUSED.capitalize()}."))
            self.report.note_looked()  # so that a later call tries again

    def _refresh_quietly(self, force: bool) -> None:
        try:
            for _ in range(MAX_GIVEN_WAY):
                try:
                    self.refresh(force=force, cancelled=self.refresher.gives_way)
                    return
                except RepoError as error:
                    if error.code is not ErrorCode.CANCELLED or self._closed.wait(REFRESH_POLL_SECONDS):
                        raise
            self.refresh(force=force)
        except RepoError:  # another refresh is running, or the failure has been noted
            pass
        except Exception as error:  # a thread has nobody else to tell
            self.refresher.note_failure(error)
        finally:
            self._threads.discard(threading.current_thread())

    def close(self) -> bool:
        """Stop a running refresh. Returns False when it has not stopped in CLOSE_WAIT_SECONDS."""
        self._closed.set()
        self._watch.close()
        stopped = self.refresher.running.acquire(timeout=CLOSE_WAIT_SECONDS)
        self.generation.close()
        return stopped
