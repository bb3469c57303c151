"""The user's home. It is needed before a server's first answer, so this module imports next to nothing."""

from __future__ import annotations

import os


def find_home() -> str:
    """Return the user's home directory."""
    return os.path.expanduser("~")
