"""The server as a client meets it: a real process, real pipes, on a copy of the small corpus.

Waits are bounded but generous: they find a server that hangs, not a slow machine. The exception is the
end of the process, for which two seconds are promised; the bound leaves room for the machine.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

from repo_mcp.server import main
from tests.deep.sizes import IS_DEEP
from tests.forked import START, popen
from tests.growth import HANG_SECONDS
from tests.repo_mcp.lean_answers import read_answer

PROJECT = Path(__file__).resolve().parents[3]
CORPUS = PROJECT / "tests" / "corpus" / "tiny_repo"
CANARIES = ("canary-7f3a9c51-never-served", "canary-ignored-build-output")
PATIENCE_SECONDS = 30.0
EXIT_SECONDS = 2.0 + 3.0 if IS_DEEP else HANG_SECONDS  # promised, and room: `make deep` looks at it
# For what is not about the end: on a busy machine the answers may not be ready when the server has to leave.
LEAVE_LATE = f"""
from repo_mcp.protocol import wire
wire.DRAIN_SECONDS = wire.DEADLINE_SECONDS = {HANG_SECONDS}
"""
VERSION = "2025-06-18"

INITIALIZE = {
    "id": "init",
    "method": "initialize",
    "params": {
        "protocolVersion": VERSION,
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"},
    },
}


def _environment(home: Path) -> dict[str, str]:
    path = os.pathsep.join([str(PROJECT), *filter(None, [os.environ.get("PYTHONPATH")])])
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    return kept | {
        "PYTHONPATH": path,
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home),
        "XDG_STATE_HOME": str(home),
    }


@pytest.fixture
def root(tmp_path: Path) -> Path:
    copied = tmp_path / "tiny_repo"
    shutil.copytree(CORPUS, copied)
    (copied / "build").mkdir()
    (copied / "build" / "generated.py").write_text('ignored_artifact = "canary-ignored-build-output"\n')
    return copied


class Process:
    """One server process; lines from its stdout arrive in a queue.

    It is forked, but in `make deep` and where a test has it started.
    """

    def __init__(self, root: Path, *options: str, start: str = START, forks: bool = not IS_DEEP) -> None:
        start_process = popen if forks else subprocess.Popen
        self.popen = start_process(
            [sys.executable, "-c", start, "--repo-root", str(root), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(root.parent),
            cwd=root.parent,
        )
        assert self.popen.stdin is not None
        self.stdin = self.popen.stdin
        self.lines: queue.Queue[bytes] = queue.Queue()
        self.errors: list[bytes] = []
        self.threads = [
            threading.Thread(target=read, daemon=True) for read in (self._read, self._read_errors)
        ]
        for thread in self.threads:
            thread.start()

    def _read(self) -> None:
        assert self.popen.stdout is not None
        for line in self.popen.stdout:
            self.lines.put(line)

    def _read_errors(self) -> None:
        assert self.popen.stderr is not None
        self.errors.extend(self.popen.stderr)

    def send(self, *frames: bytes | dict[str, Any]) -> None:
        for frame in frames:
            line = frame if isinstance(frame, bytes) else json.dumps({"jsonrpc": "2.0"} | frame).encode()
            self.stdin.write(line + b"\n")
        self.stdin.flush()

    def read(self) -> dict[str, Any]:
        answer = json.loads(self.lines.get(timeout=PATIENCE_SECONDS))
        assert isinstance(answer, dict)
        assert answer["jsonrpc"] == "2.0"
        return answer

    def handshake(self) -> dict[str, Any]:
        self.send(INITIALIZE)
        answer = self.read()
        self.send({"method": "notifications/initialized"})
        return answer

    def call(self, request_id: int | str, name: str, arguments: object = None, **more: Any) -> None:
        params = {"name": name} | ({} if arguments is None else {"arguments": arguments}) | more
        self.send({"id": request_id, "method": "tools/call", "params": params})

    def wait(self, seconds: float = EXIT_SECONDS) -> int:
        code = self.popen.wait(seconds)
        for thread in self.threads:
            thread.join(PATIENCE_SECONDS)
        return code

    def close(self) -> None:
        try:
            self.stdin.close()
            self.wait()
        except BrokenPipeError:  # the process ended before it read all
            self.wait()
        finally:
            self.popen.kill()
            self.popen.wait()
            for stream in (self.popen.stdout, self.popen.stderr):
                assert stream is not None
                stream.close()

    def said(self) -> str:
        return b"".join(self.errors).decode()


@pytest.fixture
def server(root: Path) -> Iterator[Process]:
    process = Process(root)
    yield process
    process.close()


def _converse(root: Path, talk: Callable[[ClientSession], Any], *options: str) -> None:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-c", START, "--repo-root", str(root), *options],
        env=_environment(root.parent),
        cwd=root.parent,
    )

    async def main() -> None:
        with anyio.fail_after(PATIENCE_SECONDS):
            async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
                initialized = await session.initialize()
                assert initialized.server_info.name == "repo-mcp"
                assert initialized.instructions
                await talk(session)

    anyio.run(main)


async def _call(session: ClientSession, name: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
    """Make one call, and check what holds for every answer."""
    listed = {tool.name: tool for tool in (await session.list_tools()).tools}
    answer = await session.call_tool(name, arguments)
    envelope = answer.structured_content
    assert isinstance(envelope, dict)
    assert [block.type for block in answer.content] == ["text"]
    text = answer.content[0].text  # type: ignore[union-attr]
    assert text == json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))
    assert not any(canary in text for canary in CANARIES)
    assert answer.is_error == (not envelope["ok"])
    whole: dict[str, Any] = read_answer(listed[name].output_schema or {}, envelope)
    return whole


async def _wait_until_ready(session: ClientSession) -> dict[str, Any]:
    while True:  # the conversation as a whole is bounded
        envelope = await _call(session, "repo.status")
        if envelope["result"]["state"] == "ready":
            return envelope
        await anyio.sleep(0.05)


def test_a_whole_conversation(root: Path) -> None:
    async def talk(session: ClientSession) -> None:
        status = (await _wait_until_ready(session))["result"]
        assert status["repo_root"] == str(root)
        assert status["indexed_files"] == status["coverage"]["indexed"] > 8

        listed = (await _call(session, "repo.list_files", {"glob": "*.py"}))["result"]
        paths = [row["path"] for row in listed["files"]]
        assert paths == sorted(paths)
        assert "src/ledger/accounts.py" in paths
        assert "build/generated.py" not in paths

        found = (await _call(session, "repo.search", {"query": "transfer funds", "include_tests": False}))[
            "result"
        ]
        best = found["hits"][0]
        assert best["path"] == "src/ledger/accounts.py"
        span = {"path": best["path"], "start_line": best["start_line"], "end_line": best["end_line"]}
        opened = (await _call(session, "repo.open_file", span))["result"]
        assert "def transfer_funds" in opened["content"]

        (root / "src" / "ledger" / "audit.py").write_text(
            "def reconcile_quarterly_statement():\n    return 1\n"
        )
        refreshed = (await _call(session, "repo.refresh_index"))["result"]
        assert (refreshed["added"], refreshed["removed"]) == (1, 0)
        found = (await _call(session, "repo.search", {"query": "reconcile_quarterly_statement"}))["result"]
        assert found["hits"][0]["path"] == "src/ledger/audit.py"

    _converse(root, talk, "--no-watch")  # a watcher may find the new file before the refresh does


def test_what_must_not_be_read_is_refused_with_a_reason_and_a_hint(root: Path) -> None:
    (root / "link.txt").symlink_to(root.parent / "outside.txt")
    (root.parent / "outside.txt").write_text(CANARIES[0])

    async def talk(session: ClientSession) -> None:
        for path, code in [
            (".env", "path_denied"),
            ("./src/../.ENV", "path_denied"),
            (".git/config", "path_denied"),
            ("../outside.txt", "path_escape"),
            ("/etc/passwd", "path_escape"),
            ("link.txt", "path_escape"),
        ]:
            envelope = await _call(session, "repo.open_file", {"path": path})
            assert envelope["blocked"], path
            assert (envelope["error"]["code"], envelope["reason"]) == (code, envelope["error"]["message"])
            assert envelope["hint"]
            assert str(root) not in json.dumps(envelope)
        for path, code in [("src/none.py", "not_found"), ("assets/logo.png", "binary_file")]:
            envelope = await _call(session, "repo.open_file", {"path": path})
            assert (envelope["error"]["code"], envelope["blocked"]) == (code, False)
        await _wait_until_ready(session)
        for query in CANARIES:
            found = await _call(session, "repo.search", {"query": query})
            assert all(hit["path"] != ".env" for hit in found["result"]["hits"])
        listed = await _call(session, "repo.list_files", {"include_hidden": True, "max_results": 1000})
        assert ".env" not in [row["path"] for row in listed["result"]["files"]]

    _converse(root, talk)


def test_every_malformed_frame_is_answered_and_the_server_lives_on(server: Process) -> None:
    server.handshake()
    good = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    table = [
        (b"", -32700),
        (b"{", -32700),
        (b"\xef\xbb\xbf" + good, -32700),
        (b"\xff" + good, -32700),
        (good.decode().encode("utf-16-be"), -32700),
        (b"[" * 100_000, -32700),
        (b"[" + good + b"]", -32600),
        (b'"ping"', -32600),
        (b'{"jsonrpc":"1.0","method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32600),
        (b"x" * (5 * 1024 * 1024), -32600),
    ]
    begun = b'{"jsonrpc":"2.0","id":"x","method":"ping","params":{"n":'
    of_requests = [(begun + b"NaN}}", -32700), (begun + b"1" * 5_000 + b"}}", -32700)]
    for number, (line, code) in enumerate((*table, *of_requests)):
        server.send(line, {"id": number, "method": "ping"})
        refusal = server.read()
        request_id = "x" if line.startswith(begun) else None
        assert (refusal["id"], refusal["error"]["code"]) == (request_id, code), line[:60]
        assert server.read() == {"jsonrpc": "2.0", "id": number, "result": {}}
    server.close()
    assert server.popen.returncode == 0
    assert "Traceback" not in server.said()


def test_requests_the_protocol_refuses(server: Process) -> None:
    server.send({"id": 1, "method": "tools/list"})  # before the handshake
    assert server.read()["error"]["code"] in (-32600, -32602)
    server.handshake()
    table: list[tuple[dict[str, Any], tuple[int, ...]]] = [
        ({"method": "no/such/method"}, (-32601,)),
        ({"method": "tools/call", "params": {"name": "no.such.tool"}}, (-32602,)),
        ({"method": "tools/call", "params": {"name": 5}}, (-32602,)),
        ({"method": "tools/call", "params": {"name": "repo.status", "arguments": [1]}}, (-32602,)),
        ({"method": "tools/call", "params": [1]}, (-32602,)),
        ({"method": "tools/call"}, (-32602,)),
        ({"method": "tools/list", "params": {"cursor": "x"}}, (-32602,)),
    ]
    for number, (request, codes) in enumerate(table):
        server.send({"id": number} | request)
        answer = server.read()
        assert answer["id"] == number
        assert answer["error"]["code"] in codes, request
        assert "Traceback" not in json.dumps(answer)


def test_hostile_arguments_are_results_that_name_them(server: Process) -> None:
    server.handshake()
    table = [
        (b'{"query":"a","top_k":true}', "top_k"),
        (b'{"query":"a","top_k":5.5}', "top_k"),
        (b'{"query":"a","top_k":-99999999999999999999999}', "top_k"),
        (b'{"query":null}', "query"),
        (b'{"query":"\\ud800"}', "query"),
        (b'{"query":"a","\\ud800":1}', "\\ud800"),
        (b'{"query":"a","extra":1}', "extra"),
        (b"{}", "query"),
    ]
    for number, (arguments, name) in enumerate(table):
        head = (
            b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"repo.search","arguments":'
            % number
        )
        server.send(head + arguments + b"}}")
        answer = server.read()
        assert answer["id"] == number
        assert answer["result"]["isError"], arguments
        error = answer["result"]["structuredContent"]["error"]
        assert error["code"] == "invalid_argument"
        assert name in error["message"]


def test_both_eras_of_the_protocol_are_served(server: Process) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
    }
    server.send({"id": 1, "method": "server/discover", "params": {"_meta": meta}})
    discovered = server.read()["result"]
    assert "2026-07-28" in discovered["supportedVersions"]
    server.call(2, "repo.status", {}, _meta=meta)
    assert server.read()["result"]["structuredContent"]["ok"]


def test_ten_thousand_pipelined_requests_are_each_answered_once(server: Process) -> None:
    server.handshake()
    count = 10_000
    frames = [{"id": number, "method": "ping"} for number in range(count)]
    writer = threading.Thread(target=server.send, args=frames, daemon=True)
    writer.start()
    ids = [server.read()["id"] for _ in range(count)]
    writer.join(PATIENCE_SECONDS)
    assert sorted(ids) == list(range(count))
    server.close()
    assert server.lines.empty()


def test_cancelling_unknown_finished_and_running_calls_leaves_at_most_one_answer(server: Process) -> None:
    server.handshake()
    for target in ("unknown", None, 5, {}, "init"):
        server.send({"method": "notifications/cancelled", "params": {"requestId": target}})
    for number in range(50):
        server.call(number, "repo.refresh_index", {"force": True})
        server.send({"method": "notifications/cancelled", "params": {"requestId": number, "reason": "test"}})
    server.call("last", "repo.status", {})
    ids = []
    while "last" not in ids:
        ids.append(server.read()["id"])
    assert len(ids) == len(set(ids))
    server.close()
    assert server.popen.returncode == 0


def test_a_quote_that_no_file_has_is_said_with_the_hits_without_it(server: Process) -> None:
    server.handshake()
    server.call(1, "repo.refresh_index")
    assert server.read()["result"]["structuredContent"]["ok"]
    found = []
    for number, query in enumerate(('"memo transfer"', "memo transfer"), 2):
        server.call(number, "repo.search", {"query": query})
        found.append(server.read()["result"]["structuredContent"])
    quoted, apart = found
    assert quoted["result"]["hits"] == []
    hits = f"there are {apart['result']['total']} hits."
    assert f"No file contains the quoted text. Without the quotes {hits}" in quoted["warnings"]


def test_refresh_reports_progress_under_the_token(server: Process) -> None:
    server.handshake()
    server.call(1, "repo.refresh_index", {"force": True}, _meta={"progressToken": "tok"})
    notified = []
    while "id" not in (message := server.read()):
        assert message["method"] == "notifications/progress"
        assert message["params"]["progressToken"] == "tok"
        notified.append(message["params"]["progress"])
    assert message["result"]["structuredContent"]["ok"]
    assert notified == sorted(notified)
    assert notified


def test_one_shot_use_is_answered_before_the_exit(root: Path) -> None:
    server = Process(root, start=START if IS_DEEP else LEAVE_LATE + START)
    server.send(INITIALIZE, {"method": "notifications/initialized"})
    server.call(1, "repo.open_file", {"path": "README.md"})
    server.close()  # end of input at once
    assert server.popen.returncode == 0
    answers = [json.loads(server.lines.get_nowait()) for _ in range(2)]
    assert "Tidepool" in answers[1]["result"]["structuredContent"]["result"]["content"]
    assert server.said() == ""


@pytest.mark.sized
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("name", "code"), [("SIGTERM", 0), ("SIGINT", 130), ("SIGHUP", 0)], ids=["SIGTERM", "SIGINT", "SIGHUP"]
)
@pytest.mark.parametrize("busy", [False, True], ids=["idle", "busy"])
def test_a_signal_ends_the_process_in_time(server: Process, name: str, code: int, busy: bool) -> None:
    server.handshake()
    if busy:
        for number in range(20):
            server.call(number, "repo.refresh_index", {"force": True})
    server.popen.send_signal(getattr(signal, name))
    assert server.wait() == code
    assert "Traceback" not in server.said()


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(
    "signals", ["SIGINT SIGINT", "SIGTERM SIGINT SIGTERM", "SIGINT SIGHUP SIGTERM SIGINT"]
)
def test_a_storm_of_signals_ends_it_too(server: Process, signals: str) -> None:
    server.handshake()
    for name in signals.split():
        server.popen.send_signal(getattr(signal, name))
    assert server.wait() in (0, 130)
    assert "Traceback" not in server.said()


@pytest.mark.sized
@pytest.mark.parametrize("busy", [False, True], ids=["idle", "busy"])
def test_end_of_input_ends_the_process_in_time(server: Process, busy: bool) -> None:
    server.handshake()
    if busy:
        for number in range(20):
            server.call(number, "repo.refresh_index", {"force": True})
    server.stdin.close()
    assert server.wait() == 0
    assert "Traceback" not in server.said()


@pytest.mark.skipif(os.name == "nt", reason="descriptors are not passed on like this there")
@pytest.mark.parametrize("input_stays_open", [False, True])
def test_the_server_ends_with_its_parent(root: Path, input_stays_open: bool) -> None:
    input_read, input_write = os.pipe()
    output_read, output_write = os.pipe()
    start = (
        f"import subprocess, sys, time; p = subprocess.Popen([sys.executable, '-c', {START!r}, '--repo-root',"
    )
    start += f" {str(root)!r}], stdin={input_read}, stdout={output_write}); time.sleep(600)"
    parent = subprocess.Popen(
        [sys.executable, "-c", start],
        env=_environment(root.parent),
        pass_fds=[input_read, output_write],
        stderr=subprocess.DEVNULL,
    )
    os.close(input_read)
    os.close(output_write)
    with os.fdopen(output_read, "rb") as answers, os.fdopen(input_write, "wb") as requests:
        requests.write(json.dumps({"jsonrpc": "2.0"} | INITIALIZE).encode() + b"\n")
        requests.flush()
        assert b"protocolVersion" in answers.readline()  # it runs
        if not input_stays_open:
            requests.close()
        parent.kill()
        parent.wait()
        ended = threading.Thread(target=answers.read, daemon=True)
        ended.start()
        ended.join(PATIENCE_SECONDS)
        assert not ended.is_alive()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "--repo-root"),
        (["--repo-root", "{root}/README.md"], "root is not a directory"),
        (["--repo-root", "{root}/none"], "root does not exist"),
        (["--repo-root", ""], "--repo-root"),
        (["--repo-root", "{root}", "--max-file-bytes", "many"], "--max-file-bytes"),
        (["--repo-root", "{root}", "--max-search-hits", "0"], "--max-search-hits"),
        (["--repo-root", "{root}", "--toolsets", "nonsense"], "--toolsets"),
        (["--repo-root", "{root}", "--toolsets", ""], "--toolsets"),
        (["--repo-root", "{root}", "--toolsets", "repo,researched"], "--toolsets"),
        (["--repo-root", "{root}", "--no-such-option"], "--no-such-option"),
        (["{root}"], "--repo-root"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_exit_2_and_one_line(
    root: Path, options: list[str], words: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", START, *(option.format(root=root) for option in options)],
        capture_output=True,
        timeout=PATIENCE_SECONDS,
        env=_environment(root.parent),
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.count(b"\n") == 1, done.stderr
    assert words.encode() in done.stderr


def test_the_module_is_the_server_as_the_command_is(root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "repo_mcp.server", "--repo-root", str(root)],
        input=json.dumps({"jsonrpc": "2.0"} | INITIALIZE).encode() + b"\n",
        capture_output=True,
        timeout=PATIENCE_SECONDS,
        env=_environment(root.parent),
        check=True,
    )
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "repo-mcp"


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&-"])
def test_a_closed_standard_stream_is_exit_2_and_one_line(root: Path, closed: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-c", START, "--repo-root", str(root)],
        stderr=subprocess.PIPE,
        timeout=PATIENCE_SECONDS,
        env=_environment(root.parent),
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == b"repo-mcp-server: standard input or output is closed\n"


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
def test_a_closed_stderr_stops_nothing(root: Path) -> None:
    request = json.dumps({"jsonrpc": "2.0"} | INITIALIZE).encode()
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" 2>&-', "sh", sys.executable, "-c", START, "--repo-root", str(root)],
        input=request,
        capture_output=True,
        timeout=PATIENCE_SECONDS,
        env=_environment(root.parent),
        check=False,
    )
    assert done.returncode == 0
    assert json.loads(done.stdout)["id"] == "init"


def test_help_names_every_limit_and_exits_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    said = capsys.readouterr().out
    for option in (
        "--repo-root",
        "--data-dir",
        "--toolsets",
        "--max-file-bytes",
        "--max-total-bytes-per-response",
    ):
        assert option in said


# What may be imported before the handshake is answered, besides what a bare Python has imported already.
EARLY_MODULES = {
    *("fcntl", "msvcrt"),
    *("__future__", "_collections", "_functools", "_json", "_operator", "_signal", "_sre", "_weakrefset"),
    *(
        "collections",
        "copyreg",
        "enum",
        "errno",
        "functools",
        "itertools",
        "json",
        "keyword",
        "operator",
        "re",
    ),
    *("reprlib", "select", "signal", "threading", "types", "repo_mcp"),
    *("_ctypes", "_struct", "ctypes", "struct"),  # threads share a heap only if told before the first
    *(("warnings",) if sys.version_info >= (3, 13) else ()),  # the standard library's own, as those below
    *(("_contextvars", "_types") if sys.version_info >= (3, 14) else ()),
}
LOOK_AT_FIRST_WRITE = """
import sys
bare = set(sys.modules)
from repo_mcp.protocol import wire
write = wire._Output.write
def look(outlet, frame):
    wire._Output.write = write
    print(*sorted({name.partition(".")[0] for name in set(sys.modules) - bare}), file=sys.stderr)
    write(outlet, frame)
