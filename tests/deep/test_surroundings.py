"""Recipes R7, R8, R16 to R21, R24 and R25 of the threat model: all that may be odd around a server."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.model import SearchRequest
from tests.deep.answers import ask_anew, open_repository, refresh_and_ask, renew
from tests.deep.ledger import LEDGER
from tests.deep.served import Served
from tests.deep.sizes import IS_DEEP, choose, first, scale
from tests.deep.worlds import make_linked_tree
from tests.forked import START as SERVER
from tests.forked import popen
from tests.repo_mcp.trees import edit_tree

PROJECT = Path(__file__).resolve().parents[2]
SEED = 41
FILES = choose(6, 30)
DAY = 86_400
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="mounts, limits and /proc of Linux")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_linked_tree(tmp_path / "root", SEED, FILES)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def _run(
    code: str, *words: str, forks: bool = False, timeout: int = 600, **options: Any
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(PROJECT), **options.pop("environment", {})}
    command, pipe = [sys.executable, "-c", code, *words], subprocess.PIPE
    start = popen if forks else subprocess.Popen
    with start(
        command, cwd=PROJECT, env=environment, stdout=pipe, stderr=pipe, text=True, **options
    ) as process:
        try:
            said, complained = process.communicate(timeout=timeout)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, said, complained)


# R7 and R8: file systems that are full or cannot be written

IN_NAMESPACE = """
set -e
mount -t tmpfs -o {options} tmpfs "$2"
{more}
exec "$0" -c "$1" "$3" "$2/data"
"""
REFRESH = """
import json, sys
from contextlib import closing
from pathlib import Path
from repo_mcp.errors import RepoError
from tests.deep.answers import ask, open_repository, renew
try:
    with closing(open_repository(Path(sys.argv[1]), Path(sys.argv[2]))) as repository:
        try:
            renew(repository)
            said = ""
        except RepoError as error:
            said = error.code.name
        listed = [one for one in ask(repository, Path(sys.argv[1])) if '"files": [' in one]
        print(json.dumps([said, len(listed)]))
except RepoError as error:
    print(json.dumps([error.code.name, -1]))
