"""The steps between a prompt and its excerpts: terms, candidates, blocks, worth, packing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_format import ChunkSpan
from repo_mcp.blocks.block_worth import Rater, rate_work
from repo_mcp.blocks.blocks import (
    LONG_LINES,
    MAX_LEAD_LINES,
    SMALL_CLASS_LINES,
    SMALL_FILE_LINES,
    Block,
    cut_blocks,
)
from repo_mcp.blocks.candidates import Candidate, list_candidates
from repo_mcp.blocks.evidence import Evidence
from repo_mcp.blocks.file_view import FileView, PromptTermFinder
from repo_mcp.blocks.following import Use, list_steps
from repo_mcp.blocks.layouts import read_layout
from repo_mcp.blocks.prompt_names import find_joined, list_names
from repo_mcp.blocks.prompt_terms import weigh_clues
from repo_mcp.blocks.rated_files import RatedFile
from repo_mcp.blocks.source import LiveFile
from repo_mcp.blocks.weights import REPORT_WEIGHTS, WEIGHTS
from repo_mcp.bundler.block_parts import choose_parts, find_head
from repo_mcp.bundler.bundle_warnings import describe_lesser
from repo_mcp.bundler.packing import MAX_LINE_CHARS, Packer, build_selection, cut_line, order_selections
from repo_mcp.bundler.reasons import describe, name_words
from repo_mcp.bundler.records import Budget, Selection, count_totals
from repo_mcp.bundler.spending import LEAST_PART_LINES, spend
from repo_mcp.languages.patterns import enclosing
from repo_mcp.languages.patterns.declared_spans import DeclaredRow, SymbolSpan, find_declared_rows
from repo_mcp.languages.patterns.macro_runs import Macros
from repo_mcp.ranking.query.clues import Clue, ClueKind, parse_prompt
from repo_mcp.ranking.query.mentions import Mention
from repo_mcp.ranking.scoring.ranked_chunks import RankedChunk
from repo_mcp.ranking.scoring.searcher import Ranking
from repo_mcp.text.analysis import analyse_text
from tests.growth import assert_linear
from tests.repo_mcp.symbol_spans import list_symbol_spans

COUNTS = {"common": 90, "rare": 1, "transfer_funds": 2, "slow_start": 3}


def count_units(term: str) -> int:
    return COUNTS.get(term, 0)


def weigh(prompt: str) -> dict[str, float]:
    return weigh_clues(parse_prompt(prompt), count_units, 100, WEIGHTS)


def chunk(path: str, score: float, start: int = 1, end: int = 50) -> RankedChunk:
    return RankedChunk(path, ChunkSpan(1, 200, 0), start, end, score, (), "python", b"", "")


# Terms


def test_rare_terms_weigh_more_and_parts_of_symbols_less() -> None:
    weights = weigh("common rare transfer_funds")
    assert weights["rare"] > 4 * weights["common"] > 0
    assert weights["transfer"] < weights["transfer_funds"]


def test_a_question_has_what_means_the_same_for_less_and_an_inflected_word_for_less_than_its_stem() -> None:
    known = {"invers": 5, "undo": 5, "names": 5, "name": 5}
    weights = weigh_clues(
        parse_prompt("how are names undone, undo"), lambda one: known.get(one, 0), 100, WEIGHTS
    )
    assert weights["undo"] > weights["invers"] > 0
    assert weights["name"] > weights["names"] > 0
    assert "rollback" not in weights  # the index has none
    long = " ".join(f"w{number}x" for number in range(60)) + " undo"
    assert "invers" not in weigh_clues(parse_prompt(long), lambda one: known.get(one, 0), 100, WEIGHTS)


def test_a_term_of_all_units_and_an_index_of_none_divide_nothing_by_zero() -> None:
    assert weigh_clues(parse_prompt("common"), lambda _: 100, 100, WEIGHTS)["common"] < 0.01
    assert weigh_clues(parse_prompt("common"), lambda _: 0, 0, WEIGHTS)["common"] == 1.0
    unknown = weigh("common zebra rare")
    assert unknown["common"] < unknown["zebra"] < unknown["rare"] / 2


def test_words_in_a_row_that_are_a_name_of_the_index() -> None:
    assert [clue.text for clue in find_joined("how does slow start end", count_units)] == ["slow_start"]


# Candidates


def test_files_stand_as_the_search_has_them_with_their_place() -> None:
    chunks = [chunk("src/b.py", 2.0), chunk("src/a.py", 1.0), chunk("src/b.py", 0.5)]
    found = list_candidates(chunks, [], WEIGHTS)
    assert [(one.path, one.share, one.hit) for one in found] == [("src/b.py", 1.0, 1), ("src/a.py", 0.5, 2)]
    assert list_candidates([], [], WEIGHTS) == ()


def test_what_the_prompt_names_comes_first() -> None:
    named = Mention("tests/test_it.py", Clue(ClueKind.PATH, "tests/test_it.py"), 1.0)
    found = list_candidates([chunk("src/other.py", 9.0)], [named], WEIGHTS)
    assert [(one.path, one.hit) for one in found] == [("tests/test_it.py", None), ("src/other.py", 1)]


def test_the_innermost_frame_counts_most() -> None:
    frames = [Clue(ClueKind.FRAME, name, 1) for name in ("inner.py", "middle.py", "outer.py")]
    mentions = [Mention(clue.text, clue, 1.0) for clue in frames]
    found = list_candidates([], mentions, WEIGHTS)
    assert [one.path for one in found] == ["inner.py", "middle.py", "outer.py"]


def test_equal_files_stand_by_path() -> None:
    chunks = [chunk(path, 1.0) for path in ("b", "é", "a", "Z")]
    assert [one.path for one in list_candidates(chunks, [], WEIGHTS)] == ["Z", "a", "b", "é"]


# Names


def test_names_that_a_prompt_asks_for() -> None:
    prompt = "self.read fails, see `Wall.read` and Door"
    names = list_names(prompt, parse_prompt(prompt), WEIGHTS)
    assert names == {"Wall.read": 1.0, "read": 1.0, "Door": 1.0}
    assert list_names("QuerySet", parse_prompt("QuerySet"), WEIGHTS) == {"QuerySet": 1.0}
    assert list_names("read wall", parse_prompt("read wall"), WEIGHTS) == {"read": 1.0, "wall": 1.0}
    assert (
        list_names("read wall again", parse_prompt("read wall again"), WEIGHTS) == {}
    )  # words of a sentence


# Blocks

SOURCE = '''"""Docs."""

import ledger


def first(ledger):
    """One."""
    return ledger


class Account(Base):
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
FILLING = "".join(f"\n\ndef filling_{number}():\n    return {number}\n" for number in range(20))


def view(text: str = SOURCE, terms: str = "transfer ledger post", path: str = "a.py") -> FileView:
    data = text.encode()
    live = LiveFile(path, data, tuple(text.splitlines()), b"f")
    return FileView(live, read_layout(path, data), PromptTermFinder(set(terms.split())))


def cut(text: str, path: str = "a.py") -> list[Block]:
    return cut_blocks(text.splitlines(), read_layout(path, text.encode()).spans)


def rate(
    text: str, terms: dict[str, float], path: str = "a.py", *, is_program: bool = True
) -> list[tuple[str, float]]:
    """Return the name and the worth of each block, best first."""
    finder = PromptTermFinder(terms)
    data = text.encode()
    live = LiveFile(path, data, tuple(text.splitlines()), b"f")
    seen = FileView(live, read_layout(path, data), finder)
    blocks = cut_blocks(live.lines, seen.layout.spans)
    rater = Rater(terms, finder, WEIGHTS)
    rated = zip(blocks, rater.rate(seen, blocks, is_program=is_program), strict=True)
    named = [(one.span.qualified_name if one.span else "", worth) for one, worth in rated]
    return sorted(named, key=lambda one: -one[1])


def test_a_bare_keyword_is_found_in_linear_time() -> None:
    """A line of 100 KB, of a keyword and blanks, kept a search busy for a minute."""
    assert view("pass\n    } else {\ndefault:\npass it\n", "pass else default").line_terms == {4: ("pass",)}
    assert_linear(lambda size: "pass" + " " * size + "x", lambda text: view(text, "pass").line_terms, 2_000)


def test_the_terms_of_a_long_line_are_found_in_linear_time() -> None:
    """Each question took ten seconds where a repository had a file of 2 MB on one line."""
    assert_linear(
        lambda size: [", ".join(f"transfer{number % 99}(ledger)" for number in range(size))],
        lambda lines: PromptTermFinder({"transfer", "ledger"}).find_lines(lines),
        3_000,
    )


def test_imports_tell_nothing() -> None:
    assert 3 not in view().line_terms
    assert view().line_terms[6] == ("ledger",)


def test_terms_are_found_as_the_analyser_finds_them() -> None:
    text = "getHTTPResponses = relational\nnaïveÉtat = libraries\n\nx.transfer(1)\n"
    terms = set(analyse_text(text))
    assert view(text, " ".join(terms)).line_terms == {
        number: tuple(analyse_text(line)) for number, line in enumerate(text.splitlines(), 1) if line
    }


@given(st.integers(0, 120), st.integers(0, 9), st.sampled_from(["a.py", "a.c", "a.rs", "a.txt", "a.md"]))
def test_blocks_are_a_partition(lines: int, inside: int, path: str) -> None:
    text = "class A:\n" + "".join(
        f"{'    ' * (n % (inside + 1) > 0)}def f{n}():\n        return {n}\n\n" for n in range(lines)
    )
    covered = [line for one in cut(text, path) for line in range(one.start_line, one.end_line + 1)]
    assert covered == list(range(1, len(text.splitlines()) + 1))


def test_the_comment_above_a_declaration_counts_more_than_one_inside_it() -> None:
    body = "".join(f"\tstep{number}();\n" for number in range(4))
    above = f"/* Picks the victim. */\nvoid above(void)\n{{\n\t/* Loop. */\n{body}}}\n"
    inside = f"/* Loop. */\nvoid inside(void)\n{{\n\t/* Picks the victim. */\n{body}}}\n"
    filling = "".join(f"\nvoid filling{number}(void)\n{{\n\treturn;\n}}\n" for number in range(9))
    worth = dict(rate(f"{above}\n{inside}{filling}", {"victim": 1.0}, "a.c"))
    assert worth["above"] > 1.5 * worth["inside"] > 0.0


def test_a_small_file_is_one_block_and_a_small_class_too() -> None:
    assert [(one.start_line, one.end_line) for one in cut(SOURCE)] == [(1, len(SOURCE.splitlines()))]
    names = [one.span.qualified_name for one in cut(SOURCE + FILLING) if one.span]
    assert names[:3] == ["first", "Account", "last"]
    assert len((SOURCE + FILLING).splitlines()) > SMALL_FILE_LINES
    assert cut("") == []


def test_a_long_class_is_cut_into_its_head_and_its_members() -> None:
    members = "".join(f"\n    def m{n}(self):\n        return {n}\n" for n in range(SMALL_CLASS_LINES))
    blocks = cut(f"class Long:\n    size = 1\n{members}")
    assert [one.span.qualified_name for one in blocks[:3] if one.span] == ["Long", "Long.m0", "Long.m1"]
    assert {one.owner.name for one in blocks if one.owner} == {"Long"}


def test_a_module_is_cut_even_if_an_attribute_of_rust_holds_its_name() -> None:
    inner = "".join(f"    fn part{n}() {{\n        hull({n});\n    }}\n" for n in range(20))
    names = [
        one.span.qualified_name for one in cut(f"#[cfg(test)]\nmod test {{\n{inner}}}\n", "a.rs") if one.span
    ]
    assert names[:3] == ["test", "test.part0", "test.part1"]


def test_a_function_is_never_cut_below_its_length_as_a_module() -> None:
    inner = "".join(f"  function part{n}() {{\n    return {n};\n  }}\n" for n in range(40))
    (whole,) = [one for one in cut(f"function outer() {{\n{inner}}}\n", "a.js") if one.span]
    assert (whole.start_line, whole.end_line) == (1, 122)
    inner *= 3
    assert LONG_LINES < 122 * 3
    assert len(cut(f"function outer() {{\n{inner}}}\n", "a.js")) > 100


def test_a_comment_goes_with_its_declaration_unless_it_is_long() -> None:
    text = "// One.\nfn one() {\n}\n" + "// Long.\n" * 30 + "fn two() {\n}\n" + "fn f() {\n}\n" * 20
    blocks = {one.span.name: one.start_line for one in cut(text, "a.rs") if one.span}
    assert blocks["one"] == 1
    assert blocks["two"] == 34
    for lines, start in ((MAX_LEAD_LINES, 4), (MAX_LEAD_LINES + 1, 5 + MAX_LEAD_LINES)):
        text = "fn one() {\n}\n\n" + "// Two.\n" * lines + "fn two() {\n}\n" + "fn f() {\n}\n" * 20
        assert [one.start_line for one in cut(text, "a.rs") if one.span and one.span.name == "two"] == [start]


# Worth


def test_a_body_is_worth_more_than_a_docstring() -> None:
    text = (
        'def documented():\n    """Refund the order."""\n    return 1\n\n\n'
        "def working(order):\n    order.refund = True\n    return order\n"
    )
    best = rate(text + FILLING, {"refund": 1.0, "order": 1.0})
    assert [name for name, _ in best[:2]] == ["working", "documented"]


def test_a_declared_name_is_worth_more_than_a_use_and_a_rare_term_more_than_a_common_one() -> None:
    assert rate(SOURCE + FILLING, {"post": 1.0, "transfer": 0.9})[0][0] == "Account"
    assert rate(SOURCE + FILLING, {"first": 1.0, "transfer": 1.0})[0][0] == "first"
    best = [name for name, _ in rate(SOURCE + FILLING, {"first": 0.1, "transfer": 1.0})[:3]]
    assert best == ["Account", "last", "first"]


def test_a_body_that_decides_is_worth_more_than_one_that_hands_on() -> None:
    deciding = "".join(f"    if order.kind == {kind}:\n        order.refund()\n" for kind in range(3))
    text = f"def get_order(self):\n    return self.order\n\n\ndef choose(order):\n{deciding}"
    assert [name for name, _ in rate(text + FILLING, {"order": 1.0})[:2]] == ["choose", "get_order"]


def test_a_body_decides_from_so_many_branches_on() -> None:
    branch = "if order.kind == 1:"
    rated = [rate_work([branch] * count, deciding=1.5, trivial=0.5, least_branches=2) for count in range(4)]
    assert rated == [0.5, 1.0, 1.5, 1.5]


RUST = """pub fn refund(order: &Order) -> bool {
    order.close()
}

