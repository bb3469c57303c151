"""Names of symbols in what a person writes: what looks like code among words.

A word counts when it has a mark that prose does not have: an underscore or a dot inside, a hump, a
call's parenthesis behind it, backquotes around it, or `def`, `class` or a traceback's `in` before it.
"""

from __future__ import annotations

import re

MAX_HINTS = 64
_SCANNED_CHARS = 100_000
_NAME = r"[^\W\d]\w{0,120}(?:(?:\.|::)[^\W\d]\w{0,120}){0,8}"
_CANDIDATE = re.compile(
    rf"(?:\b(?P<word>def|class|func|function|fn|struct|in)[ ]+)?(?P<quote>`?)(?<![\w/.])(?P<name>{_NAME})"
    r"(?P<after>\(|`)?"
)
_HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_FILE = re.compile(r"\.(?:py|pyi|js|ts|tsx|jsx|c|h|cc|cpp|go|rs|java|md|rst|toml|json|ya?ml|txt|cfg|ini)$")
_TRACEBACK_LINE = re.compile(r'File "[^"\n]{1,400}", line \d{1,9}, in (\w{1,120})')
_PROSE = frozenset(
    "a an and are as for from has in is it name of on or that the this to was which with".split()  # noqa: SIM905
)


def find_symbol_hints(prompt: str) -> tuple[str, ...]:
    """The names that a prompt seems to speak of, in the order met, each once. At most MAX_HINTS."""
    text = prompt[:_SCANNED_CHARS]
    found = [(match.start(1), match.group(1)) for match in _TRACEBACK_LINE.finditer(text)]
    found += [
        (match.start("name"), match.group("name")) for match in _CANDIDATE.finditer(text) if _counts(match)
    ]
    return tuple(dict.fromkeys(name for _, name in sorted(found)))[:MAX_HINTS]


def _counts(match: re.Match[str]) -> bool:
    name = match.group("name")
    if _FILE.search(name):
        return False
    marked = "_" in name.strip("_") or "::" in name or _HUMP.search(name) is not None
    quoted = bool(match.group("quote")) and match.group("after") == "`"
    declared = match.group("word") not in (None, "in") and name.lower() not in _PROSE
    dotted = "." in name and all(len(part) > 1 for part in name.split("."))
    return marked or quoted or declared or dotted or match.group("after") == "("
