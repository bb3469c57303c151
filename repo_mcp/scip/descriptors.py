"""Symbols of SCIP: the text that names one thing in all files, `scheme manager package version descriptors`.

    repo-mcp . . . `src/ledger/accounts.py`/Account#post().
    local 3

A descriptor is a name and what it is: `/` a namespace, `#` a type, `.` a value, `().` something callable, `!`
a macro, `[x]` a type parameter, `(x)` a parameter, `:` anything else. A name with other characters than
letters, digits and `_+-$` stands between backticks. Our package is empty, `.`: a tree has no version.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from repo_mcp.symbols.model import CALLABLE_KINDS, TYPE_KINDS, SymbolKind

SCHEME = "repo-mcp . . . "
LOCAL = "local "
_SIMPLE = re.compile(r"[A-Za-z0-9_+$-]+")
_FIELDS_BEFORE = 4  # scheme, manager, package, version
_SUFFIXES = {SymbolKind.FILE: "/", SymbolKind.MODULE: "/", SymbolKind.MACRO: "!"}


def build_descriptor(name: str, kind: SymbolKind, namesakes: int = 0) -> str:
    """Return the descriptor of a symbol; `namesakes` are the earlier ones of its kind in its parent."""
    shown = name or "_"
    if kind in CALLABLE_KINDS and kind is not SymbolKind.MACRO:
        return f"{_escape(shown)}({f'+{namesakes}' if namesakes else ''})."
    shown = _escape(f"{shown}+{namesakes}" if namesakes else shown)
    if kind in TYPE_KINDS:
        return f"{shown}#"
    return shown + _SUFFIXES.get(kind, ".")


def _escape(name: str) -> str:
    if _SIMPLE.fullmatch(name):
        return name
    return "`" + name.replace("`", "``") + "`"


def list_last_names(symbol: str, most: int = 2) -> Sequence[str]:
    """Return the names of the last descriptors of a global symbol, last first; none if it has none."""
    names = [*_iter_names(split_symbol(symbol)[1])]
    return [_unescape(one) for one in names[-most:][::-1]]


def split_symbol(symbol: str) -> tuple[str, str]:
    """Return the scheme and package of a global symbol, and its descriptors; any other text and ""."""
    start = 0
    for _ in range(_FIELDS_BEFORE):
        start = _find_single(symbol, " ", start) + 1
        if not start:
            return symbol, ""
    return symbol[:start], symbol[start:]


def _iter_names(text: str) -> Iterator[str]:
    """Yield the names of descriptors as they are written, up to the first that is none."""
    position = 0
    while position < len(text):
        is_enclosed = text[position] in "[("
        position += is_enclosed
        end = _find_end(text, position)
        if end is None:
            return
        yield text[position:end]
        if not is_enclosed and text.startswith("(", end):  # callable
            end = text.find(").", end) + 1
            if not end:
                return
        position = end + 1


def _find_end(text: str, start: int) -> int | None:
    """Return the position after a name, or None."""
    if not text.startswith("`", start):
        match = _SIMPLE.match(text, start)
        return None if match is None else match.end()
    return _find_single(text, "`", start + 1) + 1 or None


def _find_single(text: str, mark: str, start: int) -> int:
    """Return the position of a mark that is not doubled, from `start`; -1 if there is none."""
    found = text.find(mark, start)
    while found >= 0 and text.startswith(mark, found + 1):
        found = text.find(mark, found + 2)
    return found


def _unescape(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") else name
