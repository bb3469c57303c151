"""Where this is imported, nothing is waited for until it is on the medium: `os.fsync` returns at once.

No test cuts the power, and a process that is killed loses nothing that it wrote; but each of thousands of
small indexes waited fifteen times for the disk. Whether and when files are synced is tested with a layer
around `os.fsync` (`tests/deep/fault_layer.py`). `make deep` and the tests that start a real process sync.
"""

from __future__ import annotations

import os

from tests.deep.sizes import IS_DEEP

if not IS_DEEP:
    os.fsync = lambda fd: None
