"""Files as resources: what is listed, what a URI gives, and what it never gives."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from repo_mcp.config.server_config import Limits, load_config
from repo_mcp.documentation.nearest import MAX_DIRECTORIES
from repo_mcp.errors import ErrorCode
from repo_mcp.protocol import session
from repo_mcp.protocol.frames import INTERNAL_ERROR, INVALID_PARAMS
from repo_mcp.protocol.messages import HANDSHAKE_VERSIONS, MODERN_VERSION
from repo_mcp.protocol.resources import (
    LIST,
    MAX_URI_CHARS,
    NOT_FOUND,
    READ,
    TRY_AGAIN,
    build_uri,
    choose_code,
    join_resources,
    read_uri,
)
from repo_mcp.protocol.tool_model import CallContext, ResourceLink, ToolAnswer, Toolset
from repo_mcp.repository import Repository
from repo_mcp.serving.toolset_loader import load_toolsets
from repo_mcp.toolsets.binding import LoadedToolset
from repo_mcp.toolsets.resources import MAX_LISTED, WARNINGS
from tests.deep.sizes import examples
from tests.posix import posix
from tests.repo_mcp.pipe_client import CLIENT, ENVELOPE, VERSION, PipeClient, ask_session
from tests.repo_mcp.sdk_oracle import ask_sdk, drop_explanations, sort_lists
from tests.repo_mcp.toolsets.research.research_roots import CANARY
from tests.repo_mcp.toolsets.research.test_docs import MEDIA, PNG
from tests.written_trees import write_tree

MAX_FILE_BYTES = 300_000
PATIENCE_SECONDS = 60.0  # a test that needs it has failed
LONG = "".join(
    f"line {number:05}\n" for number in range(1, 8_001)
)  # 88,000 bytes, more than an answer may have
FILES: dict[str, str | bytes] = {
    **MEDIA,
    "docs/img/large.png": PNG + b"\0" * 200_000,
    "docs/img/huge.png": PNG + b"\0" * MAX_FILE_BYTES,
    "docs/img/large.svg": f"<svg><!--{'x' * 100_000}--></svg>",
    "docs/sounds/text.wav": "no sound at all",
    "docs/img/pointer.png": "version https://git-lfs.github.com/spec/v1\n",
    "docs/sizes.md": "# Sizes of gauges\n\n![large gauge](img/large.png) ![huge gauge](img/huge.png)"
    " ![drawn gauge](img/large.svg)\n",
    "docs/deep/er/inner.md": "# Inner\n",
    "service/long.py": LONG,
    "service/wide.py": "x" * 70_000,
    "service/latin.py": "# coding: latin-1\nname = 'caf\xe9'\n".encode("latin-1"),
    "service/marked.py": b"\xef\xbb\xbfx = 1\r\ny = 2\r\n",
    "service/open end.py": "x = 1\ny = 2",
    "service/empty.py": "",
    "service/hiding.py": "x = 1  # \u202e\n",
    "docs/endless.md": "x" * 70_000,
    "docs/vast.png": PNG + b"\0" * MAX_FILE_BYTES,
    "C#/100%.cs": "class A {}\n",
    "what?.md": "# What?\n",
    "tool.bin": b"\x7fELF\0" + CANARY.encode(),
    "data.sqlite": b"SQLite format 3\0" + CANARY.encode(),
    "id_rsa": f"-----BEGIN OPENSSH PRIVATE KEY-----\n{CANARY}\n",
    ".gitignore": "build/\n",
    "build/made.md": "# Made\n",
}


class Files:
    """The toolsets over one root, and what answers about its files."""

    def __init__(self, root: Path, data_dir: Path, toolsets: tuple[str, ...], **limits: int) -> None:
        config = load_config(
            str(root), data_dir=str(data_dir), toolsets=toolsets, watch=False, workers=1, limits=limits
        )
        self.loaded: tuple[LoadedToolset[Any], ...] = load_toolsets(config, lambda warning: None)
        self.repositories: list[Repository] = [one for loaded in self.loaded for one in loaded.open()]
        self.toolsets: list[Toolset] = [one.toolset for one in self.loaded]
        self.tools = join_resources(self.toolsets)

    def ask(self, method: str, **arguments: object) -> ToolAnswer:
        answer = self.tools[method].call(arguments, CallContext(lambda: False))
        json.dumps(answer.structured, allow_nan=False).encode()
        assert CANARY not in repr(answer)
        return answer

    def read(self, uri: str) -> dict[str, Any]:
        answer = self.ask(READ, uri=uri)
        assert not answer.is_error, answer
        (content,) = answer.structured["contents"]  # type: ignore[attr-defined]
        assert content["uri"] == uri
        return dict(content)

    def refuse(self, uri: str) -> tuple[int, str, str]:
        """Return the code, the reason and the message with which a URI is refused."""
        answer = self.ask(READ, uri=uri)
        assert answer.is_error, answer
        answered: Any = answer.structured
        return answered["code"], answered["data"]["reason"], answered["message"]

    def close(self) -> None:
        for one in self.repositories:
            one.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Files]:
    place = tmp_path_factory.mktemp("resources")
    root = write_tree(place / "root", FILES)
    (place / "outside.md").write_text(CANARY)
    for name, target in (("out.md", "../outside.md"), ("key.md", "id_rsa"), ("in.md", "README.md")):
        (root / name).symlink_to(target)
    os.mkfifo(root / "pipe.md")
    opened = Files(root, place / "data", ("repo", "research"), max_file_bytes=MAX_FILE_BYTES)
    opened.repositories[0].refresh()
    yield opened
    opened.close()


pytestmark = posix


# URIs


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1))
def test_a_path_survives_its_uri(path: str) -> None:
    uri = build_uri("repo", "me/ledger", path)
    assert uri.isascii()
    read = read_uri(uri, ("repo",))
    assert (read.scheme, read.root, read.path, read.lines) == ("repo", "me/ledger", path, None)


@pytest.mark.parametrize(
    ("uri", "path", "lines"),
    [
        ("repo:///a/b.py", "a/b.py", None),
        ("REPO:///a.py", "a.py", None),
        ("repo:///a.py#L3", "a.py", (3, 3)),
        ("repo:///a.py#L3-L9", "a.py", (3, 9)),
        ("repo:///a.py#L3-9", "a.py", (3, 9)),
        ("repo:///C#/a.py", "C#/a.py", None),
        ("repo:///C#/a.py#L1-L2", "C#/a.py", (1, 2)),
        ("repo:///a.py%23L3", "a.py#L3", None),
        ("repo:///what?.md", "what?.md", None),
        ("repo:///100%.md", "100%.md", None),
        ("repo:///%252e%252e/x", "%2e%2e/x", None),
        ("repo:///a.py#L0", "a.py#L0", None),
        ("repo:///a.py#L9999999999", "a.py#L9999999999", None),
        ("repo:///a.py#L\u0663", "a.py#L\u0663", None),
    ],
)
def test_a_uri_is_read_as_clients_write_it(uri: str, path: str, lines: tuple[int, int] | None) -> None:
    read = read_uri(uri, ("repo",))
    assert (read.path, read.lines) == (path, lines)


# Lists


def test_documents_and_media_nearest_to_the_root_are_listed_with_uris_that_can_be_read(files: Files) -> None:
    listed: Any = files.ask(LIST).structured["resources"]
    assert [one["name"] for one in listed] == [
        "README.md",
        "what?.md",
        "docs/bells.rst",
        "docs/guide.md",
        "docs/media.md",
        "docs/sizes.md",
        "docs/manual.pdf",
    ]
    assert listed[1] == {
        "mimeType": "text/markdown",
        "name": "what?.md",
        "size": len("# What?\n"),
        "uri": "repo:///what%3F.md",
    }
    for one in listed:
        read = files.read(one["uri"])
        given_ = base64.b64decode(read["blob"]) if "blob" in read else read["text"]
        assert (read["mimeType"], given_) == (one["mimeType"], FILES[one["name"]])


def test_a_list_stays_short_however_many_files_there_are(tmp_path: Path) -> None:
    names = [f"d{number:03}/{name}.md" for number in range(MAX_DIRECTORIES) for name in ("a", "b")]
    files = Files(write_tree(tmp_path / "root", dict.fromkeys(names, "#\n")), tmp_path / "data", ("repo",))
    listed: Any = files.ask(LIST).structured["resources"]
    assert [one["name"] for one in listed] == names[:MAX_LISTED]
    files.close()


# Reading


@pytest.mark.parametrize(
    "path",
    ["service/auth.py", "service/open end.py", "service/empty.py", "C#/100%.cs", "what?.md", "build/made.md"],
)
def test_text_is_given_whole_and_as_it_stands(files: Files, path: str) -> None:
    for uri in (build_uri("repo", "", path), f"repo:///{path}"):
        assert files.read(uri)["text"] == FILES[path]


def test_text_of_another_encoding_is_given_as_the_tools_give_it(files: Files) -> None:
    assert files.read("repo:///service/latin.py")["text"] == "# coding: latin-1\nname = 'caf\xe9'\n"
    assert files.read("repo:///service/marked.py")["text"] == "x = 1\ny = 2\n"


def test_text_that_may_hide_something_says_so_beside_it(files: Files) -> None:
    read = files.read("repo:///service/hiding.py")
    assert read["text"] == FILES["service/hiding.py"]
    assert read["_meta"] == {WARNINGS: ["Control or bidirectional characters may hide text."]}
    assert "_meta" not in files.read("repo:///service/auth.py")


@pytest.mark.parametrize(
    ("path", "media_type"),
    [
        ("docs/img/door bell.png", "image/png"),
        ("docs/img/large.png", "image/png"),
        ("docs/manual.pdf", "application/pdf"),
        ("docs/sounds/chime.wav", "audio/wav"),
    ],
)
def test_media_are_given_whole_beyond_the_bytes_of_an_answer(
    files: Files, path: str, media_type: str
) -> None:
    read = files.read(f"repo:///{quote(path)}")
    assert read["mimeType"] == media_type
    assert base64.b64decode(read["blob"], validate=True) == FILES[path]


def test_a_drawing_that_is_text_is_given_as_text_of_any_size(files: Files) -> None:
    read = files.read("repo:///docs/img/large.svg")
    assert (read["mimeType"], read["text"]) == ("image/svg+xml", FILES["docs/img/large.svg"])


def test_a_text_that_is_called_a_picture_is_no_picture(files: Files) -> None:
    """Pointers of Git LFS: a client that shows them to a model as PNG breaks the conversation."""
    read = files.read("repo:///docs/img/pointer.png")
    assert (read["mimeType"], read["text"]) == ("text/plain", FILES["docs/img/pointer.png"])


def test_lines_are_given_as_they_stand(files: Files) -> None:
    assert files.read("repo:///service/long.py#L10-L11")["text"] == "line 00010\nline 00011\n"
    assert files.read("repo:///service/open%20end.py#L2")["text"] == "y = 2"
    assert files.read("repo:///service/open%20end.py#L1-2")["text"] == FILES["service/open end.py"]


@pytest.mark.parametrize("uri", ["repo:///service/long.py", "repo:///service/long.py#L2-L8000"])
def test_text_that_is_too_long_is_refused_with_the_lines_that_fit(files: Files, uri: str) -> None:
    code, reason, message = files.refuse(uri)
    assert (code, reason) == (INVALID_PARAMS, "limit_exceeded")
    following = message.rpartition("first ")[2].rstrip(".")
    assert following.startswith("repo:///service/long.py#L")
    read = read_uri(following, ("repo",))
    assert read.lines is not None
    assert read.lines[1] - read.lines[0] + 1 == Limits().max_open_lines
    assert files.read(following)["text"].startswith(f"line {read.lines[0]:05}\n")


def test_the_lines_that_fit_are_as_many_as_do(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", {"a.txt": 'say "ü"\n' * 2_500})
    files = Files(
        root, tmp_path / "data", ("repo",), max_total_bytes_per_response=16_384, max_open_lines=2_400
    )
    following = files.refuse("repo:///a.txt")[2].rpartition("first ")[2].rstrip(".")
    last = int(following.rpartition("-L")[2])
    text = files.read(following)["text"]
    assert len(json.dumps(text, ensure_ascii=False).encode()) <= 16_384
    assert files.refuse(f"repo:///a.txt#L1-L{last + 1}")[1] == "limit_exceeded"
    files.close()


# What is refused


@pytest.mark.parametrize(
    ("uri", "code", "reason", "words"),
    [
        ("repo:///nothing.py", NOT_FOUND, "not_found", "Find the path"),
        ("repo:///docs", NOT_FOUND, "not_a_file", "Only regular files"),
        ("repo:///", NOT_FOUND, "not_a_file", "Only regular files"),
        ("repo:///pipe.md", NOT_FOUND, "not_a_file", "Only regular files"),
        ("repo:///.env", NOT_FOUND, "path_denied", "is not served"),
        ("repo:///.env.nothing", NOT_FOUND, "path_denied", "is not served"),
        ("repo:///%2eenv", NOT_FOUND, "path_denied", "is not served"),
        ("repo:///id_rsa", NOT_FOUND, "path_denied", ""),
        ("repo:///key.md", NOT_FOUND, "path_denied", ""),
        ("repo:///out.md", NOT_FOUND, "path_escape", ""),
        ("repo:///../outside.md", NOT_FOUND, "path_escape", ""),
        ("repo:///docs/%2e%2e/%2e./outside.md", NOT_FOUND, "path_escape", ""),
        ("repo:///..%2foutside.md", NOT_FOUND, "path_escape", ""),
        ("repo:////etc/passwd", NOT_FOUND, "path_escape", ""),
        ("repo:///..%5coutside.md", INVALID_PARAMS, "path_invalid", ""),
        ("repo:///a%00.md", INVALID_PARAMS, "path_invalid", "NUL"),
        ("repo:///a%ff.md", INVALID_PARAMS, "path_invalid", "UTF-8"),
        (f"repo:///{'a' * 300}", INVALID_PARAMS, "path_invalid", "255 bytes"),
        ("repo://elsewhere/README.md", NOT_FOUND, "not_found", "No root is called"),
        ("repo:/README.md", INVALID_PARAMS, "invalid_argument", "Give repo:///"),
        ("file:///etc/passwd", INVALID_PARAMS, "invalid_argument", "Give repo:///"),
        ("https://example.org/x", INVALID_PARAMS, "invalid_argument", "Give repo:///"),
        ("docs:///README.md", INVALID_PARAMS, "invalid_argument", "Give repo:///"),
        ("README.md", INVALID_PARAMS, "invalid_argument", "Give repo:///"),
        ("", INVALID_PARAMS, "invalid_argument", "uri"),
        ("repo:///a\0.md", INVALID_PARAMS, "invalid_argument", "NUL"),
        ("repo:///\ud800.md", INVALID_PARAMS, "invalid_argument", "surrogate"),
        ("repo:///" + "a" * MAX_URI_CHARS, INVALID_PARAMS, "invalid_argument", "16,384"),
        ("repo:///" + "%2e%2e/" * 150_000, INVALID_PARAMS, "invalid_argument", "16,384"),
        ("repo:///docs/img/huge.png", INVALID_PARAMS, "file_too_large", "max_file_bytes"),
        ("repo:///service/wide.py", INVALID_PARAMS, "limit_exceeded", "max_total_bytes_per_response"),
        ("repo:///tool.bin", INVALID_PARAMS, "binary_file", "Only text, images"),
        ("repo:///data.sqlite", INVALID_PARAMS, "binary_file", "Only text, images"),
        ("repo:///docs/img/gong.png#L1-L2", INVALID_PARAMS, "binary_file", ""),
        ("repo:///README.md#L9-L10", INVALID_PARAMS, "invalid_argument", "The file has 3 lines"),
        ("repo:///service/long.py#L9-L2", INVALID_PARAMS, "invalid_argument", "#L10-L20"),
    ],
)
def test_a_refusal_says_what_is_wrong_and_what_to_do(
    files: Files, uri: str, code: int, reason: str, words: str
) -> None:
    refused = files.refuse(uri)
    assert refused[:2] == (code, reason)
    assert words in refused[2]
    assert len(refused[2]) < 600
    assert str(files.repositories[0].config.root) not in refused[2]


def test_the_data_of_an_error_names_the_uri_only_where_it_can_be_sent(files: Files) -> None:
    for uri, is_named in (("repo:///nothing", True), ("repo:///\ud800", False), ("r" * 20_000, False)):
        answer: Any = files.ask(READ, uri=uri).structured
        assert answer["data"].get("uri") == (uri if is_named else None)


def test_every_kind_of_failure_has_a_code() -> None:
    codes = {code: choose_code(code) for code in ErrorCode}
    assert set(codes.values()) == {NOT_FOUND, INVALID_PARAMS, TRY_AGAIN, INTERNAL_ERROR}
    assert codes[ErrorCode.NOT_FOUND] == -32002
    assert codes[ErrorCode.INTERNAL] == INTERNAL_ERROR


PIECES = st.lists(
    st.sampled_from(
        [
            "..",
            "%2e%2e",
            "/",
            "%2F",
            "\\",
            "%5c",
            "docs",
            "README.md",
            ".env",
            "%2eenv",
            ".ssh",
            "#L1",
            "#L0-",
            "?",
            "%",
            "%zz",
            "%00",
            "%ff",
            "\u202e",
            "out.md",
            "key.md",
            "link",
            "~",
            "$HOME",
            ":",
            "//",
            "repo:",
            "\n",
        ]
    ),
    max_size=12,
)


@settings(
    max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(st.sampled_from(["repo:///", "repo://", "repo:", "REPO:///", "file:///", "", "docs:///"]), PIECES)
def test_no_uri_gives_what_is_denied_or_outside(files: Files, beginning: str, pieces: list[str]) -> None:
    answer = files.ask(READ, uri=beginning + "".join(pieces))  # which looks for the canary
    if not answer.is_error:
        assert "text" in answer.structured["contents"][0] or "blob" in answer.structured["contents"][0]  # type: ignore[index]


# Links


@pytest.mark.parametrize("query", ["doorbell chime", "gong", "large huge drawn gauge", "bells loud refused"])
def test_every_link_of_an_answer_can_be_read(files: Files, query: str) -> None:
    search = {tool.name: tool for one in files.toolsets for tool in one.tools}["search_docs"]
    answer = search.call({"query": query, "limit": 10}, CallContext(lambda: False))
    links = [block for block in answer.blocks if isinstance(block, ResourceLink)]
    assert links
    for link in links:
        read = files.read(link.uri)
        is_called_a_sound = link.uri.endswith("/text.wav")
        assert read["mimeType"] == ("text/plain" if is_called_a_sound else link.mime_type)
        data = base64.b64decode(read["blob"]) if "blob" in read else read["text"].encode()
        assert len(data) == link.size
    assert "repo:///docs/img/huge.png" not in [link.uri for link in links]


# The log and the limits of calls


def test_each_request_is_a_line_of_the_log(tmp_path: Path) -> None:
    files = Files(write_tree(tmp_path / "root", FILES), tmp_path / "data", ("repo",))
    files.ask(LIST)
    files.read("repo:///docs/guide.md#L1")
    files.refuse("repo:///.env")
    files.refuse("file:///x")
    shown = {tool.name: tool for one in files.toolsets for tool in one.tools}["repo.audit_log"].call(
        {}, CallContext(lambda: False)
    )
    entries: Any = json.loads(shown.text)["result"]["entries"]
    answered = [
        (
            one["tool"],
            one.get("arguments", {}).get("path", {}),
            one.get("error_code"),
            one.get("blocked", False),
        )
        for one in entries
    ]
    assert answered[:4] == [
        (LIST, {}, None, False),
        (READ, {"type": "path", "value": "docs/guide.md"}, None, False),
        (READ, {"type": "path", "class": "denied"}, "path_denied", True),
        (READ, {}, "invalid_argument", False),
    ]
    files.close()


# The wire


def test_conversations_about_resources_are_those_of_the_sdk(files: Files) -> None:
    """In every version: the capability, lists, templates, contents, errors and parameters that are wrong."""
    toolset = next(one for one in files.toolsets if one.name == "repo")
    asked: list[tuple[str, dict[str, Any]]] = [
        ("resources/list", {}),
        ("resources/list", {"cursor": "x"}),
        ("resources/templates/list", {}),
        ("resources/templates/list", {"cursor": "x"}),
        *(
            ("resources/read", {"uri": uri})
            for uri in (
                "repo:///README.md",
                "repo:///docs/img/gong.png",
                "repo:///service/hiding.py",
                "repo:///nothing",
                "repo:///.env",
                "file:///x",
                "\u2028",
            )
        ),
        ("resources/read", {"uri": 5}),
        ("resources/read", {}),
        ("resources/subscribe", {"uri": "repo:///README.md"}),
    ]
    for version in (*HANDSHAKE_VERSIONS, MODERN_VERSION):
        modern = version == MODERN_VERSION
        opening = {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT}
        first = ("server/discover", {}) if modern else ("initialize", opening)
        more: dict[str, Any] = {"_meta": ENVELOPE} if modern else {}
        frames = [
            {"id": number, "method": method, "params": params | more}
            for number, (method, params) in enumerate([first, *asked])
        ]
        answers, expected = ask_session(toolset, frames), ask_sdk([toolset], VERSION, frames)
        given_, wanted = drop_explanations(sort_lists(answers), sort_lists(expected))
        assert given_ == wanted
        declared = json.loads(answers[0])["result"]["capabilities"]["resources"]
        assert declared == {"listChanged": not modern, "subscribe": False}
        missing = json.loads(answers[8])["error"]
        assert missing["code"] == (INVALID_PARAMS if modern else NOT_FOUND)
        assert missing["data"] == {"reason": "not_found", "uri": "repo:///nothing"}


def test_a_list_waits_a_moment_for_what_is_being_opened(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "LIST_SECONDS", PATIENCE_SECONDS)
    client = PipeClient(toolset=files.toolsets[0], opens=False)
    opening = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}
    client.ask({"id": 0, "method": "initialize", "params": opening})
    client.send({"id": 1, "method": "resources/list"})
    assert json.loads(client.ask({"id": 2, "method": "ping"}))["id"] == 2  # which waits for no list
    client.session.note_open()
    answer = client.read()
    assert (answer["id"], len(answer["result"]["resources"])) == (1, 7)
    client.close()


def test_a_list_waits_no_longer_and_the_client_is_told_when_there_are_files(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client may ask for it before it offers any tool to its model."""
    monkeypatch.setattr(session, "LIST_SECONDS", 0.01)
    client = PipeClient(toolset=files.toolsets[0], opens=False)
    opening = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}
    client.ask({"id": 0, "method": "initialize", "params": opening})
    for number in (1, 2):
        answer = json.loads(client.ask({"id": number, "method": "resources/list"}))
        assert answer["result"] == {"resources": []}
    client.session.note_open()
    assert client.read() == {"jsonrpc": "2.0", "method": "notifications/resources/list_changed"}
    assert len(json.loads(client.ask({"id": 3, "method": "resources/list"}))["result"]["resources"]) > 5
    client.session.note_open()  # as when another root is opened
    assert json.loads(client.ask({"id": 4, "method": "ping"})) == {"jsonrpc": "2.0", "id": 4, "result": {}}
    client.close()


def test_a_toolset_without_files_offers_no_resources(files: Files) -> None:
    bare = replace(files.toolsets[0], name="t", find_resources=None)
    opening = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}
    frames = [
        {"id": 0, "method": "initialize", "params": opening},
        {"id": 1, "method": "resources/list", "params": {}},
    ]
    answers = ask_session(bare, frames)
    assert answers == ask_sdk([bare], VERSION, frames)
    assert "resources" not in json.loads(answers[0])["result"]["capabilities"]
    assert json.loads(answers[1])["error"]["code"] == -32601
