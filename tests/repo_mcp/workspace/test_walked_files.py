"""Columns of walked files against their records."""

from __future__ import annotations

import pytest

from repo_mcp.file_stat import FileStat
from repo_mcp.model import WalkedFile
from repo_mcp.workspace import walked_files
from repo_mcp.workspace.walked_files import SIZE_COLUMN, FileColumns, build_walked_files

FILES = [
    WalkedFile(f"{name}.py", FileStat(size, size + 1, size + 2, size + 3)) for size, name in enumerate("abcd")
]


@pytest.mark.parametrize("positions", [[], [2], [0, 3], [0, 1, 2, 3]])
def test_some_of_the_files(positions: list[int]) -> None:
    taken = build_walked_files(FILES).take(positions)
    assert list(taken) == [FILES[position] for position in positions]
    assert taken.stats[:, SIZE_COLUMN].tolist() == positions


@pytest.mark.parametrize("unpacked", [0, 5, 1_000])
def test_columns_are_the_same_however_many_are_packed_at_once(
    monkeypatch: pytest.MonkeyPatch, unpacked: int
) -> None:
    monkeypatch.setattr(walked_files, "_UNPACKED", unpacked)
    columns = FileColumns()
    for number in range(6):
        columns.add([f"{number}.c"], [number, number, 1 << 64 if number == 3 else -1, number])
        assert columns.cut(number).stats.tolist() == [[number, number, 0 if number == 3 else -1, number]]
    found = columns.finish()
    assert (found.paths[-1], found.stats[:, SIZE_COLUMN].tolist()) == ("5.c", [0, 1, 2, 3, 4, 5])
