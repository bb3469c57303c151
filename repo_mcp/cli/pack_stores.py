"""The stores of packs: files, or URLs such as `https://`, `s3://`, `gs://` and whatever else fsspec supports.

For the command line alone. A pack in a store is fetched when an index starts from it. It is copied to a file
without a name, up to the size that its own table gives and no further, and is opened there: nothing is used
that was not checked, and nothing is left behind however the program ends. A written pack appears whole or not
at all, as far as the store can guarantee that.

Left out on purpose: the server, which opens no connections; `file://`, which is another spelling of a path.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache
from typing import Any

from index_format import DiskFile, IndexFormatError, WritableFile
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.storage.pack_keys import PackKey
from repo_mcp.storage.packs import ListPacked, PackedIndex, create_pack, measure_pack, open_pack, read_pack

CONNECT_SECONDS, SILENT_SECONDS = 30, 60  # seconds without an answer after which an HTTP server is given up
_URL = re.compile(r"((?:[a-zA-Z][a-zA-Z0-9+.-]*::)*[a-zA-Z][a-zA-Z0-9+.-]*)://")
_BLOCK_BYTES = 1 << 20
_MAX_REASON_CHARS = 300
# Parts of a URL that no message may hold: a password, a signed query.
_SECRETS = re.compile(r"(?<=://)[^/\s'\"]*@|\?[^\s'\")]*")
_REASONS = {
    FileNotFoundError: "there is no such file",
    PermissionError: "access is denied",
    NotImplementedError: "it is read-only",
}
_INSTALL = "Install repo-mcp[shared], or copy the file yourself and name it."


def find_file(name: str) -> str | None:
    """Return the path that a pack's name means, absolute; None for one in a store. Raises RepoError."""
    found = _URL.match(name)
    if found is None:
        return os.path.abspath(name)
    if found[1].lower() != "file":
        return None
    path = name[found.end() :]
    if not os.path.isabs(path):
        raise _refuse("The URL of a file has no absolute path.", "Write file:///PATH, or the path alone.")
    return os.path.abspath(path)


def find_pack(name: str, key: PackKey, stack: ExitStack) -> ListPacked:
    """Return what gives the indexes of a pack, as long as `stack` is open. A file is opened at once.

    Raises RepoError, then or later, as `read_pack` and `fetch_pack` do.
    """
    path = find_file(name)
    if path is None:
        return cache(lambda: stack.enter_context(fetch_pack(name, key)))
    packed = read_pack(path, key)
    return lambda: packed


def choose_target(name: str) -> AbstractContextManager[WritableFile]:
    """Return the target of a pack, which appears whole or not at all. Nothing is written yet.

    Raises RepoError with CONFIG_INVALID for a URL that cannot be used.
    """
    path = find_file(name)
    return _write_to(*_find_store(name)) if path is None else create_pack(path)


@contextmanager
def fetch_pack(url: str, key: PackKey) -> Iterator[Sequence[PackedIndex]]:
    """Yield the indexes of a pack in a store, for as long as they are used.

    Raises RepoError with CONFIG_INVALID as `open_pack` does and for a URL that cannot be used, with
    INDEX_UNAVAILABLE where the store fails.
    """
    scheme = url.partition("://")[0].lower()
    if scheme == "http" and not key.is_given:
        hint = "Use https://, or a pack that is signed, with --pack-key."
        raise _refuse("Anyone on the network could change a pack sent over http://.", hint)
    with tempfile.TemporaryFile() as copy:
        with _raising_repo_errors():
            store, path = _find_store(url)
            with store.open(path, "rb", **_list_options(scheme)) as source:
                _copy_pack(source, copy)
        file = DiskFile("pack", os.dup(copy.fileno()))
        try:
            yield open_pack(file, key)
        finally:
            file.close()


