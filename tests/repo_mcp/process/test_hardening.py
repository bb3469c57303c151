"""What the system forbids a hardened server and its children; without Landlock that it says so."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.config.server_config import load_config
from repo_mcp.process import hardening
from repo_mcp.repository import Repository
from tests.repo_mcp.stdio.test_server import Process, _environment

Answer = dict[str, Any]

PROBE = """
import json, os, subprocess, sys
from repo_mcp.process import hardening
from repo_mcp.process.hardening import describe_hardening, harden, limit_dumps
root, data, outside, abi = sys.argv[1:5]
hardening._find_abi = lambda: int(abi)  # as on an older kernel
import _socket, resource
limit_dumps()
said = harden([root], [data])
def can(act):
    try:
        act()
        return True
    except OSError as error:
        return error.strerror
def connect(port):
    one = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    one.connect(("127.0.0.1", port))
def send():
    with_udp = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
    with_udp.sendto(b"x", ("127.0.0.1", 9))
def start(program):
    subprocess.run([program], check=True)
def start_from_memory():
    memory = os.memfd_create("x")
    os.write(memory, open("/usr/bin/env", "rb").read())
    subprocess.run([f"/proc/self/fd/{memory}"], pass_fds=[memory], stdout=subprocess.DEVNULL, check=True)
