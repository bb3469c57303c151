"""The log of calls: whole lines, ours alone, bounded, and never a word of what was asked."""

from __future__ import annotations

import errno
import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import repo_mcp.audit.log as audit_module
from repo_mcp.audit.log import MAX_LINE_BYTES, AuditLog, LoggedCall, open_audit_log
from repo_mcp.audit.log_reader import KEPT_FILES, LOG_FILE, name_file
from tests.deep.sizes import IS_DEEP
from tests.posix import posix

PROJECT = Path(__file__).resolve().parents[3]
KEY = b"k" * 32
FIELDS = [
    "timestamp",
    "seq",
    "pid",
    "session",
    "request_id",
    "client",
    "tool",
    "arguments",
    "ok",
    "blocked",
    "error_code",
    "counts",
    "duration_ms",
    "tag",
]


def call(number: int = 0, **changes: Any) -> LoggedCall:
    values: dict[str, Any] = {
        "request_id": f"r{number}",
        "tool": "repo.search",
        "arguments": {"query": {"type": "string", "chars": 3, "digest": "00"}},
        "ok": True,
        "blocked": False,
        "error_code": None,
        "counts": {"rows": 1, "bytes": 2, "warnings": 0},
        "duration_ms": 4,
        "client": ("codex", "1.0"),
    }
    return LoggedCall(**(values | changes))


def ids(log: AuditLog, since: float | None = None, limit: int = 10_000) -> list[object]:
    return [entry["request_id"] for entry in log.read(since, limit).entries]


def lines(directory: Path, number: int = 0) -> list[bytes]:
    return (directory / name_file(number)).read_bytes().splitlines()


@pytest.fixture
def log(tmp_path: Path) -> AuditLog:
    return AuditLog(str(tmp_path), "/srv/root", KEY)


def test_a_line_has_the_fixed_fields_in_their_order(log: AuditLog, tmp_path: Path) -> None:
    assert log.write(call())
    (line,) = lines(tmp_path)
    entry = json.loads(line)
    assert list(entry) == FIELDS
    assert entry["seq"] == 1
    assert entry["pid"] == os.getpid()
    assert entry["client"] == {"name": "codex", "version": "1.0"}
    if sys.platform != "win32":
        assert (tmp_path / LOG_FILE).stat().st_mode & 0o777 == 0o600


def test_what_is_read_is_what_the_tool_answers_with(log: AuditLog) -> None:
    log.write(call(1, ok=False, blocked=True, error_code="path_denied"))
    (entry,) = log.read(None, 5).entries
    assert list(entry) == [
        "timestamp",
        "request_id",
        "tool",
        "arguments",
        "ok",
        "blocked",
        "error_code",
        "duration_ms",
    ]
    assert (entry["request_id"], entry["ok"], entry["blocked"], entry["error_code"]) == (
        "r1",
        False,
        True,
        "path_denied",
    )


def test_the_latest_come_last_and_a_limit_takes_the_latest(log: AuditLog) -> None:
    for number in range(7):
        log.write(call(number))
    reading = log.read(None, 3)
    assert [entry["request_id"] for entry in reading.entries] == ["r4", "r5", "r6"]
    assert reading.truncated
    assert not log.read(None, 7).truncated
    assert reading.warnings == []


def test_since_is_by_the_clock_and_the_order_by_writing(tmp_path: Path) -> None:
    times = iter([1000.0, 2000.0, 500.0, 3000.0])  # the clock was put back once
    log = AuditLog(str(tmp_path), "/srv/root", KEY, clock=lambda: next(times))
    for number in range(4):
        log.write(call(number))
    assert ids(log) == ["r0", "r1", "r2", "r3"]
    assert ids(log, since=1000.0) == ["r0", "r1", "r3"]
    assert ids(log, since=2000.001) == ["r3"]
    assert [json.loads(line)["seq"] for line in lines(tmp_path)] == [1, 2, 3, 4]


def test_nothing_can_forge_a_second_line(log: AuditLog, tmp_path: Path) -> None:
    hostile = 'x\n{"tool":"forged"}\r\u2028\x1b[31m\u202e\ud800'
    log.write(call(1, client=(hostile, hostile * 50)))
    data = (tmp_path / LOG_FILE).read_bytes()
    assert data.isascii()
    assert data.count(b"\n") == 1
    assert not any(byte < 32 for byte in data[:-1])
    client = json.loads(data)["client"]
    assert len(client["version"]) < 64 * 6 + 1
    assert ids(log) == ["r1"]


