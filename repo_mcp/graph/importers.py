"""The files that import a module, found by how the names of modules end.

What a script file exports as default has no name outside it: each importer chooses one. So its users are
looked for in the files that import that file, or one that gives the default on, never by the word `default`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from repo_mcp.graph.nodes import NamedProgram
from repo_mcp.graph.program import order_by_nearness
from repo_mcp.graph.typescript.modules import ModuleFinder, may_lead_to
from repo_mcp.graph.typescript.names import WHOLE
from repo_mcp.symbols.symbol_record import (
    DeclaredSymbol,
    ReferenceRole,
    SymbolFlag,
    SymbolKind,
    SymbolRecord,
    get_role,
    list_aliases,
)

DEFAULT = "default"
GIVEN_ON = frozenset({DEFAULT, WHOLE})  # aliases under which a file exports what has no name outside it
MAX_GIVING = 8  # other files that give a default on
INDEX, _FOLDER = "index", "."  # imported as `.` or `..` in its folder and below it
_STANDING_FOR_FOLDERS = frozenset({"__init__", INDEX, "mod", "lib", "main", "doc"})
_UNNAMED = frozenset({"", DEFAULT})  # names by which a file imports all that a module of JavaScript gives
_IMPORTS = frozenset({ReferenceRole.IMPORT, ReferenceRole.EXPORT})


def list_file_names(path: str) -> list[str]:
    """Return the last parts that the name of a module may have if it means this file."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return [stem, folder.rpartition("/")[2]] if stem in _STANDING_FOR_FOLDERS else [stem]


def iter_importing(record: SymbolRecord, name: str) -> Iterator[int]:
    """Yield the imports and exports of a name, or from a module whose name ends with it."""
    strings = record.strings
    ending = re.compile(rf"(?:.*\W)?{re.escape(name)}(?:\.\w+){{0,2}}/?")
    for row in record.list_role(*_IMPORTS):
        module = strings[record.ref_qualifiers[row]]
        if strings[record.ref_names[row]] == name or ending.fullmatch(module):
            yield row


def list_unnamed(record: SymbolRecord, module: str) -> list[int]:
    """Return the rows that import the default or the whole of a module whose name ends so, or give it on."""
    rows = iter_importing(record, module)
    return [row for row in rows if record.strings[record.ref_names[row]] in _UNNAMED]


def is_whole(record: SymbolRecord, ordinal: int) -> bool:
    """Return whether a symbol is the whole of its module in JavaScript: `module.exports = class Store {}`."""
    symbol = _get_named(record, ordinal)
    rows = () if symbol.parent else record.list_named_role(symbol.name, ReferenceRole.EXPORT)
    return any(record.get_reference(row).alias == WHOLE for row in rows)


def is_named_by_importers(record: SymbolRecord, ordinal: int) -> bool:
    """Return whether a symbol is the whole or the default export of its module, which importers name."""
    is_default = bool(_get_named(record, ordinal).flags & SymbolFlag.DEFAULT_EXPORT)
    return is_default or is_whole(record, ordinal)


def _get_named(record: SymbolRecord, ordinal: int) -> DeclaredSymbol:
    """Return a symbol; for a constructor its class."""
    symbol = record.get_symbol(ordinal)
    return record.get_symbol(symbol.parent) if symbol.kind is SymbolKind.CONSTRUCTOR else symbol


class Importers:
    """Finds the importers of script files in one program. Used by one call at a time."""

    def __init__(self, program: NamedProgram) -> None:
        self._program = program
        self._modules = ModuleFinder(program)

    def list_names(self, path: str) -> list[str]:
        """Return the last parts of the names under which files import a script file."""
        names = list_file_names(path)
        own = self._modules.find_own_name(path).rpartition("/")[2]
        names += [own] if own and own not in names else []
        return names + ([_FOLDER] if names[0] == INDEX else [])

    def list_paths(self, name: str, path: str) -> Sequence[str]:
        """Return the files that import from a module whose name ends so, and may mean the script file."""
        return order_by_nearness(self._program.list_importing(name, partial(may_lead_to, path)), path)

    def iter_local_names(self, path: str) -> Iterator[tuple[str, SymbolRecord, set[str]]]:
        """Yield the files that may import the default of a file, each with its names for that.

        A file that gives the default on is followed.
        """
        giving = [path]
        for given in giving:
            for name in self.list_names(given):
                for other in self.list_paths(name, given):
                    record = self._program.find_record(other)
                    if record is None:
                        continue
                    aliases = list_aliases(record, list_unnamed(record, name))
                    yield other, record, aliases - GIVEN_ON
                    if len(giving) <= MAX_GIVING and other not in giving and _gives_on(record, aliases):
                        giving.append(other)


def _gives_on(record: SymbolRecord, names: set[str]) -> bool:
    """Return whether a file exports as its default what it imports under some names."""
    if not names.isdisjoint(GIVEN_ON):
        return True
    rows = [row for name in names for row in record.list_named_role(name, ReferenceRole.EXPORT)]
    return not list_aliases(record, rows).isdisjoint(GIVEN_ON)


def iter_named_default(record: SymbolRecord) -> Iterator[int]:
    """Yield the rows that use a member called `default`, as of `import * as page from "./page"`."""
    return (row for row in record.find_references(DEFAULT) if get_role(record, row) not in _IMPORTS)
