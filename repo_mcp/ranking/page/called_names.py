"""Finds the names that lines of code call, as any language writes a call: before a bracket. Pure."""

from __future__ import annotations

import re

MIN_NAME_CHARS = 3
_CALLED = re.compile(r"(?<![\w$])([A-Za-z_$][\w$]*[!?]?)\s?\(")
_WORDS = """
if for while switch return catch sizeof and or not in elif assert print except with def function func fn await
yield new throw raise typeof super self this defined lambda isinstance len str int float bool list dict set
tuple range type getattr setattr hasattr
"""
_NO_NAMES = frozenset(_WORDS.split())


def list_called(code: str) -> list[str]:
    """Return the names before brackets, each once, in order; words of languages and short ones too."""
    return [*dict.fromkeys(_CALLED.findall(code))]


def may_follow(name: str) -> bool:
    """Return False for a name that is too short or too common to be followed."""
    return len(name) >= MIN_NAME_CHARS and name not in _NO_NAMES
