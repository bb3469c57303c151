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
assert "_hashlib" not in sys.modules and "html" not in sys.modules
import urllib.request
assert urllib.request.urlretrieve is not None
import hashlib, hmac
assert hashlib.sha256(b"").digest() == __import__("_hashlib").openssl_sha256(b"").digest()
assert hmac.compare_digest(b"a", b"a") and not hmac.compare_digest(b"a", b"b")
import gc
assert gc.get_freeze_count() > len(gc.get_objects())  # the collector passes the modules by
"""


def test_the_engine_brings_no_http_and_no_openssl_and_what_needs_them_can_load_them() -> None:
    subprocess.run([sys.executable, "-c", ENGINE], check=True)


def test_cycles_are_collected_afterwards_whatever_happens() -> None:
    collects = []
    with suppress(ImportError), lean_imports():
        collects.append(gc.isenabled())
        raise ImportError
    assert [*collects, gc.isenabled()] == [False, True]
