"""Both directories behave alike; on disk no link is followed, and a lock dies with its holder."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from index_format import CorruptIndex, Directory, DiskDirectory, IndexLocked, MemoryDirectory, new_file
from index_format.directory import TransferMethod
from index_format.disk_directory import DiskLock
from index_format.memory_directory import MemoryFile

PROJECT = Path(__file__).resolve().parents[2]

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="links, modes and FIFOs")


@pytest.fixture(params=["disk", "memory"])
def directory(request: pytest.FixtureRequest, tmp_path: Path) -> Directory:
    return (
        DiskDirectory(str(tmp_path / "index"), create=True) if request.param == "disk" else MemoryDirectory()
    )


def write(directory: Directory, name: str, data: bytes) -> None:
    file = directory.create(name)
    file.write(data)
    file.sync()
    file.close()


def read(directory: Directory, name: str) -> bytes:
    with closing(directory.open(name)) as file:
        return file.read(0, file.size)


def test_files_are_written_and_read(directory: Directory) -> None:
    file = directory.create("b")
    file.write(b"12")
    file.write(memoryview(b"345"))
    file.sync()
    file.close()
    write(directory, "a", b"")
    assert directory.list_names() == ["a", "b"]
    opened = directory.open("b")
    assert (opened.name, opened.size) == ("b", 5)
    assert [opened.read(*span) for span in ((0, 5), (1, 3), (4, 1), (5, 0), (0, 0))] == [
        b"12345",
        b"234",
        b"5",
        b"",
        b"",
    ]
    for offset, size in ((0, 6), (5, 1), (9, 1)):
        with pytest.raises(CorruptIndex, match="b: "):
            opened.read(offset, size)
    opened.close()
    opened.close()


def test_names_are_replaced_and_deleted(directory: Directory) -> None:
    write(directory, "a", b"old")
    write(directory, "b", b"new")
    directory.rename("b", "a")
    directory.sync()
    assert directory.list_names() == ["a"]
    assert read(directory, "a") == b"new"
    directory.delete("a")
    directory.delete("a")
    assert directory.list_names() == []
    write(directory, "c", b"1")
    write(directory, "c", b"22")
    assert read(directory, "c") == b"22"
    directory.rename("c", "c")
    assert read(directory, "c") == b"22"


@posix_only
def test_what_is_open_outlives_its_name(directory: Directory) -> None:
    write(directory, "a", b"old")
    write(directory, "b", b"new")
    opened = directory.open("a")
    directory.rename("b", "a")
    assert (opened.read(0, 3), read(directory, "a")) == (b"old", b"new")
    directory.delete("a")
    assert opened.read(0, 3) == b"old"
    opened.close()


def test_a_name_that_somebody_reads_for_a_moment_is_replaced(directory: Directory) -> None:
    write(directory, "a", b"old")
    write(directory, "b", b"new")
    opened = directory.open("a")
    reader = threading.Timer(0.05, opened.close)
    reader.start()
    directory.rename("b", "a")
    reader.join()
    assert read(directory, "a") == b"new"


def test_what_is_not_there(directory: Directory) -> None:
    with pytest.raises(FileNotFoundError):
        directory.open("a")
    with pytest.raises(FileNotFoundError):
        directory.rename("a", "b")


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../a", "/a", "a\\b", "a:b", "a\0"])
def test_names_that_lead_elsewhere_are_refused(directory: Directory, name: str) -> None:
    write(directory, "good", b"")
    for use in (
        directory.open,
        directory.create,
        directory.delete,
        directory.lock,
        lambda name: directory.rename("good", name),
        lambda name: directory.rename(name, "good"),
    ):
        with pytest.raises(CorruptIndex, match="not a plain file name"):
            use(name)


def test_a_new_file_appears_whole_or_not_at_all(directory: Directory) -> None:
    write(directory, "name", b"old")
    with new_file(directory, "name", "name.tmp") as file:
        file.write(b"new")
        assert read(directory, "name") == b"old"
    assert read(directory, "name") == b"new"
    with pytest.raises(TypeError), new_file(directory, "name", "name.tmp") as file:
        file.write("no bytes")  # type: ignore[arg-type]
    assert read(directory, "name") == b"new"
    assert directory.list_names() == ["name"]


@pytest.mark.parametrize("failing", ["write", "sync", "close"])
def test_a_new_file_whose_medium_fails_leaves_nothing(failing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "no space left")

    directory = MemoryDirectory()
    write(directory, "name", b"old")
    monkeypatch.setattr(MemoryFile, failing, fail)
    with pytest.raises(OSError, match="no space"), new_file(directory, "name", "name.tmp") as file:
        file.write(b"new")
    monkeypatch.undo()
    assert directory.list_names() == ["name"]
    assert read(directory, "name") == b"old"


def test_one_writer_at_a_time(directory: Directory) -> None:
    lock = directory.lock("lock")
    with pytest.raises(IndexLocked):
        directory.lock("lock")
    directory.lock("another").release()
    lock.release()
    lock.release()
    directory.lock("lock").release()
    assert directory.list_names() == ["another", "lock"]


HOLDER = """
import sys, time
from index_format import DiskDirectory
lock = DiskDirectory(sys.argv[1]).lock("lock")
print("held", flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
@posix_only
def test_a_process_that_is_starting_keeps_no_lock_that_was_released(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)
    held = DiskLock(descriptor, "lock")
    copy = os.dup(descriptor)  # what a child has between fork and exec
    try:
        held.release()
        DiskDirectory(str(tmp_path)).lock("lock").release()
    finally:
        os.close(copy)


def test_a_killed_holder_frees_the_lock(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, cwd=PROJECT
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(IndexLocked):
            DiskDirectory(str(tmp_path)).lock("lock")
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.communicate()
    DiskDirectory(str(tmp_path)).lock("lock").release()


@posix_only
@pytest.mark.parametrize("umask", [0, 0o077, 0o777])
def test_files_are_private(tmp_path: Path, umask: int) -> None:
    previous = os.umask(umask)
    try:
        directory = DiskDirectory(str(tmp_path / "index"), create=True)
        write(directory, "a", b"")
        directory.lock("lock").release()
    finally:
        os.umask(previous)
    assert stat.S_IMODE((tmp_path / "index").stat().st_mode) == 0o700
    assert {stat.S_IMODE((tmp_path / "index" / name).stat().st_mode) for name in ("a", "lock")} == {0o600}


@posix_only
def test_a_lock_that_others_could_read_becomes_private_unless_it_has_another_name(tmp_path: Path) -> None:
    directory = DiskDirectory(str(tmp_path))
    for name in ("lock", "linked", "victim"):
        (tmp_path / name).touch()
        (tmp_path / name).chmod(0o644)
    (tmp_path / "linked").unlink()
    (tmp_path / "linked").hardlink_to(tmp_path / "victim")
    for name in ("lock", "linked"):
        directory.lock(name).release()
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("lock", "victim")]
    assert modes == [0o600, 0o644]


@posix_only
def test_links_are_moved_aside_and_their_targets_untouched(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    directory = DiskDirectory(str(tmp_path / "index"), create=True)
    for name in ("manifest", "lock", "x.tmp"):
        (tmp_path / "index" / name).symlink_to(victim)
    (tmp_path / "index" / "dangling").symlink_to(tmp_path / "nothing")
    for name in ("manifest", "dangling"):
        with pytest.raises(CorruptIndex, match="not a regular file"):
            directory.open(name)
    for name in ("lock", "dangling"):
        directory.lock(name).release()
        assert (tmp_path / "index" / f"{name}.aside-1").is_symlink()
    assert directory.list_names() == ["dangling", "lock"]
    write(directory, "x.tmp", b"mine")  # the link itself is replaced
    directory.rename("x.tmp", "manifest")
    assert read(directory, "manifest") == b"mine"
    assert (tmp_path / "index" / "manifest.aside-1").is_symlink()
    directory.delete("lock")
    assert victim.read_bytes() == b"precious"
    assert not (tmp_path / "nothing").exists()


@posix_only
@pytest.mark.parametrize("make", [getattr(os, "mkfifo", os.mkdir), os.mkdir])
def test_what_is_no_regular_file_is_not_read_and_moved_aside(tmp_path: Path, make: object) -> None:
    directory = DiskDirectory(str(tmp_path))
    for position in (1, 2):
        (tmp_path / "thing").unlink(missing_ok=True)
        make(tmp_path / "thing")  # type: ignore[operator]
        with pytest.raises(CorruptIndex, match="not a regular file"):
            directory.open("thing")
        directory.lock("thing").release()
        assert (tmp_path / f"thing.aside-{position}").exists()
    assert directory.list_names() == ["thing"]


@posix_only
def test_a_directory_that_is_a_link_is_not_entered(tmp_path: Path) -> None:
    elsewhere, index = tmp_path / "elsewhere", tmp_path / "index"
    elsewhere.mkdir()
    index.symlink_to(elsewhere)
    for create in (False, True):
        with pytest.raises(NotADirectoryError):
            DiskDirectory(str(index), create=create)
    index.unlink()
    directory = DiskDirectory(str(index), create=True)
    write(directory, "a", b"1")
    index.rename(tmp_path / "moved")
    index.symlink_to(elsewhere)  # exchanged under our feet
    for use in (directory.open, directory.create, directory.delete, directory.lock):
        with pytest.raises(OSError, match=r"index|directory"):
            use("a")
    with pytest.raises(OSError, match=r"index|directory"):
        directory.list_names()
    assert list(elsewhere.iterdir()) == []


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        DiskDirectory(str(tmp_path / "index"))
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotADirectoryError):
        DiskDirectory(str(tmp_path / "file"))


@pytest.mark.parametrize("has_links", [True, False])
def test_a_file_of_another_directory_is_taken(
    directory: Directory, has_links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EXDEV, "another file system")

    if not has_links:
        monkeypatch.setattr("os.link", refuse)
    source = DiskDirectory(str(tmp_path / "source"), create=True)
    write(source, "a", b"12345" * 500_000)
    write(directory, "a", b"something else")
    copied = bytearray()
    taken = directory.take("a", source, copied.extend)
    assert read(directory, "a") == read(source, "a")
    assert (directory.open("a").identity == source.open("a").identity) == (taken is TransferMethod.LINKED)
    assert has_links or taken is not TransferMethod.LINKED
    assert bytes(copied) == (read(source, "a") if taken is TransferMethod.COPIED else b"")
    directory.delete("a")
    assert len(read(source, "a")) == 2_500_000
    with pytest.raises(FileNotFoundError):
        directory.take("missing", source)
    with pytest.raises(CorruptIndex):
        directory.take("../a", source)