@contextmanager
def _write_to(store: Any, path: str) -> Iterator[WritableFile]:
    """Yield a file that appears in a store if the block succeeds. Raises OSError where the store fails."""
    try:
        with store.transaction:
            file = store.open(path, "wb")
            yield file
            file.close()
    except (IndexFormatError, RepoError):
        raise
    except Exception as error:  # each store has errors of its own
        raise OSError(errno.EIO, _explain(error)) from error


def _find_store(url: str) -> tuple[Any, str]:
    """Return the store of a URL, as fsspec has it, and the path there. Raises RepoError."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise _refuse("A pack in a store needs the package fsspec.", _INSTALL) from None
    if "::" in url:
        raise _refuse("A URL inside another one cannot name a pack.", "Name one store.")
    scheme = url.partition("://")[0].lower()
    try:
        store, path = url_to_fs(url, **_list_session_options(scheme))
    except ImportError as error:
        raise _refuse(f"Packs at {scheme}:// need another package ({error}).", _INSTALL) from None
    except ValueError as error:
        raise _refuse(f"The URL of the pack cannot be used ({_explain(error)}).", _INSTALL) from None
    return store, path


def _list_session_options(scheme: str) -> dict[str, object]:
    """Return the options for a store: over HTTP only silence ends a transfer, and nothing is decompressed."""
    if scheme not in ("http", "https"):
        return {}
    from aiohttp import ClientTimeout

    timeout = ClientTimeout(total=None, sock_connect=CONNECT_SECONDS, sock_read=SILENT_SECONDS)
    return {"client_kwargs": {"timeout": timeout, "auto_decompress": False, "trust_env": True}}


def _list_options(scheme: str) -> dict[str, object]:
    """Return the options for reading a file once, front to back: over HTTP with a single request."""
    return {"block_size": 0, "size": 1} if scheme in ("http", "https") else {}


def _copy_pack(source: Any, copy: Any) -> None:
    """Copy a pack that is read from front to back. Raises RepoError, and what the store raises."""
    total = measure_pack(lambda size: _copy(source, copy, size))
    _check_room(total)
    for start in range(copy.tell(), total, _BLOCK_BYTES):
        _copy(source, copy, min(_BLOCK_BYTES, total - start))
    copy.write(source.read(1))  # one that goes on is too long, and refused
    copy.flush()


def _copy(source: Any, target: Any, size: int) -> bytes:
    """Copy exactly `size` bytes, at most a block, and return them; fewer at the end of the source."""
    data = b""
    while len(data) < size and (more := source.read(size - len(data))):
        data += more
    target.write(data)
    return data


def _check_room(size: int) -> None:
    """Raise RepoError where temporary files have less room than that."""
    if size > shutil.disk_usage(tempfile.gettempdir()).free:
        raise RepoError(
            ErrorCode.INDEX_UNAVAILABLE,
            f"The pack has {size:,} bytes, for which the temporary directory has no space.",
            "Set TMPDIR to a directory with more space.",
        )


@contextmanager
def _raising_repo_errors() -> Iterator[None]:
    """Raise RepoError for whatever goes wrong in a store."""
    try:
        yield
    except (IndexFormatError, RepoError):
        raise
    except Exception as error:  # each store has errors of its own
        message = f"The pack cannot be fetched ({_explain(error)})."
        hint = "Check its URL and your permissions there, or copy the file yourself and name it."
        raise RepoError(ErrorCode.INDEX_UNAVAILABLE, message, hint) from error


def _explain(error: Exception) -> str:
    """Return the reason of a failure, without parts of a URL that a log should not show."""
    if isinstance(error, OSError) and error.strerror and error.filename is None:
        return error.strerror
    for kind, reason in _REASONS.items():
        if isinstance(error, kind):
            return reason
    said = _SECRETS.sub("", " ".join(str(error).split()))[:_MAX_REASON_CHARS]
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _refuse(message: str, hint: str) -> RepoError:
    return RepoError(ErrorCode.CONFIG_INVALID, message, hint)
