"""A page that shows one summary from question to answer, with the SDK's client providing the model.

    python -m tests.examples.synthesis_page > docs/research-examples/synthesis.md

The model is scripted, so the page is always the same: it knows what to say, and takes the number of each
excerpt from what it is shown. It cannot state a fact whose line it is not shown. One sentence is made up.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult, CreateMessageRequestParams, CreateMessageResult, TextContent

from repo_mcp.live.index_report import CHANGING, NOT_COMPARED
from tests.architecture.source_tree import ROOT
from tests.forked import START
from tests.repo_mcp.stdio.retrieval_client import PATIENCE_SECONDS, build_environment

PAGE = ROOT / "docs" / "research-examples" / "synthesis.md"
CORPUS = ROOT / "tests" / "corpus" / "tiny_repo"
QUESTION = "how is the checksum of a book computed and when is a book refused?"
ARGUMENTS = {"query": QUESTION, "synthesize": True, "limit": 4}
# The model's sentences, and the line of the repository on which each is based.
FACTS = (
    ("The checksum adds up the bytes, and the sums of the bytes", "high += low;"),
    (
        "Both sums are reduced once per block of at most 5,552 bytes",
        "size_t block = length > 5552 ? 5552 : length;",
    ),
    ("They are returned as the two halves of 32 bits", "return (high << 16) | low;"),
    ("A book is refused for its first line that is no entry", 'raise ValueError(f"not an entry: {line!r}")'),
)
# A slow start may look like a change of the files: the question is asked again then.
OF_THE_MOMENT = (CHANGING, NOT_COMPARED, "The index is being refreshed")
MADE_UP = "A wrong checksum is repaired from a second copy [9]."
TEXT = """# A summary by the client's model

`search_code` with `synthesize` asks the client's own model for a summary, where the client offers that
(sampling). This page is one such call on `tests/corpus/tiny_repo`, over stdio, with the client of the MCP
SDK; a test makes it again and compares. The model is a script: it knows what to say, and finds in what it is
shown where that stands.

## The call

```json
{call}
```

## What the model is asked

Whole declarations, or of long ones the lines that decide, 12,000 characters at most. Each line of
the repository stands behind a `|`, so that no text in it can pass for the question.

```text
{system}

{prompt}
```

## What it says

The last sentence is made up.

```text
{said}
```

## What the client gets

The numbers have become places. The sentence that cites an excerpt that it was not shown is left out, and a
warning says so. The results beside the summary, and what to ask next, are left out here.

```json
{summary}
```
"""


@dataclass(slots=True)
class Show:
    """The record of what happened."""

    asked: list[CreateMessageRequestParams] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    answer: dict[str, Any] = field(default_factory=dict)

    @property
    def prompt(self) -> str:
        """Return the text that the model was asked with."""
        content = self.asked[0].messages[0].content
        assert isinstance(content, TextContent)
        return content.text


def say(prompt: str) -> str:
    """Return what the scripted model says to a prompt: what it is shown, with the number of each excerpt."""
    _, *parts = re.split(r"^Excerpt \[(\d+)\].*$", prompt, flags=re.MULTILINE)
    excerpts = list(zip(parts[::2], parts[1::2], strict=True))
    sentences = []
    for words, line in FACTS:
        shown = [number for number, text in excerpts if line in text]
        sentences.append(f"{words} [{', '.join(shown)}]." if shown else f"{words}: that is not shown.")
    return "\n".join([*sentences, MADE_UP])


def make_show(place: Path) -> Show:
    """Ask a server of a copy of the tiny repository in `place`, over stdio."""
    shutil.copytree(CORPUS, place / "tiny_repo")
    (place / "home").mkdir()
    show = Show()
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-c", START, "--repo-root", str(place / "tiny_repo"), "--toolsets", "research"],
        env=build_environment(place / "home"),
        cwd=place,
    )

    async def answer(_context: object, params: CreateMessageRequestParams) -> CreateMessageResult:
        show.asked.append(params)
        show.said.append(say(show.prompt))
        content = TextContent(type="text", text=show.said[0])
        return CreateMessageResult(role="assistant", content=content, model="script")

    async def talk() -> None:
        with anyio.fail_after(PATIENCE_SECONDS):
            async with (
                stdio_client(parameters) as streams,
                ClientSession(*streams, sampling_callback=answer) as session,
            ):
                await session.initialize()
                await session.call_tool("index_codebase", {"path": "."})
                while not show.answer or _is_of_the_moment(show.answer):
                    show.asked.clear()
                    show.said.clear()
                    found = await session.call_tool("search_code", ARGUMENTS)
                    assert isinstance(found, CallToolResult)
                    assert found.structured_content is not None
                    show.answer = found.structured_content

    anyio.run(talk)
    return show


def _is_of_the_moment(answer: Mapping[str, Any]) -> bool:
    """Return True for an answer that was given while the tree was still being looked at."""
    return any(one.startswith(OF_THE_MOMENT) for one in answer.get("warnings", ()))


def render(show: Show) -> str:
    """Return the page."""
    summary = {key: value for key, value in show.answer["summary"].items() if key != "follow_ups"}
    shown = {"summary": summary, "warnings": show.answer["warnings"]}
    return TEXT.format(
        call=json.dumps({"name": "search_code", "arguments": ARGUMENTS}, indent=1),
        system=show.asked[0].system_prompt,
        prompt=show.prompt.rstrip("\n"),
        said=show.said[0],
        summary=json.dumps(shown, indent=1),
    )


def main() -> int:
    """Print the page."""
    with tempfile.TemporaryDirectory() as place:
        sys.stdout.write(render(make_show(Path(place))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
