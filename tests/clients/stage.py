"""A place where a client runs: a repository, a home directory, a recorded server, a scripted model.

place/tree     a copy of the tiny repository, with more to find in it, and a .env
place/home     the client's home, with what `repo-mcp init CLIENT --write` put there
place/bin      repo-mcp-server: the recorder in front of the real server, with the code of this checkout
place/log      what client and server sent each other
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.repo_mcp.cli.program import BIN, PROJECT, make_tree, run

SECRET = "token=never-to-be-told-4711"
SERVER = BIN / "repo-mcp-server"
RECORDER = Path(__file__).with_name("recorder.py")
LEAVE_SECONDS = 5.0


def find_client(program: str) -> str:
    """Return a client's program: from PATH, or the folder that REPO_MCP_CLIENTS names. Skips without it."""
    places = [os.environ["PATH"], os.environ.get("REPO_MCP_CLIENTS", "")]
    found = shutil.which(program, path=os.pathsep.join(filter(None, places)))
    if found is None:
        pytest.skip(f"{program} is not installed")
    return found


@dataclass(frozen=True, slots=True)
class Frame:
    """One row of the recorder's."""

    pid: int
    at: float  # seconds since the server was spawned
    what: str
    row: Mapping[str, Any]

    @property
    def message(self) -> dict[str, Any]:
        message = json.loads(self.row["line"])
        assert isinstance(message, dict)
        return message


class Stage:
    """One place, for one client."""

    def __init__(self, place: Path, hold: str = "") -> None:
        """`hold` is a tool whose first answer does not come until the client has given up."""
        self.place = place
        self.tree = make_tree(place)
        (self.tree / ".git").mkdir()
        self.home = place / "home"
        self.server = place / "bin" / "repo-mcp-server"
        self._log = place / "log"
        self.server.parent.mkdir()
        (self.tree / ".env").write_text(f"{SECRET}\n", encoding="utf-8")
        words = [sys.executable, "-IS", str(RECORDER), f"HOLD={hold}", str(self._log), str(SERVER)]
        code = f"PYTHONPATH={shlex.quote(str(PROJECT))}"
        self.server.write_text(f'#!/bin/sh\n{code} exec {shlex.join(words)} "$@"\n', encoding="utf-8")
        self.server.chmod(0o700)

    def add_file(self, path: str, text: str) -> None:
        """Write one more file of the repository."""
        file = self.tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def set_up(self, client: str, *options: str, recorded: bool = True) -> None:
        """Run `repo-mcp init CLIENT --write`, of the recorded server or of the real one."""
        command = ["--command", str(self.server if recorded else SERVER)]
        if not recorded:  # else `iter_processes` would not know it
            command += ["--root", str(self.tree)]
        done = run(self.tree, "init", client, "--write", *command, *options)
        assert done.returncode == 0, done.stderr

    def change_setup(self, path: str, before: str, after: str) -> None:
        """Change what `set_up` wrote, as a person would."""
        file = next(file for file in (self.home / path, self.tree / path) if file.exists())
        text = file.read_text(encoding="utf-8")
        assert text.count(before) == 1
        file.write_text(text.replace(before, after), encoding="utf-8")

    def index(self, *options: str) -> None:
        """Have the index made before the client comes."""
        done = run(self.tree, "index", *options)
        assert done.returncode == 0, done.stderr

    def start(self, command: Sequence[str], **variables: str) -> subprocess.Popen[str]:
        """Start a client in the tree, with a home of its own and nothing of ours on its path."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.home), "TERM": "dumb"}
        return subprocess.Popen(
            command,
            cwd=self.tree,
            env=environment | variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def read_frames(self) -> list[Frame]:
        """Return all recorded frames so far, of every server that was started."""
        if not self._log.exists():
            return []
        rows = [json.loads(line) for line in self._log.read_text(encoding="utf-8").splitlines()]
        return [Frame(row["pid"], row["at"], row["what"], row) for row in rows]

    def find_answer(self, tool: str, place: int = 0) -> dict[str, Any]:
        """Return the server's answer to one of the calls of a tool, as it was sent.

        Raises AssertionError if there were fewer calls: the client may not have waited for the server.
        """
        frames = self.read_frames()
        calls = [
            (frame.pid, frame.message["id"])
            for frame in frames
            if frame.what == "client" and frame.message.get("method") == "tools/call"
            if frame.message["params"]["name"] == tool
        ]
        assert place < len(calls), f"{tool} was called {len(calls)} times; the server: {_tell(frames)}"
        answers = {(frame.pid, frame.message["id"]): frame.message for frame in frames if _is_answer(frame)}
        result = answers[calls[place]]["result"]
        assert isinstance(result, dict)
        return result

    def iter_answers(self) -> Iterator[dict[str, Any]]:
        """Yield every result that the server gave, in order."""
        return (frame.message["result"] for frame in self.read_frames() if _is_answer(frame))

    def iter_processes(self) -> Iterator[tuple[int, str]]:
        """Whatever runs with a path of this place in its command, as numbers and commands."""
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
            except OSError:  # it has just ended
                continue
            if any(str(self.place) in word for word in words):
                yield int(folder.name), " ".join(words)

    def wait_until_alone(self) -> list[tuple[int, str]]:
        """Return the processes that still run some seconds after a client has left: none, if all is well."""
        deadline = time.monotonic() + LEAVE_SECONDS
        while left := list(self.iter_processes()):
            if time.monotonic() > deadline:
                break
            time.sleep(0.05)
        return left


def _tell(frames: Sequence[Frame]) -> str:
    """Say what happened to the server, and what it was asked for."""
    names = (frame.message.get("method", "") if frame.what == "client" else frame.what for frame in frames)
    return ", ".join(one for one in names if one not in ("", "server")) or "was not started"


def _is_answer(frame: Frame) -> bool:
    return frame.what == "server" and "result" in frame.message and "id" in frame.message
