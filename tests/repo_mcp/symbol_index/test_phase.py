"""The structure phase: what is parsed, what is not again, the same bytes in the end, and texts that kill."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from index_format import CorruptIndex, DiskDirectory, IndexWriter, Snapshot, verify_index
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.derived.plan import list_changed, plan_named, plan_round
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.languages.outline.adapter import ParserFailed, ParserFault
from repo_mcp.live.look_ahead import Need
from repo_mcp.model import IndexProgress
from repo_mcp.process.parse_worker import BatchParser, ParseWorker
from repo_mcp.record_classes import replace
from repo_mcp.storage.poison import PoisonList
from repo_mcp.symbol_index import parsing_round
from repo_mcp.symbol_index import phase as symbol_phase
from repo_mcp.symbol_index import workers as symbol_workers
from repo_mcp.symbol_index.asked_files import AskedFiles, Question
from repo_mcp.symbol_index.needed_files import find_needed
from repo_mcp.symbol_index.schema import DECLARES, SYMBOL_FIELDS, USES
from repo_mcp.symbols.symbol_record import ParseStatus, decode_symbol_record
from tests.growth import HANG_SECONDS
from tests.repo_mcp.research.asking import open_index
from tests.repo_mcp.symbol_index.structure_tree import StructureTree
from tests.repo_mcp.symbol_index.tiny_parser import find_tiny_task, make_tiny_parser, parse_tiny

MakeTree = Callable[..., StructureTree]
MANY = {f"d{number % 5}/f{number:03d}.tiny": f"def f{number}\nuse f{number + 1}\n" for number in range(120)}


@pytest.fixture
def make_tree(tmp_path: Path) -> Iterator[MakeTree]:
    made: list[StructureTree] = []

    def make(**options: object) -> StructureTree:
        made.append(StructureTree(tmp_path / f"tree{len(made)}", **options))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_a_round_parses_what_is_new_and_drops_what_is_gone(make_tree: MakeTree) -> None:
    tree = make_tree()
    tree.write({"a.tiny": "def a\n", "b.tiny": "def b\nuse a\npartial\n", "c.txt": "def c\n"})
    report = tree.run()
    assert (report.parsed, report.partial, report.failed, report.removed, report.left) == (2, 1, 0, 0, ())
    assert verify_index(DiskDirectory(str(tree.path))) == []
    view = tree.open()
    assert list(view.iter_paths()) == ["a.tiny", "b.tiny"]
    assert view.find_record_bytes("a.tiny") == parse_tiny("a.tiny", b"def a\n")
    assert view.find_record_bytes("c.txt") is None
    again = tree.run()
    assert (again.parsed, again.unchanged, again.generation) == (0, 2, report.generation)
    tree.write({"b.tiny": "def changed\n", "sub/d.tiny": "use a\n"})
    tree.remove("a.tiny")
    report = tree.run()
    assert (report.parsed, report.removed, report.unchanged) == (2, 1, 0)
    view = tree.open()
    assert list(view.iter_paths()) == ["b.tiny", "sub/d.tiny"]
    assert (view.list_paths(DECLARES, "a"), view.list_paths(DECLARES, "b")) == ([], [])
    assert view.list_paths(DECLARES, "changed") == ["b.tiny"]
    assert view.list_paths(USES, "a") == ["sub/d.tiny"]
    assert multiprocessing.active_children() == []


def test_any_history_and_any_number_of_processes_give_the_same_bytes(
    make_tree: MakeTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(symbol_workers, "BATCH_FILES", 7)
    monkeypatch.setattr(symbol_phase, "LANE_BYTES", 100)
    whole = make_tree(workers=1)
    whole.write(MANY)
    assert whole.run().parsed == len(MANY)
    wanted = whole.read_segments()
    assert len(wanted) == 1
    monkeypatch.setattr(parsing_round, "SEGMENT_WEIGHT", 9_000)
    for workers in (2, 3):
        tree = make_tree(workers=workers)
        half = dict(list(MANY.items())[::2])
        tree.write({**half, "d1/f001.tiny": "def other\n", "gone.tiny": "def gone\n"})
        tree.run()
        tree.write(MANY)
        tree.remove("gone.tiny")
        tree.run()
        tree.phase.compact(full=True)
        assert tree.read_segments() == wanted


def test_a_build_from_nothing_in_many_segments_ends_as_one(
    make_tree: MakeTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsing_round, "SEGMENT_WEIGHT", 5_000)
    monkeypatch.setattr(symbol_workers, "BATCH_FILES", 5)
    tree = make_tree()
    tree.write(MANY)
    reported: list[IndexProgress] = []
    tree.run(progress=reported.append)
    assert len(tree.read_segments()) == 1
    assert reported[0] == IndexProgress("structure", 0, 120, 0, sum(map(len, MANY.values())))
    assert reported[-1] == IndexProgress("merge", 120, 120, reported[0].bytes_total, reported[0].bytes_total)
    assert [one.files_done for one in reported] == sorted(one.files_done for one in reported)


@pytest.mark.parametrize(("most", "wanted"), [(150, ["parse", "parse", "lower"]), (99_999, [])])
def test_what_is_parsed_first_is_parsed_at_the_usual_priority(
    make_tree: MakeTree, monkeypatch: pytest.MonkeyPatch, most: int, wanted: list[str]
) -> None:
    monkeypatch.setattr(symbol_workers, "FEW_BYTES", most)
    monkeypatch.setattr(symbol_workers, "BATCH_FILES", 5)
    done: list[str] = []
    parse, lower = BatchParser.parse, BatchParser.lower

    def note_parse(self: BatchParser, requests: Sequence[tuple[str, bytes]]) -> list[bytes | None]:
        done.append("parse")
        return parse(self, requests)

    def note_lower(self: BatchParser, niceness: int) -> None:
        done.append("lower")
        lower(self, niceness)

    monkeypatch.setattr(BatchParser, "parse", note_parse)
    monkeypatch.setattr(BatchParser, "lower", note_lower)
    tree = make_tree()
    tree.write(MANY)
    assert tree.run().parsed == len(MANY)
    assert done.count("lower") == wanted.count("lower")  # once
    assert done[: len(wanted)] == wanted


def test_after_a_round_for_a_call_the_next_one_finds_a_parser(make_tree: MakeTree) -> None:
    """A call has two seconds, of which a process on a busy machine takes more than one to start."""
    started: list[BatchParser] = []

    def make_parser() -> BatchParser:
        started.append(make_tiny_parser())
        return started[-1]

    tree = make_tree(make_parser=make_parser)
    tree.write({"a.tiny": "def a\n", "b.tiny": "def b\n", "c.tiny": "def c\n"})
    for path in ("a.tiny", "b.tiny"):
        report = tree.run(paths=[path], yields=lambda: False, yields_at_once=True)
        assert (report.parsed, report.complete) == (1, True)
    assert len(started) == 3
    assert tree.run().parsed == 1
    assert len(started) == 3
    assert tree.run().parsed == 0
    assert multiprocessing.active_children() == []


def test_files_that_are_asked_for_meanwhile_change_no_byte(
    make_tree: MakeTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether they are parsed already, being parsed, or still to come; some are parsed twice."""
    monkeypatch.setattr(symbol_workers, "BATCH_FILES", 3)
    whole, tree = make_tree(), make_tree()
    whole.write(MANY)
    whole.run()
    tree.write(MANY)
    asked = AskedFiles()
    lexical = tree.lexical
    answers: list[Question | None] = []

    def ask(paths: Sequence[str]) -> None:
        answers.append(
            asked.ask(lexical.manifest, paths, time.monotonic() + HANG_SECONDS, 0.0, lambda: False)
        )

    calls = [threading.Thread(target=ask, args=(sorted(MANY)[start::7],)) for start in range(7)]
    with asked.answering(lexical.manifest):
        for one in calls:
            one.start()
        report = tree.run(asked=asked)
        for one in calls:
            one.join()
    assert (report.parsed, report.complete) == (len(MANY), True)
    assert [one is not None and one.is_answered for one in answers] == [True] * 7
    tree.phase.compact(full=True)
    assert tree.read_segments() == whole.read_segments()
    assert asked.ask(lexical.manifest, ["d0/f000.tiny"], time.monotonic() + 1, 0.0, lambda: False) is None


