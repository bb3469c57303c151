"""Reads an expression in RE2's syntax; subclasses say what is made of each part.

There is one reader of this syntax, so that whoever derives something from an expression understands it as
everybody else does: `python_expressions` writes it for Python's `re`, `patterns` finds what every match must
contain. What RE2 refuses is refused in its words, except for what depends on the size of its program.

Groups may be thousands deep, so the reader keeps a stack of its own.
"""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Generic, TypeVar

from repo_mcp.exact.character_sets import (
    ANY,
    ESCAPED,
    HEX,
    LAST_CHAR,
    PERL,
    POSIX,
    Ranges,
    complement,
    join,
    remove_line_feed,
)
from repo_mcp.record_classes import dataclass

MAX_REPEAT = 1_000  # the limit holds for the product of nested repetitions too
_FLAG_CHARS = "imsU"
_REPEAT = re.compile(r"\{(0|[1-9][0-9]{0,8})(,?)((?<=,)(?:0|[1-9][0-9]{0,8}))?\}", re.ASCII)
_OCTAL = re.compile(r"[1-7][0-7]{1,2}|0[0-7]{0,2}")
_BRACED = re.compile(r"[pP]\{(\^?)([^}]*)\}", re.DOTALL)
_NAME_CATEGORIES = frozenset(["Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Mn", "Mc", "Nd", "Pc"])
_ALPHANUMERIC = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
Part = TypeVar("Part")


class ExpressionFault(Exception):
    """A fault of an expression: `what: piece`, as RE2 says it."""


@dataclass(frozen=True, slots=True)
class Flags:
    """The flags at one place of an expression."""

    ignores_case: bool = False
    multi_line: bool = False
    dot_all: bool = False
    lazy: bool = False


@dataclass(frozen=True, slots=True)
class Repetition:
    """An operator that repeats the part before it."""

    text: str  # as written, without a `?` for lazy matching
    least: int
    most: int | None  # None: no limit
    lazy: bool
    written: str  # the whole operator, for faults


@dataclass(slots=True)
class _Level(Generic[Part]):
    """A group whose reading has begun."""

    flags: Flags  # the flags to restore after the group
    capture: int = 0  # number of the group from 1 if it captures, else 0
    parts: list[Part] = field(default_factory=list)  # the parts of the current alternative
    alternatives: list[Part] = field(default_factory=list)


