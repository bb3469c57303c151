"""Reads a book file: one entry per line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

_ENTRY = re.compile(r'(\S+) (\S+) -> (\S+) (\d+\.\d+) "(.*)"')


class Entry(NamedTuple):
    """One line of a book."""

    date: str
    source: str
    target: str
    amount: Decimal
    memo: str


def parse_book(text: str) -> Iterator[Entry]:
    """Yield the entries of a book; comments and blank lines are left out."""
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        match = _ENTRY.fullmatch(line)
        if match is None:
            raise ValueError(f"not an entry: {line!r}")
        date, source, target, amount, memo = match.groups()
        yield Entry(date, source, target, Decimal(amount), memo)
