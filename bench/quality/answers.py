"""How many questions a bundle and a page of snippets answer: `python -m bench.quality --functions`.

A question is answered when at least 70 % of each function that was named for it in advance is shown. It is
asked of a server over stdio with its default limits, beside the control (`bench/quality/control.py`). What is
missing is listed of the half `tune` alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.economy.client import Answer, Client, build_index
from bench.economy.evidence import read_lines
from bench.quality.control import show_control
from bench.quality.questions import Line, Question, check_tree

BUDGETS = (160, 400, 1_000)  # lines; beside them a bundle without any budget
SEARCH, BUNDLE = "repo.search", "repo.build_context_bundle"
DEFAULT = "default"
HEAD = (
    "| | questions | files | snippets | heads | spans "
    + "".join(f"| bundle {size} | control {size} " for size in BUDGETS)
    + f"| {DEFAULT} | lines of {BUDGETS[1]} |"
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one question got."""

    question: Question
    has_files: bool  # all of its files among those of the first page
    snippets: bool  # the first page answers
    heads: bool  # it shows the first line of one of the functions
    spans: bool  # one of its spans touches one of them
    bundles: Mapping[str, bool]  # by budget
    controls: Mapping[str, bool]
    used_lines: int  # of the bundle of the second budget
    missing: tuple[str, ...] = field(default=())  # functions that this bundle does not show


def ask_tree(root: Path, questions: Sequence[Question], data_dir: Path, *options: str) -> Iterator[Outcome]:
    """Yield the outcome of each question of one tree. ValueError for another tree."""
    for question in questions:
        check_tree(root, question)
    data_dir.mkdir(parents=True, exist_ok=True)
    build_index(root, data_dir, *options)
    with closing(Client(root, data_dir, *options)) as client:
        client.settle(BUNDLE, prompt=questions[0].query)
        for question in questions:
            yield ask(client, root, question)


def ask(client: Client, root: Path, question: Question) -> Outcome:
    """Return the outcome of one question."""
    page = client.call(SEARCH, query=question.query)
    shown, spans = set(read_lines(page.record)), _list_spans(page)
    bundles = {str(size): ask_bundle(client, question, max_total_lines=size) for size in BUDGETS}
    bundles[DEFAULT] = ask_bundle(client, question)
    functions, middle = question.functions, bundles[str(BUDGETS[1])]
    return Outcome(
        question,
        {one.path for one in functions} <= {path for path, _ in spans},
        question.is_answered(shown),
        any((one.path, one.start_line) in shown for one in functions),
        any(one.count_shown(spans) for one in functions),
        {size: question.is_answered(lines) for size, lines in bundles.items()},
        {
            str(size): question.is_answered(show_control(client, root, question.query, size))
            for size in BUDGETS
        },
        len(middle),
        tuple(f"{one.path}:{one.name}" for one in functions if not one.is_shown(middle)),
    )


def ask_bundle(client: Client, question: Question, **budget: int) -> set[Line]:
    """Return the lines of a bundle for a question. ValueError when it is refused."""
    arguments = {"budget": budget} if budget else {}
    answer = client.call(BUNDLE, prompt=question.query, **arguments)
    if answer.is_error:
        raise ValueError(f"{question.id}: {answer.text}")
    return set(read_lines((answer.record.get("result") or {}).get("selections", [])))


def _list_spans(page: Answer) -> set[Line]:
    """Return the lines that hits name: their own, and those of their symbols."""
    hits = (page.record.get("result") or {}).get("hits") or ()
    spans = ((hit["path"], span) for hit in hits for span in _iter_spans(hit))
    return {(path, line) for path, (first, last) in spans for line in range(first, last + 1)}


def _iter_spans(hit: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    yield hit["start_line"], hit["end_line"]
    if hit.get("symbol_lines"):
        yield tuple(hit["symbol_lines"])


def run_questions(
    questions: Iterable[Question], trees: Path, data_dirs: Path, report: Callable[[str], None]
) -> Iterator[Outcome]:
    """Yield the outcomes, tree by tree. What has no tree is left out, and that is reported."""
    groups: dict[str, list[Question]] = {}
    for question in questions:
        groups.setdefault(question.repo, []).append(question)
    for repo, own in groups.items():
        root = trees / repo
        if root.is_dir():
            yield from ask_tree(root, own, data_dirs / repo)
        else:
            report(f"{repo}: no tree, {len(own)} questions left out")


def _group(outcomes: Iterable[Outcome], name: str) -> dict[str, list[Outcome]]:
    groups: dict[str, list[Outcome]] = {}
    for one in outcomes:
        groups.setdefault(getattr(one.question, name), []).append(one)
    return groups


def render(outcomes: Sequence[Outcome]) -> list[str]:
    """Return the table: all, by half, by category, by language; then what is missing of the half `tune`."""
    lines = [HEAD, "|---" + "|--:" * (HEAD.count("|") - 2) + "|", _render_row("all", outcomes)]
    for name in ("half", "category", "language"):
        groups = _group(outcomes, name)
        if len(groups) > 1:
            lines += [_render_row(key, own) for key, own in sorted(groups.items())]
    tune = [one for one in outcomes if one.question.half == "tune" and one.missing]
    if tune:
        lines += ["", f"Not shown in {BUDGETS[1]} lines:"]
        lines += [f"- {one.question.id} {one.question.query}: {', '.join(one.missing)}" for one in tune]
    return lines


def _render_row(name: str, own: Sequence[Outcome]) -> str:
    counts = [
        len(own),
        *(sum(getattr(one, key) for one in own) for key in ("has_files", "snippets", "heads", "spans")),
    ]
    for size in map(str, BUDGETS):
        counts += [sum(one.bundles[size] for one in own), sum(one.controls[size] for one in own)]
    counts += [sum(one.bundles[DEFAULT] for one in own), round(sum(one.used_lines for one in own) / len(own))]
    return f"| {name} | " + " | ".join(map(str, counts)) + " |"


def write_run(path: Path, outcomes: Sequence[Outcome]) -> None:
    """Keep which questions were answered, by the budget."""
    rows = {one.question.id: {**one.bundles, "snippets": one.snippets} for one in outcomes}
    path.write_text(json.dumps(rows, indent=0) + "\n", encoding="utf-8")
