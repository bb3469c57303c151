"""A budget is spent block by block: what is shown already changes what the next block is worth."""

from __future__ import annotations

import pytest

from repo_mcp.blocks.blocks import Block
from repo_mcp.blocks.candidates import Candidate
from repo_mcp.blocks.file_view import FileView, PromptTermFinder
from repo_mcp.blocks.layouts import read_layout
from repo_mcp.blocks.rated_files import RatedFile
from repo_mcp.blocks.source import LiveFile
from repo_mcp.blocks.weights import REPORT_WEIGHTS, WEIGHTS, Weights
from repo_mcp.bundler.bundle_warnings import describe_unfit
from repo_mcp.bundler.packing import Packer, build_selection, order_selections
from repo_mcp.bundler.records import Budget
from repo_mcp.bundler.spending import LEAST_PART_LINES, spend
from repo_mcp.record_classes import replace
from tests.repo_mcp.blocks.small_views import view


def rated(path: str, sizes: list[int], worth: list[float]) -> RatedFile:
    """Return a file whose blocks have these numbers of lines and this worth."""
    text = "".join(f"{path[0]}{number} = {number}\n" for number in range(sum(sizes)))
    live = LiveFile(path, text.encode(), tuple(text.splitlines()), b"f")
    ends = [sum(sizes[: at + 1]) for at in range(len(sizes))]
    blocks = [Block(end - size + 1, end) for end, size in zip(ends, sizes, strict=True)]
    view = FileView(live, read_layout(path, live.data), PromptTermFinder(set()))
    return RatedFile(Candidate(path, 1.0, None), view, blocks, worth)


def show(files: list[RatedFile], lines: int, most_files: int = 8) -> list[tuple[str, int, int]]:
    packer = Packer(Budget(most_files, lines, None))
    spend(files, packer, WEIGHTS)
    return [(one.path, one.start_line, one.end_line) for one in packer.selections]


def test_a_block_counts_less_once_much_of_its_file_is_shown() -> None:
    """The block of another file comes first, although it is worth less for its lines to begin with."""
    long = rated("long.py", [400, 1, 20], [3.0, 0.0, 0.5])
    other = rated("other.py", [20], [0.4])
    assert show([long, other], 450) == [("long.py", 1, 400), ("other.py", 1, 20), ("long.py", 402, 421)]


def test_what_stands_beside_a_shown_block_is_shown_only_if_it_is_worth_it() -> None:
    """It costs fewer lines than what stands alone, so it needs less worth."""
    assert show([rated("a.py", [10, 10], [0.5, 0.005])], 100) == [("a.py", 1, 10)]
    assert show([rated("a.py", [10, 10], [0.5, 0.01])], 100) == [("a.py", 1, 10), ("a.py", 11, 20)]


def test_a_few_lines_are_shown_beside_others_or_if_they_are_called_or_worth_much() -> None:
    def show_short(worth: float, origin: str) -> list[tuple[str, int, int]]:
        file = rated("a.py", [20, 3, 9, 3], [1.0, 0.3, 0.0, worth])
        file.origins[3] = origin
        return show([file], 100)

    beside, alone = [("a.py", 1, 20), ("a.py", 21, 23)], ("a.py", 33, 35)
    assert show_short(0.3, "used by lift") == beside
    assert show_short(0.3, "called by lift") == [*beside, alone]
    assert alone in show_short(0.9, "")


def test_no_block_but_the_best_and_what_is_named_is_cut() -> None:
    best, good = rated("best.py", [30], [1.0]), rated("good.py", [120], [0.9])
    assert show([best, good], 100) == [("best.py", 1, 30)]
    assert show([rated("good.py", [120], [0.9])], 100) == [("good.py", 1, 1)]


@pytest.mark.parametrize(("weights", "second"), [(WEIGHTS, "a.py"), (REPORT_WEIGHTS, "b.py")])
def test_what_a_shown_block_raises_comes_first_unless_the_prompt_is_a_report(
    weights: Weights, second: str
) -> None:
    files = [rated("a.py", [10, 90, 10], [1.0, 0.0, 0.7]), rated("b.py", [10], [0.9])]

    def follow(file: RatedFile, position: int) -> list[tuple[RatedFile, int]]:
        if (file.candidate.path, position) != ("a.py", 0):
            return []
        file.worth[2] = 0.95
        return [(file, 2)]

    packer = Packer(Budget(8, 25, None))
    spend(files, packer, weights, follow=follow)
    assert [one.path for one in packer.selections] == ["a.py", second]


