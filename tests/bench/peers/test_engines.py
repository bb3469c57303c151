"""Every engine that is installed takes the same units, answers, and sees changed files."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bench.edits import Edits, choose_edited
from bench.engine import find_index_path, measure_index, open_snapshot
from bench.peers import engines
from bench.peers.cutting import write_units
from bench.peers.engines import ENGINES, Entry, is_installed
from bench.peers.job import TOP_K, Job
from bench.peers.units import iter_cut_files, iter_units, read_cut_files
from bench.queries import choose_mixed
from repo_mcp.text.lines import decode_source, split_lines

NO_WORD = "zyzzyvaq"  # in no file
ASKED = 20  # queries of a class


@pytest.fixture(scope="module")
def job(made_tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Job]:
    """Yield a copy of the tree with our index, the units and the queries."""
    scratch = tmp_path_factory.mktemp("peers")
    made = Job(scratch / "tree", scratch)
    shutil.copytree(made_tree, made.root)
    place = build(ENGINES[engines.OURS], made)
    index_path = find_index_path(place)
    write_units(index_path, made.units)
    made.write_queries(choose_mixed(measure_index(made.root, place, index_path)))
    yield made
    shutil.rmtree(scratch)


def build(entry: Entry, job: Job) -> Path:
    place = job.find_place(entry.name)
    place.mkdir(parents=True)
    marks: list[str] = []
    entry.load().build(job, place, marks.append)
    assert marks == ["searchable", "merged"]
    return place


def find_place(entry: Entry, job: Job) -> Path:
    place = job.find_place(entry.index_of or entry.name)
    return place if place.exists() else build(ENGINES[entry.index_of or entry.name], job)


def get_installed(name: str) -> Entry:
    entry = ENGINES[name]
    if not is_installed(entry):
        pytest.skip(f"{entry.package} is not there")
    return entry


def test_the_others_units_are_the_whole_text_cut_as_ours_is(job: Job) -> None:
    snapshot = open_snapshot(find_index_path(job.find_place(engines.OURS)))
    expected = snapshot.unit_count
    snapshot.close()
    units = list(iter_units(job.root, job.units))
    assert len(units) == expected
    for file in iter_cut_files(job.units):
        data = decode_source((job.root / file.path).read_bytes()).data
        own = [unit for unit in units if unit.path == file.path]
        assert "".join(unit.text for unit in own).encode() == data
        assert sum(file.lines) == len(split_lines(data))
        assert [unit.line for unit in own] == [
            1 + len(split_lines(data[:end])) for end in [sum(file.sizes[:place]) for place in range(len(own))]
        ]


@pytest.mark.parametrize("name", ENGINES)
def test_it_finds_what_is_there_and_nothing_else(job: Job, name: str) -> None:
    entry = get_installed(name)
    queries = job.read_queries()
    with closing(entry.load().open(job, find_place(entry, job))) as answerer:
        assert all(0 < answerer.ask(text) <= TOP_K for text in queries["identifiers"][:ASKED])
        found = [answerer.ask(text) > 0 for text in queries["questions"][:ASKED]]
        assert sum(found) > 0.8 * len(found)  # Whoosh drops words like "the"
        assert answerer.ask(NO_WORD) == 0
        assert answerer.ask("IN AND OR NOT") >= 0  # operators are words


@pytest.mark.parametrize("name", [entry.name for entry in ENGINES.values() if entry.updates])
def test_it_sees_changed_files(job: Job, name: str) -> None:
    entry = get_installed(name)
    place = find_place(entry, job)
    paths = choose_edited([file.path for file in iter_cut_files(job.units)])
    edits = Edits(job.root, paths)
    engine = entry.load()
    try:
        with closing(engine.open_updater(job, place, read_cut_files(job.units, paths))) as updater:
            for _ in range(2):
                edits.edit()
                assert updater.update() > 0
    finally:
        edits.undo()
    with closing(engine.open(job, place)) as answerer:
        assert answerer.ask("bench_marker") == min(TOP_K, len(paths))
    shutil.rmtree(place)
    build(entry, job)
