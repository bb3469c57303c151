"""Compare with libclang: `python -m bench.graph.c TREE ANSWERS.jsonl [--show exact]`.

ANSWERS is what `bench/graph/c_oracle.py` printed for the tree. An edge is a name on a line and a declaration.
One of ours is right where the compiler has that declaration, another one of the same symbol, or the prototype
of that definition; it is a twin where it is probable beside a right one, as the compiler sees one platform;
and it is unjudged where the compiler says nothing of the name, as in what it leaves out.

`--show exact`, `probable` or `missed` prints a sample with its lines, to be read by eye.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.graph.served import collect_served
from repo_mcp.graph.program import Confidence, Target
from repo_mcp.graph.typed.resolver import NamedResolver
from repo_mcp.languages.native.symbol_parser import PARSERS
from repo_mcp.symbols.symbol_record import TYPE_KINDS, ReferenceRole, SymbolKind
from tests.repo_mcp.graph.memory_program import MemoryProgram

Use = tuple[str, int, str]  # path, line, name
Place = tuple[str, int]
_TYPES = frozenset({"TYPEDEF_DECL", "STRUCT_DECL", "ENUM_DECL", "UNION_DECL"})
OUTSIDE = "<outside>"  # as in `bench/graph/c_oracle.py`, which needs libclang
_SKIPPED = frozenset({ReferenceRole.BIND, ReferenceRole.IMPORT})


@dataclass(slots=True)
class Answers:
    """The declarations that the compiler gives for each use of a name, and their kind."""

    places: dict[Use, set[Place]] = field(default_factory=lambda: defaultdict(set))
    kinds: dict[Use, str] = field(default_factory=dict)


@dataclass(slots=True)
class Verdicts:
    """Our edges by confidence and verdict, and the uses that we lead to what the compiler says."""

    counts: Counter[tuple[Confidence, str]] = field(default_factory=Counter)
    found: set[Use] = field(default_factory=set)
    wrong: dict[Confidence, list[tuple[Use, str]]] = field(default_factory=lambda: defaultdict(list))


def read_answers(file: Path, lines: dict[str, list[str]]) -> Answers:
    """Return the answers for names that stand in their lines as they are, not made by a macro."""
    answers = Answers()
    with file.open(encoding="utf-8") as rows:
        for row in rows:
            path, line, name, declared, defined, kind = json.loads(row)
            text = lines.get(path, ())[line - 1 : line]
            if text and re.search(rf"\b{re.escape(name)}\b", text[0]):
                answers.places[path, line, name] |= {tuple(declared), tuple(defined)}
                answers.kinds[path, line, name] = kind
    return answers


def is_right(program: MemoryProgram, target: Target, places: set[Place], kind: str) -> bool:
    """Return whether the compiler leads a use to this target of ours, declared at `places` as a `kind`."""
    path = target.declaration.path
    record = program.find_record(path)
    assert record is not None
    symbol = record.get_symbol(target.declaration.ordinal)
    if any(one == path and symbol.start_line - 1 <= line <= symbol.end_line for one, line in places):
        return True
    is_ours = any(one != OUTSIDE for one, _ in places)
    if symbol.kind in {SymbolKind.FUNCTION, SymbolKind.VARIABLE}:  # declared in one place, defined in another
        return is_ours and kind in {"FUNCTION_DECL", "VAR_DECL"}
    if symbol.kind in TYPE_KINDS and kind in _TYPES:  # a `typedef` and its struct
        return symbol.kind is not SymbolKind.TYPE or any(one == path for one, _ in places)
    parent = record.get_symbol(symbol.parent)
    return kind == "FIELD_DECL" and parent.kind is SymbolKind.MACRO  # to the compiler it lies in the struct


def iter_ours(program: MemoryProgram, paths: Iterable[str]) -> Iterator[tuple[Use, Sequence[Target]]]:
    """Yield what we lead each use to, in the files that a compiler read, which may repeat."""
    resolver = NamedResolver(program)
    for path in sorted(set(paths)):
        record = program.find_record(path)
        assert record is not None
        for reference in map(record.get_reference, range(record.reference_count)):
            if reference.role not in _SKIPPED:
                use = path, reference.line, reference.name
                yield use, resolver.resolve(path, record, reference).targets


def judge(program: MemoryProgram, ours: Iterable[tuple[Use, Sequence[Target]]], answers: Answers) -> Verdicts:
    """Compare our edges with the compiler's."""
    verdicts = Verdicts()
    for use, targets in ours:
        places, kind = answers.places.get(use, set()), answers.kinds.get(use, "")
        right = [one for one in targets if is_right(program, one, places, kind)]
        for target in targets:
            place, verdict = target.declaration, "unjudged"
            if use in answers.places:
                is_beside = bool(right) and target.confidence is Confidence.PROBABLE
                verdict = "right" if target in right else "twin" if is_beside else "wrong"
            verdicts.counts[target.confidence, verdict] += 1
            if verdict == "right" and target.confidence is not Confidence.POSSIBLE:
                verdicts.found.add(use)
            elif verdict == "wrong":
                verdicts.wrong[target.confidence].append((use, f"{place.path} {place.ordinal}"))
    return verdicts


def main(arguments: list[str]) -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(prog="bench.graph.c", description=__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("answers", type=Path)
    parser.add_argument("--show", choices=("exact", "probable", "missed"))
    parser.add_argument("--most", type=int, default=40, help="edges shown, drawn by a fixed seed")
    parser.add_argument("--served", action="store_true", help="ours over stdio, page after page")
    given = parser.parse_args(arguments)
    files = [file for file in sorted(given.tree.rglob("*.[ch]")) if file.is_file()]
    texts = {file.relative_to(given.tree).as_posix(): file.read_bytes() for file in files}
    lines = {path: text.decode("utf-8", "replace").split("\n") for path, text in texts.items()}
    answers = read_answers(given.answers, lines)
    program = MemoryProgram(texts, PARSERS)
    served = collect_served(given.tree, program, texts).targets.items() if given.served else None
    verdicts = judge(
        program,
        iter_ours(program, (path for path, _, _ in answers.places)) if served is None else served,
        answers,
    )
    for confidence in Confidence:
        counted = (verdicts.counts[confidence, one] for one in ("right", "wrong", "twin", "unjudged"))
        right, wrong, twins, unjudged = counted
        share = right / max(1, right + wrong)
        print(f"{confidence:9} right {right} wrong {wrong} ({share:.4f}) twins {twins} unjudged {unjudged}")
    ours = {use for use, places in answers.places.items() if any(path != OUTSIDE for path, _ in places)}
    missed = sorted(ours - verdicts.found)
    print(f"recall of exact and probable {1 - len(missed) / max(1, len(ours)):.3f} of {len(ours)} uses")
    for kind, count in sorted(Counter(answers.kinds[use] for use in ours).items()):
        lost = sum(answers.kinds[use] == kind for use in missed)
        print(f"    {kind:20} {1 - lost / count:.3f} of {count}")
    if given.show is not None:
        is_missed = given.show == "missed"
        edges = [(use, "") for use in missed] if is_missed else verdicts.wrong[Confidence(given.show)]
        _show(random.Random(1).sample(edges, min(given.most, len(edges))), answers, lines)
    return 0


def _show(edges: list[tuple[Use, str]], answers: Answers, lines: dict[str, list[str]]) -> None:
    for use, place in edges:
        path, line, name = use
        print(f"{path}:{line} {name}\n    {lines[path][line - 1].strip()[:150]}\n    ours: {place}")
        print(f"    theirs: {sorted(answers.places[use])[:2]}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
