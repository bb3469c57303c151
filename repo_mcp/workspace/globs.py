"""Shell patterns for paths, as clients and operators write them, matched in linear time.

`*` and `?` stay within one name, `**` as a whole component spans any number of names, `[a-z]` and
`[!a]` are sets, `\\` escapes, `{a,b}` are alternatives. A pattern without a slash is matched against the
name at any depth, one with a slash against the whole path; a leading `/` only forces the latter, and a
trailing one means everything below. Case matters.

Patterns come from clients, so matching must never cost more than pattern length times path length: each
name is matched by a regular expression whose stars are atomic, and `**` only steps forward. A `ValueError`
says what is wrong with a pattern; callers turn it into their own error.

Left out on purpose: negation, which filters have (`glob_filter.GlobFilter`), and Git's ignore rules.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from posixpath import commonpath
from typing import Protocol

from repo_mcp.late_patterns import compile_late

MAX_GLOB_CHARS = 512
MAX_ALTERNATIVES = 64  # twenty `{a,b}` in a row would make a million patterns

_ANY_DEPTH = None  # stands for `**` among the components
# An escaped character, or a pair of braces without another inside.
_BRACES = compile_late(r"(?s)\\.|\{((?:[^\\{}]|\\.)*)\}")
_CHOICE = compile_late(r"(?s)((?:\\.|[^\\,])*),")
_SPECIAL = compile_late(r"[*?\[\\]")  # makes a component more than literal text
_PLAIN_SUFFIX = compile_late(r"\*[^*?\[\\/]*$")


class PathGlob:
    """One compiled pattern. Immutable; safe for threads."""

    __slots__ = ("_matchers", "_suffixes", "text")

    def __init__(self, text: str) -> None:
        """Raises `ValueError` for an empty pattern, over 512 characters, a NUL, or over 64 alternatives."""
        if not text:
            raise ValueError("the pattern is empty")
        if len(text) > MAX_GLOB_CHARS:
            raise ValueError(f"the pattern has {len(text)} characters, at most {MAX_GLOB_CHARS} are allowed")
        if "\0" in text:
            raise ValueError("the pattern contains a NUL character")
        self.text = text
        alternatives = expand_braces(text)
        # `*.py`, by far the most common form, needs only the end of the path.
        plain = [one for one in alternatives if _PLAIN_SUFFIX.match(one)]
        self._suffixes = tuple(one[1:] for one in plain)
        self._matchers = tuple(_Alternative(one) for one in alternatives if one not in plain)

    @property
    def folder(self) -> str:
        """Return a folder below which every match lies; "" for the root."""
        prefixes = [one.prefix for one in self._matchers] if not self._suffixes else [""]
        return commonpath(prefixes)

    def matches(self, path: str) -> bool:
        """Return True when one of the alternatives matches the relative POSIX path."""
        if self._suffixes and path.endswith(self._suffixes):
            return True
        # `any` takes twice as long, and a filter is called for 80,000 paths.
        for matcher in self._matchers:  # noqa: SIM110
            if matcher.matches(path):
                return True
        return False


class _Alternative:
    """A pattern without braces: a literal prefix, then the expression of one name or of several components.

    `src/**/*.c` is the prefix `src/` and one name, just as `*.c` is an empty prefix and one name.
    """

    __slots__ = ("_components", "_name", "prefix")

    def __init__(self, text: str) -> None:
        text = text.removeprefix("./")
        parts = [part for part in text.split("/") if part] if "/" in text else ["**", text]
        if text.endswith("/"):
            parts.append("**")
        if parts and parts[-1] == "**":
            parts.append("*")  # `src/**` means everything below `src`, not `src` itself
        plain = next((at for at, part in enumerate(parts[:-1]) if _SPECIAL.search(part)), len(parts) - 1)
        self.prefix = "".join(f"{part}/" for part in parts[: max(0, plain)])
        rest = parts[max(0, plain) :]
        self._name = compile_name(rest[1]) if len(rest) == 2 and rest[0] == "**" else None
        self._components = [_ANY_DEPTH if part == "**" else compile_name(part) for part in rest]

    def matches(self, path: str) -> bool:
        if not path.startswith(self.prefix):
            return False
        if self._name is not None:
            return self._name.match(path.rpartition("/")[2]) is not None
        return match_components(self._components, path[len(self.prefix) :].split("/"))


class NameMatcher(Protocol):
    """Decides about one name: a compiled expression, or an object with the same method."""

    def match(self, name: str, /) -> object:
        """Return something true when the whole name matches."""


def match_components(pattern: Sequence[NameMatcher | None], parts: Sequence[str]) -> bool:
    """Return True when the components match in order, where None matches any number of them.

    Backtracking only to the last None is enough: an earlier one could not match the rest any better.
    """
    at = here = 0
    after_any = resume = -1
    while here < len(parts):
        one = pattern[at] if at < len(pattern) else _ANY_DEPTH
        if at < len(pattern) and one is _ANY_DEPTH:
            at += 1
            after_any, resume = at, here
        elif one is not None and one.match(parts[here]):
            at += 1
            here += 1
        elif after_any >= 0:
            resume += 1
            at, here = after_any, resume
        else:
            return False
    return all(one is _ANY_DEPTH for one in pattern[at:])


def compile_name(glob: str) -> re.Pattern[str]:
    """Return the expression for one name; `re.match` with it costs glob length times name length.

    The text between two stars is matched at its first occurrence only (an atomic group): if the rest
    can match after a later occurrence, it can also match after the first.
    """
    pieces = [""]
    at = 0
    while at < len(glob):
        expression, at = _next_item(glob, at)
        if expression is None:
            pieces.append("")
        else:
            pieces[-1] += expression
    if len(pieces) == 1:
        return re.compile(f"(?s){pieces[0]}\\Z")
    middle = "".join(f"(?>.*?{piece})" for piece in pieces[1:-1] if piece)
    return re.compile(f"(?s){pieces[0]}{middle}.*{pieces[-1]}\\Z")


def _next_item(glob: str, at: int) -> tuple[str | None, int]:
    """Return the expression of the item at `at` (None for a star), and the position of the next item."""
    char = glob[at]
    if char == "*":
        return None, at + 1
    if char == "?":
        return ".", at + 1
    if char == "\\" and at + 1 < len(glob):
        return re.escape(glob[at + 1]), at + 2
    if char == "[":
        end = glob.find("]", at + 3 if glob[at + 1 : at + 2] in ("!", "^") else at + 2)
        if end > 0:
            return _translate_set(glob[at + 1 : end]), end + 1
    return re.escape(char), at + 1


def _translate_set(body: str) -> str:
    """Return the expression for the body of a set: `a-z`, `!abc`. A reversed range matches nothing."""
    negated = body[:1] in ("!", "^")
    body = body[1:] if negated else body
    items: list[str] = []
    at = 0
    while at < len(body):
        if body[at + 1 : at + 2] == "-" and at + 2 < len(body):
            if body[at] <= body[at + 2]:
                items.append(f"{re.escape(body[at])}-{re.escape(body[at + 2])}")
            at += 3
        else:
            items.append(re.escape(body[at]))
            at += 1
    if not items:
        return "." if negated else "(?!)"
    return f"[{'^' if negated else ''}{''.join(items)}]"


def expand_braces(text: str) -> list[str]:
    """Return the patterns that `{a,b}` expands to, in order. Braces without comma or partner are literal.

    Raises `ValueError` above 64 alternatives, before they are built.
    """
    pending, done = [text], []
    while pending:
        one = pending.pop(0)
        pair = next((found for found in _BRACES.finditer(one) if "," in (found[1] or "")), None)
        if pair is None:
            done.append(one)
            continue
        choices = _CHOICE.findall(f"{pair[1]},")
        pending[:0] = [one[: pair.start()] + choice + one[pair.end() :] for choice in choices]
        if len(pending) + len(done) > MAX_ALTERNATIVES:
            raise ValueError(f"the pattern has more than {MAX_ALTERNATIVES} alternatives")
    return done
