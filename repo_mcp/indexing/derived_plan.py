"""Plans a round of a derived index by comparing it with the lexical index.

A file is done when the derived index has its path with the same fingerprint as the lexical index, whatever
its times. A file that the lexical index lacks, or that no parser accepts, is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

import numpy as np

from index_format import FINGERPRINT_BYTES, SIZE, LiveSegment, Snapshot
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.indexing.likely_order import make_ranker

MANY_FILES = 5_000  # when more may have changed, all are compared, which takes no longer
FEW_FILES = 200  # up to so many, the small ones come first; of more the likeliest

FindTask = Callable[[str, str], str | None]  # (path, language) -> name of a task, if any


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

    files: tuple[WantedFile, ...]  # to parse, in order
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


def iter_wanted(lexical: Snapshot, find_task: FindTask) -> Iterator[WantedFile]:
    """Yield the files of the lexical index that a parser accepts. Raises IndexFormatError, OSError."""
    for segment in lexical.segments:
        table = segment.reader.read_file_table()
        languages = [table.language_names[number] for number in table.languages.tolist()]
        sizes = table.sizes.tolist()
        for file in np.flatnonzero(segment.live_file_mask).tolist():
            path = table.paths[file].decode()
            task = find_task(path, languages[file])
            if task is not None:
                start = file * FINGERPRINT_BYTES
                fingerprint = table.fingerprints[start : start + FINGERPRINT_BYTES]
                yield WantedFile(path, fingerprint, sizes[file], languages[file], task)


def plan_round(lexical: Snapshot, indexed: KnownFiles, find_task: FindTask) -> Plan:
    """Return the plan for all files, given what is indexed already. Raises IndexFormatError, OSError."""
    known = dict(indexed.iter_prints())
    files: list[WantedFile] = []
    done_files = done_bytes = 0
    for file in iter_wanted(lexical, find_task):
        if known.pop(file.path, None) == file.fingerprint:
            done_files += 1
            done_bytes += file.size
        else:
            files.append(file)
            known.pop(file.path, None)
    return Plan(_order(files), tuple(sorted(known)), done_files, done_bytes, sum(file.size for file in files))


def count_done(lexical: Snapshot, indexed: KnownFiles, find_task: FindTask) -> tuple[int, int]:
    """Return how many files have a record of what they are now, and how many should have one.

    It is what a plan says, without its order, which takes half the time. Raises as `plan_round` does.
    """
    known = dict(indexed.iter_prints())
    is_done = [known.get(file.path) == file.fingerprint for file in iter_wanted(lexical, find_task)]
    return sum(is_done), len(is_done)


def plan_named(lexical: Snapshot, indexed: KnownFiles, find_task: FindTask, paths: Collection[str]) -> Plan:
    """Return the plan for the given paths alone. Raises as `plan_round` does."""
    places = KnownFiles(lexical)
    segments = {segment.name: segment for segment in lexical.segments}
    files: list[WantedFile] = []
    gone: list[str] = []
    done_files = done_bytes = 0
    for path in sorted(set(paths)):
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
    return Plan(_order(files), tuple(gone), done_files, done_bytes, sum(file.size for file in files))


def _read_wanted(segment: LiveSegment, file: int, path: str, find_task: FindTask) -> WantedFile | None:
    files = segment.reader.files
    language = segment.reader.take_languages(np.array([file]))[0]
    task = find_task(path, language)
    if task is None:
        return None
    size = int(files.read_column(SIZE, file, file + 1)[0])
    return WantedFile(path, files.take_fingerprints(np.array([file]))[0], size, language, task)


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
    return tuple(sorted(sorted(files, key=lambda file: file.path), key=lambda file: rank(file.path)))
