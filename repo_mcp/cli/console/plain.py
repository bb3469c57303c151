"""Records as plain JSON values, for `--json`."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Mapping
from typing import Any


def to_plain(value: Any) -> Any:
    """Records as objects, mappings as objects with their keys in order, sequences as lists."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_plain(value[key]) for key in sorted(value)}
    if isinstance(value, tuple | list):
        return [to_plain(one) for one in value]
    return value


def write_json(document: Any) -> None:
    """One document of plain values and a line end, in ASCII, which no terminal or pipe can refuse."""
    sys.stdout.write(json.dumps(document, indent=2) + "\n")
    sys.stdout.flush()
