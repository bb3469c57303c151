"""Large blocks go back to the system when they are freed, or are kept, as the process has it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from repo_mcp.allocator import LARGE_BYTES, keep_blocks, return_large_blocks

# A freed block of 20 MB would have the next ones of 2 MB taken from a heap; prints how much is taken apart.
TAKE = f"""
import ctypes, sys
from repo_mcp.allocator import return_large_blocks

class State(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks "
                "uordblks fordblks keepcost".split()]

read = ctypes.CDLL(None).mallinfo2
read.restype = State
if sys.argv[1] == "told":
    assert return_large_blocks()
del (first := [bytearray(20_000_000)])[:]
before = read().hblkhd
kept = [bytearray({2 * LARGE_BYTES}) for _ in range(4)]
print(read().hblkhd - before)
"""


def _take(word: str) -> int:
    done = subprocess.run([sys.executable, "-c", TAKE, word], capture_output=True, text=True, check=False)
    if "mallinfo2" in done.stderr:
        pytest.skip("needs glibc 2.33")
    return int(done.stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux")
def test_large_blocks_are_taken_apart_from_the_heap() -> None:
    assert _take("told") >= 8 * LARGE_BYTES
    assert _take("untold") < 2 * LARGE_BYTES


# Prints the pages that are given to a process which takes and frees the same array again and again.
RETAKE = """
import resource, sys
from repo_mcp.allocator import keep_blocks

def take() -> None:
    del (block := [bytearray(20_000_000)])[:]

if sys.argv[1] == "told":
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

    assert count_faults("told") < 100 < count_faults("untold")


def test_another_system_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not return_large_blocks()
    assert not keep_blocks()