class ExpressionReader(ABC, Generic[Part]):
    """Reads one expression, left to right."""

    def __init__(self, expression: str, flags: Flags) -> None:
        self._text = expression
        self._at = 0
        self.flags = flags
        self._levels: list[_Level[Part]] = [_Level(flags)]
        self._repeated_from = -1  # start of a repetition that ends at this position; -1 if there is none
        self._captures = 0  # number of capturing groups so far
        self.names_line_feed = False  # by a character, a class, or a dot that matches everything
        self.open_quote = False  # ends within \Q
        self._class_names_line_feed = False  # whether the class that is being read names one
        self._actions: dict[str, Callable[[], None]] = {
            "\\": self._read_escape,
            "[": self._read_class,
            "(": self._open_group,
            ")": self._close_group,
            "|": self._begin_alternative,
            "*": lambda: self._repeat("*", 0, None, self._at + 1),
            "+": lambda: self._repeat("+", 1, None, self._at + 1),
            "?": lambda: self._repeat("?", 0, 1, self._at + 1),
            "{": self._read_repeat,
            ".": self._read_dot,
            "^": lambda: self._add_assertion("^" if self.flags.multi_line else "A", 1),
            "$": lambda: self._add_assertion("$" if self.flags.multi_line else "z", 1),
        }

    @abstractmethod
    def make_char(self, char: str) -> Part:
        """Return the part for one character, under the current flags."""

    @abstractmethod
    def make_set(self, ranges: Ranges) -> Part:
        """Return the part for one character of the ranges, to which the flags have been applied."""

    @abstractmethod
    def make_assertion(self, name: str) -> Part:
        """Return the part for a place: `^` and `$` of a line, `A` and `z` of the text, `b` or `B`."""

    @abstractmethod
    def make_byte(self) -> Part:
        """Return the part for one byte, which may be a part of a character."""

    @abstractmethod
    def concatenate(self, parts: Sequence[Part]) -> Part:
        """Return the part that is these parts one after the other."""

    @abstractmethod
    def alternate(self, parts: Sequence[Part]) -> Part:
        """Return the part that is one of these parts."""

    @abstractmethod
    def enclose(self, part: Part, capture: int) -> Part:
        """Return a group: `capture` is its number if it captures, else 0."""

    @abstractmethod
    def repeat(self, part: Part, repetition: Repetition) -> Part:
        """Return a part repeated."""

    @abstractmethod
    def fold(self, ranges: Ranges) -> Ranges:
        """Return the ranges with all cases of their characters."""

    @abstractmethod
    def find_category(self, name: str) -> Ranges | None:
        """Return the characters of a Unicode class; None for one that does not exist. May raise a fault."""

    @property
    def depth(self) -> int:
        """Return how many groups are open."""
        return len(self._levels) - 1

    def read(self) -> Part:
        """Return the whole expression."""
        while self._at < len(self._text):
            start, before = self._at, self._repeated_from
            action = self._actions.get(self._text[start])
            if action is None:
                self._at += 1
                self._add_char(self._text[start])
            else:
                action()
            if self._repeated_from == before:
                self._repeated_from = -1
        if len(self._levels) > 1:
            raise ExpressionFault(f"missing ): {self._text}")
        return self._end_level()

    def _add(self, part: Part) -> None:
        self._levels[-1].parts.append(part)

    def _add_assertion(self, name: str, length: int) -> None:
        self._at += length
        self._add(self.make_assertion(name))

    def _add_char(self, char: str) -> None:
        self.names_line_feed |= char == "\n"
        self._add(self.make_char(char))

    def _read_dot(self) -> None:
        self._at += 1
        self._add(self.make_set(ANY if self.flags.dot_all else remove_line_feed(ANY)))

    # Groups

    def _open_group(self) -> None:
        rest = self._text[self._at : self._at + 5]
        level: _Level[Part] = _Level(self.flags)
        if not rest.startswith("(?"):
            self._at += 1
            level.capture = self._count_capture()
        elif len(rest) > 4 and rest[2:4] in ("<=", "<!"):
            raise ExpressionFault(f"invalid perl operator: {rest[:4]}")
        elif (len(rest) > 4 and rest[2:4] == "P<") or (len(rest) > 3 and rest[2] == "<"):
            self._read_name(4 if rest[2] == "P" else 3)
            level.capture = self._count_capture()
        elif not self._read_flags():
            return
        self._levels.append(level)

    def _count_capture(self) -> int:
        self._captures += 1
        return self._captures

    def _read_name(self, length: int) -> None:
        end = self._text.find(">", self._at)
        if end < 0:
            raise ExpressionFault(f"invalid named capture group: {self._text[self._at :]}")
        name = self._text[self._at + length : end]
        if not name or any(unicodedata.category(char) not in _NAME_CATEGORIES for char in name):
            raise ExpressionFault(f"invalid named capture group: {self._text[self._at : end + 1]}")
        self._at = end + 1

    def _read_flags(self) -> bool:
        """Read flags. Return True if they begin a group, False if they are for the rest of this one."""
        values = dict.fromkeys("-" + _FLAG_CHARS, False) | {
            "i": self.flags.ignores_case,
            "m": self.flags.multi_line,
            "s": self.flags.dot_all,
            "U": self.flags.lazy,
        }
        start, last = self._at, ""
        self._at += 2
        while True:
            char = self._text[self._at : self._at + 1]
            self._at += 1
            is_end = char in (":", ")") and last != "-"
            if not is_end and (not char or char not in values or (char == "-" and values["-"])):
                raise ExpressionFault(f"invalid perl operator: {self._text[start : self._at]}")
            if is_end:
                break
            values[char] = char == "-" or not values["-"]
            last = char
        self.flags = Flags(values["i"], values["m"], values["s"], values["U"])
        self.names_line_feed |= self.flags.dot_all
        return char == ":"

    def _close_group(self) -> None:
        if len(self._levels) == 1:
            raise ExpressionFault(f"unexpected ): {self._text}")
        self._at += 1
        part = self._end_level()
        level = self._levels.pop()
        self.flags = level.flags
        self._add(self.enclose(part, level.capture))

    def _begin_alternative(self) -> None:
        self._at += 1
        self._end_alternative()

    def _end_alternative(self) -> None:
        level = self._levels[-1]
        level.alternatives.append(self.concatenate(level.parts))
        level.parts = []

    def _end_level(self) -> Part:
        self._end_alternative()
        return self.alternate(self._levels[-1].alternatives)

    # Repetitions

    def _read_repeat(self) -> None:
        found = _REPEAT.match(self._text, self._at)
        if found is None:
            self._at += 1
            self._add_char("{")
            return
        least = int(found[1])
        most = int(found[3]) if found[3] else None if found[2] else least
        self._repeat(found[0], least, most, found.end())

    def _repeat(self, operator: str, least: int, most: int | None, end: int) -> None:
        """Repeat the last part. `end` is where the operator ends, without a `?` for lazy matching."""
        start = self._at
        lazy = self._text.startswith("?", end)
        self._at = end + lazy
        if self._repeated_from >= 0:
            piece = self._text[self._repeated_from : self._at]
            raise ExpressionFault(f"bad repetition operator: {piece}")
        self._repeated_from = start
        written = self._text[start : self._at]
        if max(least, most or 0) > MAX_REPEAT or (most is not None and most < least):
            raise ExpressionFault(f"invalid repetition size: {written}")
        parts = self._levels[-1].parts
        if not parts:
            raise ExpressionFault(f"no argument for repetition operator: {written}")
        parts[-1] = self.repeat(parts[-1], Repetition(operator, least, most, lazy, written))

    # Escapes and classes

    def _read_escape(self) -> None:
        char = self._text[self._at + 1 : self._at + 2]
        if char == "Q":
            self._read_quote()
        elif char and char in "AzbB":
            self._add_assertion(char, 2)
        elif char == "C":
            self._at += 2
            self._add(self.make_byte())
        elif (ranges := self._take_group()) is not None:
            self._add(self.make_set(ranges))
        else:
            self._add_char(self._take_char())

    def _read_quote(self) -> None:
        end = self._text.find("\\E", self._at + 2)
        self.open_quote = end < 0
        quoted = self._text[self._at + 2 : len(self._text) if end < 0 else end]
        self._at = len(self._text) if end < 0 else end + 2
        for char in quoted:
            self._add_char(char)

    def _take_group(self) -> Ranges | None:
        """Return the characters of `\\d`, `\\pL` and the like, and move past it; None for anything else."""
        letter = self._text[self._at + 1 : self._at + 2]
        if letter and letter in "dswDSW":
            self._at += 2
            return self._apply_flags(PERL[letter.lower()], letter.isupper())
        if not letter or letter not in "pP":
            return None
        found = _BRACED.match(self._text, self._at + 1)
        name = found[2] if found is not None else self._text[self._at + 2 : self._at + 3]
        end = self._at + 3 if found is None else found.end()
        category = self.find_category(name)
        if category is None:
            piece = self._text[self._at : end if found is not None or name != "{" else len(self._text)]
            raise ExpressionFault(f"invalid character class range: {piece}")
        self._at = end
        return self._apply_flags(category, (letter == "P") != bool(found and found[1]))

    def _apply_flags(self, ranges: Ranges, is_negated: bool) -> Ranges:
        """Return the characters of a named class under the current flags, or all others if it is negated."""
        if self.flags.ignores_case:
            ranges = self.fold(ranges)
        return complement(ranges) if is_negated else ranges

    def _take_char(self) -> str:
        """Return the character of an escape, and move past it."""
        start = self._at
        char = self._text[start + 1 : start + 2]
        if not char:
            raise ExpressionFault("trailing \\")
        self._at += 2
        if char in ESCAPED:
            return ESCAPED[char]
        if char.isascii() and char not in _ALPHANUMERIC:
            return char
        found = _OCTAL.match(self._text, start + 1)
        if found is not None:
            self._at = found.end()
            return chr(int(found[0], 8))
        found = HEX.match(self._text, start + 1)
        if found is not None and (code := int(found[1] or found[2], 16)) <= LAST_CHAR:
            self._at = found.end()
            return chr(code)
        raise ExpressionFault(f"invalid escape sequence: {self._text[start : self._find_escape_end(start)]}")

    def _find_escape_end(self, start: int) -> int:
        """Return where the piece ends that RE2 shows of a bad escape."""
        if self._text[start + 1] != "x":
            return start + 2
        end = start + 2
        if self._text.startswith("{", end):
            end += 1
            digits = re.compile("[0-9a-fA-F]*").match(self._text, end)
            end = digits.end() if digits is not None else end
            return min(end + 1, len(self._text))
        return min(end + 2, len(self._text))

    def _read_class(self) -> None:
        start = self._at
        self._at += 1
        negated = self._text.startswith("^", self._at)
        self._at += negated
        ranges: list[tuple[int, int]] = []
        self._class_names_line_feed = False
        first = self._at
        while self._at == first or not self._text.startswith("]", self._at):
            if self._at >= len(self._text):
                raise ExpressionFault(f"missing ]: {self._text[start:]}")
            ranges += self._take_class_item(start)
        self._at += 1
        self.names_line_feed |= self._class_names_line_feed and not negated
        whole = join(tuple(ranges))
        self._add(self.make_set(complement(whole) if negated else whole))

    def _take_class_item(self, class_start: int) -> Ranges:
        if self._text.startswith("[:", self._at) and (end := self._text.find(":]", self._at + 2)) >= 0:
            name = self._text[self._at + 2 : end]
            if name.removeprefix("^") not in POSIX:
                raise ExpressionFault(f"invalid character class range: {self._text[self._at : end + 2]}")
            self._at = end + 2
            return self._apply_flags(POSIX[name.removeprefix("^")], name.startswith("^"))
        # In a class at whose `\p` the expression ends, RE2 reports an unknown escape.
        is_group = self._text.startswith("\\", self._at) and self._text[self._at :] not in (r"\p", r"\P")
        if is_group and (group := self._take_group()) is not None:
            return group
        start = self._at
        low = high = self._take_class_char(class_start)
        if self._text.startswith("-", self._at) and self._text[self._at + 1 : self._at + 2] not in ("]", ""):
            self._at += 1
            high = self._take_class_char(class_start)
            if high < low:
                raise ExpressionFault(f"invalid character class range: {self._text[start : self._at]}")
        self._class_names_line_feed |= "\n" in (low, high)
        ranges: Ranges = ((ord(low), ord(high)),)
        return self.fold(ranges) if self.flags.ignores_case else ranges

    def _take_class_char(self, class_start: int) -> str:
        if self._at >= len(self._text):
            raise ExpressionFault(f"missing ]: {self._text[class_start:]}")
        if self._text[self._at] == "\\":
            return self._take_char()
        self._at += 1
        return self._text[self._at - 1]
