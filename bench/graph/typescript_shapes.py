"""Compare satisfied interfaces with the TypeScript compiler.

    python -m bench.graph.typescript_shapes TREE SHAPES.jsonl

SHAPES is what `typescript_oracle.cjs TREE COMPILER --shapes` printed. A pair is a class and an interface that
it satisfies without naming it. A pair of ours is right if the compiler has it, unjudged if type arguments of
either decide, and otherwise wrong. A pair of the compiler's is found if we have it, for the class or for a
base of it. Left out are interfaces that are not looked for, and classes that name the interface through
packages that are not installed for the compiler. `--show wrong --most 40` prints a sample.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path

from bench.graph.typescript import find_language, parse, read_tree
from repo_mcp.graph.hierarchy.structural_types import StructuralTypes
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typescript.modules import ModuleFinder
from repo_mcp.graph.typescript.shape_reader import LANGUAGES, ScriptShapes
from repo_mcp.symbols.symbol_record import SymbolKind
from tests.repo_mcp.graph.memory_program import MemoryProgram

Pair = tuple[Declaration, Declaration]  # a class and an interface
INTERFACES = (SymbolKind.INTERFACE, SymbolKind.TYPE)
COUNTS = (1, 2, 5, 10, 20, 40, 100)
UNNAMED = "class"  # our name of a class that is a value; the oracle leaves it out


def find(program: MemoryProgram, path: str, line: int, name: str) -> Declaration:
    """Return the innermost symbol with a name that stands on a line; the file if there is none."""
    record = program.find_record(path)
    symbols = [record.get_symbol(one) for one in record.find_symbols(name)] if record is not None else []
    found = [one.ordinal for one in symbols if one.start_line <= line <= one.end_line]
    return Declaration(path, max(found, default=0))


def show(program: MemoryProgram, one: Declaration) -> str:
    """Return the path, line and name of a declaration."""
    record = program.find_record(one.path)
    return f"{one.path}:{record.starts[one.ordinal]} {get_name(program, one)}" if record is not None else ""


def get_name(program: MemoryProgram, one: Declaration) -> str:
    """Return the name of a declaration."""
    record = program.find_record(one.path)
    return record.get_symbol(one.ordinal).name if record is not None else ""


def collect_ours(
    program: MemoryProgram, paths: list[str]
) -> tuple[set[Pair], set[Declaration], Counter[int]]:
    """Return our pairs, the interfaces that are looked for, and the numbers of classes that satisfy them."""
    shapes = StructuralTypes(program, LANGUAGES, partial(ScriptShapes, program, ModuleFinder(program)))
    pairs, asked, counts = set[Pair](), set[Declaration](), Counter[int]()
    for path in paths:
        record = program.find_record(path)
        for ordinal in range(record.symbol_count) if record is not None else ():
            assert record is not None
            one = Declaration(path, ordinal)
            if record.kinds[ordinal] not in INTERFACES or not shapes.is_distinctive(one):
                continue
            found = [each.declaration for each in shapes.list_satisfying(one)]
            asked.add(one)
            pairs.update((each, one) for each in found if get_name(program, each) != UNNAMED)
            counts[next((most for most in COUNTS if len(found) <= most), len(found))] += bool(found)
    return pairs, asked, counts


def main(arguments: list[str]) -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(prog="bench.graph.typescript_shapes", description=__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("shapes", type=Path)
    parser.add_argument("--show", choices=("wrong", "missed"))
    parser.add_argument("--most", type=int, default=40)
    given = parser.parse_args(arguments)
    texts = read_tree(given.tree)
    program = MemoryProgram(texts, {"typescript": parse, "javascript": parse}, find_language)
    began = time.process_time()
    ours, asked, counts = collect_ours(program, [path for path in texts if program.find_record(path)])
    print(f"{len(ours)} pairs of {sum(counts.values())} interfaces in {time.process_time() - began:.1f} s")
    print("interfaces by the most classes that satisfy them:", dict(sorted(counts.items())))
    rows = [json.loads(row) for row in given.shapes.read_text("utf-8").splitlines() if row]
    verdicts = [
        ((find(program, *row["class"]), find(program, *row["interface"])), row["generic"]) for row in rows
    ]
    theirs = {pair for pair, is_generic in verdicts if not is_generic}
    generic = {pair for pair, is_generic in verdicts if is_generic} - theirs
    wrong, right = ours - theirs - generic, len(ours & theirs)
    print(f"right {right}, wrong {len(wrong)}, unjudged {len(ours & generic)}", end="; ")
    print(f"precision {right / max(1, right + len(wrong)):.3f}")
    reader = ScriptShapes(program)
    above = {one: reader.read(one).above for one, _ in theirs if reader.is_class(one)}
    looked = {pair for pair in theirs if pair[1] in asked and pair[1] not in above.get(pair[0], ())}
    missed = {one for one in looked if not any((base, one[1]) in ours for base in above.get(one[0], ()))}
    print(f"theirs {len(theirs)}, looked for {len(looked)}, missed {len(missed)}", end="; ")
    print(f"recall {1 - len(missed) / max(1, len(looked)):.3f}")
    shown = {"wrong": wrong, "missed": missed}.get(given.show, set())
    lines = sorted(f"{show(program, one)} | {show(program, other)}" for one, other in shown)
    print(*random.Random(1).sample(lines, min(given.most, len(lines))), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
