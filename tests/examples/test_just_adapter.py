"""The example of a language adapter, built and installed: outlines, search, graph and bundles with it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from index_format import DiskDirectory, iter_dump
from repo_mcp.bundler.records import BundleRequest
from repo_mcp.config.server_config import load_config
from repo_mcp.model import Hit, SearchRequest
from repo_mcp.repository import Repository
from tests.architecture.source_tree import ROOT
from tests.forked import START
from tests.growth import HANG_SECONDS
from tests.repo_mcp.cli.program import run
from tests.repo_mcp.installed_packages import EXAMPLE, install_example
from tests.repo_mcp.toolsets.graph.graph_roots import Served
from tests.written_trees import write_tree

CLIENT = {"name": "test", "version": "0"}
JUSTFILE = """\
registry := "registry.example.org"

# Make the image of the shop.
build-image tag: compile-sources
    docker build -t {{registry}}/shop:{{tag}} .

compile-sources:
    cc -o shop shop.c
"""
RELEASE = "".join(
    f"# Step {number} of a release.\nstep-{number}:\n    echo zeppelin {number}\n\n" for number in range(30)
)

TREE = {
    "justfile": JUSTFILE,
    "ci/release.just": RELEASE,
    "ci/deploy.just": "deploy:\n    just build-image latest\n",
    "notes.md": "# Notes\n\nNothing of build images.\n",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = tmp_path_factory.mktemp("site")
    install_example(site, tmp_path_factory.mktemp("work"))
    return site


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "root", TREE)


def open_root(root: Path, *, workers: int = 1) -> Repository:
    return Repository(load_config(str(root), workers=workers))


@pytest.fixture(scope="module")
def indexed(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Index the tree once for all tests that only read it."""
    root = write_tree(tmp_path_factory.mktemp("indexed") / "root", TREE)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(site))
        served = Served(root, root / ".repo_mcp")
    with closing(served.repository):
        yield served


@pytest.fixture
def served(indexed: Served, site: Path, monkeypatch: pytest.MonkeyPatch) -> Served:
    monkeypatch.syspath_prepend(str(site))
    return indexed


@pytest.fixture
def repository(served: Served) -> Repository:
    return served.repository


def search(repository: Repository, query: str, **arguments: bool) -> tuple[Hit, ...]:
    return repository.search(SearchRequest(query, 20, **arguments)).hits


