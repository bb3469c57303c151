"""Show real answers of two versions of the server beside each other, as a page.

    python -m bench.economy.show TREE --before CHECKOUT > docs/answers.md

There are two answers of each kind. Hits and outlines are requested as text if the server offers that. Only
the beginning of a long answer is shown, but its bytes are counted in full.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from bench.economy.client import Client, build_index
from bench.economy.policy import OPEN, SEARCH
from bench.processes import PROJECT

SHOWN_CHARS = 700
OUTLINE, BUNDLE = "repo.outline", "repo.build_context_bundle"
AS_TEXT = (SEARCH, OUTLINE)
CALLS: Sequence[tuple[str, Mapping[str, str]]] = (
    (SEARCH, {"mode": "literal", "query": "ErrorCode.INVALID_ARGUMENT,"}),
    (SEARCH, {"mode": "regex", "query": r"def _find_\w+"}),
    (SEARCH, {"query": "which terms must a text contain that matches an expression"}),
    (SEARCH, {"query": "where is a denied name judged"}),
    (OUTLINE, {"path": "exact/search.py"}),
    (OUTLINE, {"path": "ranking/ranking.py"}),
    (BUNDLE, {"prompt": "how does a refresh find out which files have changed"}),
    (BUNDLE, {"prompt": "a glob that begins with ! must leave out what it matches"}),
    (OPEN, {"path": "no/such/file.py"}),
    (SEARCH, {"mode": "regex", "query": "a(b"}),
)
HEAD = """# Ten answers, before and after

The same ten calls, made to the server of commit `{before}`, before answers were shortened, and to a current
one, over stdio and with default limits, on the folder `repo_mcp` of that commit. This page is written by
`python -m bench.economy.show`. If a server offers hits and outlines as text, they are asked for as text.
Bundles have grown because they now use the whole budget that they are given; what surrounds their code has
not grown. `docs/toolsets.md` has the means over many answers.

| call | before, bytes | after |
|---|--:|--:|
"""


def iter_answers(tree: Path, data_dir: Path, code: Path) -> Iterator[str]:
    """Yield the answer of a checkout's server to each of the calls."""
    build_index(tree, data_dir, code=code)
    with closing(Client(tree, data_dir, code=code)) as client:
        client.settle(SEARCH, query="settled")
        for tool, arguments in CALLS:
            is_text = tool in AS_TEXT and client.takes(tool, "detail", "text")
            yield client.call(tool, **arguments, **({"detail": "text"} if is_text else {})).text


def render_page(before: Sequence[str], after: Sequence[str], name: str) -> str:
    """Return the page; `name` is that of the commit before."""
    rows, parts = [], []
    for (tool, arguments), *answers in zip(CALLS, before, after, strict=True):
        call = f"{tool} {json.dumps(arguments, ensure_ascii=False)}"
        sizes = [len(answer.encode()) for answer in answers]
        rows.append(f"| `{call}` | {sizes[0]:,} | {sizes[1]:,} |\n")
        parts.append(f"\n## `{call}`\n")
        for when, answer, size in zip(("Before", "After"), answers, sizes, strict=True):
            cut = " ..." if len(answer) > SHOWN_CHARS else ""
            parts.append(f"\n{when}, {size:,} bytes:\n\n````json\n{answer[:SHOWN_CHARS]}{cut}\n````\n")
    return HEAD.format(before=name) + "".join(rows + parts)


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(prog="bench.economy.show", description=__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--before", type=Path, required=True, help="the checkout of the server before")
    parser.add_argument("--name", default="ab13f3c", help="of its commit")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        before, after = (
            [*iter_answers(given.tree.resolve(), Path(scratch) / str(place), code.resolve())]
            for place, code in enumerate((given.before, PROJECT))
        )
    print(render_page(before, after, given.name), end="")


if __name__ == "__main__":
    main()
