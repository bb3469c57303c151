"""Recipe R1 for a first index that begins with that of another checkout: servers killed meanwhile.

After each kill the next server answers at once, and after one refresh as a server that built its index from
nothing, and the donor is what it was, byte for byte. `tests/deep/fault_rounds.py` kills at each operation.
"""

from __future__ import annotations

import random
import shutil
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.deep.ledger import LEDGER, Row
from tests.deep.served import PATIENCE_SECONDS, Served, wait_until
from tests.deep.sizes import scale
from tests.posix import posix
from tests.repo_mcp.git_trees import GitTree, with_git
from tests.repo_mcp.sibling_trees import change, make_main

pytestmark = [with_git, posix]

SEED = 53
KILL_ROUNDS = scale(100)
INDEXES = 2


@dataclass(frozen=True, slots=True)
class Adoption:
    """A work tree that was changed, beside the one whose index its own begins with."""

    root: Path
    data: Path
    donor: Path
    usual_seconds: float  # from the call until both indexes have been committed
    expected: list[str]

    def list_donated(self) -> dict[str, tuple[int, int, bytes]]:
        """Return what lies at the donor: files, with inodes, times and bytes."""
        return {
            path.relative_to(self.donor).as_posix(): (facts.st_ino, facts.st_mtime_ns, path.read_bytes())
            for path in sorted(self.donor.rglob("*"))
            if path.is_file() and (facts := path.stat())
        }


def ask_to_index(server: Served) -> None:
    """Send the call, and wait for no answer."""
    server.send("tools/call", {"name": "index_codebase", "arguments": {"path": "."}})


def _prepare(place: Path) -> Adoption:
    """Build the index of the work tree from nothing, then the donor's, and then see it taken over."""
    main = make_main(place)
    donor = main.root / ".repo_mcp"
    tree: GitTree = main.add_work_tree(place / "work")
    tree.settle()
    change(tree)
    data = tree.root / ".repo_mcp"
    with Served(tree.root, data) as server:
        server.settle()
        assert server.call("repo.status")["result"].get("origin", "") == ""
        expected = server.ask_all(tree.root)
    shutil.rmtree(data)
    with Served(main.root, donor) as server:
        server.settle()
    with Served(tree.root, data) as server:
        started = time.monotonic()
        ask_to_index(server)
        assert wait_until(lambda: len(list(data.glob("*/manifest"))) == INDEXES, PATIENCE_SECONDS)
        usual = time.monotonic() - started
        server.settle()
        assert "another work tree" in server.call("repo.status")["result"]["origin"]
        assert server.ask_all(tree.root) == expected
    return Adoption(tree.root, data, donor, usual, expected)


def _kill_rounds(place: Path, rounds: int, row: Row) -> None:
    adoption = _prepare(place)
    donated = adoption.list_donated()
    draw = random.Random(SEED)
    left: Counter[int] = Counter()  # kills, by how many of the two indexes had been committed
    for _ in range(rounds):
        shutil.rmtree(adoption.data)
        with Served(adoption.root, adoption.data) as server:
            ask_to_index(server)
            time.sleep(draw.uniform(0, 1.2 * adoption.usual_seconds))
            server.kill()
        left[len(list(adoption.data.glob("*/manifest")))] += 1
        assert adoption.list_donated() == donated
        with Served(adoption.root, adoption.data) as server:
            assert server.call("repo.list_files")["ok"]
            server.settle()
            assert server.ask_all(adoption.root) == adoption.expected
        assert adoption.list_donated() == donated
        assert list(adoption.data.rglob("*.tmp")) == []
        row.rounds += 1
        row.faults += 1
        row.note = f"killed with no index {left[0]}, with one {left[1]}, with both {left[2]}"


def test_some_kills_of_an_adoption(tmp_path: Path) -> None:
    with LEDGER.suite("R1 killed adoptions") as row:
        _kill_rounds(tmp_path, 1, row)


@pytest.mark.deep
def test_many_kills_of_an_adoption(tmp_path: Path) -> None:
    with LEDGER.suite("R1 killed adoptions") as row:
        _kill_rounds(tmp_path, KILL_ROUNDS, row)
