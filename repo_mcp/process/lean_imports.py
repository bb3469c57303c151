"""Saves a tenth of the time of importing the engine, and 3.5 MB.

Left out on purpose: which modules that imports.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import ModuleType

# A function of each module that whoosh.compat imports and nobody calls.
_UNUSED = {"urllib.request": "urlretrieve", "html": "escape"}
_OPENSSL = "_hashlib"
_SHA2 = ("_sha2",) if sys.version_info >= (3, 12) else ("_sha256", "_sha512")
_OWN_DIGESTS = ("_blake2", "_md5", "_sha1", "_sha3", *_SHA2)  # hashlib logs an error for one that is missing


@contextmanager
def lean_imports() -> Iterator[None]:
    """Make the imports in the block faster. No other thread may import from urllib meanwhile.

    The collector of cycles is off, since imports leave none; and afterwards it never examines the imported
    modules, which took some calls 26 ms. whoosh.compat imports functions that nobody calls; without them
    http, ssl, email and all names of HTML are not imported. Python has the digests that we use; without those
    of OpenSSL its library is not loaded.
    """
    gc.disable()
    try:
        if "hashlib" not in sys.modules and all(map(find_spec, _OWN_DIGESTS)):
            _load_hashlib()
        _load_whoosh()
        yield
    finally:
        gc.freeze()
        gc.enable()


def _load_hashlib() -> None:
    """Import hashlib and hmac without OpenSSL, as for a Python that has none."""
    sys.modules[_OPENSSL] = None  # type: ignore[assignment]  # an import of it fails
    try:
        import hashlib  # noqa: F401
        import hmac  # noqa: F401
    finally:
        del sys.modules[_OPENSSL]


def _load_whoosh() -> None:
    """Import whoosh.compat with stand-ins for what it does not need."""
    absent = [name for name in _UNUSED if name not in sys.modules]
    for name in absent:
        sys.modules[name] = stand_in = ModuleType(name)
        stand_in.__dict__[_UNUSED[name]] = None
    try:
        import whoosh.compat  # noqa: F401
    finally:
        for name in absent:
            del sys.modules[name]
