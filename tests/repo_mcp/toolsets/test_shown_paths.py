"""A path goes back into a call as an answer shows it, whatever characters it has, and never further."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.repository import Repository
from repo_mcp.toolsets.graph import bind_toolset
from tests.repo_mcp.indexed_roots import open_indexed
from tests.repo_mcp.toolsets.repo.repo_calls import call

NAMES = (
    "escape\x1b[31m.py",
    "line\nfeed.py",
    "zero\u200bwidth/in\u202eside.py",
    "\x01" * 60 + ".py",  # longer than any name when it is shown
    "spelled\\u200b.py",
    "back\\slash.py",
    "nai\u0308ve\u00a0.py",
)


@pytest.fixture
def odd(tmp_path: Path) -> Iterator[Repository]:
    with open_indexed(
        tmp_path / "root", {name: f"NUMBER = {place}\n" for place, name in enumerate(NAMES)}
    ) as odd:
        yield odd


def call_graph(repository: Repository, name: str, **arguments: object) -> Any:
    tools = bind_toolset(repository.config.limits, lambda: (repository, None)).tools
    tool = next(tool for tool in tools if tool.name == name)
    return json.loads(tool.call(arguments, CallContext(lambda: False)).text)


def test_every_listed_path_opens_as_it_is_shown(odd: Repository) -> None:
    listed = [file["path"] for file in call(odd, "repo.list_files")["result"]["files"]]
    read = set()
    for path in listed:
        opened = call(odd, "repo.open_file", path=path)["result"]
        assert opened["path"] == path
        assert call_graph(odd, "read_file", path=path)["content"] == opened["content"].partition("\t")[2]
        assert call(odd, "repo.outline", path=path)["result"]["path"] == path
        read.add(opened["content"])
    assert len(read) == len(listed) == len(NAMES)


def test_a_folder_and_a_glob_are_taken_as_they_are_shown(odd: Repository) -> None:
    (folder,) = [
        one["name"] for one in call_graph(odd, "list_directory")["result"] if one["type"] == "directory"
    ]
    assert folder == "zero\\u200bwidth"
    assert [one["name"] for one in call_graph(odd, "list_directory", path=folder)["result"]] == [
        "in\\u202eside.py"
    ]
    found = call(odd, "repo.search", query="NUMBER", mode="literal", file_glob=f"{folder}/*")
    assert [hit["path"] for hit in found["result"]["hits"]] == ["zero\\u200bwidth/in\\u202eside.py"]


def test_a_hint_names_a_path_as_it_can_be_given(odd: Repository) -> None:
    hint = call(odd, "repo.open_file", path="linefeed.py")["error"]["hint"]
    assert "'line\\u000afeed.py'" in hint


def test_no_escape_leads_to_what_is_denied_or_outside(odd: Repository) -> None:
    root = Path(odd.config.root)
    (root.parent / "outside.py").write_text("canary\n")
    for name in (".env", ".env\u200b", "id_rsa\u202e", "secrets\u200d.py"):
        (root / name).write_text("canary\n")
    (root / "out\u200b.py").symlink_to(root.parent / "outside.py")
    for path, code in (
        (r".env", "path_denied"),
        (r".env\u200b", "path_denied"),
        (r".en\u200bv", "path_denied"),  # whether there is one or not
        (r"id_rsa\u202e", "path_denied"),
        (r"secrets\u200d.py", "path_denied"),
        (r".git\u200b/config", "path_denied"),
        (r"out\u200b.py", "path_escape"),
        (r"\u200b/../../outside.py", "path_escape"),
        (r"\u002e\u002e\u002foutside.py", "not_found"),
        (r"a\u0000", "not_found"),
    ):
        envelope = call(odd, "repo.open_file", path=path)
        assert envelope["error"]["code"] == code, path
        assert "canary" not in json.dumps(envelope)
