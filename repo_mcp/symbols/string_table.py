"""The strings of one symbol record: found, and decoded, only as far as a question needs them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from repo_mcp.arrays import I64, Mask

_LINE_FEED = 0x0A
# Share of all strings up to which they are decoded one by one, which takes ten times as long for each.
FEW_STRINGS = 0.1
MIN_FEW = 8  # strings that are looked up one by one, however few the record has
_NOWHERE = np.zeros(0, dtype=np.int64)


class StringTable:
    """The strings of one record, numbered from 0. They are split and decoded only as far as needed."""

    def __init__(self, text: bytes) -> None:
        """`text` is the strings as UTF-8, joined by line feeds."""
        self._text = text
        self._searches = 0  # for single strings, before all were split
        self.count = text.count(b"\n") + 1

    @property
    def begins_empty(self) -> bool:
        """Return True when string 0 is empty, as it must be."""
        return self._text[:1] in (b"", b"\n")

    @cached_property
    def strings(self) -> list[str]:
        """Return all strings."""
        return self._text.decode("utf-8", "replace").split("\n")

    @cached_property
    def _is_ascii(self) -> bool:
        return self._text.isascii()

    @cached_property
    def _ends(self) -> I64:
        """Return the offset, in characters, of the end of each string but the last."""
        if self._is_ascii:
            return np.flatnonzero(np.frombuffer(self._text, dtype=np.uint8) == _LINE_FEED)
        text = self._text.decode("utf-8", "replace")
        return np.array([match.start() for match in re.finditer("\n", text)], dtype=np.int64)

    def find_holding(self, needles: Sequence[str | tuple[str, ...]]) -> list[I64]:
        """Return, for each needle, the numbers of the strings that contain it, ignoring case.

        A number may be repeated. From a tuple of needles, only the one that occurs least is searched for.
        Needles must be lower case; one enclosed in line feeds matches whole strings. The whole text is
        searched at once: most tables contain few of the needles, and splitting the text into its strings
        takes ten times as long.
        """
        text = self._text.decode("utf-8", "replace")
        folded = text.lower()
        if len(folded) != len(text):  # some letter's lower case has two characters: offsets would differ
            folded = "\n".join(line if len(line := one.lower()) == len(one) else one for one in self.strings)
        folded += "\n"  # each string but the first, which is empty, follows a line feed
        found = []
        for given in needles:
            needle = given if isinstance(given, str) else min(given, key=folded.count)
            offsets = _find_all(folded, needle)
            found.append(
                self._ends.searchsorted(offsets + needle.startswith("\n")) if len(offsets) else offsets
            )
        return found

    def mark_matching(self, pattern: re.Pattern[str]) -> Mask:
        """Return a mask of the strings in which a pattern is found; it must not match a line feed."""
        text = self._text.decode("utf-8", "replace")
        marks = np.zeros(self.count, dtype=np.bool_)
        marks[np.searchsorted(self._ends, [match.start() for match in pattern.finditer(text)])] = True
        return marks

    def get(self, numbers: Sequence[int]) -> list[str]:
        """Return some of the strings; if there are few, without splitting all of them."""
        is_known = "strings" in self.__dict__ or not self._is_ascii
        if is_known or len(numbers) > self.count * FEW_STRINGS:
            strings = self.strings
            return [strings[number] for number in numbers]
        bounds = self._bounds
        return [self._text[bounds[number] + 1 : bounds[number + 1]].decode() for number in numbers]

    @cached_property
    def _bounds(self) -> I64:
        """Return the offsets of the line feeds around the strings; one precedes the text, one follows it."""
        return np.concatenate(([-1], self._ends, [len(self._text)]))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return dict(zip(self.strings, range(self.count), strict=True))

    def find(self, text: str) -> int | None:
        """Return the number of a string, or None when the table does not have it."""
        if "_numbers" not in self.__dict__ and self._searches < MIN_FEW:
            self._searches += 1
            return self.find_all([text])[0]
        return self._numbers.get(text)

    def find_all(self, texts: Sequence[str]) -> list[int | None]:
        """Return the number of each string, or None; a few are found without splitting all strings."""
        if "_numbers" in self.__dict__ or len(texts) > self.count * FEW_STRINGS + MIN_FEW:
            return [self._numbers.get(text) for text in texts]
        framed = b"\n" + self._text + b"\n"
        found: list[int | None] = []
        for text in texts:
            line = b"\n" + text.encode("utf-8", "surrogatepass") + b"\n"
            if framed.find(line) < 0 or "\n" in text:
                found.append(None)
            else:  # strings may become equal by being cut: the last one counts
                found.append(framed.count(b"\n", 0, framed.rfind(line)))
        return found


def _find_all(text: str, needle: str) -> I64:
    """Return the offsets of a needle, ascending; of overlapping matches perhaps only the first."""
    if needle and "\n" not in needle:
        pieces = text.split(needle)
        if len(pieces) == 1:
            return _NOWHERE
        lengths = np.fromiter(map(len, pieces), np.int64, len(pieces) - 1)
        lengths[1:] += len(needle)
        return np.cumsum(lengths)
    offsets = []
    offset = text.find(needle)
    while offset >= 0:
        offsets.append(offset)
        offset = text.find(needle, offset + 1)
    return np.array(offsets, dtype=np.int64)
