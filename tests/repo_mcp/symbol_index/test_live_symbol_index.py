"""The structure of one root while it is served: only where asked for, in the background, never in the way."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from index_format import CorruptIndex, DiskDirectory, IndexWriter
from repo_mcp.config.server_config import Config, load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.live import derived_index
from repo_mcp.live.look_ahead import Need
from repo_mcp.model import IndexedPath, SearchRequest, SymbolIndexReport
from repo_mcp.process.parse_worker import BatchParser
from repo_mcp.ranking.scoring.searcher import Searcher
from repo_mcp.repository import Repository, root_indexes
from repo_mcp.symbol_index import asked_files, live_symbol_index, parsing_round, symbol_rounds
from repo_mcp.symbol_index import workers as symbol_workers
from repo_mcp.symbol_index.needed_files import NeededFiles
from repo_mcp.symbol_index.phase import SymbolPhase
from repo_mcp.symbol_index.schema import DECLARES, SYMBOL_FIELDS
from tests.growth import HANG_SECONDS
from tests.repo_mcp.symbol_index.tiny_parser import make_tiny_parser, parse_only_tiny, serve_tiny
from tests.waiting import is_running, wait_until
from tests.written_trees import write_tree

PROJECT = Path(__file__).resolve().parents[3]
Open = Callable[..., Repository]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {"a.tiny": "def a\n", "src/b.tiny": "def b\nuse a\n", "c.txt": "text\n"}
    return write_tree(tmp_path / "root", files)


@pytest.fixture
def open_root(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    opened: list[Repository] = []

    def start(
        toolsets: tuple[str, ...] = ("repo",), make_parser: Callable[[], BatchParser] = make_tiny_parser
    ) -> Repository:
        monkeypatch.setattr(root_indexes, "Parsing", partial(parse_only_tiny, make_parser=make_parser))
        config: Config = load_config(str(root), toolsets=toolsets)
        opened.append(Repository(config))
        return opened[-1]

    yield start
    for repository in opened:
        if not repository.symbol_index._closed.is_set():
            repository.close()
    assert multiprocessing.active_children() == []


def list_declaring(repository: Repository, name: str) -> list[str]:
    with repository.symbol_index.view() as view:
        return view.list_paths(DECLARES, name)


def test_nothing_is_parsed_where_nobody_asks(open_root: Open, root: Path) -> None:
    repository = open_root()
    repository.start_background_refresh()
    wait_until(lambda: repository.index_exists)
    repository.refresh()
    assert not list(root.glob(".repo_mcp/structure-*"))
    assert (repository.symbol_index.exists, repository.symbol_index.status().state) == (False, "missing")
    assert repository.symbol_index.status().files_total == 2
    with pytest.raises(RepoError) as missing, repository.symbol_index.view():
        pass
    assert missing.value.code is ErrorCode.INDEX_UNAVAILABLE
    assert repository.symbol_index.warn() == []


def test_before_there_is_an_index_there_is_no_structure(open_root: Open) -> None:
    repository = open_root()
    with pytest.raises(RepoError) as missing, repository.symbol_index.view():
        pass
    assert missing.value.code is ErrorCode.INDEX_UNAVAILABLE
    assert repository.symbol_index.status().state == "missing"
    with pytest.raises(RepoError):
        repository.symbol_index.build()


def test_a_server_of_the_graph_toolset_follows_each_refresh(open_root: Open, root: Path) -> None:
    repository = open_root(("graph",))
    repository.start_background_refresh()
    wait_until(
        lambda: repository.symbol_index.status().files_done == 2
    )  # "ready" also of the empty beginning
    wait_until(lambda: repository.symbol_index.status().state == "ready")
    assert list_declaring(repository, "b") == ["src/b.tiny"]
    status = repository.symbol_index.status()
    assert (status.files_done, status.files_total, status.symbols, status.segments) == (2, 2, 2, 1)
    (root / "new.tiny").write_text("def fresh\n")
    (root / "a.tiny").unlink()
    repository.refresh()
    # A round that begins before the refresh has ended keeps what is gone; the next one drops it.
    wait_until(lambda: [list_declaring(repository, name) for name in ("fresh", "a")] == [["new.tiny"], []])


def test_a_round_that_compared_all_files_is_reported_without_comparing_again(
    open_root: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = open_root(("graph",))
    repository.refresh()
    repository.symbol_index.start()
    wait_until(repository.symbol_index._has_followed)

    def refuse(*_: object) -> None:
        raise AssertionError("all files are compared")

    monkeypatch.setattr(derived_index, "count_done", refuse)
    status = repository.symbol_index.status()
    assert (status.state, status.files_done, status.files_total) == ("ready", 2, 2)


def test_many_files_are_compared_by_the_round_alone(open_root: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("all files are compared")

    monkeypatch.setattr(derived_index, "MANY_FILES", 1)
    monkeypatch.setattr(derived_index, "PLAN_SECONDS", 60.0)
    monkeypatch.setattr(derived_index, "count_done", refuse)
    repository = open_root(("graph",))
    repository.refresh()
    symbols, may_go_on = repository.symbol_index, threading.Event()
    run = symbols._phase.run

    def run_later(*arguments: Any, **options: Any) -> SymbolIndexReport:
        assert may_go_on.wait(60)
        return run(*arguments, **options)

    monkeypatch.setattr(symbols._phase, "run", run_later)
    symbols.start()
    try:
        assert symbols.warn() == [live_symbol_index.COMPARING]
        reported: list[int] = []
        asking = threading.Thread(target=lambda: reported.append(symbols.status().files_total))
        asking.start()
        asking.join(0.05)
        assert reported == []  # it waits for the round
    finally:
        may_go_on.set()
    asking.join()
    assert reported == [2]
    wait_until(symbols._has_followed)
    assert symbols.warn() == []


def test_a_person_builds_it_and_it_is_kept(open_root: Open) -> None:
    repository = open_root()
    repository.refresh()
    assert repository.symbol_index.build().parsed == 2
    assert repository.symbol_index.exists
    assert repository.symbol_index.status().state == "ready"
    repository.close()
    again = open_root()
    assert again.symbol_index.status().state == "ready"
    assert list_declaring(again, "a") == ["a.tiny"]
    assert again.symbol_index.build().parsed == 0
    assert again.symbol_index.compact(full=True).segments_after == 1


def test_how_far_it_is_is_reported_while_it_grows(
    open_root: Open, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsing_round, "SEGMENT_WEIGHT", 1_000)
    monkeypatch.setattr(symbol_workers, "BATCH_FILES", 2)
    for number in range(20):
        (root / f"n{number:02d}.tiny").write_text(f"def n{number}\n")
    (root / "z.tiny").write_text("hang\n" + "# \n" * 100)
    repository = open_root(make_parser=lambda: BatchParser(wall_seconds=30.0, serve=serve_tiny))
    repository.refresh()
    repository.symbol_index.start()
    wait_until(lambda: any("of 23 are done" in text for text in repository.symbol_index.warn()))
    wait_until(lambda: repository.symbol_index.status().files_done >= 20)
    status = repository.symbol_index.status()
    assert (status.state, status.files_total) == ("building", 23)
    assert status.progress is not None
    assert 0 < status.progress.bytes_done < status.progress.bytes_total
    assert list_declaring(repository, "n3") == ["n03.tiny"]  # asked while it is parsed
    (root / "late.txt").write_text("word\n")
    assert repository.refresh().added == 1  # and refreshed
    with pytest.raises(RepoError) as busy:
        repository.symbol_index.build()
    assert busy.value.code is ErrorCode.BUSY
    assert repository.symbol_index.close()  # within CLOSE_WAIT_SECONDS, though a text is being parsed
    repository.close()


def test_what_nobody_parsed_yet_is_reported_also_after_a_few_files_were(open_root: Open) -> None:
    repository = open_root()
    repository.refresh()
    repository.symbol_index.named_files.index(["a.tiny"])
    said = "Files are being parsed: 1 of 2 are done; symbols in the rest are missing here."
    assert repository.symbol_index.warn() == [said]
    repository.close()
    again = open_root()
    assert again.symbol_index.warn() == [said]
    assert again.symbol_index.is_partial()
    again.symbol_index.build()
    assert again.symbol_index.warn() == []
    assert not again.symbol_index.is_partial()


def test_an_index_lacks_nothing_because_changes_are_still_looked_for(
    open_root: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = open_root()
    repository.refresh()
    repository.symbol_index.build()
    monkeypatch.setattr(repository.symbol_index._index.report, "describe_progress", lambda _: ["Looking."])
    assert repository.symbol_index.warn() == ["Looking."]
    assert not repository.symbol_index.is_partial()


def test_damage_is_noticed_and_the_index_built_anew(open_root: Open, root: Path) -> None:
    (root / "a.tiny").write_text("".join(f"def a{number}\n" for number in range(9000)))
    repository = open_root()
    repository.refresh()
    repository.symbol_index.build()
    with repository.symbol_index.view() as view:
        record = view.find_record_bytes("a.tiny")
    assert record is not None
    (segment,) = root.glob(".repo_mcp/structure-*/*.seg")
    data = bytearray(segment.read_bytes())
    data[data.index(record) + len(record) // 2] ^= 1
    repository.close()
    segment.write_bytes(bytes(data))
    repository = open_root()
    with pytest.raises(RepoError) as damaged, repository.symbol_index.view() as view:
        view.find_record_bytes("a.tiny")
    assert damaged.value.code is ErrorCode.INDEX_UNAVAILABLE
    assert any("being rebuilt" in one for one in repository.symbol_index.warn())

    def is_whole() -> bool:
        try:
            with repository.symbol_index.view() as view:
                return view.find_record_bytes("a.tiny") == record
        except RepoError:
            return False

    wait_until(is_whole)
    wait_until(lambda: repository.symbol_index.warn() == [])


def test_a_status_of_an_index_that_is_cut_says_so_and_has_it_rebuilt(open_root: Open, root: Path) -> None:
    repository = open_root()
    repository.refresh()
    repository.symbol_index.start()
    wait_until(lambda: repository.symbol_index.status().state == "ready")
    repository.close()
    repository = open_root()
    repository.refresh()
    repository.symbol_index.start()
    wait_until(repository.symbol_index._has_followed)
    with repository.symbol_index.view() as view:  # opened, and its columns of the files not read yet
        assert view.snapshot.file_count
    for segment in root.glob(".repo_mcp/structure-*/*.seg"):
        os.truncate(segment, segment.stat().st_size // 2)
    damaged = repository.symbol_index.status()
    assert (damaged.state, damaged.snapshot, damaged.symbols) == ("degraded", None, 0)
    assert any("being rebuilt" in one for one in damaged.warnings)
    wait_until(lambda: repository.symbol_index.status().state == "ready")
    assert repository.symbol_index.status().symbols


def test_a_call_during_which_a_newer_generation_is_committed_reads_that_or_says_what_it_lacks(
    open_root: Open, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its warnings are about what it reads, not about what is there a moment later."""
    repository = open_root()
    repository.refresh()
    repository.symbol_index.build()
    symbol_index, tell = repository.symbol_index, repository.symbol_index.warn
    waiting = ["def fresh\n"]

    def warn() -> list[str]:
        if waiting:
            (root / "late.tiny").write_text(waiting.pop())
            repository.refresh()
            symbol_index.build()
        return tell()

    monkeypatch.setattr(symbol_index, "warn", warn)
    with repository.engines.graph.open() as graph:
        assert graph.outline("late.tiny")
    assert repository.engines.graph.warn() == []


