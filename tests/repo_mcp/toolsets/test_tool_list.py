"""What `tools/list` shows of every tool: its place, its picture, and whether it may be called as a task."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree

import pytest

from repo_mcp.config.server_config import load_config
from repo_mcp.protocol import instructions
from repo_mcp.protocol.frames import encode_json
from repo_mcp.protocol.messages import Answers
from repo_mcp.protocol.tool_listing import show_schema
from repo_mcp.protocol.tool_model import Toolset, name_tools
from repo_mcp.serving.toolset_loader import load_toolsets
from repo_mcp.toolsets import icons
from tests.repo_mcp.pipe_client import VERSION, build_tool, echo
from tests.repo_mcp.sdk_oracle import ask_sdk

ICONS = {"repo": icons.REPO, "retrieval": icons.RETRIEVAL, "graph": icons.GRAPH, "research": icons.RESEARCH}
MAX_ICON_BYTES = 250
MOST_SHOWN_BYTES = {"repo": 6_000, "all": 16_384}  # of name, description and input schema: what a model reads
FIRST_CHARS = 240
LIMITS = ("additionalProperties", "minLength", "maxLength", "maxItems", "minimum", "maximum")


@pytest.fixture
def toolsets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Toolset]:
    """Return every toolset that there is, before anything is opened."""
    for name in ("docs", "code"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(f"{name.upper()}_ROOT", str(tmp_path / name))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    config = load_config(str(tmp_path / "code"), toolsets=tuple(instructions.OF_TOOLSETS))
    return [loaded.toolset for loaded in load_toolsets(config, lambda warning: None)]


def _list(toolsets: list[Toolset]) -> list[dict[str, Any]]:
    answers = Answers(VERSION, "", offers_tasks=True)
    answers.set_tools(name_tools(toolsets).values())
    frame = answers.list_tools(1, modern=False)
    opening = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "0"},
    }
    frames = [{"id": 0, "method": "initialize", "params": opening}, {"id": 1, "method": "tools/list"}]
    assert json.loads(ask_sdk(toolsets, VERSION, frames, offers_tasks=True)[1]) == json.loads(frame)
    listed = json.loads(frame)["result"]["tools"]
    assert isinstance(listed, list)
    return listed


@pytest.mark.parametrize(
    ("name", "tools"),
    [
        ("repo", "repo.search repo.open_file repo.outline"),
        ("retrieval", "search get_snippet open_file"),
        ("graph", "search_symbols lookup_symbol get_callers get_callees"),
        ("research", "search_code search_docs code_research"),
    ],
)
def test_the_first_words_of_a_toolset_name_its_tools(name: str, tools: str) -> None:
    """Codex shows most models no more until they look for tools."""
    first = instructions.OF_TOOLSETS[name][:FIRST_CHARS]
    assert [tool for tool in tools.split() if tool not in first] == []


def test_the_first_words_of_repo_ask_for_names_that_are_guessed() -> None:
    assert "names that the code may use" in instructions.OF_TOOLSETS["repo"][:FIRST_CHARS]


def test_the_first_words_of_several_toolsets_name_tools_of_each(toolsets: list[Toolset]) -> None:
    served = {toolset.name: toolset for toolset in toolsets}
    for names in (names for count in range(1, len(served) + 1) for names in permutations(served, count)):
        said = instructions.join_instructions(names)
        words = said[:FIRST_CHARS].replace(",", " ").split()
        for name in names:
            assert {tool.name for tool in served[name].tools}.intersection(words), names
            assert instructions.OF_TOOLSETS[name] in said


def test_the_sdk_says_the_same_of_several_toolsets(toolsets: list[Toolset]) -> None:
    said = instructions.join_instructions(toolset.name for toolset in toolsets)
    params = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "0"},
    }
    (answer,) = ask_sdk(toolsets, VERSION, [{"id": 1, "method": "initialize", "params": params}])
    schemes = instructions.name_schemes(toolset.name for toolset in toolsets)
    assert schemes == ("repo", "docs", "code")
    assert answer == Answers(VERSION, said, schemes=schemes).initialize(1, "2025-06-18")


def test_tools_stand_in_the_order_in_which_they_were_registered() -> None:
    names = ["zebra", "echo", "apple", "Zebra", "_"]
    toolset = Toolset("t", tuple(build_tool(name, echo) for name in names))
    assert [tool["name"] for tool in _list([toolset])] == names


def test_a_tool_that_is_registered_again_is_replaced_in_its_place() -> None:
    first = Toolset("a", tuple(build_tool(name, echo) for name in ("one", "two", "three")))
    again = replace(build_tool("two", echo), description="another", title="Another")
    listed = _list([first, Toolset("b", (again, build_tool("four", echo)))])
    assert [tool["name"] for tool in listed] == ["one", "two", "three", "four"]
    assert (listed[1]["description"], listed[1]["title"]) == ("another", "Another")


def test_every_tool_has_all_that_a_client_wants(toolsets: list[Toolset]) -> None:
    assert {toolset.name for toolset in toolsets} == set(instructions.OF_TOOLSETS) == set(ICONS)
    for toolset in toolsets:
        for tool in _list([toolset]):
            assert tool["title"]
            assert tool["outputSchema"]["type"] == "object"
            assert tool["annotations"].keys() >= {"readOnlyHint", "destructiveHint", "openWorldHint"}
            src = ICONS[toolset.name]
            assert tool["icons"] == [{"mimeType": "image/svg+xml", "sizes": ["any"], "src": src}]


def test_what_a_model_reads_of_the_tools_is_short(toolsets: list[Toolset]) -> None:
    chosen = {"repo": [one for one in toolsets if one.name == "repo"], "all": toolsets}
    for name, own in chosen.items():
        tools = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in _list(own)]
        assert len(encode_json(tools).encode()) <= MOST_SHOWN_BYTES[name], name


def test_a_schema_is_shown_with_all_that_makes_a_call_right(toolsets: list[Toolset]) -> None:
    """Names, types, words and what is required: limits are said in words or are cut to."""
    for tool in (tool for toolset in toolsets for tool in toolset.tools):
        shown = show_schema(tool.input_schema)
        assert shown.get("required", []) == list(cast(Any, tool.input_schema)["required"])
        assert _drop(shown, "default") == _drop(tool.input_schema, *LIMITS, "default"), tool.name
        for name, one in cast(Any, shown)["properties"].items():
            whole = cast(Any, tool.input_schema)["properties"][name]
            said = "default" in whole.get("description", "").lower()
            assert said or one.get("default") == whole.get("default"), (tool.name, name)


def test_a_schema_that_names_its_dialect_is_shown_whole() -> None:
    """As the conformance suite asks: its words may be others than those of our lists."""
    address = {"type": "object", "properties": {"street": {"type": "string", "minLength": 1}}}
    schema: dict[str, object] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": address},
        "properties": {"address": {"$ref": "#/$defs/address"}},
        "additionalProperties": False,
    }
    assert show_schema(schema) == schema


def _drop(schema: Any, *keys: str) -> Any:
    """Return a schema without some keywords, and without what is empty."""
    if isinstance(schema, list | tuple):
        return [_drop(one, *keys) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inner = schema.get("items", {}).get("properties") if "items" in schema else None
    if inner and all(one.keys() - set(keys) == {"type"} for one in inner.values()):
        schema = schema | {"items": {"type": "object"}}  # the words of the list say what they are
    kept = {key: _drop(one, *keys) for key, one in schema.items() if key not in keys}
    return {
        key: one for key, one in kept.items() if one not in ("", []) or key not in ("description", "required")
    }


def test_pictures_are_small_different_and_nothing_but_shapes() -> None:
    assert len(set(ICONS.values())) == len(ICONS)
    for uri in ICONS.values():
        assert len(uri) <= MAX_ICON_BYTES
        head, _, data = uri.partition(",")
        assert head == "data:image/svg+xml;base64"
        drawing = ElementTree.fromstring(base64.b64decode(data, validate=True))
        kinds = {element.tag.partition("}")[2] for element in drawing.iter()}
        assert kinds <= {"svg", "path", "circle"}
        assert not any(
            name.startswith("on") or "href" in name for one in drawing.iter() for name in one.attrib
        )


def test_tasks_are_offered_where_some_tool_may_be_one(toolsets: list[Toolset]) -> None:
    with_tasks = {one.name for one in toolsets if any(tool.may_be_task for tool in one.tools)}
    assert with_tasks == instructions.WITH_TASKS
    assert instructions.offers_tasks(["repo", "research"])
    assert not instructions.offers_tasks(["repo", "graph", "retrieval"])
    for toolset in toolsets:
        support = [tool.get("execution") for tool in _list([toolset])]
        expected = [{"taskSupport": "optional"} if tool.may_be_task else None for tool in toolset.tools]
        assert support == expected


def test_the_tools_that_ask_to_be_shown_at_once_are_those_that_the_first_words_name(
    toolsets: list[Toolset],
) -> None:
    """A model has these before it looks for any; the list itself is compared with the SDK's."""
    said, _, _ = instructions.join_instructions(instructions.OF_TOOLSETS).partition("\n")
    named = set(re.findall(r"[\w.]+", said))
    listed = _list(toolsets)
    shown = [tool["name"] for tool in listed if tool.get("_meta") == {"anthropic/alwaysLoad": True}]
    assert shown == [tool["name"] for tool in listed if tool["name"] in named]
    assert len(shown) == 2 * len(toolsets)
