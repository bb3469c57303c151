"""SQLite's FTS5, as Python brings it: a contentless table of the units' text beside a table of their places.

It is contentless because tantivy's body is not stored either. Such a table removes a document only when given
its text again, so the updater keeps the text of the files that will change; reading it is not timed.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.peers.job import TOP_K, Job, Mark
from bench.peers.units import CutFile, Unit, iter_units, read_units

CREATE = (
    "CREATE TABLE units (id INTEGER PRIMARY KEY, path TEXT NOT NULL, line INTEGER NOT NULL)",
    "CREATE VIRTUAL TABLE bodies USING fts5(body, content='')",
)
CREATE_PATHS = "CREATE INDEX paths ON units (path)"  # for updates; after the rows, which is faster
ADD_PLACE = "INSERT INTO units VALUES (?, ?, ?)"
ADD_BODY = "INSERT INTO bodies (rowid, body) VALUES (?, ?)"
FORGET_BODY = "INSERT INTO bodies (bodies, rowid, body) VALUES ('delete', ?, ?)"
ASK = (
    "SELECT path, line FROM bodies JOIN units ON units.id = bodies.rowid"
    " WHERE bodies MATCH ? ORDER BY bm25(bodies) LIMIT ?"
)
_WORD = re.compile(r"\w+")


class Fts5Engine:
    """One transaction, the default tokenizer."""

    def build(self, job: Job, position: Path, mark: Mark) -> None:
        """Insert all units in one transaction. SQLite merges as it goes: nothing is left to do then."""
        database = _connect(position)
        database.execute("BEGIN")
        for statement in CREATE:
            database.execute(statement)
        _add(database, 1, iter_units(job.root, job.units))
        database.execute(CREATE_PATHS)
        database.execute("COMMIT")
        database.close()
        mark("searchable")
        mark("merged")

    def open(self, job: Job, position: Path) -> Fts5Answerer:
        """Open a connection."""
        return Fts5Answerer(_connect(position))

    def open_updater(self, job: Job, position: Path, files: Sequence[CutFile]) -> Fts5Updater:
        """Open a connection that knows the text of the files."""
        return Fts5Updater(job.root, _connect(position), files)


def _connect(position: Path) -> sqlite3.Connection:
    return sqlite3.connect(position / "units.db", isolation_level=None)


def _add(database: sqlite3.Connection, first: int, units: Iterable[Unit]) -> None:
    for number, unit in enumerate(units, first):
        database.execute(ADD_PLACE, (number, unit.path, unit.line))
        database.execute(ADD_BODY, (number, unit.text))


class Fts5Answerer:
    """Asks for any of the words."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def ask(self, text: str) -> int:
        """Quote each word of the query, so that none is an operator, and ask."""
        match = " OR ".join(f'"{word}"' for word in _WORD.findall(text))
        return len(self._database.execute(ASK, (match, TOP_K)).fetchall())

    def close(self) -> None:
        """End the connection."""
        self._database.close()


class Fts5Updater:
    """Takes the old text of a file out and puts the new in."""

    def __init__(self, root: Path, database: sqlite3.Connection, files: Sequence[CutFile]) -> None:
        self._root, self._database, self._files = root, database, files
        self._known = {file.path: list(read_units(root, file)) for file in files}

    def update(self) -> float:
        """Replace the units of the files in one transaction."""
        database = self._database
        started = time.perf_counter()
        database.execute("BEGIN")
        ((last,),) = database.execute("SELECT max(id) FROM units")
        fresh = {file.path: list(read_units(self._root, file)) for file in self._files}
        for path, before in self._known.items():
            rows = database.execute("SELECT id FROM units WHERE path = ? ORDER BY line", (path,)).fetchall()
            database.executemany(
                FORGET_BODY, [(number, unit.text) for (number,), unit in zip(rows, before, strict=True)]
            )
            database.execute("DELETE FROM units WHERE path = ?", (path,))
        _add(database, last + 1, (unit for units in fresh.values() for unit in units))
        database.execute("COMMIT")
        seconds = time.perf_counter() - started
        self._known = fresh
        return seconds

    def close(self) -> None:
        """End the connection."""
        self._database.close()