def test_a_structure_that_another_process_writes_is_read_and_waited_for(
    open_root: Open, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derived_index, "RETRY_SECONDS", 0.1)
    repository = open_root()
    repository.refresh()
    repository.symbol_index.build()
    (root / "new.tiny").write_text("def new\n")
    repository.refresh()
    (path,) = root.glob(".repo_mcp/structure-*")
    configuration = repository.symbol_index._phase.storage.configuration
    with IndexWriter(DiskDirectory(str(path)), configuration, SYMBOL_FIELDS):
        repository.symbol_index.start()
        time.sleep(0.5)
        assert list_declaring(repository, "a") == ["a.tiny"]
        assert list_declaring(repository, "new") == []
        assert repository.symbol_index.status().state == "building"
        assert repository.symbol_index.warn()[-1] == (
            "Another process is writing this symbol index. What it has not finished may be missing here."
        )
    wait_until(lambda: list_declaring(repository, "new") == ["new.tiny"])


def test_what_could_not_be_read_is_built_anew_also_after_another_process_wrote(
    open_root: Open, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derived_index, "RETRY_SECONDS", 0.1)
    repository = open_root(("graph",))
    repository.refresh()
    repository.symbol_index.start()
    wait_until(
        lambda: repository.symbol_index._progress is None and repository.symbol_index._followed is not None
    )
    (path,) = root.glob(".repo_mcp/structure-*")
    with IndexWriter(
        DiskDirectory(str(path)), repository.symbol_index._phase.storage.configuration, SYMBOL_FIELDS
    ):
        repository.symbol_index._report_damage(CorruptIndex("a segment"))
        time.sleep(0.5)
        assert "being rebuilt" in repository.symbol_index.warn()[0]
    wait_until(lambda: repository.symbol_index.warn() == [])


