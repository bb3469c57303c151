"""Regular expressions that are compiled when they are first used.

Compiling one takes 0.1 to 1 ms, and a command uses about half of those in the modules it imports. An
expression that everyone who imports its module needs is made by `re.compile`.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")


class _LatePattern:
    """An expression that is compiled when one of its methods is first used; by two threads, twice."""

    def __init__(self, source: Any, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            raise AttributeError(f"a late pattern has no {name}")
        pattern = re.compile(self._source, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(pattern, method))  # found from now on without this function
        return getattr(pattern, name)


def compile_late(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return an object with the methods of the compiled expression, and no other attributes.

    A mistake in `source` raises `re.error` at the first use.
    """
    return _LatePattern(source, flags)  # type: ignore[return-value]
