"""A server for which the system has no more threads: calls are answered, and later all is made up for."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_mcp.config.server_config import load_config
from repo_mcp.errors import RepoError
from repo_mcp.indexing.derived.plan import plan_round
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.live import change_watch, derived_index
from repo_mcp.live.look_ahead import Need
from repo_mcp.repository import Repository
from repo_mcp.symbol_index.schema import DECLARES
from repo_mcp.symbol_index.workers import ParseWorkers
from repo_mcp.threads import REFUSED, run_beside
from tests.no_threads import no_threads
from tests.repo_mcp.symbol_index.structure_tree import StructureTree
from tests.repo_mcp.symbol_index.tiny_parser import find_tiny_task, make_tiny_parser
from tests.waiting import wait_until

NO_PROCESS = "no process could be started"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    """Return one of two files, as a server opens it, that looks and tries again without delay."""
    monkeypatch.setattr(derived_index, "FULL_RETRY_SECONDS", 0.05)
    monkeypatch.setattr(change_watch, "LOOK_SECONDS", 0.05)
    root = tmp_path / "root"
    root.mkdir()
    (root / "one.py").write_text("def first():\n    pass\n")
    (root / "two.py").write_text("def second():\n    pass\n")
    config = load_config(str(root), data_dir=str(tmp_path / "data"), toolsets=("graph",), watch=True)
    repository = Repository(config)
    repository.expect_refresh()
    yield repository
    repository.close()
    assert multiprocessing.active_children() == []


def find_declaring(repository: Repository, name: str) -> list[str]:
    try:
        repository.symbol_index.wait_for(Need(name), time.monotonic() + 2)
        with repository.symbol_index.view() as view:
            return view.list_paths(DECLARES, name)
    except RepoError:  # there is no index yet
        return []


def is_reported(repository: Repository) -> bool:
    reported = " ".join([*repository.status().warnings, *repository.symbol_index.warn()]).lower()
    return REFUSED in reported or NO_PROCESS in reported


@pytest.mark.parametrize(
    "name", ["refresh", "watch", "structure", "structure lane", "structure reader", "parse watch"]
)
def test_what_a_refused_thread_would_have_done_is_reported_and_made_up_for(
    repository: Repository, name: str
) -> None:
    """One that was refused a thread for its symbols once had none until it ended, and its calls waited."""
    with no_threads(name) as refused:
        repository.start_background_refresh()
        wait_until(lambda: refused)
        wait_until(lambda: is_reported(repository))
    Path(repository.config.root, "new.py").write_text("def fresh():\n    pass\n")
    wait_until(lambda: find_declaring(repository, "fresh") == ["new.py"])
    assert find_declaring(repository, "second") == ["two.py"]
    if name == "watch":  # looked for at intervals from now on
        assert is_reported(repository)
    else:
        wait_until(lambda: not is_reported(repository))


@pytest.mark.parametrize("name", ["pages", "load", "look", "allocator", "proof"])
def test_what_others_can_do_is_done_without_a_thread(repository: Repository, name: str) -> None:
    with no_threads(name):
        repository.refresh()
        repository.start_background_refresh()
        wait_until(lambda: find_declaring(repository, "second") == ["two.py"])
    assert not is_reported(repository)


def test_fewer_parse_where_the_system_has_fewer_threads(tmp_path: Path) -> None:
    tree = StructureTree(tmp_path, workers=3)
    tree.write({f"{number}.tiny": f"def name{number}\n" for number in range(4)})
    parsers = [make_tiny_parser() for _ in range(3)]
    made = iter(parsers)
    plan = plan_round(tree.lexical, KnownFiles(None), find_tiny_task)
    with no_threads("structure lane", after=1) as refused:
        workers = ParseWorkers(plan.files, 3, tree.repository.tree.read_many, lambda: next(made))
        with workers:
            outcomes = [one for batch in workers.iter_outcomes(lambda: None) for one in batch]
    assert len(refused) == 2
    assert sorted(one.path for one in outcomes) == [f"{number}.tiny" for number in range(4)]
    tree.close()


def test_functions_are_run_beside_each_other_or_here() -> None:
    ran: list[str] = []
    functions = [lambda: ran.append(threading.current_thread().name)] * 2
    run_beside(functions)
    assert threading.current_thread().name not in ran
    with no_threads():
        run_beside(functions)
    assert len(ran) == 4
