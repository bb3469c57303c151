"""Runs a scenario many times, each time in a forked process in which another operation goes wrong.

    python -m tests.deep.fault_rounds PLACE SCENARIO FAULT... [--every N] [--seed S]

There is a round for each change that the scenario makes in the data directory: it takes a copy of the
directory as it was before, runs the scenario with the fault, asks a few questions during the fault, and has a
new process without the fault refresh and answer. During the fault, an answer must be right for the present
tree, or say that something may be missing; answers of the old generation are right only in the new process
after a kill, before it refreshes. Afterwards all answers must equal those from an empty data directory, and
no unfinished files may be left. For each FAULT one line of JSON is printed: operations, rounds, faults that
happened, and every round that failed. FAULT is KILL, SHORT or the name of an errno; with `+` behind it every
later operation goes wrong as well.

Processes are forked, because starting the interpreter for some thousand rounds would take an hour; this
process starts no thread that a child would miss.
"""

from __future__ import annotations

import argparse
import errno
import gc
import importlib
import json
import os
import pkgutil
import random
import shutil
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from repo_mcp import (
    bundler,
    code_search,
    documentation,
    exact,
    graph,
    indexing,
    live,
    ranking,
    research,
    symbol_index,
)
from repo_mcp.bundler.last_bundle import MARKDOWN_NAME
from repo_mcp.bundler.records import BundleRequest
from repo_mcp.errors import RepoError
from repo_mcp.repository import Repository
from tests.deep.answers import LINKED, ask, ask_briefly, is_honest, open_repository, renew
from tests.deep.fault_layer import Faults, Mode
from tests.deep.worlds import FILES, change_tree, make_linked_tree

SEED = 5


def _compact(repository: Repository) -> None:
    repository.compact(full=True)
    repository.symbol_index.compact(full=True)


def _prepare_nothing(_place: Path) -> None:
    """Do nothing: nothing is there yet."""


def _prepare_donor(place: Path) -> None:
    """Build an index in the place used when the data directory cannot be: a donor for the next one."""
    (place / "data").write_text("not a directory")
    _renew_at(place)
    (place / "data").unlink()


def _prepare_update(place: Path) -> None:
    """Build indexes of the tree as it was before some files changed and one was deleted."""
    _renew_at(place)
    change_tree(place / "root", SEED + 1)


def _prepare_compact(place: Path) -> None:
    _prepare_update(place)
    _renew_at(place)


def _prepare_purge(place: Path) -> None:
    """Build indexes with files that are ignored now, and a bundle that quotes one: no byte may stay."""
    _renew_at(place)
    with closing(open_repository(place / "root", place / "data")) as repository:
        repository.engines.bundles.build(BundleRequest(f"{LINKED} in linked/base.py:2"))
    assert LINKED in (place / "data" / MARKDOWN_NAME).read_text()
    (place / "root" / ".gitignore").write_text("/linked\n/d0\n")


def _renew_at(place: Path) -> None:
    with closing(open_repository(place / "root", place / "data")) as repository:
        renew(repository)


# Scenarios: how each is prepared, and what it does while something goes wrong.
SCENARIOS: dict[str, tuple[Callable[[Path], None], Callable[[Repository], None]]] = {
    "build": (_prepare_nothing, renew),
    "adopt": (_prepare_donor, renew),
    "update": (_prepare_update, renew),
    "compact": (_prepare_compact, _compact),
    "purge": (_prepare_purge, renew),
}


@dataclass(frozen=True, slots=True)
class Fault:
    """The fault of a round."""

    mode: Mode
    number: int = 0
    sticky: bool = False

    def at(self, data_dir: Path, operation: int) -> Faults:
        """Return the layer in which it happens at an operation."""
        return Faults(data_dir, self.mode, operation, self.number, self.sticky)


def parse_fault(text: str) -> Fault:
    """Read KILL, SHORT, or the name of an errno, with `+` for every later operation."""
    name = text.removesuffix("+")
    if name in ("KILL", "SHORT"):
        return Fault(Mode[name], 0, name != text)
    return Fault(Mode.FAIL, getattr(errno, name), name != text)


