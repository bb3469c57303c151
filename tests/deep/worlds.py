"""A small tree with an index of an older state of it, made once and copied for each fault."""

from __future__ import annotations

import random
import shutil
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from repo_mcp.repository import Repository
from tests.deep.answers import ask_anew, configure
from tests.repo_mcp.trees import add_file, make_tree

FILES = 18


@dataclass(frozen=True, slots=True)
class World:
    """A tree that changed since its index was committed, and what is right to answer now."""

    root: Path
    before: Path  # a data directory with an index of the tree before it changed
    expected: list[str]

    def copy_data(self, place: Path) -> Path:
        """A copy under the name that the index was made under: it is bound to it."""
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self.before, place, symlinks=True)
        return place


def make_world(place: Path, seed: int = 5) -> World:
    """A world below a directory. The index lies where `copy_data` of the tests puts it too."""
    root = make_tree(place / "root", seed, FILES)
    data = place / "data"
    with closing(Repository(configure(root, data))) as repository:
        repository.refresh()
    before = place / "before"
    data.rename(before)
    draw = random.Random(seed + 1)
    for _ in range(4):
        add_file(root, draw)
    first = min(path for path in root.rglob("*") if path.is_file())
    first.unlink()
    return World(root, before, ask_anew(root))
