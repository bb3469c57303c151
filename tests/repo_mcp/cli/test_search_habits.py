"""`search` takes what people know from ripgrep and fd: paths, -g, -t, -l, -c, --files; pipes stay clean."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.repo_mcp.cli.program import make_tree, run


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a tree to which tests may add files that hold no zeppelin."""
    root = make_tree(tmp_path_factory.mktemp("habits"))
    for name in ("one.py", "two.py", "lib/three.py", "lib/four.js", "odd,{name}/five.py"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("zeppelin = 1\nrope = zeppelin\n")
    return root


EVERYWHERE = ["lib/four.js", "lib/three.py", "odd,{name}/five.py", "one.py", "two.py"]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ([], EVERYWHERE),
        (["."], EVERYWHERE),
        (["lib"], ["lib/four.js", "lib/three.py"]),
        (["./lib/", "one.py"], ["lib/four.js", "lib/three.py", "one.py"]),
        (["odd,{name}", "two.py"], ["odd,{name}/five.py", "two.py"]),
        (["-g", "*.js"], ["lib/four.js"]),
        (["-g", "o*.py", "-g", "*.js"], ["lib/four.js", "one.py"]),
        (["lib", "-g", "*.py"], ["lib/three.py"]),
        (["lib", "-g", "lib/t*"], ["lib/three.py"]),
        (["-g", "!*.js", "-g", "!odd*/**"], ["lib/three.py", "one.py", "two.py"]),
        (["-g", "*.py", "-g", "!lib"], ["odd,{name}/five.py", "one.py", "two.py"]),
        (["lib", "two.py", "-g", "!*.js"], ["lib/three.py", "two.py"]),
        (["-t", "js"], ["lib/four.js"]),
        (["lib", "--type", "Python"], ["lib/three.py"]),
    ],
    ids=str,
)
def test_paths_globs_and_types_choose_files(tree: Path, arguments: list[str], found: list[str]) -> None:
    for mode in (["-F"], []):
        done = run(tree, "search", "-l", *mode, "zeppelin", *arguments)
        assert (done.returncode, done.stderr) == (0, "")
        assert sorted(done.stdout.splitlines()) == found
    listed = run(tree, "search", "--files", *arguments).stdout.splitlines()
    assert [path for path in listed if path in EVERYWHERE] == found


def test_options_may_stand_between_words(tree: Path) -> None:
    wanted = run(tree, "search", "-F", "-l", "zeppelin", "lib", "one.py").stdout
    assert run(tree, "search", "zeppelin", "-F", "lib", "-l", "one.py").stdout == wanted


def test_a_count_is_of_lines_and_per_file(tree: Path) -> None:
    done = run(tree, "search", "-c", "zeppelin", "lib")
    assert (done.stdout, done.stderr) == ("lib/four.js:2\nlib/three.py:2\n", "")


def test_files_lists_what_would_be_searched(tree: Path) -> None:
    done = run(tree, "search", "--files", "lib")
    assert (done.returncode, done.stdout) == (0, "lib/four.js\nlib/three.py\n")
    assert json.loads(run(tree, "search", "--files", "lib", "--json").stdout) == {
        "files": ["lib/four.js", "lib/three.py"]
    }
    assert run(tree, "search", "--files", "nowhere").returncode == 1


@pytest.mark.parametrize("path", ["..", "../elsewhere", "/etc", ""])
def test_a_path_outside_is_a_usage_error(tree: Path, path: str) -> None:
    done = run(tree, "search", "zeppelin", path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "not inside the repository" in done.stderr


def test_what_is_piped_is_the_answer_alone(tree: Path) -> None:
    cut = run(tree, "search", "zeppelin", "--top-k", "1")
    assert "more with --top-k" in cut.stderr
    assert "more with" not in cut.stdout
    (tree / "long.txt").write_text("line\n" * 1_000)
    opened = run(tree, "open", "long.txt")
    assert opened.stderr == "These are lines 1-200 of 1,000.\n"
    assert len(opened.stdout.splitlines()) == 200


def test_too_large_a_number_is_cut_with_a_note(tree: Path) -> None:
    done = run(tree, "search", "zeppelin", "--top-k", "1000")
    assert done.returncode == 0
    assert done.stderr == "repo-mcp: warning: --top-k is 1,000, but one search returns at most 50 hits.\n"
    assert done.stdout.count("zeppelin = 1") == len(EVERYWHERE)


def test_a_query_may_begin_with_a_dash(tree: Path) -> None:
    (tree / "arrow.py").write_text("def f() -> None: ...\n")
    done = run(tree, "search", "-F", "->")
    assert (done.returncode, done.stdout) == (2, "")
    assert "after --, a word may begin with -" in done.stderr
    found = run(tree, "search", "-F", "-g", "arrow.py", "--", "->")
    assert found.stdout == "arrow.py:1:def f() -> None: ...\n"
