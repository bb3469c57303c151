"""The mark of tests that need what only POSIX has.

Links, FIFOs, modes, names of any bytes, and open files that can be replaced and deleted.
"""

from __future__ import annotations

import sys

import pytest

posix = pytest.mark.skipif(sys.platform == "win32", reason="links, FIFOs, modes and names of POSIX")
