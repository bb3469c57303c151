"""The process that parses: kept, limited, killed, restarted, and gone with its parent."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_mcp.languages.outline.adapter import ParserFailed, ParserFault
from repo_mcp.process.parse_process import MAX_RSS_BYTES
from repo_mcp.process.parse_worker import ParseWorker
from tests.growth import HANG_SECONDS
from tests.waiting import is_running, wait_until

PROJECT = Path(__file__).resolve().parents[3]
GOOD = b"def f(): pass\n"
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of POSIX")


@pytest.fixture
def worker() -> Iterator[ParseWorker]:
    made = ParseWorker()
    yield made
    made.close()


@pytest.fixture
def patient_worker() -> Iterator[ParseWorker]:
    """Yield a worker that lets its child work long: 2 s of work take 15 s beside a dozen other jobs."""
    made = ParseWorker(wall_seconds=HANG_SECONDS)
    yield made
    made.close()


def names(answer: bytes) -> list[str]:
    return [row[1] for row in json.loads(answer)["symbols"]]


def child_of(worker: ParseWorker) -> int:
    assert worker._child is not None
    pid = worker._child.process.pid
    assert pid is not None
    return pid


def test_nothing_is_started_before_the_first_text_and_one_process_stays(worker: ParseWorker) -> None:
    assert worker._child is None
    assert names(worker.parse("python", GOOD)) == ["f"]
    first = child_of(worker)
    assert names(worker.parse("python", b"class A: pass\n")) == ["A"]
    assert child_of(worker) == first


@posix_only
def test_a_child_killed_between_texts_is_replaced(worker: ParseWorker) -> None:
    worker.parse("python", GOOD)
    first = child_of(worker)
    os.kill(first, signal.SIGKILL)
    assert worker._child is not None
    worker._child.process.join(10)  # its threads may outlive the one that the system shows
    assert names(worker.parse("python", GOOD)) == ["f"]
    assert child_of(worker) != first


@posix_only
def test_a_text_that_ends_the_child_is_not_tried_again() -> None:
    worker = ParseWorker(wall_seconds=1.0)
    worker.parse("python", GOOD)
    first = child_of(worker)
    os.kill(first, signal.SIGSTOP)  # as a parser that never answers
    with pytest.raises(ParserFailed) as failed:
        worker.parse("python", b"class A: pass\n")
    assert failed.value.fault is ParserFault.DIED
    wait_until(lambda: not is_running(first))
    assert names(worker.parse("python", GOOD)) == ["f"]
    second = child_of(worker)
    with pytest.raises(ParserFailed):
        worker.parse("python", b"class A: pass\n")
    assert child_of(worker) == second
    worker.close()
    wait_until(lambda: not is_running(second))


def test_a_task_that_there_is_not_ends_the_child_and_nothing_else(
    worker: ParseWorker, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ParserFailed):
        worker.parse("nothing", b"x = 1\n")
    assert names(worker.parse("python", GOOD)) == ["f"]
    assert capfd.readouterr().out == ""


@posix_only
def test_limits_are_set_in_the_child(worker: ParseWorker) -> None:
    resource = pytest.importorskip("resource")
    if not hasattr(resource, "prlimit"):
        pytest.skip("limits of another process can be read on Linux alone")
    worker.parse("python", GOOD)
    pid = child_of(worker)
    assert resource.prlimit(pid, resource.RLIMIT_AS)[0] == 1 << 30
    assert resource.prlimit(pid, resource.RLIMIT_CORE) == (0, 0)
    assert resource.prlimit(pid, resource.RLIMIT_FSIZE) == (0, 0)
    assert 5 <= resource.prlimit(pid, resource.RLIMIT_CPU)[0] <= 10


@posix_only
def test_memory_that_a_text_takes_is_given_back_with_the_process(patient_worker: ParseWorker) -> None:
    patient_worker.parse("python", GOOD)
    first = child_of(patient_worker)
    assert names(patient_worker.parse("python", b"a;" * 200_000)) == []  # takes some 350 MB
    wait_until(lambda: not is_running(first))
    assert names(patient_worker.parse("python", GOOD)) == ["f"]


def test_calls_of_several_threads_take_turns(worker: ParseWorker) -> None:
    answers: dict[int, list[str]] = {}

    def ask(number: int) -> None:
        for _ in range(10):
            answers[number] = names(worker.parse("python", b"def f%d(): pass\n" % number))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: [f"f{number}"] for number in range(6)}


@posix_only
def test_closing_ends_a_parse_that_runs_and_refuses_later_ones() -> None:
    worker = ParseWorker()
    worker.parse("python", GOOD)
    pid = child_of(worker)
    os.kill(pid, signal.SIGSTOP)
    faults: list[ParserFault] = []

    def ask() -> None:
        try:
            worker.parse("python", b"class A: pass\n")
        except ParserFailed as failure:
            faults.append(failure.fault)

    asking = threading.Thread(target=ask)
    asking.start()
    while not worker._lock.locked():
        time.sleep(0.01)
    worker.close()
    asking.join(20)
    assert faults == [ParserFault.UNAVAILABLE]
    wait_until(lambda: not is_running(pid))
    with pytest.raises(ParserFailed):
        worker.parse("python", GOOD)
    worker.close()


@posix_only
def test_a_parent_that_is_killed_leaves_no_orphan(tmp_path: Path) -> None:
    program = tmp_path / "parent.py"
    program.write_text(
        "import sys, time\n"
        "from repo_mcp.process.parse_worker import ParseWorker\n"
        "if __name__ == '__main__':\n"
        "    worker = ParseWorker()\n"
        "    worker.parse('python', b'x = 1')\n"
        "    print(worker._child.process.pid, flush=True)\n"
        "    time.sleep(60)\n"
    )
    # The path is given to the interpreter itself: children drop PYTHONPATH, and learn it from the parent.
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(PROJECT)!r}); sys.argv = ['p'];"
               f"import runpy; runpy.run_path({str(program)!r}, run_name='__main__')"]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert is_running(child)
        parent.kill()
        parent.wait()
    wait_until(lambda: not is_running(child))


@posix_only
def test_modules_of_the_current_directory_are_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("json", "ast", "resource", "multiprocessing"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    worker = ParseWorker()
    assert names(worker.parse("python", GOOD)) == ["f"]
    worker.close()
    assert not (tmp_path / "ran").exists()


@posix_only
def test_the_parents_memory_is_not_the_childs(worker: ParseWorker) -> None:
    """A started process inherits the peak that the system keeps for its parent."""
    held = bytearray(MAX_RSS_BYTES + 1)
    held[::4096] = b"x" * len(held[::4096])  # a page is in memory once it was written to
    worker.parse("python", GOOD)
    first = child_of(worker)
    worker.parse("python", GOOD)
    assert child_of(worker) == first
