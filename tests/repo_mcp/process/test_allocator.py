"""Free memory goes back to the system, or is kept, as the process has it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from repo_mcp import server
from repo_mcp.process import allocator
from repo_mcp.process.allocator import give_back_blocks, keep_blocks, return_free_memory, share_heap

# Blocks too small to be taken one by one, every other one freed in another thread: prints how much of that
# is still resident in the end, in per cent.
TAKE = """
import ctypes, resource, sys, threading, time
import repo_mcp.process.allocator
from repo_mcp.process.allocator import return_free_memory, share_heap

if not hasattr(ctypes.CDLL(None), "malloc_trim"):
    raise SystemExit("no malloc_trim")
repo_mcp.process.allocator.PAUSE_SECONDS = 0.01
if sys.argv[1] == "changed":
    assert share_heap()
    assert return_free_memory()

def count_resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

def take():
    global kept
    blocks = [bytearray(b"x") * 60_000 for _ in range(600)]
    kept = blocks[::2]

before = count_resident()
worker = threading.Thread(target=take)
worker.start()
worker.join()
deadline = time.monotonic() + 10
while time.monotonic() < deadline and count_resident() - before > 27_000_000 and sys.argv[1] == "changed":
    sum(range(100_000))  # it must work for that
print(count_resident() - before)
"""


def _take(word: str) -> int:
    done = subprocess.run([sys.executable, "-c", TAKE, word], capture_output=True, text=True, check=False)
    if "no malloc_trim" in done.stderr:
        pytest.skip("needs glibc")
    return int(done.stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux")
def test_free_pages_go_back_to_the_system() -> None:
    assert _take("changed") <= 27_000_000
    assert _take("usual") > 33_000_000


def test_a_server_shares_its_heap_before_the_first_thread(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    done: list[str] = []
    monkeypatch.setattr(allocator, "share_heap", lambda: done.append("shared"))
    monkeypatch.setattr(server, "_start", lambda *_given, **_named: done.append("started"))
    assert server.main(["--repo-root", str(tmp_path)])
    assert done == ["shared", "started"]


# Prints the pages that are given to a process which takes and frees the same array again and again.
RETAKE = """
import resource, sys
from repo_mcp.process.allocator import give_back_blocks, keep_blocks

def take() -> None:
    del (block := [bytearray(20_000_000)])[:]
    if sys.argv[1] == "giving back":
        assert give_back_blocks()

if sys.argv[1] != "usual":
    assert keep_blocks()
take()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(4):
    take()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux")
def test_freed_blocks_are_kept_for_the_next() -> None:
    def count_faults(word: str) -> int:
        done = subprocess.run(
            [sys.executable, "-c", RETAKE, word], capture_output=True, text=True, check=True
        )
        return int(done.stdout)

    assert count_faults("changed") < 100 < count_faults("usual")
    assert count_faults("giving back") > 100


def test_another_system_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not share_heap()
    assert not return_free_memory()
    assert not keep_blocks()
    assert not give_back_blocks()
