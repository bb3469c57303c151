"""How a server comes to run: what the directory it is started in can do, and what it can be asked to serve.

The rows of section 3.9 of the threat model, and of 3.1 about the root itself.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import pytest

from repo_mcp.config.plain_options import read_plain
from repo_mcp.config.server_config import NamedRoot, load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import SearchRequest
from repo_mcp.repository import Repository
from repo_mcp.toolsets.retrieval import open_roots
from repo_mcp.workspace.system_places import is_system_place
from tests.architecture.source_tree import ROOT
from tests.repo_mcp.stdio.test_server import INITIALIZE

SCRIPT = Path(sys.executable).with_name("repo-mcp-server")
# Modules that Python, the SDK, this program or a started process would import from the current directory.
NAMES = (
    "json",
    "multiprocessing",
    "encodings",
    "numpy",
    "msgpack",
    "repo_mcp",
    "sitecustomize",
    "ast",
    "mcp",
)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for name in NAMES:
        (root / name).mkdir(parents=True)
        (root / name / "__init__.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').write('{name}')\n")
    (root / "code.py").write_text("def wanted_function():\n    return 1\n")
    for name, text in {".env": "REPO_MCP_TOOLSETS=graph\n", "uv.toml": "[", "pyproject.toml": "["}.items():
        (root / name).write_text(text)
    return root


@pytest.mark.skipif(not SCRIPT.exists(), reason="the scripts are not installed")
def test_a_server_started_in_the_repository_runs_none_of_its_code(hostile: Path) -> None:
    """By its script, as the README says, with processes that index and parse."""
    calls = [
        ("repo.refresh_index", {"force": True}),
        ("repo.outline", {"path": "code.py"}),
        ("repo.search", {"query": "wanted_function"}),
    ]
    frames = [INITIALIZE, {"method": "notifications/initialized"}] + [
        {"id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        for number, (name, arguments) in enumerate(calls)
    ]
    answers = {}
    with subprocess.Popen(
        [str(SCRIPT), "--repo-root", ".", "--workers", "2"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=hostile,
        env={"PATH": os.environ["PATH"], "HOME": str(hostile.parent / "home")},
        text=True,
    ) as server:
        killer = threading.Timer(120, server.kill)
        killer.start()
        assert server.stdin is not None
        assert server.stdout is not None
        for frame in frames:
            server.stdin.write(json.dumps({"jsonrpc": "2.0"} | frame) + "\n")
        server.stdin.flush()  # it stays open: the end of input ends what is not answered within two seconds
        while len(answers) < 1 + len(calls) and (line := server.stdout.readline()):
            if "id" in (answer := json.loads(line)):
                answers[answer["id"]] = answer
        server.stdin.close()
        killer.cancel()
    assert server.returncode == 0
    assert answers[1]["result"]["structuredContent"]["result"]["symbols"]
    assert not (hostile.parent / "ran").exists()


def test_what_people_are_told_to_start_names_an_absolute_command() -> None:
    for path in (ROOT / "README.md", *sorted((ROOT / "examples").rglob("*.*"))):
        text = path.read_text(encoding="utf-8")
        commands = [line.split("=", 1)[-1] for line in text.splitlines() if line.startswith("command =")]
        commands += [line.partition(":")[2] for line in text.splitlines() if '"command":' in line]
        # A transcript shows what differs from one machine to the other as "...".
        assert all(command.strip(' ",').startswith(("/", "...")) for command in commands), path
        assert "python -m repo_mcp" not in text, path


@pytest.mark.parametrize("path", ["/", "/proc", "/proc/self", "/sys", "/dev"])
def test_a_directory_of_the_system_is_served_only_when_that_is_said(path: str, tmp_path: Path) -> None:
    if not os.path.isdir(path):
        pytest.skip("there is no such directory here")
    link = tmp_path / "link"
    link.symlink_to(path)
    for root in (path, str(link)):
        assert is_system_place(root)
        assert not read_plain(["--repo-root", root])  # so that the error comes instead of a handshake
        with pytest.raises(RepoError) as refused:
            Repository(load_config(root, data_dir=str(tmp_path / "d")))
        assert refused.value.code is ErrorCode.CONFIG_INVALID
        assert not (tmp_path / "d").exists()
    with closing(Repository(load_config(path, data_dir=str(tmp_path / "d"), any_root=True))) as repository:
        assert "not a repository" in repository.warnings[0]


def test_an_ordinary_directory_is_none_of_the_system(tmp_path: Path) -> None:
    assert not is_system_place(str(tmp_path))
    assert not is_system_place(str(tmp_path / "missing"))
    assert not is_system_place("\0")
    assert read_plain(["--repo-root", str(tmp_path)])


def test_a_home_directory_is_served_with_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with closing(Repository(load_config(str(tmp_path)))) as repository:
        assert "home directory" in repository.warnings[0]


def test_a_sparse_file_of_a_terabyte_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "small.py").write_text("def wanted(): pass\n")
    with (tmp_path / "huge.py").open("wb") as file:
        file.truncate(1 << 40)
    with closing(Repository(load_config(str(tmp_path)))) as repository:
        assert repository.refresh().skipped == {"too_large": 1}
        assert len(repository.search(SearchRequest("wanted", 5)).hits) == 1
        for ask in (lambda: repository.open_file("huge.py", 1, 1), lambda: repository.outline("huge.py")):
            with pytest.raises(RepoError) as refused:
                ask()
            assert refused.value.code is ErrorCode.FILE_TOO_LARGE


# Whatever opens a file says something on standard output: a library, C code behind Python's back, a child.
NOISY = """
import os, sys
from repo_mcp.workspace.reader import repository_reader
opens = repository_reader.native.open_file
def open_file(parent, name):
    print("printed", flush=True)
    os.write(1, b"written\\n")
    os.system("echo echoed")
    return opens(parent, name)
