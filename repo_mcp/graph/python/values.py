"""Values of Python expressions, as far as the resolver follows them: a small record per meaning."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

OUTER = -1  # ordinal of something external in a form other than OUTSIDE


class Form(IntEnum):
    """The kinds of values that an expression can have."""

    OBJECT = 0  # the declared thing itself: a class, a function, a variable
    INSTANCE = 1  # of the class with that ordinal
    MODULE = 2  # path is a module's; ordinal 0
    OUTSIDE = 3  # something external; path is its dotted name
    ITEMS = 4  # holds instances of that class, or of an external one, whose ordinal is OUTER
    VALUES = 5  # a mapping whose values are instances of it
    PARENT = 6  # super() in a method of that class
    GIVES_ITEM = 7  # a method that returns one of the items
    GIVES_ITEMS = 8  # a method that returns several of them
    MAKES = 9  # the `__new__` of `object`, looked up on that class


class Value(NamedTuple):
    """One meaning of an expression."""

    form: Form
    path: str
    ordinal: int = 0
    # False if inferred from return statements or items: likely, not certain.
    is_sure: bool = True
    # For a member's OBJECT: path and ordinal of the class it was looked up on. Otherwise empty.
    owner: tuple[str, int] | tuple[()] = ()
    is_open: bool = False  # True if it is what one of several overloads returns, and not known which

    def like(self, other: Value) -> Value:
        """Return the same value, no surer than another one that leads to it."""
        if other.is_sure and not other.is_open:
            return self
        return self._replace(is_sure=self.is_sure and other.is_sure, is_open=self.is_open or other.is_open)

    def guessed(self) -> Value:
        """Return the same value, marked as merely likely."""
        return self._replace(is_sure=False) if self.is_sure else self


def take_item(value: Value) -> Value:
    """Return one of the items that a value holds or gives."""
    if value.ordinal == OUTER:
        return outside(value.path + "()")
    return value._replace(form=Form.INSTANCE, is_sure=False)


def outside(name: str) -> Value:
    """Return the value of something not declared in the repository."""
    return Value(Form.OUTSIDE, name)


def merge(groups: list[list[Value]], most: int) -> list[Value]:
    """Return all values in order without duplicates, at most `most`."""
    found: dict[tuple[int, str, int], Value] = {}
    for group in groups:
        for value in group:
            found.setdefault(value[:3], value)
    return list(found.values())[:most]
