"""Reads an expression in RE2's syntax and writes it for Python's `re`, where there is no RE2.

What RE2 refuses is refused in its words, so whether a pattern is valid does not depend on what is installed.
What RE2 accepts finds the same matches: `\\w`, `\\d`, `\\s` and `\\b` mean ASCII, `$` without `(?m)` is only
the end of the text, and case is folded by Unicode's simple rules, with sets of characters instead of a flag.

Some things differ. General categories are those of this Python's version of Unicode. Classes of scripts
(`\\p{Greek}`) are refused with a reason, because Python knows no scripts; so is `\\C`, a part of a character.
The size that RE2 limits is estimated. RE2 also finds `\\B` between the bytes of one character.

Groups may be thousands deep, so the reader keeps a stack of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import field

from repo_mcp.exact.character_sets import (
    ANY,
    CATEGORIES,
    ESCAPED,
    HEX,
    LAST_CHAR,
    PERL,
    POSIX,
    Ranges,
    complement,
    find_category,
    fold,
    join,
    list_cases,
    remove_line_feed,
    write_set,
)
from repo_mcp.record_classes import dataclass

MAX_REPEAT = 1_000  # also for the product of repetitions within repetitions
MAX_PROGRAM = 174_000  # instructions that fit into RE2's 8 MiB; here their number is estimated
NEEDS_RE2 = "without the package google-re2"
_NOTHING = "(?!)"  # matches nowhere
_NOT_BOUNDARY = r"(?!(?a:\b))"  # Python's own \B does not match an empty text before 3.14
_FLAG_CHARS = "imsU"
_REPEAT = re.compile(r"\{(0|[1-9][0-9]{0,8})(,?)((?<=,)(?:0|[1-9][0-9]{0,8}))?\}", re.ASCII)
_OCTAL = re.compile(r"[1-7][0-7]{1,2}|0[0-7]{0,2}")
_BRACED = re.compile(r"[pP]\{(\^?)([^}]*)\}", re.DOTALL)
_NAME = re.compile(r"\w+")
_ALPHANUMERIC = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")


class ExpressionFault(Exception):
    """A fault of an expression: `what: piece`, as RE2 says it."""


@dataclass(frozen=True, slots=True)
class _Flags:
    ignores_case: bool = False
    multi_line: bool = False
    dot_all: bool = False
    lazy: bool = False


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of the expression written for `re`, to which a repetition may be added."""

    text: str
    cost: int  # estimated number of RE2's instructions
    repeats: int = 1  # largest product of repetitions within each other


@dataclass(slots=True)
class _Level:
    """A group whose reading has begun."""

    flags: _Flags  # to be restored after it
    opening: str  # the text that begins it in the expression for `re`
    pieces: list[_Piece] = field(default_factory=list)  # of the current alternative
    alternatives: list[_Piece] = field(default_factory=list)


def translate(expression: str, *, ignores_case: bool, never_line_feed: bool, captures: bool) -> str:
    """Return the expression for `re.compile` with MULTILINE.

    With `never_line_feed` no match holds a line feed; with `captures` the first group is group 1, else there
    is none. Raises ExpressionFault for what RE2 refuses or `re` cannot do, and UnicodeEncodeError.
    """
    expression.encode()
    reader = _Reader(expression, _Flags(ignores_case=ignores_case), never_line_feed, captures)
    return reader.read()


