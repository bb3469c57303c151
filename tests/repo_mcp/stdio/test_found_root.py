"""A server with `--repo-root auto` as clients meet it: those that name roots, and those that do not.

The SDK's client names roots, changes them, names several, none or bad ones; what no client of the SDK does
(never answering, answering twice) is done frame by frame.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import INVALID_REQUEST, ErrorData, ListRootsResult, RootsListChangedNotification

from tests.forked import START, popen
from tests.posix import posix

PROJECT = Path(__file__).resolve().parents[3]
SOON = "from repo_mcp.protocol import client_roots; client_roots.ANSWER_SECONDS = 0.2\n"
PATIENCE_SECONDS = 120.0
OPENING = {"protocolVersion": "2025-11-25", "clientInfo": {"name": "t", "version": "0"}}
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {"roots": {}},
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "0"},
}
# A tool of each toolset that names a file of the root, and the code of an answer without a root.
ASKING: dict[str, tuple[str, dict[str, object], str]] = {
    "repo": ("repo.list_files", {}, "index_unavailable"),
    "graph": ("list_directory", {"path": ""}, "engine_unavailable"),
    "research": ("index_codebase", {"path": "."}, "no_root"),
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a home, and beside it the repositories `ledger` and `atlas`, each with a file of its name."""
    (tmp_path / "home").mkdir()
    for name in ("ledger", "atlas"):
        (tmp_path / "work" / name / "src").mkdir(parents=True)
        (tmp_path / "work" / name / ".git").mkdir()
        (tmp_path / "work" / name / f"{name}.py").write_text(f"def find_{name}():\n    return 1\n")
        (tmp_path / "work" / name / "src" / "inner.py").write_text("def inner():\n    return 2\n")
    return tmp_path / "work"


def set_environment(place: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    home = str(place.parent / "home")
    homes = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"), home)
    return kept | homes | {"PYTHONPATH": str(PROJECT)}


def list_uris(*paths: Path) -> list[str]:
    return [path.as_uri() for path in paths]


# With the SDK's client


class Client:
    """A session of the SDK, and the roots that its client names."""

    def __init__(self, session: ClientSession, roots: list[str]) -> None:
        self.session = session
        self.roots = roots  # URIs; may be changed in place

    async def change(self, *uris: str) -> None:
        """Name other roots, and wait until the server has asked for them."""
        self.roots[:] = uris
        await self.session.send_notification(RootsListChangedNotification())

    async def list_paths(self, **arguments: Any) -> tuple[list[str], list[str]]:
        """Return the files that the server lists, and what it says of the root that they are in."""
        answer = (await self.session.call_tool("repo.list_files", arguments)).structured_content
        assert answer is not None
        assert answer["ok"], answer
        said = [note for note in answer.get("warnings", []) if note.startswith("This answer is")]
        return [row["path"] for row in answer["result"]["files"]], said


def converse(
    place: Path,
    talk: Callable[[Client], Awaitable[None]],
    *options: str,
    cwd: Path | None = None,
    roots: list[str] | None = None,
    root: str = "auto",
) -> str:
    """Talk to a server; `roots` None: the client has none. Returns the server's instructions."""
    named = [] if roots is None else roots
    reported = []

    async def name_roots(_context: object) -> ListRootsResult | ErrorData:
        if named == ["refused"]:
            return ErrorData(code=INVALID_REQUEST, message="no")
        return ListRootsResult.model_validate({"roots": [{"uri": uri} for uri in named]})

    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-c", START, "--repo-root", root, "--no-watch", *options],
        env=set_environment(place),
        cwd=cwd or place,
    )

    async def main() -> None:
        callback = None if roots is None else name_roots
        with anyio.fail_after(PATIENCE_SECONDS):
            async with (
                stdio_client(parameters) as streams,
                ClientSession(*streams, list_roots_callback=callback) as session,
            ):
                reported.append((await session.initialize()).instructions)
                await talk(Client(session, named))

    anyio.run(main)
    assert reported[0] is not None
    return reported[0]


