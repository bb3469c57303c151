"""`code_research` as a client sees it: its shape, sizes and forms, its errors, progress and cancellation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.protocol.tool_model import Progress
from repo_mcp.research.findings.records import Form, TakenAs
from repo_mcp.toolsets.research.research_calls import THIN_BYTES
from repo_mcp.toolsets.research.research_schemas import FORMS, RESEARCH_INPUT, TAKEN_AS
from repo_mcp.toolsets.shown_text import ORDINARY_CHARS
from tests.repo_mcp.toolsets.research.research_roots import TREE, Served, check
from tests.written_trees import write_tree

MANY = 120
WIDE = "def target():\n    pass\n\n\n" + "".join(
    f"def caller_with_a_rather_long_name_{n}(first, second):\n    return target()\n\n\n" for n in range(MANY)
)
CROSSED = (
    "def crossed():\n    pass\n\n\n"
    + "".join(f"def middle_{n}():\n    crossed()\n\n\n" for n in range(3))
    + "".join(f"def outer_{n}():\n    middle_0()\n    middle_1()\n    middle_2()\n\n\n" for n in range(2))
)
PARCELS = "".join(
    f"def weigh_parcel_{n}(parcel):\n"
    + "".join(f"    if parcel.heavy_{at}:\n        parcel.weigh({at}, {n})\n" for at in range(40))
    + "\n\n"
    for n in range(18)
)
CONFORMING = """public protocol Authenticatable {}
struct User {}
extension User: Authenticatable {}
final class Guest: Authenticatable {}
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("code_research")
    files = {**TREE, "wide/wide.py": WIDE, "wide/crossed.py": CROSSED, "swift/Auth.swift": CONFORMING}
    files["wide/parcels.py"] = PARCELS
    with Served(write_tree(place / "service", files), place / "data") as served:
        yield served


def research(served: Served, query: str, **arguments: object) -> dict[str, Any]:
    return served.call("code_research", query=query, **arguments)


def test_callers_come_with_their_callers_and_the_chain(served: Served) -> None:
    result = research(served, "what calls check()")
    assert result["understood_as"]["form"] == "callers"
    found = [one["symbol"] for one in result["findings"]]
    assert found == ["SessionStore.check", "Authenticator.authenticate"]  # the path says the rest
    assert not result["call_chains"]  # the finding says the only call
    chain = research(served, "what calls check()", depth=2)["call_chains"][0]
    assert chain["symbols"] == ["service.auth.Authenticator.authenticate", "service.store.SessionStore.check"]
    assert chain["citations"] == ["service/auth.py:24"]
    caller = result["findings"][1]
    assert (caller["path"], caller["start_line"], caller["end_line"]) == ("service/auth.py", 18, 26)
    assert "\n24\t" in caller["excerpt"]
    assert caller["reference_lines"] == []  # the excerpt shows the only one
    assert "24\t    if not self.store.check(user, digest):\n" in caller["excerpt"]


def test_conforming_types_come_with_their_extensions(served: Served) -> None:
    from repo_mcp.languages.symbol_parsers import list_languages

    if "swift" not in list_languages():
        pytest.skip("no parser for swift")
    result = research(served, "all implementations of Authenticatable")
    found = {(one["symbol"], one["kind"]) for one in result["findings"] if one["hop"]}
    assert found == {("User", "extension"), ("User", "struct"), ("Guest", "class")}


def test_a_map_without_edges_is_left_out(served: Served) -> None:
    """Its nodes are the findings, which stand before it."""
    alone = research(served, "token", depth=1, limit=3)
    assert len(alone["findings"]) == 3
    assert "dependency_map" not in alone


def test_the_map_is_nodes_and_edges_and_mermaid_for_people(served: Served) -> None:
    assert "dependency_map" not in research(served, "what calls check()")  # it would repeat the findings
    shown = research(served, "what calls check()", depth=2)["dependency_map"]
    assert [one["id"] for one in shown["nodes"]] == ["n0", "n1"]
    (edge,) = shown["edges"]
    assert (edge["from"], edge["kind"], edge["to"]) == ("n1", "calls", "n0")
    text = served.call("code_research", query="what calls check()", depth=2, format="human")["text"]
    assert '  n1 -->|"calls"| n0' in text.splitlines()


def test_an_architecture_has_modules_and_layers(served: Served) -> None:
    result = research(served, "system structure", focus="architecture")
    assert result["modules"][0]["layer"] == 0
    assert {name for one in result["layers"] for name in one["modules"]} >= {
        "service/auth.py",
        "service/store.py",
    }


@pytest.mark.parametrize(("focus", "section"), [("architecture", "modules"), ("patterns", "shapes")])
def test_a_focus_has_its_sections(served: Served, focus: str, section: str) -> None:
    assert section in research(served, "what calls check()", focus=focus)
    assert section not in research(served, "what calls check()")


