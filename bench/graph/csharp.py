"""Compare with Roslyn: `python -m bench.graph.csharp TREE ANSWERS.jsonl [--show exact]`.

ANSWERS is what `bench/graph/csharp_oracle.cs` printed for the tree. Where an object is made, the constructor
and its type are both right.

`--show exact`, `probable` or `missed` prints a sample with its lines, to be read by eye.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial

from bench.graph.verdicts import Answers, Place, add_options, compare, is_in_head, read_answers, read_texts
from repo_mcp.graph.csharp.resolver import CSharpResolver
from repo_mcp.graph.program import Declaration
from repo_mcp.languages.csharp.symbol_parser import parse_csharp
from tests.repo_mcp.graph.memory_program import MemoryProgram

ATTRIBUTE = "Attribute"  # the kind of a name in an attribute, and the end of its class's name
HEAD_LINES = 40  # of a declaration, until its name: attributes and modifiers


def is_right(program: MemoryProgram, one: Declaration, places: set[Place], kind: str) -> bool:
    """Return whether a declaration of ours is the compiler's: the compiler's line is in its head."""
    record = program.find_record(one.path)
    assert record is not None
    return is_in_head(places, one.path, [record.get_symbol(one.ordinal)], HEAD_LINES)


def _name_attributes(answers: Answers) -> None:
    """Name an attribute after its class: `[Flags]` is a use of FlagsAttribute."""
    for use in [one for one, kind in answers.kinds.items() if kind == ATTRIBUTE]:
        path, line, name = use
        if not name.endswith(ATTRIBUTE):
            named = path, line, name + ATTRIBUTE
            answers.kinds[named] = answers.kinds.pop(use)
            answers.places[named] |= answers.places.pop(use)


def main(arguments: list[str]) -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(prog="bench.graph.csharp", description=__doc__)
    add_options(parser)
    given = parser.parse_args(arguments)
    texts = read_texts(given.tree, ".cs")
    projects = read_texts(given.tree, ".csproj")  # these tell which types a file sees
    program = MemoryProgram({**texts, **projects}, {"csharp": parse_csharp})
    answers = read_answers(given.answers)
    _name_attributes(answers)
    compare(program, texts, answers, partial(is_right, program), given, CSharpResolver)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
