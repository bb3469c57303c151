"""`code_research` over real pipes, through the SDK's own client: the scenarios of specification 4."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import anyio
import pytest
from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

from repo_mcp.languages.symbol_parsers import list_languages
from tests.forked import START
from tests.repo_mcp.stdio.retrieval_client import PATIENCE_SECONDS, build_environment
from tests.repo_mcp.toolsets.research.research_roots import TREE
from tests.written_trees import write_tree

FILES = {
    **TREE,
    "service/api.py": "from service.auth import Authenticator\nfrom service.store import SessionStore\n\n\n"
    "def login(request):\n    store = SessionStore()\n"
    "    return Authenticator(store).authenticate(request.user, request.word)\n\n\n"
    "def handle(request):\n    return login(request)\n",
    "Sources/Auth.swift": "public protocol Authenticatable {}\nfinal class Guest: Authenticatable {}\n",
    "Sources/User.swift": "struct User {}\nextension User: Authenticatable {}\n",
}
Reports = list[tuple[float, float | None, str | None]]
Asked = tuple[dict[str, Any], Reports]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Asked]:
    """Return what the server says to each question, and the progress that it reported."""
    place = tmp_path_factory.mktemp("stdio")
    root = write_tree(place / "root", FILES)
    (place / "home").mkdir()
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-c", START, "--repo-root", str(root), "--toolsets", "research"],
        env=build_environment(place / "home"),
        cwd=place,
    )
    questions: dict[str, dict[str, Any]] = {
        "implementations": {"query": "all implementations of Authenticatable"},
        "deep": {"query": "what depends on SessionStore", "depth": 5},
        "focus": {"query": "system structure", "focus": "architecture"},
        "callers": {"query": "what calls authenticate()"},
        "not deep": {"query": "x", "depth": 0},
    }

    async def ask() -> dict[str, Asked]:
        found: dict[str, Asked] = {}
        with anyio.fail_after(PATIENCE_SECONDS):
            async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
                await session.initialize()
                await session.call_tool("index_codebase", {"path": "."})
                for name, arguments in questions.items():
                    expected: Reports = []

                    async def note(
                        done: float, total: float | None, said: str | None, expected: Reports = expected
                    ) -> None:
                        expected.append((done, total, said))

                    answer: Any = await session.call_tool("code_research", arguments, progress_callback=note)
                    found[name] = (answer.structured_content | {"failed": answer.is_error}, expected)
        return found

    return anyio.run(ask)


@pytest.mark.skipif("swift" not in list_languages(), reason="no parser for swift")
def test_all_conforming_types_with_extension_conformances(answers: Mapping[str, Asked]) -> None:
    found, _ = answers["implementations"]
    assert {(one["symbol"], one["kind"]) for one in found["findings"] if one.get("hop")} == {
        ("Guest", "class"),
        ("User", "extension"),
        ("User", "struct"),
    }


def test_references_are_followed_five_levels_deep_and_mapped(answers: Mapping[str, Asked]) -> None:
    found, reported = answers["deep"]
    assert found["depth"] == 5
    assert {"Authenticator.__init__", "api.login", "api.handle"} <= {
        one["symbol"] for one in found["findings"]
    }
    assert found["dependency_map"]["edges"]
    assert reported[-1][:2] == (6.0, 6.0)  # of hops that take no time the server tells less often


def test_a_focus_on_architecture_identifies_the_structure(answers: Mapping[str, Asked]) -> None:
    found, _ = answers["focus"]
    modules = {one["name"]: one for one in found["modules"]}
    assert modules["service/store.py"]["layer"] < modules["service/auth.py"]["layer"]
    assert modules["service/auth.py"]["layer"] < modules["service/api.py"]["layer"]


def test_callers_and_their_callers_are_shown_as_a_chain(answers: Mapping[str, Asked]) -> None:
    found, reported = answers["callers"]
    chain = ["service.api.handle", "service.api.login", "service.auth.Authenticator.authenticate"]
    assert chain in [one["symbols"] for one in found["call_chains"]]
    assert [done for done, _, _ in reported] == sorted(done for done, _, _ in reported)
    assert reported


def test_a_depth_of_zero_is_an_error_that_says_the_limits(answers: Mapping[str, Asked]) -> None:
    found, _ = answers["not deep"]
    assert found["failed"] is True
    assert "from 1 to 5" in found["error"]["message"]
