"""What a round of the structure phase has to do: the lexical index beside the structure index.

A file is done when the structure index has its path with the fingerprint that the lexical index has, whatever
its times. What the lexical index does not hold, or no parser is there for, is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

import numpy as np

from index_format import FINGERPRINT_BYTES, Snapshot
from repo_mcp.index.known_files import KnownFiles

FEW_FILES = 200  # changed: then the small ones first; else in path order, as they lie on the medium

FindTask = Callable[[str, str], str | None]  # path and language to the name of a task


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
    """What there is to do."""

    files: tuple[WantedFile, ...]  # to parse, in the order in which to do it
    gone: tuple[str, ...]  # to drop
    done_files: int  # that are as they should be
    done_bytes: int
    bytes: int  # of `files`

    @property
    def total_files(self) -> int:
        """Files that should have a record."""
        return self.done_files + len(self.files)

    @property
    def total_bytes(self) -> int:
        """Bytes of those files."""
        return self.done_bytes + self.bytes


def iter_wanted(lexical: Snapshot, find_task: FindTask) -> Iterator[WantedFile]:
    """The files of the lexical index for which there is a parser. Raises IndexFormatError, OSError."""
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
    """All that there is to do, with what the structure index knows. Raises IndexFormatError, OSError."""
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


def plan_named(lexical: Snapshot, known: KnownFiles, find_task: FindTask, paths: Collection[str]) -> Plan:
    """What there is to do about some files. Raises as `plan_round` does."""
    wanted = {file.path: file for file in iter_wanted(lexical, find_task) if file.path in paths}
    files = [file for file in wanted.values() if known.find_fingerprint(file.path) != file.fingerprint]
    gone = [path for path in sorted(paths) if path not in wanted and known.find(path) is not None]
    size = sum(file.size for file in files)
    total = sum(file.size for file in wanted.values())
    return Plan(_order(files), tuple(gone), len(wanted) - len(files), total - size, size)


def _order(files: list[WantedFile]) -> tuple[WantedFile, ...]:
    if len(files) <= FEW_FILES:
        return tuple(sorted(files, key=lambda file: (file.size, file.path)))
    return tuple(sorted(files, key=lambda file: file.path))
