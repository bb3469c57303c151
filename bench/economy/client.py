"""A server over stdio as a model meets it: its list of tools, and the bytes of each answer."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.economy.evidence import Step, read_lines
from bench.processes import PROJECT, build_environment, spawn_server

PATIENCE_SECONDS = 3_600.0
SETTLE_SECONDS = 1.0  # warnings about the start change or end within this time, others stay
POLL_SECONDS = 0.1
CPU_CLOCK = 2  # on Linux, the clock that counts the nanoseconds of all threads of a process, ended ones too
SEEN_BY_A_MODEL = ("name", "description", "inputSchema")  # of a tool; clients keep the rest to themselves


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer to a call."""

    text: str  # what the model reads
    record: Mapping[str, Any]
    is_error: bool

    @property
    def bytes(self) -> int:
        """Return the size of the text in UTF-8."""
        return len(self.text.encode())

    def to_step(self) -> Step:
        """Return what the answer costs and shows."""
        return Step(self.bytes, read_lines(self.record))


class Client:
    """A session with a server of one root. Close it."""

    def __init__(self, root: Path, data_dir: Path, *options: str, code: Path = PROJECT) -> None:
        self._peer = spawn_server(root, data_dir, *options, patience_seconds=PATIENCE_SECONDS, code=code)
        self._peer.handshake()
        listed = self._peer.ask("tools/list", {})["result"]["tools"]
        self.tools: dict[str, dict[str, Any]] = {tool["name"]: tool for tool in listed}

    @property
    def process_id(self) -> int:
        """Return the server's number, to look at its memory and processor time."""
        return self._peer.process_id

    def read_processor_seconds(self) -> float:
        """Return the seconds of processor time that the server has used, all threads together."""
        return time.clock_gettime(~self.process_id << 3 | CPU_CLOCK)

    def close(self) -> None:
        """End the server."""
        self._peer.close()

    def call(self, name: str, **arguments: object) -> Answer:
        """Return a tool's answer, error or not. Raises AssertionError when the request itself is refused."""
        answer = self._peer.ask("tools/call", {"name": name, "arguments": arguments})
        assert "result" in answer, answer
        result = answer["result"]
        text = "".join(block.get("text", "") for block in result["content"])
        return Answer(text, result.get("structuredContent") or _parse(text), bool(result.get("isError")))

    def takes(self, name: str, argument: str, value: str | None = None) -> bool:
        """Return True when a tool has an argument of this name and, if given, this choice of its value."""
        taken = self.tools.get(name, {}).get("inputSchema", {}).get("properties", {}).get(argument)
        return taken is not None and (value is None or value in taken.get("enum", ()))

    def count_list_bytes(self) -> int:
        """Return the bytes of the tool list as a model gets it: name, description and input of each tool."""
        shown = [{key: tool[key] for key in SEEN_BY_A_MODEL if key in tool} for tool in self.tools.values()]
        return len(json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode())

    def settle(self, name: str, **arguments: object) -> None:
        """Call a tool until its answer has no warnings, or the same ones for a while: it has started then."""
        deadline = time.monotonic() + SETTLE_SECONDS
        last: object = None
        while (
            warnings := self.call(name, **arguments).record.get("warnings")
        ) and time.monotonic() < deadline:
            if warnings != last:
                last, deadline = warnings, time.monotonic() + SETTLE_SECONDS
            time.sleep(POLL_SECONDS)


def _parse(text: str) -> dict[str, Any]:
    try:
        record = json.loads(text)
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}


def build_index(root: Path, data_dir: Path, *options: str, code: Path = PROJECT) -> None:
    """Index a root with the command of a checkout. Raises CalledProcessError when that fails."""
    command = [
        sys.executable,
        "-m",
        "repo_mcp",
        "index",
        "--repo-root",
        str(root),
        "--data-dir",
        str(data_dir),
    ]
    command += [*options, "--json"]
    subprocess.run(command, cwd=code, env=build_environment(code), capture_output=True, check=True)
