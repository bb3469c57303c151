"""The benchmarks' options, the tree and index that they share, the table at the end, and when a run fails.

The tree is a copy, so files in it may be changed; it is removed with the session. Benchmarks that need an
index share one, built with the program's defaults.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.calibration import time_calibration
from bench.corpus import DEFAULT_FILES, ensure_corpus
from bench.engine import SETTLE_SECONDS, Indexed, find_index_path, measure_index
from bench.queries import choose_queries
from bench.report import Row, name_row, render_table
from bench.stored_run import (
    TOLERANCE,
    Regression,
    build_measures,
    find_regressions,
    find_run_file,
    read_run,
    write_run,
)
from repo_mcp.config.server_config import Config
from repo_mcp.repository import Repository

RESULTS = Path(__file__).resolve().parent / "results"
ROWS = pytest.StashKey[list[Row]]()
REGRESSIONS = pytest.StashKey[list[Regression]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("bench", "what is indexed")
    group.addoption("--tree", metavar="PATH", help="a real source tree (default: a synthetic one)")
    group.addoption(
        "--files", metavar="N", type=int, default=DEFAULT_FILES, help="files of the synthetic tree"
    )
    group.addoption("--store", action="store_true", help="this run is what later ones are compared with")
    group.addoption(
        "--tolerance", metavar="N", type=float, default=TOLERANCE, help="times as slow as stored that pass"
    )
    group.addoption("--results", metavar="DIR", type=Path, default=RESULTS, help="where runs are stored")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[ROWS] = []
    config.stash[REGRESSIONS] = []


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Compare with the stored run and store rows that it lacks. A regression fails the session."""
    config = session.config
    rows = config.stash[ROWS]
    measured = build_measures(rows)
    if not measured:
        return
    file = find_run_file(config.getoption("--results"), name_tree(config))
    stored = read_run(file)
    if config.getoption("--store"):
        kept = {**stored, **measured}
    else:
        kept = {**measured, **stored}
        config.stash[REGRESSIONS] = find_regressions(measured, stored, config.getoption("--tolerance"))
    if kept != stored:
        write_run(file, kept)
    if config.stash[REGRESSIONS] and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def name_tree(config: pytest.Config) -> str:
    """Return the name under which the run of this tree is stored."""
    given = config.getoption("--tree")
    return Path(given).resolve().name if given else f"made-{config.getoption('--files')}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    rows = terminalreporter.config.stash[ROWS]
    if rows:
        terminalreporter.section("rows, as bench/README.md explains them")
        for line in render_table(rows):
            terminalreporter.write_line(line)
    regressions = terminalreporter.config.stash[REGRESSIONS]
    if regressions:
        terminalreporter.section("worse than the stored run")
        for regression in regressions:
            terminalreporter.write_line(str(regression))


@pytest.fixture(autouse=True)
def recorded(request: pytest.FixtureRequest, benchmark: BenchmarkFixture) -> Iterator[None]:
    """Add the measurements of a test to the table, with the time of the calibration loop."""
    before = time_calibration() if benchmark.enabled else 0.0
    yield
    if benchmark.stats is not None:
        rounds = benchmark.stats.stats.sorted_data
        unit = min(before, time_calibration())
        row = Row(name_row(request.node.name), rounds, unit, dict(benchmark.extra_info))
        request.config.stash[ROWS].append(row)


@pytest.fixture(scope="session")
def tree(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield the root of the source tree."""
    given = request.config.getoption("--tree")
    place = tmp_path_factory.mktemp("tree") / "root"
    base = tmp_path_factory.getbasetemp()
    cache = base.parent if base.name.startswith("pytest-") else base  # the latter with --basetemp
    source = Path(given) if given else ensure_corpus(cache, request.config.getoption("--files"))
    shutil.copytree(source, place, symlinks=True, ignore=shutil.ignore_patterns(".git", ".repo_mcp"))
    time.sleep(SETTLE_SECONDS)
    yield place
    shutil.rmtree(place)


@pytest.fixture(scope="session")
def indexed(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Indexed]:
    """Yield the tree and its index, built once."""
    data_dir = tmp_path_factory.mktemp("data")
    with closing(Repository(Config(str(tree), data_dir=str(data_dir)))) as repository:
        repository.refresh()
    yield measure_index(tree, data_dir, find_index_path(data_dir))
    shutil.rmtree(data_dir)


@pytest.fixture(scope="session")
def repository(indexed: Indexed) -> Iterator[Repository]:
    """Yield a repository that is opened as the server opens it."""
    with closing(Repository(Config(str(indexed.root), data_dir=str(indexed.data_dir)))) as opened:
        yield opened


@pytest.fixture(scope="session")
def queries(indexed: Indexed) -> dict[str, list[str]]:
    """Return the queries of each class."""
    return choose_queries(indexed)


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[Path]:
    """Yield a directory for one benchmark, removed afterwards, since the index of a large tree is large."""
    place = tmp_path / "scratch"
    place.mkdir()
    yield place
    shutil.rmtree(place)


@pytest.fixture(scope="session")
def structured(indexed: Indexed) -> Iterator[Repository]:
    """Yield the shared index with its structure."""
    with closing(Repository(Config(str(indexed.root), data_dir=str(indexed.data_dir)))) as repository:
        if not repository.symbol_index.status().files_total:
            pytest.skip("no parser is installed for a file of this tree")
        repository.symbol_index.build()
        yield repository
