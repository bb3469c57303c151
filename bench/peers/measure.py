"""Runs the engines in turn, each in processes of its own, and keeps the best of several runs.

Builds are timed from the start of the process, so they include an engine's imports and its workers' start.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.engine import Indexed, find_index_path, measure_index
from bench.peers import server_times
from bench.peers.cutting import write_units
from bench.peers.engines import OURS, OURS_SEARCH, Entry
from bench.peers.job import Job
from bench.peers.other_searches import OtherFigures, parse_others
from bench.peers.server_times import SpawnTimes
from bench.peers.units import iter_cut_files
from bench.processes import PROJECT, run_and_watch
from bench.queries import choose_mixed

RIPGREP = "ripgrep"
RIPGREP_QUERIES = 10

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Effort:
    """The number of times that everything is measured."""

    builds: int = 1  # the best counts
    asks: int = 3  # passes over all queries; the best counts
    spawns: int = 10  # the best counts
    watches: int = 5  # the median counts
    server_queries: int = 1_000
    per_class: int = 1_000  # queries at most; a small number is for trying it out


@dataclass(frozen=True, slots=True)
class BuildFigures:
    """One build from nothing."""

    searchable_seconds: float
    merged_seconds: float
    cpu_seconds: float
    peak_mb: float
    index_mb: float


@dataclass(frozen=True, slots=True)
class AskFigures:
    """The times of answers in the engine's own process."""

    warm: dict[str, list[float]]  # class -> seconds of each query
    new: dict[str, list[float]]  # the same, when they were asked for the first time
    first: list[float]  # seconds, each with opening the index

    def get_quantile(self, share: float, kind: str | None = None) -> float:
        """Return the seconds within which a share of the warm queries, of one class or all, was answered."""
        kinds = self.warm if kind is None else [kind]
        return get_quantile([one for name in kinds for one in self.warm[name]], share)

    def get_median_of_new(self) -> float:
        """Return the median of the queries that were asked for the first time, in seconds."""
        return get_quantile([one for own in self.new.values() for one in own], 0.5)


def get_quantile(seconds: Sequence[float], share: float) -> float:
    """Return the seconds within which a share of them lies."""
    return sorted(seconds)[min(len(seconds) - 1, int(share * len(seconds)))]


@dataclass(slots=True)
class EngineFigures:
    """The figures of one engine."""

    build: BuildFigures | None = None
    ask: AskFigures | None = None
    update_seconds: float | None = None


@dataclass(slots=True)
class Comparison:
    """Everything that was measured on one tree."""

    tree: str
    indexed: Indexed
    units: int
    engines: dict[str, EngineFigures] = field(default_factory=dict)
    spawns: SpawnTimes | None = None
    refresh_seconds: float = 0.0
    walk_seconds: float = 0.0
    wire_seconds: float = 0.0  # that stdio adds to an answer, the median over queries
    stdio_seconds: list[float] = field(default_factory=list)  # of whole answers to these
    watch_seconds: float | None = None  # None: not seen before patience ended
    server_mb: float | None = None
    ripgrep_seconds: float | None = None
    others: OtherFigures = field(default_factory=OtherFigures)
    loads: list[float] = field(default_factory=list)  # at the beginning, after the builds, at the end


