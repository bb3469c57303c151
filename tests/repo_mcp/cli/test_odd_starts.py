"""Commands started as schedulers and shells may do it: without a stream, a locale or a working directory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repo_mcp.cli.program import PROJECT, make_tree

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="descriptors, locales and deletion of POSIX")


def start(
    tree: Path, script: str, *arguments: str, place: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a command through a line of a shell, in which "$@" stands for it."""
    command = [sys.executable, "-m", "repo_mcp", *arguments, "--repo-root", str(tree)]
    environment = {"PYTHONPATH": str(PROJECT), "HOME": str(tree.parent / "home"), "PATH": os.environ["PATH"]}
    return subprocess.run(
        ["/bin/sh", "-c", script, "sh", *command],
        cwd=place or tree,
        env=environment | variables,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return make_tree(tmp_path)


@pytest.mark.parametrize(("closed", "answered"), [("0<&-", True), ("1>&-", False), ("2>&-", True)])
def test_a_closed_stream_is_no_failure(tree: Path, closed: str, answered: bool) -> None:
    done = start(tree, f'"$@" {closed}', "search", "checksum")
    assert (done.returncode, bool(done.stdout)) == (0, answered)
    assert "Traceback" not in done.stdout + done.stderr


def test_a_locale_without_utf_8_is_no_failure(tree: Path) -> None:
    done = start(tree, '"$@"', "search", "checksum", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0)


def test_a_deleted_working_directory_is_no_failure(tree: Path) -> None:
    gone = tree.parent / "gone"
    gone.mkdir()
    done = start(tree, 'rmdir "$PWD"; "$@"', "search", "checksum", place=gone)
    assert (done.returncode, "checksum" in done.stdout) == (0, True)


@pytest.mark.parametrize("line", ["help", "--version", "search --help", "serve --help", "search checksum"])
def test_a_reader_that_has_ended_is_no_failure(tree: Path, line: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "repo_mcp", *line.split()],
            cwd=tree,
            env={"PYTHONPATH": str(PROJECT), "HOME": str(tree.parent / "home"), "PATH": os.environ["PATH"]},
            stdout=writing,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")
