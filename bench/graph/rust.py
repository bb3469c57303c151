"""Compare with rustc: `python -m bench.graph.rust TREE ANSWERS.json [--show exact]`.

ANSWERS is what `rustc -Zsave-analysis` wrote of the crate whose folder is the tree, or the folder of
rustdoc's source pages (`bench/graph/rust_links.py`). Names of items, fields, variants and members of traits
are judged. Left out are local variables, type parameters, modules, `Self`, names in `use`, names given by
`as`, and what a macro makes.

`--show exact`, `probable` or `missed` prints a sample with its lines, to be read by eye.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.graph.rust_links import read_links
from bench.graph.verdicts import OUTSIDE, Answers, Place, add_options, compare
from repo_mcp.graph.program import Declaration
from repo_mcp.languages.capture_parsers import PARSERS
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolKind, list_references
from tests.repo_mcp.graph.memory_program import MemoryProgram

_LEFT_OUT = frozenset({"Local", "Mod"})
_OWN_CRATE = 0
_USE = re.compile(rb"\s*(?:pub(?:\([^)]*\))?\s+)?use\s")


def read_answers(file: Path, texts: Mapping[str, bytes]) -> Answers:
    """Return the compiler's answers for a crate."""
    answers, lines = Answers(), {path: text.split(b"\n") for path, text in texts.items()}
    analysis = json.loads(file.read_bytes())
    definitions = {one["id"]["index"]: one for one in analysis["defs"]}
    for one in analysis["defs"]:
        place = _say_place(one["decl_id"], definitions) if one["decl_id"] is not None else None
        if place is not None:
            answers.implementing[place].add(_say_line(one))
    for one in analysis["refs"]:
        span, meant = one["span"], one["ref_id"]
        text = lines.get(span["file_name"], ())
        if any(_USE.match(one) for one in text[span["line_start"] - 1 : span["line_start"]]):
            continue
        name = _read_span(text, span)
        place = _say_place(meant, definitions)
        use = span["file_name"], span["line_start"], name
        # A field is also said where it is declared.
        if name in {"", "Self"} or place is None or place == use[:2]:
            continue
        definition = definitions[meant["index"]] if place[0] != OUTSIDE else None
        if definition is None:
            answers.kinds.setdefault(use, "outside")
        elif definition["name"] != name or definition["kind"] in _LEFT_OUT or _is_parameter(definition):
            continue
        else:
            answers.kinds[use] = definition["kind"]
        answers.places[use].add(place)
    return answers


def _say_place(meant: Mapping[str, int], definitions: Mapping[int, Mapping[str, Any]]) -> Place | None:
    """Return where something is declared; outside of the tree, its number in place of a line."""
    if meant["krate"] != _OWN_CRATE:
        return OUTSIDE, meant["krate"] << 32 | meant["index"]
    return _say_line(definitions[meant["index"]]) if meant["index"] in definitions else None


def _say_line(definition: Mapping[str, Any]) -> Place:
    return definition["span"]["file_name"], definition["span"]["line_start"]


def _is_parameter(definition: Mapping[str, Any]) -> bool:
    """Return whether a definition is a type parameter."""
    return "$HirId" in definition["qualname"]


def _read_span(lines: Sequence[bytes], span: Mapping[str, Any]) -> str:
    """Return the name in a span of one line, whose columns are characters from 1; else nothing."""
    if span["line_start"] != span["line_end"] or span["line_start"] > len(lines):
        return ""
    text = lines[span["line_start"] - 1].decode("utf-8", "replace")
    name = text[span["column_start"] - 1 : span["column_end"] - 1].removeprefix("r#")
    return name if name.isidentifier() else ""


def _add_implementing(program: MemoryProgram, answers: Answers) -> None:
    """Add the members of `impl Trait` blocks to those of the traits with that name, by our records."""
    promised: dict[tuple[str, str], list[Place]] = {}
    kept: dict[tuple[str, str], list[Place]] = {}
    for path in {path for path, _, _ in answers.places}:
        record = program.find_record(path)
        if record is None:
            continue
        traits = {one.symbol: one.name for one in list_references(record, ReferenceRole.IMPLEMENT)}
        for ordinal in range(1, record.symbol_count):
            symbol = record.get_symbol(ordinal)
            around = record.get_symbol(symbol.parent)
            key = traits.get(symbol.parent, around.name), symbol.name
            if around.kind is SymbolKind.TRAIT:
                lines = range(symbol.start_line, symbol.end_line + 1)
                promised.setdefault(key, []).extend((path, one) for one in lines)
            elif symbol.parent in traits:
                kept.setdefault(key, []).append((path, symbol.start_line))
    for key, places in promised.items():
        for one in places:
            answers.implementing[one].update(kept.get(key, ()))


def main(arguments: list[str]) -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(prog="bench.graph.rust", description=__doc__)
    add_options(parser)
    given = parser.parse_args(arguments)
    files = [*given.tree.rglob("*.rs"), *given.tree.rglob("Cargo.toml")]
    texts = {file.relative_to(given.tree).as_posix(): file.read_bytes() for file in sorted(files)}
    program = MemoryProgram(texts, PARSERS)

    def is_right(one: Declaration, places: set[Place], _kind: str) -> bool:
        record = program.find_record(one.path)
        assert record is not None
        symbol = record.get_symbol(one.ordinal)
        return any(path == one.path and symbol.start_line <= line <= symbol.end_line for path, line in places)

    if given.answers.is_dir():
        answers = read_links(given.answers, texts)
        _add_implementing(program, answers)
    else:
        answers = read_answers(given.answers, texts)
    compare(program, texts, answers, is_right, given)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