READ = "import sys; open(sys.argv[3] + '/secret').read()"
facts = {
    "said": said == describe_hardening() and said,
    "core": resource.getrlimit(resource.RLIMIT_CORE),
    "root": can(lambda: open(root + "/a.py").read()),
    "root listed": can(lambda: os.listdir(root)),
    "data": can(lambda: (open(data + "/x", "w").write("1"), os.rename(data + "/x", data + "/y"),
                         os.mkdir(data + "/d"), os.rmdir(data + "/d"), os.unlink(data + "/y"))),
    "read outside": can(lambda: open(outside + "/secret").read()),
    "list outside": can(lambda: os.listdir(outside)),
    "through a link": can(lambda: open(root + "/link").read()),
    "passwd": can(lambda: open("/etc/passwd").read()),
    "write root": can(lambda: open(root + "/new", "w")),
    "change root": can(lambda: os.truncate(root + "/a.py", 0)),
    "delete in root": can(lambda: os.unlink(root + "/a.py")),
    "write outside": can(lambda: open(outside + "/new", "w")),
    "connect": can(lambda: connect(9)),
    "signal": can(lambda: os.kill(os.getppid(), 0)),
    "environment of the parent": can(lambda: open(f"/proc/{os.getppid()}/environ", "rb").read()),
    "import": can(lambda: __import__("wave")),
    "start outside": can(lambda: start(outside + "/program")),
    "start of the system": can(lambda: start("/usr/bin/env")),
    "shared memory listed": can(lambda: os.listdir("/dev/shm")),
    "directory in shared memory": can(lambda: (os.mkdir(f"/dev/shm/{os.getpid()}"),
                                               os.rmdir(f"/dev/shm/{os.getpid()}"))),
    "lock of workers": can(lambda: __import__("multiprocessing").get_context("spawn").Lock()),
    "stays: stat": can(lambda: os.stat(outside + "/secret")),
    "stays: chmod": can(lambda: os.chmod(outside + "/secret", 0o600)),
    "stays: utime": can(lambda: os.utime(outside + "/secret")),
    "stays: udp": can(send),
    "stays: memfd": can(start_from_memory),
    "child reads root": subprocess.run([sys.executable, "-c", "import sys; open(sys.argv[1] + '/a.py')",
                                        root]).returncode,
    "child reads outside": subprocess.run([sys.executable, "-c", READ, root, data, outside],
                                          stderr=subprocess.DEVNULL).returncode,
}
print(json.dumps(facts))
"""


with_landlock = pytest.mark.skipif(not hardening.is_available(), reason="the kernel has no Landlock")


@with_landlock
@pytest.mark.parametrize("abi", range(1, 8))
def test_nothing_but_what_is_needed_is_allowed(tmp_path: Path, abi: int) -> None:
    """And what Landlock has no rule for stays possible, as the documents say."""
    if abi > hardening._find_abi():
        pytest.skip("the kernel's Landlock is older")
    for name in ("root", "data", "outside"):
        (tmp_path / name).mkdir()
    (tmp_path / "root" / "a.py").write_text("a = 1\n")
    (tmp_path / "outside" / "secret").write_text("secret")
    (tmp_path / "root" / "link").symlink_to(tmp_path / "outside" / "secret")
    shutil.copy("/usr/bin/env", tmp_path / "outside" / "program")
    places = [str(tmp_path / name) for name in ("root", "data", "outside")]
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *places, str(abi)],
        stdout=subprocess.PIPE,
        env=_environment(tmp_path),
        check=True,
    )
    facts = json.loads(done.stdout)
    assert facts.pop("said") == f"on: Landlock, ABI {abi}"
    denied = "Permission denied"
    assert facts.pop("stays: udp") in (True, "Network is unreachable")
    wanted = {
        "core": [0, 0],
        "root": True,
        "root listed": True,
        "data": True,
        "read outside": denied,
        "list outside": denied,
        "through a link": denied,
        "passwd": denied,
        "write root": denied,
        "change root": denied if abi >= 3 else True,
        "delete in root": denied,
        "write outside": denied,
        "connect": denied if abi >= 4 else "Connection refused",
        "signal": "Operation not permitted" if abi >= 6 else True,
        "environment of the parent": denied,
        "import": True,
        "start outside": denied,
        "start of the system": denied,
        "shared memory listed": denied,
        "directory in shared memory": denied,
        "lock of workers": True,
        "stays: stat": True,
        "stays: chmod": True,
        "stays: utime": True,
        "stays: memfd": True,
        "child reads root": 0,
        "child reads outside": 1,
    }
    if os.geteuid() == 0:  # who may watch the whole system may read this, too
        del facts["environment of the parent"], wanted["environment of the parent"]
    assert facts == wanted
    assert (tmp_path / "root" / "a.py").read_text() == ("a = 1\n" if abi >= 3 else "")


def ask(process: Process, request_id: int, name: str, arguments: object = None) -> Answer:
    """Return the envelope of one call; progress and other notifications are passed over."""
    process.call(request_id, name, arguments)
    while (answer := process.read()).get("id") != request_id:
        pass
    envelope: Answer = answer["result"]["structuredContent"]
    return envelope


@with_landlock
def test_a_hardened_server_does_all_that_it_did(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text("def first_function():\n    return 1\n")
    (root / "link.py").symlink_to("/etc/passwd")
    options = ("--harden", "--toolsets", "repo,graph", "--workers", "2")
    with closing(Process(root, *options, forks=False)) as process:
        process.handshake()
        assert ask(process, 1, "repo.refresh_index", {"force": True})["ok"]
        status = ask(process, 2, "repo.status")
        assert status["result"]["hardening"].startswith("on: Landlock")
        found = ask(process, 3, "repo.search", {"query": "first_function"})
        assert [hit["path"] for hit in found["result"]["hits"]] == ["a.py"]
        outline = ask(process, 4, "repo.outline", {"path": "a.py"})
        assert [one["name"] for one in outline["result"]["symbols"]] == ["first_function"]
        assert outline["warnings"] == []  # by the parser, in its process
        assert ask(process, 5, "repo.audit_log")["result"]["entries"]
        assert not ask(process, 6, "repo.open_file", {"path": "link.py"})["ok"]
    assert process.popen.returncode == 0


def test_nobody_who_opens_a_repository_leaves_a_core_dump(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    with closing(Repository(load_config(str(tmp_path)))):
        assert resource.getrlimit(resource.RLIMIT_CORE) == (0, 0)


def test_where_it_is_not_to_be_had_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Off unless it was asked for; other threads run here, and perhaps there is no Landlock either."""
    monkeypatch.setattr(hardening, "_state", hardening.OFF)
    assert hardening.describe_hardening() == "off"
    import threading

    waiting = threading.Event()
    other = threading.Thread(target=waiting.wait)
    other.start()
    try:
        assert hardening.harden(["/"], ["/"]).startswith("unavailable: ")
    finally:
        waiting.set()
        other.join()
    assert hardening.describe_hardening().startswith("unavailable: ")


def test_the_interpreter_and_its_loader_are_what_may_be_started(tmp_path: Path) -> None:
    if sys.platform == "linux":
        interpreter, loader = hardening._list_programs(sys.executable)
        assert interpreter == sys.executable
        assert os.path.isfile(loader)
    script = tmp_path / "python"
    script.write_text("#!/bin/sh\n")
    for unknown in (script, tmp_path / "none"):
        assert hardening._list_programs(str(unknown)) == (str(unknown), *hardening._SYSTEM)
    static = tmp_path / "static"
    static.write_bytes(b"\x7fELF" + bytes(60))
    assert hardening._list_programs(str(static)) == (str(static),)
