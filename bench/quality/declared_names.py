"""Does a look-up show the declaration of a name, in every language and of every kind? Asked over stdio.

    python -m bench.quality.declared_names --trees DIR [--only NAMES] [--kept-back] [--misses] [--mode bm25]
        [--others] [--opened]

`DIR` has a folder for each tree. Names are those that the symbol parsers find declared once in a tree,
sampled for each kind and language by a fixed seed; with `--others`, those of languages without a parser, as
Universal Ctags lists them (`bench/quality/other_names.py`). Half of them, chosen by a hash of the name, are
kept back and asked only with `--kept-back`. A name counts as shown when the first hit is in its file and
shows it in the first lines of its declaration; with `--opened`, when `repo.open_file` shows that line for the
name.
"""

from __future__ import annotations

import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from bench.economy.client import Client
from bench.economy.policy import OPEN, SEARCH, list_hits
from bench.quality.definitions import MODES, build_parser, is_kept_back, iter_served
from bench.quality.other_names import Declared, iter_other_names
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.languages.symbol_parsers import find_parser_task, run_parser_task
from repo_mcp.symbols.symbol_record import decode_symbol_record

SEED = 149
SAMPLE = 25  # names of a kind, a language and a tree
HEAD_LINES = 12  # of a declaration, in which its name is
LEAST_CHARS = 4


def list_declared_once(root: Path, *, others: bool = False) -> list[Declared]:
    """Return the names that one line of a tree declares, in order."""
    wanted = [*(iter_other_names(root) if others else _iter_parsed(root))]
    found: dict[str, set[tuple[str, int]]] = defaultdict(set)
    for one in chain(wanted, _iter_parsed(root) if others else ()):
        found[one.name].add((one.path, one.line))
    alone = {one.name: one for one in wanted if len(one.name) >= LEAST_CHARS and len(found[one.name]) == 1}
    return [one for _, one in sorted(alone.items())]


def _iter_parsed(root: Path) -> Iterator[Declared]:
    for file in sorted(root.rglob("*")):
        path = file.relative_to(root).as_posix()
        if file.is_file() and not path.startswith(".git/"):
            yield from _iter_symbols(path, file.read_bytes())


def _iter_symbols(path: str, data: bytes) -> Iterator[Declared]:
    language = find_language(path).name
    task = find_parser_task(path, language)
    if task is None:
        return
    record = decode_symbol_record(run_parser_task(task, path.encode() + b"\n" + data))
    for ordinal in range(1, record.symbol_count):
        symbol = record.get_symbol(ordinal)
        if symbol.name.isidentifier():
            yield Declared(symbol.name, path, symbol.start_line, symbol.kind.name.lower(), language)


def choose(names: Sequence[Declared], *, kept_back: bool) -> list[Declared]:
    """Return a sample of one half of the names."""
    groups: dict[tuple[str, str], list[Declared]] = defaultdict(list)
    for one in names:
        if is_kept_back(one.name) == kept_back:
            groups[one.language, one.kind].append(one)
    draw = random.Random(SEED)
    return [one for _, own in sorted(groups.items()) for one in draw.sample(own, min(len(own), SAMPLE))]


def is_shown(client: Client, wanted: Declared, mode: str) -> bool:
    """Return whether the first hit for a name shows its declaration."""
    hits = list_hits(client.call(SEARCH, query=wanted.name, mode=mode))
    if not hits or hits[0]["path"] != wanted.path:
        return False
    rows = (row.partition("\t") for row in str(hits[0]["snippet"]).splitlines())
    head = range(wanted.line, wanted.line + HEAD_LINES)
    return any(number.isdecimal() and int(number) in head and wanted.name in text for number, _, text in rows)


def is_opened(client: Client, wanted: Declared) -> bool:
    """Return whether opening a name in its file shows the line that declares it."""
    answer = client.call(OPEN, path=wanted.path, symbol=wanted.name)
    opened = answer.record.get("result") or {}
    return bool(opened) and opened["start_line"] <= wanted.line <= opened["end_line"]


def main(arguments: list[str]) -> int:
    """Ask, and print for each language and kind how many names were shown."""
    parser = build_parser("bench.quality.declared_names", __doc__)
    parser.add_argument("--mode", default="symbol", choices=MODES)
    parser.add_argument("--others", action="store_true", help="languages without a symbol parser")
    parser.add_argument("--opened", action="store_true", help="open the names in their files instead")
    given = parser.parse_args(arguments)
    asked, shown = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for root, client in iter_served(given):
        for one in choose(list_declared_once(root, others=given.others), kept_back=given.kept_back):
            key = one.language, one.kind
            asked[key] += 1
            is_there = is_opened(client, one) if given.opened else is_shown(client, one, given.mode)
            shown[key] += is_there
            if given.misses and not is_there:
                print("missed:", *one)
    for (language, kind), count in sorted(asked.items()):
        print(f"| {language} | {kind} | {shown[language, kind]} of {count} |")
    print(f"| all | | {shown.total()} of {asked.total()} |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
