"""Add or change one table of a TOML file; comments, order and every other line stay.

A new table is added at the end, as text. In an existing one, tomlkit changes only the keys that differ and
keeps the style of the file. The caller reads the result again and compares.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError


def read_toml(text: str) -> dict[str, Any]:
    """Read the table in a text. Raises ValueError with the fault."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(str(error)) from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def render_table(section: str, name: str, entry: Mapping[str, object]) -> str:
    """Render one table with its header."""
    return tomlkit.dumps({section: {name: dict(entry)}})


def append_table(text: str, section: str, name: str, entry: Mapping[str, object]) -> str:
    """Return the text with one more table at its end."""
    table = render_table(section, name, entry)
    if text.strip():
        gap = "\n" if text.endswith("\n") else "\n\n"
        table = gap + table
    return text + (table.replace("\n", "\r\n") if "\r\n" in text else table)


def remove_table(text: str, section: str, name: str) -> str:
    """Return the text without a table and the tables in it. Raises ValueError."""
    try:
        document = tomlkit.parse(text)
        tables: Any = document[section]
        del tables[name]
        if not tables:
            del document[section]
        return tomlkit.dumps(document)
    except (TOMLKitError, KeyError, TypeError, AttributeError, RecursionError):
        raise ValueError("the layout of its tables cannot be edited safely") from None


def change_table(text: str, section: str, name: str, entry: Mapping[str, object]) -> str:
    """Return the text with exactly the keys of `entry` in that table. Raises ValueError."""
    try:
        document = tomlkit.parse(text)
        table: Any = document[section]
        there: Any = table[name]
        for key in [one for one in there if one not in entry]:
            del there[key]
        for key, value in entry.items():
            if there.get(key) != value:
                there[key] = value
        return tomlkit.dumps(document)
    except (TOMLKitError, KeyError, TypeError, AttributeError, RecursionError):
        raise ValueError("the layout of its tables cannot be edited safely") from None
