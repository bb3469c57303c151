"""The files that a `using` of a namespace leads to in C#: those whose types and extensions its file uses.

A namespace has no file: any number of files declare parts of it, and a repository may add a type to one of a
library. So a part counts as surely as the uses that lead to its file. A `using` that nothing in its file is
known to need may still be one of the repository's namespace, whose parts are then possible; but that of a
namespace of the platform is external, unless the file itself is in one.

Left out on purpose: names of types that come from a base, and namespaces declared inside others.
"""

from __future__ import annotations

from collections.abc import Callable

from repo_mcp.graph.csharp.csharp_file import NAMED_KINDS, CSharpFile
from repo_mcp.graph.csharp.guesses import MAX_TARGETS
from repo_mcp.graph.csharp.names import CSharpNames
from repo_mcp.graph.program import SURENESS, Confidence, Declaration, Resolution, Target
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.symbol_record import Reference, ReferenceRole, SymbolFlag, SymbolKind, SymbolRecord

MAX_PARTS = 2_000  # of one namespace that are read
MAX_USED = 60  # parts of a namespace that one file is found to use
MAX_ROWS = 4  # uses of one name that are resolved until one leads to a part
MAX_TRIED = 400  # uses that are resolved for one using
_ATTRIBUTE = "Attribute"  # may be left out where an attribute is used
_PLATFORM = frozenset({"Microsoft", "System", "Windows"})
_NO_USES = frozenset({ReferenceRole.IMPORT, ReferenceRole.EXPORT, ReferenceRole.BIND})


@dataclass(frozen=True, slots=True)
class _Part:
    """A declaration of a namespace in one file."""

    declaration: Declaration
    names: frozenset[str]  # of its types and their extension methods


class CSharpNamespaces:
    """Resolves the usings of namespaces in one program, and caches the parts of namespaces."""

    def __init__(self, names: CSharpNames, resolve: Callable[[CSharpFile, Reference], Resolution]) -> None:
        self._names = names
        self._resolve = resolve
        self._parts: dict[str, list[_Part]] = {}
        self._last: SymbolRecord | None = None  # the file that was asked about last, and its rows
        self._rows: dict[str, list[int]] = {}
        self._resolved: dict[int, Resolution] = {}

    def resolve_using(self, file: CSharpFile, ordinal: int, dotted: str) -> Resolution:
        """Return the parts of a namespace that is named in a namespace of a file, by what the file uses."""
        parts: list[_Part] = []
        for full in list_meant(file, ordinal, dotted):
            parts = self._list_parts(full)
            if parts:
                break
        used = self._find_used(file, parts)
        if used:
            return Resolution(tuple(used))
        own = file.list_namespaces(ordinal)[0].partition(".")[0]
        if not parts or dotted.partition(".")[0] in _PLATFORM - {own}:
            return Resolution(external=dotted)
        return Resolution(tuple(Target(one.declaration, Confidence.POSSIBLE) for one in parts[:MAX_TARGETS]))

    def _list_parts(self, full: str) -> list[_Part]:
        if full not in self._parts:
            self._parts[full] = [
                _Part(Declaration(path, ordinal), _list_names(file, ordinal))
                for path in self._names.program.list_declaring(full)[:MAX_PARTS]
                if (file := self._names.find_file(path)) is not None
                for ordinal in file.record.find_symbols(full)
                if file.record.get_kind(ordinal) is SymbolKind.MODULE
            ]
        return self._parts[full]

    def _find_used(self, file: CSharpFile, parts: list[_Part]) -> list[Target]:
        """Return the parts of a namespace that a file uses, as surely as their surest use."""
        rows, resolved = self._list_rows(file)
        found, tried = [], 0
        for part in parts:
            best: Confidence | None = None
            for row in (row for name in sorted(part.names & rows.keys()) for row in rows[name][:MAX_ROWS]):
                if best is Confidence.EXACT or tried == MAX_TRIED:
                    break
                if row not in resolved:
                    tried += 1
                    resolved[row] = self._resolve(file, file.record.get_reference(row))
                meant = resolved[row]
                sure = [
                    one.confidence for one in meant.targets if one.declaration.path == part.declaration.path
                ]
                best = min([*sure, *([] if best is None else [best])], key=SURENESS.__getitem__, default=None)
            if best is not None:
                found.append(Target(part.declaration, best))
        return sorted(found, key=lambda one: SURENESS[one.confidence])[:MAX_USED]

    def _list_rows(self, file: CSharpFile) -> tuple[dict[str, list[int]], dict[int, Resolution]]:
        """Return the rows in which a file uses each name, ascending, and the meanings of some rows."""
        if self._last is not file.record:
            record, rows = file.record, dict[str, list[int]]()
            for row, (name, role) in enumerate(zip(record.ref_names, record.ref_roles, strict=True)):
                if ReferenceRole(int(role)) not in _NO_USES:
                    rows.setdefault(record.strings[name], []).append(row)
            self._last, self._rows, self._resolved = record, rows, {}
        return self._rows, self._resolved


def list_meant(file: CSharpFile, ordinal: int, dotted: str) -> list[str]:
    """Return the full names that a dotted name may stand for inside a symbol, nearest first."""
    return [f"{outer}.{dotted}" if outer else dotted for outer in file.list_namespaces(ordinal)]


def _list_names(file: CSharpFile, ordinal: int) -> frozenset[str]:
    """Return the names of the types right inside a namespace, and of their extension methods."""
    record, found = file.record, set()
    for child in record.list_children(ordinal):
        if record.get_kind(child) in NAMED_KINDS:
            name = record.get_name(child)
            found |= {name, name.removesuffix(_ATTRIBUTE)}
            found.update(
                record.get_name(one)
                for one in record.list_children(child)
                if int(record.flags[one]) & SymbolFlag.EXTENSION_METHOD
            )
    return frozenset(found)
