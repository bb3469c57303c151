"""Imports the engine in nine tenths of the time.

Left out on purpose: which modules these are.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

_UNUSED = "urllib.request"


@contextmanager
def lean_imports() -> Iterator[None]:
    """Import the engine in nine tenths of the time. Nothing else that runs meanwhile may import from urllib.

    Imports leave no cycles to be collected. And whoosh.compat asks urllib.request for a function that nobody
    calls, which would bring http, ssl and email.

    The collector does not look at the modules again: that took some calls 26 ms.
    """
    gc.disable()
    try:
        if _UNUSED not in sys.modules:
            _load_whoosh()
        yield
    finally:
        gc.freeze()
        gc.enable()


def _load_whoosh() -> None:
    """Import whoosh.compat with a stand-in for what it does not need."""
    sys.modules[_UNUSED] = stand_in = ModuleType(_UNUSED)
    stand_in.__dict__["urlretrieve"] = None
    try:
        import whoosh.compat  # noqa: F401
    finally:
        del sys.modules[_UNUSED]
