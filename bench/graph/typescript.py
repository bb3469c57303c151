"""Compare with the TypeScript compiler: `python -m bench.graph.typescript TREE ANSWERS.jsonl`.

ANSWERS is what `typescript_oracle.cjs` printed for the tree. An edge is a name on a line of a file and a
declaration in the repository. Ours are those called `exact` and `probable`; theirs are names whose
declaration is a function, a class, an interface, a type, an enum, a namespace, one of their members or a
variable that is not local. An edge of ours is right where the compiler has that declaration, wrong where it
has another one or one outside, and unjudged where it knows nothing of the name.

`--show wrong --most 40` prints a sample of one verdict with its lines, to be read by eye.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.graph.served import collect_served
from repo_mcp.graph.program import Confidence, Target
from repo_mcp.graph.typescript.resolver import TypeScriptResolver
from repo_mcp.languages.symbol_parsers import find_parser_task, run_parser_task
from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.repo_mcp.graph.memory_program import MemoryProgram, find_language_by_suffix

Place = tuple[str, int, str]
Where = tuple[str, int, str]  # path, line and name of a declaration
SUFFIXES = {".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".yaml"}
SKIPPED = {"node_modules", ".git", "dist", "build", "coverage", ".next"}
UNNAMED = "Anonymous"  # kind of members of types without a name
OF_OURS = ("right", "wrong", "unnamed", "unjudged")
COUNTED = frozenset(
    {
        "FunctionDeclaration",
        "ClassDeclaration",
        "ClassExpression",
        "InterfaceDeclaration",
        "TypeAliasDeclaration",
        "EnumDeclaration",
        "EnumMember",
        "MethodDeclaration",
        "MethodSignature",
        "PropertyDeclaration",
        "PropertySignature",
        "GetAccessor",
        "SetAccessor",
        "ModuleDeclaration",
        "Variable",
        "Constructor",
    }
)


@dataclass(slots=True)
class Answers:
    """The targets that the compiler gives for the names of a tree."""

    targets: dict[Place, set[Where]] = field(default_factory=dict)
    counted: dict[Place, set[Where]] = field(default_factory=dict)
    calls: set[Place] = field(default_factory=set)
    kinds: dict[Where, str] = field(default_factory=dict)
    unknown: set[Place] = field(default_factory=set)  # where it knows nothing of one of the names


@dataclass(slots=True)
class Ours:
    """The targets that we give, and the places that are calls."""

    targets: dict[Place, list[Target]] = field(default_factory=dict)
    calls: set[Place] = field(default_factory=set)


def read_answers(file: Path, paths: frozenset[str]) -> Answers:
    """Return the compiler's answers for some files."""
    answers = Answers()
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            row: dict[str, Any] = json.loads(line) if line.strip() else {}
            if row.get("path") not in paths:
                continue
            ordinal = (row["path"], row["line"], row["name"])
            if row.get("unknown"):
                answers.unknown.add(ordinal)
                continue
            if row["call"]:
                answers.calls.add(ordinal)
            found = answers.targets.setdefault(ordinal, set())
            for path, at, name, kind in row["targets"]:
                found.add((path, at, name))
                answers.kinds[path, at, name] = kind
                if kind in COUNTED:
                    answers.counted.setdefault(ordinal, set()).add((path, at, name))
    return answers


