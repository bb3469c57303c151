"""Saves a tenth of the time of importing the engine.

Left out on purpose: which modules that imports.
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
    """Make the imports in the block faster. No other thread may import from urllib meanwhile.

    The collector of cycles is off, since imports leave none; and afterwards it never examines the imported
    modules, which took some calls 26 ms. whoosh.compat imports a function from urllib.request that nobody
    calls; without it http, ssl and email are not imported.
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
