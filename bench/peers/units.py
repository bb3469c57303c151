"""The ranking units of our index, for the other engines: all engines get the same pieces of text.

    one line a file, JSON:  [path, [bytes of each unit's normalised text], [lines of each unit]]

Left out on purpose: the text. Each engine's process reads the files itself, as ours does; it is spared the
walk and the cutting. Of our modules only the decoding is imported, which is light: the other engines'
processes must not pay for numpy.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from repo_mcp.text.lines import decode_source


@dataclass(frozen=True, slots=True)
class CutFile:
    """The cuts of one file."""

    path: str
    sizes: list[int]  # bytes of each unit
    lines: list[int]  # of each unit


@dataclass(frozen=True, slots=True)
class Unit:
    """One document of another engine."""

    path: str
    line: int  # first
    text: str


def iter_cut_files(position: Path) -> Iterator[CutFile]:
    """Yield the files in path order."""
    with position.open() as lines:
        for line in lines:
            yield CutFile(*json.loads(line))


def read_cut_files(position: Path, paths: Sequence[str]) -> list[CutFile]:
    """Return the cuts of the files with these paths."""
    wanted = set(paths)
    return [file for file in iter_cut_files(position) if file.path in wanted]


def read_units(root: Path, file: CutFile) -> Iterator[Unit]:
    """Yield the units of one file as it is now; text that was added at its end belongs to the last one."""
    data = decode_source((root / file.path).read_bytes()).data
    start, line, last = 0, 1, len(file.sizes) - 1
    for number, (size, lines) in enumerate(zip(file.sizes, file.lines, strict=True)):
        end = len(data) if number == last else start + size
        yield Unit(file.path, line, data[start:end].decode("utf-8", "replace"))
        start, line = end, line + lines


def iter_units(root: Path, position: Path) -> Iterator[Unit]:
    """Yield all units of a tree."""
    for file in iter_cut_files(position):
        yield from read_units(root, file)
