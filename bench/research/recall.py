"""The part of the right answers that `code_research` shows: `python -m bench.research.recall --trees DIR`.

DIR holds a tree for each row of `repos.json`, at its revision. Each question of `questions.jsonl` goes to a
server over stdio with its default limits. A deciding line counts as shown when the answer has it behind its
number; a symbol, when the line that declares it is shown, or when the answer names it and cites lines around
that one. A question about a name that is declared nowhere is answered when the answer begins by saying so,
within `MOST_UNDECLARED_BYTES` in all. `search_code` is asked as well: at which rank is its first right hit?
What is missing is listed for the half `tune` alone.

With `--guessed`, the names stand behind a question that a model guessed from its words alone, as the server's
instructions ask clients to do.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.economy.client import Answer, Client, build_index
from bench.economy.evidence import read_lines
from bench.processes import PROJECT
from bench.quality.questions import HALVES, choose_questions, run_questions

QUESTIONS = Path(__file__).parent / "questions.jsonl"
RESEARCH, SEARCH = "code_research", "search_code"
OF_WORDS = frozenset({"how", "happens", "add", "errors", "difference"})  # forms that search_code gets as well
HOLDERS = frozenset(
    {"class", "interface", "struct", "enum", "trait", "record", "union", "extension", "module"}
)
FUNCTIONS = frozenset({"function", "method", "constructor"})
LIMIT_BYTES = 10_240  # which an answer should not exceed
MOST_UNDECLARED_BYTES, BEGINNING = 2_048, 600
_CITED = re.compile(r"(?:([\w./@+-]+\.\w+)|(?<=[( ])):(\d+)(?:-(\d+))?")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A line that a right answer shows: `name` for the symbol that it declares, `text` for what it says."""

    path: str
    line: int
    name: str = ""
    text: str = ""

    def __str__(self) -> str:
        """Return the place and what is wanted there."""
        return f"{self.path}:{self.line} {self.name or self.text}"


