"""Commands in documents and in `--help` are run on the tiny repository, and their output compared.

In a block `console` a line that begins with `$` is a command and what follows is what it prints; `...` stands
for any text. Commands in blocks `sh` and under "Examples:" of a command's help have to end well. ROOT
stands for the tiny repository, DIR for a folder with a model.
"""

from __future__ import annotations

import io
import re
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from glob import glob
from pathlib import Path

import pytest

from index_format.__main__ import EXAMPLES as INDEX_EXAMPLES
from index_format.__main__ import main as format_main
from repo_mcp.cli.app import SUMMARIES, build_parser, render_help, run
from repo_mcp.scip.messages import Document
from tests.architecture.source_tree import ROOT
from tests.forked import popen
from tests.parsers_here import parse_here
from tests.repo_mcp.scip.written import write_index
from tests.repo_mcp.semantic.tiny_model import write_model
from tests.repo_mcp.stdio.retrieval_client import PATIENCE_SECONDS, build_environment

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CORPUS = ROOT / "tests" / "corpus" / "tiny_repo"
FOUND = (0, 1)  # done, or nothing found


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the tiny repository, and the current directory; an empty home."""
    shutil.copytree(CORPUS, tmp_path / "tiny_repo")
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "CODEX_HOME", "COPILOT_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path / "tiny_repo")
    return tmp_path / "tiny_repo"


@pytest.fixture(scope="module", autouse=True)
def _parsed_here() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        parse_here(patch)
        yield


def iter_blocks(kind: str) -> Iterator[tuple[str, str]]:
    for document in DOCUMENTS:
        for block in re.findall(rf"```{kind}\n(.*?)```", document.read_text(encoding="utf-8"), re.DOTALL):
            yield document.name, block


def list_sessions() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the blocks `console`: command and output of each step."""
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
    """Yield every command line of ours in the documents and the help."""
    helps = [render_help(), *(build_parser(name).format_help() for name in SUMMARIES)]
    texts = [text.split("\nexamples:\n")[1] for text in helps]
    for text in (*texts, *(block for _, block in iter_blocks("sh"))):
        for line in re.findall(r"^ *(repo-mcp .*)$", text, re.MULTILINE):
            yield re.split(r" {2,}|\s#|\s[|<>]", line)[0].strip()


def is_server(line: str) -> bool:
    return line.startswith("repo-mcp serve ")


def run_line(line: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    words = shlex.split(line)
    assert words[0] == "repo-mcp"
    code = run(words[1:])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def matches(shown: str, printed: str) -> bool:
    """Return True when what a document shows is what was printed, `...` aside."""
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
        assert code in FOUND, (command, said)
        assert matches(shown, printed + said), f"{command}\n{printed}{said}"


def test_there_are_sessions_in_the_documents() -> None:
    assert {name for name, _ in list_sessions()} >= {"README.md", "troubleshooting.md"}


EXAMPLES = sorted(set(iter_examples()))


@pytest.mark.parametrize("line", [line for line in EXAMPLES if not is_server(line)])
def test_examples_run(
    tiny: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"Why does a transfer fail?")))
    code, printed, said = run_line(fill_in(line, tiny), capsys)
    assert code in FOUND, said
    assert printed or code == 1 or "--write" in line


def fill_in(line: str, tiny: Path) -> str:
    """Fill in what the reader of a command line puts in; what it writes goes beside the tiny repository."""
    line = line.replace("/tmp/report.html", str(tiny.parent / "report.html"))
    if "index.scip" in line:
        write_index(tiny.parent / "index.scip", [Document("a.py", "", ())])
        line = line.replace("index.scip", str(tiny.parent / "index.scip"))
    if "change.patch" in line:
        patch = (
            "--- a/src/ledger/accounts.py\n+++ b/src/ledger/accounts.py\n@@ -31 +31 @@\n-    pass\n+    x\n"
        )
        (tiny.parent / "change.patch").write_text(patch)
        line = line.replace("change.patch", str(tiny.parent / "change.patch"))
    line = re.sub(r"\bROOT\b", str(tiny), line)
    if re.search(r"\bDIR\b", line):
        line = re.sub(r"\bDIR\b", str(write_model(tiny.parent / "model")), line)
    return line


@pytest.mark.parametrize("line", [line for line in EXAMPLES if is_server(line)])
def test_examples_of_the_server_run(tiny: Path, line: str) -> None:
    """Over stdio it ends with its input; over HTTP it says where it listens, and ends with a signal."""
    words = shlex.split(re.sub(r"--port \d+", "--port 0", fill_in(line, tiny)))[1:]
    with popen(
        [sys.executable, "-m", "repo_mcp", *words],
        cwd=tiny,
        env=build_environment(tiny.parent / "home"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        killer = threading.Timer(PATIENCE_SECONDS, process.kill)
        killer.start()
        if "http" in words:
            assert process.stderr is not None
            assert any("listening on http://127.0.0.1:" in line for line in process.stderr)
            process.terminate()
        printed, said = process.communicate()
        killer.cancel()
    assert process.returncode == 0, said
    assert printed == ""


@pytest.mark.parametrize("line", re.findall(r"^ +(index-format .*)$", INDEX_EXAMPLES, re.MULTILINE))
def test_examples_of_the_format_run(tiny: Path, capsys: pytest.CaptureFixture[str], line: str) -> None:
    assert run(["index"]) == 0
    capsys.readouterr()
    words = [sorted(glob(word))[0] if "*" in word else word for word in shlex.split(line)[1:]]
    assert format_main(words) == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize("name", SUMMARIES)
def test_every_command_has_examples(name: str) -> None:
    assert f"  repo-mcp {name}" in build_parser(name).format_help().split("\nexamples:\n")[1]


@pytest.mark.parametrize("name", ["", *SUMMARIES])
def test_help_fits_80_columns_and_has_one_style(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    text = build_parser(name).format_help() if name else render_help()
    assert max(map(len, text.splitlines())) <= 80
    assert text.startswith(f"usage: repo-mcp {name}")
    assert {"options:", "examples:"} <= set(re.findall(r"^(\w.*:)$", text, re.MULTILINE))
    meanings = re.findall(r"^  (?:-\S+.*?)(?:  +|\n +)(\w.*)$", text, re.MULTILINE)
    assert meanings
    assert [one for one in meanings if re.match(r"[A-Z][a-z]", one)] == []


def test_figures_of_the_readme_are_those_of_the_bench() -> None:
    table = (ROOT / "README.md").read_text(encoding="utf-8").split("## Performance")[1].split("## Licence")[0]
    measured = (ROOT / "bench" / "results" / "peers-linux-source-6.1.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| ([\d.,]+ \w+) \|$", table, re.MULTILINE)
    assert len(rows) == 7
    for what, figure in rows:
        assert f"| {what} | {figure} |" in measured, what
    size = re.search(r"\(([\d,]+ files, [\d,]+ MB of text)\)", table)
    assert size is not None
    assert size[1] in measured
