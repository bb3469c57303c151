"""Children of `multiprocessing`, forked from a process that has imported what they need.

A child that parses or builds shards is started as a new interpreter, whose imports take a quarter of a second
of the processor. In a check, tests take children that are forked from one process that did this once. They
get what they are to do as a new interpreter does, pickled, and share nothing with the test. `make deep`, the
tests of what starts children (`tests/repo_mcp/process`) and all servers start them as users do.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.forkserver
import sys
from functools import cache
from pathlib import Path

import pytest

import repo_mcp
from tests.deep.sizes import IS_DEEP

# What children use of the package. All of it, with the SDK and what serves HTTP, takes three times as long.
ROOMS = ["process", "languages", "indexing", "symbol_index", "exact", "semantic"]


def fork_children(patch: pytest.MonkeyPatch) -> None:
    """Fork children where that can be done, instead of starting interpreters."""
    if sys.platform != "linux" or IS_DEEP:
        return
    _preload()
    get_context = multiprocessing.get_context
    patch.setattr(
        multiprocessing,
        "get_context",
        lambda method=None: get_context("forkserver" if method == "spawn" else method),
    )


@cache
def _preload() -> None:
    package = Path(repo_mcp.__file__).parent
    files = [file for room in ROOMS for file in (package / room).rglob("*.py")]
    modules = [file.relative_to(package.parent).with_suffix("") for file in sorted(files)]
    names = [".".join(module.parts).removesuffix(".__init__") for module in modules]
    multiprocessing.set_forkserver_preload([*names, "tests.unsynced"])
