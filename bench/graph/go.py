"""Compare with go/types: `python -m bench.graph.go TREE ANSWERS.jsonl [--show exact]`.

ANSWERS is what `bench/graph/go_oracle.go` printed for the tree. An edge is a name on a line and a
declaration. An edge of ours is right where the compiler has that declaration; a twin where it is probable,
beside a right one (the compiler builds for one platform); wrong where the compiler has another declaration
for the name; and unjudged where it says nothing, because other modules are missing. Types that satisfy
interfaces are compared separately.

`--show exact`, `probable`, `missed` or `satisfies` prints a sample with its lines, to be read by eye.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

from bench.graph.verdicts import OUTSIDE, Answers, Place, add_options, compare, find_place
from repo_mcp.graph.go.method_sets import MethodSets
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.languages.capture_parsers import PARSERS
from repo_mcp.symbols.symbol_record import SymbolKind
from tests.repo_mcp.graph.memory_program import MemoryProgram

_HEAD_LINES = 1  # of a declaration, in which its name stands


@dataclass(slots=True)
class GoAnswers(Answers):
    """Answers of the compiler for a tree, and which types satisfy which interfaces."""

    satisfied: set[tuple[Place, Place]] = field(default_factory=set)  # of a type, of an interface


def read_answers(file: Path) -> GoAnswers:
    """Return the answers for a tree."""
    answers = GoAnswers()
    for row in file.read_text("utf-8").splitlines():
        what, *rest = json.loads(row)
        if what == "use":
            path, line, name, declared, _, kind = rest
            answers.places[path, line, name].add((declared[0], declared[1]))
            answers.kinds[path, line, name] = kind
        elif OUTSIDE not in rest:
            answers.satisfied.add(((rest[0], rest[1]), (rest[2], rest[3])))
    return answers


def is_right(program: MemoryProgram, declaration: Declaration, places: set[Place]) -> bool:
    """Return whether a declaration of ours is what the compiler says."""
    path, line = find_place(program, declaration)
    return any(one == path and 0 <= at - line <= _HEAD_LINES for one, at in places)


def list_satisfied(program: MemoryProgram, answers: GoAnswers) -> set[tuple[Place, Place]]:
    """Return the pairs of types and interfaces in the compared files that satisfy each other by our rules."""
    sets, found = MethodSets(program), set()
    for path in sorted({path for path, _, _ in answers.places}):
        record = program.find_record(path)
        assert record is not None
        for ordinal, kind in enumerate(record.kinds.tolist()):
            if kind == SymbolKind.INTERFACE:
                interface = Declaration(path, ordinal)
                for one in sets.list_satisfying(interface):
                    if one.confidence is not Confidence.POSSIBLE:
                        found.add((find_place(program, one.declaration), find_place(program, interface)))
    return found


def main(arguments: list[str]) -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(prog="bench.graph.go", description=__doc__)
    add_options(parser, "satisfies")
    given = parser.parse_args(arguments)
    files = [file for file in sorted(given.tree.rglob("*.go")) if file.is_file()]
    files += given.tree.rglob("go.mod")
    texts = {file.relative_to(given.tree).as_posix(): file.read_bytes() for file in files}
    answers = read_answers(given.answers)
    program = MemoryProgram(texts, PARSERS, lambda path: "go" if path.endswith(".go") else "")

    def check(one: Declaration, places: set[Place], _kind: str) -> bool:
        return is_right(program, one, places)

    compare(program, texts, answers, check, given)
    satisfied = list_satisfied(program, answers)
    print(f"satisfied: {len(satisfied & answers.satisfied)} of {len(answers.satisfied)}, and", end=" ")
    print(f"{len(satisfied - answers.satisfied)} that the compiler does not have")
    if given.show == "satisfies":
        for one in sorted(answers.satisfied - satisfied)[: given.most]:
            print("missed", one)
        for one in sorted(satisfied - answers.satisfied)[: given.most]:
            print("ours alone", one)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