def test_what_was_indexed_by_name_is_not_reported_as_changed(open_root: Open, root: Path) -> None:
    repository = open_root()
    repository.refresh()
    (root / "new.tiny").write_text("def new\n")
    (root / "other.tiny").write_text("def other\n")
    assert repository.status().stale == 2
    repository._index.refresh_paths(["new.tiny"])
    assert repository.search(SearchRequest("new", 1)).warnings == (
        "1 file changed and is not indexed yet: results may be out of date.",
    )
    repository._index.refresh_paths(["other.tiny"])
    assert repository.search(SearchRequest("new", 1)).warnings == ()


def test_a_closed_index_takes_up_no_files(open_root: Open) -> None:
    repository = open_root()
    repository.refresh()
    repository._index.close()
    repository._index.refresher.running.release()
    with pytest.raises(RepoError) as caught:
        repository._index.refresh_paths(["a.tiny"], cancelled=lambda: False)
    assert caught.value.code is ErrorCode.CANCELLED


def test_files_are_indexed_by_name_and_each_is_accounted_for(open_root: Open, root: Path) -> None:
    repository = open_root()
    repository.refresh()
    (root / "new.tiny").write_text("def new\n")
    (root / "bad.tiny").write_text("die\n")
    (root / "half.tiny").write_text("partial\n")
    (root / "plain.txt").write_text("words\n")
    (root / "picture.png").write_bytes(b"\0\0")
    (root / ".env").write_text("SECRET=1\n")
    (root / ".gitignore").write_text("ignored.tiny\n")
    (root / "ignored.tiny").write_text("def ignored\n")
    (root / "other.tiny").write_text("def other\n")
    asked = [
        "new.tiny", "bad.tiny", "half.tiny", "plain.txt", "picture.png", ".env", "ignored.tiny", "src", "",
        "nowhere.tiny", "../outside", "a.tiny",
    ]  # fmt: skip
    found = repository.symbol_index.named_files.index(asked)
    assert found == (
        IndexedPath("new.tiny", "indexed", "full"),
        IndexedPath("bad.tiny", "indexed", "failed"),
        IndexedPath("half.tiny", "indexed", "partial"),
        IndexedPath("plain.txt", "indexed"),
        IndexedPath("picture.png", "binary"),
        IndexedPath(".env", "path_denied"),
        IndexedPath("ignored.tiny", "excluded"),
        IndexedPath("src", "not_a_file"),
        IndexedPath("", "not_a_file"),
        IndexedPath("nowhere.tiny", "not_found"),
        IndexedPath("../outside", "path_escape"),
        IndexedPath("a.tiny", "indexed", "full"),
    )
    assert list_declaring(repository, "new") == ["new.tiny"]
    assert list_declaring(repository, "other") == []  # nobody asked for it
    (root / "new.tiny").unlink()
    assert repository.symbol_index.named_files.index(["new.tiny"]) == (IndexedPath("new.tiny", "not_found"),)
    assert list_declaring(repository, "new") == []
    assert repository.symbol_index.named_files.index(["../outside"]) == (
        IndexedPath("../outside", "path_escape"),
    )


