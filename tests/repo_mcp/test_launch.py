"""How a server comes to run: what the directory it is started in can do, and what it can be told to serve.

The rows of section 3.9 of the threat model, and of 3.1 about the root itself.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from repo_mcp.config import load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import SearchRequest
from repo_mcp.plain_options import is_plain
from repo_mcp.repository import Repository
from repo_mcp.system_places import is_system_place
from tests.architecture.source_tree import ROOT
from tests.repo_mcp.test_server_stdio import INITIALIZE

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
    text = "".join(json.dumps({"jsonrpc": "2.0"} | frame) + "\n" for frame in frames)
    home = str(hostile.parent / "home")
    done = subprocess.run(
        [str(SCRIPT), "--repo-root", ".", "--workers", "2"],
        input=text.encode(),
        capture_output=True,
        cwd=hostile,
        env={"PATH": os.environ["PATH"], "HOME": home},
        timeout=120,
        check=False,
    )
    answers = {
        answer["id"]: answer for line in done.stdout.splitlines() if "id" in (answer := json.loads(line))
    }
    assert done.returncode == 0, done.stderr
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
        assert not is_plain(["--repo-root", root])  # so that the error comes instead of a handshake
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
    assert is_plain(["--repo-root", str(tmp_path)])


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
