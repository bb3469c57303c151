"""Compare with libclang: `python -m bench.graph.c TREE ANSWERS.jsonl [--show exact]`.

ANSWERS is what `bench/graph/c_oracle.py` printed for the tree, of C or of C++. An edge of ours is also right
if it leads to another declaration of the same symbol, or to the prototype of that definition. Not judged is
what the compiler leaves out, and names that depend on a template's arguments.

`--show exact`, `probable` or `missed` prints a sample with its lines, to be read by eye.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from bench.graph.verdicts import OUTSIDE, Answers, Place, add_options, compare
from repo_mcp.graph.program import Declaration
from repo_mcp.languages.capture_parsers import PARSERS
from repo_mcp.symbols.symbol_record import TYPE_KINDS, SymbolKind
from tests.repo_mcp.graph.memory_program import MemoryProgram

SUFFIXES = frozenset({".c", ".h", ".cc", ".cpp", ".hpp"})
_TYPES = frozenset({"TYPEDEF_DECL", "STRUCT_DECL", "ENUM_DECL", "UNION_DECL"})
_CPP_TYPES = frozenset({"CLASS_DECL", "CLASS_TEMPLATE", "STRUCT_DECL", "ENUM_DECL"})
_ANNOUNCES = re.compile(
    rb"\s*(?:friend\s+)?(?:template\s*<.*>\s*)?(?:class|struct|enum class|union)\s[\s\w]*;"
)


def read_answers(file: Path, texts: Mapping[str, bytes]) -> Answers:
    """Return the answers for names that their lines contain literally; others were made by a macro."""
    answers, lines = Answers(), {path: text.split(b"\n") for path, text in texts.items()}
    with file.open(encoding="utf-8") as rows:
        for row in rows:
            path, line, name, declared, defined, kind = json.loads(row)
            text = lines.get(path, [])[line - 1 : line]
            if kind == "STRUCT_DECL" and text and b"typedef" in text[0]:
                continue  # `typedef struct s s;`
            if text and re.search(rb"\b%s\b" % re.escape(name.encode()), text[0]):
                answers.places[path, line, name] |= {tuple(declared), tuple(defined)}
                answers.kinds[path, line, name] = kind
    return answers


def is_right(
    program: MemoryProgram, texts: Mapping[str, bytes], target: Declaration, places: set[Place], kind: str
) -> bool:
    """Return whether the compiler leads a use to this target of ours, declared at `places` as a `kind`."""
    path = target.path
    record = program.find_record(path)
    assert record is not None
    symbol = record.get_symbol(target.ordinal)
    parent = record.get_symbol(symbol.parent)
    if symbol.kind is SymbolKind.CONSTRUCTOR and kind in _CPP_TYPES:  # which one it does not say there
        return True
    if any(found == path and symbol.start_line - 1 <= line <= symbol.end_line for found, line in places):
        return True
    is_ours = any(one != OUTSIDE for one, _ in places)
    if kind in _CPP_TYPES and symbol.kind in TYPE_KINDS and _is_announced(texts, places):
        return True
    is_c = path.endswith((".c", ".h"))
    if is_c and symbol.kind in {SymbolKind.FUNCTION, SymbolKind.VARIABLE}:  # declared here, defined there
        return is_ours and kind in {"FUNCTION_DECL", "VAR_DECL"}
    if symbol.kind in TYPE_KINDS and kind in _TYPES:  # a `typedef` and its struct
        return symbol.kind is not SymbolKind.TYPE or any(one == path for one, _ in places)
    if parent.kind is not SymbolKind.MACRO:
        return False
    if kind == "ENUM_CONSTANT_DECL":  # to the compiler it is where the enum uses the list
        return all(parent.name.encode() in _read_line(texts, place) for place in places)
    return kind == "FIELD_DECL"  # to the compiler it lies in the struct


def _read_line(texts: Mapping[str, bytes], place: Place) -> bytes:
    path, line = place
    return texts[path].split(b"\n")[line - 1] if path in texts else b""


def _is_announced(texts: Mapping[str, bytes], places: set[Place]) -> bool:
    """Return whether the compiler saw nothing of a type but its name."""
    return all(
        path in texts and _ANNOUNCES.match(texts[path].split(b"\n")[line - 1]) is not None
        for path, line in places
    )


def main(arguments: list[str]) -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(prog="bench.graph.c", description=__doc__)
    add_options(parser)
    given = parser.parse_args(arguments)
    files = [one for one in sorted(given.tree.rglob("*")) if one.suffix in SUFFIXES and one.is_file()]
    texts = {file.relative_to(given.tree).as_posix(): file.read_bytes() for file in files}
    program = MemoryProgram(texts, PARSERS)

    def check(one: Declaration, places: set[Place], kind: str) -> bool:
        return is_right(program, texts, one, places, kind)

    compare(program, texts, read_answers(given.answers, texts), check, given)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
