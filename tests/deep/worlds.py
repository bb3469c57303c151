"""A small tree with indexes of an older state, made once and copied for each fault."""

from __future__ import annotations

import random
import shutil
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tests.deep.answers import LINKED_FILES, ask_anew, open_repository, renew
from tests.deep.sizes import IS_DEEP
from tests.repo_mcp.trees import add_file, make_tree

FILES = 18 if IS_DEEP else 8


@dataclass(frozen=True, slots=True)
class World:
    """A tree that changed after its indexes were committed, and the right answers now."""

    root: Path
    before: Path  # a data directory with indexes of the tree before it changed
    expected: list[str]

    def copy_data(self, place: Path) -> Path:
        """Return a copy under the name with which the indexes were made: they are bound to it."""
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self.before, place, symlinks=True)
        return place


def make_linked_tree(root: Path, seed: int, files: int) -> Path:
    """Return a tree of files as `make_tree` makes them, and a few that call each other."""
    make_tree(root, seed, files)
    for path, text in LINKED_FILES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    return root


def change_tree(root: Path, seed: int) -> None:
    """Change a tree: add or change four files, delete one, and add an edge."""
    draw = random.Random(seed)
    for _ in range(4):
        add_file(root, draw)
    min(path for path in root.rglob("*") if path.is_file()).unlink()
    (root / "linked" / "late.py").write_text(LINKED_FILES["linked/more.py"].replace("_more", "_late"))


def make_world(place: Path, seed: int = 5) -> World:
    """Return a world below a directory. The indexes lie where `copy_data` of the tests puts them too."""
    root = make_linked_tree(place / "root", seed, FILES)
    data = place / "data"
    with closing(open_repository(root, data)) as repository:
        renew(repository)
    before = place / "before"
    data.rename(before)
    change_tree(root, seed + 1)
    return World(root, before, ask_anew(root))
