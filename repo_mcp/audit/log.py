"""The log of tool calls: one line of JSON for every call, in the data directory, for people to check.

    {"timestamp":"2026-01-31T12:00:00.000Z","seq":3,"pid":77,"session":"9f…","request_id":"…","client":
     {"name":"codex","version":"1"},"tool":"repo.search","arguments":{…},"ok":true,"blocked":false,
     "error_code":null,"counts":{"rows":10,"bytes":5120,"warnings":0},"duration_ms":12,"tag":"…"}

- A line is written by one `os.write` of at most 4 KiB of ASCII to a descriptor opened for appending, so
  lines of several processes do not mix. The file must be a regular one of ours with a single name; a
  link, a FIFO or another user's file is not used. A torn last line is closed off before the next one.
- Arguments are shapes (`repo_mcp.audit.call_recorder`): no text of queries, prompts or files, unless the
  operator asks for queries.
- Every line carries a keyed tag. A reader trusts no other line: a log can come with the repository.
- Above MAX_FILE_BYTES the file is renamed, under a lock of the operating system; KEPT_FILES older ones
  stay. A log that cannot be written blocks no call: reading is safe without it, and the answer says so.

Lines are in the order of writing, whatever the clock says. `seq` counts the calls of one session, so that a
missing line is noticed. `timestamp` is when the call ended.

Left out on purpose: calls of unknown tools, and calls that a process did not finish before it died.
"""

from __future__ import annotations

import errno
import hashlib
import hmac
import json
import os
import stat as modes
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Protocol

from index_format import DirectoryHolder, DiskDirectory, IndexFormatError, IndexLocked
from repo_mcp.audit.log_reader import (
    KEPT_FILES,
    LOCK_FILE,
    LOG_FILE,
    TAG_CHARS,
    LogReading,
    name_file,
    read_log,
)
from repo_mcp.config.environment import find_state_home
from repo_mcp.record_classes import dataclass
from repo_mcp.storage.user_key import load_user_key
from repo_mcp.text.lines import escape_text

TORN_LOOKS = 5  # how often the last byte is looked at before a line counts as torn
TORN_LOOK_SECONDS = 0.002
MAX_LINE_BYTES = 4_096  # what a single write appends atomically
MAX_FILE_BYTES = 4 * 1024 * 1024  # about 9,000 calls
MAX_CLIENT_CHARS = 64
_LOCK_TRIES = 50  # used only on Windows, where appending takes the lock
_LOCK_RETRY_SECONDS = 0.01
_VALUES = frozenset({"value", "text", "properties", "items"})  # what a shape has of an argument itself

Shape = Mapping[str, object]  # what is logged of an argument: see `repo_mcp.audit.call_recorder`


@dataclass(frozen=True, slots=True)
class LoggedCall:
    """One finished call, without anything that must not be logged."""

    request_id: str
    tool: str
    arguments: Mapping[str, Shape]  # shapes of the arguments by name
    ok: bool
    blocked: bool  # a read was refused for safety
    error_code: str | None  # None for success
    counts: Mapping[str, int]  # rows, bytes and warnings of the answer; questions, if it asked any
    duration_ms: int
    client: tuple[str, str] = ("", "")  # name and version, as given by the client


class Lock(Protocol):
    """A lock on a directory."""

    def release(self) -> None:
        """Release the lock."""
        ...