wire._Output.write = look
from repo_mcp.server import main
raise SystemExit(main())
"""


@pytest.mark.parametrize("options", [[], ["--no-watch", "--toolsets=repo"]], ids=str)
def test_little_is_imported_before_the_handshake_is_answered(root: Path, options: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOOK_AT_FIRST_WRITE, "--repo-root", str(root), *options],
        input=json.dumps({"jsonrpc": "2.0"} | INITIALIZE).encode() + b"\n",
        capture_output=True,
        timeout=PATIENCE_SECONDS,
        env=_environment(root.parent),
        check=True,
    )
    assert json.loads(done.stdout)["result"]["protocolVersion"] == VERSION
    assert set(done.stderr.decode().split()) - EARLY_MODULES == set()


LIST_TOOLS = """
import sys
from repo_mcp.serving.toolset_loader import load_toolsets
from repo_mcp.serving.server_options import build_parser, read_config
(loaded,) = load_toolsets(read_config(build_parser("test").parse_args(sys.argv[1:])), print)
tools = loaded.toolset.tools
heavy = (
    "_hashlib",
    "numpy",
    "whoosh",
    "index_format",
    "repo_mcp.bundler.records",
    "repo_mcp.exact.",
    "repo_mcp.indexing.",
    "repo_mcp.languages.",
    "repo_mcp.live.",
    "repo_mcp.model",
    "repo_mcp.ranking.",
    "repo_mcp.repository",
    "repo_mcp.symbol_index.",
)
print(len(tools), *(name for name in sys.modules if name.startswith(heavy)))
"""


def test_the_tools_are_listed_before_the_engine_is_loaded(root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIST_TOOLS, "--repo-root", str(root)],
        capture_output=True,
        timeout=PATIENCE_SECONDS,
        env=_environment(root.parent),
        check=True,
    )
    assert done.stdout.split() == [b"8"]


# What a plain server loads of others' packages, its first search included. A new name here costs every start.
PACKAGES_OF_OTHERS = {
    "cached_property",
    "msgpack",
    "numpy",
    "pathspec",
    "re2",
    "watchfiles",
    "whoosh",
    "xxhash",
}
NAME_PACKAGES = """
import atexit, sys
def name_packages():
    found = {name.partition(".")[0] for name, module in list(sys.modules.items())
             if "site-packages" in str(getattr(module, "__file__", ""))}
    print(*sorted(found - {"repo_mcp", "index_format"}))