def test_files_asked_for_by_name_do_not_wait_for_the_background(
    open_root: Open, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(symbol_workers, "BATCH_FILES", 1)
    for number in range(100):
        (root / f"n{number:02d}.tiny").write_text(f"def n{number}\nslow\n")
    repository = open_root()
    repository.refresh()
    repository.symbol_index.start()
    wait_until(lambda: any("are done" in text for text in repository.symbol_index.warn()))
    (root / "urgent.tiny").write_text("def urgent\n")
    assert repository.symbol_index.named_files.index(["urgent.tiny"]) == (
        IndexedPath("urgent.tiny", "indexed", "full"),
    )
    assert list_declaring(repository, "urgent") == ["urgent.tiny"]
    done = repository.symbol_index.status().files_done
    assert done < 103
    wait_until(lambda: repository.symbol_index.status().state == "ready", 40.0)
    assert list_declaring(repository, "n99") == ["n99.tiny"]


def test_files_that_are_indexed_already_are_parsed_by_the_round_which_goes_on(
    open_root: Open, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository, begun = begin_slow_round(open_root, root, monkeypatch)
    wait_until(lambda: begun)
    for number in (99, 97, 95, 93):
        named = [f"n{number}.tiny", "c.txt"]
        assert repository.symbol_index.named_files.index(named) == (
            IndexedPath(f"n{number}.tiny", "indexed", "full"),
            IndexedPath("c.txt", "indexed"),
        )
    assert repository.symbol_index.status().state == "building"
    wait_until(lambda: repository.symbol_index.status().state == "ready", 40.0)
    assert repository.symbol_index.named_files.index(["a.tiny"]) == (
        IndexedPath("a.tiny", "indexed", "full"),
    )
    assert len(begun) == 1


def begin_slow_round(
    open_root: Open, root: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Repository, list[object]]:
    """Start parsing a hundred slow files, one at a time; return the repository, and the rounds that begin."""
    monkeypatch.setattr(symbol_workers, "BATCH_FILES", 1)
    for number in range(100):
        (root / f"n{number:02d}.tiny").write_text(f"def n{number}\nslow\n")
    begun = note_rounds(monkeypatch)
    repository = open_root(("graph",))
    repository.refresh()
    repository.symbol_index.start()
    return repository, begun


def note_rounds(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return a list that gets an item for each round of the symbol index that begins."""
    begun: list[object] = []
    run = SymbolPhase.run
    monkeypatch.setattr(
        SymbolPhase, "run", lambda self, *given, **named: (begun.append(named), run(self, *given, **named))[1]
    )
    return begun


def test_what_is_parsed_at_the_deadline_is_kept(
    open_root: Open, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(symbol_workers, "FIRST_BATCH_BYTES", 1)  # each file is a batch of its own
    monkeypatch.setattr(symbol_workers, "BATCH_FILES", 1)
    (root / "hangs.tiny").write_text("hang\n")
    needed = NeededFiles(("a.tiny", "hangs.tiny", "src/b.tiny"), are_all=True)
    monkeypatch.setattr(live_symbol_index, "find_needed", lambda _searcher, _need: needed)
    repository = open_root(("repo", "graph"))
    repository.refresh()
    repository.expect_refresh()
    assert not repository.symbol_index.wait_for(Need("a"), time.monotonic() + 2.5)
    assert list_declaring(repository, "a") == ["a.tiny"]


def test_a_file_that_a_round_could_not_read_is_parsed_by_the_next(
    open_root: Open, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = open_root(("graph",))
    repository.refresh()
    phase = repository.symbol_index._phase
    read_many, unreadable = phase._read_many, ["a.tiny"]

    def read(paths: Sequence[str]) -> list[bytes | None]:
        texts = zip(paths, read_many(paths), strict=True)
        return [None if path in unreadable else text for path, text in texts]

    monkeypatch.setattr(phase, "_read_many", read)
    repository.symbol_index.start()
    wait_until(repository.symbol_index._has_followed)
    assert (list_declaring(repository, "a"), list_declaring(repository, "b")) == ([], ["src/b.tiny"])
    unreadable.clear()
    # Of a tree as small as this one, a refresh merges all segments, and all files count as changed.
    monkeypatch.setattr(symbol_rounds, "list_changed", lambda _before, _after: ["new.tiny"])
    (root / "new.tiny").write_text("def fresh\n")
    repository.refresh()
    wait_until(lambda: list_declaring(repository, "fresh") == ["new.tiny"])
    assert list_declaring(repository, "a") == ["a.tiny"]


def test_the_time_to_index_what_was_saved_is_not_taken_from_the_wait(
    open_root: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = open_root(("graph",))
    repository.refresh()
    get_searcher, ahead = repository.indexes.lexical.get_searcher, [0.0]
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + ahead[0])
    for module in (asked_files, live_symbol_index, symbol_rounds):
        monkeypatch.setattr(module, "time", clock)

    def index_slowly(*, fresh: bool = False, need: Need | None = None) -> Searcher:
        if fresh:
            ahead[0] += 2 * HANG_SECONDS
            repository.symbol_index.start()
        return get_searcher(fresh=fresh, need=need)

    monkeypatch.setattr(repository.indexes.lexical, "get_searcher", index_slowly)
    assert repository.symbol_index.wait_for(Need("a"), clock.monotonic() + HANG_SECONDS)


def need_file(monkeypatch: pytest.MonkeyPatch, *paths: str) -> None:
    needed = NeededFiles(paths, are_all=True)
    monkeypatch.setattr(live_symbol_index, "find_needed", lambda _searcher, _need: needed)


def test_calls_are_answered_by_the_round_in_the_background_which_goes_on(
    open_root: Open, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each call ended the round before, so that many calls in a row kept it from getting anywhere."""
    monkeypatch.setattr(live_symbol_index, "ROUND_SECONDS", 0.0)
    repository, begun = begin_slow_round(open_root, root, monkeypatch)
    wait_until(lambda: begun)  # a call that comes before the round parses its files itself
    for number in (99, 97, 95, 93):
        need_file(monkeypatch, f"n{number}.tiny", "c.txt")
        assert repository.symbol_index.wait_for(Need(f"n{number}"), time.monotonic() + HANG_SECONDS)
        assert list_declaring(repository, f"n{number}") == [f"n{number}.tiny"]
    assert repository.symbol_index.status().state == "building"
    wait_until(lambda: repository.symbol_index.status().state == "ready", 40.0)
    assert repository.symbol_index.status().symbols == 102
    assert len(begun) == 1


def test_what_the_round_has_parsed_at_the_deadline_of_a_call_is_kept(
    open_root: Open, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(symbol_workers, "FIRST_BATCH_BYTES", 1)
    monkeypatch.setattr(symbol_workers, "BATCH_FILES", 1)
    (root / "aa.tiny").write_text("hang\n")  # keeps the round from its end
    (root / "hangs.tiny").write_text("hang\nhang\n")
    need_file(monkeypatch, "src/b.tiny", "hangs.tiny")
    make_patient = partial(BatchParser, wall_seconds=HANG_SECONDS, serve=serve_tiny)
    repository = open_root(("graph",), make_patient)
    repository.refresh()
    repository.symbol_index.start()
    wait_until(lambda: any("are done" in text for text in repository.symbol_index.warn()))

    def ask_for_b() -> list[str]:
        assert not repository.symbol_index.wait_for(Need("b"), time.monotonic() + 0.5)
        view = repository.symbol_index.find_view()
        return [] if view is None else view.list_paths(DECLARES, "b")

    wait_until(lambda: ask_for_b() == ["src/b.tiny"])


def test_a_server_that_is_killed_leaves_no_process(root: Path) -> None:
    """Children end with the pipe, also when their parent has no time to end them."""
    (root / "z.tiny").write_text("spin\n")
    script = (
        "import os, sys, threading, time, multiprocessing\n"
        "from functools import partial\n"
        "from repo_mcp.repository import root_indexes\n"
        "from repo_mcp.config.server_config import load_config\n"
        "from repo_mcp.repository import Repository\n"
        "from repo_mcp.process.parse_worker import BatchParser\n"
        "from tests.repo_mcp.symbol_index.tiny_parser import parse_only_tiny, serve_tiny_briefly\n"
        "if __name__ == '__main__':\n"
        "    make = lambda: BatchParser(serve=serve_tiny_briefly)\n"
        "    root_indexes.Parsing = partial(parse_only_tiny, make_parser=make)\n"
        f"    repository = Repository(load_config({str(root)!r}, toolsets=('graph',)))\n"
        "    repository.refresh()\n"
        "    repository.symbol_index.start()\n"
        "    while not multiprocessing.active_children(): time.sleep(0.01)\n"
        "    print(multiprocessing.active_children()[0].pid, flush=True)\n"
        "    time.sleep(60)\n"
    )
    ordinal = root.parent / "killed.py"
    ordinal.write_text(script)
    with subprocess.Popen(
        [sys.executable, str(ordinal)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
    ) as server:
        assert server.stdout is not None
        child = int(server.stdout.readline())
        time.sleep(0.5)
        server.kill()
        server.wait()
    wait_until(lambda: not is_running(child), 30.0)  # its processor time for a text is over by then


def test_closing_ends_the_thread(open_root: Open) -> None:
    before = set(threading.enumerate())
    repository = open_root()
    repository.refresh()
    repository.symbol_index.start()
    wait_until(lambda: repository.symbol_index.status().state == "ready")
    repository.close()
    wait_until(lambda: not any(one.name == "structure" for one in set(threading.enumerate()) - before))


def test_a_call_before_the_first_round_waits_for_it(open_root: Open) -> None:
    """A server begins to index a moment after it was asked for the first time."""
    repository = open_root(("repo", "graph"))
    repository.refresh()
    symbols = repository.symbol_index
    assert symbols.wait_for(Need(), time.monotonic() + HANG_SECONDS)  # nobody is about to parse
    assert symbols.status().state == "missing"
    repository.expect_refresh()
    later = threading.Timer(0.05, repository.start_background_refresh)
    later.start()
    assert symbols.wait_for(Need(), time.monotonic() + HANG_SECONDS)
    assert symbols.status().files_done == 2
    later.join()
