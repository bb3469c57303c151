"""Encode JSON values as TOON, Token-Oriented Object Notation, version 4.0, with commas.

    {"total": 2, "hits": [{"path": "a.py", "line": 3}, {"path": "b, c.py", "line": 9}]}

    total: 2
    hits[2]{path,line}:
      a.py,3
      "b, c.py",9

Objects are indented, arrays state their length, and rows with the same keys state these once. The
specification is https://github.com/toon-format/spec; numbers in brackets below are its sections.

Left out on purpose: decoding, and other delimiters than the comma.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

INDENT = "  "
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*", re.ASCII)
_LIKE_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)
_QUOTED = re.compile(r'[:"\\\[\]{},\x00-\x1f]')  # what a value holds that must stand in quotes (7.2)
_ESCAPES = {ord("\\"): "\\\\", ord('"'): '\\"', ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t"}
_ALL_ESCAPES = {code: f"\\u{code:04x}" for code in range(0x20)} | _ESCAPES
_LEAST, _MOST = 1e-6, 1e21  # between these, numbers are written without an exponent (2)

# The columns of a table by key: None, or the columns of the objects in that column.
Fields = dict[str, "Fields | None"]


def encode_toon(value: object) -> str:
    """Return a JSON value as a TOON document. Raises ValueError for what JSON cannot hold."""
    match value:
        case Mapping():
            fields = _find_entry_fields(value)
            lines = _list_entries("", value, fields) if fields is not None else _list_members(value)
        case list() | tuple():
            lines = _list_array("", value)
        case _:
            lines = [_encode_plain(value)]
    return "\n".join(lines)


def _list_members(value: Mapping[str, object]) -> list[str]:
    return [line for key, one in value.items() for line in _list_field(_encode_key(key), one)]


def _list_field(key: str, value: object) -> list[str]:
    """Return the lines of one member of an object (8, 9.5)."""
    match value:
        case Mapping():
            fields = _find_entry_fields(value)
            if fields is not None:
                return _list_entries(key, value, fields)
            return [f"{key}:", *_indent(_list_members(value))]
        case list() | tuple():
            return _list_array(key, value)
    return [f"{key}: {_encode_plain(value)}"]


def _list_array(key: str, values: Sequence[object]) -> list[str]:
    """Return the lines of an array under a key; "" for an array at the root (9.1, 9.3, 9.4)."""
    if not values:
        return [f"{key}: []" if key else "[]"]
    fields = _find_fields(values)
    if fields is not None:
        head = f"{key}[{len(values)}]{_encode_fields(fields)}:"
        return [head, *_indent(",".join(_list_cells(one, fields)) for one in values)]
    return _list_items(key, values)


def _list_items(key: str, values: Sequence[object]) -> list[str]:
    """Return the lines of an array that is not a table: one line if all items are plain, else each item's."""
    head = f"{key}[{len(values)}]:"
    if all(map(_is_plain, values)):
        return [f"{head} {','.join(map(_encode_plain, values))}" if values else head]
    return [head, *_indent(line for value in values for line in _list_item(value))]


def _list_item(value: object) -> list[str]:
    """Return the lines of one item (9.4, 10). An array in an array has no key, so it cannot be a table."""
    match value:
        case Mapping():
            first, *rest = _list_members(value) or [""]
            return [f"- {first}".rstrip(" "), *_indent(rest)]
        case list() | tuple():
            first, *rest = _list_items("", value)
            return [f"- {first}", *rest]
    return [f"- {_encode_plain(value)}"]


def _list_entries(key: str, value: Mapping[str, object], fields: Fields) -> list[str]:
    """Return the table of an object whose values are objects with the same keys, a row for each (9.5)."""
    head = f"{key}[{len(value)}:]{_encode_fields(fields)}:"
    rows = (f"{_encode_key(name)}: {','.join(_list_cells(one, fields))}" for name, one in value.items())
    return [head, *_indent(rows)]


def _find_entry_fields(value: Mapping[str, object]) -> Fields | None:
    return _find_fields(list(value.values())) if len(value) > 1 else None


def _find_fields(values: Sequence[object]) -> Fields | None:
    """Return the columns of a table of these values; None if they do not form one (9.3)."""
    rows = [value for value in values if isinstance(value, Mapping) and value]
    if len(rows) < len(values) or any(row.keys() != rows[0].keys() for row in rows):
        return None
    fields: Fields = {}
    for key in rows[0]:
        column = [row[key] for row in rows]
        fields[key] = None
        if not all(map(_is_plain, column)):
            fields[key] = inner = _find_fields(column)
            if inner is None:
                return None
    return fields


def _encode_fields(fields: Fields) -> str:
    names = (_encode_key(key) + (_encode_fields(inner) if inner else "") for key, inner in fields.items())
    return "{" + ",".join(names) + "}"


def _list_cells(value: object, fields: Fields) -> list[str]:
    if not isinstance(value, Mapping):
        raise ValueError("not a JSON value: a row that is not an object")
    cells = []
    for key, inner in fields.items():
        cells += [_encode_plain(value[key])] if inner is None else _list_cells(value[key], inner)
    return cells


def _indent(lines: Iterable[str]) -> list[str]:
    return [INDENT + line for line in lines]


def _is_plain(value: object) -> bool:
    return not isinstance(value, Mapping | list | tuple)


def _encode_plain(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return _encode_number(value)
        case str():
            return _quote(value) if _needs_quotes(value) else value
    raise ValueError(f"not a JSON value: {type(value).__name__}")


def _encode_number(value: float) -> str:
    """Return the shortest decimal form of a number, without a point if it is whole."""
    if not math.isfinite(value):
        raise ValueError("not a JSON value: a number that is not finite")
    if value.is_integer() and abs(value) < _MOST:
        return str(int(value))
    if _LEAST <= abs(value) < _MOST:
        return format(Decimal(repr(value)), "f")
    return repr(value)


def _needs_quotes(text: str) -> bool:
    return (
        not text
        or text[0] in " \t-#"
        or text[-1] in " \t"
        or text in ("true", "false", "null")
        or _QUOTED.search(text) is not None
        or _LIKE_NUMBER.fullmatch(text) is not None
    )


def _encode_key(key: str) -> str:
    return key if _PLAIN_KEY.fullmatch(key) else _quote(key)


def _quote(text: str) -> str:
    return f'"{text.translate(_ALL_ESCAPES)}"'
