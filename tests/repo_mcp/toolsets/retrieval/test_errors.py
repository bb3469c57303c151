"""`docs/errors.md` against the tools: every case there is provoked here, and every case here stands there.

The page has a table for each tool, one for the start, and one for each group of cases that several tools
share. A row's message is compared with what is answered; `{…}` in it stands for any text.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.toolsets.pages import encode_cursor
from repo_mcp.toolsets.retrieval.failures import Code
from tests.architecture.source_tree import ROOT
from tests.repo_mcp.toolsets.retrieval.retrieval_roots import Served, make_trees
from tests.written_trees import write_tree

PAGE = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
ROW = re.compile(
    r"^\| (?P<case>[^|]+?) \| `(?P<code>[A-Z_]+)` \| (?:`(?P<reason>\w+)` \| )?`(?P<message>.+)` \|$"
)
MAX_FILE_BYTES = 100_000

Arguments = Mapping[str, object]
FILE: Arguments = {"repo": "docs", "path": "README.md"}
RANGE: Arguments = FILE | {"start_line": 1, "end_line": 2}
DIRECTORY: Arguments = {"repo": "code", "path": "src"}


def repo_cases(good: Arguments) -> dict[str, Arguments]:
    without = {name: value for name, value in good.items() if name != "repo"}
    return {
        "`repo` is missing": without,
        "`repo` is not a repository": good | {"repo": "nonsense"},
        "`repo` is not a string": good | {"repo": 5},
        "An unknown argument": good | {"colour": "red"},
        "The root is gone": good,
        "A bug in the server": good,
        "No answer fits the limit": good,
    }


def path_cases(good: Arguments) -> dict[str, Arguments]:
    return repo_cases(good) | {
        "`path` is not a string": good | {"path": ["a", "b"]},
        "`path` is too long": good | {"path": "a/" * 2_048 + "a"},
        "A name in `path` is too long": good | {"path": "a" * 256},
        "`path` contains a NUL": good | {"path": "a\0b"},
        "`path` contains half a surrogate pair": good | {"path": "\ud800"},
        "`path` is a URI": good | {"path": "file:///etc/hosts"},
        "`path` has `..` with backslashes": good | {"path": "..\\x"},
        "`path` leaves the root": good | {"path": "../code/lib/a.c"},
        "`path` is absolute and outside": good | {"path": "/etc/hosts"},
        "`path` is a link that leads outside": good | {"path": "outside"},
        "`path` is denied": good | {"path": ".env"},
        "Nothing is there": good | {"path": "none.md"},
        "The system refuses to read it": good | {"path": "loop"},
    }


def cursor_cases(tool: str, good: Arguments) -> dict[str, Arguments]:
    return {
        "`cursor` is not a string": good | {"cursor": 5},
        "`cursor` is that of another call": good
        | {"cursor": encode_cursor(tool, {"query": "else"}, b"1234\1")},
        "`cursor` is no cursor": good | {"cursor": "abc"},
        "What was listed before `cursor` has changed": good
        | {"cursor": encode_cursor(tool, good, b"1234\1")},
    }


def file_cases(good: Arguments) -> dict[str, Arguments]:
    without = {name: value for name, value in good.items() if name != "path"}
    return path_cases(good) | {
        "`path` is missing": without,
        "`path` is empty": good | {"path": ""},
        "`path` is a directory": good | {"path": "guide"},
        "`path` is neither file nor directory": good | {"path": "pipe"},
        "The file is binary": good | {"path": "data.bin"},
        "The file is too large": good | {"path": "large.md"},
    }


QUERY: Arguments = {"query": "mount"}
CASES: dict[str, dict[str, Arguments]] = {
    "search": {
        name: arguments for name, arguments in repo_cases(QUERY).items() if name != "`repo` is missing"
    }
    | {
        "`query` is missing": {},
        "`query` is empty": {"query": ""},
        "`query` is blank": {"query": " \t"},
        "`query` is not a string": {"query": 5},
        "`query` is too long": {"query": "x" * 1_001},
        "`query` contains a NUL": {"query": "a\0b"},
        "`query` contains half a surrogate pair": {"query": "\ud800"},
        "`query` is not a regular expression": {"query": "(", "regex": True},
        "`regex` is not a boolean": QUERY | {"regex": "yes"},
        "`case_sensitive` is not a boolean": QUERY | {"case_sensitive": 1},
        "`limit` is zero or below": QUERY | {"limit": 0},
        "`limit` is not an integer": QUERY | {"limit": "all"},
        "`path_glob` is not a string": QUERY | {"path_glob": 5},
        "`path_glob` is empty": QUERY | {"path_glob": ""},
        "`path_glob` is too long": QUERY | {"path_glob": "x" * 513},
        "`path_glob` stands for too many patterns": QUERY | {"path_glob": "{a,b}" * 7},
        **cursor_cases("search", QUERY),
    },
    "open_file": file_cases(FILE),
    "get_snippet": file_cases(RANGE)
    | {
        "`start_line` is missing": FILE | {"end_line": 2},
        "`end_line` is missing": FILE | {"start_line": 1},
        "`start_line` is not an integer": RANGE | {"start_line": 1.5},
        "`end_line` is not an integer": RANGE | {"end_line": "last"},
        "`start_line` is below 1": RANGE | {"start_line": 0},
        "`end_line` is below 1": RANGE | {"end_line": 0},
        "`end_line` is before `start_line`": RANGE | {"start_line": 3},
        "`start_line` is beyond the end of the file": RANGE | {"start_line": 5, "end_line": 9},
    },
    "list_dir": path_cases(DIRECTORY)
    | {"`path` is not a directory": DIRECTORY | {"path": "lib/a.c"}}
    | cursor_cases("list_dir", DIRECTORY),
}


def read_rows(tool: str) -> dict[str, re.Match[str]]:
    """Read the rows of one tool, or of the start: its own, and those of the sections that name it."""
    heads = re.findall(r"^### (.*)$", PAGE, re.MULTILINE)
    heads = [one for one in heads if f"`{tool}`" in one or (one == "Any tool" and tool in CASES)]
    return {case: row for head in heads for case, row in read_section(head).items()}


def read_section(head: str) -> dict[str, re.Match[str]]:
    """Read the rows of one section of the page. Raises AssertionError for a line that is no row."""
    body = re.split(r"\n###? ", PAGE.split(f"\n### {head}\n")[1])[0]
    lines = [line for line in body.splitlines() if line.startswith("|")]
    rows = [ROW.match(line) for line in lines[2:]]
    assert None not in rows, [line for line, row in zip(lines[2:], rows, strict=True) if row is None]
    found = {row["case"]: row for row in rows if row is not None}
    assert len(found) == len(rows)
    return found


def matches(message: str, row: re.Match[str]) -> bool:
    parts = [re.escape(part) for part in re.split(r"\{[^{}]*\}", row["message"])]
    return re.fullmatch(".+".join(parts), message, re.DOTALL) is not None


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("roots")
    docs, code = make_trees(place)
    for root in (docs, code):
        write_tree(root, {"large.md": "x" * MAX_FILE_BYTES + "x", ".env": "x"})
        (root / "data.bin").write_bytes(b"\0")
        os.symlink(place, root / "outside")
        os.symlink("loop", root / "loop")
        os.mkfifo(root / "pipe")
    served = Served(docs, code, place / "data", max_file_bytes=MAX_FILE_BYTES)
    yield served
    served.close()


def provoke(served: Served, tool: str, case: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the error of one case; those that no argument provokes are brought about here."""
    arguments = CASES[tool][case]
    docs, code = served.roots.get("docs"), served.roots.get("code")
    if case == "The root is gone":
        for root in (served.docs, served.code):
            root.rename(root.with_name(root.name + "-moved"))
        try:
            return served.error(tool, **arguments)
        finally:
            for root in (served.docs, served.code):
                root.with_name(root.name + "-moved").rename(root)
    if case == "A bug in the server":
        for broken in ((docs, "search_exact"), (docs, "open_file"), (code.tree, "list_directory")):
            monkeypatch.setattr(*broken, fail)
    if case == "No answer fits the limit":
        monkeypatch.setattr(served.roots, "find_answer_bytes", lambda repo: 100)
    return served.error(tool, **arguments)