class AuditLog:
    """The log of one data directory, written by this process and others. Safe in any thread."""

    def __init__(
        self,
        directory: str | DirectoryHolder,
        root: str,
        key: bytes,
        *,
        keep_text: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Take the data directory; the tags are bound to `root`. Opens nothing."""
        self.keep_text = keep_text
        self.failures = 0  # calls that could not be logged
        self.warnings: tuple[str, ...] = ()
        self._directory = directory
        # Each root has a key of its own: neither tags nor digests can be compared across repositories.
        self._key = hashlib.blake2b(os.fsencode(root), key=key, person=b"repo-mcp-audit").digest()
        self._clock = clock
        self._lock = threading.Lock()
        self._seq = 0
        self._session = os.urandom(8).hex()

    def digest(self, text: str) -> str:
        """Return 16 hexadecimal digits by which equal texts in this log are recognised, given the key."""
        data = text.encode("utf-8", "surrogatepass")
        return hashlib.blake2b(data, key=self._key, digest_size=8, person=b"argument").hexdigest()

    def write(self, call: LoggedCall) -> bool:
        """Append one line. Returns False when it could not be written; never raises."""
        with self._lock:
            self._seq += 1
            try:
                self._append(self._encode(call))
            except (OSError, IndexFormatError):
                self.failures += 1
                return False
            return True

    def read(self, since: float | None, limit: int, before: str | None = None) -> LogReading:
        """Return the last `limit` calls since a time (epoch seconds), oldest first. Never raises.

        With `before`, the id of a request, only calls that were logged before that one.
        """
        return read_log(self._directory, self._tag, since, limit, before)

    def _tag(self, body: bytes) -> bytes:
        return hmac.digest(self._key, body, "sha256").hex()[:TAG_CHARS].encode()

    def _encode(self, call: LoggedCall) -> bytes:
        """Return the line of a call, with less of the arguments where it would be too long."""
        for shorten in (dict, drop_values, _drop_all):
            entry = {
                "timestamp": _render_time(self._clock()),
                "seq": self._seq,
                "pid": os.getpid(),
                "session": self._session,
                "request_id": call.request_id,
                "client": {"name": _cut(call.client[0]), "version": _cut(call.client[1])},
                "tool": call.tool,
                "arguments": shorten(call.arguments),
                "ok": call.ok,
                "blocked": call.blocked,
                "error_code": call.error_code,
                "counts": dict(call.counts),
                "duration_ms": call.duration_ms,
            }
            body = json.dumps(entry, ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode(
                "ascii"
            )
            line = body[:-1] + b',"tag":"' + self._tag(body) + b'"}\n'
            if len(line) < MAX_LINE_BYTES:  # one byte less, which may close a torn line
                return line
        raise OSError(errno.EMSGSIZE, "the log line of a call is too long")

    def _append(self, line: bytes) -> None:
        with self._exclude_others(), self._opened() as descriptor:
            if os.fstat(descriptor).st_size < MAX_FILE_BYTES:
                return _write_line(descriptor, line)
        self._rotate()
        with self._exclude_others(), self._opened() as descriptor:
            if os.fstat(descriptor).st_size >= 2 * MAX_FILE_BYTES:  # rotating has failed
                raise OSError(errno.EFBIG, "the log is full")
            return _write_line(descriptor, line)

    @contextmanager
    def _opened(self) -> Iterator[int]:
        """Yield a descriptor of the log, created if missing. It is opened anew, as others rename the file."""
        descriptor = DiskDirectory(self._directory, create=True).open_to_append(LOG_FILE)
        try:
            _check(os.fstat(descriptor))
            yield descriptor
        finally:
            os.close(descriptor)

    @contextmanager
    def _exclude_others(self) -> Iterator[None]:
        """Exclude other writers on Windows, where an append is a seek and a write."""
        lock = self._wait_for_lock() if sys.platform == "win32" else None
        try:
            yield
        finally:
            if lock is not None:
                lock.release()

    def _wait_for_lock(self) -> Lock:
        directory = DiskDirectory(self._directory)
        for _ in range(_LOCK_TRIES):
            try:
                return directory.lock(LOCK_FILE)
            except IndexLocked:
                time.sleep(_LOCK_RETRY_SECONDS)
        raise OSError(errno.EBUSY, "another process holds the log")

    def _rotate(self) -> None:
        """Rename the full file and the older ones, dropping the oldest. Others may be doing the same."""
        directory = DiskDirectory(self._directory)
        try:
            lock = directory.lock(LOCK_FILE)
        except (IndexLocked, OSError):
            return  # the file may grow to twice its size meanwhile
        try:
            file = directory.open(LOG_FILE)
            size = file.size
            file.close()
            for number in range(KEPT_FILES, 0, -1) if size >= MAX_FILE_BYTES else ():
                with suppress(FileNotFoundError):
                    directory.rename(name_file(number - 1), name_file(number))
        except OSError:
            pass
        finally:
            lock.release()


def open_audit_log(data_dir: str | DirectoryHolder, *roots: str, keep_text: bool = False) -> AuditLog:
    """Return the log in a data directory, with the user's key. Never raises: faults become warnings.

    It is one log of all these roots: its tags are bound to the roots and their order.
    """
    user_key = load_user_key(find_state_home(), *roots)
    log = AuditLog(data_dir, "\0".join(roots), user_key.key, keep_text=keep_text)
    log.warnings = (user_key.warning,) if user_key.warning else ()
    return log


def _check(status: os.stat_result) -> None:
    """Raise OSError for anything but a regular file of ours with a single name."""
    if not modes.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "the log is not a regular file")
    if status.st_nlink != 1:
        raise OSError(errno.EMLINK, "the log has hard links")
    if sys.platform != "win32" and status.st_uid != os.geteuid():
        raise OSError(errno.EPERM, "the log belongs to another user")


def _write_line(descriptor: int, line: bytes) -> None:
    """Write a line at once, closing a torn one first. Raises OSError when it is not written whole."""
    if _is_torn(descriptor):
        line = b"\n" + line
    if os.write(descriptor, line) != len(line):
        raise OSError(errno.ENOSPC, "only part of a line was written to the log")


def _is_torn(descriptor: int) -> bool:
    """Return True when the log ends within a line, and not just because another process is writing one.

    A file grows page by page while it is written to, so a reader may see part of a line that will be whole in
    a few microseconds.
    """
    for _ in range(TORN_LOOKS):
        size = os.fstat(descriptor).st_size
        if not size:
            return False
        os.lseek(descriptor, size - 1, os.SEEK_SET)
        if os.read(descriptor, 1) == b"\n":
            return False
        time.sleep(TORN_LOOK_SECONDS)
    return True


def _render_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def drop_values(shapes: Mapping[str, Shape]) -> dict[str, Shape]:
    """Return the shapes without values or texts, for a line that would be too long."""
    return {
        name: {key: value for key, value in shape.items() if key not in _VALUES}
        for name, shape in shapes.items()
    }


def _drop_all(_shapes: Mapping[str, Shape]) -> dict[str, Shape]:
    return {}


def _cut(text: str) -> str:
    return escape_text(text[:MAX_CLIENT_CHARS])
