"""Signatures of methods in Go, as texts that are equal if the methods have the same types.

`(a, b int, each func(n int) error) bool` is "(int,int,func(int)error) (bool)". A type that its package
declares has the folder of the package before its name; an imported one has that of its own package, or the
import path if that leads outside. So has a name that nothing here declares if the file imports an external
package by `import . "path"`. An alias is written as the type for which it stands. Any other name is taken for
a type parameter, the first one of a signature for "$0". So signatures that differ only in the names of type
parameters are equal; if one has a type parameter where the other has a type, they may be the same.
"""

from __future__ import annotations

import re

from repo_mcp.graph.go.lookup import MAX_ALIASES, GoLookup
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.rules import OUTSIDE, Path
from repo_mcp.languages.treesitter.written_lists import split_list
from repo_mcp.symbols.symbol_record import DeclaredSymbol, ReferenceRole

CUT = "…"  # at the end of a text that is too long for a record
_NAMED_PARAMETER = re.compile(r"(?!(?:chan|func|map|struct|interface)\b)(\w+)\s+(.+)")
_FUNCTION = re.compile(r"\bfunc\(")
_NAME = re.compile(r"(?<![\w.])(?:(\w+)\.)?([A-Za-z_]\w*)")
_SAME_TYPES = {"interface{}": "any", "byte": "uint8", "rune": "int32"}
_SPELLED = re.compile(r"interface\s*\{\s*\}|\bbyte\b|\brune\b")
_SPACES = re.compile(r"(?<!\w)\s+|\s+(?![\s\w*.~(\[])")
_PARAMETER = "$"  # a type parameter in a signature, with its number
OPEN = "…"  # any type: a generic alias, whose parameters records do not tell, or one of a text that was cut
_UNSURE = re.compile(rf"\\\{_PARAMETER}\d+|{OPEN}")  # in an escaped text
_BUILTINS_TEXT = """
any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune
string uint uint8 uint16 uint32 uint64 uintptr map chan func struct interface
"""
_BUILTINS = frozenset(_BUILTINS_TEXT.split())

Signature = str | None  # None: of an external method, or cut in the record


class GoSignatures:
    """Writes the signatures of methods in the files of one program."""

    def __init__(self, lookup: GoLookup) -> None:
        self._lookup = lookup
        self._declared: dict[Path, Declaration | None] = {}

    def write(self, path: str, symbol: DeclaredSymbol) -> Signature:
        """Return the types of parameters and results, each with its package; None if a text was cut."""
        if symbol.parameters.endswith(CUT) or symbol.return_type.endswith(CUT):
            return None
        result = symbol.return_type
        listed = result if result.startswith("(") else f"({result})"
        scope = self._lookup.find_scope(path)
        assert scope is not None
        text = f"{_drop_names(symbol.parameters)} {_drop_names(listed)}"
        return self._qualify(scope, text, {}, MAX_ALIASES)

    def _qualify(self, scope: FileScope, text: str, parameters: dict[str, str], steps: int) -> str:
        """Return a text with the whole name of each type; `steps` aliases of aliases are followed."""

        def name(found: re.Match[str]) -> str:
            package, last = found.groups()
            if package is None and last in _BUILTINS:
                return last
            names, declared = self._find_declared(scope, package, last)
            if declared is not None and steps and self._lookup.is_alias(declared):
                is_generic = found.string.startswith("[", found.end())
                return OPEN if is_generic else self._write_alias(declared, parameters, steps - 1)
            if package is None and declared is None and names[:1] != OUTSIDE:
                return parameters.setdefault(last, f"{_PARAMETER}{len(parameters)}")
            return ".".join(names)

        spelled = _SPELLED.sub(lambda found: _SAME_TYPES[_squeeze(found[0])], text)
        return _drop_arguments(_NAME.sub(name, spelled))

    def _write_alias(self, alias: Declaration, parameters: dict[str, str], steps: int) -> str:
        """Return the type for which an alias stands; OPEN if its text was cut."""
        scope = self._lookup.find_scope(alias.path)
        assert scope is not None
        text = scope.get_symbol(alias.ordinal).return_type
        if text.endswith(CUT):
            return OPEN
        return self._qualify(scope, _drop_names(f"({text})")[1:-1], parameters, steps)

    def _find_declared(
        self, scope: FileScope, package: str | None, last: str
    ) -> tuple[Path, Declaration | None]:
        """Return the path of a type, and its declaration if that is in this repository."""
        rules = self._lookup.rules
        bound = rules.find_home(scope) if package is None else rules.find_import(scope, 0, package)
        if bound is None or bound[:1] == OUTSIDE:
            return (*(bound or (package or "",)), last), None
        path = (*bound, last)
        if path not in self._declared:
            self._lookup.begin_question()
            names = (last,) if package is None else (package, last)
            found = self._lookup.find_static(scope, 0, names, ReferenceRole.TYPE).declarations
            self._declared[path] = found[0] if found else None
        declared = self._declared[path]
        other = self._lookup.find_scope(declared.path) if declared is not None else None
        if declared is not None and other is not None:  # by `import . "path"` from elsewhere
            path = rules.get_full_path(other, declared.ordinal)
        elif package is None and (outside := self._find_dot_imported(scope)):
            # by convention, one capital is a type parameter
            path = (*OUTSIDE, outside, last) if len(last) > 1 and last[0].isupper() else path
        return path, declared

    def _find_dot_imported(self, scope: FileScope) -> str:
        """Return an external package that a file imports by `import . "path"`; "" if there is none."""
        found = (self._lookup.rules.list_imported(scope, row)[2] for row in scope.wildcard_imports)
        return next(filter(None, found), "")


