"""Do what is done at its first use, for processes that are forked from this one.

A command or a server that is forked for a test does it anew each time, which takes a third of its processor
time: it makes constructors and fields of records, compiles expressions, and reads lists of words.
"""

from __future__ import annotations

import gc
from contextlib import suppress
from typing import Any

from repo_mcp.languages.patterns import declaring_lines, landmarks
from repo_mcp.languages.patterns.declaring_rules import RULES
from repo_mcp.languages.patterns.language_registry import LANGUAGES
from repo_mcp.late_patterns import _LatePattern
from repo_mcp.text import base_forms, everyday_phrases, word_families


def compile_first() -> None:
    """Do it for all modules that are imported."""
    for found in gc.get_objects():
        if type(found) is _LatePattern:
            found.match  # noqa: B018
        elif isinstance(found, type) and "__record_given__" in vars(found):
            _complete(found)
    for language in LANGUAGES.values():
        if language.pattern is not None:
            landmarks._compile(language.pattern)
    for rules in RULES.values():
        for pattern in (rules.anywhere, *rules.lines.values()):
            declaring_lines._compile(pattern)
    for read in (
        word_families._read_families,
        word_families._read_spellings,
        word_families._read_everyday_words,
        everyday_phrases._read_phrases,
        base_forms._read_families,
    ):
        read()


def _complete(record: Any) -> None:
    with suppress(AttributeError, TypeError):  # from the constructor that was just made
        record.__init__(None)
    record.__dataclass_fields__  # noqa: B018