@dataclass(frozen=True, slots=True)
class Question:
    """One question, and what a right answer shows."""

    id: str
    repo: str
    language: str
    half: str
    form: str
    query: str
    symbols: tuple[Wanted, ...]
    lines: tuple[Wanted, ...]
    undeclared: str = ""  # the name in it that the tree does not declare
    guesses: tuple[str, ...] = ()  # names that the code may use, from the question alone
    also_right: tuple[Wanted, ...] = ()  # which answer `search_code` just as well

    def guess(self) -> Question:
        """Return the question with the guessed names behind it, in brackets."""
        return replace(self, query=f"{self.query} ({', '.join(self.guesses)})") if self.guesses else self


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer to one question: its bytes, and what is missing from it."""

    question: Question
    bytes: int
    symbols: tuple[Wanted, ...]  # that are missing
    lines: tuple[Wanted, ...]
    says_undeclared: bool
    rank: int | None  # of the first hit of `search_code` that is wanted, from 1


def read_questions(path: Path = QUESTIONS) -> list[Question]:
    """Return the questions of a file in its order. Raises KeyError for a row that lacks something."""
    return [_parse(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def _parse(row: Mapping[str, Any]) -> Question:
    named = ("symbols", "lines", "also_right")
    wanted = {name: tuple(Wanted(**one) for one in row[name]) for name in named if name in row}
    return Question(**{**row, **wanted, "guesses": tuple(row.get("guesses", ()))})


def check_tree(root: Path, question: Question) -> None:
    """Raise ValueError where a tree is not the one whose lines a question names."""
    for one in (*question.symbols, *question.lines, *question.also_right):
        file = root / one.path
        lines = file.read_text("utf-8-sig", "replace").split("\n") if file.is_file() else []
        if (one.name or one.text) not in "".join(lines[one.line - 1 : one.line]):
            raise ValueError(f"{question.id}: no {one}; the tree must be at the revision of repos.json")


def list_cited(record: object) -> list[tuple[str, int, int, str]]:
    """Return the places that a record cites: path, first and last line, and the words beside them."""
    if isinstance(record, list):
        return [cited for one in record for cited in list_cited(one)]
    if isinstance(record, str):
        return list(_iter_cited(record))
    if not isinstance(record, Mapping):
        return []
    cited = [one for value in record.values() for one in list_cited(value)]
    words = " ".join(value for value in record.values() if isinstance(value, str) and "\n" not in value)
    if isinstance(record.get("path"), str) and isinstance(record.get("start_line"), int):
        cited.append(
            (record["path"], record["start_line"], record.get("end_line", record["start_line"]), words)
        )
    return [(path, first, last, f"{words} {text}") for path, first, last, text in cited]


def _iter_cited(text: str) -> Iterator[tuple[str, int, int, str]]:
    path = ""  # of the place before: one in the same file has none
    for one in _CITED.finditer(text):
        path = one[1] or path
        yield path, int(one[2]), int(one[3] or one[2]), text


def judge(question: Question, answer: Answer, rank: int | None) -> Outcome:
    """Return what an answer shows of what is wanted."""
    shown = read_lines(answer.record)
    cited = list_cited(answer.record)

    def names(one: Wanted) -> bool:
        word = re.compile(rf"\b{re.escape(one.name)}\b")
        return any(
            path == one.path and first <= one.line <= last and word.search(words)
            for path, first, last, words in cited
        )

    return Outcome(
        question,
        answer.bytes,
        tuple(one for one in question.symbols if (one.path, one.line) not in shown and not names(one)),
        tuple(one for one in question.lines if (one.path, one.line) not in shown),
        says_undeclared(question.undeclared, answer),
        rank,
    )


def says_undeclared(name: str, answer: Answer) -> bool:
    """Return True when a short answer begins by saying that a name is declared nowhere."""
    beginning = answer.text[:BEGINNING]
    said = re.search(rf"{re.escape(name)}.{{0,60}}(?:not declared|declared nowhere)", beginning)
    return bool(name) and said is not None and answer.bytes <= MOST_UNDECLARED_BYTES


def find_rank(question: Question, hits: Sequence[Mapping[str, Any]]) -> int | None:
    """Return the rank of the first right hit, from 1; None when no hit is right.

    A hit is right when the lines that it shows, or the function around them, hold a wanted line or one that
    answers just as well; when it is a wanted type; and when it is an overload of a right hit, which says the
    same.
    """
    right = {_name_hit(hit) for hit in hits if _is_right(question, hit)}
    places = (
        rank for rank, hit in enumerate(hits, 1) if _is_right(question, hit) or _name_hit(hit) in right - {()}
    )
    return next(places, None)


def _is_right(question: Question, hit: Mapping[str, Any]) -> bool:
    places = (*question.symbols, *question.lines, *question.also_right)
    wanted = [one for one in places if one.path == hit["path"]]
    first, last = hit.get("declared_lines") or (hit["start_line"], hit["end_line"])
    if hit.get("kind") in HOLDERS:  # what a type holds is a hit of its own
        named = any(one.name in hit.get("symbols", ())[:1] and first <= one.line <= last for one in wanted)
        return named or any(hit["start_line"] <= one.line <= hit["end_line"] for one in wanted)
    first, last = min(first, hit["start_line"]), max(last, hit["end_line"])
    return any(first <= one.line <= last for one in wanted)


def _name_hit(hit: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the file, the place in it and the name of a function; () for anything else."""
    names = hit.get("symbols", ())[:1]
    is_function = names and hit.get("kind") in FUNCTIONS
    return (hit["path"], hit.get("breadcrumb", ""), *names) if is_function else ()


