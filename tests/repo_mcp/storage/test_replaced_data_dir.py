"""The data directory, or the root, becomes something else under a server: nothing is written outside.

Each holds with descriptors, and without them, as on Windows, by comparing what a path leads to.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from repo_mcp.audit.log import AuditLog, LoggedCall
from repo_mcp.bundler.records import BundleRequest
from repo_mcp.cli.report.file import MARK, write_report
from repo_mcp.config.server_config import load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import ExactRequest, SearchRequest
from repo_mcp.repository import Repository
from repo_mcp.storage import held_directory
from tests.repo_mcp.semantic.tiny_model import write_model

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and modes of POSIX")


@pytest.fixture(params=[True, False], ids=["by descriptor", "by path"], autouse=True)
def _descriptors(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_directory, "HAS_DESCRIPTORS", request.param)


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "precious").write_text("mine")
    return victim


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    (root / "one.py").write_text("def first_function():\n    return 1\n")
    return root


def open_root(root: Path, workers: int = 1) -> Repository:
    model = write_model(root.parent / "model")
    return Repository(load_config(str(root), workers=workers, semantic_model=str(model)))


@pytest.fixture
def served(root: Path) -> Iterator[Repository]:
    with closing(open_root(root)) as repository:
        build(repository)
        yield repository


def build(repository: Repository) -> None:
    repository.refresh()
    repository.symbol_index.build()
    assert repository.vectors is not None
    repository.vectors.build()


def ask(repository: Repository) -> list[str]:
    """Return the paths of the hits."""
    return [hit.path for hit in repository.search(SearchRequest("first_function", 10)).hits]


def write_everything(repository: Repository, *, adds: bool = True) -> list[str]:
    """Have all write that write to the data directory; the messages of those that refuse."""
    if adds:
        (Path(repository.config.root) / "two.py").write_text("SECOND = 2\n")
    refused = []
    vectors = repository.vectors
    assert vectors is not None
    writers: list[Callable[[], object]] = [
        repository.refresh,
        lambda: repository.compact(full=True),
        repository.symbol_index.build,
        vectors.build,
        lambda: write_report(MARK, None, repository.data_dir.directory),
    ]
    for write in writers:
        try:
            write()
        except (RepoError, OSError) as error:
            refused.append(error.message if isinstance(error, RepoError) else str(error.strerror))
    repository.engines.bundles.build(BundleRequest("what does first_function do"))
    repository.poison.add(b"text")
    repository.namespaces.mark_used()
    repository.namespaces.remove_unused()
    log = AuditLog(repository.data_dir.directory, repository.config.root, b"k" * 32)
    log.write(LoggedCall("r", "repo.search", {}, True, False, None, {}, 1))
    return refused


def list_tree(place: Path) -> list[str]:
    return sorted(path.relative_to(place).as_posix() for path in place.rglob("*"))


def test_one_that_became_a_link_is_not_written_through(served: Repository, root: Path, victim: Path) -> None:
    """As `git checkout` makes it of a branch that tracks such a link. What is open goes on answering."""
    assert find_symbols(served) == ["first_function"]
    shutil.rmtree(root / ".repo_mcp")
    (root / ".repo_mcp").symlink_to("../victim")
    refused = write_everything(served)
    assert list_tree(victim) == ["precious"]
    assert len(refused) == 5
    assert all("a symbolic link is where the data directory was" in one for one in refused[:4])
    answer = served.search(SearchRequest("first_function", 10))
    assert [hit.path for hit in answer.hits] == ["one.py"]
    assert any("cannot be reached (a symbolic link" in one for one in answer.warnings)
    assert any("cannot be reached (a symbolic link" in one for one in served.status().warnings)
    exact = served.search_exact(ExactRequest("first_function"))
    assert any("cannot be reached (a symbolic link" in one for one in exact.warnings)
    assert str(root.parent) not in "".join([*answer.warnings, *served.status().warnings, *refused])
    assert find_symbols(served) == ["first_function"]
    (root / ".repo_mcp").unlink()
    assert write_everything(served) == []
    assert served.status().warnings == ()


def find_symbols(repository: Repository) -> list[str]:
    with repository.engines.graph.open() as graph:
        return [node.symbol.name for node in graph.outline("one.py")]


@pytest.mark.parametrize("umask", [0, 0o022, 0o777])
def test_one_that_was_removed_is_made_again_as_it_was(root: Path, umask: int) -> None:
    """Private, and hidden from Git; the next server takes it."""
    with closing(open_root(root)) as repository:
        build(repository)
        before = list_kinds(root)
        shutil.rmtree(root / ".repo_mcp")
        assert ask(repository) == ["one.py"]
        assert any("was removed" in one for one in repository.status().warnings)
        with_umask(umask, lambda: write_everything(repository))
        assert list_kinds(root) >= before
        assert (root / ".repo_mcp" / ".gitignore").read_text() == "*\n"
        made = [root / ".repo_mcp", *(path for path in (root / ".repo_mcp").iterdir() if path.is_dir())]
        assert {stat.S_IMODE(path.stat().st_mode) for path in made} == {0o700}
        assert repository.status().warnings == ()
    with closing(open_root(root)) as repository:
        assert repository.warnings == ()
        assert ask(repository) == ["one.py"]


def with_umask(umask: int, run: Callable[[], object]) -> None:
    before = os.umask(umask)
    try:
        run()
    finally:
        os.umask(before)


def list_kinds(root: Path) -> set[str]:
    return {path.name.partition("-")[0] for path in (root / ".repo_mcp").iterdir()}


def test_only_the_log_makes_a_removed_one_again(served: Repository, root: Path) -> None:
    """It is marked, whoever makes it."""
    shutil.rmtree(root / ".repo_mcp")
    log = AuditLog(served.data_dir.directory, str(root), b"k" * 32)
    assert log.write(LoggedCall("r", "repo.search", {}, True, False, None, {}, 1))
    assert list_tree(root / ".repo_mcp") == [".gitignore", "CACHEDIR.TAG", "audit.jsonl"]


def test_a_root_that_is_gone_is_not_made_again(served: Repository, root: Path) -> None:
    shutil.rmtree(root)
    with pytest.raises(RepoError) as refused:
        served.refresh()
    assert refused.value.code is ErrorCode.UNREADABLE
    assert len(write_everything(served, adds=False)) == 5
    assert not root.exists()
    assert served.status().indexed_files == 1


@pytest.mark.parametrize("becomes", ["another directory", "a link"])
def test_nothing_is_written_to_what_took_the_place_of_the_root(
    served: Repository, root: Path, victim: Path, becomes: str
) -> None:
    root.rename(root.with_name("moved"))
    if becomes == "a link":
        root.symlink_to(victim)
    else:
        victim.rename(root)
        victim = root
    moved = list_tree(root.with_name("moved") / ".repo_mcp")
    (victim / "two.py").write_text("")
    assert len(write_everything(served)) == 5
    assert list_tree(victim) == ["precious", "two.py"]
    assert list_tree(root.with_name("moved") / ".repo_mcp") == moved


def test_a_real_directory_in_its_place_is_taken(served: Repository, root: Path) -> None:
    """As another server makes it."""
    shutil.rmtree(root / ".repo_mcp")
    with closing(open_root(root)) as other:
        build(other)
        assert write_everything(served) == []
        assert ask(other) == ask(served) == ["one.py"]


def test_one_that_others_may_write_to_is_not_taken(served: Repository, root: Path) -> None:
    shutil.rmtree(root / ".repo_mcp")
    (root / ".repo_mcp").mkdir()
    (root / ".repo_mcp").chmod(0o777)
    with pytest.raises(RepoError, match="others may write to it"):
        served.refresh()
    assert list_tree(root / ".repo_mcp") == []


def test_an_index_of_ours_that_became_a_link_is_not_written_through(
    served: Repository, root: Path, victim: Path
) -> None:
    for path in [path for path in (root / ".repo_mcp").iterdir() if path.is_dir()]:
        shutil.rmtree(path)
        path.symlink_to(victim)
    assert len(write_everything(served)) == 4  # the report lies beside them
    assert list_tree(victim) == ["precious"]