atexit.register(name_packages)
"""
NAME_SDK = """
import atexit, sys
names = ("mcp", "mcp_types", "pydantic", "asyncio", "numpy.ma")
atexit.register(lambda: print([name for name in names if name in sys.modules]))
"""


def test_the_packages_of_others_that_a_server_loads_are_known(root: Path) -> None:
    calls = [("repo.search", {"query": "transfer"}), ("repo.open_file", {"path": "README.md"})]
    frames = [INITIALIZE] + [
        {"id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        for number, (name, arguments) in enumerate(calls, 2)
    ]
    done = subprocess.run(
        [sys.executable, "-c", NAME_PACKAGES + LEAVE_LATE + START, "--repo-root", str(root)],
        input=b"".join(json.dumps({"jsonrpc": "2.0"} | frame).encode() + b"\n" for frame in frames),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=PATIENCE_SECONDS,
        env=_environment(root.parent),
        check=True,
    )
    found = set(done.stdout.splitlines()[-1].decode().split())
    assert {"numpy", "whoosh"} <= found
    assert {name for name in found if not name.startswith(("_", "google"))} <= PACKAGES_OF_OTHERS


def test_no_conversation_over_stdio_imports_the_sdk_nor_what_takes_long(root: Path) -> None:
    call = {"name": "repo.search", "arguments": {"query": "transfer"}}
    frames = [
        INITIALIZE,
        {"id": 2, "method": "tools/list"},
        {"id": 3, "method": "tools/call", "params": call},
        {"id": 4, "method": "no/such/method"},
        {"id": 5, "method": "tools/list", "params": {"cursor": "x"}},
        {"id": 6, "method": "tools/call", "params": call | {"unknown": 1, "_meta": {"unknown": 1}}},
    ]
    done = subprocess.run(
        [sys.executable, "-c", NAME_SDK + LEAVE_LATE + START, "--repo-root", str(root)],
        input=b"".join(json.dumps({"jsonrpc": "2.0"} | frame).encode() + b"\n" for frame in frames),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,  # where a print goes while standard output is the protocol's
        timeout=PATIENCE_SECONDS,
        env=_environment(root.parent),
        check=True,
    )
    assert done.stdout.splitlines()[-1] == b"[]"
