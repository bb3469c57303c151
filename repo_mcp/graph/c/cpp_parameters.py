"""The types of the parameters of a C++ function, as written: they distinguish overloads."""

from __future__ import annotations

import re
from functools import lru_cache

from repo_mcp.languages.treesitter.written_lists import split_signature
from repo_mcp.symbols.symbol_record import DeclaredSymbol

CACHED_TEXTS = 5_000  # parameters of functions, each compared by every call of its name: 1 MB
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_DEFAULT = re.compile(r"\s*=.*", re.DOTALL)
_NAMED = re.compile(r"(.*[\s*&>])\w+(\[\w*\])?\s*", re.DOTALL)
_LEFT_OUT = re.compile(r"\b(?:const|volatile|struct|class|enum|union|typename|\w+::)|\s")


def read_parameter(text: str) -> str:
    """Return the type of a parameter, without its name."""
    text = " ".join(_DEFAULT.sub("", text).split())
    named = _NAMED.fullmatch(text)
    if named is None or named[1].strip() in {"const", "unsigned", "struct", "class", "enum"}:
        return text
    return named[1].strip() + ("*" if named[2] else "")


def list_types(symbol: DeclaredSymbol) -> tuple[str, ...]:
    """Return the types of the parameters of a function, spelled alike in a prototype and its definition.

    `const`, the namespaces of names, and comments are left out.
    """
    return _read_types(symbol.parameters)


@lru_cache(CACHED_TEXTS)
def _read_types(parameters: str) -> tuple[str, ...]:
    texts = split_signature(_COMMENT.sub("", parameters)).parameters
    return tuple(_LEFT_OUT.sub("", read_parameter(one)) for one in texts)
