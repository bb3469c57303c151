"""Brief hits: behind the first ones, which show declarations, a page only says where others are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.model import Hit
from repo_mcp.ranking.page.snippets import FEW_WHOLE_LINES, WHOLE_LINES
from repo_mcp.ranking.ranked_answer import (
    FAR_SHARE,
    FAR_SHARE_OF_REPORT,
    NEAR_SHARE,
    NEAR_SHARE_OF_REPORT,
    choose_room,
)
from repo_mcp.record_classes import replace
from repo_mcp.repository import Repository
from repo_mcp.toolsets.repo.copies import join_brief, name_joined
from repo_mcp.toolsets.repo.hit_rows import render_brief, write_brief, write_hit
from tests.repo_mcp.indexed_roots import open_indexed
from tests.repo_mcp.toolsets.repo.repo_calls import call

QUESTION = "how can I revert the booking of a ledger entry before the fiscal quarter closes"
PASTED = f"{QUESTION}\n\n```\nrevert(entry)\n```\n"
PADDING = "\n\ndef keep_on(value):\n    return value\n" * 40
FILES = {
    **{f"best{at}.py": f"def revert_booking_{at}():\n    '{QUESTION}'\n    return {at}\n" for at in range(6)},
    **{
        f"middle{at}.py": f"class Row{at}:\n    def write(self):\n        return 'an entry, a ledger {at}'\n"
        for at in range(2)
    },
    "middle2.py": "NOTE = 'an entry of a ledger'\n",
    **{
        f"tests/test_weak{at}.py": f"def use_{at}(x):\n    return x.entry + {at}\n{PADDING}"
        for at in range(30)
    },
}
BRIEF = {"path", "start_line", "end_line", "snippet", "score"}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    with open_indexed(tmp_path_factory.mktemp("brief") / "root", FILES) as repository:
        yield repository


def search(repository: Repository, **arguments: object) -> Any:
    return call(repository, "repo.search", **{"query": QUESTION} | arguments)["result"]


def test_hits_behind_the_fifth_are_brief(repository: Repository) -> None:
    hits = search(repository)["hits"]
    assert [hit["path"][:4] for hit in hits] == ["best"] * 6 + ["midd"] * 3
    assert all(set(hit) > BRIEF and "symbol_lines" in hit for hit in hits[:5])
    assert all(set(hit) == BRIEF for hit in hits[5:])
    shown = {hit["path"]: (hit["start_line"], hit["end_line"], hit["snippet"]) for hit in hits[5:]}
    assert shown["middle0.py"] == (2, 3, "2\t    def write(self):\n")
    assert shown["middle2.py"] == (1, 1, "1\tNOTE = 'an entry of a ledger'\n")


def test_hits_with_far_less_than_the_best_score_are_brief(repository: Repository) -> None:
    hits = search(repository, file_glob="{best0,middle*}.py")["hits"]
    assert [set(hit) == BRIEF for hit in hits] == [False, True, True, True]
    assert hits[1]["score"] < NEAR_SHARE * hits[0]["score"]


def test_a_page_ends_before_hits_that_score_next_to_nothing(repository: Repository) -> None:
    page = search(repository)
    rest = search(repository, cursor=page["cursor"])
    assert page["truncated"]
    assert [hit["path"][:4] for hit in rest["hits"]] == ["test"] * 10
    assert all(set(hit) == BRIEF for hit in rest["hits"])
    scores = [hit["score"] for hit in page["hits"] + rest["hits"]]
    assert scores[8] >= FAR_SHARE * scores[0] > scores[9]
    assert len(search(repository, top_k=12)["hits"]) == 12  # who asks for twelve gets them


def test_a_page_for_pasted_text_ends_sooner(repository: Repository) -> None:
    page = search(repository, query=PASTED)
    assert [hit["path"][:4] for hit in page["hits"]] == ["best"] * 6
    following = search(repository, query=PASTED, cursor=page["cursor"])["hits"]
    assert [hit["path"][:4] for hit in following[:3]] == ["midd"] * 3
    best = page["hits"][0]["score"]
    assert FAR_SHARE < following[0]["score"] / best < FAR_SHARE_OF_REPORT
    assert len(search(repository, query=PASTED, top_k=10)["hits"]) == 10


def test_hits_of_pasted_text_are_brief_from_a_higher_score_on(tmp_path: Path) -> None:
    second = "def revert_entry():\n    'revert the ledger entry quarter'\n    return 4\n"
    with open_indexed(tmp_path / "root", FILES | {"second.py": second}) as repository:
        asked, pasted = (
            search(repository, query=query, file_glob="{best0,second}.py")["hits"]
            for query in (QUESTION, PASTED)
        )
    assert [[set(hit) == BRIEF for hit in hits] for hits in (asked, pasted)] == [[False] * 2, [False, True]]
    for hits in (asked, pasted):
        assert NEAR_SHARE < hits[1]["score"] / hits[0]["score"] < NEAR_SHARE_OF_REPORT


def test_as_text_a_brief_hit_is_named_with_its_span(repository: Repository) -> None:
    hits = search(repository, detail="text")["hits"]
    assert "middle0.py\n2-3 Row0.write" in hits[4:]
    assert "middle2.py\n1:NOTE = 'an entry of a ledger'" in hits[4:]


def test_who_asks_for_the_explanation_gets_all_of_every_hit(repository: Repository) -> None:
    hits = search(repository, explain=True)["hits"]
    assert all(set(hit) > {"matched_terms", "explanation"} for hit in hits)
    assert all("symbol_lines" in hit for hit in hits if hit["path"] != "middle2.py")


def test_a_brief_hit_names_a_declaration_that_its_line_does_not_name() -> None:
    hit = Hit("a.rb", 4, 4, "4\t  attr :x\n", 1.5, ("x",), "Ledger.y=", symbol_lines=(3, 5), symbol_name="y=")
    copy = Hit("b.rb", 9, 9, "9\t  attr :x\n", 1.5, ("x",), "Ledger.y=", symbol_lines=(8, 10))
    row = render_brief(hit, [copy])
    assert (row["start_line"], row["end_line"], row["symbol"], row["copies"]) == (
        3,
        5,
        "Ledger.y=",
        ["b.rb:8-10"],
    )
    assert write_brief(hit, [copy]) == "a.rb\n3-5 Ledger.y=\nsame lines in b.rb:8-10"


def test_a_long_line_of_a_brief_hit_is_cut_as_text() -> None:
    line = "word " * 40
    hit = Hit("a.php", 4, 4, f"4\t    {line}\n", 1.5, ("word",), None)
    assert write_brief(hit, []) == f"a.php\n4:{line[:100]}…"
    assert render_brief(hit, [])["snippet"] == hit.snippet
    behind = Hit("a.php", 4, 4, f"4\t{line}Late {line}\n", 1.5, ("late", "stemmed"), None)
    shown = (line + "Late " + line)[170:270]
    assert write_brief(behind, []) == f"a.php\n4:…{shown}…"


def build_hit(path: str, name: str, first: int, last: int, **fields: Any) -> Hit:
    lines = (first, last)
    own = name.rpartition(".")[2]
    return Hit(
        path, first, last, f"{first}\tx\n", 1.0, (), name, symbol_lines=lines, symbol_name=own, **fields
    )


def test_a_brief_hit_joins_an_earlier_one_of_its_declaration_and_as_text_of_its_file() -> None:
    hits = [
        build_hit("a.py", "Ledger.post", 3, 9),
        build_hit("b.py", "Book", 1, 9),
        build_hit("a.py", "Ledger.close", 12, 15),
        build_hit("c.py", "Ledger.close", 2, 5),  # a copy of the one before, which joins the first
        build_hit("a.py", "Ledger.post", 3, 9),
        Hit("a.py", 40, 40, "40\ty = 1\n", 0.5, (), None),
    ]
    firsts = [0, 1, 2, 2, 4, 5]
    assert join_brief(hits, firsts, 2, by_file=False, joins_all=False) == [0, 1, 2, 2, 0, 5]
    assert join_brief(hits, firsts, 2, by_file=True, joins_all=True) == [0, 1, 0, 3, 0, 5]
    assert join_brief(hits, firsts, 6, by_file=False, joins_all=False) == firsts  # no hit is brief
    assert join_brief(hits, firsts, 6, by_file=True, joins_all=False) == firsts
    assert join_brief(hits, firsts, 6, by_file=True, joins_all=True) == [0, 1, 0, 3, 0, 0]
    joined = name_joined(hits[0], [hits[2], hits[4]])
    assert write_hit(joined, []) == "a.py\n3-9 Ledger.post\n3:x\nalso 12-15 .close"


def test_further_hits_of_a_file_have_their_rows_below_those_of_the_first() -> None:
    hit = build_hit("a.py", "Ledger.post", 3, 9)
    again = Hit("a.py", 7, 7, "7\t    y()\n", 0.5, (), "Ledger.post", symbol_lines=(3, 9), symbol_name="post")
    outside = Hit("a.py", 40, 40, "40\tz = 1\n", 0.5, (), None)
    assert write_hit(hit, [], [outside, build_hit("a.py", "Ledger.close", 12, 15), again]) == (
        "a.py\n3-9 Ledger.post\n3:x\n7:y()\n12-15 Ledger.close\n12:x\n\n40:z = 1"
    )


def test_after_a_class_its_members_are_named_by_a_dot() -> None:
    also = (("Ledger", (1, 90)), ("Ledger.close?", (12, 15)), ("Book.open", (95, 99)), ("post", (101, 105)))
    hit = build_hit("a.rb", "Ledger.post", 3, 9, also=also)
    assert (
        write_brief(hit, []).split("\n")[-1]
        == "also 1-90 Ledger, 12-15 .close?, 95-99 Book.open, 101-105 post"
    )


def test_no_dot_stands_for_a_class_that_was_not_named() -> None:
    also = (("Ledger.close", (12, 15)), ("Ledger.open", (20, 25)))
    hit = Hit(
        "a.py",
        3,
        9,
        "3\tdef post():\n",
        1.0,
        (),
        "Ledger.post",
        symbol_lines=(3, 9),
        symbol_name="post",
        also=also,
    )
    assert render_brief(hit, [])["also"] == ["12-15 Ledger.close", "20-25 .open"]
    assert write_brief(hit, []) == "a.py\n3-9 Ledger.post\nalso 12-15 .close, 20-25 .open"
    short = replace(hit, symbol_lines=(3, 3))
    assert write_brief(short, []) == "a.py\n3:def post():\nalso 12-15 Ledger.close, 20-25 .open"
    unnamed = replace(hit, snippet="4\tx = 1\n")
    assert (row := render_brief(unnamed, []))["symbol"] == "Ledger.post"
    assert row["also"] == ["12-15 .close", "20-25 .open"]


@pytest.mark.parametrize(
    ("query", "lines"),
    [
        ("how is a booking reverted", WHOLE_LINES),
        ("In which place is a booking reverted", WHOLE_LINES),
        ("Reverting a booking fails: is it locked?", WHOLE_LINES),
        ("a booking cannot be reverted when the quarter is closed", FEW_WHOLE_LINES),
        ("revert booking", FEW_WHOLE_LINES),
    ],
)
def test_what_asks_nothing_shows_fewer_whole_declarations(query: str, lines: int) -> None:
    assert choose_room(query) == lines
