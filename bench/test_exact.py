"""Literals and expressions: the first 200 matches here, and all matches of ripgrep and codesearch.

A search is timed with the changes of the tree known, as with a watcher; looking for them has a row of its
own. So has what is learnt of terms and punctuation in the background after the first searches, which are not
timed. The other programs print all lines that match; starting a process takes two milliseconds.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.engine import Indexed, TimedWalk, open_snapshot
from bench.exact_patterns import EXPRESSIONS, LITERALS, choose_patterns
from bench.rounds import measure_queries, run_rounds
from index_format import DiskDirectory, LiveSegment
from repo_mcp.config.server_config import Limits, load_config
from repo_mcp.exact.candidate_files import ExactSearcher, PathFilter
from repo_mcp.exact.file_bitmaps import FileBitmaps
from repo_mcp.exact.line_matcher import LineMatcher
from repo_mcp.exact.neighbour_bloom import NeighbourBloom
from repo_mcp.exact.punctuation_bigrams import PunctuationBigrams
from repo_mcp.exact.search import FileSearch, run_exact
from repo_mcp.indexing.scan_state import read_seen
from repo_mcp.indexing.tree_changes import ChangedFiles, compare_tree
from repo_mcp.model import ExactAnswer, ExactRequest
from repo_mcp.repository import Repository
from repo_mcp.workspace.policy import DenyPolicy
from repo_mcp.workspace.reader.repository_reader import RepositoryReader, read_many

UNCHANGED = ChangedFiles((), frozenset(), ())
KINDS = (*LITERALS, *EXPRESSIONS)
LOOK_ROUNDS = 10
MAX_BYTES = Limits().max_file_bytes


@pytest.fixture(scope="module")
def patterns(indexed: Indexed) -> dict[str, list[str]]:
    """Return the patterns of each class."""
    return choose_patterns(indexed)


@pytest.fixture(scope="module")
def search(indexed: Indexed) -> Iterator[Callable[[ExactRequest], ExactAnswer]]:
    """Exact search of the index, warm."""
    snapshot = open_snapshot(indexed.index_path)
    searcher = ExactSearcher(snapshot)
    reader = RepositoryReader(str(indexed.root), DenyPolicy().find_denial)
    for memory in searcher.memory.values():
        for marks in (memory.bigrams, memory.neighbours):
            marks.compute(lambda paths: read_many(reader, paths, MAX_BYTES), lambda: False, gently=False)

    def run(request: ExactRequest) -> ExactAnswer:
        files = FileSearch(
            request,
            LineMatcher(request),
            PathFilter(request, None),
            lambda paths: read_many(reader, paths, MAX_BYTES),
            lambda: False,
        )
        return run_exact(searcher, files, UNCHANGED)

    yield run
    reader.close()
    snapshot.close()


def build_request(kind: str, pattern: str, detail: str = "snippets") -> ExactRequest:
    return ExactRequest(pattern, regex=kind in EXPRESSIONS, detail=detail)


@pytest.mark.parametrize("kind", KINDS)
def test_exact(
    benchmark: BenchmarkFixture,
    search: Callable[[ExactRequest], ExactAnswer],
    patterns: dict[str, list[str]],
    kind: str,
) -> None:
    answers = [search(build_request(kind, pattern)) for pattern in patterns[kind]]
    measure_queries(benchmark, patterns[kind], lambda pattern: search(build_request(kind, pattern)))
    benchmark.extra_info["found"] = sum(answer.total > 0 for answer in answers)
    benchmark.extra_info["scanned"] = sum(answer.scanned for answer in answers)


@pytest.mark.parametrize("kind", KINDS)
def test_exact_all_matches(
    benchmark: BenchmarkFixture,
    search: Callable[[ExactRequest], ExactAnswer],
    patterns: dict[str, list[str]],
    kind: str,
) -> None:
    """The count: every file that may match is read, as the others do."""
    measure_queries(benchmark, patterns[kind], lambda pattern: search(build_request(kind, pattern, "count")))


@pytest.mark.parametrize("kind", KINDS)
def test_ripgrep(
    benchmark: BenchmarkFixture, indexed: Indexed, patterns: dict[str, list[str]], kind: str
) -> None:
    if shutil.which("rg") is None:
        pytest.skip("ripgrep is not installed")
    how = "-e" if kind in EXPRESSIONS else "-Fe"
    measure_queries(
        benchmark,
        patterns[kind],
        lambda pattern: run_program(indexed.root, {}, "rg", "--no-config", "-n", how, pattern, "."),
    )


@pytest.fixture(scope="module")
def trigrams(indexed: Indexed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build codesearch's index of the tree."""
    if shutil.which("cindex") is None:
        pytest.skip("codesearch is not installed")
    place = tmp_path_factory.mktemp("codesearch") / "index"
    run_program(indexed.root, {"CSEARCHINDEX": str(place)}, "cindex", str(indexed.root))
    return place


