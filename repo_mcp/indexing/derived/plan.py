"""Plans a round of a derived index by comparing it with the lexical index.

A file is done when the derived index has its path with the same fingerprint as the lexical index, whatever
its times. A file that the lexical index lacks, or that no parser accepts, is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import compress, repeat
from operator import eq

import numpy as np

from index_format import SIZE, LiveSegment, Snapshot
from repo_mcp.arrays import I64, Mask
from repo_mcp.indexing.known_files import KnownFiles, list_live_paths, split_fingerprints
from repo_mcp.indexing.likely_order import make_ranker
from repo_mcp.record_classes import dataclass

MANY_FILES = 5_000  # when more files may have changed, all are compared, which takes no longer
FEW_FILES = 200  # so many files or fewer are parsed smallest first; more are parsed likeliest first

# (path, language) -> name of the parser's task; None if no parser accepts the file.
FindTask = Callable[[str, str], str | None]


@dataclass(frozen=True, slots=True)
class WantedFile:
    """One file that has, or should have, a record."""

    path: str
    fingerprint: bytes
    size: int  # bytes of the source file
    language: str
    task: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The work of one round."""

    files: tuple[WantedFile, ...]  # files to parse, in order
    gone: tuple[str, ...]  # paths to drop
    done_files: int  # already up to date
    done_bytes: int
    bytes: int  # total of `files`

    @property
    def total_files(self) -> int:
        """Return the number of files that should have a record."""
        return self.done_files + len(self.files)

    @property
    def total_bytes(self) -> int:
        """Return the total size of those files, in bytes."""
        return self.done_bytes + self.bytes


NO_PLAN = Plan((), (), 0, 0, 0)


@dataclass(frozen=True, slots=True)
class _Rows:
    """The files of a segment that a parser accepts, in columns: 80,000 records would take 0.1 s."""

    paths: list[str]
    prints: list[bytes]
    sizes: I64
    languages: list[str]
    tasks: list[str]

    def find_done(self, known: dict[str, bytes]) -> Mask:
        """Return which files are known with their fingerprint (bool). Takes all of them out of `known`."""
        before = map(known.pop, self.paths, repeat(b""))
        return np.fromiter(map(eq, before, self.prints), dtype=np.bool_, count=len(self.paths))

    def get(self, row: int) -> WantedFile:
        """Return one file."""
        size = int(self.sizes[row])
        return WantedFile(self.paths[row], self.prints[row], size, self.languages[row], self.tasks[row])


def _iter_rows(lexical: Snapshot, find_task: FindTask) -> Iterator[_Rows]:
    """Yield the files that a parser accepts, segment by segment. Raises IndexFormatError, OSError."""
    for segment in lexical.segments:
        reader = segment.reader
        live = segment.live_file_mask
        paths = list_live_paths(segment)
        names = reader.language_names
        languages = [names[number] for number in reader.read_languages()[live].tolist()]
        tasks = list(map(find_task, paths, languages))
        is_wanted = [task is not None for task in tasks]
        yield _Rows(
            list(compress(paths, is_wanted)),
            list(compress(compress(split_fingerprints(reader.files.read_fingerprints()), live), is_wanted)),
            reader.files.read_column(SIZE)[live][is_wanted],
            list(compress(languages, is_wanted)),
            [task for task in tasks if task is not None],
        )


def iter_wanted(lexical: Snapshot, find_task: FindTask) -> Iterator[WantedFile]:
    """Yield the files of the lexical index that a parser accepts. Raises IndexFormatError, OSError."""
    for rows in _iter_rows(lexical, find_task):
        yield from map(rows.get, range(len(rows.paths)))


def plan_round(lexical: Snapshot, indexed: KnownFiles, find_task: FindTask) -> Plan:
    """Return the plan for all files, given what is indexed already. Raises IndexFormatError, OSError."""
    known = indexed.read_prints()
    files: list[WantedFile] = []
    done_files = done_bytes = 0
    for rows in _iter_rows(lexical, find_task):
        is_done = rows.find_done(known)
        done_files += int(np.count_nonzero(is_done))
        done_bytes += int(rows.sizes[is_done].sum())
        files += map(rows.get, np.flatnonzero(~is_done).tolist())
    return Plan(_order(files), tuple(sorted(known)), done_files, done_bytes, sum(file.size for file in files))


