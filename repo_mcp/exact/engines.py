"""The two engines of exact search: RE2, and Python's `re` where RE2 cannot be loaded. RE2's only importer.

RE2 takes time linear in the text, whatever the pattern. `re` may never end, so it matches patterns only in a
process that can be killed (`killable_matcher`); elsewhere they are only checked and translated.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from repo_mcp.arrays import I64
from repo_mcp.exact.expression_reader import ExpressionFault
from repo_mcp.exact.python_expressions import translate
from repo_mcp.record_classes import dataclass

MAX_PROGRAM_BYTES = 8 << 20  # RE2's default; a pattern that needs more is refused


@dataclass(frozen=True, slots=True)
class Options:
    """The settings of an expression."""

    case_sensitive: bool = True
    never_line_feed: bool = False  # no match contains a line feed
    captures: bool = False


class EngineMatch(Protocol):
    """A match, in bytes of the text."""

    def start(self) -> int:
        """Return where it begins."""

    def end(self) -> int:
        """Return where it ends."""

    def span(self, group: int) -> tuple[int, int]:
        """Return where a group begins and ends."""


class Compiled(Protocol):
    """A compiled expression. Safe for several threads."""

    def search(self, data: bytes, position: int, end: int = ...) -> EngineMatch | None:
        """Return the first match from `position` on in valid UTF-8, before `end`."""


class Engine(Protocol):
    """An engine that compiles expressions in RE2's syntax."""

    is_bounded: bool  # the engine takes time linear in the text

    def escape(self, text: str) -> str:
        """Return the expression of a literal."""

    def compile(self, expression: str, options: Options) -> Compiled:
        """Compile an expression. Raises ExpressionFault (`what: piece`) or UnicodeEncodeError."""


class Re2:
    """The engine RE2."""

    is_bounded = True

    def __init__(self, module: Any) -> None:
        self._module = module

    def escape(self, text: str) -> str:
        """Return the expression of a literal."""
        escaped: str = self._module.escape(text)
        return escaped

    def compile(self, expression: str, options: Options) -> Compiled:
        """Compile an expression. Raises ExpressionFault (`what: piece`) or UnicodeEncodeError."""
        settings = self._module.Options()
        settings.max_mem = MAX_PROGRAM_BYTES
        settings.log_errors = False
        settings.never_capture = not options.captures
        settings.never_nl = options.never_line_feed
        settings.case_sensitive = options.case_sensitive
        try:
            compiled: Compiled = self._module.compile(f"(?m){expression}", settings)
        except self._module.error as error:
            raw = error.args[0] if error.args else b""
            text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)
            raise ExpressionFault(text) from None
        self._module.purge()  # RE2's cache would hold 128 programs of up to MAX_PROGRAM_BYTES
        return compiled

    def compile_bytes(self, expression: bytes) -> Any:
        """Compile an expression of ours for bytes that are not text."""
        settings = self._module.Options()
        settings.max_mem = MAX_PROGRAM_BYTES
        settings.encoding = self._module.Options.Encoding.LATIN1
        settings.never_capture = True
        compiled = self._module.compile(expression, settings)
        self._module.purge()
        return compiled


class PythonEngine:
    """Python's `re`, for expressions of RE2's syntax."""

    is_bounded = False

    def escape(self, text: str) -> str:
        """Return the expression of a literal."""
        return re.escape(text)

    def compile(self, expression: str, options: Options) -> Compiled:
        """Translate an expression; it is compiled with the first search. Raises as `Re2.compile` does."""
        source = translate(
            f"(?m){expression}",
            ignores_case=not options.case_sensitive,
            never_line_feed=options.never_line_feed,
            captures=options.captures,
        )
        return _PythonExpression(source)


class _PythonExpression:
    def __init__(self, source: str) -> None:
        self._source = source
        self._text: tuple[bytes, _Text] | None = None  # the last one searched

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._source, re.MULTILINE)

    def search(self, data: bytes, position: int, end: int | None = None) -> EngineMatch | None:
        """Return the first match from `position` on in valid UTF-8, before `end`."""
        if self._text is None or self._text[0] is not data:
            self._text = (data, _Text(data))
        text = self._text[1]
        last = len(data) if end is None else end
        found = self._compiled.search(text.decoded, text.find_char(position), text.find_char(last))
        return None if found is None else _PythonMatch(text, found)


class _Text:
    """A decoded text with the offsets of its characters."""

    def __init__(self, data: bytes) -> None:
        self.decoded = data.decode("utf-8")
        self._starts: I64 | None = None  # Each character's offset; None if all are one byte
        if len(self.decoded) < len(data):
            raw = np.frombuffer(data, dtype=np.uint8)
            self._starts = np.append(np.flatnonzero(raw & 0xC0 != 0x80), len(data))

    def find_char(self, offset: int) -> int:
        """Return the number of the character at an offset in bytes."""
        return offset if self._starts is None else int(np.searchsorted(self._starts, offset))

    def find_offset(self, char: int) -> int:
        """Return the offset in bytes of a character."""
        return char if self._starts is None or char < 0 else int(self._starts[char])


@dataclass(frozen=True, slots=True)
class _PythonMatch:
    text: _Text
    found: re.Match[str]

    def start(self) -> int:
        """Return where it begins."""
        return self.text.find_offset(self.found.start())

    def end(self) -> int:
        """Return where it ends."""
        return self.text.find_offset(self.found.end())

    def span(self, group: int) -> tuple[int, int]:
        """Return where a group begins and ends."""
        start, end = self.found.span(group)
        return self.text.find_offset(start), self.text.find_offset(end)


def load_engine() -> Re2 | PythonEngine:
    """Return RE2, which is imported here on first use, or Python's `re` where RE2 is not installed."""
    try:
        import re2
    except ImportError:
        return PythonEngine()
    return Re2(re2)


def compile_for_terms(expression: bytes) -> Any:
    """Compile an expression of ours for the bytes of terms; None if it has repetitions and RE2 is missing.

    With `re` such an expression costs far more than the few files that it could rule out.
    """
    engine = load_engine()
    if isinstance(engine, Re2):
        return engine.compile_bytes(expression)
    return None if b"+" in expression else re.compile(expression)
