"""Show real answers, with the bytes that they had before answers were shortened, as a page.

    mkdir -p TREE && git archive ab13f3c repo_mcp | tar x -C TREE
    python -m bench.economy.show TREE/repo_mcp > docs/answers.md

There are two answers of each kind. Hits and outlines are requested as text. Only the beginning of a long
answer is shown, but its bytes are counted in full. The number of each call, which is random, is shown as
zeros, so the page is the same whenever it is written.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from bench.economy.client import Client, build_index
from bench.economy.policy import OPEN, SEARCH
from bench.processes import PROJECT

SHOWN_CHARS = 500
_REQUEST_ID = re.compile(r'(?<="request_id":")[^"]+')
OUTLINE, BUNDLE = "repo.outline", "repo.build_context_bundle"
AS_TEXT = (SEARCH, OUTLINE)
# Each call, and the bytes of its answer by the server of commit ab13f3c.
CALLS: Sequence[tuple[str, Mapping[str, str], int]] = (
    (SEARCH, {"mode": "literal", "query": "ErrorCode.INVALID_ARGUMENT,"}, 2_261),
    (SEARCH, {"mode": "regex", "query": r"def _find_\w+"}, 2_084),
    (SEARCH, {"query": "which terms must a text contain that matches an expression"}, 6_468),
    (SEARCH, {"query": "where is a denied name judged"}, 6_250),
    (OUTLINE, {"path": "exact/search.py"}, 11_070),
    (OUTLINE, {"path": "ranking/ranking.py"}, 8_189),
    (BUNDLE, {"prompt": "how does a refresh find out which files have changed"}, 9_639),
    (BUNDLE, {"prompt": "a glob that begins with ! must leave out what it matches"}, 7_530),
    (OPEN, {"path": "no/such/file.py"}, 233),
    (SEARCH, {"mode": "regex", "query": "a(b"}, 354),
)
HEAD = """# Ten answers

This page shows ten answers and their sizes before and after answers were shortened. The calls were made over
stdio, with the default limits, on the folder `repo_mcp` of commit ab13f3c, and *before* by the server of that
commit, the last one with longer answers. Hits and outlines are asked for as text. Bundles have grown because
they use more of the budget that they are given; what surrounds their code has not. `python -m
bench.economy.show` writes this page. `bench/economy/README.md` has the means over many answers.

| call | before, bytes | now |
|---|--:|--:|
"""


def iter_answers(tree: Path, data_dir: Path) -> Iterator[str]:
    """Yield the answer of our server to each of the calls."""
    build_index(tree, data_dir, code=PROJECT)
    with closing(Client(tree, data_dir, code=PROJECT)) as client:
        client.settle(SEARCH, query="settled")
        for tool, arguments, _ in CALLS:
            form = {"detail": "text"} if tool in AS_TEXT else {}
            yield _REQUEST_ID.sub(_write_zeros, client.call(tool, **arguments, **form).text)


def _write_zeros(number: re.Match[str]) -> str:
    """Return a number with zeros in place of its digits, as long as it was."""
    return re.sub(r"[^-]", "0", number[0])


def render_page(answers: Sequence[str]) -> str:
    """Return the page."""
    rows, parts = [], []
    for (tool, arguments, before), answer in zip(CALLS, answers, strict=True):
        call = f"{tool} {json.dumps(arguments, ensure_ascii=False)}"
        rows.append(f"| `{call}` | {before:,} | {len(answer.encode()):,} |\n")
        cut = " ..." if len(answer) > SHOWN_CHARS else ""
        parts.append(f"\n## `{call}`\n\n````json\n{answer[:SHOWN_CHARS]}{cut}\n````\n")
    return HEAD + "".join(rows + parts)


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(prog="bench.economy.show", description=__doc__)
    parser.add_argument("tree", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        answers = list(iter_answers(given.tree.resolve(), Path(scratch)))
    print(render_page(answers), end="")


if __name__ == "__main__":
    main()
