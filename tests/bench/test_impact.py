"""The measurement of impact, on a repository of Git with one commit that changes three files."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from bench.impact.checkout import Checkout
from bench.impact.measure import (
    EDGES,
    FULL,
    HALVES,
    TESTS,
    WORDS,
    Commit,
    find_git_dir,
    measure,
    read_commits,
    render_languages,
    render_table,
)

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
BEFORE = {
    "shop/money.py": "def add(one, other):\n    return one + other\n",
    "shop/orders.py": "from shop.money import add\n\n\ndef place(a, b):\n    return add(a, b)\n",
    "tests/test_orders.py": "from shop.orders import place\n\n\ndef test_place():\n    assert place(1, 2)\n",
    "docs/notes.md": "# Notes\n",
}
AFTER = {
    "shop/money.py": "def add(one, other, fee):\n    return one + other + fee\n",
    "shop/orders.py": "from shop.money import add\n\n\ndef place(a, b):\n    return add(a, b, 0)\n",
    "tests/test_orders.py": "from shop.orders import place\n\n\ndef test_place():\n    assert place(1, 3)\n",
}


def _git(place: Path, *arguments: str) -> str:
    command = ["git", "-C", str(place), "-c", "user.name=t", "-c", "user.email=t@t", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _commit(place: Path, files: dict[str, str]) -> str:
    for path, text in files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text)
    _git(place, "add", "-A")
    _git(place, "commit", "-q", "-m", "a commit")
    return _git(place, "rev-parse", "HEAD")


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    place = tmp_path / "mirror" / "own+shop" / "repo"
    place.mkdir(parents=True)
    _git(place, "init", "-q")
    _commit(place, BEFORE)
    return tmp_path / "mirror"


def test_a_commit_is_found_by_its_edges(mirror: Path, tmp_path: Path) -> None:
    git_dir = find_git_dir(mirror, "own/shop")
    assert git_dir is not None
    name = _commit(mirror / "own+shop" / "repo", AFTER)
    commit = Commit("shop/1", "shop", "python", name, ("shop/money.py", "shop/orders.py"))
    gone = Commit("shop/2", "shop", "python", "0" * 40, ("a", "b"))
    missing: list[str] = []
    (found,) = measure([commit, gone], {"shop": git_dir}, tmp_path / "scratch", missing)
    assert missing == ["shop/2: not in the repository"]
    assert found.ranks == {FULL: [0], EDGES: [0], WORDS: [0], TESTS: [0]}
    assert found.wanted == dict.fromkeys((FULL, EDGES, WORDS, TESTS), 1)
    rows = list(render_table([found]))
    assert f"| {commit.half} | impact | 1 | 100% | 1.00 | 1 | 100% |" in rows
    assert not any(row.startswith("| both") for row in rows)
    assert list(render_languages([found]))[-1] == "| python | 1 | 1 |"


def test_a_directory_follows_from_commit_to_commit(mirror: Path, tmp_path: Path) -> None:
    place = mirror / "own+shop" / "repo"
    (place / "docs" / "notes.md").unlink()
    later = _commit(place, AFTER)
    checkout = Checkout(place / ".git", tmp_path / "tree")
    for commit, files in ((f"{later}^", BEFORE), (later, AFTER), (f"{later}^", BEFORE)):
        checkout.move_to(commit)
        held = {
            str(path.relative_to(checkout.tree)): path.read_text()
            for path in checkout.tree.rglob("*")
            if path.is_file()
        }
        assert held == files
        checkout.write("shop/money.py", b"changed in between\n")


def test_commits_with_one_file_are_no_question(tmp_path: Path) -> None:
    rows = [
        {"id": f"shop/{number}", "repo": "shop", "language": "python", "commit": "c", "gold": gold}
        for number, gold in enumerate([["a"], ["a", "b"], ["a", "b", "c"]])
    ]
    file = tmp_path / "commits.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    commits = read_commits(file)
    assert [one.paths for one in commits] == [("a", "b"), ("a", "b", "c")]
    assert {one.half for one in commits} <= set(HALVES)