class _Reader:
    def __init__(self, expression: str, flags: _Flags, never_line_feed: bool, captures: bool) -> None:
        self._text = expression
        self._at = 0
        self._flags = flags
        self._never_line_feed = never_line_feed
        self._captures = captures
        self._levels = [_Level(flags, "")]
        self._repeated_from = -1  # where the repetition directly before this position begins; -1: none
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
            "^": lambda: self._add_assertion("^" if self._flags.multi_line else r"\A", 1),
            "$": lambda: self._add_assertion("$" if self._flags.multi_line else r"\Z", 1),
        }

    def read(self) -> str:
        """Return the whole expression for `re`."""
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
        piece = self._end_level()
        if piece.cost > MAX_PROGRAM:
            raise ExpressionFault("pattern too large - compile failed")
        return piece.text

    def _add(self, text: str, cost: int) -> None:
        self._levels[-1].pieces.append(_Piece(text, cost))

    def _add_assertion(self, text: str, length: int) -> None:
        self._at += length
        self._add(f"(?:{text})", 1)

    def _add_char(self, char: str) -> None:
        if char == "\n" and self._never_line_feed:
            self._add(_NOTHING, 1)
            return
        cases = list_cases(char) if self._flags.ignores_case else (char,)
        if len(cases) == 1:
            self._add(re.escape(char), len(char.encode("utf-8", "surrogatepass")))
        else:
            self._add_set(tuple((ord(case), ord(case)) for case in cases))

    def _add_set(self, ranges: Ranges) -> None:
        ranges = join(ranges)
        if self._never_line_feed:
            ranges = remove_line_feed(ranges)
        self._add(write_set(ranges) if ranges else _NOTHING, _estimate(ranges))

    def _read_dot(self) -> None:
        self._at += 1
        self._add_set(ANY if self._flags.dot_all else remove_line_feed(ANY))

    # Groups

    def _open_group(self) -> None:
        rest = self._text[self._at : self._at + 5]
        level = _Level(self._flags, "(?:")
        if not rest.startswith("(?"):
            self._at += 1
            level.opening = self._name_opening()
        elif len(rest) > 4 and rest[2:4] in ("<=", "<!"):
            raise ExpressionFault(f"invalid perl operator: {rest[:4]}")
        elif (len(rest) > 4 and rest[2:4] == "P<") or (len(rest) > 3 and rest[2] == "<"):
            self._read_name(4 if rest[2] == "P" else 3)
            level.opening = self._name_opening()
        elif not self._read_flags():
            return
        self._levels.append(level)

    def _name_opening(self) -> str:
        """Return the text that begins a capturing group: only the first one captures, and only on request."""
        captures, self._captures = self._captures, False
        return "(" if captures else "(?:"

    def _read_name(self, length: int) -> None:
        end = self._text.find(">", self._at)
        if end < 0:
            raise ExpressionFault(f"invalid named capture group: {self._text[self._at :]}")
        name = self._text[self._at + length : end]
        if not _NAME.fullmatch(name):
            raise ExpressionFault(f"invalid named capture group: {self._text[self._at : end + 1]}")
        self._at = end + 1

    def _read_flags(self) -> bool:
        """Read flags. Return True if they begin a group, False if they are for the rest of this one."""
        values = dict.fromkeys("-" + _FLAG_CHARS, False) | {
            "i": self._flags.ignores_case,
            "m": self._flags.multi_line,
            "s": self._flags.dot_all,
            "U": self._flags.lazy,
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
        self._flags = _Flags(values["i"], values["m"], values["s"], values["U"])
        return char == ":"

    def _close_group(self) -> None:
        if len(self._levels) == 1:
            raise ExpressionFault(f"unexpected ): {self._text}")
        self._at += 1
        piece = self._end_level()
        level = self._levels.pop()
        self._flags = level.flags
        self._levels[-1].pieces.append(_Piece(f"{level.opening}{piece.text})", piece.cost + 2, piece.repeats))

    def _begin_alternative(self) -> None:
        self._at += 1
        self._end_alternative()

    def _end_alternative(self) -> None:
        level = self._levels[-1]
        level.alternatives.append(_combine("", level.pieces))
        level.pieces = []

    def _end_level(self) -> _Piece:
        self._end_alternative()
        return _combine("|", self._levels[-1].alternatives)

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
        """Repeat the last piece. `end` is where the operator ends, without a `?` for lazy matching."""
        start = self._at
        lazy = self._text.startswith("?", end)
        self._at = end + lazy
        if self._repeated_from >= 0:
            piece = self._text[self._repeated_from : self._at]
            raise ExpressionFault(f"bad repetition operator: {piece}")
        self._repeated_from = start
        operator_text = self._text[start : self._at]
        if max(least, most or 0) > MAX_REPEAT or (most is not None and most < least):
            raise ExpressionFault(f"invalid repetition size: {operator_text}")
        pieces = self._levels[-1].pieces
        if not pieces:
            raise ExpressionFault(f"no argument for repetition operator: {operator_text}")
        last = pieces.pop()
        copies = least if most is None else most
        repeats = last.repeats
        if operator[0] == "{":
            repeats *= max(1, copies)
            if copies >= 2 and repeats > MAX_REPEAT:
                raise ExpressionFault(f"invalid repetition size: {operator_text}")
        written = f"(?:{last.text}){operator}{'?' if lazy != self._flags.lazy else ''}"
        pieces.append(_Piece(written, last.cost * max(1, copies) + 1, repeats))

    # Escapes and classes

    def _read_escape(self) -> None:
        char = self._text[self._at + 1 : self._at + 2]
        if char == "Q":
            end = self._text.find("\\E", self._at + 2)
            quoted = self._text[self._at + 2 : end if end >= 0 else len(self._text)]
            self._at = end + 2 if end >= 0 else len(self._text)
            for one in quoted:
                self._add_char(one)
        elif char in ("A", "z"):
            self._add_assertion(r"\A" if char == "A" else r"\Z", 2)
        elif char in ("b", "B"):
            self._add_assertion(r"(?a:\b)" if char == "b" else _NOT_BOUNDARY, 2)
        elif char == "C":
            raise ExpressionFault(rf"\C cannot be searched for {NEEDS_RE2}")
        elif (ranges := self._take_group()) is not None:
            self._add_set(ranges)
        else:
            self._add_char(self._take_char())

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
        if name not in CATEGORIES:
            piece = self._text[self._at : end if found is not None or name != "{" else len(self._text)]
            if found is not None and name.replace("_", "").isalpha() and name.isascii():
                raise ExpressionFault(f"no general category, and classes of scripts need google-re2: {piece}")
            raise ExpressionFault(f"invalid character class range: {piece}")
        self._at = end
        return self._apply_flags(find_category(name), (letter == "P") != bool(found and found[1]))

    def _apply_flags(self, ranges: Ranges, is_negated: bool) -> Ranges:
        """Return the characters of a named class under the current flags, or all others if it is negated."""
        if self._flags.ignores_case:
            ranges = fold(ranges)
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
        first = self._at
        while self._at == first or not self._text.startswith("]", self._at):
            if self._at >= len(self._text):
                raise ExpressionFault(f"missing ]: {self._text[start:]}")
            ranges += self._take_class_item(start)
        self._at += 1
        whole = join(tuple(ranges))
        self._add_set(complement(whole) if negated else whole)

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
        ranges: Ranges = ((ord(low), ord(high)),)
        return fold(ranges) if self._flags.ignores_case else ranges

    def _take_class_char(self, class_start: int) -> str:
        if self._at >= len(self._text):
            raise ExpressionFault(f"missing ]: {self._text[class_start:]}")
        if self._text[self._at] == "\\":
            return self._take_char()
        self._at += 1
        return self._text[self._at - 1]


def _estimate(ranges: Ranges) -> int:
    """Return about how many instructions RE2 needs for a set: ranges outside ASCII share some of them."""
    plain = sum(high < 128 for _, high in ranges)
    return 1 + 2 * plain + (len(ranges) - plain) // 2


def _combine(separator: str, pieces: list[_Piece]) -> _Piece:
    return _Piece(
        separator.join(piece.text for piece in pieces),
        sum(piece.cost for piece in pieces) + len(separator) * len(pieces),
        max((piece.repeats for piece in pieces), default=1),
    )