"""


@pytest.mark.recipe
@pytest.mark.parametrize(
    ("options", "more"),
    [
        ("size=1m", 'head -c 1040000 /dev/zero > "$2/filler" || true'),
        pytest.param("size=1m,nr_inodes=4", "", marks=pytest.mark.deep),
        ("size=1m,mode=0500", 'mkdir "$2/data"; mount -o remount,ro "$2"'),
    ],
)
def test_a_medium_that_is_full_or_cannot_be_written(
    root: Path, tmp_path: Path, options: str, more: str
) -> None:
    place = tmp_path / "mounted"
    place.mkdir()
    script = IN_NAMESPACE.format(options=options, more=more)
    done = subprocess.run(
        ["unshare", "-Urm", "bash", "-c", script, sys.executable, REFRESH, str(place), str(root)],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": str(PROJECT), "XDG_CACHE_HOME": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    if "unshare failed" in done.stderr or "permission denied" in done.stderr.lower():
        pytest.skip("no user namespaces here")
    with LEDGER.suite("R7/8 full and read-only media") as row:
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
        said, listed = json.loads(done.stdout.splitlines()[-1])
        assert said in ("INDEX_UNAVAILABLE", "CONFIG_INVALID", "")
        assert listed == 1 or said == "CONFIG_INVALID"
        row.rounds += 1
        row.faults += said != "" or "ro" in more


# R16: clocks


JUMPS = {"back": -DAY, "forth": 10 * 365 * DAY, "to 1970": 1 - time.time()}


@pytest.mark.recipe
@pytest.mark.parametrize("name", first(1, JUMPS))
def test_a_clock_that_jumps(root: Path, data: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    jump = JUMPS[name]
    now, now_ns = time.time, time.time_ns
    with LEDGER.suite("R16 clocks") as row:
        with closing(open_repository(root, data)) as repository:
            renew(repository)
            monkeypatch.setattr(time, "time", lambda: now() + jump)
            monkeypatch.setattr(time, "time_ns", lambda: now_ns() + int(jump * 1e9))
            edit_tree(root, random.Random(SEED))
            renew(repository)
        row.rounds += 1
        row.faults += 1
        assert refresh_and_ask(root, data) == ask_anew(root)


@pytest.mark.recipe
@pytest.mark.parametrize("stamp", first(1, [0, 16_725_225_600, 1, -DAY, 2**31 + DAY]))
def test_files_of_odd_times(root: Path, data: Path, stamp: int) -> None:
    with LEDGER.suite("R16 clocks") as row:
        for path in sorted(root.rglob("*.py")):
            os.utime(path, (stamp, stamp))
        assert refresh_and_ask(root, data) == ask_anew(root)
        edit_tree(root, random.Random(SEED))
        for path in sorted(root.rglob("*.py")):
            os.utime(path, (stamp, stamp))
        row.rounds += 1
        row.faults += 1
        assert refresh_and_ask(root, data) == ask_anew(root)


# R17 and R18: edits that are hard to see, and edits during a read


@pytest.mark.parametrize("rounds", [10, pytest.param(scale(1_000), marks=pytest.mark.deep)])
@pytest.mark.parametrize("keeps_times", [False, True])
def test_an_edit_of_the_same_size_right_after_a_refresh(
    root: Path, data: Path, rounds: int, keeps_times: bool
) -> None:
    file = root / "racy.txt"
    with LEDGER.suite("R17 racy edits") as row, closing(open_repository(root, data)) as repository:
        for number in range(rounds):
            before, after = f"before{number:06}", f"behind{number:06}"
            file.write_text(before)
            repository.refresh()
            status = file.stat()
            file.write_text(after)
            if keeps_times:
                os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
            repository.refresh()
            hits = {hit.path for hit in repository.search(SearchRequest(after, 5)).hits}
            assert "racy.txt" in hits
            stale = [hit for hit in repository.search(SearchRequest(before, 5)).hits if before in hit.snippet]
            assert stale == []
            row.rounds += 1
            row.faults += 1


def _is_state(text: str, version: str) -> bool:
    """Return whether a file can hold these lines while the version is written: all, or whole pages so far."""
    sizes = (len(text), len(text) + 1)  # without the last line's end, or with it
    return version.startswith(text) and any(size == len(version) or size % 4096 == 0 for size in sizes)


@pytest.mark.parametrize("reads", [20, pytest.param(scale(2_000), marks=pytest.mark.deep)])
def test_a_file_that_changes_while_it_is_read(root: Path, data: Path, reads: int) -> None:
    file = root / "moving.txt"
    versions = [
        f"version {number} begins\n" + f"word{number}\n" * 3_000 + f"version {number} ends\n"
        for number in (1, 2)
    ]
    file.write_text(versions[0])
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            file.write_text(versions[number % 2])

    writer = threading.Thread(target=write, daemon=True)
    with (
        LEDGER.suite("R18 changes during reads") as row,
        closing(open_repository(root, data)) as repository,
    ):
        writer.start()
        try:
            for number in range(reads):
                if number % 50 == 49:
                    repository.refresh()
                opened = repository.open_file("moving.txt", 1, 3_002, most_lines=3_002)
                text = "\n".join(opened.lines)
                assert opened.warnings or any(_is_state(text, version) for version in versions)
                row.rounds += 1
        finally:
            stop.set()
            writer.join()
        row.faults += row.rounds
    assert refresh_and_ask(root, data) == ask_anew(root)


# R19: a directory that cannot be listed


@pytest.mark.recipe
@pytest.mark.parametrize("number", first(1, [5, 13, 24]))  # EIO, EACCES, EMFILE
def test_a_directory_that_cannot_be_listed_loses_no_file(
    root: Path, data: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    (root / "deep").mkdir()
    (root / "deep" / "kept.py").write_text("def unmistakable(): pass\n")
    usual = os.scandir

    def scan(place: Any = ".") -> Iterator[os.DirEntry[str]]:
        name = os.readlink(f"/proc/self/fd/{place}") if isinstance(place, int) else str(place)
        if name.endswith("/deep"):
            raise OSError(number, os.strerror(number))
        return usual(place)

    with LEDGER.suite("R19 walk errors") as row, closing(open_repository(root, data)) as repository:
        repository.refresh()
        monkeypatch.setattr(os, "scandir", scan)
        (root / "new.py").write_text("x = 1\n")
        (root / "deep" / "other.py").write_text(
            "x = 1\n"
        )  # else what is known of the directory is used again
        report = repository.refresh()
        assert report.removed == 0
        assert report.warnings
        assert [hit.path for hit in repository.search(SearchRequest("unmistakable", 5)).hits] == [
            "deep/kept.py"
        ]
        monkeypatch.setattr(os, "scandir", usual)
        assert repository.refresh().removed == 0
        row.rounds += 1
        row.faults += 1


# R20 and R21: little memory, few descriptors

LITTLE = """
import sys
from contextlib import closing
from pathlib import Path
from tests.deep.answers import ask, open_repository, renew
with closing(open_repository(Path(sys.argv[1]), Path(sys.argv[2]))) as repository:
    renew(repository)
    print(len(ask(repository, Path(sys.argv[1]))))
