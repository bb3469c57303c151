"""Names lead from the best blocks to what they call and to what uses them, one step and no further.

The calls of what is shown lead on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

from repo_mcp.blocks.blocks import cut_blocks
from repo_mcp.blocks.candidates import Candidate
from repo_mcp.blocks.file_view import FileView, PromptTermFinder
from repo_mcp.blocks.following import Use, follow_names, list_steps
from repo_mcp.blocks.layouts import read_layout
from repo_mcp.blocks.rated_files import RatedFile
from repo_mcp.blocks.weights import REPORT_WEIGHTS, WEIGHTS, Weights
from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from tests.repo_mcp.blocks.small_source import Source, read_text
from tests.repo_mcp.blocks.small_views import FILLING, SOURCE, cut, view


def rated(path: str, text: str, best: str) -> RatedFile:
    """Return a file of which the block that declares `best` is worth 1, and all others nothing."""
    live = read_text(path, text)
    layout = read_layout(path, live.data)
    blocks = cut_blocks(live.lines, layout.spans, small_file_lines=0)
    worth = [float(one.span is not None and one.span.name == best) for one in blocks]
    return RatedFile(
        Candidate(path, 1.0, None), FileView(live, layout, PromptTermFinder(set())), blocks, worth
    )


def follow(files: Sequence[RatedFile], weights: Weights = WEIGHTS, common: Sequence[str] = ()) -> None:
    follow_names(files, cast("Any", Source(common)), weights)


def list_gains(file: RatedFile) -> dict[str, str]:
    """Return what led to the blocks of a file, by their names."""
    spans = {at: block.span for at, block in enumerate(file.blocks)}
    return {
        span.name: file.origins[at] for at, span in spans.items() if span is not None and at in file.origins
    }


CALLER = "def start_all(jobs):\n    prepare_jobs(jobs)\n    return map(run_one_job, jobs)\n\n\n"
HELPER = "def prepare_jobs(jobs):\n    jobs.sort()\n    return jobs\n\n\n"


def test_of_a_report_only_what_is_called_gains() -> None:
    job = "def run_one_job(job):\n    job.run()\n"
    for weights, gaining in ((WEIGHTS, ["prepare_jobs", "run_one_job"]), (REPORT_WEIGHTS, ["prepare_jobs"])):
        one = rated("a.py", CALLER + HELPER + job, "start_all")
        follow([one], weights)
        assert [*list_gains(one)] == gaining


def test_a_declaration_of_the_same_file_is_meant_and_not_its_namesake_elsewhere() -> None:
    own, other = rated("a.py", CALLER + HELPER, "start_all"), rated("b.py", HELPER, "")
    follow([own, other])
    assert list_gains(own) == {"prepare_jobs": "called by start_all"}
    assert list_gains(other) == {}


def test_who_uses_a_name_gains_but_not_who_only_mentions_it_in_a_comment() -> None:
    users = "def use_it():\n    start_all([])\n\n\ndef tell_it():\n    # see start_all\n    return 2\n"
    file = rated("a.py", CALLER + users, "start_all")
    follow([file])
    assert list_gains(file) == {"use_it": "calls start_all"}


def test_what_a_shown_block_calls_gains_from_it_and_not_a_second_time() -> None:
    helper = "def prepare_jobs(jobs):\n    sort_jobs(jobs)\n    return LIMIT\n\n\n"
    one = rated("a.py", CALLER + helper + "def sort_jobs(jobs):\n    jobs.sort()\n", "start_all")
    # Twelve better blocks lead on before what the first one calls does.
    others = [rated(f"{at}.py", f"def job{at}():\n    return {at}\n", f"job{at}") for at in range(11)]
    follow_shown = follow_names([one, *others], cast("Any", Source()), WEIGHTS)
    names = [block.span.name if block.span is not None else "" for block in one.blocks]
    helped, sorted_ = names.index("prepare_jobs"), names.index("sort_jobs")
    before = one.worth[helped], one.worth[sorted_]
    one.shown.add(helped)
    assert follow_shown(one, helped) == [(one, sorted_)]
    assert one.worth[sorted_] > before[1] == 0.0
    assert one.origins[sorted_] == "called by prepare_jobs"
    assert follow_shown(one, helped) == []
    assert one.worth[helped] == before[0]


def test_who_uses_a_name_that_is_used_everywhere_gains_less() -> None:
    users = "def use_it():\n    start_all([])\n"
    rare, common = rated("a.py", CALLER + users, "start_all"), rated("a.py", CALLER + users, "start_all")
    follow([rare])
    follow([common], common=["start_all"])
    assert 0.0 < common.worth[-1] < rare.worth[-1]


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
