"""How much of a fix a bundle holds: changed lines, the functions around them, and a whole run with Git."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from bench.quality import bundles
from bench.quality.bundles import Overlap, grow_to_functions, main, read_changed, render, write_tree
from bench.quality.run import open_repository
from bench.quality.tasks import Tree

BEFORE = """\
LIMIT = 1


def reserve(label):
    full = False
    if full:
        return None
    return label
"""
AFTER = BEFORE.replace("    full = False\n", "    full = len(label) > LIMIT\n")
FIX = "reserve says full when the label is longer than the limit"


def git(root: Path, *arguments: str) -> str:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *who, *arguments], cwd=root, capture_output=True, check=True)
    return done.stdout.decode().strip()


@pytest.fixture
def fixed(tmp_path: Path) -> tuple[Path, str]:
    """Return a git directory where `bench.quality.bundles` looks for it, and the commit of a fix."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    work = tmp_path / "mirror" / "shop+shelf" / "repo"
    work.mkdir(parents=True)
    git(work, "init", "--quiet")
    (work / "shelf.py").write_text(BEFORE)
    (work / "link.py").symlink_to("/nowhere/else")
    git(work, "add", ".")
    git(work, "commit", "--quiet", "-m", "first")
    (work / "shelf.py").write_text(AFTER)
    git(work, "commit", "--quiet", "-a", "-m", FIX)
    return work / ".git", git(work, "rev-parse", "HEAD")


def test_the_tree_of_the_parent_and_what_the_fix_changed(fixed: tuple[Path, str], tmp_path: Path) -> None:
    directory, commit = fixed
    root = tmp_path / "tree"
    root.mkdir()
    (root / "old.py").write_text("")
    write_tree(directory, f"{commit}^", root)
    assert [file.name for file in root.iterdir()] == ["shelf.py"]
    assert (root / "shelf.py").read_text() == BEFORE
    touched = read_changed(directory, commit, root, ["shelf.py"], around=0)
    assert touched == {("shelf.py", 5)}
    near = read_changed(directory, commit, root, ["shelf.py"])
    assert near == {("shelf.py", line) for line in range(2, 9)}
    repository = open_repository(Tree("tree", root), tmp_path / "data")
    grown = grow_to_functions(repository, touched | {("shelf.py", 1), ("gone.py", 7)})
    repository.close()
    assert grown == {("gone.py", 7), ("shelf.py", 1), *(("shelf.py", line) for line in range(4, 9))}


def test_a_file_that_git_lacks_is_left_out_of_the_tree(fixed: tuple[Path, str], tmp_path: Path) -> None:
    directory, _ = fixed
    (directory.parent / "table.py").write_text("TABLE = ()\n")
    git(directory.parent, "add", ".")
    git(directory.parent, "commit", "--quiet", "-m", "table")
    blob = git(directory.parent, "rev-parse", "HEAD:table.py")
    (directory / "objects" / blob[:2] / blob[2:]).unlink()
    write_tree(directory, "HEAD", tmp_path / "tree")
    assert [file.name for file in (tmp_path / "tree").iterdir()] == ["shelf.py"]


def test_a_table_has_the_means(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "BUDGETS", (1_000,))
    one = [[Overlap(0.5, 1, 0.6, 1, 10), Overlap(1, 0, 0, 0, 10)]]
    two = [[Overlap(0.1, 0, 0.2, 0, 30), Overlap(0, 1, 0.5, 1, 30)]]
    shown = "0.300 | 0.500 | 0.400 | 0.500 | 0.500 | 0.250 | 0.500"
    assert render([one, two])[2] == f"| 1,000 | 2 | {shown} | 20 |"


def test_a_run(fixed: tuple[Path, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, commit = fixed
    row = {"id": "shelf/1", "repo": "shelf", "commit": commit, "query": FIX, "gold": ["shelf.py"]}
    (tmp_path / "tasks.jsonl").write_text(json.dumps(row) + "\n")
    (tmp_path / "repos.json").write_text(json.dumps([{"name": "shelf", "repo": "shop/shelf"}]))
    given = ["--tasks", tmp_path / "tasks.jsonl", "--repos", tmp_path / "repos.json"]
    arguments = [*map(str, given), "--mirror", str(tmp_path / "mirror")]
    assert main(arguments) == 0
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines()[2:]]
    assert [row[0] for row in rows] == ["| 500", "| 1,000", "| 2,000"]
    for row in rows:
        found = int(row[-1].removesuffix(" |"))
        assert 5 <= found <= 8  # the function, and at most the whole file
        assert (row[1], row[6], row[8]) == ("1", "1.000", "1.000")
        assert float(row[5]) == pytest.approx(5 / found, abs=0.001)
    assert main([*arguments, "--only", "other"]) == 1


def test_lines_that_end_as_on_windows_are_found(tmp_path: Path, fixed: tuple[Path, str]) -> None:
    work = fixed[0].parent
    git(work, "config", "core.autocrlf", "false")
    for text in (BEFORE, AFTER):
        (work / "door.py").write_bytes(text.replace("\n", "\r\n").encode())
        git(work, "add", ".")
        git(work, "commit", "--quiet", "-m", "on Windows")
    root = tmp_path / "tree"
    write_tree(fixed[0], "HEAD^", root)
    assert read_changed(fixed[0], "HEAD", root, ["door.py"], around=0) == {("door.py", 5)}
