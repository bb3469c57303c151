"""The system fails to read an index, on a medium or over a network that is at fault for a while.

Every tool then says so or answers without the index. Nothing is taken for damage: what is there is not
rebuilt, and answers as before when it can be read again.
"""

from __future__ import annotations

import errno
import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from index_format.disk_directory import DiskFile
from repo_mcp.repository import Repository
from tests.deep.answers import ask_briefly, is_honest, open_repository, renew
from tests.deep.sizes import choose
from tests.deep.worlds import make_linked_tree

ROUNDS = choose(2, 60)
READS = 150  # about as many as the calls of a round make before they have what they need


class FailingReads:
    """Reads of an index, which fail while `left` is 0; it counts down."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left = -1
        self.failed = 0
        read = DiskFile.read

        def read_or_fail(file: DiskFile, offset: int, size: int) -> bytes:
            if self.left == 0:
                self.failed += 1
                raise OSError(errno.EIO, "as the system says it", f"/secret/{file.name}")
            self.left -= 1
            return read(file, offset, size)

        monkeypatch.setattr(DiskFile, "read", read_or_fail)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_linked_tree(tmp_path / "root", 7, 8)


@pytest.fixture
def repository(root: Path, tmp_path: Path) -> Iterator[Repository]:
    with closing(open_repository(root, tmp_path / "data")) as repository:
        renew(repository)
        yield repository


@pytest.mark.sized
def test_a_read_that_fails_is_no_damage_and_no_defect(
    root: Path, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = FailingReads(monkeypatch)
    right = ask_briefly(repository, root)
    manifests = {path: path.read_bytes() for path in tmp_path.glob("data/*/manifest")}
    draw = random.Random(7)
    for _ in range(ROUNDS):
        with closing(open_repository(root, tmp_path / "data")) as again:
            reads.left = draw.randrange(READS)
            found = ask_briefly(again, root)
            reads.left = -1
            assert {
                call for call, answer in found.items() if not is_honest(answer, right.get(call, "{}"))
            } == set()
            assert "secret" not in "".join(found.values())
            assert ask_briefly(again, root) == right
    assert reads.failed
    assert {path: path.read_bytes() for path in manifests} == manifests
