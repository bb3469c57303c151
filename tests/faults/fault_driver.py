"""Runs one scenario again and again, each time in a forked process in which another operation fails.

    python -m tests.faults.fault_driver PLACE SCENARIO FAULT [--sticky] [--every N] [--seed S]

For each operation of the scenario: a copy of the data directory as it was before, the scenario with the
fault, then a new process without a fault that refreshes and answers. Its answers must be those of an empty
data directory, the refresh must heal without help, and nothing unfinished may lie about. One JSON document
is printed: rounds, and every round in which that did not hold.

Forked, because a start of the interpreter for each of some hundred rounds would take minutes; this process
starts no thread that a child would miss.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from repo_mcp.config import load_config
from repo_mcp.errors import RepoError
from repo_mcp.model import SearchRequest
from repo_mcp.repository import Repository
from tests.faults.fault_layer import Fault, FaultLayer

FILES = {f"d{n % 3}/f{n:02}.py": f"def function_{n}(argument):\n    return {n}\n" * 5 for n in range(24)}
CHANGED = {f"d1/f{n:02}.py": f"def changed_{n}(argument):\n    return {n}\n" * 9 for n in (1, 4, 7)}
QUERIES = ("function_7", "changed_4 argument", "return argument", "changed_1")


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def open_repository(place: Path, data_dir: Path) -> Repository:
    return Repository(load_config(str(place / "root"), data_dir=str(data_dir), workers=1, last_bundle=False))


def refresh(place: Path) -> None:
    with closing(open_repository(place, place / "data")) as repository:
        repository.refresh()


def compact(place: Path) -> None:
    with closing(open_repository(place, place / "data")) as repository:
        repository.compact(full=True)


def prepare_build(place: Path) -> None:
    """Nothing is there yet."""


def prepare_update(place: Path) -> None:
    """An index of the tree as it was before three files changed and one went."""
    refresh(place)
    write(place / "root", CHANGED)
    (place / "root" / "d0" / "f00.py").unlink()


def prepare_compact(place: Path) -> None:
    prepare_update(place)
    refresh(place)


SCENARIOS: dict[str, tuple[Callable[[Path], None], Callable[[Path], None]]] = {
    "build": (prepare_build, refresh),
    "update": (prepare_update, refresh),
    "compact": (prepare_compact, compact),
}


@contextmanager
def in_child(report: Path) -> Iterator[bool]:
    """True in a forked process, which ends with the block; what it raised is written down."""
    pid = os.fork()
    if pid:
        os.waitpid(pid, 0)
        yield False
        return
    try:
        yield True
    except RepoError as error:
        report.write_text(f"refused: {error.code}")
    except BaseException:
        report.write_text(traceback.format_exc())
    finally:
        os._exit(0)


def ask(place: Path, data_dir: Path) -> object:
    """The answers after a refresh, and what lies in the data directory that should not."""
    with closing(open_repository(place, data_dir)) as repository:
        warnings = repository.refresh().warnings
        found = [repr(repository.search(SearchRequest(query, 10)).hits) for query in QUERIES]
        status = repository.status()
        state = (status.state, status.indexed_files, len(status.warnings))
    left = sorted(path.name for path in data_dir.rglob("*.tmp"))
    seals = [len(list(index.glob("*.seal"))) for index in data_dir.glob("index-*")]
    return {"found": found, "state": state, "left": left, "seals": seals, "warnings": len(warnings)}


def ask_apart(place: Path, data_dir: Path) -> object:
    answer = place / "answer"
    answer.unlink(missing_ok=True)
    with in_child(place / "report") as is_child:
        if is_child:
            answer.write_text(json.dumps(ask(place, data_dir)))
    return json.loads(answer.read_text()) if answer.exists() else (place / "report").read_text()


def run_round(place: Path, scenario: str, fault: Fault, operation: int, *, sticky: bool) -> int:
    """The scenario with one fault; returns how many operations there were, 0 when it was killed."""
    counted = place / "counted"
    counted.unlink(missing_ok=True)
    (place / "report").unlink(missing_ok=True)
    shutil.rmtree(place / "data", ignore_errors=True)
    if (place / "before").is_dir():
        shutil.copytree(place / "before", place / "data")
    with in_child(place / "report") as is_child:
        if is_child:
            layer = FaultLayer(str(place / "data"), fault, operation, sticky=sticky)
            layer.install()
            try:
                SCENARIOS[scenario][1](place)
            finally:
                counted.write_text(str(layer.count))
    return int(counted.read_text()) if counted.exists() else 0


def judge_round(place: Path, wanted: object) -> str:
    """What is wrong after a round; empty when all is as it must be."""
    report = place / "report"
    said = report.read_text() if report.exists() else ""
    if said and not said.startswith("refused: "):
        return said
    found = ask_apart(place, place / "data")
    return "" if found == wanted else f"answers differ: {found}"


def run(
    place: Path, scenario: str, fault: Fault, *, sticky: bool, every: int, seed: int
) -> dict[str, object]:
    """All rounds of a scenario, or one of `every` few, chosen by `seed`."""
    write(place / "root", FILES)
    with in_child(place / "report") as is_child:
        if is_child:
            SCENARIOS[scenario][0](place)
    if (place / "data").is_dir():
        shutil.copytree(place / "data", place / "before")
    wanted = ask_apart(place, place / "empty")
    operations = run_round(place, scenario, fault, 0, sticky=False)
    draw = random.Random(seed)
    failures = {}
    rounds = 0
    for operation in range(1, operations + 1):
        if draw.randrange(every):
            continue
        rounds += 1
        run_round(place, scenario, fault, operation, sticky=sticky)
        if fault_found := judge_round(place, wanted):
            failures[operation] = fault_found
    return {"operations": operations, "rounds": rounds, "failures": failures}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("place", type=Path)
    parser.add_argument("scenario", choices=SCENARIOS)
    parser.add_argument("fault", choices=[fault.name for fault in Fault])
    parser.add_argument("--sticky", action="store_true")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    options.place.mkdir(parents=True, exist_ok=True)
    fault = Fault[options.fault]
    done = run(
        options.place, options.scenario, fault, sticky=options.sticky, every=options.every, seed=options.seed
    )
    sys.stdout.write(json.dumps(done) + "\n")
    return 1 if done["failures"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
