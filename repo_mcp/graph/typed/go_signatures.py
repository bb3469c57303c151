"""Signatures of methods in Go, as texts that are equal if the methods have the same types.

`(a, b int, each func(n int) error) bool` is "(int,int,func(int)error) (bool)". A type that its package
declares has the folder of the package before its name, an imported one its import path. Any other name is
taken for a type parameter, the first one of a signature for "$0". So signatures that differ only in the names
of type parameters are equal; if one has a type parameter where the other has a type, they may be the same.
"""

from __future__ import annotations

import re

from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.go_lookup import GoLookup
from repo_mcp.languages.treesitter.written_lists import split_list
from repo_mcp.symbols.symbol_record import DeclaredSymbol

CUT = "…"  # at the end of a text that is too long for a record
_NAMED_PARAMETER = re.compile(r"(?!(?:chan|func|map|struct|interface)\b)(\w+)\s+(.+)")
_FUNCTION = re.compile(r"\bfunc\(")
_NAME = re.compile(r"(?<![\w.])(?:(\w+)\.)?([A-Za-z_]\w*)")
_SAME_TYPES = {"interface{}": "any", "byte": "uint8", "rune": "int32"}
_SPELLED = re.compile(r"interface\s*\{\s*\}|\bbyte\b|\brune\b")
_PARAMETER = "$"  # a type parameter in a signature, with its number
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
        self._declared: dict[tuple[str, str], bool] = {}  # by folder and name

    def write(self, path: str, symbol: DeclaredSymbol) -> Signature:
        """Return the types of parameters and results, each with its package; None if a text was cut."""
        if symbol.parameters.endswith(CUT) or symbol.return_type.endswith(CUT):
            return None
        result = symbol.return_type
        listed = result if result.startswith("(") else f"({result})"
        text = f"{_drop_names(symbol.parameters)} {_drop_names(listed)}"
        return self._qualify(path, _SPELLED.sub(lambda found: _SAME_TYPES[_squeeze(found[0])], text))

    def _qualify(self, path: str, text: str) -> str:
        scope = self._lookup.find_scope(path)
        assert scope is not None
        rules = self._lookup.rules

        parameters: dict[str, str] = {}

        def name(found: re.Match[str]) -> str:
            package, last = found.groups()
            if package is None and last in _BUILTINS:
                return last
            if package is None:
                if self._is_declared(scope, last):
                    return f"{scope.folder}.{last}"
                return parameters.setdefault(last, f"{_PARAMETER}{len(parameters)}")
            bound = rules.find_import(scope, 0, package)
            return ".".join((*(bound or (package,)), last))

        return _NAME.sub(name, text)

    def _is_declared(self, scope: FileScope, name: str) -> bool:
        """Return whether a package declares a type of a name, or imports one by `import . "path"`."""
        key = (scope.folder, name)
        if key not in self._declared:
            self._lookup.begin_question()
            self._declared[key] = bool(self._lookup.find_type(scope, 0, (name,)).declarations)
        return self._declared[key]


def may_be_same(one: str, other: str) -> bool:
    """Return whether two signatures are the same for some type arguments."""
    for text, fixed in ((one, other), (other, one)):
        parts = [re.escape(part) for part in re.split(rf"{re.escape(_PARAMETER)}\d+", text)]
        if len(parts) > 1 and re.fullmatch(r"[^,()]+".join(parts), fixed):
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


def _find_closing(text: str, start: int) -> int:
    """Return the end of the list whose "(" is at `start`; 0 if it is not closed."""
    depth = 0
    for position in range(start, len(text)):
        depth += (text[position] == "(") - (text[position] == ")")
        if not depth:
            return position + 1
    return 0


def _squeeze(text: str) -> str:
    """Return a type without insignificant spaces."""
    return re.sub(r"\s*([^\w\s])\s*", r"\1", text.strip())
