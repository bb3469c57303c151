"""Compare with a precise indexer: `python -m bench.graph --tree DIR --scip FILE`.

`--show wrong --most 40` prints a sample of the edges of one verdict, with their lines, to be read by eye.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from pathlib import Path

from bench.graph.compare import Sides, collect, iter_verdicts, score
from bench.graph.jedi_check import ask_jedi
from bench.graph.scip import ScipIndex, read_scip
from bench.graph.served import collect_served
from repo_mcp.graph.program import Confidence, Program
from repo_mcp.graph.python.resolver import PythonResolver
from repo_mcp.languages.python.symbol_parser import parse as parse_python
from tests.repo_mcp.graph.memory_program import MemoryProgram

VERDICTS = ("wrong", "missed", "unjudged", "right")


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(prog="bench.graph", description=__doc__)
    parser.add_argument("--tree", type=Path, required=True, help="the package, as it was indexed")
    parser.add_argument("--scip", type=Path, required=True, help="the index of the precise indexer")
    parser.add_argument("--show", choices=VERDICTS, help="print edges of this verdict")
    parser.add_argument("--calls", action="store_true", help="show calls alone")
    parser.add_argument("--most", type=int, default=40, help="edges shown, drawn by a fixed seed")
    parser.add_argument("--jedi", type=int, default=0, help="ask jedi about so many unjudged edges")
    parser.add_argument(
        "--served", action="store_true", help="ours as a client meets them: over stdio, page after page"
    )
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(arguments)


def read_texts(tree: Path) -> dict[str, str]:
    """Return the Python files of a tree, by path."""
    files = [file for suffix in ("*.py", "*.pyi") for file in tree.rglob(suffix) if file.is_file()]
    return {file.relative_to(tree).as_posix(): file.read_text("utf-8", "replace") for file in sorted(files)}


def main(arguments: list[str]) -> int:
    """Compare and print."""
    given = parse_arguments(arguments)
    texts = read_texts(given.tree)
    index = read_scip(given.scip)
    began = time.process_time()
    program = MemoryProgram(texts, {"python": parse_python})
    parsed = time.process_time()
    lines = {path: text.replace("\r\n", "\n").split("\n") for path, text in texts.items()}
    sides = _collect(program, index, lines)
    if given.served:
        began_asking = time.monotonic()
        served = collect_served(given.tree, program, sorted(set(index.occurrences) & set(texts)))
        sides.take_served(served)
        print(f"{served.answers} answers of get_references in {time.monotonic() - began_asking:.0f} s")
    resolved = time.process_time()
    print(f"{len(texts)} files, parsed in {parsed - began:.1f} s, resolved in {resolved - parsed:.1f} s")
    for title, calls_only in (("references", False), ("calls", True)):
        one = score(program, sides, calls_only)
        print(
            f"{title:10}  precision {one.precision:.3f} (strict {one.strict_precision:.3f})",
            f"recall {one.recall:.3f}  right {one.right} wrong {one.wrong} unjudged {one.unjudged}",
            f"found {one.found} missed {one.missed}",
        )
    for confidence in (Confidence.EXACT, Confidence.PROBABLE):
        counts = Counter(
            verdict
            for verdict, _, targets in iter_verdicts(program, sides, False)
            if verdict in ("right", "wrong", "unjudged") and targets[0][1] is confidence
        )
        print(f"{confidence:10} ", *(f"{name} {counts[name]}" for name in ("right", "wrong", "unjudged")))
    if given.jedi:
        print(dict(ask_jedi(given.tree.resolve(), program, sides, lines, given.jedi, given.seed)))
    if given.show:
        _show(program, sides, lines, given)
    return 0


def _collect(program: Program, index: ScipIndex, lines: dict[str, list[str]]) -> Sides:
    return collect(program, PythonResolver(program), index, lines)


def _show(program: Program, sides: Sides, lines: dict[str, list[str]], given: argparse.Namespace) -> None:
    chosen = [one for one in iter_verdicts(program, sides, given.calls) if one[0] == given.show]
    for _, ordinal, targets in random.Random(given.seed).sample(chosen, min(given.most, len(chosen))):
        path, line, name = ordinal
        print(f"{path}:{line} {name}\n    {lines[path][line - 1].strip()[:150]}")
        for declaration, confidence in targets[:3]:
            structure = program.find_record(declaration.path)
            start = 0 if structure is None else int(structure.starts[declaration.ordinal])
            print(f"    ours: {declaration.path}:{start} {confidence}")
        for target in sorted(sides.theirs.get(ordinal, ()))[:3]:
            print(f"    theirs: {target[0]}:{target[1]}")
        if ordinal in sides.foreign:
            print("    theirs: outside")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