def test_the_package_tests_itself_as_its_readme_says() -> None:
    command = "python -m pytest examples/just_adapter/tests"
    assert f"`{command}`" in (EXAMPLE / "README.md").read_text(encoding="utf-8")
    done = subprocess.run(
        [sys.executable, *command.split()[1:], "-q", "-p", "no:cacheprovider"],
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_outline_and_status(repository: Repository) -> None:
    assert repository.outliner.adapters.names == ("python", "headings", "keys", "just", "lexical")
    assert repository.status().languages == {"just": 3, "markdown": 1}
    outline = repository.outline("justfile")
    assert (outline.language, outline.parser, outline.warnings) == ("just", "just", ())
    assert [(one.kind, one.name, one.start_line, one.end_line) for one in outline.symbols] == [
        ("variable", "registry", 1, 1),
        ("function", "build-image", 3, 5),
        ("function", "compile-sources", 7, 8),
    ]


def test_search_by_name_and_by_language(repository: Repository) -> None:
    assert search(repository, "build-image", symbols_only=True)[0].path == "justfile"
    assert [hit.path for hit in search(repository, "compile-sources", symbols_only=True)] == ["justfile"]
    assert {hit.path for hit in search(repository, "build image lang:just")} == {"justfile", "ci/deploy.just"}
    best = search(repository, "build-image")[0]
    assert best.path == "justfile"
    assert "name" in dict(best.explanation)  # it declares what the query names


def test_chunks_are_those_that_the_adapter_proposes(
    root: Path, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_root(root)) as repository:
        repository.refresh()
        before = {hit.chunk_lines: hit.chunk_id for hit in search(repository, "zeppelin")}
    monkeypatch.syspath_prepend(str(site))
    with closing(open_root(root)) as repository:
        assert not repository.index_exists  # what was indexed without the adapter is not used
        repository.refresh()
        after = {hit.chunk_lines: hit.chunk_id for hit in search(repository, "zeppelin")}
    assert sorted(before) == [(1, 120)]
    assert sorted(after) == [(1, 40), (41, 80), (81, 120)]
    lines = RELEASE.splitlines()
    assert all(lines[first - 1].startswith("# Step") for first, _ in after)
    assert not set(before.values()) & set(after.values())


def test_symbols_and_references_in_the_graph(served: Served) -> None:
    found = served.rows("search_symbols", query="build-image", language="just")
    assert [(one["qualified_name"], one["node_type"], one["file_path"]) for one in found][:1] == [
        ("build-image", "function", "justfile")
    ]
    callers = served.rows("get_callers", node_id=found[0]["node_id"])
    assert [(one["name"], one["file_path"], one["confidence"]) for one in callers] == [
        ("deploy", "ci/deploy.just", "probable")
    ]
    callees = served.rows("get_callees", node_id=found[0]["node_id"])
    assert [one["name"] for one in callees] == ["compile-sources"]
    (registry,) = served.rows("lookup_symbol", qualified_name="registry")
    used = served.rows("get_references", node_id=registry["node_id"])
    assert [(one["name"], one["reference_lines"]) for one in used] == [("build-image", [5])]


def test_a_bundle_knows_what_the_prompt_names(repository: Repository) -> None:
    bundle = repository.engines.bundles.build(BundleRequest("Why does just build-image fail?"))
    assert "build-image" in [one.text for one in bundle.audit.keywords]
    assert bundle.warnings == ("No file has: fail.",)
    best = bundle.selections[0]
    assert (best.path, best.symbol) == ("justfile", "build-image")


def test_an_index_depends_on_the_version_and_on_nothing_else(
    root: Path, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "site"
    shutil.copytree(site, mine)
    monkeypatch.syspath_prepend(str(mine))
    dumps = []
    for workers in (1, 3):
        with closing(open_root(root, workers=workers)) as repository:
            repository.refresh(force=True)
            repository.compact(full=True)
        (index,) = (root / ".repo_mcp").glob("index-*")
        dumps.append(
            [line for line in iter_dump(DiskDirectory(str(index))) if not line.startswith("generation")]
        )
    assert dumps[0] == dumps[1]
    (metadata,) = mine.glob("*.dist-info")
    text = (metadata / "METADATA").read_text()
    (metadata / "METADATA").write_text(text.replace("Version: 1.0.0", "Version: 1.0.1"))
    with closing(open_root(root)) as repository:
        assert not repository.index_exists
    shutil.rmtree(metadata)
    with closing(open_root(root)) as repository:
        assert "just" not in repository.outliner.adapters.names
        assert not repository.index_exists


def test_a_server_of_its_own_uses_it(root: Path, site: Path) -> None:
    """Over real pipes, in processes that were started by nobody but the server."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), str(ROOT)])}
    environment |= {"HOME": str(root.parent), "XDG_STATE_HOME": str(root.parent / "state")}
    command = [sys.executable, "-c", START, "--repo-root", str(root), "--no-watch"]
    with subprocess.Popen(
        command, env=environment, cwd=root.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        requests: list[tuple[str, dict[str, object]]] = [
            ("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT}),
            ("tools/call", {"name": "repo.refresh_index", "arguments": {}}),
            ("tools/call", {"name": "repo.status", "arguments": {}}),
            ("tools/call", {"name": "repo.outline", "arguments": {"path": "ci/deploy.just"}}),
            ("tools/call", {"name": "repo.search", "arguments": {"query": "zeppelin", "explain": True}}),
        ]
        results = []
        for number, (method, params) in enumerate(requests):
            request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            server.stdin.write(json.dumps(request) + "\n")
            server.stdin.flush()
            answer = json.loads(server.stdout.readline())
            assert answer["id"] == number, answer
            results.append(answer["result"].get("structuredContent", {}).get("result"))
        server.stdin.close()
        assert server.wait(HANG_SECONDS) == 0
    assert "just" in results[2]["adapters"]
    assert results[2]["languages"]["just"] == 3
    assert [one["name"] for one in results[3]["symbols"]] == ["deploy"]
    assert sorted(one["start_line"] for one in results[4]["hits"]) == [1, 41, 81]
    assert len({one["chunk_id"] for one in results[4]["hits"]}) == 3


def test_the_command_line_names_it(root: Path, indexed: Served, site: Path) -> None:
    surroundings = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(site)])}
    surroundings["XDG_STATE_HOME"] = os.environ["XDG_STATE_HOME"]  # with the key of the index
    status = run(indexed.root, "status", **surroundings).stdout
    assert re.search(r"^adapters +just 1\.0\.0$", status, re.MULTILINE), status
    assert "adapters" not in run(root, "status").stdout


def test_it_can_be_switched_off_by_the_repository(
    root: Path, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(site))
    (root / "a.recipes").write_text("recipe:\n")
    (root / "repo_mcp.toml").write_text('[extensions]\nrecipes = "just"\n')
    with closing(open_root(root)) as repository:
        assert repository.warnings == ()
        assert repository.outline("a.recipes").language == "just"  # though the adapter takes other names
    (root / "a.recipes").unlink()
    (root / "repo_mcp.toml").write_text("[adapters.just]\nenabled = false\n")
    with closing(open_root(root)) as repository:
        assert repository.warnings == ()
        assert repository.outliner.adapters.names == ("python", "headings", "keys", "lexical")
        repository.refresh()
        assert repository.status().languages == {"unknown": 3, "markdown": 1, "toml": 1}
        assert search(repository, "build-image", symbols_only=True) == ()
