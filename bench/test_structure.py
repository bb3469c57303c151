"""Building the symbol index beside the lexical index of the same tree, and asking it.

Skipped where no parser is installed for any file of the tree.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.engine import MEGABYTE, Indexed
from bench.processes import run_and_watch
from bench.rounds import run_rounds
from bench.symbols import count_bytes, find_ctags
from repo_mcp.repository import Repository
from repo_mcp.symbol_index.schema import DECLARES, USES
from repo_mcp.symbol_index.symbol_index import SymbolIndex

ASKED = 200  # files, or names, in each round
ROUNDS = 40


@pytest.fixture(scope="session")
def view(structured: Repository) -> SymbolIndex:
    """Yield the built structure index, open."""
    found = structured.symbol_index.find_view()
    assert found is not None
    return found


@pytest.fixture
def time_ctags(view: SymbolIndex, indexed: Indexed, scratch: Path) -> Callable[[], float] | None:
    """Return a timer of ctags over the symbols of the same files; None where it is not installed."""
    return find_ctags(view, indexed.root, scratch)


@pytest.mark.parametrize("workers", [1, 2])
def test_structure_build(
    benchmark: BenchmarkFixture,
    view: SymbolIndex,
    indexed: Indexed,
    scratch: Path,
    time_ctags: Callable[[], float] | None,
    workers: int,
) -> None:
    """Time the command when there is a lexical index; the rate does not include looking for changes.

    It runs between two runs of ctags, if installed, since the speed of a shared machine changes by the
    minute.
    """
    command = [sys.executable, "-m", "repo_mcp", "index", "--json", "--workers", str(workers)]
    command += ["--repo-root", str(indexed.root), "--data-dir", str(scratch / "data")]
    run_and_watch(command)
    command.append("--structure")
    before = time_ctags() if time_ctags else 0.0
    watched = run_rounds(benchmark, lambda: run_and_watch(command), rounds=1)
    report = json.loads(watched.output)
    seconds = watched.wall_seconds - report["duration_ms"] / 1000
    text_mb = count_bytes(view) / MEGABYTE
    rate = text_mb / seconds
    benchmark.extra_info |= {
        "files": report["structure"]["files_done"],
        "text_mb": round(text_mb, 1),
        "index_mb": round(report["structure"]["index_bytes"] / MEGABYTE, 1),
        "symbols": report["structure"]["symbols"],
        "cpu_s": round(watched.cpu_seconds, 1),
        "peak_rss_mb": round(watched.peak_mb),
        "mb_per_s": round(rate, 2),
    }
    if time_ctags:
        of_ctags = 2 * text_mb / (before + time_ctags())
        benchmark.extra_info |= {
            "ctags_mb_per_s": round(of_ctags, 1),
            "times_ctags": round(rate / of_ctags, 3),
        }


def test_structure_records(benchmark: BenchmarkFixture, view: SymbolIndex) -> None:
    paths = list(view.iter_paths())
    asked = paths[:: max(1, len(paths) // ASKED)]

    def find_all() -> None:
        for path in asked:
            view.find_record_bytes(path)

    run_rounds(benchmark, find_all, rounds=ROUNDS, warmup_rounds=1)
    benchmark.extra_info["records"] = len(asked)


@pytest.mark.parametrize("field", ["declares", "uses"])
def test_structure_names(benchmark: BenchmarkFixture, view: SymbolIndex, field: str) -> None:
    """Time finding the files of names, from rare names to common ones."""
    number = {"declares": DECLARES, "uses": USES}[field]
    names = list(itertools.islice(view.iter_terms(number), 0, None, 7))
    counts = np.array([len(view.list_paths(number, name)) for name in names])
    order = np.argsort(-counts, kind="stable")
    asked = [names[place] for place in order[:ASKED].tolist()]

    def list_all() -> None:
        for name in asked:
            view.list_paths(number, name)

    run_rounds(benchmark, list_all, rounds=ROUNDS, warmup_rounds=1)
    benchmark.extra_info |= {"names": len(asked), "most_files": int(counts.max(initial=0))}
