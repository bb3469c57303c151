"""Names of functions that a call is given under a title, and so declares: `it("adds")` for `it("adds", ...)`.

    router.post("documents.archive", auth(), async (ctx) => {     `post("documents.archive")`
    allow(User, ["read", "list"], Document, (user) =>             `allow("read", "list")`
    it.each(cases)("adds %s", (one) => {                          `it("adds %s")`

The name is that of the called function and the literals that it is given first. No code can use such a name,
and none that code can use ends as these do.

Left out on purpose: functions that are handed over by their names, which are declared elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

MAX_TITLE_CHARS = 200  # of all literals in a name
TITLE, _BETWEEN, _TITLED_END = '("', '", "', '")'  # around the literals in a name
SUITE, TEST = "suite", "test"  # what a call declares that belongs to a test library
_WORDS = {
    **dict.fromkeys("describe fdescribe xdescribe context suite feature".split(), SUITE),  # noqa: SIM905
    **dict.fromkeys("it fit xit test xtest specify scenario bench".split(), TEST),  # noqa: SIM905
}
_MODIFIERS = frozenset(
    "concurrent each failing fails for only parallel runIf sequential serial shuffle skip skipIf".split()  # noqa: SIM905
)
# A part of a qualified name. 200 titles of one letter have 400 quotes between them.
_PART = re.compile(r'[^.(]*\("[^"]*+(?:"(?!\)(?:\.|$))[^"]*+){0,400}"\)|[^.]+')


def find_called_name(called: str) -> str:
    """Return the last name of the chain of a called function; of `it.skip` the word for a test, `it`."""
    parts = called.split(".")
    while len(parts) > 1 and parts[-1] in _MODIFIERS and _ends_in_word(parts[:-1]):
        parts.pop()
    return parts[-1]


def _ends_in_word(parts: Sequence[str]) -> bool:
    words = [part for part in parts if part not in _MODIFIERS]
    return bool(words) and words[-1] in _WORDS


def name_titled(called: str, titles: Sequence[str]) -> str:
    """Return the name that a call of the function `called` declares; "" if titles are missing or too long."""
    if not called or not all(titles) or not 0 < sum(map(len, titles)) <= MAX_TITLE_CHARS:
        return ""
    listed = _BETWEEN.join(" ".join(title.split()) for title in titles)
    return f"{called}{TITLE}{listed}{_TITLED_END}"


def is_titled(name: str) -> bool:
    """Return whether a name is that of a function with a title, so that no code can use it."""
    return name.endswith(_TITLED_END)


def read_title(name: str) -> str:
    """Return the first literal in the name of a function with a title."""
    return name.partition(TITLE)[2].removesuffix(_TITLED_END).partition(_BETWEEN)[0]


def find_test_kind(name: str) -> str | None:
    """Return what a function with a title is for a test library, SUITE or TEST; None for another one.

    `name` may be that of the called function alone.
    """
    return _WORDS.get(name.partition(TITLE)[0])


def may_be_titled_anywhere(chain: str, name: str) -> bool:
    """Return whether a call of a chain declares `name` in any function: a test, or what answers at a path.

    In other functions, a function that is handed over is mostly a part of what they do.
    """
    return find_test_kind(name) is not None or ("." in chain and read_title(name).startswith("/"))


def split_qualified(name: str) -> list[str]:
    """Return the own names in a qualified name, of which only titles hold dots."""
    return _PART.findall(name) if TITLE in name else name.split(".")