def fail(*arguments: object, **options: object) -> None:
    raise ZeroDivisionError("x")


@pytest.mark.skipif(sys.platform == "win32", reason="links and FIFOs of POSIX")
@pytest.mark.parametrize(("tool", "case"), [(tool, case) for tool in CASES for case in CASES[tool]])
def test_every_case_has_its_code_reason_and_message(
    served: Served, monkeypatch: pytest.MonkeyPatch, tool: str, case: str
) -> None:
    row = read_rows(tool).get(case)
    assert row is not None, f"docs/errors.md has no row for {case}"
    error = provoke(served, tool, case, monkeypatch)
    assert error["code"] == row["code"], error
    assert error["details"]["reason"] == row["reason"], error
    assert matches(error["message"], row), (error["message"], row["message"])


@pytest.mark.parametrize("tool", CASES)
def test_every_row_of_the_page_is_provoked(tool: str) -> None:
    assert set(read_rows(tool)) == set(CASES[tool])


def test_the_page_lists_every_code_once_and_no_other() -> None:
    listed = re.findall(
        r"^\| `([A-Z_]+)` \|", PAGE.split("\n### Codes\n")[1].split("\n### ")[0], re.MULTILINE
    )
    assert listed == [code.value for code in Code]
    used = {row["code"] for section in (*CASES, "serve") for row in read_rows(section).values()}
    assert used == set(listed) - {
        Code.BUSY,
        Code.TIMEOUT,
    }  # of any call: tests/repo_mcp/stdio/test_call_limits.py


