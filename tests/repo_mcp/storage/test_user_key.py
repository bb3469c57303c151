"""The user's key: made once, kept private, never taken from a place that cannot be trusted."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from repo_mcp.storage.user_key import KEY_BYTES, KEY_FILE, load_user_key
from repo_mcp.workspace.policy import DenyPolicy
from tests.posix import posix


def place(state: Path) -> Path:
    return state / "repo-mcp" / KEY_FILE


def test_a_key_is_made_once_and_private(tmp_path: Path) -> None:
    state = tmp_path / "deep" / "state"
    first = load_user_key(str(state), "/srv/root")
    assert (len(first.key), first.warning) == (KEY_BYTES, "")
    assert load_user_key(str(state), "/srv/other") == first
    assert place(state).read_bytes() == first.key
    if sys.platform != "win32":
        assert place(state).stat().st_mode & 0o777 == 0o600
        assert place(state).parent.stat().st_mode & 0o777 == 0o700


def test_threads_that_start_at_once_get_one_key(tmp_path: Path) -> None:
    keys: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: keys.append(load_user_key(str(tmp_path), "/srv/root").key))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keys) == 8
    assert len(set(keys)) == 1


def _make_link(key: Path) -> None:
    key.rename(key.with_name("elsewhere"))
    key.symlink_to(key.with_name("elsewhere"))


def _make_directory_writable(key: Path) -> None:
    key.parent.chmod(0o777)


FAULTS: dict[str, Callable[[Path], object]] = {
    "short": lambda key: key.write_bytes(b"x" * 31),
    "empty": lambda key: key.write_bytes(b""),
    "long": lambda key: key.write_bytes(b"x" * 33),
    "readable by others": lambda key: key.chmod(0o640),
    "link": _make_link,
    "another name": lambda key: os.link(key, key.with_name("second")),
    "directory": lambda key: (key.unlink(), key.mkdir()),
    "FIFO": lambda key: (key.unlink(), os.mkfifo(key)),
    "directory open to others": _make_directory_writable,
}


@posix
@pytest.mark.parametrize("fault", FAULTS)
def test_what_cannot_be_trusted_is_not_used_and_not_replaced(tmp_path: Path, fault: str) -> None:
    kept = load_user_key(str(tmp_path), "/srv/root").key
    FAULTS[fault](place(tmp_path))
    before = place(tmp_path).lstat()
    found = load_user_key(str(tmp_path), "/srv/root")
    assert found.key != kept
    assert len(found.key) == KEY_BYTES
    assert found.warning
    assert str(tmp_path) not in found.warning
    assert place(tmp_path).lstat().st_ino == before.st_ino
    assert load_user_key(str(tmp_path), "/srv/root").key != found.key


def test_a_place_that_cannot_be_made_gives_a_key_of_this_process(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = load_user_key(str(tmp_path / "file"), "/srv/root")
    assert len(found.key) == KEY_BYTES
    assert found.warning


def test_a_key_inside_the_root_is_not_used_and_its_name_is_denied(tmp_path: Path) -> None:
    found = load_user_key(str(tmp_path / "root" / "state"), str(tmp_path / "root"))
    assert "inside the repository" in found.warning
    assert load_user_key(str(tmp_path / "root" / "state"), "/srv", str(tmp_path / "root")).warning
    assert not (tmp_path / "root").exists()
    assert DenyPolicy().find_denial(f".local/state/repo-mcp/{KEY_FILE}") is not None