@pytest.mark.parametrize("kind", KINDS)
def test_codesearch(
    benchmark: BenchmarkFixture, indexed: Indexed, trigrams: Path, patterns: dict[str, list[str]], kind: str
) -> None:
    environment = {"CSEARCHINDEX": str(trigrams)}

    def ask(pattern: str) -> None:
        expression = pattern if kind in EXPRESSIONS else pattern.replace("(", r"\(")
        run_program(indexed.root, environment, "csearch", "-n", expression)

    measure_queries(benchmark, patterns[kind], ask)


def run_program(root: Path, environment: dict[str, str], *words: str) -> None:
    """Run a program in the tree and read all that it prints."""
    done = subprocess.run(
        words,
        cwd=root,
        env={"PATH": os.environ["PATH"], **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode in (0, 1), words


def test_look_for_changes(benchmark: BenchmarkFixture, indexed: Indexed) -> None:
    """Measure the comparison with the tree for which an exact search waits without a watcher."""
    walk = TimedWalk(indexed.root)
    config = load_config(str(indexed.root), data_dir=str(indexed.data_dir))
    with closing(Repository(config)) as repository:
        make_tag = repository.namespaces.sealer.make_tagger(indexed.index_path.name)
    directory = DiskDirectory(str(indexed.index_path), make_tag=make_tag)
    snapshot = open_snapshot(indexed.index_path)
    seen = read_seen(directory, snapshot.generation, snapshot.manifest.segments)
    snapshot.close()
    assert seen is not None
    run_rounds(benchmark, lambda: compare_tree(seen, walk().files), rounds=LOOK_ROUNDS, warmup_rounds=2)


def test_learn_bigrams(benchmark: BenchmarkFixture, indexed: Indexed) -> None:
    """Measure what happens once, in the background with pauses, after the first pattern without a word."""
    measure_learning(benchmark, indexed, lambda segment: PunctuationBigrams(segment.reader.files))


def test_learn_neighbours(benchmark: BenchmarkFixture, indexed: Indexed) -> None:
    """Measure the same after the first pattern with punctuation beside a word that very many files have."""
    measure_learning(
        benchmark, indexed, lambda segment: NeighbourBloom(segment.reader.files, segment.reader.terms)
    )


def measure_learning(
    benchmark: BenchmarkFixture, indexed: Indexed, build: Callable[[LiveSegment], FileBitmaps]
) -> None:
    snapshot = open_snapshot(indexed.index_path)
    reader = RepositoryReader(str(indexed.root), DenyPolicy().find_denial)
    (marks, *_) = (build(segment) for segment in snapshot.segments)

    def learn() -> None:
        marks.compute(lambda paths: read_many(reader, paths, MAX_BYTES), lambda: False, gently=False)

    run_rounds(benchmark, learn, rounds=1)
    reader.close()
    snapshot.close()
