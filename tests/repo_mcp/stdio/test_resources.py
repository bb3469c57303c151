"""Resources over real pipes and over HTTP: the same from both, with every toolset, and as roots change."""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import ClientSession, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import BlobResourceContents, TextResourceContents

from tests.forked import START
from tests.http_served import OPENING, HttpServed
from tests.repo_mcp.stdio.retrieval_client import PATIENCE_SECONDS, build_environment
from tests.repo_mcp.stdio.test_found_root import serving
from tests.repo_mcp.toolsets.research.research_roots import CANARY
from tests.repo_mcp.toolsets.research.test_docs import PNG
from tests.written_trees import write_tree

FILES: dict[str, str | bytes] = {"README.md": "# Ledger\n", "docs/plan.png": PNG, ".env": f"KEY={CANARY}\n"}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_tree(tmp_path / "ledger", FILES)
    (tmp_path / "ledger" / ".git").mkdir()
    write_tree(tmp_path / "handbook", {"guide.md": "# Guide\n"})
    write_tree(tmp_path / "atlas", {"README.md": "# Atlas\n"})
    (tmp_path / "home").mkdir()
    return tmp_path


def test_every_root_of_every_toolset_is_listed_and_read(place: Path) -> None:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=[
            "-c",
            START,
            "--repo-root",
            str(place / "ledger"),
            "--toolsets",
            "retrieval,graph,repo,research",
        ],
        env=build_environment(
            place / "home", DOCS_ROOT=str(place / "handbook"), CODE_ROOT=str(place / "atlas")
        ),
        cwd=place,
    )

    async def talk() -> None:
        with anyio.fail_after(PATIENCE_SECONDS):
            async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
                opened = await session.initialize()
                assert opened.capabilities.resources is not None
                templates = (await session.list_resource_templates()).resource_templates
                assert [one.uri_template for one in templates] == [
                    "docs:///{+path}",
                    "code:///{+path}",
                    "repo:///{+path}",
                ]
                read = (await session.read_resource("repo:///README.md")).contents  # waits until it is open
                assert isinstance(read[0], TextResourceContents)
                listed = (await session.list_resources()).resources
                assert [str(one.uri) for one in listed] == [
                    "docs:///guide.md",
                    "code:///README.md",
                    "repo:///README.md",
                    "repo:///docs/plan.png",
                ]
                for one in listed:
                    (content,) = (await session.read_resource(one.uri)).contents
                    if isinstance(content, BlobResourceContents):
                        assert base64.b64decode(content.blob) == PNG
                    else:
                        assert len(content.text) == one.size
                for uri in ("repo:///.env", "docs:///../ledger/.env", "other:///x"):
                    with pytest.raises(MCPError) as refused:
                        await session.read_resource(uri)
                    assert refused.value.error.code == (-32602 if uri == "other:///x" else -32002)
                    assert CANARY not in refused.value.error.model_dump_json()

    anyio.run(talk)


def test_http_answers_as_stdio_does(place: Path) -> None:
    asked: list[tuple[str, dict[str, Any]]] = [
        ("resources/read", {"uri": "repo:///README.md"}),
        ("resources/read", {"uri": "repo:///docs/plan.png"}),
        ("resources/read", {"uri": "repo:///.env"}),
        ("resources/read", {"uri": "repo:///" + "a" * 1_000_000}),
        ("resources/read", {"uri": "repo:///%00"}),
        ("resources/list", {}),
        ("resources/templates/list", {}),
    ]
    frames = [
        {"id": number, "method": method, "params": params} for number, (method, params) in enumerate(asked, 2)
    ]
    with serving(place, place / "ledger") as process:
        process.open()
        over_pipes = []
        for frame in frames:
            process.send(frame)
            over_pipes.append(process.read())
    server = HttpServed(place / "ledger")
    _, session, _ = server.post(OPENING)
    over_http = [_read_body(server.post({"jsonrpc": "2.0"} | frame, session)[2]) for frame in frames]
    server.end()
    assert over_http == over_pipes
    assert CANARY not in json.dumps(over_http)


def _read_body(body: bytes) -> Any:
    """Return the message in an answer, which may be an event."""
    data = [line.removeprefix(b"data: ") for line in body.splitlines() if line.startswith((b"data: {", b"{"))]
    return json.loads(data[-1])


def test_a_client_that_names_other_roots_is_told_that_the_list_is_another(place: Path) -> None:
    def list_names(process: Any, request_id: int) -> list[str]:
        process.send({"id": request_id, "method": "resources/list"})
        return [one["uri"] for one in process.read()["result"]["resources"]]

    with serving(place, place) as process:
        process.open(roots={"listChanged": True})
        request = process.read()
        assert request["method"] == "roots/list"
        assert list_names(process, 1) == []  # nothing is open, and the roots are not known
        uris = [{"uri": (place / name).as_uri()} for name in ("ledger", "atlas")]
        process.send({"id": request["id"], "result": {"roots": uris[:1]}})
        changed = {"jsonrpc": "2.0", "method": "notifications/resources/list_changed"}
        assert process.read() == changed
        assert list_names(process, 2) == ["repo:///README.md", "repo:///docs/plan.png"]
        process.send({"method": "notifications/roots/list_changed"})
        request = process.read()
        process.send({"id": request["id"], "result": {"roots": uris[::-1]}})
        reported = [process.read(), process.read()]  # the tools have an argument more
        assert changed in reported
        assert list_names(process, 3) == [
            "repo://atlas/README.md",
            "repo://ledger/README.md",
            "repo://ledger/docs/plan.png",
        ]
        process.send({"id": 4, "method": "resources/templates/list"})
        templates = process.read()["result"]["resourceTemplates"]
        assert [one["uriTemplate"] for one in templates] == ["repo:///{+path}", "repo://{root}/{+path}"]
