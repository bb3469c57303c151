"""Commands in documents and in `--help` are run on the tiny repository, and their output compared.

In a block `console` a line that begins with `$` is a command and what follows is what it prints; `...` stands
for any text. Commands in blocks `sh` and under "Examples:" of a command's help have to end well.
"""

from __future__ import annotations

import io
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from repo_mcp.cli.app import app, run
from tests.architecture.source_tree import ROOT

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CORPUS = ROOT / "tests" / "corpus" / "tiny_repo"
FOUND = (0, 1)  # done, or nothing found
PLACEHOLDERS = {"ROOT", "DIR", "CLIENT", "FILE"}  # what a reader has to put something in the place of


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the tiny repository, and the current directory; an empty home."""
    shutil.copytree(CORPUS, tmp_path / "tiny_repo")
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "CODEX_HOME", "COPILOT_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path / "tiny_repo")
    return tmp_path / "tiny_repo"


def iter_blocks(kind: str) -> Iterator[tuple[str, str]]:
    for document in DOCUMENTS:
        for block in re.findall(rf"```{kind}\n(.*?)```", document.read_text(encoding="utf-8"), re.DOTALL):
            yield document.name, block


def list_sessions() -> list[tuple[str, list[tuple[str, str]]]]:
    """The blocks `console`: command and output of each step."""
    return [
        (
            name,
            [
                (one.group(1), one.group(2))
                for one in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M)
            ],
        )
        for name, block in iter_blocks("console")
    ]


def iter_examples() -> Iterator[str]:
    """Every command line of ours in the documents and the help."""
    program = typer.main.get_command(app)
    helps = [program.help, *(one.help for one in program.commands.values())]  # type: ignore[attr-defined]
    texts = [*(text or "" for text in helps), *(block for _, block in iter_blocks("sh"))]
    for text in texts:
        for line in re.findall(r"^ *(repo-mcp .*)$", text.replace("\b", ""), re.MULTILINE):
            if not PLACEHOLDERS & set(line.split()):
                yield re.split(r" {2,}|\s#|\s[|<>]", line)[0].strip()


def run_line(line: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    words = shlex.split(line)
    assert words[0] == "repo-mcp"
    code = run(words[1:])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def matches(shown: str, printed: str) -> bool:
    """True when what a document shows is what was printed, `...` aside."""
    pattern = ".*".join(map(re.escape, shown.split("...")))
    return re.fullmatch(pattern, printed, re.DOTALL) is not None


@pytest.mark.parametrize(
    ("document", "steps"), list_sessions(), ids=lambda one: one if isinstance(one, str) else ""
)
def test_sessions_are_what_is_printed(
    tiny: Path, capsys: pytest.CaptureFixture[str], document: str, steps: list[tuple[str, str]]
) -> None:
    assert steps, document
    for command, shown in steps:
        code, printed, said = run_line(command, capsys)
        assert code == 0, (command, said)
        assert matches(shown, printed), f"{command}\n{printed}"


def test_there_are_sessions_in_the_documents() -> None:
    assert {name for name, _ in list_sessions()} >= {"README.md", "troubleshooting.md"}


@pytest.mark.parametrize("line", sorted(set(iter_examples())))
def test_examples_run(
    tiny: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("Why does a transfer fail?"))
    line = line.replace("/tmp/report.html", str(tiny.parent / "report.html"))
    code, printed, said = run_line(line, capsys)
    assert code in FOUND, said
    assert printed or "--write" in line


def test_every_command_has_examples() -> None:
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    without = {name for name, one in commands.items() if "Examples:" not in (one.help or "")}
    assert without == {"serve", "config", "doctor"}  # their help is the server's parser's


def test_figures_of_the_readme_are_those_of_the_bench() -> None:
    table = (ROOT / "README.md").read_text(encoding="utf-8").split("## Performance")[1].split("## Licence")[0]
    measured = (ROOT / "bench" / "results" / "peers-linux-source-6.1.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| ([\d.,]+ \w+) \|$", table, re.MULTILINE)
    assert len(rows) == 10
    for what, figure in rows:
        assert f"| {what} | {figure} |" in measured, what
    assert "78,204 files, 1,006 MB of text" in measured
