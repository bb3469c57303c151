"""The questions that are taken as they are meant, in the sentences that people type.

    python -m bench.research.phrasings --trees DIR [--half tune|kept] [--data DIR] [--code DIR]

DIR holds falcon, mybatis-3 and redux-toolkit at the revisions that README.md names. Each question of
`phrasings.jsonl` goes to a server over stdio. It counts where the answer says the form that is meant and has
each subject among its own. What is taken otherwise is listed for the half `tune` alone.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from bench.economy.client import Client, build_index
from bench.processes import PROJECT
from bench.quality.questions import HALVES

PHRASINGS = Path(__file__).parent / "phrasings.jsonl"
RESEARCH = "code_research"
# Forms that are answered by the same plan, or that say as much.
ALIKE = {
    "callers": {"callers", "dependents"},
    "dependents": {"callers", "dependents"},
    "open": {"callees", "defined", "flow", "open"},
}
Row = Mapping[str, Any]


def is_as_meant(row: Row, record: Mapping[str, Any]) -> bool:
    """Return True if an answer has the form that a question means, and each of its subjects."""
    read = record.get("understood_as", {})
    subjects = [name for one in read.get("subjects", ()) for name in (one["asked"], *one.get("symbols", ()))]
    told = " ".join((read.get("text", ""), *subjects)).lower()
    names = (one.rpartition(".")[2].lower() for one in row["subjects"])
    return read.get("form") in ALIKE.get(row["form"], {row["form"]}) and all(name in told for name in names)


def ask_tree(root: Path, rows: list[Row], data_dir: Path, code: Path) -> Iterator[tuple[Row, bool]]:
    """Yield each question about one tree, and whether it is taken as it is meant."""
    data_dir.mkdir(parents=True, exist_ok=True)
    build_index(root, data_dir, "--structure", code=code)
    with closing(Client(root, data_dir, "--toolsets", "research", code=code)) as client:
        client.settle(RESEARCH, query=rows[0]["query"])
        for row in rows:
            yield row, is_as_meant(row, client.call(RESEARCH, query=row["query"]).record)


def main(arguments: list[str]) -> int:
    """Ask and print. Return 1 when no question could be asked."""
    parser = argparse.ArgumentParser(prog="bench.research.phrasings", description=__doc__)
    parser.add_argument("--trees", type=Path, required=True, help="a directory with the three trees")
    parser.add_argument("--half", choices=HALVES, default="tune", help="kept: only at the end")
    parser.add_argument("--data", type=Path, help="where indexes are kept (default: made anew, then removed)")
    parser.add_argument("--code", type=Path, default=PROJECT, help="the checkout whose server is asked")
    given = parser.parse_args(arguments)
    rows: dict[str, list[Row]] = {}
    for line in PHRASINGS.read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["half"] == given.half and (given.trees / row["repo"]).is_dir():
            rows.setdefault(row["repo"], []).append(row)
    asked: Counter[str] = Counter()
    right: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        for repo, own in rows.items():
            data_dir = (given.data or Path(scratch)) / repo
            for row, is_right in ask_tree(given.trees / repo, own, data_dir, given.code.resolve()):
                asked[row["form"]] += 1
                right[row["form"]] += is_right
                if not is_right and given.half == "tune":
                    print(f"{row['form']}: {row['query']}")
    print("".join(f"| {form} | {right[form]} of {asked[form]} |\n" for form in sorted(asked)))
    print(f"{right.total()} of {asked.total()}")
    return 0 if asked else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
