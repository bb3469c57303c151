"""`repo-mcp outline` as people run it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from tests.forked import run_program

PROJECT = Path(__file__).resolve().parents[3]
SOURCE = 'class A:\n    """About."""\n    def m(self, x: int = 1) -> None: ...\n\nLIMIT = 3\n'


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: os.environ[name] for name in ("PATH", "XDG_STATE_HOME")}
    environment |= {"PYTHONPATH": str(PROJECT), "HOME": str(root.parent)}
    return run_program(("outline", *arguments), cwd=root, env=environment)


def test_declarations_are_printed_with_their_lines(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SOURCE)
    done = run(tmp_path, "a.py")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "1-3  class A  class",
        "3-3    def m(self, x: int = 1) -> None  method",
        "5-5  LIMIT = 3  constant",
    ]


def test_json_is_the_record(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SOURCE)
    found = json.loads(run(tmp_path, "a.py", "--json").stdout)
    assert (found["parser"], found["truncated"], found["warnings"]) == ("ast", False, [])
    assert [one["name"] for one in found["symbols"]] == ["A", "m", "LIMIT"]
    assert found["symbols"][1]["parent_symbol"] == "A"


def test_what_does_not_parse_is_said_on_stderr(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(:\n")
    done = run(tmp_path, "a.py")
    assert done.returncode == 0
    assert done.stdout == ""
    assert "No declaration is listed.\n" in done.stderr
    assert "syntax error at line 1" in done.stderr
    assert "A search of the file for the regex `def |class ` shows what it declares." in done.stderr
    (tmp_path / "b.py").write_text("1 + 1\n")
    assert run(tmp_path, "b.py").stderr == "The file declares nothing.\n"
    assert run(tmp_path, "missing.py").returncode == 3
