"""The job of a child process: which tree, and the directory where everything of a comparison lies."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

Mark = Callable[[str], None]  # called with "searchable" and "merged" at the moment when it is true
TOP_K = 10
THREADS = 2  # that an engine may build with
HEAP_BYTES = 512_000_000  # for tantivy's writer, and for similar bounds of others


@dataclass(frozen=True, slots=True)
class Job:
    """One tree and the scratch directory of its comparison."""

    root: Path
    scratch: Path

    @property
    def units(self) -> Path:
        """Return the file that says how each file is cut (units.py)."""
        return self.scratch / "units.jsonl"

    def find_place(self, engine: str) -> Path:
        """Return the directory of an engine's index."""
        return self.scratch / "indexes" / engine

    def write_queries(self, queries: Mapping[str, list[str]]) -> None:
        """Write the queries of each class, for all engines."""
        (self.scratch / "queries.json").write_text(json.dumps(queries))

    def read_queries(self) -> dict[str, list[str]]:
        """Read the queries of each class."""
        found: dict[str, list[str]] = json.loads((self.scratch / "queries.json").read_text())
        return found
