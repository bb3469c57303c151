"""Convert records to plain JSON values, for `--json`."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Mapping
from typing import Any


def to_plain(value: Any) -> Any:
    """Convert records to objects, mappings to objects with sorted keys, sequences to lists."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_plain(value[key]) for key in sorted(value)}
    if isinstance(value, tuple | list):
        return [to_plain(one) for one in value]
    return value


def write_json(document: Any) -> None:
    """Write one document and a line end, in ASCII, which every terminal and pipe accepts."""
    sys.stdout.write(json.dumps(document, indent=2) + "\n")
    sys.stdout.flush()
