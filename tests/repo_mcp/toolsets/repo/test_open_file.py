"""`repo.open_file`: ranges, arguments that are wrong, and paths that lead nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.repo_mcp.toolsets.repo.opened_roots import SOURCE, Served, serve_sources


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve_sources(tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("data")) as served:
        yield served


def test_a_line_beyond_the_end_is_refused(served: Served) -> None:
    error = served.call(path="a.py", line=22)["error"]
    assert error["message"] == "There is no line 22; the file has 21 lines."


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "path is missing"),
        ({"path": "a.py", "symbol": "run", "line": 3}, "symbol and line exclude each other"),
        ({"path": "a.py", "symbol": "run", "start_line": 3}, "symbol and start_line or end_line exclude"),
        ({"path": "a.py", "line": 0}, "line"),
        (
            {"line": 3, "spans": [{"path": "a.py"}]},
            "spans cannot be combined with other arguments than path and about",
        ),
        ({"line": 3}, "path is missing"),
        ({"spans": [{"path": "a.py", "spans": []}]}, "spans[0].spans"),
        ({"spans": [{"path": "a.py"}] * 21}, "21 entries"),
    ],
)
def test_bad_arguments_are_named(served: Served, arguments: dict[str, Any], words: str) -> None:
    error = served.call(**arguments)["error"]
    assert error["code"] == "invalid_argument"
    assert words in error["message"]


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("pkg/wroker.py", "Similar paths: 'pkg/worker.py'."),  # a slip
        ("src/pkg/worker.py", "Similar paths: 'pkg/worker.py'."),  # from a folder that is not there
        ("worker.py", "Similar paths: 'lib/worker.py', 'pkg/worker.py'."),
        ("deep/worker_pool.py", "Similar paths: 'lib/worker.py', 'pkg/worker.py'."),  # share a word
        ("pkg/id_rs", "List or search the files for its path."),  # never what is denied
        ("pkg/nothing.py", "List or search the files for its path."),
        ("nowhere/at/all.py", "List or search the files for its path."),
    ],
)
def test_a_path_that_leads_nowhere_is_answered_with_those_like_it(
    tmp_path: Path, path: str, hint: str
) -> None:
    root = tmp_path / "root"
    for name in ("pkg/worker.py", "lib/worker.py", "pkg/id_rsa"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(SOURCE)
    served = Served(root, tmp_path / "data")
    try:
        served.repository.refresh()
        error = served.call(path=path)["error"]
        assert (error["code"], error["hint"]) == ("not_found", hint)
    finally:
        served.repository.close()


def test_a_path_that_is_gone_is_not_named_in_its_own_place(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "pkg").mkdir(parents=True)
    (root / "pkg/worker.py").write_text(SOURCE)
    served = Served(root, tmp_path / "data")
    try:
        served.repository.refresh()
        (root / "pkg/worker.py").rename(root / "pkg/workers.py")
        error = served.call(path="pkg/worker.py")["error"]
        assert (error["code"], error["hint"]) == ("not_found", "Similar paths: 'pkg/workers.py'.")
    finally:
        served.repository.close()


def test_a_folder_is_called_one(served: Served) -> None:
    (served.root / "folder").mkdir()
    error = served.call(path="folder")["error"]
    assert error["message"] == "'folder' is a directory."
    assert error["hint"] == "List the files in it to find one."