#[cfg(test)]
mod tests {
    fn refund_of_an_order() {
        assert!(refund(&order(1)));
        assert!(!refund(&order(2)));
    }
}
"""


def test_a_test_in_a_file_of_the_program_is_worth_less_unless_tests_are_asked_for() -> None:
    text, terms = RUST + "fn f() {\n}\n" * 20, {"refund": 1.0, "order": 1.0}
    (beside,) = [worth for name, worth in rate(text, terms, "a.rs") if name.startswith("tests")]
    (wanted,) = [
        worth for name, worth in rate(text, terms, "a.rs", is_program=False) if name.startswith("tests")
    ]
    assert beside == pytest.approx(WEIGHTS.inner_test * wanted)
    assert wanted > 0


def test_a_member_is_worth_more_in_a_class_of_the_prompt() -> None:
    members = "".join(f"\n    def m{n}(self):\n        return {n}\n" for n in range(30))
    text = f"class Wall:\n{members}\n\nclass Door:\n{members}\n    def read(self):\n        return 0\n"
    text += "\n\nclass Gate:\n" + members + "\n    def read(self):\n        return 0\n"
    assert [name for name, _ in rate(text, {"read": 1.0, "gate": 1.0})[:2]] == ["Gate.read", "Door.read"]


# Steps


def test_what_a_block_calls_and_uses() -> None:
    seen = view(SOURCE + FILLING)
    account = next(one for one in cut(SOURCE + FILLING) if one.span and one.span.name == "Account")
    steps = {step.name: step.use for step in list_steps(seen, account, {})}
    assert steps["transfer"] is Use.CALL
    assert steps["balance"] is Use.NAMED
    assert not {"Account", "return", "Two"} & steps.keys()


def test_of_the_declarations_of_a_file_those_in_the_block_are_looked_at() -> None:
    class Unread(tuple[SymbolSpan, ...]):
        def __iter__(self) -> Iterator[SymbolSpan]:
            raise AssertionError("a file may have tens of thousands")

    seen = view(SOURCE + FILLING)
    account = next(one for one in cut(SOURCE + FILLING) if one.span and one.span.name == "Account")
    steps = list_steps(seen, account, {})
    seen.layout = replace(seen.layout, spans=Unread(seen.layout.spans))
    assert list_steps(seen, account, {}) == steps


def test_a_class_does_not_call_the_methods_that_it_only_declares() -> None:
    text = "class Lock:\n    def close(self):\n        self.seal()\n\n    def seal(self):\n        stamp(1)\n"
    text += FILLING
    block = next(one for one in cut(text) if one.span and one.span.name == "Lock")
    steps = {step.name for step in list_steps(view(text), block, {})}
    assert {"seal", "stamp"} <= steps
    assert "close" not in steps


# Parts of what does not fit


def test_a_block_that_does_not_fit_is_shown_by_its_head_and_the_lines_that_match() -> None:
    body = "\n".join(f"    line{number} = 1" for number in range(300))
    text = f"@decorated\ndef long():\n{body.replace('line200', 'needle')}\n"
    (block,) = [one for one in cut(text) if one.span]
    assert choose_parts(view(text, "needle"), block, 10) == [(1, 2), (201, 205)]
    assert choose_parts(view(text, "needle"), block, 1) == [(1, 1)]


# Spending


@pytest.mark.parametrize(("best", "shown"), [(1.0, 3), (3.0, 2), (4.0, 1)])
def test_what_is_worth_less_than_a_fiftieth_of_the_best_for_its_lines_ends_a_bundle(
    best: float, shown: int
) -> None:
    files = [
        RatedFile(Candidate(path, 1.0, None), view("x = 1\n", path=path), [Block(1, 1)], [worth])
        for path, worth in (("best.py", best), ("good.py", 0.07), ("fair.py", 0.05))
    ]
    packer = Packer(Budget(8, 2_000, None))
    spend(files, packer, WEIGHTS)
    assert len(packer.selections) == shown
    files[2].named.add(0)  # which comes first, whatever it is worth
    packer = Packer(Budget(8, 2_000, None))
    spend(files, packer, WEIGHTS)
    assert packer.selections[0].path == "fair.py"
    assert len(packer.selections) == min(3, shown + 1)


def rated(path: str, text: str, worth: float, share: float = 1.0) -> RatedFile:
    block = Block(1, text.count("\n"))
    return RatedFile(Candidate(path, share, None), view(text, path=path), [block], [worth])


def test_of_a_report_what_is_worth_less_than_two_fifths_of_the_best_is_left_out_and_reported() -> None:
    worths = {"good.py": 0.45, "fair.py": 0.36, "poor.py": 0.05, "noise.py": 0.005}  # and fewer lines
    files = [rated("best.py", "if x:\n" + "x = 1\n" * 59, 1.0)]
    files += [rated(path, "x = 1\n", worth) for path, worth in worths.items()]
    packer = Packer(Budget(8, 2_000, None))
    left = spend(files, packer, REPORT_WEIGHTS)
    assert [one.path for one in packer.selections] == ["best.py", "good.py"]
    assert [one.candidate.path for one, _ in left.lesser] == ["fair.py", "poor.py"]
    (warning,) = describe_lesser(left.lesser, has_trace=False)
    assert "(excerpts: 2, files: 2); next: fair.py:1, poor.py:1." in warning


def test_what_a_report_names_does_not_come_first_but_is_reported_first() -> None:
    worths = {"best.py": 1.0, "fair.py": 0.9, "poor.py": 0.35, "named.py": 0.2}
    files = [rated(path, "x = 1\n", worth) for path, worth in worths.items()]
    files[1].named.add(0)
    files[3].named.add(0)
    packer = Packer(Budget(8, 2_000, None))
    left = spend(files, packer, REPORT_WEIGHTS)
    assert [one.path for one in packer.selections] == ["best.py", "fair.py"]
    assert [one.candidate.path for one, _ in left.lesser] == ["named.py", "poor.py"]
    packer = Packer(Budget(8, 2_000, None))
    spend(files, packer, WEIGHTS)
    assert [one.path for one in packer.selections][:2] == ["fair.py", "named.py"]


@pytest.mark.parametrize(("lines", "best"), [(8, "a.py"), (9, "b.py")])
def test_of_a_report_a_block_without_a_branch_counts_less_unless_it_is_short(lines: int, best: str) -> None:
    files = [
        rated("a.py", "x = 1\n" * lines, 1.0),
        rated("b.py", "if x:\n" + "x = 1\n" * (lines - 1), 0.8),
    ]
    packer = Packer(Budget(8, 2_000, None))
    spend(files, packer, REPORT_WEIGHTS)
    assert packer.selections[0].path == best


def test_a_report_of_which_few_lines_are_shown_gets_what_is_worth_three_tenths_of_the_best() -> None:
    worths = {"best.py": 1.0, "fair.py": 0.42, "poor.py": 0.35}  # to the power 1.3: .32 and .26
    files = [rated(path, "x = 1\n", worth) for path, worth in worths.items()]
    packer = Packer(Budget(8, 2_000, None))
    assert [one.candidate.path for one, _ in spend(files, packer, REPORT_WEIGHTS).lesser] == ["poor.py"]


def test_of_a_report_the_next_block_of_a_file_counts_half_after_120_lines() -> None:
    text = view("if x:\n" + "x = 1\n" * 130)
    blocks = [Block(1, 120), Block(121, 125), Block(126, 130)]
    files = [RatedFile(Candidate("a.py", 1.0, None), text, blocks, [2.0, 0.0, 1.4])]
    files.append(rated("b.py", "x = 1\n" * 5, 0.9))
    packer = Packer(Budget(8, 2_000, None))
    spend(files, packer, REPORT_WEIGHTS)
    assert [one.path for one in packer.selections] == ["a.py", "b.py", "a.py"]


def test_a_report_gets_all_that_matches_as_well_as_its_best_block() -> None:
    files = [
        RatedFile(Candidate(path, 1.0, None), view("transfer = 1\n" * 250, path=path), [Block(1, 250)], [1.0])
        for path in ("a.py", "b.py", "c.py", "d.py")
    ]
    packer = Packer(Budget(8, 2_000, None))
    assert spend(files, packer, REPORT_WEIGHTS).lesser == []
    assert packer.lines == 1_000


def test_nothing_is_reported_of_what_has_no_room_or_answers_a_question() -> None:
    files = [rated(path, "x = 1\n", worth) for path, worth in (("a.py", 1.0), ("b.py", 0.05))]
    assert spend(files, Packer(Budget(8, 1, None)), REPORT_WEIGHTS).lesser == []
    packer = Packer(Budget(1, 2_000, None))
    assert spend(files, packer, REPORT_WEIGHTS).lesser == []
    assert [(one.path, one.reason) for one in packer.dropped] == [("b.py", "max_files reached")]
    long = RatedFile(Candidate("b.py", 1.0, None), view("x = 1\n" * 20, path="b.py"), [Block(1, 20)], [0.1])
    assert spend([files[0], long], Packer(Budget(8, 20, None)), REPORT_WEIGHTS).lesser == []
    packer = Packer(Budget(8, 2_000, None))
    assert spend(files, packer, WEIGHTS).lesser == []
    assert len(packer.selections) == 2
    assert describe_lesser([], has_trace=False) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (rated("b.py", "transfer(post)\n", 0.5), rated("a.py", "transfer(transfer)\n", 0.6)),
        (rated("b.py", "x = 1\n", 0.5), rated("a.py", "x = 1\n", 0.6, share=0.5)),
        (rated("b.py", "x = 1\n", 0.5, share=0.4), rated("a.py", "x = 1\n", 0.6, share=0.0)),
    ],
)
def test_of_a_report_other_words_and_the_first_files_count_more(first: RatedFile, second: RatedFile) -> None:
    for weights, best in ((REPORT_WEIGHTS, first), (WEIGHTS, second)):
        packer = Packer(Budget(8, 2_000, None))
        spend([first, second], packer, weights)
        assert packer.selections[0].path == best.candidate.path
        for one in (first, second):
            one.lines, one.shown = 0, set()


@pytest.mark.parametrize(("title", "best"), [("", "a.py"), ("transfer", "b.py")])
def test_of_a_report_a_word_of_its_title_counts_for_three(title: str, best: str) -> None:
    files = [rated("a.py", "post(ledger)\n", 0.5), rated("b.py", "transfer(1)\n", 0.6)]
    packer = Packer(Budget(8, 2_000, None))
    spend(files, packer, REPORT_WEIGHTS, frozenset(title.split()))
    assert packer.selections[0].path == best


COMMENTED = (
    "# It posts.\n@post\ndef transfer(one):\n    post(one)\n\n\n# It holds.\nclass Ledger:\n    pass\n"
)


def test_of_a_report_the_comment_above_a_declaration_is_not_shown() -> None:
    shown = {WEIGHTS: ["a.py:1-6", "a.py:7-9"], REPORT_WEIGHTS: ["a.py:2-6", "a.py:8-9"]}
    for weights, lines in shown.items():
        packer = Packer(Budget(8, 2_000, None))
        text = view(COMMENTED)
        blocks = cut_blocks(text.live.lines, text.layout.spans, 0)
        spend([RatedFile(Candidate("a.py", 1.0, None), text, blocks, [1.0] * 2)], packer, weights)
        assert sorted(one.citation for one in packer.selections) == lines


def test_of_a_report_a_small_file_is_shown_from_its_first_line() -> None:
    text = view("import post\n\n" + COMMENTED)
    packer = Packer(Budget(8, 2_000, None))
    one = RatedFile(Candidate("a.py", 1.0, None), text, cut_blocks(text.live.lines, text.layout.spans), [1.0])
    spend([one], packer, REPORT_WEIGHTS)
    assert [one.citation for one in packer.selections] == ["a.py:1-11"]


def test_the_best_block_and_named_ones_with_room_for_twenty_lines_are_shown_in_part() -> None:
    text = "transfer = 1\n" * 100

    def show(lines: int) -> list[tuple[int, int]]:
        file = RatedFile(Candidate("a.py", 1.0, None), view(text), [Block(1, 60), Block(61, 100)], [2.0, 1.0])
        file.named.update((0, 1))
        packer = Packer(Budget(8, lines, None))
        spend([file], packer, WEIGHTS)
        return [(one.start_line, one.end_line) for one in order_selections(packer.selections, {"a.py": 0})]

    assert show(5) == [(1, 5)]
    assert show(60 + LEAST_PART_LINES - 1) == [(1, 60)]
    assert show(60 + LEAST_PART_LINES) == [(1, 60 + LEAST_PART_LINES)]


# Packing


def excerpt(path: str, start: int, lines: list[str], score: float = 1.0) -> Selection:
    end = start + len(lines) - 1
    return Selection(path, start, end, None, (), score, (), tuple(lines), "00")


def numbered(count: int, word: str = "line") -> list[str]:
    return [f"{word} {number}" for number in range(count)]


@given(
    st.integers(1, 6),
    st.integers(1, 60),
    st.none() | st.integers(1, 200),
    st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(1, 30)), max_size=12),
)
def test_no_limit_is_ever_passed(
    files: int, lines: int, tokens: int | None, wanted: list[tuple[str, int]]
) -> None:
    packer = Packer(Budget(files, lines, tokens))
    for number, (path, count) in enumerate(wanted):
        packer.add(excerpt(path, 1 + 100 * number, numbered(count, f"{path}{number}")))
    totals = count_totals(packer.selections)
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
    assert packer.add(excerpt("c", 1, ["}", "return"]))  # too short to be distinguished
    assert packer.add(excerpt("d", 1, ["}", "return"]))


def test_alike_declarations_of_one_file_are_different_ones() -> None:
    packer = Packer(Budget(9, 99, None))
    assert packer.add(excerpt("a", 1, numbered(10)))
    assert packer.add(excerpt("a", 40, [*numbered(9), "other"]))


def test_touching_excerpts_are_one() -> None:
    found = [excerpt("b", 1, ["z"]), excerpt("a", 6, ["y"]), excerpt("a", 5, ["x"])]
    joined = order_selections(found, {"a": 0, "b": 1})
    assert [(one.citation, one.lines) for one in joined] == [("a:5-6", ("x", "y")), ("b:1-1", ("z",))]


def test_long_excerpts_that_touch_keep_their_own_names() -> None:
    found = [excerpt("a", 1, numbered(80)), excerpt("a", 81, numbered(80)), excerpt("a", 161, numbered(40))]
    ordered = order_selections(found, {"a": 0})
    assert [one.citation for one in ordered] == ["a:1-80", "a:81-200"]


def test_what_is_asked_for_is_an_excerpt_of_its_own() -> None:
    found = [excerpt("a", 1, ["x"]), excerpt("a", 2, ["y"]), excerpt("a", 3, ["z"]), excerpt("a", 4, ["w"])]
    ordered = order_selections(found, {"a": 0}, is_asked=lambda one: one.start_line == 2)
    assert [one.citation for one in ordered] == ["a:1-1", "a:2-2", "a:3-4"]


def test_an_excerpt_neither_begins_nor_ends_with_empty_lines() -> None:
    found = [excerpt("a", 1, ["", "x", " "]), excerpt("a", 4, ["y", "", "z", "", ""]), excerpt("b", 1, [""])]
    ordered = order_selections(found, {"a": 0, "b": 1})
    assert [(one.citation, one.lines) for one in ordered] == [
        ("a:2-6", ("x", " ", "y", "", "z")),
        ("b:1-1", ("",)),
    ]


def test_a_long_line_is_cut() -> None:
    assert cut_line("x" * MAX_LINE_CHARS) == "x" * MAX_LINE_CHARS
    assert cut_line("x" * (MAX_LINE_CHARS + 1)) == "x" * MAX_LINE_CHARS + "…"


# Heads


def test_the_head_of_a_declaration() -> None:
    text = "class A(\n    B,\n):\n    x = 1\n\n    def f(self):\n        pass\n"
    (outer, *_) = list_symbol_spans("a.py", text.encode())
    assert find_head(text.splitlines(), outer) == (1, 3)


# Rationale


def test_words_are_named_as_they_stand_in_the_lines() -> None:
    words = PromptTermFinder({"transfer", "get", "http"}).find_first_words(["self.Transfers += getHTTP()"])
    assert name_words(["transfer", "http"], words) == ["Transfers", "getHTTP"]
    assert name_words(["get", "http"], words) == ["getHTTP"]  # one word is named once


def test_a_reason_names_lines_symbols_and_texts_that_are_there() -> None:
    text = 'class Account:\n    def post(self):\n        raise Error("Not enough  funds")\n\n        pass\n'
    prompt = 'a.py:3 `post` says "not enough funds"'
    clues = parse_prompt(prompt)
    names = list_names(prompt, clues, WEIGHTS)
    evidence = Evidence(prompt, clues, names, (), {"funds": 1.0}, Ranking((), 0), (), (), ())
    path = Mention("a.py", next(one for one in clues if one.kind is ClueKind.PATH), 1.0)
    frame = replace(path, clue=Clue(ClueKind.FRAME, "a.py", 5))

    def explain(start: int, end: int, mention: Mention, hit: int | None = None) -> tuple[str, ...]:
        seen = view(text, "funds")
        file = RatedFile(
            Candidate("a.py", 1.0, hit, (mention,)), seen, [Block(1, 3), Block(4, 5)], [1.0, 1.0]
        )
        file.origins[0] = "called by main"
        return describe(build_selection(seen.live, start, end, 1.0), file, evidence).evidence

    assert explain(1, 3, path, hit=1) == (
        "the prompt names line 3",
        "declares post, named in the prompt",
        'contains the text "not enough funds"',
        "matches funds",
        "called by main, which matches the prompt",
        "hit 1 of repo.search",
    )
    in_post = "is in Account.post, named in the prompt"
    assert explain(5, 5, path) == ("the prompt names this file", in_post)
    assert explain(5, 5, frame) == ("a traceback frame names line 5", in_post)


def test_a_reason_names_the_three_heaviest_words() -> None:
    words = {"pots": 1.0, "pans": 4.0, "cups": 3.0, "jugs": 2.0}
    evidence = Evidence("", (), (), (), words, Ranking((), 0), (), (), ())
    seen = view("pots = pans = cups = jugs\n", " ".join(words))
    file = RatedFile(Candidate("a.py", 1.0, None, ()), seen, [Block(1, 1)], [1.0])
    told = describe(build_selection(seen.live, 1, 1, 1.0), file, evidence)
    assert told.evidence == ("matches pans, cups, jugs",)
    assert told.matched_terms == ("pans", "cups", "jugs", "pots")


def test_words_are_found_only_when_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def find_lines(_finder: PromptTermFinder, lines: Sequence[str]) -> dict[int, tuple[str, ...]]:
        read.append(len(lines))
        return {}

    monkeypatch.setattr(PromptTermFinder, "find_lines", find_lines)
    seen = view()
    assert not read
    assert (seen.line_terms, seen.line_terms) == ({}, {})
    assert read == [len(SOURCE.splitlines())]


def test_names_of_declarations_may_have_line_ends() -> None:
    finder = PromptTermFinder({"ledger"})
    named = [SymbolSpan(1, 1, 1, 1, name, name) for name in ("a\nb", "post ledger\n", "ledger")]
    rater = Rater({"ledger": 2.0}, finder, WEIGHTS)
    rated = rater._rate_names([Block(span.start_line, span.end_line, span) for span in named])
    assert list(rated) == ["post ledger\n", "ledger"]


def test_declarations_of_a_text_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[int] = []

    def find_rows(*arguments: Any) -> tuple[list[DeclaredRow], Macros]:
        found.append(1)
        return find_declared_rows(*arguments)

    monkeypatch.setattr(enclosing, "find_declared_rows", find_rows)
    text = f"{SOURCE}\ndef found_once():\n    return 1\n".encode()
    layout = read_layout("a.py", text)
    assert read_layout("a.py", text) == layout
    assert (len(found), layout.spans[-1].name) == (1, "found_once")
