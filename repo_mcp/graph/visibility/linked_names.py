"""Functions of Go of which one stands for another, in a package that need not import its own.

    //go:linkname sync_acquire sync.acquire
    func sync_acquire(n int) { ... }          in package runtime: the body of
    func acquire(n int)                       in package sync, a stub

Either file may have such a line. Left out on purpose: stubs that assembly defines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from repo_mcp.graph.program import Declaration, Program, Resolution
from repo_mcp.symbols.model import LINKED, LINKED_STUB
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolKind, SymbolRecord

_NEEDED = "unsafe"  # files with such a line import it, or the compiler refuses them
_AROUND = frozenset({SymbolKind.FILE, SymbolKind.MODULE})


class LinkedNames:
    """The linked functions of one program."""

    def __init__(self, program: Program, resolve: Callable[[str, SymbolRecord, int], Resolution]) -> None:
        self._program = program
        self._resolve = resolve

    def list_bodies(self, stub: Declaration) -> list[Declaration]:
        """Return the functions that a stub stands for."""
        return list(dict.fromkeys(other for other, is_stub in self._iter_linked(stub) if not is_stub))

    def list_stubs(self, body: Declaration) -> list[Declaration]:
        """Return the stubs that stand for a function."""
        return list(dict.fromkeys(other for other, is_stub in self._iter_linked(body) if is_stub))

    def _iter_linked(self, one: Declaration) -> Iterator[tuple[Declaration, bool]]:
        """Yield what a function is linked with, and whether that is the stub."""
        record = self._program.find_record(one.path)
        if record is None or self._program.find_language(one.path) != "go":
            return
        if record.get_kind(one.ordinal) is not SymbolKind.FUNCTION:
            return
        name = record.get_name(one.ordinal)
        for row in _list_links(record):
            link = record.get_reference(row)
            if link.alias == name:
                for target in self._resolve(one.path, record, row).targets:
                    yield target.declaration, link.arguments == LINKED
        for path in list_linking(self._program, name):
            yield from self._iter_local(path, name, one)

    def _iter_local(self, path: str, name: str, one: Declaration) -> Iterator[tuple[Declaration, bool]]:
        """Yield the functions of a file that its lines link with one of this name elsewhere."""
        record = self._program.find_record(path)
        for row in _list_links(record) if record is not None else ():
            assert record is not None
            link = record.get_reference(row)
            if link.name == name and one in [
                each.declaration for each in self._resolve(path, record, row).targets
            ]:
                for ordinal in record.find_symbols(link.alias):
                    if record.get_kind(record.get_parent(ordinal)) in _AROUND:
                        yield Declaration(path, ordinal), link.arguments == LINKED_STUB


def list_linking(program: Program, name: str) -> list[str]:
    """Return the files that link a symbol of theirs with one of this name."""
    needing = {*program.list_including(_NEEDED)}
    found = [path for path in program.list_using(name) if path in needing] if needing else []
    records = ((path, program.find_record(path)) for path in found)
    return [path for path, record in records if record is not None and _names(record, name)]


def _names(record: SymbolRecord, name: str) -> bool:
    return any(record.get_reference(row).name == name for row in _list_links(record))


def _list_links(record: SymbolRecord) -> list[int]:
    """Return the rows of the lines that link symbols."""
    is_use = record.ref_roles == int(ReferenceRole.USE)
    found: list[int] = np.flatnonzero(is_use & (record.ref_arguments >= LINKED)).tolist()
    return found