def test_few_changes_are_parsed_small_ones_first(make_tree: MakeTree) -> None:
    tree = make_tree()
    tree.write({"a.tiny": "def a\n" * 50, "b.tiny": "def b\n", "c.tiny": "def c\n" * 9})
    plan = plan_round(tree.lexical, KnownFiles(None), tree.phase.find_task)
    assert [file.path for file in plan.files] == ["b.tiny", "c.tiny", "a.tiny"]
    tree.write({f"m{number}.tiny": "def m\n" * (300 - number) for number in range(220)})
    plan = plan_round(tree.lexical, KnownFiles(None), tree.phase.find_task)
    assert [file.path for file in plan.files] == sorted(file.path for file in plan.files)


def test_named_files_are_parsed_in_the_order_in_which_they_are_named(make_tree: MakeTree) -> None:
    tree = make_tree()
    tree.write({"a.tiny": "def a\n" * 50, "b.tiny": "def b\n", "c.tiny": "def c\n" * 9})
    named = ["c.tiny", "a.tiny", "c.tiny", "b.tiny"]  # the best first, whatever their sizes
    plan = plan_named(tree.lexical, KnownFiles(None), tree.phase.find_task, named, keeps_order=True)
    assert [file.path for file in plan.files] == ["c.tiny", "a.tiny", "b.tiny"]


