from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bench.economy.ripgrep import Ripgrep

WAREHOUSE = '''"""Where goods are kept."""


class Warehouse:
    """Shelves with crates."""

    def __init__(self, shelves: int) -> None:
        self.shelves = shelves
        self.crates: list[str] = []

    def reserve_crate(self, label: str) -> bool:
        """Keep a crate for one order until it is paid."""
        if len(self.crates) >= self.shelves:
            return False
        self.crates.append(label)
        return True
'''
FILLER = '''"""Module {number} about weather."""


def measure_rain_{number}(hours: int) -> int:
    return hours * {number}
'''
TEST = "def test_crate():\n    crate = crate_of()\n    assert crate\n"


def write_shop(root: Path) -> Path:
    """Make a tree: a module about crates, its test, and modules about rain."""
    (root / "tests").mkdir(parents=True)
    (root / "warehouse.py").write_text(WAREHOUSE)
    (root / "tests" / "test_warehouse.py").write_text(TEST)
    for number in range(12):
        (root / f"rain_{number}.py").write_text(FILLER.format(number=number))
    return root


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return the tree `shop` in a folder of trees."""
    return write_shop(tmp_path / "trees" / "shop")


@pytest.fixture
def ripgrep(tree: Path) -> Ripgrep:
    """Return the real program over the tree."""
    program = shutil.which("rg")
    if program is None:
        pytest.skip("ripgrep (rg) is not installed")
    return Ripgrep(program, tree)
