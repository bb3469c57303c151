"""Resolves names in languages of installed adapters, of which nothing but the names is known.

A name means the declarations of that name in its own file; else those in other files of its language. As no
scope and no import is known, nothing is EXACT: PROBABLE where there is one such declaration, POSSIBLE where
there are several, nothing where there are more than MAX_POSSIBLE.
"""

from __future__ import annotations

from repo_mcp.graph.program.program import NOTHING, Confidence, Declaration, Program, Resolution, Target
from repo_mcp.symbols.symbol_record import Reference, SymbolRecord

MAX_POSSIBLE = 8
MAX_DECLARING = 40  # files that declare a name; with more, nothing is guessed


class ByNameResolver:
    """Resolves references by their names alone. Used by one call at a time."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def resolve(self, path: str, record: SymbolRecord, reference: Reference) -> Resolution:
        """Return the meaning of a reference in a file. Never raises because of a record's contents."""
        found = _list_named(path, record, reference.name) or self._list_elsewhere(path, reference.name)
        if not 0 < len(found) <= MAX_POSSIBLE:
            return NOTHING
        confidence = Confidence.PROBABLE if len(found) == 1 else Confidence.POSSIBLE
        return Resolution(tuple(Target(one, confidence) for one in found))

    def _list_elsewhere(self, path: str, name: str) -> list[Declaration]:
        language, paths = self._program.find_language(path), self._program.list_declaring(name)
        found: list[Declaration] = []
        for other in paths if len(paths) <= MAX_DECLARING else ():
            record = self._program.find_record(other)
            if record is not None and self._program.find_language(other) == language:
                found += _list_named(other, record, name)
        return found


def _list_named(path: str, record: SymbolRecord, name: str) -> list[Declaration]:
    return [Declaration(path, ordinal) for ordinal in record.find_symbols(name) if ordinal]
