"""A real server process over pipes, for as long as a test needs it.

Patience counts only moments in which this process ran, not the clock: a machine that was suspended for a
minute has not made the server slow.
"""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.deep.answers import TOOLSETS, run_calls
from tests.deep.sizes import IS_DEEP
from tests.forked import START, popen

PROJECT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 120.0  # for one answer
SETTLE_SECONDS = 120.0
MOMENT_SECONDS = 0.05
UNSETTLED = re.compile(
    "is being refreshed|being compared with the index|Files are being parsed|is writing this symbol index"
)
STILL_SECONDS = 1.0  # more by the clock than was counted means that the machine was suspended


def wait_until(is_done: Callable[[], bool], seconds: float) -> bool:
    """Return whether a condition held within some seconds, as this process counts them."""
    for _ in range(int(seconds / MOMENT_SECONDS)):
        if is_done():
            return True
        time.sleep(MOMENT_SECONDS)
    return is_done()


def ask_server(root: Path, data: Path) -> list[str]:
    """Return what a real server answers after it has indexed all."""
    with Served(root, data) as server:
        server.settle()
        return server.ask_all(root)


class Served:
    """One server; a call at a time."""

    def __init__(
        self,
        root: Path,
        data: Path,
        *options: str,
        start: str = START,
        said: Path | None = None,
        **environment: str,
    ) -> None:
        """`start` is the program, and `said` a file for its standard error."""
        words = [sys.executable, "-c", start, "--repo-root", str(root), "--data-dir", str(data), "--no-watch"]
        words += ["--workers", "1", "--toolsets", TOOLSETS]
        with open(said or os.devnull, "ab") as errors:
            # A check saves the cost of imports, but not in parsers, which are measured and killed with it.
            start_process = subprocess.Popen if IS_DEEP else partial(popen, forks_children=False)
            self.popen = start_process(
                [*words, *options],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=root.parent,
                env={**os.environ, "PYTHONPATH": str(PROJECT), **environment},
                start_new_session=True,
            )
        assert self.popen.stdin is not None
        assert self.popen.stdout is not None
        self._to, self._from = self.popen.stdin, self.popen.stdout.fileno()
        self._next = 0
        self._buffer = b""
        self._stood_still = 0
        self.slowest_seconds = 0.0  # of any answer, as this process counts
        self.ask(
            "initialize",
            {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "deep", "version": "0"},
            },
        )

    def send(self, method: str, params: dict[str, Any]) -> int:
        """Send a request, and return its id."""
        self._next += 1
        frame = {"jsonrpc": "2.0", "id": self._next, "method": method, "params": params}
        self._to.write(json.dumps(frame).encode() + b"\n")
        self._to.flush()
        return self._next

    def receive(self) -> dict[str, Any]:
        """Return the next frame. Raises EOFError when the server is gone; none may take long."""
        waited, started = 0.0, time.monotonic()
        while b"\n" not in self._buffer:
            moment = time.monotonic()
            if select.select([self._from], [], [], MOMENT_SECONDS)[0]:
                data = os.read(self._from, 1 << 16)
                if not data:
                    raise EOFError
                self._buffer += data
            waited += min(2 * MOMENT_SECONDS, time.monotonic() - moment)
            if waited > PATIENCE_SECONDS:
                self.kill()
                raise EOFError(f"no answer in {PATIENCE_SECONDS:.0f} seconds")
        self.slowest_seconds = max(self.slowest_seconds, waited)
        self._stood_still += time.monotonic() - started > waited + STILL_SECONDS
        line, _, self._buffer = self._buffer.partition(b"\n")
        found: dict[str, Any] = json.loads(line)
        return found

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a request."""
        number = self.send(method, params)
        while (frame := self.receive()).get("id") != number:
            pass
        return frame

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Return the envelope of a call."""
        frame = self.ask("tools/call", {"name": tool, "arguments": arguments})
        found: dict[str, Any] = frame["result"]["structuredContent"]
        return found

    def settle(self, *, force: bool = False) -> None:
        """Bring both indexes up to date, waiting for what already runs in the background."""
        refused: list[dict[str, Any]] = []

        def is_settled() -> bool:
            done = self.call("index_codebase", path=".", force=force)
            refused[:] = [done] if "error" in done else []
            return not refused

        assert wait_until(is_settled, SETTLE_SECONDS), refused

    def ask_all(self, root: Path) -> list[str]:
        """Return the answers to all calls of the oracle.

        They are made again if the machine was suspended meanwhile, because some answers are cut off by the
        clock and say so; if a background refresh ran, which a call begins when the last one was a second
        ago; or if files were being parsed, as they are anew once damage is found, or by another server, after
        which this one tries again within seconds.
        """
        while True:
            before = self._stood_still
            answers = run_calls(lambda tool, arguments: self.call(tool, **arguments), root)
            if self._stood_still == before and not any(map(UNSETTLED.search, answers)):
                return answers

    def wait_ended(self, seconds: float) -> int | None:
        """Return the server's exit code; None if it does not end in time."""
        wait_until(lambda: self.popen.poll() is not None, seconds)
        return self.popen.poll()

    def kill(self) -> None:
        """End the whole group of processes at once, as the system does when memory runs out."""
        os.killpg(self.popen.pid, 9)
        self.popen.wait()

    def count_descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.popen.pid}/fd"))

    def measure_memory(self, kind: str = "VmRSS") -> int:
        """Return the resident bytes; with `VmHWM` their peak."""
        for line in Path(f"/proc/{self.popen.pid}/status").read_text().splitlines():
            if line.startswith(kind):
                return int(line.split()[1]) * 1024
        return 0

    def measure_processor(self) -> float:
        """Return the processor seconds of the server and its children, including those that have ended."""
        ticks = 0
        for entry in os.listdir("/proc"):
            try:
                facts = (
                    Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
                    if entry.isdigit()
                    else []
                )
            except OSError:  # it has ended
                continue
            if entry == str(self.popen.pid):
                ticks += sum(map(int, facts[11:15]))
            elif facts and int(facts[1]) == self.popen.pid:
                ticks += sum(map(int, facts[11:13]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def __enter__(self) -> Served:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.popen.poll() is None:
            self.kill()
        for pipe in (self.popen.stdin, self.popen.stdout):
            assert pipe is not None
            try:
                pipe.close()
            except OSError:
                pass
