"""Children of `multiprocessing`, forked from a process that has imported what they need.

A child that parses or builds shards is started as a new interpreter, whose imports take a quarter of a second
of the processor. In a check, tests and the servers and commands that are forked for them (`tests/forked.py`)
take children that are forked from one process that did this once. They get what they are to do as a new
interpreter does, pickled, with the environment and the streams of the process that starts them, and share
nothing else with it. These start them as users do: `make deep`, the tests of what starts children
(`tests/repo_mcp/process`), servers that are hardened, killed with their group or whose children are measured
(`tests/deep/served.py`), and programs that are not forked themselves.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from multiprocessing import context, forkserver, reduction, util
from pathlib import Path
from typing import Any

import pytest

import repo_mcp
from tests.deep.sizes import IS_DEEP

# What children use of the package. All of it, with the SDK and what serves HTTP, takes three times as long.
ROOMS = ["process", "languages", "indexing", "symbol_index", "exact", "semantic"]


class _Surroundings:
    """Gives the process that unpickles it the environment and the streams of the one that pickled it."""

    def __reduce__(self) -> tuple[Callable[..., _Surroundings], tuple[Any, ...]]:
        return _surround, (dict(os.environ), *map(reduction.DupFd, range(3)))


def _surround(environment: dict[str, str], *streams: Any) -> _Surroundings:
    for number, stream in enumerate(streams):
        os.dup2(descriptor := stream.detach(), number)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(environment)
    return _Surroundings()


if sys.platform != "win32":  # where nothing can be forked

    class _Child(context.ForkServerProcess):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self._surroundings = _Surroundings()

    class _ForkContext(context.ForkServerContext):
        Process = _Child  # type: ignore[assignment]


def _get_context(method: str | None = None) -> context.BaseContext:
    """Return what `multiprocessing.get_context` does, but a context that forks instead of one that starts."""
    return _ForkContext() if method == "spawn" else _get_real_context(method)


_get_real_context = multiprocessing.get_context


# In tests


def fork_children(patch: pytest.MonkeyPatch) -> None:
    """Fork children where that can be done, instead of starting interpreters."""
    if sys.platform == "linux" and not IS_DEEP:
        _preload()
        patch.setattr(multiprocessing, "get_context", _get_context)


@cache
def _preload() -> None:
    multiprocessing.set_forkserver_preload([*_list_modules(), "tests.unsynced"])


def _list_modules() -> list[str]:
    package = Path(repo_mcp.__file__).parent
    files = [file for room in ROOMS for file in (package / room).rglob("*.py")]
    modules = [file.relative_to(package.parent).with_suffix("") for file in sorted(files)]
    return [".".join(module.parts).removesuffix(".__init__") for module in modules]


# In the process that servers and commands are forked from


def start_forking() -> None:
    """Import what children need, fork the process that forks them, and fork the resource tracker, which each
    server that has children would start for itself.
    """
    for name in [*_list_modules(), "tests.unsynced"]:
        importlib.import_module(name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(util, "spawnv_passfds", _fork)
        multiprocessing.set_forkserver_preload([])
        forkserver.ensure_running()
    # What is forked would wait for it as for a child of its own.
    forkserver._forkserver.ensure_running = lambda: None  # type: ignore[attr-defined]


def _fork(_program: str, arguments: list[str], descriptors: list[int]) -> int:
    """Run the code that a new interpreter would be given, with the descriptors that it would have.

    Both processes end when the last other one has closed a pipe, so they must not hold it themselves.
    """
    if (pid := os.fork()) == 0:
        try:
            for descriptor in map(int, os.listdir("/proc/self/fd")):
                if descriptor > 2 and descriptor not in descriptors:
                    with suppress(OSError):  # the list's own
                        os.close(descriptor)
            exec(arguments[-1], {})
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(0)
    return pid


def fork_own_children() -> None:
    """Have this process, which was forked, fork its children."""
    multiprocessing.get_context = _get_context  # type: ignore[assignment]
