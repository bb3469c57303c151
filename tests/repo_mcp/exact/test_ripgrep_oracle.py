"""Exact search against ripgrep: the same lines of the same files, for generated patterns on two real trees.

The trees are Python's library and what is installed beside this project. Compared are the files that
both read alike: those that are indexed, in UTF-8, without carriage returns. ripgrep is asked for ASCII
classes, as RE2 has them; apart from that it gets the pattern as it is.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from repo_mcp.config.server_config import load_config
from repo_mcp.exact import search as exact_search
from repo_mcp.model import ExactRequest
from repo_mcp.repository import Repository
from tests.deep.sizes import IS_DEEP, choose, first
from tests.repo_mcp.exact.learnt_neighbours import learn_neighbours, use_neighbours

RIPGREP = shutil.which("rg")
TREES = {"library": Path(os.__file__).parent, "packages": Path(sysconfig.get_path("purelib"))}
LARGE = ["test", "idlelib", "lib2to3", "encodings", "unittest", "distutils", "pydoc_data", "tkinter"]
LEFT_OUT = ["site-packages/", *([] if IS_DEEP else (f"{name}/" for name in LARGE))]
EXTENSIONS = ["py", "txt", "rst", "pyi", "cfg", "toml", "md", "h", "c", "json"]
MAX_LINES = 100_000  # of one answer: beyond it a pattern says little

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(RIPGREP is None, reason="ripgrep (rg) is not installed"),
]


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree that is indexed, and the files of it that are compared."""

    root: Path
    repository: Repository
    files: dict[str, bytes]
    lines: list[str]


@pytest.fixture(scope="module", params=first(1, TREES))
def tree(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tree]:
    root = TREES[request.param]
    repository = Repository(
        load_config(
            str(root),
            data_dir=str(tmp_path_factory.mktemp("index")),
            exclude_globs=["__pycache__/", *(LEFT_OUT if request.param == "library" else ())],
            include_extensions=EXTENSIONS,
        )
    )
    repository.refresh()
    patience = pytest.MonkeyPatch()
    patience.setattr(exact_search, "TIME_LIMIT_SECONDS", 600.0)
    use_neighbours(patience, 100)
    learn_neighbours(repository)
    files = {}
    for listed in repository.list_files(
        "*.{" + ",".join(EXTENSIONS) + "}", 10**6, include_hidden=False
    ).files:
        data = (root / listed.path).read_bytes()
        is_searched = len(data) <= repository.config.limits.max_file_bytes and b"\0" not in data
        if is_searched and b"\r" not in data and is_utf8(data) and not data.startswith(b"\xef\xbb\xbf"):
            files[listed.path] = data
    assert len(files) > 200
    draw = random.Random(7)
    lines = [
        line
        for path in draw.sample(sorted(files), 300)
        for line in files[path].decode().split("\n")[:400]
        if line.strip()
    ]
    yield Tree(root, repository, files, lines)
    patience.undo()
    repository.close()


def is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def make_requests(draw: random.Random, lines: list[str], count: int) -> Iterator[ExactRequest]:
    """Yield literals of all kinds cut from lines, and expressions around pieces of lines."""
    for _ in range(count):
        line = draw.choice(lines)
        start = draw.randrange(len(line))
        piece = line[start : start + draw.randint(2, 24)]
        words = re.findall(r"\w+", line) or ["word"]
        one, other = draw.choice(words), draw.choice(words)
        yield ExactRequest(
            draw.choice([piece, one, one[1:] or one, one[:-1] or one, piece.strip() or one]),
            case_sensitive=draw.random() < 0.7,
            whole_word=draw.random() < 0.25,
            limit=MAX_LINES,
        )
        expression = draw.choice(
            [
                f"{re.escape(one)}.*{re.escape(other)}",
                rf"\b{re.escape(one)}\b",
                rf"{re.escape(one)}\s*[=(:]",
                rf"^\s*\w+ {re.escape(one)}",
                rf"^\s+{re.escape(one)}",
                rf"{re.escape(one)}\w*\s*=",
                f"({re.escape(one)}|{re.escape(other)})[a-z_]*$",
                f"{re.escape(one[: len(one) // 2])}[^ ]*{re.escape(other[len(other) // 2 :])}",
                rf"{re.escape(one)}\W+{re.escape(other)}",
                rf"[A-Z]{{2,}}_{re.escape(other[:3])}",
                rf"{re.escape(one)}[^,\n]*,\n\s*{re.escape(other)}",
                rf"{re.escape(one)}(?:\w|-)+",
                rf"\d{{3,}}\S*{re.escape(other[-2:])}",
            ]
        )
        yield ExactRequest(expression, regex=True, case_sensitive=draw.random() < 0.7, limit=MAX_LINES)


def ask_ripgrep(tree: Tree, request: ExactRequest) -> set[tuple[str, int]]:
    assert RIPGREP is not None
    options = ["--no-config", "--no-ignore", "--hidden", "--text", "--null", "-n", "--no-heading", "-H"]
    options += ["--color=never", "--no-messages", "--encoding=none"]
    options += [f"-g*.{extension}" for extension in EXTENSIONS]
    options += [f"-g!/{name}" for name in LEFT_OUT if tree.root == TREES["library"]]
    pattern = request.pattern
    if request.regex:
        # `\w` and the like mean ASCII to RE2.
        pattern = re.sub(r"(?<!\\)\\([wWdDsSb])", r"(?-u:\\\1)", pattern)
        options += ["-U"] if r"\n" in pattern else []
    else:
        options.append("-F")
    options += [] if request.case_sensitive else ["-i"]
    options += ["-w"] if request.whole_word else []
    done = subprocess.run(
        [RIPGREP, *options, "-e", pattern, "./"], cwd=tree.root, capture_output=True, check=False, timeout=120
    )
    assert done.returncode in (0, 1), done.stderr
    found = set()
    for line in done.stdout.split(b"\n"):
        path, separator, rest = line.partition(b"\0")
        if separator:
            found.add((path.decode().removeprefix("./"), int(rest.partition(b":")[0])))
    return {(path, line) for path, line in found if path in tree.files}


def ask_repository(tree: Tree, request: ExactRequest) -> set[tuple[str, int]] | None:
    answer = tree.repository.search_exact(request)
    if answer.truncated:
        return None
    positions = [(one.path, one.start_line) for one in answer.matches]
    assert positions == sorted(positions, key=lambda position: (position[0].encode(), position[1]))
    return {
        (one.path, line)
        for one in answer.matches
        if one.path in tree.files
        for line in range(one.start_line, one.end_line + 1)
    }


def compare(tree: Tree, count: int, seed: int) -> None:
    compared = found = 0
    for request in make_requests(random.Random(seed), tree.lines, count):
        ours = ask_repository(tree, request)
        if ours is None:
            continue
        theirs = ask_ripgrep(tree, request)
        assert sorted(ours ^ theirs) == [], request
        compared += 1
        found += bool(theirs)
    assert compared > count
    assert found > compared / 3


def test_the_same_lines_as_ripgrep(tree: Tree) -> None:
    compare(tree, 3, 1)


@pytest.mark.deep
def test_the_same_lines_as_ripgrep_for_five_hundred_patterns(tree: Tree) -> None:
    compare(tree, choose(3, 250), 2)