def count_done(lexical: Snapshot, indexed: KnownFiles, find_task: FindTask) -> tuple[int, int]:
    """Return how many files have an up-to-date record, and how many should have one.

    The numbers are those of a plan, without its order. Raises as `plan_round` does.
    """
    known = indexed.read_prints()
    are_done = [rows.find_done(known) for rows in _iter_rows(lexical, find_task)]
    return sum(int(np.count_nonzero(one)) for one in are_done), sum(map(len, are_done))


def plan_named(
    lexical: Snapshot,
    indexed: KnownFiles,
    find_task: FindTask,
    paths: Collection[str],
    *,
    keeps_order: bool = False,
) -> Plan:
    """Return the plan for the given paths alone; `keeps_order` of theirs. Raises as `plan_round` does."""
    places = KnownFiles(lexical)
    segments = {segment.name: segment for segment in lexical.segments}
    files: list[WantedFile] = []
    gone: list[str] = []
    done_files = done_bytes = 0
    for path in dict.fromkeys(paths) if keeps_order else sorted(set(paths)):
        place = places.find(path)
        wanted = None if place is None else _read_wanted(segments[place.segment], place.file, path, find_task)
        known = indexed.find_fingerprint(path)
        if wanted is None:
            gone += [path] if known is not None else []
        elif wanted.fingerprint == known:
            done_files += 1
            done_bytes += wanted.size
        else:
            files.append(wanted)
    ordered = tuple(files) if keeps_order else _order(files)
    return Plan(ordered, tuple(gone), done_files, done_bytes, sum(file.size for file in files))


def _read_wanted(segment: LiveSegment, file: int, path: str, find_task: FindTask) -> WantedFile | None:
    files = segment.reader.files
    language = segment.reader.take_languages(np.array([file]))[0]
    task = find_task(path, language)
    if task is None:
        return None
    size = int(files.read_column(SIZE, file, file + 1)[0])
    return WantedFile(path, files.take_fingerprints(np.array([file]))[0], size, language, task)


def list_latest(lexical: Snapshot) -> list[str]:
    """Return the paths that are not in the largest segment; none if they are more than FEW_FILES.

    After a donor was adopted these are the files that differ from its own.
    """
    by_size = sorted(lexical.segments, key=lambda segment: segment.entry.live_files)
    if sum(segment.entry.live_files for segment in by_size[:-1]) > FEW_FILES:
        return []
    live = (
        segment.reader.files.read_paths_of(np.flatnonzero(segment.live_file_mask)) for segment in by_size[:-1]
    )
    return [path for paths in live for path in paths]


def list_changed(before: Snapshot, after: Snapshot) -> list[str] | None:
    """Return the paths that may differ between two generations, sorted; None when there are too many.

    Segments that both generations have are skipped, except for files that died in between, so the cost
    depends on the number of changes, not of files.
    """
    was = {segment.name: segment for segment in before.segments}
    now = {segment.name: segment for segment in after.segments}
    changed: list[str] = []
    for name in was.keys() ^ now.keys():
        segment = was.get(name) or now[name]
        if segment.entry.live_files > MANY_FILES:
            return None
        live = np.flatnonzero(segment.live_file_mask)
        changed += segment.reader.files.read_paths_of(live)
    for name in was.keys() & now.keys():
        died = set(now[name].entry.dead_files) ^ set(was[name].entry.dead_files)
        changed += [now[name].reader.files.read_path(file) for file in sorted(died)]
    return sorted(set(changed)) if len(changed) <= MANY_FILES else None


def _order(files: list[WantedFile]) -> tuple[WantedFile, ...]:
    if len(files) <= FEW_FILES:
        return tuple(sorted(files, key=lambda file: (file.size, file.path)))
    rank = make_ranker()
    by_path = sorted(files, key=lambda file: file.path)  # the ranker then reads each directory once
    return tuple(sorted(by_path, key=lambda file: rank(file.path)))