def test_a_line_is_one_write_of_at_most_4_kib_however_long_its_arguments(
    log: AuditLog, tmp_path: Path
) -> None:
    text = {f"a{number}": {"type": "string", "text": "\u202e" * 200} for number in range(9)}
    log.write(call(1, arguments=text))
    many = {f"a{number}": {"type": "string", "chars": 5, "digest": "0" * 16} for number in range(90)}
    log.write(call(2, arguments=many))
    assert all(len(line) + 1 <= MAX_LINE_BYTES for line in lines(tmp_path))
    first, second = log.read(None, 5).entries
    assert first["arguments"] == {name: {"type": "string"} for name in text}
    assert second["arguments"] == {}


def test_a_torn_line_is_closed_off_and_counted(log: AuditLog, tmp_path: Path) -> None:
    log.write(call(1))
    with (tmp_path / LOG_FILE).open("ab") as file:
        file.write(b'{"timestamp":"2026-01-01T00:0')
    assert log.read(None, 5).warnings == [
        "Log lines were skipped because they are incomplete or not entries: 1."
    ]
    log.write(call(2))
    AuditLog(str(tmp_path), "/srv/root", KEY).write(call(3))
    reading = log.read(None, 5)
    assert [entry["request_id"] for entry in reading.entries] == ["r1", "r2", "r3"]
    assert (reading.torn, reading.foreign) == (1, 0)


@pytest.mark.sized
def test_a_log_cut_at_every_byte_gives_its_whole_lines_and_goes_on(log: AuditLog, tmp_path: Path) -> None:
    for number in range(3):
        log.write(call(number))
    whole = (tmp_path / LOG_FILE).read_bytes()
    step = 7 if IS_DEEP else 29
    for size in range(random.randrange(step), len(whole), step):
        (tmp_path / LOG_FILE).write_bytes(whole[:size])
        complete = whole[:size].count(b"\n")
        # A line that lacks its line end alone is whole.
        extra = int(size < len(whole) and whole[size : size + 1] == b"\n")
        assert ids(log) == [f"r{number}" for number in range(complete + extra)]
        other = AuditLog(str(tmp_path), "/srv/root", KEY)
        assert other.write(call(9))
        assert ids(log)[-1] == "r9"


@pytest.mark.parametrize(
    "forge",
    [
        lambda line: line.replace(b'"ok":true', b'"ok":false'),
        lambda line: line.replace(b"repo.search", b"repo.forged"),
        lambda line: line[:-42] + b"}",
        lambda line: b'{"timestamp":"2026-01-01T00:00:00Z","tool":"x"}',
        lambda line: b"{}",
        lambda line: b"{" * 3000 + b"}",
    ],
)
def test_lines_without_our_tag_are_not_believed(
    log: AuditLog, tmp_path: Path, forge: Callable[[bytes], bytes]
) -> None:
    log.write(call(1))
    (line,) = lines(tmp_path)
    (tmp_path / LOG_FILE).write_bytes(forge(line) + b"\n" + line + b"\n")
    reading = log.read(None, 5)
    assert [entry["request_id"] for entry in reading.entries] == ["r1"]
    assert reading.warnings == ["Log lines were skipped because they were not written with this key: 1."]


def test_another_key_or_another_root_is_foreign(log: AuditLog, tmp_path: Path) -> None:
    AuditLog(str(tmp_path), "/srv/root", b"x" * 32).write(call(1))
    AuditLog(str(tmp_path), "/srv/other", KEY).write(call(2))
    log.write(call(3))
    reading = log.read(None, 5)
    assert [entry["request_id"] for entry in reading.entries] == ["r3"]
    assert reading.foreign == 2


def test_a_copied_line_counts_once(log: AuditLog, tmp_path: Path) -> None:
    log.write(call(1))
    data = (tmp_path / LOG_FILE).read_bytes()
    (tmp_path / LOG_FILE).write_bytes(data * 3)
    (tmp_path / name_file(1)).write_bytes(data)
    assert ids(log) == ["r1"]