def test_the_root_of_the_client_is_served_and_its_first_answer_names_it(place: Path) -> None:
    async def talk(client: Client) -> None:
        paths, warnings = await client.list_paths()
        assert paths == ["ledger.py", "src/inner.py"]
        assert warnings == ['This answer is for the repository "ledger".']
        assert (await client.list_paths())[1] == []
        status = (await client.session.call_tool("repo.status")).structured_content
        assert status is not None
        assert status["result"]["repo_root"] == str(place / "ledger")

    said = converse(place, talk, roots=list_uris(place / "ledger"), cwd=place / "atlas")
    assert said.endswith("The repository is the root that the client names, the first if there are several;"
                         " answers say which.")  # fmt: skip
    assert not (place / "atlas" / ".repo_mcp").exists()


def test_when_the_client_names_another_root_answers_come_from_it_and_say_so(place: Path) -> None:
    async def talk(client: Client) -> None:
        assert (await client.list_paths())[0][0] == "ledger.py"
        await client.change(*list_uris(place / "atlas"))
        while True:  # the conversation as a whole is bounded
            paths, warnings = await client.list_paths()
            if paths[0] == "atlas.py":
                break
        assert warnings == ['This answer is for the repository "atlas".']
        assert (await client.list_paths())[1] == []
        await client.change(*list_uris(place / "ledger"))
        while (await client.list_paths())[0][0] != "ledger.py":
            pass

    converse(place, talk, roots=list_uris(place / "ledger"))


def test_several_roots_have_an_index_each_and_every_answer_says_whose_it_is(place: Path) -> None:
    async def talk(client: Client) -> None:
        while True:  # the list changes as soon as the roots are known
            tools = {tool.name: tool for tool in (await client.session.list_tools()).tools}
            if "root" in tools["repo.search"].input_schema["properties"]:
                break
        for name in ("repo.search", "get_callers", "code_research"):
            assert tools[name].input_schema["properties"]["root"]["enum"] == ["ledger", "atlas"]
        first, note = await client.list_paths()
        assert first[0] == "ledger.py"
        assert note == ['This answer is for the root "ledger"; `root` can name another: "atlas".']
        assert await client.list_paths(root="atlas") == (["atlas.py", "src/inner.py"], [])
        listed = await client.session.call_tool("list_directory", {"path": "", "root": "atlas"})
        assert "atlas.py" in json.dumps(listed.structured_content)
        wrong = await client.session.call_tool("repo.list_files", {"root": "home"})
        assert wrong.is_error
        assert '"ledger", "atlas"' in json.dumps(wrong.structured_content, ensure_ascii=True).replace(
            "\\", ""
        )
        await client.change(*list_uris(place / "atlas"))
        while True:
            tools = {tool.name: tool for tool in (await client.session.list_tools()).tools}
            if "root" not in tools["repo.search"].input_schema["properties"]:
                break
        assert (await client.list_paths())[0][0] == "atlas.py"

    roots = list_uris(place / "ledger", place / "atlas")
    converse(place, talk, "--toolsets", "repo,graph,research", roots=roots)
    assert list((place / "ledger" / ".repo_mcp").glob("index-*"))
    assert list((place / "atlas" / ".repo_mcp").glob("index-*"))


@pytest.mark.parametrize("roots", [None, [], ["refused"]], ids=["undeclared", "empty", "refused"])
def test_without_roots_it_is_the_repository_around_the_directory_of_the_start(
    place: Path, roots: list[str] | None
) -> None:
    async def talk(client: Client) -> None:
        paths, warnings = await client.list_paths()
        assert paths == ["ledger.py", "src/inner.py"]
        said = [] if roots is None else ['This answer is for the repository "ledger".']
        assert warnings == said

    said = converse(place, talk, roots=roots, cwd=place / "ledger" / "src")
    assert said.endswith('The repository is "ledger".') == (roots is None)


@posix
def test_a_link_does_not_make_a_home_a_root(place: Path) -> None:
    (place / "link").symlink_to(place.parent / "home")

    async def talk(client: Client) -> None:
        assert (await client.session.call_tool("repo.list_files")).is_error

    converse(place, talk, roots=list_uris(place / "link"))


def test_a_root_that_the_operator_names_wins(place: Path) -> None:
    async def talk(client: Client) -> None:
        assert await client.list_paths() == (["atlas.py", "src/inner.py"], [])

    named = str(place / "atlas")
    said = converse(place, talk, root=named, roots=list_uris(place / "ledger"), cwd=place / "ledger")
    assert said.endswith('The repository is "atlas".')