def is_same(one: Signature, other: Signature) -> bool:
    """Return whether two signatures are the same whatever the type arguments are."""
    return one is not None and one == other and _UNSURE.search(re.escape(one)) is None


def may_be_same(one: str, other: str) -> bool:
    """Return whether two signatures are the same for some type arguments."""
    for text, fixed in ((one, other), (other, one)):
        pattern = _UNSURE.sub(lambda found: ".+" if found[0] == OPEN else "[^,()]+", re.escape(text))
        if pattern != re.escape(text) and re.fullmatch(pattern, fixed):
            return True
    return False


def _drop_names(text: str) -> str:
    """Return "(int,int,func(int)error)" for "(a, b int, each func(n int) error)"."""
    parts = split_list(text.strip()[1:-1].replace("<-", "~").rstrip(", "))  # of a channel, and not a bracket
    named = [_NAMED_PARAMETER.fullmatch(one) for one in parts]
    types, last = [], ""
    for part, one in zip(reversed(parts), reversed(named), strict=True):
        last = one.group(2) if one is not None else last or part
        types.append(_drop_inner_names(_squeeze(last if any(named) else part)))
    return f"({','.join(reversed(types))})"


def _drop_inner_names(text: str) -> str:
    """Return a type without the names that function types in it give their parameters and results."""
    found = _FUNCTION.search(text)
    end = _find_closing(text, found.end() - 1) if found is not None else 0
    if found is None or not end:
        return text
    start = found.end() - 1
    listed, results = _drop_names(text[start:end]), ""
    if text[end : end + 1] == "(" and (close := _find_closing(text, end)):
        results = _drop_names(text[end:close])
        results = results if len(split_list(results[1:-1])) > 1 else results[1:-1]
        end = close
    return text[:start] + listed + results + _drop_inner_names(text[end:])


def _drop_arguments(text: str) -> str:
    """Return a text without the type arguments of generic aliases, for which OPEN stands."""
    while (start := text.find(f"{OPEN}[") + 1) and (end := _find_closing(text, start, ("[", "]"))):
        text = text[:start] + text[end:]
    return text


def _find_closing(text: str, start: int, brackets: tuple[str, str] = ("(", ")")) -> int:
    """Return the end of the list whose opening bracket is at `start`; 0 if it is not closed."""
    opening, closing = brackets
    depth = 0
    for position in range(start, len(text)):
        depth += (text[position] == opening) - (text[position] == closing)
        if not depth:
            return position + 1
    return 0


def _squeeze(text: str) -> str:
    """Return a type without insignificant spaces; the one between a name and a type is significant."""
    return _SPACES.sub("", text.strip())
