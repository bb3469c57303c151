"""Measure the impact of real commits: `python -m bench.impact --commits FILE --repos FILE --mirror DIR`.

Each repository lies below the mirror as `owner+name/repo`, a Git directory. Weights are tuned on the half
`tune`, of which `--verbose` lists the commits; `kept` is for the end.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from bench.impact.measure import (
    FULL,
    HALVES,
    TUNE,
    find_git_dir,
    measure,
    read_commits,
    render_languages,
    render_table,
)


def main(arguments: list[str]) -> int:
    """Run and print. Return 1 when no commit could be measured."""
    parser = argparse.ArgumentParser(prog="bench.impact", description=__doc__)
    parser.add_argument("--commits", type=Path, required=True, help="tasks, one JSON object a line")
    parser.add_argument("--repos", type=Path, required=True, help="JSON list of repositories")
    parser.add_argument("--mirror", type=Path, required=True, help="the directory with their Git directories")
    parser.add_argument("--half", choices=(*HALVES, "both"), default=TUNE)
    parser.add_argument("--only", help="repositories, with commas")
    parser.add_argument("--scratch", type=Path, help="where trees and indexes are kept (default: removed)")
    parser.add_argument("--verbose", action="store_true", help="list the commits of the half tune")
    given = parser.parse_args(arguments)
    only = given.only.split(",") if given.only else None
    commits = [
        one
        for one in read_commits(given.commits)
        if given.half in (one.half, "both") and (only is None or one.repo in only)
    ]
    repos = {one["name"]: one["repo"] for one in json.loads(given.repos.read_text(encoding="utf-8"))}
    places = {one.repo: find_git_dir(given.mirror, repos[one.repo]) for one in commits}
    git_dirs = {name: place for name, place in places.items() if place is not None}
    missing: list[str] = []
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        for one in measure(commits, git_dirs, given.scratch or Path(scratch), missing):
            found.append(one)
            if given.verbose and one.commit.half == TUNE:
                print(
                    one.commit.id, one.commit.language, f"{one.count(FULL)} of {one.wanted[FULL]}", one.ranks
                )
    print(*missing, *render_table(found), "", *render_languages(found), sep="\n")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
