"""List what this process has open below a directory; other threads of the tests have files open elsewhere."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest

DESCRIPTORS = "/proc/self/fd"


def list_open(root: Path) -> list[str]:
    """Return the open files and directories at or below a root, sorted. Skips the test if that is unknown."""
    if not os.path.isdir(DESCRIPTORS):
        pytest.skip("needs /proc")
    found = []
    for name in os.listdir(DESCRIPTORS):
        with suppress(FileNotFoundError):  # closed since, or the listing's own
            found.append(os.readlink(f"{DESCRIPTORS}/{name}"))
    return sorted(path for path in found if Path(path).is_relative_to(root.resolve()))
