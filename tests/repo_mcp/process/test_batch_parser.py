"""The process that is given several texts at a time: which of them is to blame when it ends."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from index_format import compute_fingerprint
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.derived.plan import WantedFile
from repo_mcp.languages.outline.adapter import ParserFailed, ParserFault
from repo_mcp.process import parse_worker
from repo_mcp.process.parse_worker import BatchParser, ParseWorker
from repo_mcp.storage.poison import PoisonList
from repo_mcp.symbol_index.workers import ParseWorkers
from tests.forked_children import fork_children
from tests.growth import HANG_SECONDS
from tests.repo_mcp.process.parse_servers import (
    serve_frame,
    serve_half,
    serve_late,
    serve_niceness,
    serve_other_version,
    serve_small,
    serve_upper,
    serve_without,
)


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork the process, which costs a twentieth of a new one, for a test of what it sends."""
    fork_children(monkeypatch)


@pytest.fixture
def parser() -> Iterator[BatchParser]:
    made = BatchParser(wall_seconds=5.0, serve=serve_upper)
    yield made
    made.close()
    assert multiprocessing.active_children() == []


def ask(parser: BatchParser, *texts: bytes) -> list[bytes | None]:
    return list(parser.parse([("task", text) for text in texts]))


def pid_of(parser: BatchParser) -> int | None:
    return parser._child.process.pid if parser._child is not None else None


def test_a_batch_is_answered_in_order_by_one_process_that_stays(parser: BatchParser) -> None:
    assert parser._child is None
    assert ask(parser, b"a", b"", b"task\nb\n", b"x" * 300_000) == [b"A", b"", b"TASK\nB\n", b"X" * 300_000]
    first = pid_of(parser)
    assert ask(parser, b"again") == [b"AGAIN"]
    assert pid_of(parser) == first
    assert ask(parser) == []


def test_the_text_that_ends_the_process_is_reported_and_the_others_are_answered(
    parser: BatchParser, capfd: pytest.CaptureFixture[str]
) -> None:
    assert ask(parser, b"a", b"die", b"b", b"raise", b"hang", b"c") == [b"A", None, b"B", None, None, b"C"]
    assert ask(parser, b"die", b"die") == [None, None]
    assert ask(parser, b"d") == [b"D"]
    assert capfd.readouterr().out == ""


def test_a_process_that_has_grown_too_large_is_replaced_after_a_batch() -> None:
    if sys.platform == "win32":
        pytest.skip("Windows does not say how large a process was")
    parser = BatchParser(serve=serve_small)
    assert ask(parser, b"a", b"b", b"c") == [b"A", b"B", b"C"]
    assert parser._child is None
    parser.close()


def test_an_answer_that_stops_half_way_is_not_waited_for() -> None:
    parser = BatchParser(wall_seconds=0.5, serve=serve_half)
    started = time.monotonic()
    assert ask(parser, b"a") == [None]
    assert time.monotonic() - started < HANG_SECONDS
    parser.close()


def test_processes_that_do_nothing_but_end_are_not_the_texts_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse_worker, "MAX_DEATHS", 2)
    parser = BatchParser(serve=serve_upper)
    with pytest.raises(ParserFailed) as failed:
        ask(parser, *[b"die"] * 5)
    assert failed.value.fault is ParserFault.UNAVAILABLE
    parser.close()