repository_reader.native.open_file = open_file
from repo_mcp.server import main
raise SystemExit(main())
"""


@pytest.mark.skipif(os.name == "nt", reason="a shell of POSIX")
def test_whatever_writes_to_standard_output_the_client_reads_frames_alone(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "code.py").write_text("def wanted_function(): ...\n")
    call = {"name": "repo.open_file", "arguments": {"path": "code.py"}}
    frames = (INITIALIZE, {"id": 2, "method": "tools/call", "params": call})
    with subprocess.Popen(
        [sys.executable, "-c", NOISY, "--repo-root", str(root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("".join(json.dumps({"jsonrpc": "2.0"} | one) + "\n" for one in frames).encode())
        process.stdin.flush()
        lines = [process.stdout.readline() for _ in frames]
        rest, errors = process.communicate(timeout=60)
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in (*lines, *rest.splitlines()))
    assert b"wanted_function" in lines[1]
    assert {b"printed", b"written", b"echoed"} <= set(errors.splitlines())


@pytest.mark.skipif(os.name == "nt", reason="a root in use cannot be renamed there")
@pytest.mark.parametrize("becomes", ["a link", "another directory"])
def test_a_root_that_is_swapped_after_the_handshake_is_served_as_it_was_opened(
    tmp_path: Path, becomes: str
) -> None:
    """What is loaded after the first answer takes a second, in which the path may come to mean another."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    for place, text in ((root, "INSIDE = 1\n"), (outside, "OUTSIDE = LEAKED\n")):
        place.mkdir()
        (place / "code.py").write_text(text)
    (outside / "repo_mcp.toml").write_text("[limits]\nmax_open_lines = 1\n")
    calls = [
        ("repo.open_file", {"path": "code.py"}),
        ("repo.refresh_index", {}),
        ("repo.search", {"query": "OUTSIDE"}),
        ("repo.list_files", {}),
    ]
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, "--repo-root", str(root), "--no-watch"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps({"jsonrpc": "2.0"} | INITIALIZE).encode() + b"\n")
        process.stdin.flush()
        assert b"serverInfo" in process.stdout.readline()
        root.rename(tmp_path / "moved")
        if becomes == "a link":
            root.symlink_to(outside)
        else:
            outside.rename(root)
        for number, (name, arguments) in enumerate(calls):
            frame = {"id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
            process.stdin.write(json.dumps({"jsonrpc": "2.0"} | frame).encode() + b"\n")
        process.stdin.flush()
        answers = {one["id"]: one["result"] for one in (json.loads(process.stdout.readline()) for _ in calls)}
        process.stdin.close()
        process.wait(60)
    assert answers[0]["structuredContent"]["result"]["content"] == "1\tINSIDE = 1\n"
    for number in (1, 3):
        assert "was moved, replaced or deleted" in json.dumps(answers[number])
    assert "LEAKED" not in json.dumps(answers)
    assert sorted(path.name for path in root.iterdir()) == ["code.py", "repo_mcp.toml"]


SERVE = "from repo_mcp.server import main; raise SystemExit(main())"


@pytest.mark.skipif(os.name == "nt", reason="a root in use cannot be renamed there")
def test_every_root_is_opened_before_the_first_answer(tmp_path: Path) -> None:
    """Those of all toolsets, once; what opens later uses what is open."""
    trees = [tmp_path / name for name in ("root", "docs", "code")]
    for tree in trees:
        tree.mkdir()
        (tree / "page.md").write_text("# Inside\n")
    named = tuple(NamedRoot(tree.name, str(tree), "environment") for tree in trees[1:])
    config = load_config(str(trees[0]), data_dir=str(tmp_path / "data"), toolsets=["repo", "retrieval"])
    config = replace(config, named_roots=named).hold_roots()
    assert [held.path for held in config.held_roots] == [str(tree) for tree in trees]
    for tree in trees:
        tree.rename(tree.with_name(f"moved-{tree.name}"))
        tree.mkdir()
        (tree / "page.md").write_text("# Outside\n")
    roots = open_roots(config, lambda _warning: None)
    with ExitStack() as opened:
        for one in (Repository(config), *roots.repositories.values()):
            opened.enter_context(closing(one))
            assert one.open_file("page.md", 1, 1).lines == ("# Inside",)
            with pytest.raises(RepoError, match="was moved, replaced or deleted"):
                one.refresh()
