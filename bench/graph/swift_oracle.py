"""Print what swiftc says that names mean: `swift_oracle.py LIBRARY STORE ROOT > answers.jsonl`.

LIBRARY is the toolchain's `libIndexStore.so`, STORE what `-index-store-path` named. Prints one row for each
use: [path, line, name, [path, line of the declaration], kind]. Left out: operators, subscripts, what the
compiler adds by itself, and names declared inside functions, which the store does not have.

It needs nothing but Python, so it runs wherever the toolchain does.
"""

from __future__ import annotations

import ctypes
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Row = tuple[str, int, int, str, int, int]  # path, line, column, USR, kind, roles
DECLARES, REFERS, IMPLICIT = 1 | 2, 4, 256
RECORD = 2  # the kind of a unit's dependency on a file's record
TYPE_PARAMETER = "mfp"  # the end of its USR; it is no symbol of ours, and counts as outside
EXTENSION = 9  # has a USR of its own, and refers to the type that it extends
KINDS = {
    1: "module", 5: "enum", 6: "struct", 7: "class", 8: "protocol", 11: "typealias", 12: "function",
    13: "variable", 14: "property", 15: "case", 16: "method", 17: "method", 18: "method", 19: "property",
    20: "property", 21: "property", 22: "constructor",
}  # fmt: skip
_NAME = re.compile(r"`?([^\W\d]\w*)")


class _Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    def __str__(self) -> str:
        return ctypes.string_at(self.data, self.length).decode() if self.length else ""


class Store:
    """An opened index store."""

    def __init__(self, library: str, path: str) -> None:
        self._library = ctypes.CDLL(library)
        self._store = self._call("store_create", path.encode(), None)

    def _call(self, name: str, *given: Any, result: Any = ctypes.c_void_p) -> Any:
        function = getattr(self._library, f"indexstore_{name}")
        function.restype = result
        return function(*(ctypes.c_void_p(one) if isinstance(one, int) else one for one in given))

    def _apply(self, name: str, first: int, take: Callable[[Any], None], kind: Any, *flags: Any) -> None:
        def callback(_: Any, one: Any) -> bool:
            take(one)
            return True

        called = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, kind)(callback)
        self._call(f"{name}_apply_f", first, *flags, None, called, result=ctypes.c_bool)

    def list_records(self) -> list[tuple[str, str]]:
        """Return the path of each file and the name of its record."""
        units: list[str] = []
        self._apply("store_units", self._store, lambda one: units.append(str(one)), _Text, ctypes.c_uint(1))
        found: dict[tuple[str, str], None] = {}
        for unit in units:
            reader = self._call("unit_reader_create", self._store, unit.encode(), None)

            def take(one: int) -> None:
                if self._call("unit_dependency_get_kind", one, result=ctypes.c_int) == RECORD:
                    path = str(self._call("unit_dependency_get_filepath", one, result=_Text))
                    found[path, str(self._call("unit_dependency_get_name", one, result=_Text))] = None

            self._apply("unit_reader_dependencies", reader, take, ctypes.c_void_p)
        return list(found)

    def list_rows(self, path: str, record: str) -> list[Row]:
        """Return the rows of a file's record."""
        rows: list[Row] = []
        reader = self._call("record_reader_create", self._store, record.encode(), None)

        def take(one: int) -> None:
            line, column = ctypes.c_uint(), ctypes.c_uint()
            self._call("occurrence_get_line_col", one, ctypes.byref(line), ctypes.byref(column), result=None)
            symbol = self._call("occurrence_get_symbol", one)
            kind = self._call("symbol_get_kind", symbol, result=ctypes.c_int)
            usr = str(self._call("symbol_get_usr", symbol, result=_Text))
            roles = self._call("occurrence_get_roles", one, result=ctypes.c_uint64)
            rows.append((path, line.value, column.value, usr, kind, roles))

        self._apply("record_reader_occurrences", reader, take, ctypes.c_void_p)
        return rows


def main(library: str, store: str, root: str) -> None:
    """Print the answers for the files below a root."""
    opened = Store(library, store)
    inside = [one for one in opened.list_records() if Path(root) in Path(one[0]).parents]
    rows = [row for path, record in inside for row in opened.list_rows(path, record)]
    declared: dict[str, tuple[str, int]] = {}
    for path, line, _, usr, kind, roles in rows:
        if roles & DECLARES and kind != EXTENSION and (usr not in declared or not roles & IMPLICIT):
            declared[usr] = str(Path(path).relative_to(root)), line
    lines = {path: Path(path).read_bytes().split(b"\n") for path, _ in inside}
    for path, line, column, usr, kind, roles in sorted(set(rows)):
        named = _NAME.match(lines[path][line - 1][column - 1 :].decode("utf-8", "replace"))
        if roles & REFERS and not roles & IMPLICIT and kind in KINDS and kind != 1 and named is not None:
            is_parameter = usr.endswith(TYPE_PARAMETER)
            where = ("<outside>", 0) if is_parameter else declared.get(usr, ("<outside>", 0))
            print(json.dumps([str(Path(path).relative_to(root)), line, named[1], where, KINDS[kind]]))


if __name__ == "__main__":
    main(*sys.argv[1:])
