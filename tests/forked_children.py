"""Children of `multiprocessing`, forked from a process that has imported what they need.

A child that parses or builds shards is a new interpreter, whose imports take a quarter of a second of
processor time. In a check, tests and the servers and commands that are forked for them (`tests/forked.py`)
get children that are forked from one process, which has done the imports once. As with a new interpreter,
their work comes pickled, with the environment and the streams of the process that starts them, and nothing
else is shared. Real children are started by `make deep`, by the tests of what starts children
(`tests/repo_mcp/process`), by servers that are hardened, killed with their group or whose children are
measured (`tests/deep/served.py`), and by programs that are not forked themselves.
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
OF_TESTS = ["tests.unsynced", "tests.loaded_parsers"]


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
    """Return the context that `multiprocessing.get_context` gives, but one that forks for "spawn"."""
    return _ForkContext() if method == "spawn" else _get_real_context(method)


_get_real_context = multiprocessing.get_context


# In tests


def fork_children(patch: pytest.MonkeyPatch) -> None:
    """Fork children instead of starting interpreters, where the system can."""
    if sys.platform == "linux" and not IS_DEEP:
        _preload()
        patch.setattr(multiprocessing, "get_context", _get_context)


@cache
def _preload() -> None:
    multiprocessing.set_forkserver_preload([*_list_modules(), *OF_TESTS])


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
    for name in [*_list_modules(), *OF_TESTS]:
        importlib.import_module(name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(util, "spawnv_passfds", _fork)
        multiprocessing.set_forkserver_preload([])
        forkserver.ensure_running()
    # A forked process would otherwise wait for it as for a child of its own.
    forkserver._forkserver.ensure_running = lambda: None  # type: ignore[attr-defined]


def _fork(_program: str, arguments: list[str], descriptors: list[int]) -> int:
    """Run the code that a new interpreter would be given, with the descriptors that it would have.

    The fork server and the resource tracker end when all others have closed a pipe, so they must not hold it.
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