"""


@pytest.mark.deep
def test_a_large_tree_in_little_memory(tmp_path: Path, data: Path) -> None:
    """One file in twenty is parsed: what that takes goes by the largest file, what the index takes by all."""
    root = tmp_path / "large"
    draw = random.Random(SEED)
    for number in range(540):
        place = root / f"d{number % 20}"
        place.mkdir(parents=True, exist_ok=True)
        lines = [f"value_{draw.randrange(10**6)} = read_file({draw.randrange(10**6)})" for _ in range(12_000)]
        suffix = "py" if number % 20 == 0 else "txt"
        (place / f"f{number}.{suffix}").write_text("\n".join(lines))
    (root / "bomb.py").write_text("0," * 900_000)
    (root / "line.txt").write_text("x" * 1_900_000)
    assert sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) > 190_000_000
    limit = 1024 * 1024 * 1024  # of addresses: libraries map half of it

    with LEDGER.suite("R20 memory pressure") as row:
        done = _run(
            LITTLE, str(root), str(data),
            environment={"OPENBLAS_NUM_THREADS": "1"},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
            timeout=3_600,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2000:]
        row.rounds += 1
        row.faults += 1


@pytest.mark.parametrize("calls", [40, pytest.param(scale(1_000), marks=pytest.mark.deep)])
def test_few_descriptors(root: Path, data: Path, calls: int) -> None:
    with LEDGER.suite("R21 descriptor pressure") as row:
        done = _run(
            LITTLE,
            str(root),
            str(data),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32)),
        )
        assert done.returncode == 0, done.stderr[-2000:]
        with Served(root, data) as server:
            server.settle()
            server.ask_all(root)
            before = server.count_descriptors()
            for _ in range(calls):
                server.call("repo.search", query="schedule work")
                server.call("repo.open_file", path="nothing/there")
                row.rounds += 2
            assert server.count_descriptors() <= before + 2
        row.rounds += 1
        row.faults += 1


# R24: what is touched outside

WATCHED = """
import os, sys
from contextlib import closing
from pathlib import Path
from tests.deep.answers import ask, open_repository, renew
root, data = Path(sys.argv[1]), Path(sys.argv[2])
state = os.environ["XDG_STATE_HOME"]
found = []
FORBIDDEN = ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.system", "pty.")
CHANGES = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.chmod", "os.link", "os.symlink")
def inside(name):
    return name.startswith((str(data), state, "/dev/", "/proc/"))
