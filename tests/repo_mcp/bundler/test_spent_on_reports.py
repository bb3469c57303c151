"""How the budget of a report is spent: on little, and what comes next is named."""

from __future__ import annotations

import pytest

from repo_mcp.blocks.blocks import Block, cut_blocks
from repo_mcp.blocks.candidates import Candidate
from repo_mcp.blocks.rated_files import RatedFile
from repo_mcp.blocks.weights import REPORT_WEIGHTS, WEIGHTS
from repo_mcp.bundler.bundle_warnings import describe_lesser
from repo_mcp.bundler.packing import Packer
from repo_mcp.bundler.records import Budget
from repo_mcp.bundler.spending import spend
from tests.repo_mcp.blocks.small_views import view


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
