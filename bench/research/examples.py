"""Update the pages of `docs/research-examples`: `python -m bench.research.examples --trees DIR`.

DIR holds the trees that the pages name (`TREES`), at their revisions. The part of each page from "After" on
is replaced by today's answer; the verdicts above it and in the README are a reader's, and stay.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from bench.economy.client import Client, build_index
from bench.processes import PROJECT

PAGES = PROJECT / "docs" / "research-examples"
TREES = {  # what the pages call a tree -> its directory
    "Django 5.1": "django",  # as its wheel has it
    "Zod, e516c3b": "zod",
    "MessagePack for C#, 135abbc": "messagepack",
}
RESEARCH = "code_research"
MOST_FINDINGS, MOST_LINES = 3, 20  # that a page shows, and lines of each
_OMITTED = "    …"  # as an answer marks lines that it leaves out
_ASKED = re.compile(r"# (?P<question>.+)\n\nAsked of (?P<tree>.+?) with the default limits")
_AFTER = re.compile(r"^## After: .*", re.DOTALL | re.MULTILINE)
_FINDING = re.compile(r"^(?=\*\*\d+\. )", re.MULTILINE)


def find_asked(page: str) -> tuple[str, str] | None:
    """Return the question of a page and the directory of the tree that it is asked of; None for another page.

    Raises KeyError for an unknown tree.
    """
    found = _ASKED.match(page)
    return None if found is None else (found["question"], TREES[found["tree"]])


def replace_answer(page: str, size: int, count: int, report: str) -> str:
    """Return a page with another answer: its bytes as JSON, its findings, and the report for people."""
    head, *findings = _FINDING.split(report.partition("\n## Around it")[0].partition("\n## Left out")[0])
    shown = findings[:MOST_FINDINGS]
    page_lines = [
        f"## After: {size:,} bytes as JSON, {count} findings",
        "",
        f"The first {len(shown)}:",
        "",
        "````text",
    ]
    page_lines += [head.rstrip(), *(line for one in shown for line in ("", *_cut(one.rstrip()))), "````", ""]
    return _AFTER.sub(lambda _: "\n".join(page_lines), page)


def _cut(finding: str) -> Iterator[str]:
    lines = finding.split("\n")
    yield from lines[:MOST_LINES]
    if len(lines) > MOST_LINES and lines[MOST_LINES - 1] != _OMITTED:
        yield _OMITTED


def main(arguments: list[str]) -> int:
    """Ask and write. Return 1 when a tree is missing."""
    parser = argparse.ArgumentParser(prog="bench.research.examples", description=__doc__)
    parser.add_argument("--trees", type=Path, required=True, help="a directory with the trees of the pages")
    given = parser.parse_args(arguments)
    asked = {path: find_asked(path.read_text("utf-8")) for path in sorted(PAGES.glob("*.md"))}
    for tree in TREES.values():
        root = given.trees / tree
        if not root.is_dir():
            print(f"{root} is missing", file=sys.stderr)
            return 1
        with tempfile.TemporaryDirectory() as scratch:
            build_index(root, Path(scratch), "--structure")
            with closing(Client(root, Path(scratch), "--toolsets", "research")) as client:
                for path, own in asked.items():
                    if own is not None and own[1] == tree:
                        _rewrite(client, path, own[0])
    return 0


def _rewrite(client: Client, path: Path, question: str) -> None:
    client.settle(RESEARCH, query=question)
    answer = client.call(RESEARCH, query=question)
    report = client.call(RESEARCH, query=question, format="human").text
    page = path.read_text("utf-8")
    path.write_text(replace_answer(page, answer.bytes, len(answer.record["findings"]), report), "utf-8")
    print(path.name)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
