"""The version, which the server and `repo.status` report. The package's metadata is made from this file."""

from __future__ import annotations

VERSION = "0.1.0"  # reading it from the metadata takes longer than answering the handshake


def find_version() -> str:
    """Return the version of this tree."""
    return VERSION
