"""`search_docs` over real pipes, through the SDK's own client: links and sounds as that client reads them."""

from __future__ import annotations

import base64
import sys
from pathlib import Path

import anyio
from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from tests.forked import START
from tests.repo_mcp.stdio.retrieval_client import PATIENCE_SECONDS, build_environment
from tests.repo_mcp.toolsets.research.research_roots import CANARY
from tests.repo_mcp.toolsets.research.test_docs import MEDIA, PNG
from tests.written_trees import write_tree


def test_links_and_sounds_reach_the_client_of_the_sdk(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", MEDIA)
    (tmp_path / "home").mkdir()
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-c", START, "--repo-root", str(root), "--toolsets", "research"],
        env=build_environment(tmp_path / "home"),
        cwd=tmp_path,
    )

    async def ask() -> CallToolResult:
        with anyio.fail_after(PATIENCE_SECONDS):
            async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
                await session.initialize()
                assert "search_docs" in [tool.name for tool in (await session.list_tools()).tools]
                await session.call_tool("index_codebase", {"path": "."})
                answer = await session.call_tool("search_docs", {"query": "the chime", "limit": 1})
                assert isinstance(answer, CallToolResult)
                for link in (block for block in answer.content if isinstance(block, ResourceLink)):
                    (content,) = (await session.read_resource(link.uri)).contents
                    assert content.mime_type == link.mime_type
                    data = (
                        base64.b64decode(content.blob) if isinstance(content, BlobResourceContents) else b""
                    )
                    assert len(data) == link.size or isinstance(content, TextResourceContents)
                return answer

    answer = anyio.run(ask)
    assert not answer.is_error
    text, *blocks = answer.content
    assert isinstance(text, TextContent)
    links = {str(block.uri): block for block in blocks if isinstance(block, ResourceLink)}
    picture = links["repo:///docs/img/door%20bell.png"]
    assert (picture.mime_type, picture.size, picture.name) == ("image/png", len(PNG), "door bell.png")
    assert picture.description == "Plan of the doorbell; in Bells > Doorbell chime (docs/media.md)"
    assert picture.annotations is not None
    assert picture.annotations.audience == ["user"]
    assert picture.annotations.priority is not None
    (sound,) = [block for block in blocks if isinstance(block, AudioContent)]
    assert (sound.mime_type, base64.b64decode(sound.data)) == ("audio/wav", MEDIA["docs/sounds/chime.wav"])
    assert sound.annotations is not None
    assert CANARY not in answer.model_dump_json()
    assert str(root) not in answer.model_dump_json()
