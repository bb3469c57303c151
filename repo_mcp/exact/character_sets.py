"""Sets of characters in RE2's syntax: ranges of code points, and what ignoring case adds to them.

When case is ignored, two characters are equal if one is a single-character upper, lower or title case of the
other, perhaps through a third. The two `i` of Turkish are not, and three pairs are that have no such case.
General categories are those of this Python's version of Unicode.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache

# Letters behind a backslash that stand for one character, and the syntax of a code point.
ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "f": "\f", "v": "\v"}
HEX = re.compile(r"x(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{2}))")
Ranges = tuple[tuple[int, int], ...]  # (first, last) of code points; as `join` returns them, unless noted
LAST_CHAR = 0x10FFFF
_LAST_CASED = 0x1E943  # the last character with a case in Unicode 16
_LINE_FEED = 0x0A
_TURKISH = "\u0130\u0131"  # the two Turkish letters, whose case mappings are not simple
_ODD_CASES = ((0x17F, "s"), (0x212A, "k"))  # the only other characters with a case in ASCII
_PAIRS = (("\u0390", "\u1fd3"), ("\u03b0", "\u1fe3"), ("\ufb05", "\ufb06"))
ANY: Ranges = ((0, LAST_CHAR),)
_DIGITS: Ranges = ((48, 57),)
_UPPER: Ranges = ((65, 90),)
_LOWER: Ranges = ((97, 122),)
_WORD: Ranges = (*_DIGITS, *_UPPER, (95, 95), *_LOWER)
PERL: Mapping[str, Ranges] = {"d": _DIGITS, "s": ((9, 10), (12, 13), (32, 32)), "w": _WORD}
POSIX: Mapping[str, Ranges] = {
    "alnum": (*_DIGITS, *_UPPER, *_LOWER),
    "alpha": (*_UPPER, *_LOWER),
    "ascii": ((0, 127),),
    "blank": ((9, 9), (32, 32)),
    "cntrl": ((0, 31), (127, 127)),
    "digit": _DIGITS,
    "graph": ((33, 126),),
    "lower": _LOWER,
    "print": ((32, 126),),
    "punct": ((33, 47), (58, 64), (91, 96), (123, 126)),
    "space": ((9, 13), (32, 32)),
    "upper": _UPPER,
    "word": _WORD,
    "xdigit": (*_DIGITS, (65, 70), (97, 102)),
}
_SUBCATEGORIES = (
    *("Cc", "Cf", "Co", "Cs"),
    *("Ll", "Lm", "Lo", "Lt", "Lu"),
    *("Mc", "Me", "Mn"),
    *("Nd", "Nl", "No"),
    *("Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps"),
    *("Sc", "Sk", "Sm", "So"),
    *("Zl", "Zp", "Zs"),
)
CATEGORIES = frozenset({*_SUBCATEGORIES, *(name[0] for name in _SUBCATEGORIES), "Any"})


def list_ascii(ranges: Ranges) -> frozenset[str]:
    """Return the ASCII characters in the ranges."""
    return frozenset(chr(code) for low, high in ranges for code in range(low, min(high, 127) + 1))


def join(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Return the same characters as ascending ranges that neither overlap nor touch."""
    joined: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if joined and low <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return tuple(joined)


def complement(ranges: Ranges) -> Ranges:
    """Return all other characters."""
    rest: list[tuple[int, int]] = []
    begin = 0
    for low, high in join(ranges):
        if begin < low:
            rest.append((begin, low - 1))
        begin = high + 1
    return (*rest, (begin, LAST_CHAR)) if begin <= LAST_CHAR else tuple(rest)


def remove_line_feed(ranges: Ranges) -> Ranges:
    """Return the ranges without the line feed."""
    return complement((*complement(ranges), (_LINE_FEED, _LINE_FEED)))


@cache
def find_category(name: str) -> Ranges:
    """Return the characters of a general category, such as `L`, `Lu` or `Any`."""
    if name == "Any":
        return ANY
    return join(
        one for category, ranges in _read_categories().items() if category.startswith(name) for one in ranges
    )


@cache
def _read_categories() -> dict[str, list[tuple[int, int]]]:
    """Return the ranges of each category, except that of unassigned code points. Takes 0.1 s."""
    found: dict[str, list[tuple[int, int]]] = {name: [] for name in (*_SUBCATEGORIES, "Cn")}
    begin, current = 0, unicodedata.category("\0")
    for code in range(1, LAST_CHAR + 1):
        category = unicodedata.category(chr(code))
        if category != current:
            found[current].append((begin, code - 1))
            begin, current = code, category
    found[current].append((begin, LAST_CHAR))
    del found["Cn"]
    return found


def list_cases(char: str) -> tuple[str, ...]:
    """Return the characters that equal a character when case is ignored, including itself, ascending."""
    return _read_cases()[0].get(char, (char,))


@cache
def _read_cases() -> tuple[dict[str, tuple[str, ...]], list[int]]:
    """Return all cases of each character that has more than one, and the code points of these characters.

    Takes 0.1 s.
    """
    group: dict[str, list[str]] = {}
    for char in map(chr, range(_LAST_CASED + 1)):
        for other in {char.lower(), char.upper(), char.title()}:
            if other != char and len(other) == 1 and char not in _TURKISH and other not in _TURKISH:
                mine, theirs = group.setdefault(char, [char]), group.setdefault(other, [other])
                if mine is not theirs:
                    mine += theirs
                    for one in theirs:
                        group[one] = mine
    group |= {char: list(pair) for pair in _PAIRS for char in pair}
    return {char: tuple(sorted(cases)) for char, cases in group.items()}, sorted(map(ord, group))


@lru_cache(maxsize=64)
def fold(ranges: Ranges) -> Ranges:
    """Return the ranges with all cases of their characters."""
    cases, cased = _read_cases()
    more = [
        (ord(case), ord(case))
        for low, high in ranges
        for code in cased[bisect_left(cased, low) : bisect_left(cased, high + 1)]
        for case in cases[chr(code)]
    ]
    return join((*ranges, *more))


def fold_ascii(ranges: Ranges) -> Ranges:
    """Return the same as `fold` in ASCII; of other characters, some if `fold` returns any. Takes no time."""
    codes = [ord(case) for char in list_ascii(ranges) for case in (char.lower(), char.upper())]
    for odd, plain in _ODD_CASES:
        if any(low <= odd <= high for low, high in ranges) or ord(plain) in codes:
            codes += [odd, ord(plain), ord(plain.upper())]
    return join([*ranges, *((code, code) for code in codes)])


@lru_cache(maxsize=64)
def write_set(ranges: Ranges) -> str:
    """Return the class of `re` for the ranges, which must not be empty."""
    others = complement(ranges)
    if not others:
        return r"[\s\S]"
    if len(others) < len(ranges):
        return f"[^{_write_ranges(others)}]"
    return f"[{_write_ranges(ranges)}]"


def _write_ranges(ranges: Ranges) -> str:
    return "".join(f"\\U{low:08x}" if low == high else f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges)
