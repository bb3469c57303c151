"""The arguments of a call that was checked: each has the type of its schema, or is left out."""

from __future__ import annotations

from collections.abc import Mapping

Arguments = Mapping[str, object]


def find_text(arguments: Arguments, name: str) -> str | None:
    """Return a string among the arguments; None where it is left out."""
    value = arguments.get(name)
    return value if isinstance(value, str) else None


def find_integer(arguments: Arguments, name: str) -> int | None:
    """Return an integer among the arguments; None where it is left out."""
    value = arguments.get(name)
    return value if isinstance(value, int) else None
