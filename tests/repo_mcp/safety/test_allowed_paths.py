"""`--allow-path`: what it opens, what it leaves shut, who may say it, and what stays without it: nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from index_format import DiskDirectory, IndexLocked
from repo_mcp.bundler.records import BundleRequest
from repo_mcp.config.narrowing import narrow_config
from repo_mcp.config.server_config import load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import ExactRequest, SearchRequest
from repo_mcp.repository import Repository
from tests.repo_mcp.cli.program import run
from tests.repo_mcp.indexed_roots import open_indexed
from tests.repo_mcp.stdio.retrieval_client import start_retrieval
from tests.repo_mcp.stdio.test_server import Process

CANARY = "xkallowedqz"
SOURCE = f'def {CANARY}_token():\n    """Return the secret of the day."""\n    return {CANARY}_load()\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "models").mkdir(parents=True)
    (root / ".git").mkdir()
    (tmp_path / "home").mkdir()
    (root / "app.py").write_text("def public(): ...\n")
    (root / "secrets.py").write_text(SOURCE)
    (root / "models" / "secrets.ts").write_text(f"export function {CANARY}Model() {{ return 1 }}\n")
    for denied in (".env", "prod.env", ".git/secrets.py"):
        (root / denied).write_text(f"{CANARY} = 'no'\n")
    return root


@contextmanager
def opened(root: Path, *globs: str) -> Iterator[Repository]:
    with open_indexed(root, workers=1, allow_paths=globs) as repository:
        yield repository


def find(repository: Repository) -> list[str]:
    ranked = [hit.path for hit in repository.search(SearchRequest(f"{CANARY} token model", 10)).hits]
    exact = [match.path for match in repository.search_exact(ExactRequest(CANARY)).matches]
    return sorted({*ranked, *exact})


def list_holding(place: Path) -> list[str]:
    return sorted(
        path.name for path in place.rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes()
    )


def test_what_matches_is_opened_listed_and_found_and_nothing_else(root: Path) -> None:
    with opened(root, "secrets.py") as repository:
        assert repository.open_file("secrets.py", 1, 1).lines[0].startswith(f"def {CANARY}")
        listed = [file.path for file in repository.list_files(None, 100, include_hidden=True).files]
        assert listed == ["app.py", "secrets.py"]
        assert find(repository) == ["secrets.py"]
        assert repository.symbol_index.build().parsed == 2
        for path in (".env", "prod.env", "models/secrets.ts", ".git/secrets.py", "x/../.git/secrets.py"):
            with pytest.raises(RepoError) as caught:
                repository.open_file(path, None, None)
            assert caught.value.code is ErrorCode.PATH_DENIED
        for path in ("../secrets.py", "/etc/secrets.py"):
            with pytest.raises(RepoError) as caught:
                repository.open_file(path, None, None)
            assert caught.value.code is ErrorCode.PATH_ESCAPE


def test_a_link_with_an_allowed_name_opens_nothing_denied(root: Path) -> None:
    (root / "a.env").symlink_to("prod.env")
    (root / "b.env").symlink_to("../outside.env")
    (root.parent / "outside.env").write_text(CANARY)
    with opened(root, "[ab].env") as repository:
        for path, code in (("a.env", ErrorCode.PATH_DENIED), ("b.env", ErrorCode.PATH_ESCAPE)):
            with pytest.raises(RepoError) as caught:
                repository.open_file(path, None, None)
            assert caught.value.code is code


def test_without_the_option_nothing_of_it_is_left(root: Path) -> None:
    with opened(root, "secrets.*") as repository:
        assert find(repository) == ["models/secrets.ts", "secrets.py"]
        repository.symbol_index.build()
        assert repository.engines.bundles.build(
            BundleRequest(f"{CANARY}_token in secrets.py", None, None, None)
        ).selections
        assert list_holding(root / ".repo_mcp")
    with opened(root) as repository:
        assert find(repository) == []
        assert repository.status().skipped["denied"] == 5  # with `.env`, `prod.env` and `.git`
    assert list_holding(root / ".repo_mcp") == []  # the kept bundle is gone, too


def test_other_names_remove_what_these_do_not_allow(root: Path) -> None:
    with opened(root, "models/secrets.ts"):
        pass
    with opened(root, "secrets.py", "no-such.env") as repository:
        assert find(repository) == ["secrets.py"]
    assert len(list((root / ".repo_mcp").glob("index-*-allowed"))) == 1
    model = f"{CANARY}Model".encode()
    assert not any(model in file.read_bytes() for file in (root / ".repo_mcp").rglob("*.seg"))


def test_an_index_with_denied_names_stays_as_long_as_a_server_uses_it(root: Path) -> None:
    with opened(root, "secrets.py") as repository:
        with opened(root) as other:
            assert find(other) == []
        assert find(repository) == ["secrets.py"]
        assert repository.refresh().added == 0
        with pytest.raises(IndexLocked):
            DiskDirectory(str(root / ".repo_mcp")).lock("allowed.lock")
    with opened(root):
        pass
    assert [path.name for path in (root / ".repo_mcp").glob("*-allowed")] == []


def test_equal_choices_share_an_index() -> None:
    one = load_config("/srv", allow_paths=["b", "a", "b"])
    assert one == load_config("/srv", allow_paths=["a", "b"])
    assert one.allow_paths == ("a", "b")
    assert "allow_paths" in one.given


@pytest.mark.parametrize("glob", ["", ".git/**", "a/.repo_mcp/x", ".svn", "x" * 600])
def test_what_cannot_be_allowed_is_a_fault_of_the_command_line(glob: str) -> None:
    with pytest.raises(RepoError) as caught:
        load_config("/srv", allow_paths=[glob])
    assert caught.value.code is ErrorCode.CONFIG_INVALID
    assert "--allow-path cannot be" in caught.value.message


@pytest.mark.parametrize("key", ["allow_paths", "allow_path", "allow", "--allow-path"])
def test_a_repository_cannot_allow_anything(root: Path, key: str) -> None:
    (root / "repo_mcp.toml").write_text(f'"{key}" = ["secrets.py"]\n')
    config, warnings = narrow_config(load_config(str(root)))
    assert config.allow_paths == ()
    assert any("cannot be set by a repository" in warning for warning in warnings)


def ask(process: Process, number: int, tool: str, **arguments: object) -> Any:
    process.call(number, tool, arguments)
    while True:
        answer = process.read()
        if answer.get("id") == number:
            return answer["result"]["structuredContent"]


def test_a_server_says_what_is_allowed_and_what_may_be(root: Path) -> None:
    (root / ".env").write_text("REPO_MCP_ALLOW_PATH=secrets.py\nALLOW_PATH=secrets.py\n")
    options = ("--toolsets", "repo,graph", "--no-watch")
    with closing(Process(root, *options, "--allow-path", "secrets.py", "--allow-path=*.nothing")) as process:
        process.handshake()
        ask(process, 1, "repo.refresh_index")
        assert ask(process, 2, "repo.status")["result"]["allow_paths"] == ["*.nothing", "secrets.py"]
        assert ask(process, 3, "repo.open_file", path="secrets.py")["ok"]
        assert ask(process, 4, "read_file", path="secrets.py")["content"]
        error = ask(process, 5, "repo.open_file", path="models/secrets.ts")
        assert (error["blocked"], error["error"]["code"]) == (True, "path_denied")
        assert "source code" in error["error"]["hint"]
        assert "--allow-path" in error["error"]["hint"]
        assert "source code" in ask(process, 6, "read_file", path="models/secrets.ts")["error"]["hint"]
    with closing(Process(root, *options)) as process:
        process.handshake()
        ask(process, 1, "repo.refresh_index")
        assert "allow_paths" not in ask(process, 2, "repo.status")["result"]
        assert not ask(process, 3, "repo.open_file", path="secrets.py")["ok"]


def test_the_named_roots_take_it_too(root: Path, tmp_path: Path) -> None:
    for options, is_served in (((), False), (("--allow-path", "secrets.py"), True)):
        with closing(start_retrieval(root, root, tmp_path / "home", *options)) as client:
            opened_file = client.call("open_file", repo="code", path="secrets.py")
            found = client.call("search", query=f"def {CANARY}")
        assert ("result" in opened_file) is is_served
        assert bool(found["result"]["matches"]) is is_served
        if not is_served:
            assert "source code" in opened_file["error"]["details"]["hint"]


def test_every_command_for_people_takes_it(root: Path) -> None:
    chosen = ("--allow-path", "secrets.py")
    assert run(root, "open", "secrets.py").returncode == 3
    assert CANARY in run(root, "open", "secrets.py", *chosen).stdout
    assert CANARY in run(root, "outline", "secrets.py", *chosen).stdout
    assert "secrets.py" in run(root, "search", f"{CANARY}_token", *chosen).stdout
    assert CANARY in run(root, "bundle", f"{CANARY}_token", *chosen).stdout
    assert json.loads(run(root, "index", "--json", *chosen).stdout)["unchanged"] == 2
    assert json.loads(run(root, "status", "--json", *chosen).stdout)["allow_paths"] == ["secrets.py"]
    assert "allowed names  secrets.py" in run(root, "status", *chosen).stdout
    for command in ("compact", "report"):
        assert run(root, command, *chosen).returncode == 0
    shown = json.loads(run(root, "config", "--show", "--json", *chosen).stdout)["settings"]["allow_paths"]
    assert shown == {"value": ["secrets.py"], "source": "command line"}
    assert run(root, "doctor", *chosen).returncode != 2
    entry = run(root, "init", "generic", *chosen, "--command", "/bin/true").stdout
    assert '"--allow-path",' in entry
    assert run(root, "search", f"{CANARY}_token").returncode == 1
    refused = run(root, "search", "x", "--allow-path", ".git/**")
    assert refused.returncode == 2
    assert "version control" in refused.stderr
