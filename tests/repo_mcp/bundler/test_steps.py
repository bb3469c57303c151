"""The pure steps between a prompt and its excerpts: searches, fusion, windows, packing, companions."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_format import ChunkSpan
from repo_mcp.bundler.companions import MAX_IMPORT_LINES, find_head, find_imports, find_licence
from repo_mcp.bundler.fusion import fuse, share_out
from repo_mcp.bundler.packing import MAX_LINE_CHARS, Packer, cut_line, order_selections, share_lines
from repo_mcp.bundler.rationale import explain, index_words, list_searches, name_words
from repo_mcp.bundler.records import Budget, Role, Selection
from repo_mcp.bundler.searches import (
    PlannedSearch,
    SearchHits,
    find_joined,
    plan_searches,
    weigh_terms,
)
from repo_mcp.bundler.source import LiveFile
from repo_mcp.bundler.weights import WEIGHTS
from repo_mcp.bundler.windows import choose_window, cut_blocks, value_blocks, view_file
from repo_mcp.languages.patterns.declared_spans import list_symbol_spans
from repo_mcp.ranking.mentions import Mention
from repo_mcp.ranking.prompt import Clue, ClueKind, parse_prompt
from repo_mcp.ranking.query import MAX_TERMS, Query
from repo_mcp.ranking.searcher import RankedChunk

COUNTS = {"common": 90, "rare": 1, "transfer_funds": 2, "slow_start": 3}


def count_units(term: str) -> int:
    return COUNTS.get(term, 0)


def weigh(prompt: str) -> dict[str, float]:
    return weigh_terms(parse_prompt(prompt), count_units, 100, WEIGHTS)


def chunk(path: str, score: float, start: int = 1, end: int = 50) -> RankedChunk:
    return RankedChunk(path, ChunkSpan(1, 200, 0, 4, 0), start, end, score, (), "python", b"")


def hits(name: str, *chunks: RankedChunk, weight: float = 1.0) -> SearchHits:
    return SearchHits(PlannedSearch(name, Query(["x"]), 50, weight), chunks, len(chunks))


# Searches


def test_rare_terms_and_whole_symbols_weigh_more() -> None:
    weights = weigh("common rare transfer_funds")
    assert weights["rare"] > 4 * weights["common"] > 0
    assert weights["transfer_funds"] > weights["rare"]
    assert weights["transfer"] < weights["transfer_funds"]


def test_a_term_of_all_units_and_an_index_of_none_divide_nothing_by_zero() -> None:
    assert weigh_terms(parse_prompt("common"), lambda _: 100, 100, WEIGHTS)["common"] < 0.01
    assert weigh_terms(parse_prompt("common"), lambda _: 0, 0, WEIGHTS)["common"] == 1.0
    unknown = weigh("common zebra rare")
    assert unknown["common"] < unknown["zebra"] < unknown["rare"] / 2


def test_the_searches_of_a_prompt() -> None:
    prompt = 'common: transfer_funds says "the rare thing"'
    planned = plan_searches(prompt, parse_prompt(prompt), weigh(prompt), WEIGHTS)
    by_name = {one.name: one for one in planned}
    assert list(by_name) == ["prompt", "keywords", "symbol transfer_funds", 'phrase "the rare thing"']
    assert by_name["prompt"].query.terms[0] == "common"
    assert by_name["keywords"].query.terms[0] == "transfer_funds"  # the heaviest first
    assert by_name["symbol transfer_funds"].query.symbols == [("transfer_funds", "transfer", "fund")]
    assert "the" not in by_name["prompt"].query.terms


def test_a_long_prompt_is_searched_by_its_heaviest_terms_in_its_order() -> None:
    words = [f"common{number:03}x" for number in range(60)] + ["rare"]
    prompt = " ".join(words)
    terms = weigh(prompt) | {"rare": 9.0}
    chosen = plan_searches(prompt, parse_prompt(prompt), terms, WEIGHTS)[0].query.terms
    assert len(chosen) == MAX_TERMS
    assert chosen[-1] == "rare"


def test_words_in_a_row_that_are_a_name_of_the_index() -> None:
    assert [clue.text for clue in find_joined("how does slow start end", count_units)] == ["slow_start"]


# Fusion


def test_chunks_of_a_file_add_up_ever_less() -> None:
    found = hits("prompt", chunk("a", 10.0), chunk("b", 10.0), chunk("a", 5.0))
    decay = WEIGHTS.unit_decay
    assert share_out(found, decay) == pytest.approx({"a": 1.0, "b": 10 / (10 + 5 * decay)})
    assert share_out(hits("prompt"), decay) == {}


def test_what_the_prompt_names_comes_first() -> None:
    everywhere = [hits(name, chunk("src/other.py", 9.0)) for name in ("prompt", "keywords", "symbol x")]
    named = Mention("tests/test_it.py", Clue(ClueKind.PATH, "tests/test_it.py"), 1.0)
    assert [one.path for one in fuse({"src/other.py": 2.0}, everywhere, [named], WEIGHTS)] == [
        "tests/test_it.py",
        "src/other.py",
    ]


def test_the_innermost_frame_counts_most() -> None:
    frames = [Clue(ClueKind.FRAME, name, 1) for name in ("inner.py", "middle.py", "outer.py")]
    mentions = [Mention(clue.text, clue, 1.0) for clue in frames]
    assert [one.path for one in fuse({}, [], mentions, WEIGHTS)] == ["inner.py", "middle.py", "outer.py"]


def test_a_search_lifts_a_file_that_the_ranking_has_and_fetches_no_other() -> None:
    found = [hits("symbol x", chunk("src/b.py", 10.0), chunk("src/far.py", 10.0))]
    ranked = {"src/a.py": 1.0, "src/b.py": 0.9}
    assert [one.path for one in fuse(ranked, [], [], WEIGHTS)] == ["src/a.py", "src/b.py"]
    assert [one.path for one in fuse(ranked, found, [], WEIGHTS)] == ["src/b.py", "src/a.py"]


def test_equal_files_stand_by_path() -> None:
    ranked = dict.fromkeys(("b", "é", "a", "Z"), 1.0)
    assert [one.path for one in fuse(ranked, [], [], WEIGHTS)] == ["Z", "a", "b", "é"]


# Windows

SOURCE = '''"""Docs."""

import ledger


def first(ledger):
    """One."""
    return ledger


class Account:
    """Two."""

    def post(self, amount):
        self.balance += amount
        return transfer(amount)

    def other(self):
        return 1


def last():
    transfer = 3
    return transfer
'''


def view(text: str = SOURCE, terms: str = "transfer ledger post", lines: tuple[int, ...] = ()) -> Any:
    data = text.encode()
    live = LiveFile("a.py", data, tuple(text.splitlines()), b"f")
    return view_file(live, list_symbol_spans("a.py", data), set(terms.split()), lines)


def choose(text: str, most: int, terms: dict[str, float], taken: set[int] | None = None) -> Any:
    seen = view(text, " ".join(terms))
    return choose_window(
        seen, value_blocks(seen, most, terms, WEIGHTS), taken or set(), most, terms, WEIGHTS.grow_share
    )


def test_imports_tell_nothing() -> None:
    assert view().line_terms[2] == ()
    assert view().line_terms[5] == ("ledger",)


@given(st.integers(1, 70), st.integers(0, 120))
def test_blocks_are_a_partition(most: int, lines: int) -> None:
    text = "".join(f"def f{n}():\n    return {n}\n\n" for n in range(lines // 3))
    blocks = cut_blocks(view(text), most)
    covered = [line for start, end in blocks for line in range(start, end + 1)]
    assert covered == list(range(1, len(text.splitlines()) + 1))


def test_a_window_is_a_whole_declaration_where_it_fits() -> None:
    window = choose(SOURCE, 5, {"amount": 1.0, "transfer": 0.1})
    assert SOURCE.splitlines()[window.start_line - 1].strip().startswith("def post")
    assert (window.start_line, window.end_line) == (14, 16)


def test_a_declared_name_is_worth_more_than_a_use() -> None:
    assert choose(SOURCE, 4, {"post": 1.0, "transfer": 1.0}).start_line == 14


def test_a_longer_block_is_narrowed_to_its_best_lines() -> None:
    body = "\n".join(f"    line{number} = 1" for number in range(300))
    text = f"def long():\n{body.replace('line200', 'needle')}\n"
    window = choose(text, 10, {"needle": 1.0})
    assert window.start_line <= 202 <= window.end_line
    assert window.end_line - window.start_line + 1 <= 10


def test_taken_lines_are_not_chosen_again_and_nothing_is_nothing() -> None:
    terms = {"transfer": 1.0}
    first = choose(SOURCE, 4, terms)
    second = choose(SOURCE, 4, terms, set(range(first.start_line, first.end_line + 1)))
    assert second.start_line > first.end_line or second.end_line < first.start_line
    assert choose(SOURCE, 4, {"zebra": 1.0}) is None
    assert choose("", 4, terms) is None
    assert choose(SOURCE, 0, terms) is None


def test_a_line_that_the_prompt_names_is_in_the_window() -> None:
    seen = view(terms="transfer", lines=(19, 999))
    assert seen.named_lines == {19}
    blocks = value_blocks(seen, 3, {"transfer": 1.0}, WEIGHTS)
    window = choose_window(seen, blocks, set(), 3, {"transfer": 1.0}, WEIGHTS.grow_share)
    assert window is not None
    assert window.start_line <= 19 <= window.end_line


# Packing


def excerpt(
    path: str, start: int, lines: list[str], score: float = 1.0, role: Role = Role.MATCH
) -> Selection:
    end = start + len(lines) - 1
    return Selection(path, start, end, None, role, (), score, (), tuple(lines), "00")


def numbered(count: int, word: str = "line") -> list[str]:
    return [f"{word} {number}" for number in range(count)]


@given(
    st.integers(1, 6),
    st.integers(1, 60),
    st.none() | st.integers(1, 200),
    st.lists(
        st.tuples(st.sampled_from("abcdefgh"), st.integers(1, 30), st.sampled_from(list(Role))), max_size=12
    ),
)
def test_no_limit_is_ever_passed(
    files: int, lines: int, tokens: int | None, wanted: list[tuple[str, int, Role]]
) -> None:
    packer = Packer(Budget(files, lines, tokens))
    for number, (path, count, role) in enumerate(wanted):
        packer.add(excerpt(path, 1 + 100 * number, numbered(count, f"{path}{number}"), role=role))
    totals = packer.total()
    assert len({one.path for one in packer.selections}) == totals.files <= files
    assert sum(len(one.lines) for one in packer.selections) == totals.lines <= lines
    assert tokens is None or totals.tokens <= tokens
    assert len(packer.selections) + len(packer.dropped) == len(wanted)
    for one in packer.selections:
        assert one.end_line - one.start_line + 1 == len(one.lines) > 0


def test_nearly_the_same_lines_are_refused_with_the_reason() -> None:
    packer = Packer(Budget(9, 99, None))
    assert packer.add(excerpt("a", 1, numbered(10)))
    assert packer.add(excerpt("b", 1, [*numbered(9), "other"])) is None
    assert packer.dropped[0].reason == "almost the same lines as a:1-10"
    assert packer.add(excerpt("c", 1, ["}", "return"]))  # too short to be told apart
    assert packer.add(excerpt("d", 1, ["}", "return"]))


@given(st.integers(1, 50), st.integers(1, 30), st.integers(1, 3_000), st.integers(1, 100))
def test_shares_fall_and_stay_within_the_budget(files: int, most: int, lines: int, least: int) -> None:
    shares = share_lines(files, Budget(most, lines, None), least)
    assert 1 <= len(shares) <= min(files, most)
    assert sum(shares) <= lines
    assert shares == sorted(shares, reverse=True)
    assert len(shares) == 1 or shares[-1] >= least - 1


def test_touching_excerpts_are_one() -> None:
    one = excerpt("a", 5, ["x"], role=Role.SIGNATURE)
    joined = order_selections([excerpt("b", 1, ["z"]), excerpt("a", 6, ["y"]), one], {"a": 0, "b": 1})
    assert [(s.citation, s.lines, s.role) for s in joined] == [
        ("a:5-6", ("x", "y"), Role.MATCH),
        ("b:1-1", ("z",), Role.MATCH),
    ]


def test_a_long_line_is_cut() -> None:
    assert cut_line("x" * MAX_LINE_CHARS) == "x" * MAX_LINE_CHARS
    assert cut_line("x" * (MAX_LINE_CHARS + 1)) == "x" * MAX_LINE_CHARS + "…"


# Companions


def test_imports_of_names_that_are_used() -> None:
    lines = [
        "import os",
        "from a import (",
        "    Used,",
        "    Other,",
        ")",
        "from b import Also",
        "",
        "x = 1",
    ]
    found = find_imports(lines, [["Used(Also)"]])
    assert found == (2, 6, ("Used", "Also"))
    assert find_imports(lines, [["Used()"]]) is None  # one is not worth it
    assert find_imports(lines, [["nothing"]]) is None


def test_imports_far_apart_give_the_run_with_most_names() -> None:
    lines = ["import aa", *[""] * 30, "import bb", "import cc"]
    assert find_imports(lines, [["aa bb cc"]]) == (32, 33, ("bb", "cc"))
    assert MAX_IMPORT_LINES < 30


def test_a_licence_at_the_top_is_known_and_other_comments_are_not() -> None:
    licence = ["// SPDX-License-Identifier: GPL-2.0", "/*", " * Copyright somebody", " */", "", "int x;"]
    assert find_licence(licence) == [(0, 4)]
    assert find_licence(["/* Routes packets. */", "int copyright;"]) == []
    assert find_licence(["#include <licence.h>"]) == []
    assert find_licence([]) == []


def test_the_head_of_a_declaration() -> None:
    text = "class A(\n    B,\n):\n    x = 1\n\n    def f(self):\n        pass\n"
    (outer, *_) = list_symbol_spans("a.py", text.encode())
    assert find_head(text.splitlines(), outer) == (1, 3)


# Rationale


def test_words_are_named_as_they_stand_in_the_lines() -> None:
    words = index_words(["self.Transfers += getHTTP()"])
    assert name_words(["transfer", "http"], words) == ["Transfers", "getHTTP"]
    assert name_words(["get", "http"], words) == ["getHTTP"]  # one word is named once


def test_only_searches_that_ranked_these_lines_are_named() -> None:
    found = [
        hits("prompt", chunk("b", 2.0), chunk("a", 1.0, 10, 20)),
        hits("keywords", chunk("a", 1.0, 30, 40)),
        hits("symbol x", chunk("z", 1.0), chunk("a", 1.0, 1, 10)),
    ]
    assert list_searches(found, "a", 10, 12) == ["hit 2 of search prompt and symbol x"]
    assert list_searches(found, "a", 100, 120) == []


def test_a_reason_names_lines_symbols_and_texts_that_are_there() -> None:
    clues = parse_prompt('a.py:3 `post` says "not enough funds"')
    mention = Mention("a.py", next(one for one in clues if one.kind is ClueKind.PATH), 1.0)
    post = cast(Any, SimpleNamespace(name="post", qualified_name="Account.post"))
    lines = ["def post():", '    raise Error("Not enough  funds")']
    told = explain([mention], [post], None, clues, lines, 3, ["funds"], ["hit 1 of search prompt"])
    assert told == (
        "the prompt names line 3",
        "declares post, named in the prompt",
        'contains the text "not enough funds"',
        "matches funds",
        "hit 1 of search prompt",
    )
    elsewhere = explain([mention], [], post, clues, ["pass"], 9, [], [])
    assert elsewhere == ("the prompt names this file", "lies in Account.post, named in the prompt")
    frame = replace(mention, clue=Clue(ClueKind.FRAME, "a.py", 9))
    assert explain([frame], [], None, (), ["pass"], 9, [], []) == ("a traceback frame names line 9",)