# Frame by frame


class Process:
    """One server process."""

    def __init__(self, place: Path, cwd: Path, *options: str, prelude: str = "") -> None:
        self.popen = popen(
            [sys.executable, "-c", prelude + START, "--repo-root", "auto", "--no-watch", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=set_environment(place),
            cwd=cwd,
        )

    def send(self, frame: dict[str, Any]) -> None:
        assert self.popen.stdin is not None
        self.popen.stdin.write(json.dumps({"jsonrpc": "2.0"} | frame).encode() + b"\n")
        self.popen.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self.popen.stdout is not None
        message = json.loads(self.popen.stdout.readline())
        assert isinstance(message, dict)
        return message

    def open(self, **capabilities: Any) -> dict[str, Any]:
        self.send({"id": 0, "method": "initialize", "params": OPENING | {"capabilities": capabilities}})
        answer = self.read()["result"]
        self.send({"method": "notifications/initialized"})
        assert isinstance(answer, dict)
        return answer

    def call(self, name: str, arguments: dict[str, object], **more: Any) -> None:
        params = {"name": name, "arguments": arguments} | more
        self.send({"id": 1, "method": "tools/call", "params": params})

    def name_roots(self, *uris: str) -> None:
        """Answer the request for roots."""
        request = self.read()
        assert request["method"] == "roots/list"
        self.send({"id": request["id"], "result": {"roots": [{"uri": uri} for uri in uris]}})

    def read_paths(self) -> list[str]:
        envelope = self.read()["result"]["structuredContent"]
        return [row["path"] for row in envelope["result"]["files"]]


@contextmanager
def serving(place: Path, cwd: Path, *options: str, prelude: str = "") -> Iterator[Process]:
    process = Process(place, cwd, *options, prelude=prelude)
    try:
        yield process
    finally:
        _, said = process.popen.communicate(timeout=PATIENCE_SECONDS)
        assert process.popen.returncode == 0, said


@pytest.mark.parametrize(
    ("uri", "word"),
    [
        ("{home}", "home directory"),
        ("{home}/..", "home directory"),
        ("file:///", "system directory"),
        ("file:///none/such", "does not exist"),
        ("{place}/ledger/ledger.py", "is not a directory"),
        ("https://example.invalid/ledger", "not a file:// URI"),
        ("", "not a file:// URI"),
        ("file:///%FF", "UTF-8"),
        ("file:///a%00b", "not a file:// URI"),
        ("file://elsewhere/srv/ledger", "another machine"),
    ],
)
def test_a_bad_root_is_an_error_that_says_what_to_do_and_never_another_tree(
    place: Path, uri: str, word: str
) -> None:
    known = {"home": (place.parent / "home").as_uri(), "place": place.as_uri()}
    with serving(place, place / "ledger") as process:
        process.open(roots={})
        process.name_roots(uri.format_map(known))
        process.call("repo.list_files", {})
        envelope = process.read()["result"]["structuredContent"]
        assert envelope["error"]["code"] == "index_unavailable"
        assert word in envelope["error"]["message"]
        assert "repo-mcp init" in envelope["error"]["hint"]
        assert str(place) not in json.dumps(envelope)
        process.send({"method": "notifications/roots/list_changed"})
        process.name_roots((place / "atlas").as_uri())
        process.call("repo.list_files", {})
        assert process.read_paths()[0] == "atlas.py"
    assert not (place / "ledger" / ".repo_mcp").exists()
    assert not list((place.parent / "home").glob("**/.repo_mcp"))


def test_a_client_that_never_answers_is_not_waited_for_long(place: Path) -> None:
    with serving(place, place / "ledger", prelude=SOON) as process:
        assert process.open(roots={"listChanged": True})["capabilities"]["tools"] == {"listChanged": True}
        request = process.read()
        assert (request["method"], request["id"]) == ("roots/list", "repo-mcp/roots/1")
        process.send({"id": 2, "method": "ping"})  # which waits for no roots
        assert process.read() == {"jsonrpc": "2.0", "id": 2, "result": {}}
        process.call("repo.list_files", {})
        assert process.read_paths()[0] == "ledger.py"
        # an answer that comes late counts all the same
        uri = (place / "atlas").as_uri()
        process.send({"id": request["id"], "result": {"roots": [{"uri": uri}]}})
        process.call("repo.list_files", {})
        assert process.read_paths()[0] == "atlas.py"


def test_only_the_last_answer_counts(place: Path) -> None:
    with serving(place, place) as process:
        process.open(roots={})
        first = process.read()["id"]
        process.send({"method": "notifications/roots/list_changed"})
        second = process.read()["id"]
        assert first != second
        for request_id, name in ((second, "atlas"), (first, "ledger"), ("repo-mcp/roots/9", "ledger")):
            uri = (place / name).as_uri()
            process.send({"id": request_id, "result": {"roots": [{"uri": uri}]}})
        process.send({"id": second, "error": {"code": 1, "message": "later"}})  # changes nothing
        process.call("repo.list_files", {})
        assert process.read_paths()[0] == "atlas.py"


@pytest.mark.parametrize("toolset", ASKING)
def test_without_any_repository_every_toolset_says_what_to_do(place: Path, toolset: str) -> None:
    (place / "ledger" / ".git").rmdir()
    name, arguments, code = ASKING[toolset]
    with serving(place, place / "ledger", "--toolsets", toolset) as process:
        assert process.open()["instructions"].endswith(
            "No repository is served: the client was not started in one."
        )
        process.call(name, arguments)
        result = process.read()["result"]
        assert result["isError"]
        assert result["structuredContent"]["error"]["code"] == code
        for words in ("There is no repository", "--root DIR"):
            assert words in result["content"][0]["text"]


@pytest.mark.parametrize("toolset", ASKING)
def test_every_toolset_serves_the_repository_around_the_start_in_either_era(
    place: Path, toolset: str
) -> None:
    name, arguments, _ = ASKING[toolset]
    for is_modern in (False, True):
        with serving(place, place / "atlas" / "src", "--toolsets", toolset) as process:
            if is_modern:
                process.call(name, arguments, _meta=MODERN)
            else:
                process.open()
                process.call(name, arguments)
            assert not process.read()["result"]["isError"]
    assert (place / "atlas" / ".repo_mcp").is_dir()
    assert not (place / "atlas" / "src" / ".repo_mcp").exists()


def test_roots_share_no_directory_of_the_operator(place: Path) -> None:
    data_dir = place.parent / "data"
    with serving(place, place, "--data-dir", str(data_dir)) as process:
        process.open(roots={})
        process.name_roots(*list_uris(place / "ledger", place / "atlas"))
        assert process.read()["method"] == "notifications/tools/list_changed"
        for root in ("ledger", "atlas"):
            process.call("repo.list_files", {"root": root})
            assert process.read_paths()[0] == f"{root}.py"
        process.call("repo.audit_log", {"root": "atlas"})
        entries = process.read()["result"]["structuredContent"]["result"]["entries"]
        assert [entry["tool"] for entry in entries] == ["repo.list_files"]
    assert len(list(data_dir.glob("*/audit.jsonl"))) == 2


@pytest.mark.parametrize("option", [("--harden",), ("--transport", "http", "--port", "0")], ids=str)
def test_a_server_that_must_know_its_root_at_once_does_not_start_without_one(
    place: Path, option: tuple[str, ...]
) -> None:
    process = Process(place, place, *option)
    said, complained = process.popen.communicate(timeout=PATIENCE_SECONDS)
    assert (process.popen.returncode, said) == (2, b"")
    assert complained.count(b"\n") == 1
    assert b"--repo-root" in complained


def test_over_http_it_is_the_repository_around_the_start(place: Path) -> None:
    process = Process(place, place / "ledger" / "src", "--transport", "http", "--port", "0")
    assert process.popen.stderr is not None
    try:
        assert b"listening on" in process.popen.stderr.readline()
        assert (place / "ledger" / ".repo_mcp").is_dir()
    finally:
        process.popen.terminate()
        process.popen.communicate(timeout=PATIENCE_SECONDS)


@posix
def test_a_hardened_server_serves_where_it_was_started(place: Path) -> None:
    with serving(place, place / "ledger" / "src", "--harden") as process:
        answer = process.open(roots={})
        assert answer["instructions"].endswith('The repository is "ledger".')
        process.call("repo.list_files", {})
        assert process.read_paths()[0] == "ledger.py"