class Bench:
    """The measurements of one tree."""

    def __init__(self, job: Job, effort: Effort, say: Say) -> None:
        self._job = job
        self._effort = effort
        self._say = say

    def run(self, tree: str, entries: Sequence[Entry]) -> Comparison:
        """Measure builds, queries, the server and, because they change the indexes, updates last."""
        loads = [os.getloadavg()[0]]
        builders = [entry for entry in entries if entry.index_of is None]
        indexed, units, builds = self._build_all(builders)
        loads.append(os.getloadavg()[0])
        result = Comparison(tree, indexed, units, loads=loads)
        for name, figures in builds.items():
            result.engines[name] = EngineFigures(figures)
        for name, asked in self._ask_all(entries).items():
            result.engines.setdefault(name, EngineFigures()).ask = asked
        self._measure_ours(result)
        result.ripgrep_seconds = self._time_ripgrep()
        for entry in (entry for entry in builders if entry.updates):
            self._say(f"{entry.name}: updates")
            seconds = self._run_child("update", entry.name)["update"]
            result.engines[entry.name].update_seconds = statistics.median(seconds)
        self._say(f"{OURS}: structure, exact search, retrieval")
        result.others = parse_others(self._run_child("others", OURS))
        loads.append(os.getloadavg()[0])
        return result

    def _run_child(self, action: str, engine: str) -> dict[str, Any]:
        return self._watch_child(action, engine)[0]

    def _watch_child(self, action: str, engine: str) -> tuple[dict[str, Any], Any]:
        job = self._job
        command = [sys.executable, "-m", "bench.peers.child", action, engine]
        watched = run_and_watch([*command, str(job.root), str(job.scratch)])
        answer: dict[str, Any] = json.loads(watched.output)
        return answer, watched

    def _build_all(self, entries: Sequence[Entry]) -> tuple[Indexed, int, dict[str, BuildFigures]]:
        """Build with each engine in turn; ours first, because the others use its cuts of files into units."""
        best: dict[str, BuildFigures] = {}
        units = 0
        for _ in range(self._effort.builds):
            for entry in entries:
                figures = self.build(entry.name)
                known = best.get(entry.name)
                if known is None or figures.searchable_seconds < known.searchable_seconds:
                    best[entry.name] = figures
                if entry.name == OURS and not units:
                    units = write_units(self._find_index(), self._job.units)
        indexed = self.measure_ours()
        mixed = choose_mixed(indexed)
        self._job.write_queries({kind: texts[: self._effort.per_class] for kind, texts in mixed.items()})
        return indexed, units, best

    def measure_ours(self) -> Indexed:
        """Return the sizes of our index."""
        return measure_index(self._job.root, self._job.find_place(OURS), self._find_index())

    def _find_index(self) -> Path:
        return find_index_path(self._job.find_place(OURS))

    def build(self, name: str) -> BuildFigures:
        """Build an index from nothing, replacing an earlier one."""
        self._say(f"{name}: build")
        position = self._job.find_place(name)
        shutil.rmtree(position, ignore_errors=True)
        marks, watched = self._watch_child("build", name)
        return BuildFigures(
            marks["searchable"] - watched.started,
            marks["merged"] - watched.started,
            watched.cpu_seconds,
            watched.peak_mb,
            sum(file.stat().st_size for file in position.rglob("*") if file.is_file()) / 1e6,
        )

    def _ask_all(self, entries: Sequence[Entry]) -> dict[str, AskFigures]:
        best: dict[str, AskFigures] = {}
        for _ in range(self._effort.asks):
            for entry in entries:
                figures = self.ask(entry.name)
                known = best.get(entry.name)
                if known is None or figures.get_quantile(0.5) < known.get_quantile(0.5):
                    best[entry.name] = figures
        return best

    def ask(self, name: str) -> AskFigures:
        """Ask all queries once."""
        self._say(f"{name}: queries")
        return AskFigures(**self._run_child("ask", name))

    def _measure_ours(self, result: Comparison) -> None:
        job, position = self._job, self._job.find_place(OURS)
        self._say(f"{OURS}: refresh of nothing changed")
        seconds = self._run_child("refresh", OURS)
        result.refresh_seconds, result.walk_seconds = seconds["refresh"], seconds["walk"]
        self._say(f"{OURS}: the server")
        pairs = self._run_child("wire", OURS_SEARCH)
        result.wire_seconds = statistics.median(
            other - one for one, other in zip(pairs["in_process"], pairs["stdio"], strict=True)
        )
        result.stdio_seconds = pairs["stdio"]
        question = next(text for texts in job.read_queries().values() for text in texts)
        result.spawns = server_times.time_spawns(job, position, question, self._effort.spawns)
        result.server_mb = server_times.measure_memory(job, position, self._effort.server_queries)
        result.watch_seconds = server_times.time_watching(
            job, position, next(iter_cut_files(job.units)).path, self._effort.watches
        )

    def _time_ripgrep(self) -> float | None:
        """Return ripgrep's median seconds for finding an identifier's files; None if it is not installed."""
        program = shutil.which("rg")
        words = self._job.read_queries()["identifiers"]
        if program is None or not words:
            return None
        self._say(f"{RIPGREP}: queries")
        seconds = []
        for word in words[:: max(1, len(words) // RIPGREP_QUERIES)]:
            started = time.perf_counter()
            command = [program, "--files-with-matches", "--fixed-strings", "--", word, str(self._job.root)]
            subprocess.run(command, stdout=subprocess.DEVNULL, check=False, cwd=PROJECT)
            seconds.append(time.perf_counter() - started)
        return statistics.median(seconds)
