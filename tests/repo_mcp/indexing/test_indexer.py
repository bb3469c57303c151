"""Refreshes: what is found, what is left alone, what is left out, and what damage does."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from index_format import DiskDirectory, IndexWriter, verify_index
from repo_mcp.config.server_config import load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing import scan_state
from repo_mcp.live.index_report import NOT_WHOLE
from repo_mcp.model import SearchRequest, WalkReport
from repo_mcp.repository import Repository
from repo_mcp.text.schema import FIELDS
from tests.deep.sizes import choose
from tests.no_threads import no_threads
from tests.posix import posix
from tests.repo_mcp.trees import make_tree

CANARY = "xyzzy_canary_value"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    (root / "one.py").write_text("def first_function():\n    return 1\n")
    (root / "two.c").write_text("/* a comment about gizmos */\nint second(void) { return 2; }\n")
    return root


def open_repository(root: Path, **options: object) -> Repository:
    return Repository(load_config(str(root), data_dir=str(root.parent / "data"), **options))  # type: ignore[arg-type]


def find_paths(repository: Repository, query: str) -> list[str]:
    return [hit.path for hit in repository.search(SearchRequest(query, 10)).hits]


def get_index_path(root: Path) -> Path:
    (path,) = (root.parent / "data").glob("index-*")
    return path


def settle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every file for settled, however lately it was written."""
    monkeypatch.setattr(scan_state, "GRANULARITY_NS", -(10**18))


def test_a_change_an_addition_and_a_deletion_are_followed(root: Path) -> None:
    repository = open_repository(root)
    report = repository.refresh()
    assert (report.added, report.updated, report.removed, report.unchanged) == (2, 0, 0, 0)
    assert find_paths(repository, "first_function") == ["one.py"]
    (root / "one.py").write_text("def other_function():\n    return 1\n")
    (root / "three.md").write_text("# About first_function\n")
    (root / "two.c").unlink()
    report = repository.refresh()
    assert (report.added, report.updated, report.removed, report.unchanged) == (1, 1, 1, 0)
    assert find_paths(repository, "first_function") == ["three.md", "one.py"]
    assert find_paths(repository, "other_function") == ["one.py", "three.md"]
    assert find_paths(repository, "gizmos") == []


def test_a_file_that_is_deleted_while_its_directory_cannot_be_listed_is_removed_later(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "below").mkdir()
    (root / "below" / "three.py").write_text("def third_function():\n    return 3\n")
    repository = open_repository(root)
    repository.refresh()
    reader = repository.tree.reader
    open_child = reader.open_child

    def refuse(directory: int, name: str) -> int:
        if name == "below":
            raise PermissionError(13, "refused")
        return open_child(directory, name)

    monkeypatch.setattr(reader, "open_child", refuse)
    assert repository.refresh().removed == 0  # nobody knows
    shutil.rmtree(root / "below")
    monkeypatch.undo()
    assert repository.refresh().removed == 1
    assert "below/three.py" not in find_paths(repository, "third_function")