def test_a_process_that_does_not_start_is_started_once_more(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(parse_worker, "START_PAUSE_SECONDS", 0.01)
    parser = BatchParser(serve=partial(serve_late, str(tmp_path / "mark")))
    assert ask(parser, b"a") == [b"A"]
    parser.close()
    never = BatchParser(serve=partial(serve_late, str(tmp_path / "no directory" / "mark")))
    with pytest.raises(ParserFailed) as failed:
        ask(never, b"a")
    assert (failed.value.fault, failed.value.why) == (ParserFault.UNAVAILABLE, "")
    never.close()


def test_closing_ends_the_pause_between_two_starts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(parse_worker, "START_PAUSE_SECONDS", 5 * HANG_SECONDS)
    parser = BatchParser(serve=partial(serve_late, str(tmp_path / "mark")))
    stopping = threading.Timer(0.3, parser.stop)
    stopping.start()
    started = time.monotonic()
    with pytest.raises(ParserFailed):
        ask(parser, b"a")
    assert time.monotonic() - started < HANG_SECONDS
    parser.close()
    stopping.join()


def test_a_parser_that_cannot_be_imported_is_no_texts_fault(tmp_path: Path) -> None:
    """While a package is replaced, a process may lack a parser that the next one has."""
    parser = BatchParser(serve=partial(serve_without, str(tmp_path / "mark")))
    assert ask(parser, b"a", b"import", b"b") == [b"A", b"IMPORT", b"B"]
    parser.close()
    never = BatchParser(serve=partial(serve_without, ""))
    with pytest.raises(ParserFailed) as failed:
        ask(never, b"a", b"import", b"b")
    assert failed.value.fault is ParserFault.UNAVAILABLE
    assert ask(never, b"a", b"die") == [b"A", None]
    never.close()
    poison = PoisonList()
    worker = ParseWorker(serve=partial(serve_without, ""), poison=poison)
    with pytest.raises(ParserFailed) as failed:
        worker.parse("task", b"import")
    assert failed.value.fault is ParserFault.UNAVAILABLE
    assert (len(poison), worker.parse("task", b"a")) == (0, b"A")
    worker.close()


def test_a_process_of_another_version_is_not_used() -> None:
    parser = BatchParser(serve=serve_other_version)
    file = WantedFile("a.py", compute_fingerprint(b"a\n"), 2, "python", "task")
    workers = ParseWorkers([file], 1, lambda paths: [b"a\n"] * len(paths), lambda: parser)
    with workers, pytest.raises(RepoError) as failed:
        list(workers.iter_outcomes(lambda: None))
    assert failed.value.code is ErrorCode.INTERNAL
    assert failed.value.message == parse_worker.REPLACED


def test_stopping_ends_a_parse_from_another_thread() -> None:
    parser = BatchParser(wall_seconds=3 * HANG_SECONDS, serve=serve_upper)
    ask(parser, b"a")
    threading.Timer(0.3, parser.stop).start()
    started = time.monotonic()
    with pytest.raises(ParserFailed):
        ask(parser, b"hang", b"b")
    assert time.monotonic() - started < HANG_SECONDS
    with pytest.raises(ParserFailed):
        ask(parser, b"a")
    parser.close()


@pytest.mark.parametrize(
    "frame",
    [b"", b"?", b"-", b"+", b"+\0\0", b"+\1\0\0\0", b"+" + b"\1\0\0\0a" * 3],
    ids=["empty", "unknown", "none and ends", "none", "cut length", "cut answer", "too many"],
)
@pytest.mark.usefixtures("forked")
def test_what_no_process_of_ours_sends_is_no_answer(frame: bytes) -> None:
    parser = BatchParser(serve=partial(serve_frame, frame))
    assert ask(parser, b"a", b"b") == [None, None]
    parser.close()


@pytest.mark.usefixtures("forked")
def test_a_batch_with_too_few_answers_is_asked_again_text_by_text() -> None:
    parser = BatchParser(serve=partial(serve_frame, b"-" + b"\1\0\0\0a"))
    assert ask(parser, b"a", b"b") == [b"a", b"a"]
    parser.close()


@pytest.mark.skipif(not hasattr(os, "nice"), reason="there is no priority to lower")
def test_the_process_has_less_priority() -> None:
    parser = BatchParser(niceness=3, serve=serve_niceness)
    assert ask(parser, b"") == [str(os.nice(0) + 3).encode()]
    parser.lower(5)
    assert ask(parser, b"") == [str(os.nice(0) + 5).encode()]
    parser.close()


def test_a_process_is_there_before_its_first_text(parser: BatchParser) -> None:
    parser.start()
    begun = pid_of(parser)
    assert begun is not None
    assert (ask(parser, b"a"), pid_of(parser)) == ([b"A"], begun)
    parser.close()
    parser.start()  # of one that is closed nothing is started
    assert pid_of(parser) is None
