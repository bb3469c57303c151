"""Compare with swiftc: `python -m bench.graph.swift TREE ANSWERS.jsonl [--show exact]`.

ANSWERS is what `bench/graph/swift_oracle.py` printed for the tree. Where an object is made, the constructor
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

HEAD_LINES = 12  # of a declaration, until its name: attributes and modifiers


def is_right(program: MemoryProgram, one: Declaration, places: set[Place], kind: str) -> bool:
    """Return whether a declaration of ours is the compiler's: the compiler's line is in its head."""
    record = program.find_record(one.path)
    assert record is not None
    symbol = record.get_symbol(one.ordinal)
    symbols = [symbol]
    if symbol.kind in TYPE_KINDS:
        makers = [record.get_symbol(maker) for maker in record.list_children(one.ordinal)]
        symbols += [maker for maker in makers if maker.kind is SymbolKind.CONSTRUCTOR]
    return is_in_head(places, one.path, symbols, HEAD_LINES)


def main(arguments: list[str]) -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(prog="bench.graph.swift", description=__doc__)
    add_options(parser)
    given = parser.parse_args(arguments)
    texts = read_texts(given.tree, ".swift")
    program = MemoryProgram(texts, PARSERS)
    compare(program, texts, read_answers(given.answers), partial(is_right, program), given)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
