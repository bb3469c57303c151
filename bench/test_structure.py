"""The structure phase, beside the lexical index of the same tree, and what is asked of its index.

Skipped where no parser is installed for any file of the tree.
"""

from __future__ import annotations

import itertools
import shutil
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.engine import MEGABYTE, Indexed
from bench.processes import can_read_memory, run_and_watch
from bench.rounds import add_rate, run_rounds
from repo_mcp.config import Config
from repo_mcp.index.structure_index import StructureView
from repo_mcp.index.structure_schema import DECLARES, USES
from repo_mcp.repository import Repository

ASKED = 200  # files, or names, in each round
ROUNDS = 40


@pytest.fixture(scope="session")
def view(structured: Repository) -> StructureView:
    """The built structure index, open."""
    found = structured.structure.find_view()
    assert found is not None
    return found


def count_bytes(view: StructureView) -> int:
    """Of the source files that have a record."""
    return sum(
        int(segment.reader.read_file_table().sizes[segment.live_file_mask].sum())
        for segment in view.snapshot.segments
    )


@pytest.mark.parametrize("workers", [1, 2])
def test_structure_build(
    benchmark: BenchmarkFixture, structured: Repository, view: StructureView, indexed: Indexed, workers: int
) -> None:
    config = Config(str(indexed.root), data_dir=str(indexed.data_dir), workers=workers)
    with closing(Repository(config)) as repository:
        run_rounds(benchmark, lambda: repository.structure.build(anew=True), rounds=1)
        state = repository.structure.status()
    benchmark.extra_info |= {
        "files": state.files_done,
        "text_mb": round(count_bytes(view) / MEGABYTE, 1),
        "index_mb": round(state.index_bytes / MEGABYTE, 1),
        "symbols": state.symbols,
    }
    add_rate(benchmark, count_bytes(view))


@pytest.mark.skipif(not can_read_memory(), reason="this system does not tell")
def test_memory_of_structure_command(
    benchmark: BenchmarkFixture, structured: Repository, indexed: Indexed, scratch: Path
) -> None:
    shutil.copytree(indexed.data_dir, scratch / "data", ignore=shutil.ignore_patterns("structure-*"))
    command = [sys.executable, "-m", "repo_mcp", "index", "--structure", "--json", "--workers", "2"]
    command += ["--repo-root", str(indexed.root), "--data-dir", str(scratch / "data")]
    peak = run_rounds(benchmark, lambda: run_and_watch(command), rounds=1).peak_mb
    benchmark.extra_info |= {"workers": 2, "peak_rss_mb": round(peak)}


def test_structure_records(benchmark: BenchmarkFixture, view: StructureView) -> None:
    paths = list(view.iter_paths())
    asked = paths[:: max(1, len(paths) // ASKED)]

    def find_all() -> None:
        for path in asked:
            view.find_record(path)

    run_rounds(benchmark, find_all, rounds=ROUNDS, warmup_rounds=1)
    benchmark.extra_info["records"] = len(asked)


@pytest.mark.parametrize("field", ["declares", "uses"])
def test_structure_names(benchmark: BenchmarkFixture, view: StructureView, field: str) -> None:
    """The files of names, from the rare to the common: by how many files have them."""
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
