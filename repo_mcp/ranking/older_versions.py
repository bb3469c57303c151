"""Tells whether a file belongs to an older version of what lies beside it in a newer one. Pure.

Some trees hold a library several times: `src/v3` beside `src/v4`, `v1/fields.py` below a `fields.py`. A
question means the newer version, unless it names the other. Versions are recognised by the names of their
directories alone: which of two is imported by others would have to be known of the whole tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

NEXT_VERSIONS = 4  # looked for: `v2` is older than a `v6` beside it, although others are missing
_VERSION = re.compile(r"(?:^|/)(v(\d{1,3}))/")


def is_older_version(path: str, named: Collection[str], has_beginning: Callable[[str], bool]) -> bool:
    """Return whether a file lies in a version's directory beside that of a newer one, or in `v1`, or `v0`,
    below another file of its name. A version that is among the `named` words is not older than any.

    `has_beginning` tells whether some path of the tree begins with a text.
    """
    for match in _VERSION.finditer(path):
        name, number, around = match[1], int(match[2]), path[: match.start(1)]
        if name in named:
            continue
        following = range(number + 1, number + 1 + NEXT_VERSIONS)
        if any(has_beginning(f"{around}v{other}/") for other in following):
            return True
        if number <= 1 and has_beginning(around + path[match.end() :]):
            return True
    return False
