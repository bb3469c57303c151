"""Compare with go/types: `python -m bench.graph.go TREE ANSWERS.jsonl [--show exact]`.

ANSWERS is what `bench/graph/go_oracle.go` printed for the tree. An edge is a name on a line and a
declaration. One of ours is right where the compiler has that declaration, a twin where it is probable beside
a right one (the compiler builds for one platform), wrong where the compiler has another one for the name, and
unjudged where it says nothing, as of what needs other modules. Types that satisfy interfaces are compared
apart.

`--show exact`, `probable`, `missed` or `satisfies` prints a sample with its lines, to be read by eye.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.graph.c import iter_ours
from bench.graph.served import collect_served
from repo_mcp.graph.program import Confidence, Declaration, Target
from repo_mcp.graph.typed.method_sets import MethodSets
from repo_mcp.languages.native.symbol_parser import PARSERS
from repo_mcp.symbols.symbol_record import SymbolKind
from tests.repo_mcp.graph.memory_program import MemoryProgram

Use = tuple[str, int, str]  # path, line, name
Place = tuple[str, int]
OUTSIDE = "<outside>"  # as in `bench/graph/go_oracle.go`
_HEAD_LINES = 1  # of a declaration, in which its name stands


@dataclass(slots=True)
class Answers:
    """Answers of the compiler for a tree."""

    places: dict[Use, set[Place]] = field(default_factory=lambda: defaultdict(set))
    kinds: dict[Use, str] = field(default_factory=dict)
    satisfied: set[tuple[Place, Place]] = field(default_factory=set)  # of a type, of an interface


def read_answers(file: Path) -> Answers:
    """Return the answers for a tree."""
    answers = Answers()
    for row in file.read_text("utf-8").splitlines():
        what, *rest = json.loads(row)
        if what == "use":
            path, line, name, declared, _, kind = rest
            answers.places[path, line, name].add((declared[0], declared[1]))
            answers.kinds[path, line, name] = kind
        elif OUTSIDE not in rest:
            answers.satisfied.add(((rest[0], rest[1]), (rest[2], rest[3])))
    return answers


def find_place(program: MemoryProgram, one: Declaration) -> Place:
    """Return the path and line of a declaration of ours."""
    record = program.find_record(one.path)
    assert record is not None
    return one.path, int(record.starts[one.ordinal])


def is_right(program: MemoryProgram, declaration: Declaration, places: set[Place]) -> bool:
    """Return whether a declaration of ours is what the compiler says."""
    path, line = find_place(program, declaration)
    return any(one == path and 0 <= at - line <= _HEAD_LINES for one, at in places)


def judge(
    program: MemoryProgram, ours: Iterable[tuple[Use, Sequence[Target]]], answers: Answers
) -> tuple[dict[tuple[str, str], list[Use]], set[Use]]:
    """Return our edges by confidence and verdict, and the uses that exact and probable ones find."""
    verdicts: dict[tuple[str, str], list[Use]] = defaultdict(list)
    found = set()
    for use, targets in ours:
        places = answers.places.get(use, set())
        right = [one for one in targets if is_right(program, one.declaration, places)]
        for target in targets:
            is_beside = bool(right) and target.confidence is Confidence.PROBABLE
            verdict = "right" if target in right else "twin" if is_beside else "wrong"
            verdicts[target.confidence, verdict if places else "unjudged"].append(use)
        if any(one.confidence is not Confidence.POSSIBLE for one in right):
            found.add(use)
    return verdicts, found


def list_satisfied(program: MemoryProgram, answers: Answers) -> set[tuple[Place, Place]]:
    """Return the types and interfaces of the compared files of which, by us, one satisfies the other."""
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
    parser.add_argument("tree", type=Path)
    parser.add_argument("answers", type=Path)
    parser.add_argument("--show", choices=("exact", "probable", "missed", "satisfies"))
    parser.add_argument("--most", type=int, default=40, help="edges shown, drawn by a fixed seed")
    parser.add_argument("--served", action="store_true", help="ours over stdio, page after page")
    given = parser.parse_args(arguments)
    files = [file for file in sorted(given.tree.rglob("*.go")) if file.is_file()]
    files += given.tree.rglob("go.mod")
    texts = {file.relative_to(given.tree).as_posix(): file.read_bytes() for file in files}
    answers = read_answers(given.answers)
    program = MemoryProgram(texts, PARSERS, lambda path: "go" if path.endswith(".go") else "")
    served = collect_served(given.tree, program, texts).targets.items() if given.served else None
    verdicts, found = judge(
        program,
        iter_ours(program, (path for path, _, _ in answers.places)) if served is None else served,
        answers,
    )
    for confidence in Confidence:
        counted = (len(verdicts[confidence, one]) for one in ("right", "wrong", "twin", "unjudged"))
        right, wrong, twins, unjudged = counted
        share = right / max(1, right + wrong)
        print(f"{confidence:9} right {right} wrong {wrong} ({share:.4f}) twins {twins} unjudged {unjudged}")
    ours = {use for use, places in answers.places.items() if any(path != OUTSIDE for path, _ in places)}
    missed = sorted(ours - found)
    print(f"recall of exact and probable {1 - len(missed) / max(1, len(ours)):.3f} of {len(ours)} uses")
    for kind, count in sorted(Counter(answers.kinds[use] for use in ours).items()):
        lost = sum(answers.kinds[use] == kind for use in missed)
        print(f"    {kind:20} {1 - lost / count:.3f} of {count}")
    satisfied = list_satisfied(program, answers)
    print(f"satisfied: {len(satisfied & answers.satisfied)} of {len(answers.satisfied)}, and", end=" ")
    print(f"{len(satisfied - answers.satisfied)} that the compiler does not have")
    lines = {path: text.decode("utf-8", "replace").split("\n") for path, text in texts.items()}
    if given.show == "satisfies":
        for one in sorted(answers.satisfied - satisfied)[: given.most]:
            print("missed", one)
        for one in sorted(satisfied - answers.satisfied)[: given.most]:
            print("ours alone", one)
    elif given.show is not None:
        edges = missed if given.show == "missed" else verdicts[given.show, "wrong"]
        for path, line, name in random.Random(1).sample(edges, min(given.most, len(edges))):
            print(f"{path}:{line} {name}\n    {lines[path][line - 1].strip()[:150]}")
            print(f"    theirs: {sorted(answers.places[path, line, name])[:2]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
