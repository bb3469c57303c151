"""Tells whether a file belongs to an older version of something that the tree also has in a newer one. Pure.

Some trees hold a library several times: `src/v3` next to `src/v4`, `v1/fields.py` below a `fields.py`. A
question means the newer version, unless it names the other. Versions are recognised only by the names of
directories: to see which of the two is imported, one would have to look at the whole tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

NEXT_VERSIONS = 4  # that are looked for: `v2` is older than `v6` even if those in between are missing
_VERSION = re.compile(r"(?:^|/)(v(\d{1,3}))/")


class OlderVersions:
    """The files of older versions, for one query: a version that the query names is not an older one.

    Such a file is in a version's directory next to that of a newer one, or in `v1` or `v0` below another file
    of the same name.
    """

    def __init__(self, named: Collection[str], has_beginning: Callable[[str], bool]) -> None:
        """`named` are words of the query; `has_beginning` tells whether some path begins with a text."""
        self._named = named
        self._has_beginning = has_beginning
        self._with_newer: dict[str, bool] = {}  # directories of versions, most of them asked for often

    def hold(self, path: str) -> bool:
        """Return whether a file belongs to an older version."""
        for match in _VERSION.finditer(path):
            name, number, around = match[1], int(match[2]), path[: match.start(1)]
            if name in self._named:
                continue
            if self._has_newer(around, number):
                return True
            if number <= 1 and self._has_beginning(around + path[match.end() :]):
                return True
        return False

    def _has_newer(self, around: str, number: int) -> bool:
        known = self._with_newer.get(f"{around}{number}")
        if known is None:
            following = range(number + 1, number + 1 + NEXT_VERSIONS)
            known = any(self._has_beginning(f"{around}v{other}/") for other in following)
            self._with_newer[f"{around}{number}"] = known
        return known
