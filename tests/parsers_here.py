"""A parser in this process instead of a child process, for tests of what is done with symbols.

Starting a child takes a fifth of a second of processor time. How children are started, limited, killed and
replaced is tested with real ones (`tests/repo_mcp/process`, `tests/repo_mcp/symbol_index`, every server over
pipes).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from repo_mcp.process import parse_process, parse_worker

_TURNS = threading.Lock()  # a process has one parser


class _Here:
    """Has the methods of a `_Child`."""

    process = SimpleNamespace(pid=None, is_alive=lambda: True)

    def ask(self, requests: Sequence[tuple[str, bytes]], _wall_seconds: float) -> tuple[list[bytes], bool]:
        """Return the answers. Raises EOFError where a child would have ended."""
        try:
            with _TURNS:
                return [parse_process.run_task(task, text) for task, text in requests], True
        except Exception as error:
            raise EOFError from error

    def kill(self) -> None:
        """Do nothing: there is no process."""

    end = kill


def parse_here(patch: pytest.MonkeyPatch) -> None:
    """Parse in this process instead of starting children, except those that run something else."""
    start_child = parse_worker._start_child

    def start(niceness: int = 0, run: Callable[..., None] | None = None) -> Any:
        return _Here() if run is None else start_child(niceness, run)

    patch.setattr(parse_worker, "_start_child", start)
