"""The questions that a bundle and a page of snippets answer: `python -m bench.quality --functions`.

A question is answered when at least 70 % of each function that was named for it in advance is shown.
Questions go to a server over stdio with its default limits, and to the control (`bench/quality/control.py`).
Missing functions are listed for the half `tune` alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.economy.client import Answer, Client, build_index
from bench.economy.evidence import read_lines
from bench.quality.control import show_control
from bench.quality.questions import Line, Question, check_tree

BUDGETS = (160, 400, 1_000)  # lines; a bundle without a budget is measured as well
MIDDLE = "bundle 400"  # what is missing from it is listed
DEFAULT = "bundle"
SEARCH, BUNDLE = "repo.search", "repo.build_context_bundle"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The lines that the answers to one question showed."""

    question: Question
    page: Set[Line]  # the lines that the first page of hits shows
    spans: Set[Line]  # the lines that its hits name: their own, and those of their symbols
    bundles: Mapping[str, Set[Line]]  # by column: those of the server, and the controls

    @property
    def has_files(self) -> bool:
        """Return True when the first page has all files."""
        return {one.path for one in self.question.functions} <= {path for path, _ in self.spans}

    @property
    def has_head(self) -> bool:
        """Return True when the first page shows the first line of one of the functions."""
        return any((one.path, one.start_line) in self.page for one in self.question.functions)

    @property
    def has_span(self) -> bool:
        """Return True when a hit touches one of the functions."""
        return any(one.count_shown(self.spans) for one in self.question.functions)

    def list_missing(self, column: str) -> list[str]:
        """Return the functions that a bundle does not show."""
        return [
            f"{one.path}:{one.name}"
            for one in self.question.functions
            if not one.is_shown(self.bundles[column])
        ]


def ask_tree(root: Path, questions: Sequence[Question], data_dir: Path, code: Path) -> Iterator[Outcome]:
    """Yield the outcome of each question about one tree. Raises ValueError for another tree."""
    for question in questions:
        check_tree(root, question)
    data_dir.mkdir(parents=True, exist_ok=True)
    build_index(root, data_dir, code=code)
    with closing(Client(root, data_dir, code=code)) as client:
        client.settle(BUNDLE, prompt=questions[0].query)
        for question in questions:
            yield ask(client, root, question)


def ask(client: Client, root: Path, question: Question) -> Outcome:
    """Return the outcome of one question."""
    page = client.call(SEARCH, query=question.query)
    bundles = {}
    for size in BUDGETS:
        bundles[f"bundle {size}"] = ask_bundle(client, question, max_total_lines=size)
        bundles[f"control {size}"] = show_control(client, root, question.query, size)
    bundles[DEFAULT] = ask_bundle(client, question)
    return Outcome(question, set(read_lines(page.record)), _list_spans(page), bundles)


def ask_bundle(client: Client, question: Question, **budget: int) -> set[Line]:
    """Return the lines of a bundle for a question. Raises ValueError when it is refused."""
    arguments = {"budget": budget} if budget else {}
    answer = client.call(BUNDLE, prompt=question.query, **arguments)
    if answer.is_error:
        raise ValueError(f"{question.id}: {answer.text}")
    return set(read_lines((answer.record.get("result") or {}).get("selections", [])))


def _list_spans(page: Answer) -> set[Line]:
    hits = (page.record.get("result") or {}).get("hits") or ()
    spans = ((hit["path"], span) for hit in hits for span in _iter_spans(hit))
    return {(path, line) for path, (first, last) in spans for line in range(first, last + 1)}


def _iter_spans(hit: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    yield hit["start_line"], hit["end_line"]
    if hit.get("symbol_lines"):
        yield tuple(hit["symbol_lines"])


def _group(outcomes: Iterable[Outcome], name: str) -> dict[str, list[Outcome]]:
    groups: dict[str, list[Outcome]] = {}
    for one in outcomes:
        groups.setdefault(getattr(one.question, name), []).append(one)
    return groups


def render(outcomes: Sequence[Outcome]) -> list[str]:
    """Return the tables of questions and functions, then what is missing in the half `tune`."""
    columns = list(outcomes[0].bundles)
    lines = [
        f"| | questions | files | snippets | heads | spans | {' | '.join(columns)} |",
        "|---" + "|--:" * (5 + len(columns)) + "|",
        _render_row("all", outcomes),
    ]
    for name in ("half", "category", "language"):
        groups = _group(outcomes, name)
        if len(groups) > 1:
            lines += [_render_row(key, own) for key, own in sorted(groups.items())]
    wanted = sum(len(one.question.functions) for one in outcomes)
    lines += ["", "| | wanted | " + " | ".join(columns) + " |", "|---" + "|--:" * (1 + len(columns)) + "|"]
    missing = [sum(len(one.list_missing(column)) for one in outcomes) for column in columns]
    used = [round(sum(len(one.bundles[column]) for one in outcomes) / len(outcomes)) for column in columns]
    lines += [f"| functions | {wanted} | {' | '.join(str(wanted - count) for count in missing)} |"]
    lines += [f"| lines, the mean | | {' | '.join(map(str, used))} |"]
    tune = [one for one in outcomes if one.question.half == "tune" and one.list_missing(MIDDLE)]
    if tune:
        lines += ["", f"Not in {MIDDLE}:"]
        lines += [
            f"- {one.question.id} {one.question.query}: {', '.join(one.list_missing(MIDDLE))}" for one in tune
        ]
    return lines


def _render_row(name: str, own: Sequence[Outcome]) -> str:
    rows = []
    for one in own:
        answered = map(one.question.is_answered, (one.page, *one.bundles.values()))
        rows.append([one.has_files, next(answered), one.has_head, one.has_span, *answered])
    counts = (str(sum(column)) for column in zip(*rows, strict=True))
    return f"| {name} | {len(own)} | {' | '.join(counts)} |"


def write_run(path: Path, outcomes: Sequence[Outcome]) -> None:
    """Store which questions each bundle and the first page answered."""
    rows = {
        one.question.id: {
            column: one.question.is_answered(lines)
            for column, lines in {**one.bundles, "snippets": one.page}.items()
        }
        for one in outcomes
    }
    path.write_text(json.dumps(rows, indent=0) + "\n", encoding="utf-8")