def ask_tree(root: Path, questions: Sequence[Question], data_dir: Path, code: Path) -> Iterator[Outcome]:
    """Yield the outcome of each question about one tree. Raises ValueError for another tree."""
    for question in questions:
        check_tree(root, question)
    data_dir.mkdir(parents=True, exist_ok=True)
    build_index(root, data_dir, "--structure", code=code)
    with closing(Client(root, data_dir, "--toolsets", "research", code=code)) as client:
        client.settle(RESEARCH, query=questions[0].query)
        for question in questions:
            asks_words = question.form in OF_WORDS
            hits = client.call(SEARCH, query=question.query).record.get("results") if asks_words else None
            yield judge(
                question, client.call(RESEARCH, query=question.query), find_rank(question, hits or ())
            )


def render(outcomes: Sequence[Outcome]) -> list[str]:
    """Return a table by half, form and language, then what is missing in the half `tune`."""
    lines = [
        "| | questions | symbols | lines | undeclared | bytes, mean | in 10 KB | search first | in five |",
        "|---" + "|--:" * 8 + "|",
        _render_row("all", outcomes),
    ]
    for name in ("half", "form", "language"):
        groups: dict[str, list[Outcome]] = {}
        for one in outcomes:
            groups.setdefault(getattr(one.question, name), []).append(one)
        lines += [_render_row(key, own) for key, own in sorted(groups.items())] if len(groups) > 1 else []
    for one in outcomes:
        missing = [*one.symbols, *one.lines]
        if one.question.half == "tune" and (missing or (one.question.undeclared and not one.says_undeclared)):
            lines += ["", f"{one.question.id} {one.question.query} ({one.bytes} bytes)"]
            lines += [f"  - {place}" for place in missing]
    return lines


def _render_row(name: str, own: Sequence[Outcome]) -> str:
    asked = [one for one in own if one.question.symbols or one.question.lines]
    shares = []
    for kind in ("symbols", "lines"):
        wanted = sum(len(getattr(one.question, kind)) for one in asked)
        missing = sum(len(getattr(one, kind)) for one in asked)
        shares.append(f"{(wanted - missing) / wanted:.2f} of {wanted}" if wanted else "")
    undeclared = [one for one in own if one.question.undeclared]
    said = f"{sum(one.says_undeclared for one in undeclared)} of {len(undeclared)}" if undeclared else ""
    mean = round(sum(one.bytes for one in own) / len(own))
    within = sum(one.bytes <= LIMIT_BYTES for one in own) / len(own)
    ranks = [one.rank for one in own if one.question.form in OF_WORDS]
    first, five = (
        f"{sum(rank is not None and rank <= most for rank in ranks) / len(ranks):.2f}" if ranks else ""
        for most in (1, 5)
    )
    cells = (name, len(own), *shares, said, mean, f"{within:.2f}", first, five)
    return f"| {' | '.join(map(str, cells))} |"


def main(arguments: list[str]) -> int:
    """Ask and print. Return 1 when no question could be asked."""
    parser = argparse.ArgumentParser(prog="bench.research.recall", description=__doc__)
    parser.add_argument(
        "--trees", type=Path, required=True, help="a directory with a tree for each repository"
    )
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    parser.add_argument("--half", choices=(*HALVES, "both"), default="tune", help="kept: only at the end")
    parser.add_argument("--only", help="repositories to ask about, with commas")
    parser.add_argument("--data", type=Path, help="where indexes are kept (default: made anew, then removed)")
    parser.add_argument("--guessed", action="store_true", help="with the guessed names behind each question")
    parser.add_argument("--code", type=Path, default=PROJECT, help="the checkout whose server is asked")
    given = parser.parse_args(arguments)
    questions = choose_questions(read_questions(given.questions), given.half, given.only)
    questions = [one.guess() for one in questions] if given.guessed else questions
    with tempfile.TemporaryDirectory() as scratch:
        data_dirs = given.data or Path(scratch)
        code = given.code.resolve()

        def ask(repo: str, root: Path, own: Sequence[Question]) -> Iterator[Outcome]:
            return ask_tree(root, own, data_dirs / repo, code)

        outcomes = list(run_questions(questions, given.trees, ask, print))
    if not outcomes:
        return 1
    print("\n".join(render(outcomes)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
