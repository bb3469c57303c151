"""Derives from a pattern the runs of word characters that every match contains, for the term dictionary.

A pattern is read once, left to right, into a few texts that stand for everything it can match
(`repo_mcp.exact.pattern_texts`). `\\bfoo_(get|put)\\(` becomes the texts `~foo_get ` and `~foo_put `. From
these follow the runs `foo_get` or `foo_put`, each with STRANGE in front and SPACE behind. codesearch reads
patterns in this way for its trigrams (Russ Cox, "Regular Expression Matching with a Trigram Index"); here it
is done for words. The pattern is read a second time for the punctuation beside its words, without `\\b`.

RE2 has checked the pattern before, so it is valid here. Anything that is not understood becomes a HOLE.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import field

from repo_mcp.exact.character_sets import ESCAPED, HEX, PERL, POSIX, list_ascii
from repo_mcp.exact.pattern_texts import (
    ASCII_WORD,
    EDGE,
    EMPTY,
    HOLE,
    REST,
    SPACE,
    STRANGE,
    Piece,
    alternate,
    concatenate,
    join_all,
    keep_punctuation,
    mark_char,
    need_texts,
    repeat,
)
from repo_mcp.exact.punctuation_bigrams import list_bigrams
from repo_mcp.exact.required_terms import CLASS_MARKS, All, Either, Need, PatternReading, Run, find_mark
from repo_mcp.model import ExactRequest
from repo_mcp.record_classes import dataclass

MAX_SET_CHARS = 4  # of a character class that is read as alternatives; a larger one becomes a mark
_ASCII = frozenset(map(chr, range(128)))
_POSIX = {name: list_ascii(ranges) for name, ranges in POSIX.items()}
_PERL = {name: list_ascii(ranges) for name, ranges in PERL.items()}
_REPEAT = re.compile(r"\{(\d+)(,?)(\d*)\}")
_GROUP = re.compile(r"\?(?:P?<\w+>|([imsU]*)(?:-([imsU]*))?([:)]))")
_OCTAL = re.compile(r"[0-7]{1,3}")
_UNICODE_CLASS = re.compile(r"[pP](?:\{[^}]*\}|.)", re.DOTALL)


_CLASS_TEXTS = tuple((mark,) for mark in CLASS_MARKS)


def read_pattern(request: ExactRequest) -> PatternReading:
    """Return the needs of a request's pattern: a literal, or an expression that RE2 accepts."""
    read = read_expression if request.regex else read_literal
    pattern = request.pattern if request.regex else unify_line_ends(request.pattern)
    return read(pattern, case_sensitive=request.case_sensitive, whole_word=request.whole_word)


