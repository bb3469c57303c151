"""Where this is imported, `os.fsync` returns at once instead of waiting for the disk.

No test cuts the power, and a killed process loses nothing that it has written; but each of thousands of small
indexes would wait for the disk fifteen times. Whether and when files are synced is tested with a layer around
`os.fsync` (`tests/deep/fault_layer.py`). `make deep`, and tests that start a real process, do sync.
"""

from __future__ import annotations

import os

from tests.deep.sizes import IS_DEEP

if not IS_DEEP:
    os.fsync = lambda fd: None
