"""What importing the engine leaves behind."""

from __future__ import annotations

import gc
import subprocess
import sys
from contextlib import suppress

from repo_mcp.process.lean_imports import lean_imports

ENGINE = """
import sys
from repo_mcp.process.lean_imports import lean_imports
with lean_imports():
    import repo_mcp.repository
assert "whoosh.compat" in sys.modules
assert "urllib.request" not in sys.modules and "http.client" not in sys.modules
import urllib.request
assert urllib.request.urlretrieve is not None
import gc
assert gc.get_freeze_count() > len(gc.get_objects())  # the collector passes the modules by
"""


def test_the_engine_brings_no_http_and_what_needs_it_can_load_it() -> None:
    subprocess.run([sys.executable, "-c", ENGINE], check=True)


def test_cycles_are_collected_afterwards_whatever_happens() -> None:
    collects = []
    with suppress(ImportError), lean_imports():
        collects.append(gc.isenabled())
        raise ImportError
    assert [*collects, gc.isenabled()] == [False, True]
