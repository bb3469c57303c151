"""`last_bundle.json` and `last_bundle.md` in the data directory: the last bundle, for people to look at.

These files are an artefact, not a log: they hold the prompt and text of files, each bundle replaces the one
before, and the operator can switch them off. They are written whole or not at all,
private to the user, never through a link.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from index_format import DiskDirectory, IndexFormatError, IndexLocked, new_file
from repo_mcp.bundler.document import render_json
from repo_mcp.bundler.markdown import render_markdown
from repo_mcp.bundler.records import Bundle

JSON_NAME, MARKDOWN_NAME = "last_bundle.json", "last_bundle.md"
LOCK_NAME = "last_bundle.lock"
TEMPORARY_NAME = "last_bundle.tmp"
LOCK_ATTEMPTS, LOCK_WAIT_SECONDS = 20, 0.01  # another server writes for a few milliseconds
NOT_WRITTEN = "The last bundle could not be written into the data directory."


def write_last_bundle(data_dir: str, bundle: Bundle) -> bool:
    """Replace both files. Return False when that is not possible; never raises for it."""
    try:
        directory = DiskDirectory(data_dir)
        with _locked(directory):
            for name, text in ((JSON_NAME, render_json(bundle)), (MARKDOWN_NAME, render_markdown(bundle))):
                with new_file(directory, name, TEMPORARY_NAME) as file:
                    file.write(text.encode("utf-8", "backslashreplace"))
    except (OSError, IndexFormatError):
        return False
    return True


@contextmanager
def _locked(directory: DiskDirectory) -> Iterator[None]:
    """Hold the lock for writing, waiting at most LOCK_ATTEMPTS * LOCK_WAIT_SECONDS. Raises IndexLocked."""
    for attempt in range(1, LOCK_ATTEMPTS + 1):
        try:
            lock = directory.lock(LOCK_NAME)
            break
        except IndexLocked:
            if attempt == LOCK_ATTEMPTS:
                raise
            time.sleep(LOCK_WAIT_SECONDS)
    try:
        yield
    finally:
        lock.release()
