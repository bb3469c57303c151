"""Listings made in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from repo_mcp.process.lister import iter_listings
from repo_mcp.process.lister_process import send_listings
from repo_mcp.storage.held_directory import HeldDirectory
from repo_mcp.workspace.listed_ahead import Listing


class _Frames:
    """The end of a pipe that stores what is sent."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    def send_bytes(self, frame: bytes) -> None:
        self.sent.append(frame)


def list_here(root: Path) -> dict[str, Listing]:
    """Return the listings that the process would send for a root, in its order."""
    frames: Any = _Frames()
    send_listings(frames, HeldDirectory(str(root)))
    return {path: listing for frame in frames.sent for path, listing in iter_listings(frame)}