def unify_line_ends(text: str) -> str:
    """Return a literal with the line ends of normalised text."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_literal(text: str, *, case_sensitive: bool, whole_word: bool) -> PatternReading:
    """Return the needs of a literal."""
    tokens, neighboured = (
        "".join(mark(char, not case_sensitive) for char in text) for mark in (mark_char, keep_punctuation)
    )
    return PatternReading(
        _conclude(Piece((tokens,)), whole_word),
        "\n" in text,
        bigrams=list_bigrams([text]),
        neighbours=None if "\n" in text else _keep_neighboured(_conclude(Piece((neighboured,)), whole_word)),
    )


def read_expression(pattern: str, *, case_sensitive: bool, whole_word: bool) -> PatternReading:
    """Return the needs of a regular expression that RE2 accepts."""
    reader = _Reader(pattern, not case_sensitive)
    piece = reader.read()
    literals = reader.list_literals()
    neighbours = None
    if not reader.spans_lines:
        neighbours = _keep_neighboured(
            _conclude(_Reader(pattern, not case_sensitive, keep_punctuation).read(), whole_word)
        )
    return PatternReading(
        _conclude(piece, whole_word),
        reader.spans_lines,
        max(literals, key=len, default=""),
        list_bigrams(literals),
        reader.needs_edges,
        neighbours,
        reader.open_quote,
    )


def _conclude(piece: Piece, whole_word: bool) -> Need | None:
    """Return everything that a file must meet to match a piece; None if it need not meet anything."""
    texts = tuple(f"{STRANGE}{text}{STRANGE}" for text in piece.texts) if whole_word else piece.texts
    return join_all([*piece.needs, need_texts(texts)])


def _keep_neighboured(need: Need | None) -> Need | None:
    """Return the part of a need that is about runs with punctuation beside them; None if there is none."""
    if need is None or isinstance(need, Run):
        return need if need is not None and (need.before or need.behind) else None
    kept = [_keep_neighboured(part) for part in need.parts]
    if isinstance(need, All):
        return join_all(kept)
    neighboured = tuple(dict.fromkeys(part for part in kept if part is not None))
    if None in kept:
        return None
    return neighboured[0] if len(neighboured) == 1 else Either(neighboured)


@dataclass(slots=True)
class _Level:
    """A group whose reading has begun."""

    ignores_case: bool
    pieces: list[Piece] = field(default_factory=list)  # of the current alternative
    alternatives: list[Piece] = field(default_factory=list)


class _Reader:
    """Reads one expression, with a stack of its own: groups may be a thousand deep."""

    def __init__(
        self, pattern: str, ignores_case: bool, mark: Callable[[str, bool], str] = mark_char
    ) -> None:
        self._pattern = pattern
        self._mark = mark
        self._keeps_punctuation = mark is keep_punctuation
        edge = EDGE if self._keeps_punctuation else SPACE
        self._at = 0
        self._levels = [_Level(ignores_case)]
        self.spans_lines = "\n" in pattern
        self._literals = [""]  # runs of adjacent characters outside groups; the last one may still grow
        self._has_choice = False  # whether there are alternatives outside groups
        self.open_quote = False  # as in PatternReading
        self.needs_edges = False  # as in PatternReading
        self._actions: dict[str, Callable[[], None]] = {
            "\\": self._read_escape,
            "[": self._read_class,
            "(": self._open_group,
            ")": self._close_group,
            "|": self._begin_alternative,
            "*": lambda: self._repeat_last(0, None),
            "+": lambda: self._repeat_last(1, None),
            "?": lambda: self._repeat_last(0, 1),
            "{": self._read_repeat,
            ".": lambda: self._add(HOLE),
            "^": lambda: self._add(edge),
            "$": lambda: self._add(edge),
        }

    def read(self) -> Piece:
        """Return the piece that the whole expression matches."""
        while self._at < len(self._pattern):
            char = self._pattern[self._at]
            self._at += 1
            action = self._actions.get(char)
            if action is not None:
                action()
            else:
                self._add_char(char)
        while len(self._levels) > 1:  # RE2 would have refused it
            self._close_group()
        self._end_alternative()
        return alternate(self._levels[0].alternatives)

    def list_literals(self) -> list[str]:
        """Return texts that every match contains verbatim."""
        return [] if self._has_choice else list(filter(None, self._literals))

    def _add(self, *texts: str) -> None:
        self._literals.append("")
        self._levels[-1].pieces.append(Piece(texts))

    def _add_char(self, char: str) -> None:
        level = self._levels[-1]
        self.spans_lines |= char == "\n"
        level.pieces.append(Piece((self._mark(char, level.ignores_case),)))
        if len(self._levels) == 1 and not level.ignores_case:
            self._literals[-1] += char
        else:
            self._literals.append("")

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Return the match of `pattern` at the current position and move past it; None without a match."""
        found = pattern.match(self._pattern, self._at)
        if found is not None:
            self._at = found.end()
        return found

    def _open_group(self) -> None:
        self._literals.append("")
        ignores_case = self._levels[-1].ignores_case
        found = self._take(_GROUP)
        if found is None:
            self.needs_edges |= self._pattern.startswith("?", self._at)  # unknown syntax of RE2
        elif found[3]:
            self.needs_edges |= "m" in (found[2] or "")
            if "i" in (found[2] or ""):
                ignores_case = False
            elif "i" in found[1]:
                ignores_case = True
            self.spans_lines |= "s" in found[1]
            if found[3] == ")":
                self._levels[-1].ignores_case = ignores_case
                self._levels[-1].pieces.append(EMPTY)
                return
        self._levels.append(_Level(ignores_case))

    def _close_group(self) -> None:
        if len(self._levels) > 1:
            self._end_alternative()
            level = self._levels.pop()
            self._levels[-1].pieces.append(alternate(level.alternatives))

    def _begin_alternative(self) -> None:
        self._has_choice |= len(self._levels) == 1
        self._end_alternative()

    def _end_alternative(self) -> None:
        level = self._levels[-1]
        level.alternatives.append(concatenate(level.pieces))
        level.pieces = []

    def _repeat_last(self, least: int, most: int | None) -> None:
        if self._pattern[self._at : self._at + 1] == "?":
            self._at += 1  # greedy or lazy does not matter
        self._literals[-1] = self._literals[-1][:-1]  # the last character may be absent, or repeated
        self._literals.append("")
        pieces = self._levels[-1].pieces
        if pieces and self._keeps_punctuation and least == 0 and pieces[-1].texts in _CLASS_TEXTS:
            pieces[-1] = Piece((REST,))
        elif pieces:
            pieces[-1] = repeat(pieces[-1], least, most)

    def _read_repeat(self) -> None:
        self._at -= 1
        found = self._take(_REPEAT)
        if found is None:
            self._at += 1
            self._add_char("{")
            return
        least = int(found[1])
        self._repeat_last(least, int(found[3]) if found[3] else (None if found[2] else least))

    def _read_escape(self) -> None:
        """Read an escape, after its backslash."""
        if self._pattern.startswith("Q", self._at):
            self._read_quote()
            return
        set_or_char = self._take_escaped()
        if isinstance(set_or_char, str):
            self._add_char(set_or_char)
        elif set_or_char is not None:
            self._add_set(*set_or_char)
        else:
            char = self._pattern[self._at : self._at + 1]
            self._at += 1
            self.needs_edges |= char not in "bB"
            boundary = "" if self._keeps_punctuation else STRANGE
            self._add({"b": boundary, "A": SPACE, "z": SPACE}.get(char, HOLE))

    def _read_quote(self) -> None:
        end = self._pattern.find("\\E", self._at)
        self.open_quote = end < 0
        for char in self._pattern[self._at + 1 : len(self._pattern) if end < 0 else end]:
            self._add_char(char)
        self._at = len(self._pattern) if end < 0 else end + 2

    def _take_escaped(self) -> str | tuple[frozenset[str], bool] | None:
        """Return a character, or a set of ASCII characters and whether other characters belong to it.

        Return None for any other escape, and do not move past it.
        """
        char = self._pattern[self._at : self._at + 1]
        if char.lower() in _PERL and char:
            self._at += 1
            chars = _PERL[char.lower()]
            return (chars, False) if char.islower() else (_ASCII - chars, True)
        if self._take(_UNICODE_CLASS):
            return _ASCII, True
        found = self._take(HEX)
        if found is not None:
            return chr(int(found[1] or found[2], 16))
        found = self._take(_OCTAL)
        if found is not None:
            return chr(int(found[0], 8))
        if char in ESCAPED or (char and char not in ASCII_WORD):
            self._at += 1
            return ESCAPED.get(char, char)
        return None

    def _add_set(self, chars: frozenset[str], has_others: bool) -> None:
        """Add a piece for one character of a set; `has_others` if characters outside ASCII belong to it."""
        level = self._levels[-1]
        if level.ignores_case:
            chars = chars | {char.lower() for char in chars} | {char.upper() for char in chars}
            has_others = has_others or not chars.isdisjoint("kKsS")
        tokens = tuple(dict.fromkeys(self._mark(char, level.ignores_case) for char in sorted(chars)))
        if not chars & ASCII_WORD:
            characters = tokens if self._keeps_punctuation and 0 < len(tokens) <= MAX_SET_CHARS else (SPACE,)
            self._add(*((STRANGE,) if has_others else characters))
            return
        if has_others or (len(tokens) > MAX_SET_CHARS and not chars <= ASCII_WORD):
            tokens = (HOLE,)
        elif len(tokens) > MAX_SET_CHARS:
            tokens = (find_mark(chars),)
        self._add(*tokens)

    def _read_class(self) -> None:
        """Read a bracket expression."""
        negated = self._pattern.startswith("^", self._at)
        self._at += negated
        chars: set[str] = set()
        has_others = names_line_feed = False
        first = True
        while first or not self._pattern.startswith("]", self._at):
            first = False
            if self._at >= len(self._pattern):  # RE2 would have refused it
                break
            item = self._take_class_item()
            if isinstance(item, str):
                last = self._take_range_end()
                names_line_feed |= "\n" in (item, last)
                chars.update(map(chr, range(ord(item), min(ord(last or item), 127) + 1)))
                has_others |= not (last or item).isascii()
            else:
                chars |= item[0]
                has_others |= item[1]
        self._at += 1
        self.spans_lines |= names_line_feed and not negated
        if negated:
            if self._levels[-1].ignores_case:
                chars = {case for char in chars for case in (char.lower(), char.upper())}
            self._add_set(_ASCII - chars, True)
        else:
            self._add_set(frozenset(chars & _ASCII), has_others)

    def _take_class_item(self) -> str | tuple[frozenset[str], bool]:
        """Return the next character or set within brackets, as `_take_escaped` does."""
        if self._pattern.startswith("[:", self._at):
            end = self._pattern.find(":]", self._at)
            name = self._pattern[self._at + 2 : max(end, 0)]
            if name.removeprefix("^") in _POSIX:
                self._at = end + 2
                chars = _POSIX[name.removeprefix("^")]
                return (_ASCII - chars, True) if name.startswith("^") else (chars, False)
        char = self._pattern[self._at]
        self._at += 1
        if char != "\\":
            return char
        escaped = self._take_escaped()
        if escaped is None:
            self._at += 1
            return _ASCII, True
        return escaped

    def _take_range_end(self) -> str | None:
        """Return the last character of a range whose first has been read; None if there is no range."""
        if not self._pattern.startswith("-", self._at) or self._pattern.startswith("-]", self._at):
            return None
        before = self._at
        self._at += 1
        item = self._take_class_item() if self._at < len(self._pattern) else "-"
        if isinstance(item, str):
            return item
        self._at = before
        return None
