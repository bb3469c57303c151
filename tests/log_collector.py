"""Collects what the program logs, for the few tests that look at it.

pytest's own plugin does that for every test, which takes longer than many of them; so it is switched off.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager


class LogCollector(logging.Handler):
    """Keeps the records that reach it."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        self.records.append(record)

    @property
    def messages(self) -> list[str]:
        """Return the messages without what belongs to them, such as a traceback."""
        return [record.getMessage() for record in self.records]

    @property
    def text(self) -> str:
        """Return all that a log file would hold, tracebacks included."""
        return "\n".join(map(self.format, self.records))


@contextmanager
def collect_logs() -> Iterator[LogCollector]:
    """Collect what is logged, of any level."""
    root = logging.getLogger()
    collector, level = LogCollector(), root.level
    root.addHandler(collector)
    root.setLevel(logging.NOTSET)
    try:
        yield collector
    finally:
        root.setLevel(level)
        root.removeHandler(collector)