def read_tree(tree: Path) -> dict[str, str]:
    """Read the files of a tree that decide how modules are found, by path."""
    found = {}
    for file in sorted(tree.rglob("*")):
        path = file.relative_to(tree)
        if file.suffix in SUFFIXES and not SKIPPED & set(path.parts) and file.is_file():
            text = file.read_text("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
            found[path.as_posix()] = text
    return found


def find_language(path: str) -> str:
    """Return the language that the registry gives a path with one of these suffixes."""
    return "typescript" if path.endswith((".mts", ".cts")) else find_language_by_suffix(path)


def parse(path: str, text: bytes) -> bytes:
    """Parse a file by the task of its language."""
    task = find_parser_task(path, find_language(path))
    assert task is not None, "the grammars are not installed"
    return run_parser_task(task, path.encode() + b"\n" + text)


def collect_ours(program: MemoryProgram, paths: list[str]) -> Ours:
    """Collect all edges that we claim in some files."""
    ours = Ours()
    resolver = TypeScriptResolver(program)
    for path in paths:
        structure = program.find_record(path)
        if structure is None:
            continue
        for row in range(structure.reference_count):
            reference = structure.get_reference(row)
            if reference.role is ReferenceRole.BIND:
                continue
            names = {reference.name}
            if reference.role in {ReferenceRole.IMPORT, ReferenceRole.EXPORT} and reference.alias:
                names = {reference.alias, reference.name}
            targets = resolver.resolve(path, structure, reference).targets
            kept = [one for one in targets if one.confidence is not Confidence.POSSIBLE]
            for name in names:
                ordinal = (path, reference.line, name)
                ours.targets.setdefault(ordinal, []).extend(kept)
                if reference.role is ReferenceRole.CALL:
                    ours.calls.add(ordinal)
    return ours


def is_one(program: MemoryProgram, target: Target, theirs: set[Where]) -> bool:
    """Return True when a target of ours is one of the compiler's declarations."""
    structure = program.find_record(target.declaration.path)
    if structure is None:
        return any(path == target.declaration.path for path, _, _ in theirs)
    symbol = structure.get_symbol(target.declaration.ordinal)
    if not symbol.ordinal:
        return any(path == target.declaration.path and line == 1 for path, line, _ in theirs)
    twins = [structure.get_symbol(one) for one in structure.find_symbols(symbol.name)]
    twins = [one for one in twins if one.parent == symbol.parent]  # overloads, accessors, merged declarations
    return any(
        path == target.declaration.path and any(one.start_line <= line <= one.end_line for one in twins)
        for path, line, _ in theirs
    )


def iter_verdicts(
    program: MemoryProgram, ours: Ours, answers: Answers, *, calls_only: bool
) -> Iterator[tuple[str, Place, list[Target]]]:
    """Yield "right", "wrong", "unnamed", "unjudged", "found" or "missed", the place, and what we say of it.

    Where the compiler has a member of a type without a name, we name the member of the object that holds it.
    """
    for ordinal, targets in sorted(ours.targets.items()):
        if not targets or (calls_only and ordinal not in ours.calls):
            continue
        theirs = answers.targets.get(ordinal)
        if theirs is None:
            yield "unjudged", ordinal, targets
        else:
            right = any(is_one(program, one, theirs) for one in targets)
            unnamed = bool(theirs) and all(answers.kinds[one] == UNNAMED for one in theirs)
            other = "unnamed" if unnamed else "unjudged" if ordinal in answers.unknown else "wrong"
            yield ("right" if right else other), ordinal, targets
    for ordinal, counted in sorted(answers.counted.items()):
        if not calls_only or ordinal in answers.calls:
            targets = ours.targets.get(ordinal, [])
            found = any(is_one(program, one, counted) for one in targets)
            yield ("found" if found else "missed"), ordinal, targets


def main(arguments: list[str]) -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(prog="bench.graph.typescript", description=__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("answers", type=Path)
    parser.add_argument("--show", choices=(*OF_OURS, "missed"))
    parser.add_argument("--calls", action="store_true", help="show calls alone")
    parser.add_argument("--most", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--served", action="store_true", help="ours over stdio, page after page")
    given = parser.parse_args(arguments)
    texts = read_tree(given.tree)
    began = time.process_time()
    parsers = {"typescript": parse, "javascript": parse}
    program = MemoryProgram(texts, parsers, find_language)
    parsed = time.process_time()
    paths = [path for path in texts if program.find_record(path) is not None]
    if given.served:
        served = collect_served(given.tree, program, paths)
        print(f"{served.answers} answers of get_references")
        ours = Ours(served.targets, served.calls)
    else:
        ours = collect_ours(program, paths)
    took = time.process_time() - parsed
    print(f"{len(paths)} files, parsed in {parsed - began:.1f} s, resolved in {took:.1f} s")
    answers = read_answers(given.answers, frozenset(paths))
    for title, calls_only in (("references", False), ("calls", True)):
        counts = Counter(one for one, _, _ in iter_verdicts(program, ours, answers, calls_only=calls_only))
        precision = counts["right"] / max(1, counts["right"] + counts["wrong"])
        recall = counts["found"] / max(1, counts["found"] + counts["missed"])
        print(f"{title:10}  precision {precision:.3f}  recall {recall:.3f}  {dict(sorted(counts.items()))}")
    for confidence in (Confidence.EXACT, Confidence.PROBABLE):
        counts = Counter(
            verdict
            for verdict, _, targets in iter_verdicts(program, ours, answers, calls_only=False)
            if verdict in OF_OURS and targets[0].confidence is confidence
        )
        print(f"{confidence:10} ", *(f"{name} {counts[name]}" for name in OF_OURS))
    if given.show:
        _show(program, ours, answers, texts, given)
    return 0


def _show(
    program: MemoryProgram, ours: Ours, answers: Answers, texts: dict[str, str], given: argparse.Namespace
) -> None:
    verdicts = iter_verdicts(program, ours, answers, calls_only=given.calls)
    chosen = [one for one in verdicts if one[0] == given.show]
    kinds = Counter(
        kind
        for _, ordinal, _ in chosen
        for kind in {answers.kinds.get(one, "?") for one in answers.targets.get(ordinal, ())}
    )
    print(dict(kinds.most_common()))
    for _, ordinal, targets in random.Random(given.seed).sample(chosen, min(given.most, len(chosen))):
        path, line, name = ordinal
        print(f"{path}:{line} {name}\n    {texts[path].splitlines()[line - 1].strip()[:150]}")
        for target in targets[:3]:
            structure = program.find_record(target.declaration.path)
            start = 0 if structure is None else int(structure.starts[target.declaration.ordinal])
            print(f"    ours: {target.declaration.path}:{start} {target.confidence}")
        for theirs in sorted(answers.targets.get(ordinal, ()))[:3]:
            print(f"    theirs: {theirs[0]}:{theirs[1]} {answers.kinds[theirs]}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