def test_digests_know_equal_texts_again_and_no_other_root_s(log: AuditLog, tmp_path: Path) -> None:
    assert log.digest("password") == AuditLog("/x", "/srv/root", KEY).digest("password") != log.digest("word")
    assert log.digest("password") != AuditLog(str(tmp_path), "/srv/other", KEY).digest("password")
    assert len(log.digest("\ud800")) == 16


def fifo(path: Path, outside: Path) -> None:
    os.mkfifo(path)


HOSTILE: dict[str, Callable[[Path, Path], object]] = {
    "symbolic link": lambda path, outside: path.symlink_to(outside),
    "dangling link": lambda path, outside: path.symlink_to(outside.with_name("missing")),
    "hard link": lambda path, outside: os.link(outside, path),
    "directory": lambda path, outside: path.mkdir(),
    "FIFO": fifo,
}


@posix
@pytest.mark.parametrize("kind", HOSTILE)
def test_what_is_no_file_of_ours_is_neither_written_nor_read(
    log: AuditLog, tmp_path: Path, kind: str
) -> None:
    outside = tmp_path / "victim"
    outside.write_text("victim\n")
    HOSTILE[kind](tmp_path / LOG_FILE, outside)
    assert not log.write(call(1))
    assert log.failures == 1
    assert outside.read_text() == "victim\n"
    assert not outside.with_name("missing").exists()
    assert log.read(None, 5).entries == []


@posix
def test_a_data_directory_that_became_a_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "data").symlink_to(tmp_path / "elsewhere")
    log = AuditLog(str(tmp_path / "data"), "/srv/root", KEY)
    assert not log.write(call(1))
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert log.read(None, 5).entries == []


def test_a_missing_directory_stops_nobody_and_is_made_again_where_it_was(tmp_path: Path) -> None:
    log = AuditLog(str(tmp_path / "above" / "data"), "/srv/root", KEY)
    assert not log.write(call(1))
    assert log.read(None, 5).entries == []
    (tmp_path / "above").mkdir()
    assert log.write(call(2))
    assert (log.failures, ids(log)) == (1, ["r2"])


@pytest.mark.parametrize("taken", [0, 1, 100])
def test_a_write_that_takes_a_part_is_a_failure_and_harms_no_later_line(
    log: AuditLog, monkeypatch: pytest.MonkeyPatch, taken: int
) -> None:
    assert log.write(call(1))
    write = os.write
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:taken]))
        assert not log.write(call(2))
    assert log.write(call(3))
    assert ids(log) == ["r1", "r3"]
    assert log.failures == 1


def test_a_full_log_is_renamed_and_only_so_many_are_kept(
    log: AuditLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_module, "MAX_FILE_BYTES", 2_000)
    for number in range(60):
        assert log.write(call(number))
    names = {path.name for path in tmp_path.iterdir()} - {"audit.lock"}
    assert names == {name_file(number) for number in range(KEPT_FILES + 1)}
    assert all((tmp_path / name).stat().st_size < 2_000 + MAX_LINE_BYTES for name in names)
    found = ids(log)
    assert found == [f"r{number}" for number in range(60 - len(found), 60)]
    assert 12 < len(found) < 60
    assert ids(log, limit=10) == [f"r{number}" for number in range(50, 60)]


def test_while_another_process_rotates_lines_go_on_and_a_log_is_never_above_twice_its_size(
    log: AuditLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_module, "MAX_FILE_BYTES", 2_000)
    lock = audit_module.DiskDirectory(str(tmp_path)).lock("audit.lock")
    written = [log.write(call(number)) for number in range(40)]
    assert True in written[-30:]
    assert written == sorted(written, reverse=True)
    assert not written[-1]
    assert (tmp_path / LOG_FILE).stat().st_size < 4_000 + MAX_LINE_BYTES
    lock.release()
    assert log.write(call(99))
    assert ids(log)[-1] == "r99"


def refuse(*_: object) -> None:
    raise OSError(errno.EACCES, "the medium is read-only")


@posix
def test_what_stands_in_the_way_of_a_rotation_is_moved_aside(
    log: AuditLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_module, "MAX_FILE_BYTES", 2_000)
    for number in range(1, KEPT_FILES + 1):
        (tmp_path / name_file(number)).mkdir()
    assert all(log.write(call(number)) for number in range(40))
    assert (tmp_path / name_file(1)).is_file()
    assert len([path for path in tmp_path.iterdir() if path.is_dir()]) == KEPT_FILES  # none was deleted


