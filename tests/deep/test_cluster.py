"""A build on the workers of a Dask cluster: real processes, some of which die, hang, lie or were never there.

Whatever becomes of them, the index has the bytes of one that was built here.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from index_format.frame import FrameReader, FrameWriter
from index_format.memory_directory import MemoryFile
from index_format.postings import POST
from repo_mcp.config.server_config import load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.cluster import messages as cluster_messages
from repo_mcp.indexing.indexer import DAMAGED
from repo_mcp.indexing.shards.shards import BuildSettings, Cluster, ShardPlanner, ShardTask
from repo_mcp.indexing.shards.workers import Done
from repo_mcp.languages.outline.installed import InstalledAdapter
from repo_mcp.model import RefreshReport
from repo_mcp.repository import Repository
from repo_mcp.workspace.walked_files import WalkedFiles
from tests.posix import posix
from tests.repo_mcp.trees import make_tree

distributed = pytest.importorskip("distributed", reason="the extra `distributed` is not installed")
from repo_mcp.indexing.cluster import loop as cluster_loop  # noqa: E402
from repo_mcp.indexing.cluster.cluster import open_cluster  # noqa: E402
from repo_mcp.indexing.cluster.loop import ClusterTimeouts  # noqa: E402

pytestmark = [
    pytest.mark.deep,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore:Port .* is already in use:UserWarning"),
]

FILES, SHARD_BYTES = 300, 20_000
PATIENCE_SECONDS = 120.0
SHORT_TIMEOUTS = ClusterTimeouts(
    first_worker_seconds=3, first_shard_seconds=5, least_shard_seconds=3, times_longest=4
)
PROJECT = Path(__file__).resolve().parents[2]
build_well = cluster_messages.build_shard


# What a worker does instead of its work, in its own process


def die(_message: bytes) -> list[bytes]:
    os._exit(1)


def hang(message: bytes) -> list[bytes]:
    time.sleep(PATIENCE_SECONDS)
    return build_well(message)


def fail(_message: bytes) -> list[bytes]:
    raise OSError("this disk is broken")


def damage(message: bytes) -> list[bytes]:
    record, *segments = build_well(message)
    return [record, *(bytes([*one[:-1000], one[-1000] ^ 1, *one[-999:]]) for one in segments)]


def disguise(message: bytes) -> list[bytes]:
    """Damage posting lists and give them right checksums: only who merges the segment finds out."""
    record, *segments = build_well(message)
    changed = []
    for one in segments:
        reader, file = FrameReader(MemoryFile("one", bytearray(one))), MemoryFile("other", bytearray())
        writer = FrameWriter(file)
        for tag, size in reader.sections().items():
            writer.add_section(tag, b"\xff" * size if tag == POST else reader.read(tag))
        writer.finish()
        changed.append(bytes(file._data))
    return [record, *changed]


SABOTEURS = {one.__name__: one for one in (die, hang, fail, damage, disguise)}


def sabotage(name: str) -> None:
    """Run on a worker: what it is asked to build is done by a saboteur."""
    cluster_messages.build_shard = SABOTEURS[name]


@contextmanager
def start_cluster(workers: int = 2) -> Iterator[Any]:
    with distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as one:
        yield one


def spoil(cluster: Any, name: str, workers: list[str] | None = None) -> None:
    """Have the first worker, or those of these addresses, do something else instead of their work."""
    with distributed.Client(cluster, set_as_default=False) as client:
        client.run(sabotage, name, workers=workers or sorted(client.ncores())[:1])


@pytest.fixture(name="cluster", scope="module")
def open_shared_cluster() -> Iterator[Any]:
    with start_cluster() as cluster:
        yield cluster


@pytest.fixture(name="root", scope="module")
def make_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tree(tmp_path_factory.mktemp("tree") / "root", 7, files=FILES)


@pytest.fixture(autouse=True)
def _small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = ShardPlanner.__init__

    def plan_small(self: ShardPlanner, find: Any, reserve: Any, _shard_bytes: int, **options: bool) -> None:
        plan(self, find, reserve, SHARD_BYTES, **options)

    monkeypatch.setattr(ShardPlanner, "__init__", plan_small)


def build(root: Path, place: Path, cluster: Cluster | None) -> tuple[RefreshReport, dict[str, bytes]]:
    """Build an index anew; return the report, and its segments."""
    with closing(
        Repository(load_config(str(root), data_dir=str(place), workers=1), cluster=cluster)
    ) as repository:
        report = repository.refresh()
        assert repository.symbol_index.exists is False
    return report, {path.name: path.read_bytes() for path in place.rglob("*.seg")}


@pytest.fixture(name="wanted", scope="module")
def build_wanted(root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    _, segments = build(root, tmp_path_factory.mktemp("here"), None)
    assert len(segments) == 1
    return segments


def test_an_index_has_the_same_bytes_wherever_it_was_built(
    root: Path, tmp_path: Path, cluster: Any, wanted: dict[str, bytes]
) -> None:
    report, segments = build(root, tmp_path, Cluster(cluster.scheduler_address))
    assert segments == wanted
    assert report.warnings == ()
    assert report.added > 50


def test_the_command_builds_with_a_cluster(
    root: Path, tmp_path: Path, cluster: Any, wanted: dict[str, bytes]
) -> None:
    """Its shards are of the usual size here: there are two of them."""
    (root / "big.md").write_text("many words\n" * 150_000)
    (root / "zz_big.md").write_text("more words\n" * 150_000)
    try:
        place = tmp_path / "there"
        done = subprocess.run(
            [sys.executable, "-m", "repo_mcp", "index", "--repo-root", str(root), "--data-dir", str(place),
             "--scheduler", cluster.scheduler_address, "--max-file-bytes", "9000000"],
            cwd=PROJECT, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "warning" not in done.stderr
        with closing(
            Repository(
                load_config(str(root), data_dir=str(tmp_path / "here"), limits={"max_file_bytes": 9_000_000})
            )
        ) as repository:
            repository.refresh()
        found = [{path.name for path in (tmp_path / one).rglob("*.seg")} for one in ("here", "there")]
        assert found[0] == found[1]
        assert len(found[0]) == 1
    finally:
        (root / "big.md").unlink()
        (root / "zz_big.md").unlink()


@pytest.mark.parametrize("saboteur", ["die", "damage"])
def test_a_worker_that_fails_costs_its_shards_time(
    root: Path, tmp_path: Path, wanted: dict[str, bytes], saboteur: str
) -> None:
    """The other worker builds what the first one did not."""
    with start_cluster() as cluster:
        spoil(cluster, saboteur)
        report, segments = build(root, tmp_path, Cluster(cluster.scheduler_address))
    assert segments == wanted
    assert ["did not build all shards" in one for one in report.warnings] == [True]


def test_where_all_workers_fail_everything_is_built_here(
    root: Path, tmp_path: Path, wanted: dict[str, bytes]
) -> None:
    with start_cluster() as cluster:
        spoil(cluster, "fail")
        spoil(cluster, "damage", sorted(cluster.scheduler_info["workers"])[1:])
        report, segments = build(root, tmp_path, Cluster(cluster.scheduler_address))
    assert segments == wanted
    (warning,) = report.warnings
    assert "OSError" in warning


def test_what_only_a_merge_finds_out_is_built_here_anew(
    root: Path, tmp_path: Path, wanted: dict[str, bytes]
) -> None:
    with start_cluster() as cluster:
        spoil(cluster, "disguise")
        report, segments = build(root, tmp_path, Cluster(cluster.scheduler_address))
    assert DAMAGED in report.warnings
    assert segments == wanted


def test_a_tree_that_workers_see_otherwise_is_built_here(
    root: Path, tmp_path: Path, cluster: Any, wanted: dict[str, bytes]
) -> None:
    other = make_tree(tmp_path / "other", 8, files=FILES)
    report, segments = build(root, tmp_path / "data", Cluster(cluster.scheduler_address, str(other)))
    assert segments == wanted
    assert "an incomplete reply" in report.warnings[0]


def test_a_cluster_without_workers_and_one_that_ends_cost_little(
    root: Path, tmp_path: Path, wanted: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    with start_cluster(0) as cluster:
        report, segments = build(root, tmp_path / "none", Cluster(cluster.scheduler_address))
    assert segments == wanted
    assert "no worker" in report.warnings[0]


def test_a_scheduler_that_does_not_answer_is_named(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_loop, "CONNECT_SECONDS", 2.0)
    for address in ("tcp://127.0.0.1:1", "nonsense", "ftp://127.0.0.1:1"):
        with pytest.raises(RepoError) as caught:
            build(root, tmp_path, Cluster(address))
        assert caught.value.code is ErrorCode.CONFIG_INVALID
        assert "No Dask scheduler answers" in caught.value.message


def test_installed_adapters_are_not_given_to_a_cluster(tmp_path: Path) -> None:
    adapter = InstalledAdapter("just", "just:Adapter", "repo-mcp-just", "1.0.0")
    settings = BuildSettings("", str(tmp_path), None, 200, 30, 1_000, frozenset(), adapters=(adapter,))
    with (
        pytest.raises(RepoError, match="just"),
        open_cluster(settings, Cluster("tcp://127.0.0.1:1"), 1, SimpleQueue()),
    ):
        pass


# The builders themselves, in less time than a refresh would wait


class Shards:
    """The shards of a root, built into a directory without an index."""

    def __init__(self, root: Path, place: Path, cluster: Any) -> None:
        place.mkdir()
        self.place = place
        self.cluster = Cluster(cluster.scheduler_address)
        with closing(Repository(load_config(str(root), data_dir=str(place / "data")))) as repository:
            settings = repository._index.refresher.setup.settings
            files = repository.tree.walk(lambda: False).files
        self.settings = replace(
            settings, root=str(root), index_path=str(place), data_dir_parts=None, cluster=self.cluster
        )
        assert isinstance(files, WalkedFiles)
        names = map("new-{}".format, range(10_000))
        planner = ShardPlanner(lambda _path: None, lambda: next(names), SHARD_BYTES, keeps_stats=True)
        self.tasks: list[ShardTask] = [*planner.take(files), *planner.finish()]

    def build(self, meanwhile: Any = lambda _builders, _done: None) -> list[str]:
        """Build all, and return the warnings. `meanwhile` is called with the number of shards done."""
        done: list[str] = []
        outcomes: Done = SimpleQueue()
        with open_cluster(self.settings, self.cluster, 1, outcomes, SHORT_TIMEOUTS) as builders:
            for task in self.tasks:
                builders.add(task)
            while len(done) < len(self.tasks):
                outcome = outcomes.get(timeout=PATIENCE_SECONDS)
                assert outcome is not None
                if (result := outcome.result()) is not None:
                    done += [entry.name for entry in result.entries]
                    meanwhile(builders, len(done))
            warnings = builders.list_warnings()
        assert sorted(done) == sorted(path.name for path in self.place.glob("*.seg"))
        assert len(set(done)) == len(self.tasks)
        return warnings


def find_pids(cluster: Any) -> list[int]:
    with distributed.Client(cluster, set_as_default=False) as client:
        return sorted(client.run(os.getpid).values())


@posix
def test_a_worker_that_is_killed_while_it_builds(root: Path, tmp_path: Path) -> None:
    with start_cluster() as cluster:
        pids = find_pids(cluster)
        shards = Shards(root, tmp_path / "data", cluster)
        shards.build(lambda _, done: os.kill(pids[0], signal.SIGKILL) if done == 2 else None)


@posix
def test_a_worker_that_is_stopped_while_it_builds(root: Path, tmp_path: Path) -> None:
    """Its connections stay open, and Dask would wait for five minutes."""
    with start_cluster() as cluster:
        pids = find_pids(cluster)
        shards = Shards(root, tmp_path / "data", cluster)
        try:
            warnings = shards.build(lambda _, done: os.kill(pids[0], signal.SIGSTOP) if done == 2 else None)
        finally:
            os.kill(pids[0], signal.SIGCONT)
    assert "late" in warnings[0]


def test_a_worker_that_hangs_in_its_first_shard(root: Path, tmp_path: Path) -> None:
    with start_cluster() as cluster:
        spoil(cluster, "hang")
        warnings = Shards(root, tmp_path / "data", cluster).build()
        assert "late" in warnings[0]


def test_a_cluster_that_ends_while_it_builds(root: Path, tmp_path: Path) -> None:
    with start_cluster() as cluster:
        shards = Shards(root, tmp_path / "data", cluster)
        warnings = shards.build(lambda _, done: cluster.close() if done == 2 else None)
    assert "shards were built here" in warnings[0]


def test_a_fault_of_our_own_in_talking_to_the_cluster(root: Path, tmp_path: Path, cluster: Any) -> None:
    """The thread ends, and with it every errand."""
    shards = Shards(root, tmp_path / "data", cluster)

    def end(builders: Any, done: int) -> None:
        if done == 2:
            loop = builders.loop._loop
            loop.call_soon_threadsafe(loop.stop)

    warnings = shards.build(end)
    assert "shards were built here" in warnings[0]


def test_workers_that_come_later_build_too(root: Path, tmp_path: Path) -> None:
    with start_cluster(1) as cluster:
        shards = Shards(root, tmp_path / "data", cluster)
        spoil(cluster, "hang")
        warnings = shards.build(lambda _, done: cluster.scale(3) if done == 0 else None)
        assert warnings
