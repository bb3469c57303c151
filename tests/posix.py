"""The mark of tests that need what only POSIX has: links, FIFOs, modes, names of any bytes."""

from __future__ import annotations

import sys

import pytest

posix = pytest.mark.skipif(sys.platform == "win32", reason="links, FIFOs, modes and names of POSIX")