@pytest.mark.parametrize("name", ["from_text", "Range.from_text", "Range::from_text", "Range#from_text"])
def test_a_name_in_any_language_needs_the_files_that_have_its_last_part(name: str) -> None:
    others = {f"use{number}.py": "range = text = 1\n" for number in range(40)}
    searcher = open_index({"range.rs": "impl Range {\n    pub fn from_text() {}\n}\n", **others})
    needed = find_needed(searcher, Need(name))
    assert (needed.paths, needed.are_all) == (("range.rs",), True)


def test_the_files_that_declare_a_name_come_before_those_that_use_it_most() -> None:
    uses = {f"session/{number}.py": "def session():\n    session(session.session)\n" for number in range(60)}
    searcher = open_index({"core.py": "other = 1\n" * 40 + "class Session:\n    pass\n", **uses})
    needed = find_needed(searcher, Need("Session"))
    assert needed.paths[0] == "core.py"
    assert not needed.are_all


def test_texts_that_end_their_process_fail_alone_and_are_not_tried_again(make_tree: MakeTree) -> None:
    tree = make_tree()
    texts = {"a.tiny": "def a\n", "b.tiny": "die", "c.tiny": "def c\n", "d.tiny": "hang\n", "e.tiny": "lie\n"}
    tree.write({**texts, "f.tiny": "def f\n"})
    report = tree.run()
    assert (report.parsed, report.failed) == (6, 3)
    view = tree.open()
    for path in ("b.tiny", "d.tiny", "e.tiny"):
        record = view.find_record_bytes(path)
        assert record is not None
        structure = decode_symbol_record(record)
        assert (structure.status, structure.symbol_count) == (ParseStatus.FAILED, 1)
        assert structure.get_symbol(0).name == path
    assert [view.list_paths(DECLARES, name) for name in "acf"] == [["a.tiny"], ["c.tiny"], ["f.tiny"]]
    assert view.statuses == {ParseStatus.FULL: 3, ParseStatus.PARTIAL: 0, ParseStatus.FAILED: 3}
    assert tree.run().parsed == 0
    tree.write({"b.tiny": "def b\n"})
    assert (tree.run().parsed, tree.open().list_paths(DECLARES, "b")) == (1, ["b.tiny"])


