"""The second phase of indexing: the symbols of each file that the lexical index holds.

A round (`parsing_round.py`) parses new and changed files; the rest is as in every phase that follows the
lexical index. The final merge gives the same bytes, whatever was there before and however many processes
parsed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING

from index_format import Directory, IndexFormatError, Snapshot
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.exact.file_bitmaps import ReadMany
from repo_mcp.indexing.derived.phase import (
    Cancelled,
    DerivedStorage,
    PhaseStore,
    SegmentRound,
    WriteTarget,
    drop,
    merge,
    purge,
)
from repo_mcp.indexing.derived.plan import (
    NO_PLAN,
    FindTask,
    Plan,
    WantedFile,
    list_latest,
    plan_named,
    plan_round,
)
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.indexing.outcome import build_compact_report
from repo_mcp.languages.symbol_parsers import find_parser_task
from repo_mcp.live.index_report import count_languages
from repo_mcp.model import CompactReport, ProgressCallback, SymbolIndexReport
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.storage.poison import PoisonList
from repo_mcp.symbol_index.asked_files import AskedFiles
from repo_mcp.symbol_index.parsing_round import MESSAGES, ParsingRound
from repo_mcp.symbol_index.schema import SYMBOL_FIELDS
from repo_mcp.workspace.reader.opened_file import OpenedFile

if TYPE_CHECKING:
    from repo_mcp.process.parse_worker import BatchParser
    from repo_mcp.symbol_index.workers import MakeParser, ParseWorkers, SpareParser

# For a batch, then for each of its texts alone. Where possible a limit on processor time ends a text sooner;
# on a busy machine a low-priority process may wait long for its turn, through no fault of the text.
WALL_SECONDS = 60.0
USUAL_SHARE = 0.2  # of the files, from which on the parser of a language is loaded ahead
LANE_BYTES = 1024 * 1024  # source bytes per parser process that is worth starting

ReadFile = Callable[[str], OpenedFile]


def make_parser() -> BatchParser:
    """Return a process that parses."""
    from repo_mcp.process.parse_worker import BatchParser  # here: many servers never parse

    return BatchParser(wall_seconds=WALL_SECONDS)


@dataclass(frozen=True, slots=True)
class RoundWanted:
    """The work of one round: to parse what is new or changed, and to drop what is gone."""

    paths: Collection[str] | None = None  # of the files that it is about; None for all
    anew: bool = False  # everything is rebuilt
    purges: bool = False  # no trace stays of files that are gone or changed
    parses: bool = True  # without it nothing is parsed
    is_whole: bool = True  # else the lexical index may still lack files, so those that it lacks stay

    @property
    def is_of_all(self) -> bool:
        """Return whether the round parses all files that differ, and purges nothing."""
        return self.parses and not self.purges and self.paths is None


EVERYTHING = RoundWanted()


@dataclass(frozen=True, slots=True)
class _Conduct:
    """The behaviour of a round towards those who wait for it: the arguments of `SymbolPhase.run`."""

    progress: ProgressCallback | None
    check: Callable[[], None]  # raises when the round is cancelled
    yields: Callable[[], bool]
    yields_at_once: bool
    asked: AskedFiles | None


@dataclass(frozen=True, slots=True)
class Parsing:
    """The means by which files are parsed."""

    workers: int  # processes
    poison: PoisonList  # texts that are not parsed, as they killed a parser; others are added
    find_task: FindTask = find_parser_task
    make_parser: MakeParser = make_parser


class SymbolPhase:
    """The writing side of one root's symbol index."""

    def __init__(
        self, storage: DerivedStorage, parsing: Parsing, read: ReadFile, read_many: ReadMany
    ) -> None:
        """`read` and `read_many` are methods of the repository reader."""
        self._store = PhaseStore(storage, SYMBOL_FIELDS, MESSAGES)
        self.storage = storage
        self._parsing = parsing
        self.find_task = parsing.find_task
        self.read = read
        self._read_many = read_many
        self._spare: SpareParser | None = None
        self._ahead: tuple[tuple[WantedFile, ...], ParseWorkers] | None = None

    def run(
        self,
        lexical: Snapshot,
        wanted: RoundWanted = EVERYTHING,
        *,
        progress: ProgressCallback | None = None,
        cancelled: Cancelled = lambda: False,
        yields: Callable[[], bool] = lambda: False,
        yields_at_once: bool = False,
        asked: AskedFiles | None = None,
    ) -> SymbolIndexReport:
        """Bring the symbol index in line with the lexical one.

        When `yields` returns True, the round commits its work and ends with a report that is not complete:
        after the texts that are being parsed, or `yields_at_once`. Files that are `asked` for meanwhile are
        parsed before the others, and committed at once.

        Raises RepoError with BUSY when another process writes, CANCELLED, INDEX_UNAVAILABLE when the index
        cannot be written, INTERNAL when no parser can run; and IndexFormatError for a damaged lexical index.
        """
        conduct = _Conduct(progress, partial(self._store.check, cancelled), yields, yields_at_once, asked)
        with self._store.open_writer(cancelled) as target:
            try:
                run = partial(self._run_once, target, lexical, wanted, conduct)
                return self._store.run_round(target, run, anew=wanted.anew)
            finally:
                self._take_ahead()

    def _run_once(
        self,
        target: WriteTarget,
        lexical: Snapshot,
        wanted: RoundWanted,
        conduct: _Conduct,
        known: KnownFiles | None,
    ) -> SymbolIndexReport:
        """Parse, drop and merge what the round is about; `known` is None if everything is built anew."""
        from repo_mcp.symbol_index.documents import build_segment

        there = KnownFiles(None) if known is None else known
        directory, writer = target
        plan = self._plan(lexical, known, wanted)
        if wanted.purges:  # the outdated version may be the text to purge
            drop(writer, there, [file.path for file in plan.files])
        if not wanted.parses:
            plan = replace(plan, files=(), bytes=0)
        segments = SegmentRound(target, there, plan, build_segment, conduct.progress, conduct.check)
        keeps_spare = conduct.asked is not None and not self.has_adopted  # for whoever asks
        done = ParsingRound(segments, plan, conduct.asked or AskedFiles()).run(
            partial(self._start_workers, plan, keeps_spare=keeps_spare),
            conduct.yields,
            at_once=conduct.yields_at_once,
        )
        is_early = conduct.yields_at_once or (self.has_adopted and not wanted.is_whole)
        self._prepare(directory, expects_more=wanted.parses and is_early)
        if wanted.purges and purge(writer, conduct.check):
            done = replace(done, generation=writer.commit().generation)
            writer.delete_garbage()
        return done

    @property
    def has_adopted(self) -> bool:
        """Return True if the index began with a donor."""
        return self._store.has_adopted

    def begin(self, cancelled: Cancelled) -> None:
        """Start an empty index from a donor, if there is one. Raises as `run` does."""
        self._store.begin(cancelled)

    def _plan(self, lexical: Snapshot, known: KnownFiles | None, wanted: RoundWanted) -> Plan:
        """Return what a round has to do; `known` is None if everything is built anew."""
        there = KnownFiles(None) if known is None else known
        paths = None if known is None else wanted.paths
        keeps_missing = not wanted.is_whole and not wanted.purges
        if self.has_adopted and known is not None and wanted.is_of_all:
            self._parse_ahead(lexical, known)
        if keeps_missing and not lexical.segments:
            return NO_PLAN  # there is nothing to compare
        if paths is None:
            plan = plan_round(lexical, there, self.find_task)
        else:
            plan = plan_named(lexical, there, self.find_task, paths, keeps_order=True)
        return replace(plan, gone=()) if keeps_missing else plan

    def parse_ahead(self, lexical: Snapshot) -> None:
        """Begin to parse the files that differ from a donor's, if there is one: the next round needs them.

        Raises IndexFormatError, OSError.
        """
        if self.has_adopted:
            self._parse_ahead(lexical, self._store.read_known())

    def _parse_ahead(self, lexical: Snapshot, known: KnownFiles) -> None:
        """Begin to parse the files that differ from a donor's while all are compared, which takes as long."""
        plan = plan_named(lexical, known, self.find_task, list_latest(lexical))
        if self._ahead is None or self._ahead[0] != plan.files:
            self._take_ahead()
            if not plan.files:
                return
            workers = self._make_workers(plan)
            workers.start()
            self._ahead = plan.files, workers

    def _take_ahead(self, files: Sequence[WantedFile] = ()) -> ParseWorkers | None:
        """Return the workers that were started ahead for exactly these files; others are ended."""
        ahead, self._ahead = self._ahead, None
        if ahead is None:
            return None
        if ahead[0] == files:
            return ahead[1]
        ahead[1].close()
        return None

    def _start_workers(self, plan: Plan, *, keeps_spare: bool) -> ParseWorkers:
        return self._take_ahead(plan.files) or self._make_workers(plan, keeps_spare=keeps_spare)

    def _make_workers(self, plan: Plan, *, keeps_spare: bool = False) -> ParseWorkers:
        """Return workers for a plan; one that `keeps_spare` leaves it to files that are put first."""
        from repo_mcp.symbol_index.workers import ParseWorkers

        workers = min(self._parsing.workers, 1 + plan.bytes // LANE_BYTES)
        make_parser = self._parsing.make_parser if keeps_spare else self._get_parser
        poison = self._parsing.poison
        return ParseWorkers(
            plan.files, workers, self._read_many, make_parser, poison, make_first=self._get_parser
        )

    def _get_parser(self) -> BatchParser:
        """Return the parser that was started ahead, or else a new one."""
        spare, self._spare = self._spare, None
        return self._parsing.make_parser() if spare is None else spare.take()

    def _prepare(self, directory: Directory, *, expects_more: bool) -> None:
        """Start a parser for the next round if it `expects_more` files; else end one that was not needed."""
        from repo_mcp.symbol_index.workers import SpareParser

        if expects_more and self._spare is None:
            self._spare = SpareParser(self._parsing.make_parser(), _list_usual_tasks(directory))
        elif not expects_more:
            self.close()

    def close(self) -> None:
        """End the parser that was started ahead, if there is one."""
        spare, self._spare = self._spare, None
        if spare is not None:
            spare.close()

    def compact(self, *, full: bool, cancelled: Cancelled = lambda: False) -> CompactReport:
        """Merge segments: those that the merge policy chooses, or all. Raises as `run` does."""
        started = time.monotonic()
        try:
            with self._store.open_writer(cancelled) as (_, writer):
                if writer.start_fault is not None:  # a damaged index must not become an empty one
                    raise writer.start_fault
                before = writer.segments
                merge(writer, partial(self._store.check, cancelled), full=full)
                generation = writer.commit().generation
                writer.delete_garbage()
                after = writer.segments
        except IndexFormatError as error:
            raise RepoError(
                ErrorCode.INDEX_UNAVAILABLE,
                "The symbol index is damaged.",
                "Index again with --structure to rebuild it.",
            ) from error
        return build_compact_report(before, after, started, generation)


def _list_usual_tasks(directory: Directory) -> list[str]:
    """Return the tasks of languages with at least USUAL_SHARE of the files.

    Raises IndexFormatError, OSError.
    """
    snapshot = Snapshot.open(directory)
    if snapshot is None:
        return []
    counts, least = count_languages(snapshot), USUAL_SHARE * snapshot.file_count
    snapshot.close()
    tasks = (find_parser_task("", language) for language, count in counts.items() if count >= least)
    return [task for task in tasks if task is not None]
