"""Ask the questions of `questions.py`, and print the answers with the lines that they cite.

    python -m bench.research TREES [--data-dir DIR] [--only TEXT] [--depth N]

TREES is a folder that holds the repositories, each in a folder of its name; missing ones are left out. Each
report comes with the CPU time of the answer.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

from bench.research.questions import QUESTIONS, Question
from repo_mcp.config.server_config import Config
from repo_mcp.repository import Repository
from repo_mcp.research.findings.records import Report, ResearchRequest, RunControl
from repo_mcp.toolsets.research.report_record import cut_report
from repo_mcp.toolsets.research.research_text import render_report


def find_tree(trees: Path, name: str) -> Path | None:
    """Return the folder of a repository, with or without a version behind its name."""
    found = [
        path for path in sorted(trees.iterdir()) if path.is_dir() and path.name.partition("-")[0] == name
    ]
    return found[0] if found else None


def ask(repository: Repository, question: Question, depth: int | None) -> tuple[Report, float]:
    """Return the report on a question, and the CPU seconds that it took."""
    request = ResearchRequest(question.text, depth or question.depth, question.focus, question.folder)
    started = time.process_time()
    report = repository.engines.researcher.answer(request, RunControl(lambda: False))
    return report, time.process_time() - started


def iter_wanted(only: str) -> Iterator[Question]:
    """Yield the questions whose tree or text holds some words."""
    for question in QUESTIONS:
        if only.lower() in f"{question.tree} {question.text}".lower():
            yield question


def main() -> None:
    """Ask, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", type=Path)
    parser.add_argument("--data-dir", type=Path, help="kept for the next time; else a temporary one")
    parser.add_argument("--only", default="", help="questions whose tree or text holds this")
    parser.add_argument("--depth", type=int)
    options = parser.parse_args()
    with ExitStack() as stack:
        data = options.data_dir or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        opened: dict[str, Repository] = {}
        for question in iter_wanted(options.only):
            tree = find_tree(options.trees, question.tree)
            if tree is None:
                print(f"{question.tree}: not in {options.trees}\n")
                continue
            if question.tree not in opened:
                repository = Repository(Config(str(tree), data_dir=str(data / question.tree)))
                opened[question.tree] = stack.enter_context(closing(repository))
                repository.refresh()
                repository.symbol_index.build()
            report, seconds = ask(opened[question.tree], question, options.depth)
            print(f"<!-- {question.tree}, {seconds:.2f} s -->")
            print(render_report(report.request.query, cut_report(report, len(report.findings)).result))
            print("".join(f"Note: {warning}\n" for warning in report.warnings))


if __name__ == "__main__":
    main()
