"""The strategy `hybrid`: cut the files that a search finds into blocks, and rate these by the prompt's words.

    prompt -> evidence -> opened files, blocks and their worth -> uses of undeclared names -> names followed
           -> blocks of a trace -> what belongs to a change -> budget spent -> reasons

Each step is a module and a function of the result of the step before. No model is asked. If most words of the
prompt are in no file, and the prompt names no file, at most FEW_LINES are spent. Of a report only what is
worth much is shown, without the comments above it, and what comes next is named.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.blocks.evidence import Evidence, gather_evidence
from repo_mcp.blocks.following import FollowShown, follow_names
from repo_mcp.blocks.layouts import LayoutReader
from repo_mcp.blocks.named_lines import is_frame
from repo_mcp.blocks.opened_files import MAX_OPENED, Opener, put_written_last
from repo_mcp.blocks.prompt import HintFinder
from repo_mcp.blocks.rated_files import RatedFile, leave_out_common
from repo_mcp.blocks.source import BlockSource
from repo_mcp.blocks.undeclared_names import raise_users
from repo_mcp.blocks.weights import REPORT_WEIGHTS, WEIGHTS, Weights
from repo_mcp.bundler.audit import build_audit
from repo_mcp.bundler.beside_change import add_beside, find_beside, keep_room
from repo_mcp.bundler.build import Choice
from repo_mcp.bundler.bundle_warnings import describe_lesser, describe_unfit, list_warnings
from repo_mcp.bundler.limits import FEW_LINES, FEW_SHOWN, NOTHING_FITS
from repo_mcp.bundler.named_blocks import mark_named
from repo_mcp.bundler.packing import Packer, order_selections
from repo_mcp.bundler.reasons import describe
from repo_mcp.bundler.records import Budget, BundleRequest, Selection, count_totals
from repo_mcp.bundler.spending import spend
from repo_mcp.bundler.traces import WHOLE_FILE, add_sources, find_rank, mark_traced
from repo_mcp.ranking.page.rare_words import describe_absent, lacks_most, look_up_words
from repo_mcp.ranking.query.pasted_text import is_report
from repo_mcp.record_classes import replace

OPENED_PER_FILE = 2  # files opened for each that may be shown
LINES_PER_OPENED = 40  # of the budget, for each file opened: if more were opened, they would get no lines
MIN_OPENED = 8
COMMENT_TERMS = frozenset(("comment", "doc", "docstr", "document"))  # stems


class HybridStrategy:
    """Chooses declarations by the prompt's words, names and paths."""

    name = "hybrid"

    def __init__(self, read_layout: LayoutReader, find_hints: HintFinder) -> None:
        """Take functions that find the declarations of a file and further symbols that a prompt names."""
        self._read_layout = read_layout
        self._find_hints = find_hints

    def choose(self, request: BundleRequest, budget: Budget, source: BlockSource) -> Choice:
        """Choose the excerpts for a request within its budget, with the audit of how they were found."""
        weights = REPORT_WEIGHTS if is_report(request.prompt) else WEIGHTS
        evidence = gather_evidence(
            request.prompt, source, self._find_hints, weights, include_tests=request.include_tests
        )
        evidence = add_sources(evidence, source)
        if evidence.title & COMMENT_TERMS:
            weights = replace(weights, leads=True)
        budget, notes = _limit_noise(budget, request.prompt, evidence, source)
        packer = Packer(budget)
        opener = Opener(self._read_layout, evidence, weights, source, packer.refuse_file)
        opened = opener.open_best(_count_opened(budget))
        follow_shown = _raise_and_mark(opened, evidence, weights, source)
        beside = find_beside(opened, opener, evidence, request, packer, source)
        with packer.within(keep_room(budget, beside)):
            left = spend(opened, packer, weights, evidence.title, follow_shown)
        opened += add_beside(packer, beside, opened)
        shown = _order_shown(opened, packer)
        selections = _describe_shown(shown, packer, evidence)
        totals = count_totals(selections)
        if not selections and any(any(one.worth) for one in opened):
            notes.append(NOTHING_FITS)
        notes += list_warnings(evidence, packer, shown)
        notes += describe_lesser(left.lesser, has_trace=any(map(is_frame, evidence.mentions)))
        notes += describe_unfit(packer, left.unfit, totals.lines, request.max_total_lines)
        return Choice(selections, totals, build_audit(evidence, packer, selections, opened), tuple(notes))


def _limit_noise(
    budget: Budget, prompt: str, evidence: Evidence, source: BlockSource
) -> tuple[Budget, list[str]]:
    """Return the budget, which is small if most words of the prompt are nowhere, and notes on these words."""
    words = look_up_words(prompt, source.count_units)
    notes = describe_absent(words, is_whole=source.is_current)
    is_noise = source.is_whole and not evidence.mentions and lacks_most(prompt, words)
    if is_noise and budget.max_total_lines > FEW_LINES:
        return replace(budget, max_total_lines=FEW_LINES), [*notes, FEW_SHOWN]
    return budget, notes


def _raise_and_mark(
    opened: Sequence[RatedFile], evidence: Evidence, weights: Weights, source: BlockSource
) -> FollowShown:
    """Raise the worth of what belongs to the best blocks, and mark what is named or what a trace points at.

    Return what raises the worth of what a shown block calls.
    """
    put_written_last(opened, weights)
    raise_users(opened, evidence.names, source, weights)
    follow_shown = follow_names(opened, source, weights)
    names = leave_out_common(opened, evidence.names, source, evidence.folder)
    mark_named(opened, names, members=weights.members)
    mark_traced(opened, evidence)
    return follow_shown


def _describe_shown(shown: Sequence[RatedFile], packer: Packer, evidence: Evidence) -> tuple[Selection, ...]:
    """Return the selected excerpts of the shown files, in their order, each with the reasons for it."""
    files = {one.candidate.path: one for one in shown}
    ordered = order_selections(
        packer.selections,
        {path: at for at, path in enumerate(files)},
        lambda one: find_rank(files[one.path], one.start_line, one.end_line),
        lambda one: _is_named(files[one.path], one),
    )
    return tuple(describe(one, files[one.path], evidence) for one in ordered)


def _is_named(file: RatedFile, shown: Selection) -> bool:
    """Return whether an excerpt has a declaration that the prompt surely names."""
    return any(shown.start_line <= file.blocks[at].start_line <= shown.end_line for at in file.named)


def _order_shown(opened: Sequence[RatedFile], packer: Packer) -> list[RatedFile]:
    """Return the shown files, the one with the innermost frame first, then the one with the best excerpt."""
    best: dict[str, float] = {}
    for one in packer.selections:
        best[one.path] = max(one.score, best.get(one.path, 0.0))
    shown = [one for one in opened if one.candidate.path in best]
    return sorted(shown, key=lambda one: (find_rank(one, *WHOLE_FILE), -best[one.candidate.path]))


def _count_opened(budget: Budget) -> int:
    """Return how many files to open: the lines of the budget are spent among them."""
    by_lines = max(MIN_OPENED, budget.max_total_lines // LINES_PER_OPENED)
    return min(by_lines, OPENED_PER_FILE * budget.max_files, MAX_OPENED)