# The start

CONFIGURED: Mapping[str, Callable[[Path], tuple[dict[str, str], str | None]]] = {
    "`DOCS_ROOT` is not set": lambda place: ({"CODE_ROOT": f"{place}/code"}, None),
    "`CODE_ROOT` is not set": lambda place: ({"DOCS_ROOT": f"{place}/docs"}, None),
    "Neither is set": lambda place: ({}, None),
    "The root does not exist": lambda at: ({"DOCS_ROOT": f"{at}/x", "CODE_ROOT": f"{at}/code"}, None),
    "The root is a file": lambda place: (
        {"DOCS_ROOT": f"{place}/docs", "CODE_ROOT": f"{place}/docs/README.md"},
        None,
    ),
    "The root in the file does not exist": lambda place: ({"DOCS_ROOT": f"{place}/docs"}, 'code_root = "x"'),
    "The root's name is not UTF-8": lambda place: (
        {"DOCS_ROOT": "/\udcff", "CODE_ROOT": f"{place}/code"},
        None,
    ),
    "The file of `--config` does not exist": lambda place: ({}, "-"),
    "The file is not TOML": lambda place: ({}, "docs_root = "),
    "The file has an unknown key": lambda place: ({}, 'root = "/srv"'),
    "A root in the file is not a string": lambda place: ({}, "docs_root = 5"),
    "The index would be inside a root": lambda place: (
        {"DOCS_ROOT": str(place), "CODE_ROOT": f"{place}/code"},
        None,
    ),
}
UNPROVOKED = {"The root cannot be read"}  # tests may run as a user whom nothing is refused


@pytest.mark.skipif(sys.platform == "win32", reason="names of POSIX")
@pytest.mark.parametrize("case", CONFIGURED)
def test_a_start_that_cannot_be_is_refused_with_its_message(tmp_path: Path, case: str) -> None:
    make_trees(tmp_path)
    variables, file = CONFIGURED[case](tmp_path)
    options = ["--toolsets", "retrieval"]
    if file is not None:
        options += ["--config", str(tmp_path / "retrieval.toml")]
        if file != "-":
            (tmp_path / "retrieval.toml").write_text(file)
    homes = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"), str(tmp_path))
    done = subprocess.run(
        [sys.executable, "-c", "from repo_mcp.server import main; raise SystemExit(main())", *options],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)} | homes | variables,
        capture_output=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
        check=False,
        text=True,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    row = read_rows("serve")[case]
    assert f"{row['code']}: " in row["message"]
    said = done.stderr.removeprefix("repo-mcp-server: ")
    message = re.sub(r"\{[^{}]*\}", "", row["message"]) if "{" in row["message"] else row["message"]
    assert said.startswith(message), said
    assert str(tmp_path) not in said


def test_every_row_of_the_start_is_provoked() -> None:
    assert set(read_rows("serve")) == set(CONFIGURED) | UNPROVOKED
