"""What an expression of Python means, as far as the resolver follows it: a small record per meaning."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

OUTER = -1  # the place of what is not declared here, where the form says something else


class Form(IntEnum):
    """What a value is."""

    OBJECT = 0  # the declared thing itself: a class, a function, a variable
    INSTANCE = 1  # of the class at that place
    MODULE = 2  # path is a module's; place 0
    OUTSIDE = 3  # something that is not declared here; path is its dotted name
    ITEMS = 4  # holds instances of the class at that place, or of one outside, whose place is OUTER
    VALUES = 5  # a mapping to instances of it
    PARENT = 6  # super() in a method of that class
    GIVES_ITEM = 7  # a method that gives one of the items
    GIVES_ITEMS = 8  # one that gives several


class Value(NamedTuple):
    """One meaning."""

    form: Form
    path: str
    ordinal: int = 0
    # False where it was concluded from what a function returns, or from items: likely, not certain.
    is_sure: bool = True
    # OBJECT of a member: path and place of the class that it was asked of. Empty otherwise.
    owner: tuple[str, int] | tuple[()] = ()

    def guessed(self) -> Value:
        """The same, as likely only."""
        return self._replace(is_sure=False) if self.is_sure else self


def take_item(value: Value) -> Value:
    """One of the items that a value holds or gives."""
    if value.ordinal == OUTER:
        return outside(value.path + "()")
    return value._replace(form=Form.INSTANCE, is_sure=False)


def outside(name: str) -> Value:
    """What is not declared in the repository."""
    return Value(Form.OUTSIDE, name)


def merge(groups: list[list[Value]], most: int) -> list[Value]:
    """All values, each once, in order; no more than `most`."""
    found: dict[tuple[int, str, int], Value] = {}
    for group in groups:
        for value in group:
            found.setdefault(value[:3], value)
    return list(found.values())[:most]
