"""Commands below the root of a repository: one index, and paths as they are written there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from repo_mcp.cli.console.working_root import WorkingRoot
from tests.repo_mcp.cli.program import make_tree, run


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    made = make_tree(tmp_path)
    (made / ".git").mkdir()
    return made


def run_in(directory: Path, *arguments: str) -> tuple[int, str]:
    """Run a command in a directory of the tree; return how it ended, and what it printed."""
    home = next(place for place in directory.parents if (place / "home").is_dir()) / "home"
    done = run(directory, *arguments, HOME=str(home))
    return done.returncode, done.stdout


def test_every_command_below_the_root_works_on_the_repository(tree: Path) -> None:
    below = tree / "src" / "ledger"
    assert run_in(below, "index")[0] == 0
    for command in (["search", "checksum"], ["status"], ["bundle", "checksum"], ["report"], ["compact"]):
        assert run_in(below, *command)[0] == 0, command
    assert [path.parent for path in tree.rglob(".repo_mcp")] == [tree]
    settings = json.loads(run_in(below, "config", "--json")[1])["settings"]
    assert settings["repo_root"] == {"value": str(tree), "source": "default"}


def test_paths_are_shown_and_read_from_where_a_person_stands(tree: Path) -> None:
    below = tree / "src" / "ledger"
    _, exact = run_in(below, "search", "-F", "uint32_t ledger_checksum", "--glob", "*.c")
    assert exact.startswith("../checksum.c:7:")
    _, ranked = run_in(below, "search", "where is a transfer posted", "--top-k", "1")
    assert ranked.startswith(" 1. accounts.py:")
    assert run_in(below, "open", "../checksum.c:7-7")[1].endswith("length)\n")
    assert "class Account" in run_in(below, "outline", "accounts.py")[1]
    assert run_in(below, "open", "../../../home")[0] == 2  # outside the root


def test_documents_for_programs_have_paths_from_the_root(tree: Path) -> None:
    below = tree / "src"
    _, found = run_in(below, "search", "-F", "uint32_t ledger_checksum", "--glob", "*.c", "--json")
    assert json.loads(found)["matches"][0]["path"] == "src/checksum.c"
    assert json.loads(run_in(below, "outline", "checksum.c", "--json")[1])["path"] == "src/checksum.c"
    assert "src/checksum.c" in run_in(below, "bundle", "fix ledger_checksum")[1]


def test_a_root_that_is_named_is_that_directory_alone(tree: Path) -> None:
    _, found = run_in(tree / "src", "search", "-F", "uint32_t ledger_checksum", "--repo-root", ".")
    assert found.startswith("checksum.c:7:")
    assert (tree / "src" / ".repo_mcp").is_dir()


def test_a_directory_in_no_repository_is_searched_itself(tree: Path) -> None:
    (tree / ".git").rmdir()
    _, found = run_in(tree / "src", "search", "-F", "uint32_t ledger_checksum")
    assert found.startswith("checksum.c:7:")


def test_a_home_is_not_searched_unless_it_is_named(tree: Path) -> None:
    home = tree.parent / "home"
    (home / ".git").mkdir()
    for place in (home, tree.parent):
        done = run(place, "search", "checksum", HOME=str(home))
        assert (done.returncode, done.stdout) == (2, "")
        assert "--repo-root" in done.stderr
        assert done.stderr.count("\n") == 1
    assert run(home, "search", "checksum", "--repo-root", ".", HOME=str(home)).returncode == 1
    assert not (tree.parent / ".repo_mcp").exists()


@pytest.mark.parametrize(
    ("below", "path", "shown"),
    [
        ("", "a/b.c", "a/b.c"),
        ("a", "a/b.c", "b.c"),
        ("a/x", "a/b.c", "../b.c"),
        ("x", "a/b.c", "../a/b.c"),
        ("a", "a", "."),
    ],
)
def test_a_path_is_shown_as_it_can_be_read_again(below: str, path: str, shown: str) -> None:
    root = WorkingRoot("/r", below)
    assert root.show(path) == shown
    assert root.read(shown) == path


def test_an_absolute_path_below_the_root_is_searched(tree: Path) -> None:
    _, found = run_in(tree / "src" / "ledger", "search", "-F", "-l", "uint32_t", str(tree / "src"))
    assert found == "../checksum.c\n"
    assert run_in(tree, "search", "-F", "uint32_t", f"{tree}-2")[0] == 2
    assert run_in(tree, "search", "-F", "-l", "uint32_t", str(tree))[1].splitlines()[-1] == "src/checksum.c"


def test_absolute_paths_stay_as_they_are() -> None:
    assert WorkingRoot("/r", "a").read("/r/b.c") == "/r/b.c"