def test_an_ordinary_answer_is_short_and_more_comes_when_asked_for(served: Served) -> None:
    ordinary = served.ask("code_research", {"query": "what calls target"})
    assert len(ordinary.text) <= ORDINARY_CHARS
    result = check(served.tools["code_research"], ordinary)
    assert result["truncated"] is True
    assert 5 < len(result["findings"]) < result["total_findings"]
    asked = research(served, "what calls target", limit=200)
    assert any(f"{MANY - 40} more" in one["what"] for one in result["limits"])
    assert asked["total_findings"] == MANY + 1
    assert len(asked["findings"]) > result["total_findings"]


def test_an_answer_with_all_findings_has_all_chains_and_a_shorter_one_says_what_it_lacks(
    served: Served,
) -> None:
    whole = research(served, "what calls crossed()", depth=3)
    assert (len(whole["findings"]), len(whole["call_chains"]), whole["limits"]) == (6, 6, [])
    short = research(served, "what calls crossed()", depth=3, limit=4)
    assert len(short["call_chains"]) == 1
    assert short["limits"] == [
        {
            "what": "5 more call chains, 1 more entry points, 6 more nodes of the map",
            "why": "findings come first",
        }
    ]
    (others,) = short["surroundings"]
    assert others["what"] == "indirect callers"  # the direct ones come first
    (of_file,) = others["places"]  # which is named once
    assert [of_file.count(one) for one in ("outer_", "(", "wide/crossed.py:")] == [2, 2, 1]


def test_callers_of_callers_are_only_named_unless_a_depth_is_asked_for(served: Served) -> None:
    plain = research(served, "what calls crossed()")
    hops = {one.get("hop", 0) for one in plain["findings"]}
    assert hops == {0, 1}
    assert [one["what"] for one in plain["surroundings"]] == ["indirect callers"]
    deep = research(served, "what calls crossed()", depth=3)
    assert {one.get("hop", 0) for one in deep["findings"]} > hops
    many = research(served, "what calls target()")
    calling = [one for one in many["findings"] if one.get("hop")]
    assert all(one["excerpt"].count("\n") == 1 for one in calling)
    assert not any(one["reference_lines"] for one in calling)  # the excerpts are these lines


def test_where_nothing_fits_only_a_few_places_are_shown(tmp_path: Path) -> None:
    desks = "".join(
        f"def tidy_desk_{n}(desk):\n"
        + "".join(f"    if desk.drawer_{at}:\n        desk.sort({at}, {n})\n" for at in range(20))
        + "\n\n"
        for n in range(18)
    )
    notes = "# Notes\n\nThe courier brings the invoice, the parcel and the stamp on the weekend.\n"
    files = {"desk.py": desks, "notes.md": notes}
    served = Served(write_tree(tmp_path / "office", files), tmp_path / "data")
    result = research(served, "how does the desk tell a courier about the invoice parcel and stamp?")
    served.close()
    assert result["answer"].startswith("Nothing here fits the question well.")
    assert 'The word "courier" occurs at notes.md:3.' in result["answer"]
    assert len(json.dumps(result)) < 1.5 * THIN_BYTES  # what says nothing is not sent


def test_where_findings_are_cut_an_open_question_spends_one_entry_on_what_is_left_out(served: Served) -> None:
    query = "how is the middle crossed in the outer part"
    whole = research(served, query, limit=200)
    assert whole["understood_as"]["form"] == "open"
    assert whole["call_chains"]
    short = research(served, query, limit=2)
    assert short["call_chains"] == []
    (limit,) = short["limits"]
    assert limit["why"] == "findings come first"
    assert f"{len(whole['call_chains'])} more call chains" in limit["what"]


def test_a_declaration_of_which_only_the_first_line_fits_is_named_and_no_finding(served: Served) -> None:
    result = research(served, "how is a heavy parcel weighed")
    assert all(one["excerpt"].count("\n") > 1 for one in result["findings"])
    (also,) = [one["places"] for one in result["surroundings"] if one["what"] == "also found"]
    named = " ".join((*also, *(one["symbol"] for one in result["findings"])))
    assert len(set(re.findall(r"weigh_parcel_\d+", named))) > len(result["findings"])
    assert sum(map(len, also)) <= 1_300  # of 28 names one is part of an answer, and code needs the room


def test_every_form_of_question_is_in_the_schema() -> None:
    assert set(FORMS) == {form.value for form in Form}
    assert set(TAKEN_AS) == {one.value for one in TakenAs}


@pytest.mark.parametrize("amount", ["depth", "limit"])
def test_the_schema_gives_no_default_that_would_change_an_answer(amount: str) -> None:
    assert "default" not in RESEARCH_INPUT["properties"][amount]  # type: ignore[index]


