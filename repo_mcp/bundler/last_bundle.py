"""Keep the last bundle in the data directory, as `last_bundle.json` and `last_bundle.md`.

These files hold the prompt and text of files. They are not a log: each bundle replaces the one before, and
the operator can switch them off. They are written whole or not at all, private to the user, never through a
link. They are deleted when a file that they quote may no longer be served.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from index_format import DirectoryHolder, DiskDirectory, IndexFormatError, IndexLocked, new_file

if TYPE_CHECKING:
    from repo_mcp.bundler.records import Bundle

JSON_NAME, MARKDOWN_NAME = "last_bundle.json", "last_bundle.md"
LOCK_NAME = "last_bundle.lock"
TEMPORARY_NAME = "last_bundle.tmp"
LOCK_ATTEMPTS, LOCK_WAIT_SECONDS = 20, 0.01  # another server writes for a few milliseconds
MAX_BUNDLE_FILE_BYTES = 64_000_000  # more than the largest bundle; a larger file is not ours


def write_last_bundle(data_dir: DirectoryHolder, bundle: Bundle) -> bool:
    """Replace both files. Return False when that is not possible; never raises for it."""
    from repo_mcp.bundler.document import render_json  # here: most servers never make a bundle
    from repo_mcp.bundler.markdown import render_markdown

    try:
        directory = DiskDirectory(data_dir, create=True)
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


def drop_last_bundle(data_dir: DirectoryHolder, may_stay: Callable[[str, str], bool]) -> bool:
    """Delete both files unless `may_stay` accepts the path and the fingerprint of every file they quote.

    Files that cannot be read as one bundle are deleted, too. Returns False when something that must go could
    not be deleted; never raises for it.
    """
    try:
        directory = DiskDirectory(data_dir)
        kept = {JSON_NAME, MARKDOWN_NAME, TEMPORARY_NAME}.intersection(directory.list_names())
        if not kept:
            return True
        with ExitStack() as held:
            # A lock that is held for longer than writing takes is no reason to keep the files.
            with suppress(IndexLocked):
                held.enter_context(_locked(directory))
            directory.delete(TEMPORARY_NAME)
            quoted = _read_quoted(directory)
            if quoted is None or not all(may_stay(path, fingerprint) for path, fingerprint in quoted):
                for name in (MARKDOWN_NAME, JSON_NAME):
                    directory.delete(name)
    except (FileNotFoundError, NotADirectoryError):  # there is no data directory now
        return True
    except (OSError, IndexFormatError):
        return False
    return True


def _read_quoted(directory: DiskDirectory) -> set[tuple[str, str]] | None:
    """Return the paths and fingerprints of the files that the kept bundle quotes; None if it cannot be read.

    A path with escaped characters stays escaped, so no such file is found, and the bundle is deleted.
    """
    try:
        document = json.loads(_read_kept(directory, JSON_NAME))
        page = _read_kept(directory, MARKDOWN_NAME)
        if document["bundle_id"].encode() not in page:  # a process was killed between writing the two
            return None
        pairs = zip(document["selections"], document["citations"], strict=True)
        quoted = {(str(one["path"]), str(citation["fingerprint"])) for one, citation in pairs}
        "".join(path for path, _ in quoted).encode()  # raises ValueError for text that no path can have
        return quoted
    except (OSError, IndexFormatError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _read_kept(directory: DiskDirectory, name: str) -> bytes:
    """Return the bytes of a kept file. Raises OSError, IndexFormatError, ValueError when it is too large."""
    file = directory.open(name)
    try:
        if file.size > MAX_BUNDLE_FILE_BYTES:
            raise ValueError(name)
        return file.read(0, file.size)
    finally:
        file.close()
