"""Tells how old a file is beside what the tree has for the same purpose in a newer version. Pure.

Some trees hold a library several times: `src/v3` next to `src/v4`, `v1/fields.py` below a `fields.py`,
`codec_v3.c` beside a `codec_v4.c`, or what is only kept in `legacy`. A question means the newer version,
unless it names the other. Versions are recognised only by names: to see which of two files is imported, one
would have to look at the whole tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Set

from repo_mcp.text.analysis import analyse_text

NEXT_VERSIONS = 4  # that are looked for: `v2` is older than `v6` even if those in between are missing
# a directory `v3/`, or the end of a file's name: `codec_v03.c`
_VERSION = re.compile(r"(?:(?:^|/)(?=v\d{1,3}/)|[_.-](?=v\d{1,3}\.[^/]*$))(v(\d{1,3}))(?=([/.]))")
_LEGACY = re.compile(r"(?:^|/)(legacy|deprecated)/", re.IGNORECASE)


class OlderVersions:
    """The files of older versions, for one query: a version that the query names is not an older one.

    Such a file is in a version's directory next to that of a newer one, in `v1` or `v0` below another file of
    the same name, or has a version in its name and a newer one beside it. Or it is in a legacy directory.
    """

    def __init__(self, named: Set[str], has_beginning: Callable[[str], bool]) -> None:
        """`named` are terms of the query; `has_beginning` says whether some path begins with a text."""
        self._named = named
        self._has_beginning = has_beginning
        self._with_newer: dict[str, bool] = {}  # directories of versions, most of them asked for often

    def count_signs(self, path: str) -> int:
        """Return how many signs of age a path has: a version with a newer one, and a legacy directory."""
        legacy = _LEGACY.search(path)
        is_legacy = legacy is not None and self._named.isdisjoint(analyse_text(legacy[1]))
        return is_legacy + any(map(self._has_newer_version, _VERSION.finditer(path)))

    def _has_newer_version(self, match: re.Match[str]) -> bool:
        """Return whether there is a newer version than one in a path, unless the query names that."""
        name, number, end = match.groups()
        path, around = match.string, match.string[: match.start(1)]
        if name in self._named:
            return False
        if self._has_newer(around, number, end):
            return True
        return end == "/" and int(number) <= 1 and self._has_beginning(around + path[match.end() + 1 :])

    def _has_newer(self, around: str, number: str, end: str) -> bool:
        """Return whether there is a path with a newer version than `number`, which has as many digits."""
        key = f"{around}v{number}{end}"
        known = self._with_newer.get(key)
        if known is None:
            following = range(int(number) + 1, int(number) + 1 + NEXT_VERSIONS)
            known = any(self._has_beginning(f"{around}v{other:0{len(number)}}{end}") for other in following)
            self._with_newer[key] = known
        return known