def hook(event, arguments):
    if event.startswith(FORBIDDEN):
        found.append(event)
    elif event in CHANGES and isinstance(arguments[0], (str, bytes)):
        name = os.fsdecode(arguments[0])
        made_already = event == "os.mkdir" and os.path.isdir(name)
        if os.path.isabs(name) and not inside(name) and not made_already:
            found.append((event, name))
    elif event == "open" and isinstance(arguments[0], (str, bytes)):
        changes = (arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        name = os.fsdecode(arguments[0])
        if changes and os.path.isabs(name) and not inside(name):
            found.append((event, name, changes))
sys.addaudithook(hook)
with closing(open_repository(root, data)) as repository:
    renew(repository)
    ask(repository, root)
print(found)
"""


def _describe_tree(root: Path) -> dict[Path, tuple[int, int, bytes]]:
    files = [path for path in root.rglob("*") if path.is_file()]
    return {path: (path.stat().st_mtime_ns, path.stat().st_ino, path.read_bytes()) for path in files}


@pytest.mark.recipe
def test_nothing_outside_is_touched(root: Path, data: Path) -> None:
    before = _describe_tree(root)
    with LEDGER.suite("R24 outside") as row:
        done = _run(WATCHED, str(root), str(data), forks=not IS_DEEP)
        assert done.returncode == 0, done.stderr[-2000:]
        assert done.stdout.strip() == "[]"
        row.rounds += 1
    assert _describe_tree(root) == before


SERVED_UNDER_TRACE = """
import os, sys
trace, program = os.environ["TRACE"], os.environ["PROGRAM"]
kinds = "trace=file,network,process"
words = ["strace", "-f", "-o", trace, "-e", kinds, sys.executable, "-c", program, *sys.argv[1:]]
os.execvp("strace", words)
"""
CHANGING = ("unlink", "rename", "mkdir", "rmdir", "link", "symlink", "chmod", "truncate", "mknod", "chown")


def find_trespasses(trace: str, inside: tuple[str, ...]) -> list[str]:
    """Return what a trace of system calls holds of sockets, programs, and changes outside of some places.

    A name beneath a descriptor says nothing of its directory: those are of the door, which only reads, and of
    the data directory, which was opened by its path.
    """
    found = []
    for line in trace.splitlines():
        call = line.strip().partition(" ")[2].strip()
        name, _, rest = call.partition("(")
        if name.startswith(("socket", "connect", "bind", "sendto")) or (
            name == "execve" and ("= 0" in rest or "<unfinished" in rest)
        ):
            found.append(call)
        if "= -1 EEXIST" in rest:  # it was there, and nothing changed
            continue
        opens = name.startswith("open") and any(flag in rest for flag in ("O_WRONLY", "O_RDWR", "O_CREAT"))
        if opens or name.startswith(CHANGING):
            paths = [part for part in rest.split('"')[1::2] if part.startswith("/")]
            found += [call for path in paths if not path.startswith((*inside, "/dev/", "/proc/"))]
    return found


def test_a_trace_with_trespasses_is_found_out() -> None:
    fine = '12 openat(3, "/data/x", O_WRONLY|O_CREAT, 0600) = 3\n12 openat(3, "/etc/x", O_RDONLY) = 3\n'
    assert find_trespasses(fine, ("/data",)) == []
    for call in (
        'openat(AT_FDCWD, "/etc/x", O_WRONLY) = 3',
        "socket(AF_INET, SOCK_STREAM, 0) = 4",
        'execve("/bin/sh", ["sh"], 0x7) = 0',
        'execve("/bin/sh", ["sh"], 0x7 <unfinished ...>',
        'rename("/data/x", "/etc/x") = 0',
        'unlink("/etc/x") = 0',
    ):
        assert find_trespasses(f"{fine}12 {call}\n", ("/data",)) == [call]


@pytest.mark.deep
def test_the_system_sees_no_socket_no_program_and_no_change_outside(
    root: Path, data: Path, tmp_path: Path
) -> None:
    """A real server under strace, parsers and all. The only programs are itself and its own parser."""
    if shutil.which("strace") is None:
        pytest.skip("no strace here")
    before, trace = _describe_tree(root), tmp_path / "trace"
    environment = {"TRACE": str(trace), "PROGRAM": SERVER}
    with (
        LEDGER.suite("R24 outside") as row,
        Served(root, data, start=SERVED_UNDER_TRACE, **environment) as server,
    ):
        server.settle()
        server.ask_all(root)
        assert server.popen.stdin is not None
        server.popen.stdin.close()
        assert server.wait_ended(20) == 0  # else the end of the trace is lost
        row.rounds += 1
    found = find_trespasses(trace.read_text(), (str(data), os.environ["XDG_STATE_HOME"]))
    programs = [call for call in found if call.startswith("execve")]
    assert [call for call in found if call not in programs] == []
    assert 2 <= len(programs) <= 3  # the server, its parser, and what Python starts with that
    assert all(f'execve("{sys.executable}"' in call for call in programs), programs
    assert _describe_tree(root) == before


# R25: environments

SHOWN = """
import json, sys
from pathlib import Path
from tests.deep.answers import refresh_and_ask
print(json.dumps(refresh_and_ask(Path(sys.argv[1]), Path(sys.argv[2]))))
"""
ENVIRONMENTS: dict[str, dict[str, str]] = {
    "hash seed 0": {"PYTHONHASHSEED": "0"},
    "hash seed 1": {"PYTHONHASHSEED": "1"},
    "locale C": {"LC_ALL": "C", "LANG": "C"},
    "locale C.UTF-8": {"LC_ALL": "C.UTF-8"},
    "zone": {"TZ": "Pacific/Kiritimati"},
    "optimised": {"PYTHONOPTIMIZE": "2"},
}


def _read_segments(data: Path) -> frozenset[tuple[str, bytes]]:
    return frozenset((path.name, path.read_bytes()) for path in data.rglob("*.seg"))


@pytest.mark.recipe
def test_no_environment_changes_an_answer(root: Path, tmp_path: Path) -> None:
    """Each in a process of its own, and in a check most of them in one."""
    expected = refresh_and_ask(root, tmp_path / "data")
    segments = {_read_segments(tmp_path / "data")}
    umasks: list[Callable[[], int]] = [lambda: os.umask(0), lambda: os.umask(0o077)]
    in_one = ENVIRONMENTS["hash seed 0"] | ENVIRONMENTS["locale C"] | ENVIRONMENTS["zone"]
    environments = ENVIRONMENTS if IS_DEEP else {"all in one": in_one}
    with LEDGER.suite("R25 environments") as row:
        for number, (name, environment) in enumerate(environments.items()):
            data = tmp_path / f"data{number}"
            done = _run(SHOWN, str(root), str(data), environment=environment, preexec_fn=umasks[number % 2])
            assert done.returncode == 0, (name, done.stderr[-2000:])
            assert json.loads(done.stdout) == expected, name
            segments.add(_read_segments(data))
            modes = {path.stat().st_mode & 0o777 for path in data.rglob("*")}
            assert modes <= {0o600, 0o700}, name
            shutil.rmtree(data)
            row.rounds += 1
    assert len(segments) == 1