@posix
def test_a_rotation_that_is_not_possible_costs_nothing_before_twice_the_size(
    log: AuditLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_module, "MAX_FILE_BYTES", 2_000)
    monkeypatch.setattr(audit_module.DiskDirectory, "rename", refuse)
    written = [log.write(call(number)) for number in range(40)]
    assert 4 < written.count(True) < 40
    assert ids(log) == [f"r{number}" for number in range(written.count(True))]


def test_a_huge_file_that_came_with_the_repository_is_read_in_bounds(
    log: AuditLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / LOG_FILE).open("wb") as file:
        file.truncate(1 << 40)
    reading = log.read(None, 5)
    assert reading.entries == []
    assert any("Only the last" in warning for warning in reading.warnings)
    assert log.write(call(1))  # in a new file
    assert ids(log) == ["r1"]


def test_threads_share_one_log(log: AuditLog, tmp_path: Path) -> None:
    threads = [
        threading.Thread(target=lambda start=start: [log.write(call(start + n)) for n in range(50)])
        for start in (0, 100, 200)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [json.loads(line)["seq"] for line in lines(tmp_path)] == list(range(1, 151))
    assert len(set(ids(log))) == 150


WRITER = """
import sys
import repo_mcp.audit.log as audit
from repo_mcp.audit.log import AuditLog, LoggedCall
audit.MAX_FILE_BYTES = int(sys.argv[3])
log = AuditLog(sys.argv[1], "/srv/root", b"k" * 32)
shape = {"path": {"type": "path", "value": "x" * 2500}}
for number in range(150):
    assert log.write(LoggedCall(f"{sys.argv[2]}-{number}", "t", shape, True, False, None, {}, 1))
"""


def _write_from_processes(directory: Path, max_file_bytes: int) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(directory), name, str(max_file_bytes)], cwd=PROJECT
        )
        for name in "abc"
    ]
    assert [process.wait(60) for process in processes] == [0, 0, 0]


def test_lines_of_three_processes_never_mix(log: AuditLog, tmp_path: Path) -> None:
    _write_from_processes(tmp_path, 100_000_000)
    reading = log.read(None, 10_000)
    assert reading.warnings == []
    found = [str(entry["request_id"]) for entry in reading.entries]
    for name in "abc":
        assert [one for one in found if one[0] == name] == [f"{name}-{number}" for number in range(150)]


def test_three_processes_rotate_one_log_without_losing_a_line(log: AuditLog, tmp_path: Path) -> None:
    _write_from_processes(tmp_path, 450 * 3_000 // 3)  # all of it fits into what is kept
    reading = log.read(None, 10_000)
    assert reading.warnings == []
    assert (tmp_path / name_file(1)).exists()
    assert len({entry["request_id"] for entry in reading.entries}) == len(reading.entries) == 450


def test_opening_uses_the_user_s_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "data").mkdir()
    first = open_audit_log(str(tmp_path / "data"), str(tmp_path / "root"))
    first.write(call(1))
    assert ids(open_audit_log(str(tmp_path / "data"), str(tmp_path / "root"))) == ["r1"]
    assert first.warnings == ()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "root" / "state"))
    inside = open_audit_log(str(tmp_path / "data"), str(tmp_path / "root"))
    assert inside.warnings
    assert ids(inside) == []
    inside.write(call(2))
    assert ids(inside) == ["r2"]


def test_a_line_that_is_just_being_written_is_not_torn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process ends its line between the first look and the second: nothing is closed off."""
    log = tmp_path / "log"
    log.write_bytes(b'{"half":')

    def end_the_line(_seconds: float) -> None:
        with log.open("ab") as other:
            other.write(b"1}\n")

    monkeypatch.setattr(audit_module.time, "sleep", end_the_line)
    descriptor = os.open(log, os.O_RDWR | os.O_APPEND)
    audit_module._write_line(descriptor, b'{"next":2}\n')
    os.close(descriptor)
    assert log.read_bytes() == b'{"half":1}\n{"next":2}\n'


def test_a_line_that_stays_torn_is_closed_off(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b'{"half":')
    descriptor = os.open(log, os.O_RDWR | os.O_APPEND)
    audit_module._write_line(descriptor, b'{"next":2}\n')
    os.close(descriptor)
    assert log.read_bytes() == b'{"half":\n{"next":2}\n'
