"""`repo.outline`: what of an outline is given, and what is left out first."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, cast

import jsonschema
import pytest

from repo_mcp.config.server_config import Config, Limits
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import Outline, Symbol
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.toolsets.repo import build_toolset


class StandIn:
    """Gives the outline it was told to give."""

    adapters = ("python",)
    warnings: tuple[str, ...] = ()

    def __init__(self, *symbols: Symbol, limits: Limits | None = None, **fields: Any) -> None:
        self.config = replace(Config(root="/srv/code"), limits=limits or Limits())
        self.given = replace(Outline("a.py", "python", symbols, "ast"), **fields)
        self.asked: list[str] = []

    def outline(self, path: str) -> Outline:
        self.asked.append(path)
        if path == "no.py":
            raise RepoError(ErrorCode.NOT_FOUND, "There is no file.")
        return self.given


def call(repository: StandIn, **arguments: Any) -> dict[str, Any]:
    toolset = build_toolset(cast(Any, repository))
    tool = next(tool for tool in toolset.tools if tool.name == "repo.outline")
    answer = tool.call(arguments, CallContext(lambda: False))
    envelope = json.loads(answer.text)
    jsonschema.validate(envelope, cast(Any, tool.output_schema))
    assert answer.is_error == (not envelope["ok"])
    return cast(dict[str, Any], envelope)


def symbol(kind: str, name: str, line: int, parent: str | None = None) -> Symbol:
    return Symbol(kind, name, f"def {name}()", line, line, None, parent, "module", False, None)


TREE = (
    symbol("class", "A", 1),
    symbol("method", "m", 2, "A"),
    symbol("function", "inner", 3, "A.m"),
    symbol("class", "B", 4),
    symbol("method", "n", 5, "B"),
)


def names(envelope: dict[str, Any]) -> list[str]:
    return [one["name"] for one in envelope["result"]["symbols"]]


def test_every_field_of_a_symbol_is_given() -> None:
    one = Symbol("method", "m", "def m(self)", 3, 9, "Does.", "A", "class", True, "if x")
    envelope = call(StandIn(one), path="a.py")
    assert envelope["result"] == {
        "path": "a.py",
        "language": "python",
        "symbols": [
            {
                "kind": "method",
                "name": "m",
                "signature": "def m(self)",
                "start_line": 3,
                "end_line": 9,
                "doc": "Does.",
                "parent_symbol": "A",
                "scope_kind": "class",
                "is_conditional": True,
                "decl_context": "if x",
            }
        ],
        "truncated": False,
        "parser": "ast",
    }
    assert envelope["warnings"] == []


def test_depth_and_kinds_choose() -> None:
    repository = StandIn(*TREE)
    assert names(call(repository, path="a.py")) == ["A", "m", "inner", "B", "n"]
    assert names(call(repository, path="a.py", max_depth=1)) == ["A", "B"]
    assert names(call(repository, path="a.py", max_depth=2)) == ["A", "m", "B", "n"]
    assert names(call(repository, path="a.py", kinds=["method", "function"])) == ["m", "inner", "n"]
    assert names(call(repository, path="a.py", kinds=["function"], max_depth=2)) == []
    assert repository.asked == ["a.py"] * 5


def test_a_choice_that_leaves_nothing_says_what_there_is() -> None:
    envelope = call(StandIn(*TREE), path="a.py", kinds=["heading"])
    assert envelope["warnings"] == [
        "nothing in this file is of these kinds and depths; its kinds are: class, function, method"
    ]
    assert not envelope["result"]["truncated"]


def test_the_most_nested_go_first_and_the_order_stays() -> None:
    tops = [symbol("class", f"C{number}", 3 * number + 1) for number in range(60)]
    inner = [symbol("method", "m", one.start_line + 1, one.name) for one in tops]
    both = sorted((*tops, *inner), key=lambda one: one.start_line)
    envelope = call(StandIn(*both), path="a.py")
    given = envelope["result"]["symbols"]
    assert envelope["result"]["truncated"]
    assert 60 < len(given) < 120
    assert [one["name"] for one in given if one["kind"] == "class"] == [one.name for one in tops]
    assert [one["start_line"] for one in given] == sorted(one["start_line"] for one in given)
    assert f"cut to {len(given)} of 120 symbols" in envelope["warnings"][0]
    assert len(json.dumps(envelope, separators=(",", ":"))) <= 19_000
    assert not call(StandIn(*both), path="a.py", max_depth=2)["result"]["truncated"]


def test_an_outline_that_is_itself_cut_says_so() -> None:
    envelope = call(StandIn(*TREE, truncated=True, warnings=("only the first 5",)), path="a.py")
    assert envelope["result"]["truncated"]
    assert envelope["warnings"] == ["only the first 5"]


def test_what_could_hide_is_escaped() -> None:
    hiding = Symbol("class\u202e", "a\u200b", "x\x1b[0m", 1, 1, "\u2066", "\x00", None, None, "\x07")
    row = call(StandIn(hiding), path="a.py")["result"]["symbols"][0]
    assert row["name"] == "a\\u200b"
    assert row["signature"] == "x\\u001b[0m"
    assert (row["kind"], row["doc"], row["decl_context"]) == ("class\\u202e", "\\u2066", "\\u0007")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({}, "path"),
        ({"path": ""}, "path"),
        ({"path": "a", "max_depth": 0}, "max_depth"),
        ({"path": "a", "max_depth": True}, "max_depth"),
        ({"path": "a", "kinds": "class"}, "kinds"),
        ({"path": "a", "kinds": [1]}, "kinds[0]"),
        ({"path": "a", "kinds": ["x"] * 33}, "kinds"),
        ({"path": "a", "depth": 1}, "depth"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, Any], word: str) -> None:
    envelope = call(StandIn(*TREE), **arguments)
    assert envelope["error"]["code"] == "invalid_argument"
    assert word in envelope["error"]["message"]


def test_failures_are_envelopes() -> None:
    assert call(StandIn(), path="no.py")["error"]["code"] == "not_found"