def test_a_long_question_has_an_ordinary_answer(served: Served) -> None:
    question = "how are sessions opened " * 400
    answer = served.ask("code_research", {"query": question})
    assert len(answer.text) <= ORDINARY_CHARS
    assert check(served.tools["code_research"], answer)["findings"]


def test_depth_is_how_many_references_are_followed(served: Served) -> None:
    one = research(served, "what depends on SessionStore", depth=1)
    two = research(served, "what depends on SessionStore", depth=5)
    assert (one["depth"], two["depth"]) == (1, 5)
    assert {row["hop"] for row in one["findings"]} == {0, 1}


def test_the_form_for_people_says_the_same(served: Served) -> None:
    answer = served.ask("code_research", {"query": "what calls check()", "depth": 2, "format": "human"})
    text = answer.text
    assert text.startswith("# what calls check()\n\nSessionStore.check (service/store.py:")
    assert "\n\nUnderstood as: what calls service.store.SessionStore.check" in text
    for part in ("## Findings", "## Call chains", "## Dependency map", "```mermaid", "service/auth.py:18-26"):
        assert part in text
    assert check(served.tools["code_research"], answer) == {"format": "human", "text": text}
    whole = served.ask("code_research", {"query": "architecture", "format": "human"}).text
    assert "| module | files | strength |" in whole
    toon = served.ask("code_research", {"query": "what calls check()", "format": "toon"})
    assert "understood_as:" in toon.text


@pytest.mark.parametrize("focus", ["architecture", "dependencies", "patterns", "flow", None])
@pytest.mark.parametrize("form", ["json", "human", "toon"])
def test_every_focus_has_every_form(served: Served, focus: str | None, form: str) -> None:
    arguments = {"query": "how are people logged in", "format": form} | ({"focus": focus} if focus else {})
    answer = served.ask("code_research", arguments)
    assert not answer.is_error
    check(served.tools["code_research"], answer)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "Missing required argument: query"),
        ({"query": "  "}, "Query cannot be empty"),
        ({"query": "x", "depth": 0}, "depth"),
        ({"query": "x", "depth": -1}, "from 1 to 5"),
        ({"query": "x", "depth": True}, "depth"),
        ({"query": "x", "focus": "beauty"}, '"architecture", "dependencies", "patterns", "flow"'),
        ({"query": "x", "path": "nowhere"}, "Path does not exist or is not a directory: nowhere"),
        ({"query": "x", "path": "../"}, "outside"),
        ({"query": "x", "limit": 0}, "200"),
        ({"query": "x", "what": 1}, "Unknown argument"),
    ],
)
def test_what_cannot_be_asked_is_a_clear_error(
    served: Served, arguments: dict[str, object], said: str
) -> None:
    assert said in served.error("code_research", **arguments)


def test_a_folder_limits_what_is_shown(served: Served) -> None:
    result = research(served, "what calls check()", path="web")
    assert all(one["path"].startswith("web/") for one in result["findings"])


def test_each_hop_is_reported(served: Served) -> None:
    reported: list[Progress] = []
    served.ask("code_research", {"query": "what depends on SessionStore", "depth": 3}, report=reported.append)
    assert [one.done for one in reported] == sorted(one.done for one in reported)
    assert {one.total for one in reported} == {4}
    assert any("hop 1 of 3" in one.message for one in reported)


def test_a_cancelled_question_says_so(served: Served) -> None:
    answer = served.ask("code_research", {"query": "what calls check()"}, cancelled=lambda: True)
    assert answer.is_error
    assert "cancelled" in answer.text


def test_without_an_index_the_answer_says_what_to_do(tmp_path: Path) -> None:
    with Served(write_tree(tmp_path / "service", TREE), tmp_path / "data", index=False) as served:
        assert served.error("code_research", query="x") == (
            "No index found for path: . (the root). Run 'index_codebase' tool first."
        )
        served.repository.refresh()
        result = research(served, "what calls check()")
        assert any("search for the words" in warning for warning in result["warnings"])
        assert result["findings"]


def test_the_answer_is_the_same_each_time(served: Served) -> None:
    for query in ("what calls target", "architecture", "how are sessions kept"):
        arguments = {"query": query, "depth": 3}
        assert served.ask("code_research", arguments).text == served.ask("code_research", arguments).text


def test_a_question_is_shown_without_characters_that_hide_text(served: Served) -> None:
    text = served.call("code_research", query="what calls\0check\u202e", format="human")["text"]
    assert text.startswith("# what calls check\\u202e\n")


def test_more_than_the_most_is_cut_to_it_with_a_warning(served: Served) -> None:
    result = research(served, "what calls check()", depth=50, limit=10**9)
    assert result["depth"] == 5
    assert [one for one in result["warnings"] if "maximum" in one] == [
        "depth is above its maximum: 5 is used.",
        "limit is above its maximum: 200 is used.",
    ]
