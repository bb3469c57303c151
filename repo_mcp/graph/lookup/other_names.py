"""The names under which files import or export symbols that are declared under another name.

    export { callProcedure as runProcedure } from './router'
    Shop.Page = class ShopPage {}

No file declares `runProcedure`, but those that import it mean `callProcedure`. `ShopPage` is the own name of
the class that is declared as `Shop.Page`.

Left out on purpose: names that some file declares, for which whoever asks looks first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.program import Declaration, Program, Resolution
from repo_mcp.symbols.model import OWN_NAME
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolRecord
from repo_mcp.text.roles import is_test_path

GLANCE = Bounds(files=60, references=20)  # references are those in one file
_ROLES = (ReferenceRole.IMPORT, ReferenceRole.EXPORT)


class OtherNames:
    """Finds what imported and exported names mean in one program. Used by one call at a time."""

    def __init__(self, program: Program, resolve: Callable[[str, SymbolRecord, int], Resolution]) -> None:
        """Take `resolve`, which returns the meaning of a reference: of a file, its record and a row."""
        self._program = program
        self._resolve = resolve

    def list_meant(self, name: str, bounds: Bounds = GLANCE, *, path: str = "") -> list[Declaration]:
        """Return the meanings of a name that files import, or one file, most frequent first."""
        counts: Counter[Declaration] = Counter()
        paths = [path] if path else sorted(self._program.list_using(name), key=is_test_path)[: bounds.files]
        for one in paths:
            record = self._program.find_record(one)
            if record is None:
                continue
            for row in [*_iter_rows(record, name, has_aliases=bool(path))][: bounds.references]:
                targets = self._resolve(one, record, row).targets
                counts.update({target.declaration: 1 for target in targets if target.declaration.ordinal})
        counts.update(self.list_own(name, bounds, path=path))
        return sorted(counts, key=lambda found: (-counts[found], found.path, found.ordinal))

    def list_own(self, name: str, bounds: Bounds = GLANCE, *, path: str = "") -> list[Declaration]:
        """Return the classes and functions that are values with this name, and declared under another one.

        A name that more files use than `bounds` has is no such name.
        """
        found: list[Declaration] = []
        paths = [path] if path else self._program.list_using(name)
        for one in paths if len(paths) <= bounds.files else ():
            record = self._program.find_record(one)
            rows = record.list_named_role(name, ReferenceRole.USE) if record is not None else ()
            for row in rows:
                assert record is not None
                if record.get_reference(row).alias == OWN_NAME:
                    found.append(Declaration(one, int(record.ref_symbols[row])))
        return found


def _iter_rows(record: SymbolRecord, name: str, *, has_aliases: bool) -> Iterator[int]:
    """Yield the rows that import or export a name, or with `has_aliases` give it to something else."""
    if not has_aliases:
        yield from record.list_named_role(name, *_ROLES)
        return
    for row in record.list_role(*_ROLES):
        alias = record.strings[record.ref_aliases[row]]
        if name in (alias, record.strings[record.ref_names[row]]):
            yield row
