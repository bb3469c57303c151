"""Does asking for a name show its declaration? Names of Python trees, asked over stdio as a client asks them.

    python -m bench.quality.definitions --trees DIR [--only NAMES] [--kept-back] [--misses]

`DIR` has a folder for each tree. Names are taken from the sources with `ast` by a fixed seed: those declared
once (functions, methods, classes), those of one word (declared any number of times), and `Class.method`
declared once. Half of them, chosen by a hash of the name, are kept back and asked only with `--kept-back`: do
not look at them while tuning. A name counts as shown when the first hit's excerpt holds the line that
declares it.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import random
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bench.economy.client import Client, build_index
from bench.economy.policy import SEARCH, list_hits

SEED = 54
SAMPLES = {"declared once": 200, "one word": 100, "Class.method": 100}  # of each half
MODES = ("bm25", "symbol")
_ONE_WORD = re.compile(r"[A-Z]?[a-z]{2,}")

Line = tuple[str, int]  # path, and number from 1
Declared = dict[str, list[Line]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The number of names whose declaration the first hit's excerpt shows, and the other names."""

    shown: int
    missed: tuple[str, ...]


def list_declared(root: Path) -> tuple[Declared, Declared]:
    """Return the lines that declare each name, and those that declare each method as `Class.method`."""
    names: Declared = {}
    methods: Declared = {}
    for file in sorted(root.rglob("*.py")):
        path = file.relative_to(root).as_posix()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(file.read_bytes())
        except (SyntaxError, ValueError):
            continue
        for outer, node in _iter_declarations(tree, ""):
            names.setdefault(node.name, []).append((path, node.lineno))
            if outer:
                methods.setdefault(f"{outer}.{node.name}", []).append((path, node.lineno))
    return names, methods


def _iter_declarations(
    node: ast.AST, outer: str
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]]:
    """Yield the declarations below a node, each with the name of the class that it is in."""
    for child in ast.iter_child_nodes(node):
        own = outer
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield outer, child
            own = child.name if isinstance(child, ast.ClassDef) else ""
        yield from _iter_declarations(child, own)


def choose_names(root: Path, *, kept_back: bool) -> Mapping[str, Declared]:
    """Return, for each kind of SAMPLES, names of one half and the lines that declare them."""
    names, methods = list_declared(root)
    kinds = {
        "declared once": {name: lines for name, lines in names.items() if len(lines) == 1},
        "one word": {name: lines for name, lines in names.items() if _ONE_WORD.fullmatch(name)},
        "Class.method": {name: lines for name, lines in methods.items() if len(lines) == 1},
    }
    chosen = {}
    for kind, declared in kinds.items():
        half = sorted(name for name in declared if is_kept_back(name) == kept_back)
        sample = random.Random(SEED).sample(half, min(len(half), SAMPLES[kind]))
        chosen[kind] = {name: declared[name] for name in sample}
    return chosen


def is_kept_back(name: str) -> bool:
    """Return whether a name belongs to the half that is not looked at while tuning."""
    return hashlib.blake2b(name.encode(), digest_size=1).digest()[0] % 2 == 1


def ask_names(client: Client, declared: Declared, mode: str) -> Outcome:
    """Return for how many names the first hit's excerpt holds a line that declares them."""
    missed = [name for name, lines in declared.items() if not _shows(client, name, mode, lines)]
    return Outcome(len(declared) - len(missed), tuple(missed))


def _shows(client: Client, name: str, mode: str, lines: Sequence[Line]) -> bool:
    answer = client.call(SEARCH, query=name, mode=mode)
    first = list_hits(answer)[:1]
    shown = {
        (hit["path"], int(row.partition("\t")[0]))
        for hit in first
        for row in str(hit["snippet"]).splitlines()
        if row.partition("\t")[0].isdecimal()
    }
    return not shown.isdisjoint(lines)


def build_parser(name: str, description: str | None) -> argparse.ArgumentParser:
    """Return a parser of the options that the benchmarks of names share."""
    parser = argparse.ArgumentParser(prog=name, description=description)
    parser.add_argument("--trees", type=Path, required=True, help="a directory with a folder for each tree")
    parser.add_argument("--only", help="folders to ask about, with commas")
    parser.add_argument("--kept-back", action="store_true", help="ask the other half of the names")
    parser.add_argument("--misses", action="store_true", help="print the names that were not shown")
    parser.add_argument("--code", type=Path, help="the checkout whose server is asked (default: this one)")
    return parser


def iter_served(given: argparse.Namespace) -> Iterator[tuple[Path, Client]]:
    """Yield each tree that the options name, with a client of a server that has indexed it."""
    wanted = given.only.split(",") if given.only else None
    code = {"code": given.code} if given.code else {}
    for root in sorted(path for path in given.trees.iterdir() if path.is_dir()):
        if wanted is not None and root.name not in wanted:
            continue
        with tempfile.TemporaryDirectory() as data:
            build_index(root, Path(data), **code)
            with closing(Client(root, Path(data), **code)) as client:
                client.settle(SEARCH, query="first")
                yield root, client


def main(arguments: list[str]) -> int:
    """Ask and print a line for each tree, kind of names and mode."""
    given = build_parser("bench.quality.definitions", __doc__).parse_args(arguments)
    for root, client in iter_served(given):
        for kind, declared in choose_names(root, kept_back=given.kept_back).items():
            for mode in MODES:
                outcome = ask_names(client, declared, mode)
                print(f"{root.name}: {kind}, {mode}: {outcome.shown} of {len(declared)}", flush=True)
                if given.misses and outcome.missed:
                    print("   ", *outcome.missed)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