@contextmanager
def in_child(report: Path) -> Iterator[bool]:
    """Yield True in a forked process, which ends with the block; what it raises is written to a file."""
    pid = os.fork()
    if pid:
        os.waitpid(pid, 0)
        yield False
        return
    try:
        yield True
    except BaseException:
        report.write_text(traceback.format_exc())
    finally:
        os._exit(0)


def ask_apart(place: Path, data_dir: Path, *, refreshes: bool = True) -> dict[str, object]:
    """Return the answers of another process, after a refresh or without one, and the files left behind."""
    answer, report = place / "answer", place / "report"
    answer.unlink(missing_ok=True)
    report.unlink(missing_ok=True)
    with in_child(report) as is_child:
        if is_child:
            with closing(open_repository(place / "root", data_dir)) as repository:
                if refreshes:
                    renew(repository)
                holds = any(LINKED.encode() in path.read_bytes() for path in _list_files(data_dir))
                answers = (ask if refreshes else ask_briefly)(repository, place / "root")
            left = sorted(path.name for path in data_dir.rglob("*") if "tmp" in path.name)
            seals = sorted(len(list(index.glob("*.seal"))) for index in data_dir.glob("*-*"))
            answer.write_text(json.dumps({"answers": answers, "holds": holds, "left": left, "seals": seals}))
    if not answer.exists():
        return {"failed": report.read_text() if report.exists() else "it ended without a word"}
    found: dict[str, object] = json.loads(answer.read_text())
    return found


def _list_files(data_dir: Path) -> list[Path]:
    return [path for path in data_dir.rglob("*") if path.is_file()]


@dataclass(frozen=True, slots=True)
class Rounds:
    """One scenario below a directory, and the right answers before and after it."""

    place: Path
    scenario: str
    old: dict[str, str]  # brief answers, by call
    new: dict[str, str]
    whole: dict[str, object]

    def count_operations(self) -> int:
        """Return how many changes of the data directory the scenario makes."""
        return self._run(Fault(Mode.FAIL), 0)[0]

    def run_round(self, fault: Fault, operation: int) -> tuple[bool, str]:
        """Run one round; return whether the fault happened, and what is wrong then, or an empty string."""
        count, said = self._run(fault, operation)
        happened = count < 0 or count >= operation
        if said:
            return happened, said
        if fault.mode is Mode.KILL:  # before any refresh: one generation or the other
            found = ask_apart(self.place, self.place / "data", refreshes=False)
            if wrong := self._judge_brief(found.get("answers", found), self.old, self.new):
                return happened, wrong
        found = ask_apart(self.place, self.place / "data")
        return happened, "" if found == self.whole else f"afterwards: {_show_difference(found, self.whole)}"

    def _run(self, fault: Fault, operation: int) -> tuple[int, str]:
        """Run the scenario with a fault; return its number of operations, -1 when killed; what is wrong."""
        data, report, counted = self.place / "data", self.place / "report", self.place / "counted"
        shutil.rmtree(data, ignore_errors=True)
        if (self.place / "before").is_dir():
            shutil.copytree(self.place / "before", data)
        # Where an index goes when its place cannot be had: the next round would begin with what is there.
        shutil.rmtree(self.place / "cache", ignore_errors=True)
        if (self.place / "donor").is_dir():
            shutil.copytree(self.place / "donor", self.place / "cache")
        report.unlink(missing_ok=True)
        counted.unlink(missing_ok=True)
        with in_child(report) as is_child:
            if is_child:
                with fault.at(data, operation) as faults:
                    answers = self._meet()
                counted.write_text(json.dumps([faults.count, answers]))
        if not counted.exists():
            said = report.read_text() if report.exists() else ""
            return -1, said or ("" if fault.mode is Mode.KILL else "it ended without a word")
        count, answers = json.loads(counted.read_text())
        return count, self._judge_brief(answers, self.new)

    def _meet(self) -> dict[str, str]:
        """Run the scenario and ask a few questions; none if there is no place for an index at all."""
        try:
            with closing(open_repository(self.place / "root", self.place / "data")) as repository:
                try:
                    SCENARIOS[self.scenario][1](repository)
                except RepoError as error:
                    _check_words(error, self.place)
                return ask_briefly(repository, self.place / "root")
        except RepoError as error:
            _check_words(error, self.place)
            return {}

    def _judge_brief(self, answers: object, *right: Mapping[str, str]) -> str:
        if not isinstance(answers, dict) or "failed" in answers:
            return f"meanwhile: {answers}"
        wrong = {
            call: found
            for call, found in answers.items()
            if not is_honest(found, *(one[call] for one in right if call in one))
        }
        return f"meanwhile: {wrong}" if wrong else ""