def test_a_file_that_was_away_while_it_was_to_be_read_is_read_by_the_next_refresh(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(monkeypatch)
    below, aside = root / "below", root.parent / "aside"
    below.mkdir()
    (below / "three.py").write_text("def third_function():\n    return 3\n")
    repository = open_repository(root)
    look = repository._index.look
    walk = look.walk

    def lose(*arguments: Any) -> WalkReport:
        report = walk(*arguments)
        below.rename(aside)
        return report

    monkeypatch.setattr(look, "walk", lose)
    assert repository.refresh().added == 2
    monkeypatch.setattr(look, "walk", walk)
    aside.rename(below)  # the file has the size, the times and the inode that the walk saw
    assert repository.refresh().added == 1
    assert "below/three.py" in find_paths(repository, "third_function")


def test_nothing_changed_writes_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(monkeypatch)
    repository = open_repository(root)
    first = repository.refresh()
    before = {path: path.stat().st_mtime_ns for path in get_index_path(root).iterdir()}
    second = repository.refresh()
    assert (second.added, second.updated, second.removed, second.unchanged) == (0, 0, 0, 2)
    assert second.generation == first.generation
    assert {path: path.stat().st_mtime_ns for path in get_index_path(root).iterdir()} == before


def test_a_touched_file_is_read_and_found_unchanged(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(monkeypatch)
    repository = open_repository(root)
    repository.refresh()
    os.utime(root / "one.py", ns=(1, 1))
    report = repository.refresh()
    assert (report.updated, report.unchanged) == (0, 2)


@pytest.mark.sized
def test_an_edit_that_keeps_size_and_times_is_found(root: Path) -> None:
    """Git's racy case: written again within the clock's tick, so that only the content differs."""
    repository = open_repository(root)
    path = root / "one.py"
    for number in range(choose(6, 20)):
        path.write_text(f"def version_{number:03}():\n    pass\n")
        repository.refresh()
        status = path.stat()
        path.write_text(f"def another_{number:03}():\n    pass\n")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        repository.refresh()
        assert find_paths(repository, f"another_{number:03}") == ["one.py"]


def test_what_is_left_out_is_counted_by_reason(root: Path) -> None:
    (root / ".env").write_text(f"SECRET={CANARY}\n")
    (root / "secrets.yaml").write_text(f"key: {CANARY}\n")
    (root / "big.txt").write_text(CANARY * 200)
    (root / "data.txt").write_bytes(b"\0" + CANARY.encode())
    (root / "image.png").write_bytes(b"PNG")
    (root / "ignored.log").write_text(CANARY)
    (root / ".gitignore").write_text("*.log\n")
    repository = open_repository(root, limits={"max_file_bytes": 1000})
    report = repository.refresh()
    assert report.skipped["too_large"] == 1
    assert report.skipped["binary"] == 2
    assert report.skipped["ignored"] == 1
    assert report.skipped["denied"] >= 1
    assert repository.status().skipped == report.skipped
    assert find_paths(repository, CANARY) == []
    for path in (root.parent / "data").rglob("*"):
        assert path.is_dir() or CANARY.encode() not in path.read_bytes()


def test_a_file_that_becomes_too_large_leaves_the_index(root: Path) -> None:
    repository = open_repository(root, limits={"max_file_bytes": 1000})
    repository.refresh()
    (root / "one.py").write_text("first_function\n" * 100)
    report = repository.refresh()
    assert (report.removed, report.skipped["too_large"]) == (1, 1)
    assert find_paths(repository, "first_function") == []
    (root / "one.py").write_text("first_function\n")
    assert repository.refresh().added == 1
    assert find_paths(repository, "first_function") == ["one.py"]


def test_a_lost_side_file_costs_a_reading_and_no_more(root: Path) -> None:
    repository = open_repository(root)
    repository.refresh()
    side_file = get_index_path(root) / scan_state.SIDE_FILE
    for damage in (b"", b"garbage" * 10, side_file.read_bytes()[:-1]):
        side_file.write_bytes(damage)
        report = repository.refresh()
        assert (report.added, report.updated, report.removed, report.unchanged) == (0, 0, 0, 2)
        assert repository.status().state == "ready"


@pytest.mark.parametrize("place", [0, 9, 0.3, 0.6, 0.9, -1])
def test_a_damaged_segment_is_built_anew(root: Path, place: float) -> None:
    repository = open_repository(root)
    repository.refresh()
    wanted = find_paths(repository, "second first_function")
    repository.close()
    (segment,) = get_index_path(root).glob("*.seg")
    data = bytearray(segment.read_bytes())
    data[int(place * len(data)) if isinstance(place, float) else place] ^= 1
    segment.write_bytes(data)
    repository = open_repository(root)
    report = repository.refresh(force=True)
    assert find_paths(repository, "second first_function") == wanted
    assert report.warnings in ((), ("The index was damaged, so it was rebuilt.",))
    assert verify_index(DiskDirectory(str(get_index_path(root)))) == []


@posix
def test_a_missing_segment_is_noticed_by_a_search_and_built_anew(root: Path) -> None:
    open_repository(root).refresh()
    for segment in get_index_path(root).glob("*.seg"):
        segment.unlink()
    repository = open_repository(root)
    found: list[str | ErrorCode]
    try:
        found = [*find_paths(repository, "first_function")]
    except RepoError as error:
        found = [error.code]
    assert found in (["one.py"], [ErrorCode.INDEX_UNAVAILABLE])  # it may be built anew before the search ends
    deadline = time.monotonic() + 120
    while repository.status().state != "ready" and time.monotonic() < deadline:
        time.sleep(0.05)
    assert find_paths(repository, "first_function") == ["one.py"]


def test_an_index_that_is_begun_anew_is_not_taken_for_an_empty_tree(root: Path) -> None:
    """What another process has committed on its way to a whole index: every answer out of it says so."""
    repository = open_repository(root)
    repository.refresh()
    repository.symbol_index.build()
    namespace = get_index_path(root)
    directory = DiskDirectory(str(namespace), make_tag=repository.namespaces.tags[namespace.name])
    with IndexWriter(directory, repository.indexes.configuration, FIELDS) as writer:
        writer.discard_all()
        writer.commit()
    answer = repository.search(SearchRequest("first_function", 3))
    assert (answer.hits, answer.warnings[-1]) == ((), NOT_WHOLE)
    assert repository.engines.graph.warn() == [NOT_WHOLE]
    assert repository.status().state == "partial"
    repository.refresh()
    repository.symbol_index.build()
    answer = repository.search(SearchRequest("first_function", 3))
    assert ([hit.path for hit in answer.hits], answer.warnings) == (["one.py"], ())
    assert repository.engines.graph.warn() == []
    repository.close()


def test_an_answer_that_was_begun_before_all_was_parsed_says_so(root: Path) -> None:
    (root / "three.py").write_text("def third_function():\n    return 3\n")
    repository = open_repository(root)
    repository.refresh()
    repository.symbol_index.build(paths=["one.py"])
    with repository.engines.graph.open():
        repository.symbol_index.build()
        assert repository.engines.graph.warn() == [
            "Files are being parsed: 1 of 3 are done; symbols in the rest are missing here."
        ]
    with repository.engines.graph.open():
        assert repository.engines.graph.warn() == []
    repository.close()


def test_an_index_of_another_version_is_built_anew(root: Path) -> None:
    repository = open_repository(root)
    repository.refresh()
    manifest = get_index_path(root) / "manifest"
    for version in (0, 99):
        data = bytearray(manifest.read_bytes())
        data[8:10] = version.to_bytes(2, "little")
        manifest.write_bytes(data)
        repository = open_repository(root)
        repository.refresh()
        assert find_paths(repository, "first_function") == ["one.py"]


def test_cancelling_keeps_what_was_there(root: Path) -> None:
    repository = open_repository(root)
    repository.refresh()
    (root / "three.py").write_text("third = 3\n")
    with pytest.raises(RepoError) as caught:
        repository.refresh(cancelled=lambda: True)
    assert caught.value.code is ErrorCode.CANCELLED
    assert find_paths(repository, "first_function") == ["one.py"]
    assert repository.refresh().added == 1


BUILD = """
import sys
from repo_mcp.config.server_config import load_config
from repo_mcp.indexing.shards.shards import BuildSettings
from repo_mcp.repository import Repository
from tests.repo_mcp.indexing.small_shards import replace_shard_bytes
BuildSettings.__init__.__defaults__ = replace_shard_bytes(20_000)
repository = Repository(load_config(sys.argv[1], data_dir=sys.argv[2], workers=1))
print("started", flush=True)
if __name__ == "__main__":
    repository.refresh(force=len(sys.argv) > 3)
"""


@posix
@pytest.mark.sized
def test_killed_at_any_moment_the_next_start_heals(tmp_path: Path) -> None:
    files = choose(60, 150)
    tree = make_tree(tmp_path / "root", 7, files=files)
    wanted = open_repository(make_tree(tmp_path / "copy" / "root", 7, files=files))
    wanted.refresh()
    script = tmp_path / "build.py"
    script.write_text(BUILD)
    draw = random.Random(8)
    for round_number in range(choose(1, 6)):
        process = subprocess.Popen(
            [sys.executable, str(script), str(tree), str(tmp_path / "data"), *["force"] * (round_number % 2)],
            stdout=subprocess.PIPE,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.getcwd()},
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(draw.uniform(0.0, 1.2))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        repository = open_repository(tree)
        if repository.index_exists:
            repository.search(SearchRequest("schedule", 5))
        repository.refresh()
        for query in ("schedule work queue", "getUserName", "mount"):
            assert (
                repository.search(SearchRequest(query, 10)).hits
                == wanted.search(SearchRequest(query, 10)).hits
            )
        assert [path for path in get_index_path(tree).iterdir() if path.suffix == ".tmp"] == []
        repository.close()


def test_an_extension_that_the_repository_overrides_is_indexed_as_that_language(root: Path) -> None:
    (root / "repo_mcp.toml").write_text('[extensions]\n".foo" = "python"\n')
    (root / "odd.foo").write_text("def oddly_named():\n    pass\n")
    repository = open_repository(root)
    repository.refresh()
    (hit,) = repository.search(SearchRequest("sym:oddly_named", 5, language="python")).hits
    assert (hit.path, hit.symbol) == ("odd.foo", "oddly_named")


@posix
def test_an_index_that_stays_damaged_is_not_built_again_and_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_repository(root).refresh()
    repository = open_repository(root)
    started: list[bool] = []
    monkeypatch.setattr(
        repository._index, "start_background_refresh", lambda *, force=False: started.append(force)
    )
    for segment in get_index_path(root).glob("*.seg"):
        segment.unlink()
    for _ in range(5):
        with pytest.raises(RepoError):
            repository.search(SearchRequest("first_function", 3))
    assert started == [True]


def test_compacting_makes_no_empty_index_of_a_damaged_or_missing_one(root: Path) -> None:
    repository = open_repository(root)
    assert repository.compact(full=True).segments_after == 0
    assert not (get_index_path(root) / "manifest").exists()
    repository.refresh()
    manifest = get_index_path(root) / "manifest"
    damaged = bytearray(manifest.read_bytes())
    damaged[20] ^= 1
    manifest.write_bytes(damaged)
    with pytest.raises(RepoError, match="The index is damaged") as refused:
        repository.compact(full=False)
    assert refused.value.code is ErrorCode.INDEX_UNAVAILABLE
    assert manifest.read_bytes() == damaged


def test_a_damaged_index_ends_a_look_over_the_tree_and_tells_nobody(root: Path) -> None:
    repository = open_repository(root)
    repository.refresh()
    index = repository._index
    (get_index_path(root) / "manifest").write_bytes(b"no manifest")
    assert index.look._looking.acquire(blocking=False)
    index.look._look_ahead(2)  # in a thread of its own, which has nobody to tell
    assert not index.look._looking.locked()
    assert index.look._look is None


def test_a_look_for_which_the_system_has_no_thread_keeps_nobody_waiting(root: Path) -> None:
    repository = open_repository(root)
    repository.refresh()
    look = repository._index.look
    assert look._looking.acquire(blocking=False)
    with no_threads():
        look._start_look(1)
    assert not look._looking.locked()
