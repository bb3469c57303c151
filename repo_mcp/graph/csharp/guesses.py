"""Members of C# that are found by their name alone, where the type of the value before the dot is not known.

PROBABLE: the only member of that name that accepts as many arguments. POSSIBLE: one of a few. More than
MAX_TARGETS give none, and neither do names that many types have.
"""

from __future__ import annotations

from repo_mcp.graph.csharp.accessible_members import GUESSED_KINDS, AccessibleMembers
from repo_mcp.graph.csharp.csharp_file import CSharpFile
from repo_mcp.graph.csharp.members import Members
from repo_mcp.graph.csharp.names import CSharpNames
from repo_mcp.graph.csharp.overloads import CSharpOverloads
from repo_mcp.graph.csharp.signatures import PLAIN, accepts, accepts_as_extension
from repo_mcp.graph.csharp.values import Value, find_binding
from repo_mcp.graph.program import NOTHING, Confidence, Declaration, Resolution, Target
from repo_mcp.languages.csharp.chains import strip_types
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    DeclaredSymbol,
    Reference,
    ReferenceRole,
    SymbolFlag,
    SymbolKind,
)

MAX_TARGETS = 12  # of one use
MAX_GUESSED_FILES = 60  # that declare a name; with more, nothing is guessed
# Names that so many types have that the name alone does not identify one.
_COMMON_TEXT = """
Add AddRange All Any Append AppendLine AsSpan Average Cast Clear Clone Close Compare
CompareTo Concat Contains ContainsKey Copy CopyTo Count Create Current Dispose DisposeAsync
Distinct EndsWith Enqueue Dequeue Equals Exists Find First FirstOrDefault Flush ForEach
Format Get GetAwaiter GetEnumerator GetHashCode GetType GetValue GroupBy HasValue IndexOf
Insert Invoke Item Items Join Key Keys Last Length Max Message Min MoveNext Name Open
OrderBy Parse Peek Pop Push Read ReadAsync ReadLine Remove RemoveAt Replace Reset Result
Reverse Run Select SelectMany SequenceEqual Set SetValue Single SingleOrDefault Skip Slice
Sort Split Start StartsWith Stop Substring Sum Take Task ToArray ToCharArray ToDictionary
ToList ToLower ToLowerInvariant ToString ToUpper ToUpperInvariant Trim TrimEnd TrimStart
TryAdd TryGetValue TryParse Type Union Value Values Wait Where Write WriteAsync WriteLine
Year Id Data IsNullOrEmpty ConfigureAwait ContinueWith Equal True False NotNull Null Same
Throws Empty Span Memory
"""
COMMON_MEMBERS = frozenset(_COMMON_TEXT.split())


class CSharpGuesses:
    """Finds members by name alone."""

    def __init__(self, names: CSharpNames, accessible: AccessibleMembers, overloads: CSharpOverloads) -> None:
        self._names = names
        self._accessible = accessible
        self._overloads = overloads

    def guess(self, file: CSharpFile, row: Reference) -> Resolution:
        """Return the members with that name that accept as many arguments; for a value, no static ones."""
        if row.name in COMMON_MEMBERS or len(row.name) < 3:
            return NOTHING
        paths = self._names.program.list_declaring(row.name)
        if len(paths) > MAX_GUESSED_FILES:
            return NOTHING
        found: Members = []
        is_value = _is_value(file, row)
        for path in paths:
            other = self._names.find_file(path)
            for ordinal in other.record.find_symbols(row.name) if other is not None else ():
                symbol = other.record.get_symbol(ordinal) if other is not None else None
                if symbol is None or symbol.kind not in GUESSED_KINDS or not _may_be_meant(symbol, row):
                    continue
                if not is_value or _may_be_of_value(symbol, row):
                    found.append((Declaration(path, ordinal), symbol))
        found = self._accessible.keep(file, row, found)
        if len({(one.path, symbol.parent) for one, symbol in found}) == 1 and row.role is ReferenceRole.CALL:
            is_extended = all(symbol.flags & SymbolFlag.EXTENSION_METHOD for _, symbol in found)
            found = self._overloads.narrow(file, row, found, Value() if is_extended else None) or found
        if not found or len(found) > MAX_TARGETS:
            return NOTHING
        sure = Confidence.PROBABLE if len(found) == 1 else Confidence.POSSIBLE
        return Resolution(tuple(Target(ordinal, sure) for ordinal, _ in found))


def _is_value(file: CSharpFile, row: Reference) -> bool:
    """Return whether the text before the dot is certainly no type or namespace."""
    chain = strip_types(row.qualifier)
    if "()" in chain or "[]" in chain or find_binding(file, row.symbol, chain.partition(".")[0], row.line):
        return True
    return chain.isidentifier() and chain[0].islower() and chain not in PLAIN and chain != "object"


def _may_be_meant(symbol: DeclaredSymbol, row: Reference) -> bool:
    if row.role is not ReferenceRole.CALL:
        return symbol.kind is not SymbolKind.METHOD or "(" not in row.qualifier
    return symbol.kind not in CALLABLE_KINDS or accepts(symbol, row)


def _may_be_of_value(symbol: DeclaredSymbol, row: Reference) -> bool:
    if symbol.flags & SymbolFlag.EXTENSION_METHOD and row.role is ReferenceRole.CALL:
        return accepts_as_extension(symbol, row)
    return not symbol.flags & SymbolFlag.STATIC