def _check_words(error: RepoError, place: Path) -> None:
    """Check that a failure names none of our paths, and is not a defect."""
    assert str(place) not in f"{error.message} {error.hint}", error
    assert error.code.name != "INTERNAL", error


def _show_difference(found: dict[str, object], wanted: dict[str, object]) -> str:
    parts = []
    for name, right in wanted.items():
        there = found.get(name)
        if isinstance(right, list) and isinstance(there, list) and len(right) == len(there):
            parts += [
                f"{one}\n  not\n  {other}" for one, other in zip(there, right, strict=True) if one != other
            ]
        elif there != right:
            parts.append(f"{name}: {there}")
    return "\n".join([*parts, str(found.get("failed", ""))])[:6_000]


def prepare(place: Path, scenario: str) -> Rounds:
    """Prepare the tree, the data directory for the scenario, and the right answers."""
    place.mkdir(parents=True, exist_ok=True)
    os.environ["XDG_CACHE_HOME"] = str(place / "cache")
    make_linked_tree(place / "root", SEED, FILES)
    report = place / "report"
    with in_child(report) as is_child:
        if is_child:
            SCENARIOS[scenario][0](place)
    assert not report.exists(), report.read_text()
    data: Path = place / "data"
    old: object = {}
    if data.is_dir():
        shutil.copytree(data, place / "before")
        old = ask_apart(place, data, refreshes=False)["answers"]
    if (place / "cache").is_dir():
        (place / "cache").rename(place / "donor")
    whole = ask_apart(place, place / "empty")
    new = ask_apart(place, place / "empty", refreshes=False)["answers"]
    assert isinstance(old, dict)
    assert isinstance(new, dict)
    return Rounds(place, scenario, old, new, whole)


def run(rounds: Rounds, operations: int, fault: Fault, *, every: int, seed: int) -> dict[str, object]:
    """Run the rounds of a fault at all operations, or at one of `every` few, chosen by `seed`."""
    draw = random.Random(seed)
    chosen = [operation for operation in range(1, operations + 1) if not draw.randrange(every)]
    failures: dict[int, str] = {}
    faults = 0
    for operation in chosen:
        happened, wrong = rounds.run_round(fault, operation)
        faults += happened
        if wrong:
            failures[operation] = wrong
    return {"operations": operations, "rounds": len(chosen), "faults": faults, "failures": failures}


def _load_engines() -> None:
    """Import here once what calls would otherwise import in each child."""
    for package in (
        bundler,
        code_search,
        documentation,
        exact,
        graph,
        indexing,
        live,
        ranking,
        research,
        symbol_index,
    ):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("place", type=Path)
    parser.add_argument("scenario", choices=SCENARIOS)
    parser.add_argument("faults", nargs="+", type=parse_fault)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    _load_engines()
    gc.freeze()  # a garbage collection in a child would copy all memory pages
    rounds = prepare(options.place, options.scenario)
    operations = rounds.count_operations()
    failed = False
    for fault in options.faults:
        done = run(rounds, operations, fault, every=options.every, seed=options.seed)
        sys.stdout.write(json.dumps(done) + "\n")
        failed |= bool(done["failures"])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