def test_a_file_beyond_the_limit_is_refused_once_and_not_block_by_block() -> None:
    files = [rated("a.py", [10], [1.0]), rated("b.py", [10, 10], [0.9, 0.8])]
    packer = Packer(Budget(1, 100, None))
    spend(files, packer, WEIGHTS)
    assert [one.path for one in packer.selections] == ["a.py"]
    assert [(one.path, one.start_line, one.reason) for one in packer.dropped] == [
        ("b.py", None, "max_files reached")
    ]


def test_what_does_not_fit_and_what_is_left_at_the_end_is_recorded_by_its_reason() -> None:
    files = [rated("best.py", [10], [1.0]), rated("long.py", [40], [0.9]), rated("next.py", [10], [0.6])]
    files += [rated("late.py", [10], [0.5]), rated("noise.py", [10], [0.001])]
    packer = Packer(Budget(8, 20, None))
    left = spend(files, packer, WEIGHTS)
    assert [one.path for one in packer.selections] == ["best.py", "next.py"]
    assert [(one.path, one.start_line, one.end_line, one.reason) for one in packer.dropped] == [
        ("long.py", 1, 40, "does not fit into the lines that were left"),
        ("late.py", 1, 10, "the lines were used up"),
    ]
    assert [one.candidate.path for one, _ in left.unfit] == ["long.py", "late.py"]


@pytest.mark.parametrize(
    ("shown", "wanted", "named"),
    [(5, 20, ["long.py", "late.py"]), (16, 20, ["late.py"]), (5, None, ["late.py"])],
)
def test_a_warning_names_what_was_asked_for_and_the_rest_if_lines_are_left(
    shown: int, wanted: int | None, named: list[str]
) -> None:
    files = [rated("long.py", [40], [0.9]), rated("late.py", [10], [0.5])]
    files[1].named.add(0)
    unfit = [(one, 0) for one in files]
    (warning,) = describe_unfit(Packer(Budget(8, 20, None)), unfit, shown, wanted)
    assert [path for path in ("long.py", "late.py") if path in warning] == named


def test_no_weight_of_a_bundle_s_end_stands_for_nothing() -> None:
    def count(weights: Weights) -> int:
        files = [rated("best.py", [70], [1.0]), rated("fair.py", [10], [0.4]), rated("poor.py", [10], [0.02])]
        packer = Packer(Budget(8, 400, None))
        spend(files, packer, weights)
        return len(packer.selections)

    assert [count(replace(WEIGHTS, ends_below=least)) for least in (0.0, 0.1, 0.9)] == [3, 2, 1]
    assert [count(replace(WEIGHTS, left_below_then=least)) for least in (0.0, 0.1, 0.9)] == [3, 2, 1]
    few = replace(WEIGHTS, enough_lines=500)
    assert [count(replace(few, left_below=least)) for least in (0.0, 0.1, 0.9)] == [3, 2, 1]


def test_an_excerpt_is_cut_to_the_tokens() -> None:
    packer = Packer(Budget(8, 100, max_tokens=7))  # 28 characters: three lines of nine
    file = rated("a.py", [9], [1.0])
    shown = packer.add(build_selection(file.view.live, 1, 4, 1.0))
    assert shown is not None
    assert (shown.start_line, shown.end_line) == (1, 3)


def test_excerpts_that_do_not_fit_are_named_together_if_they_touch() -> None:
    packer = Packer(Budget(8, 10, max_tokens=1))
    view = rated("a.py", [20], [1.0]).view
    for start, end in ((1, 3), (4, 5), (8, 9), (10, 15)):  # the lines that are left do not hold the last
        packer.note_unfit(build_selection(view.live, start, end, 1.0))
    assert [(one.start_line, one.end_line, len(one.lines)) for one in packer.unfit] == [(1, 5, 5), (8, 9, 2)]


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
