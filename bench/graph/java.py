"""Compare with javac: `python -m bench.graph.java TREE ANSWERS.jsonl [--show exact]`.

ANSWERS is what `bench/graph/java_oracle.java` printed for the tree. Where an object is made, the constructor
and its type are both right.

`--show exact`, `probable` or `missed` prints a sample with its lines, to be read by eye.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial

from bench.graph.verdicts import Place, add_options, compare, is_in_head, read_answers, read_texts
from repo_mcp.graph.program import Declaration
from repo_mcp.languages.capture_parsers import PARSERS
from repo_mcp.symbols.symbol_record import TYPE_KINDS, SymbolKind
from tests.repo_mcp.graph.memory_program import MemoryProgram

_TYPES = frozenset({"CLASS", "ENUM", "INTERFACE", "RECORD", "ANNOTATION_TYPE"})
HEAD_LINES = 30  # of a declaration, until its name: annotations and modifiers


def is_right(program: MemoryProgram, one: Declaration, places: set[Place], kind: str) -> bool:
    """Return whether a declaration of ours is the compiler's: the compiler's line is in its head."""
    record = program.find_record(one.path)
    assert record is not None
    symbol = record.get_symbol(one.ordinal)
    if symbol.kind is SymbolKind.CONSTRUCTOR and kind in _TYPES:  # one that is not named: of an enum's value
        symbols = [record.get_symbol(symbol.parent)]
    elif symbol.kind in TYPE_KINDS:
        makers = [record.get_symbol(maker) for maker in record.find_symbols(symbol.name)]
        inner = [maker for maker in makers if maker.parent == one.ordinal]
        symbols = [symbol, *(maker for maker in inner if maker.kind is SymbolKind.CONSTRUCTOR)]
    else:
        symbols = [symbol]
    return is_in_head(places, one.path, symbols, HEAD_LINES)


def main(arguments: list[str]) -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(prog="bench.graph.java", description=__doc__)
    add_options(parser)
    given = parser.parse_args(arguments)
    texts = read_texts(given.tree, ".java")
    program = MemoryProgram(texts, PARSERS)
    compare(program, texts, read_answers(given.answers), partial(is_right, program), given)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