def test_one_poison_list_serves_every_name_and_parser(
    make_tree: MakeTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    poison = PoisonList()
    tree = make_tree()
    parsing = symbol_phase.Parsing(1, poison, find_tiny_task, make_tiny_parser)
    monkeypatch.setattr(tree.phase, "_parsing", parsing)
    tree.write({"a.tiny": "die\n", "b.tiny": "def b\n"})
    assert (tree.run().failed, b"die\n" in poison, b"def b\n" in poison) == (1, True, False)
    started: list[BatchParser] = []

    def refuse() -> BatchParser:
        started.append(make_tiny_parser())
        return started[-1]

    monkeypatch.setattr(tree.phase, "_parsing", replace(parsing, make_parser=refuse))
    tree.write({"renamed.tiny": "die\n"})
    assert (tree.run().failed, len(started), started[0]._child) == (1, 1, None)  # asked, and nothing begun
    worker = ParseWorker(poison=poison)  # of outlines
    with pytest.raises(ParserFailed) as failed:
        worker.parse("python", b"die\n")
    assert (failed.value.fault, worker._child) == (ParserFault.DIED, None)
    worker.close()


def test_a_file_that_changed_since_it_was_indexed_is_left(make_tree: MakeTree) -> None:
    tree = make_tree()
    tree.write({"a.tiny": "def a\n", "b.tiny": "def b\n", "c.tiny": "def c\n"})
    (tree.root / "a.tiny").write_text("def newer\n")
    (tree.root / "c.tiny").unlink()
    report = tree.run()
    assert (report.parsed, report.left) == (1, ("a.tiny", "c.tiny"))
    tree.repository.refresh()
    assert (tree.run().parsed, tree.open().list_paths(DECLARES, "newer")) == (1, ["a.tiny"])


def test_a_record_counts_only_for_the_version_that_is_indexed(make_tree: MakeTree) -> None:
    tree = make_tree()
    tree.write({"a.tiny": "def a\n"})
    tree.run()
    tree.write({"a.tiny": "def newer\n"})
    view = tree.open()
    assert (view.find_record_bytes("a.tiny"), view.find_status("a.tiny")) == (None, None)
    tree.run()
    assert tree.open().find_record_bytes("a.tiny") == parse_tiny("a.tiny", b"def newer\n")
    assert tree.open().find_status("a.tiny") is ParseStatus.FULL


def test_a_cancelled_round_keeps_what_it_committed_and_goes_on_from_there(
    make_tree: MakeTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsing_round, "SEGMENT_WEIGHT", 5_000)
    monkeypatch.setattr(symbol_workers, "BATCH_FILES", 5)
    tree = make_tree()
    tree.write(MANY)
    reached: list[int] = []
    with pytest.raises(RepoError) as stopped:
        tree.run(
            progress=lambda now: reached.append(now.files_done),
            cancelled=lambda: bool(reached) and reached[-1] >= 40,
        )
    assert stopped.value.code is ErrorCode.CANCELLED
    done = tree.open().snapshot.file_count
    assert 0 < done < 120
    assert verify_index(DiskDirectory(str(tree.path))) == []
    report = tree.run()
    assert (report.unchanged, report.parsed) == (done, 120 - done)
    assert tree.open().snapshot.file_count == 120
    assert multiprocessing.active_children() == []


def test_what_is_parsed_does_not_wait_long_for_a_text_that_hangs(
    make_tree: MakeTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsing_round, "PENDING_SECONDS", 0.0)
    monkeypatch.setattr(symbol_workers, "BATCH_FILES", 1)
    tree = make_tree()
    tree.write({"a.tiny": "def a\n", "b.tiny": "hang\n"})

    def is_committed() -> bool:
        snapshot = Snapshot.open(DiskDirectory(str(tree.path)))
        return snapshot is not None and snapshot.file_count == 1

    with pytest.raises(RepoError) as stopped:
        tree.run(cancelled=is_committed)
    assert stopped.value.code is ErrorCode.CANCELLED


def test_a_text_that_hangs_does_not_keep_a_cancelled_round(make_tree: MakeTree) -> None:
    tree = make_tree(
        make_parser=lambda: BatchParser(wall_seconds=3 * HANG_SECONDS, serve=make_tiny_parser()._serve)
    )
    tree.write({"a.tiny": "hang\n"})
    started = time.monotonic()
    asked = threading.Event()
    threading.Timer(1.0, asked.set).start()
    with pytest.raises(RepoError):
        tree.run(cancelled=asked.is_set)
    assert time.monotonic() - started < HANG_SECONDS
    assert multiprocessing.active_children() == []


def serve_nothing(_requests: Connection, _answers: Connection, _niceness: int) -> None:
    os._exit(1)


def test_without_processes_the_round_fails_and_blames_no_text(make_tree: MakeTree) -> None:
    tree = make_tree(make_parser=lambda: BatchParser(serve=serve_nothing))
    tree.write({"a.tiny": "def a\n"})
    with pytest.raises(RepoError) as failed:
        tree.run()
    assert failed.value.code is ErrorCode.INTERNAL
    tree.phase._parsing = replace(tree.phase._parsing, make_parser=make_tiny_parser)
    assert tree.run().failed == 0


def test_another_writer_makes_it_busy(make_tree: MakeTree) -> None:
    tree = make_tree()
    tree.write({"a.tiny": "def a\n"})
    with IndexWriter(DiskDirectory(str(tree.path), create=True), "tiny", SYMBOL_FIELDS):
        with pytest.raises(RepoError) as busy:
            tree.run()
        assert busy.value.code is ErrorCode.BUSY
        assert tree.repository.refresh().added == 0  # the lexical index has a lock of its own


def damage(tree: StructureTree, find_place: Callable[[bytes], int]) -> None:
    for path in tree.path.glob("*.seg"):
        data = bytearray(path.read_bytes())
        data[find_place(bytes(data))] ^= 0xFF
        path.write_bytes(bytes(data))


def test_a_damaged_index_is_built_anew(make_tree: MakeTree) -> None:
    tree = make_tree()
    tree.write({"a.tiny": "".join(f"def a{number}\n" for number in range(9000)), "b.tiny": "def b\n"})
    tree.run()
    damage(tree, lambda data: -60)
    assert tree.run().parsed == 2
    record = tree.open().find_record_bytes("a.tiny")
    assert record is not None
    damage(tree, lambda data: data.index(record) + len(record) // 2)
    assert tree.run().parsed == 0  # nothing of it was read
    with pytest.raises(CorruptIndex):
        tree.open().find_record_bytes("a.tiny")
    assert tree.run(anew=True).parsed == 2
    assert verify_index(DiskDirectory(str(tree.path))) == []


def test_some_files_alone(make_tree: MakeTree) -> None:
    tree = make_tree()
    tree.write({"a.tiny": "def a\n", "b.tiny": "def b\n", "c.tiny": "def c\n"})
    assert tree.run(paths=["a.tiny", "nowhere"]).parsed == 1
    assert list(tree.open().iter_paths()) == ["a.tiny"]
    assert tree.run(paths=["a.tiny"]).parsed == 0
    tree.remove("a.tiny")
    assert tree.run(paths=["a.tiny", "b.tiny"]).removed == 1
    assert list(tree.open().iter_paths()) == ["b.tiny"]


def test_what_changed_between_two_generations_is_found_without_comparing_all(make_tree: MakeTree) -> None:
    tree = make_tree()
    tree.write(MANY)
    first = tree.lexical
    assert list_changed(first, first) == []
    tree.write({"d1/f001.tiny": "def other\n", "new.tiny": "def new\n"})
    second = tree.lexical
    assert list_changed(first, second) == ["d1/f001.tiny", "new.tiny"]
    tree.remove("d2/f002.tiny", "new.tiny")
    assert set(list_changed(second, tree.lexical) or ()) >= {"d2/f002.tiny", "new.tiny"}
    merged = list_changed(first, tree.lexical)
    assert merged is not None
    assert {"d1/f001.tiny", "d2/f002.tiny"} <= set(merged)
    assert len(merged) < 10


def test_compacting_makes_no_empty_index_of_a_damaged_one(make_tree: MakeTree) -> None:
    tree = make_tree()
    tree.write({"a.tiny": "def a\n"})
    tree.run()
    manifest = tree.path / "manifest"
    damaged = bytearray(manifest.read_bytes())
    damaged[20] ^= 1
    manifest.write_bytes(damaged)
    with pytest.raises(RepoError, match="damaged") as refused:
        tree.phase.compact(full=False)
    assert refused.value.code is ErrorCode.INDEX_UNAVAILABLE
    assert manifest.read_bytes() == damaged
