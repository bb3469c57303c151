"""Columns of walked files against their records."""

from __future__ import annotations

import pytest

from repo_mcp.file_stat import FileStat
from repo_mcp.model import WalkedFile
from repo_mcp.workspace.walked_files import SIZE_COLUMN, build_walked_files

FILES = [
    WalkedFile(f"{name}.py", FileStat(size, size + 1, size + 2, size + 3)) for size, name in enumerate("abcd")
]


@pytest.mark.parametrize("positions", [[], [2], [0, 3], [0, 1, 2, 3]])
def test_some_of_the_files(positions: list[int]) -> None:
    taken = build_walked_files(FILES).take(positions)
    assert list(taken) == [FILES[position] for position in positions]
    assert taken.stats[:, SIZE_COLUMN].tolist() == positions
