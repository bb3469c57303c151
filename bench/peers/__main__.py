"""`python -m bench.peers TREE`: the comparison on one tree, or with `--scale` how times grow.

The tree is copied, because some files are changed; the original stays as it is. Everything lies in a scratch
directory that is removed at the end. The table goes to standard output, in Markdown, and progress to standard
error.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.edits import walk_plainly
from bench.engine import SETTLE_SECONDS
from bench.peers import engines
from bench.peers.job import THREADS, Job
from bench.peers.measure import Bench, Comparison, Effort
from bench.peers.picture import render_picture
from bench.peers.scale import SIZES, ScaleBench
from bench.peers.table import Row, build_growth_rows, build_rows, render_tables

RESULTS = Path(__file__).resolve().parents[1] / "results"
SMALL_BYTES = 60_000_000  # of files: below this the slow engines are measured unasked
SPACE_FACTOR = 3  # space for the copy and all indexes, in multiples of the tree
LEFT_OUT = shutil.ignore_patterns(".git", ".repo_mcp")


def main(arguments: Sequence[str] | None = None, effort: Effort | None = None) -> None:
    """Measure, print, draw."""
    options = build_parser().parse_args(arguments)
    chosen = effort or Effort(builds=options.runs, asks=options.passes)
    if options.scratch is not None:
        options.scratch.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-peers-", dir=options.scratch) as scratch:
        if options.scale:
            lines, rows = scale(options, Path(scratch), chosen)
        else:
            lines, rows = compare(options, Path(scratch), chosen)
    title = f"repo-mcp beside other engines: {options.tree.name}"
    name = f"{'scale' if options.scale else 'peers'}-{options.tree.name}"
    text = "\n".join([*lines, "", *render_tables(rows), ""])
    print(text)
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / f"{name}.md").write_text(f"# {title}\n\n{text}", encoding="utf-8")
    (options.results / f"{name}.svg").write_text(render_picture(rows, title, lines[0]), encoding="utf-8")


def build_parser() -> argparse.ArgumentParser:
    """Build the parser of the command line."""
    parser = argparse.ArgumentParser(prog="bench.peers", description="repo-mcp beside other search engines")
    parser.add_argument("tree", type=_read_tree, metavar="TREE")
    parser.add_argument(
        "--runs", type=int, default=1, metavar="N", help="builds of each engine; the best counts"
    )
    parser.add_argument(
        "--passes", type=int, default=3, metavar="N", help="passes over the queries; the best counts"
    )
    parser.add_argument(
        "--slow", action="store_true", help="bm25s and Whoosh too: minutes and gigabytes on a large tree"
    )
    parser.add_argument("--scale", action="store_true", help="how times grow with the tree, instead")
    parser.add_argument(
        "--sizes", type=_read_sizes, default=SIZES, metavar="N,N", help="numbers of files for --scale"
    )
    parser.add_argument(
        "--scratch", type=Path, metavar="DIR", help="where the copy and the indexes lie meanwhile"
    )
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="DIR", help="for table and picture")
    return parser


def _read_tree(text: str) -> Path:
    path = Path(text).resolve()
    if not path.is_dir():
        raise argparse.ArgumentTypeError("is no directory")
    return path


def _read_sizes(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))


def compare(options: argparse.Namespace, scratch: Path, effort: Effort) -> tuple[list[str], list[Row]]:
    """Return the lines above the table, and its rows."""
    needed, free = walk_plainly(options.tree) * SPACE_FACTOR, shutil.disk_usage(scratch).free
    if needed > free:
        raise SystemExit(f"{needed / 1e9:.1f} GB needed in the scratch directory, {free / 1e9:.1f} GB free")
    job = Job(scratch / "tree", scratch)
    say("copying the tree")
    shutil.copytree(options.tree, job.root, symlinks=True, ignore=LEFT_OUT)
    if sys.platform != "win32":
        os.sync()  # otherwise the first engine's build waits for the copy to be written
    time.sleep(SETTLE_SECONDS)
    slow = options.slow or walk_plainly(job.root) < SMALL_BYTES
    result = Bench(job, effort, say).run(options.tree.name, engines.choose_entries(slow=slow))
    return describe(result, slow=slow), build_rows(result)


def scale(options: argparse.Namespace, scratch: Path, effort: Effort) -> tuple[list[str], list[Row]]:
    """Return the lines above the table of growth, one for each size, and its rows."""
    before = os.getloadavg()[0]
    grown = ScaleBench(options.tree, scratch, effort, say).run(options.sizes)
    lines = [f"{describe_machine()}; load average {before:.1f} before, {os.getloadavg()[0]:.1f} after.", ""]
    lines += [
        f"- {one.files:,} files, {one.text_mb:,.0f} MB of text: index {one.index_mb:,.0f} MB,"
        f" searchable after {one.build_per_file * one.files:.1f} s, peak {one.peak_mb:,.0f} MB,"
        f" longest list {one.longest_list:,}"
        for one in grown
    ]
    return lines, build_growth_rows(grown)


def describe(result: Comparison, *, slow: bool) -> list[str]:
    """Return lines on the tree, the machine, its load, and what is missing."""
    indexed = result.indexed
    before, built, after = result.loads
    lines = [
        f"{indexed.files:,} files, {indexed.text_bytes / 1e6:,.0f} MB of text, {result.units:,} units;"
        f" {describe_machine()}.",
        "",
        f"Load average {before:.1f} before the builds, {built:.1f} after them, {after:.1f} at the end;"
        f" the run itself is up to {THREADS}.",
    ]
    missing = engines.list_missing()
    if missing:
        lines.append(f"Not installed: {', '.join(missing)}.")
    if not slow:
        lines.append(f"Left out without `--slow`: {engines.BM25S}, {engines.WHOOSH}.")
    return lines


def describe_machine() -> str:
    """Describe the machine, on which times depend."""
    return f"{os.cpu_count()} processors, {platform.system()}, Python {platform.python_version()}"


def say(text: str) -> None:
    """Print progress."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
