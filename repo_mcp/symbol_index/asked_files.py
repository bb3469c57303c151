"""Lets calls ask the round that runs in the background to parse a few files before all others.

Asking does not end the round, so its plan, its processes and what they are parsing are kept: when each of
sixty calls in a row ended the round, it made no progress. The round commits the files of a call as soon as
they are parsed, or those that are parsed by the deadline of the call.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager

from index_format import Manifest

POLL_SECONDS = 0.05  # between looks at whether the index is being closed
Closed = Callable[[], bool]


class AskedFiles:
    """The questions of calls to the running round. Safe for several threads."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._followed: Manifest | None = (
            None  # the lexical index that the running round follows; None: none runs
        )
        self._new: list[Question] = []
        self._open: list[Question] = []

    @contextmanager
    def answering(self, lexical: Manifest) -> Iterator[None]:
        """Take questions while a round over this lexical index runs; those left at its end get no answer."""
        with self._changed:
            self._followed = lexical
        try:
            yield
        finally:
            self.end(())

    def ask(
        self, lexical: Manifest, paths: Sequence[str], deadline: float, grace: float, closed: Closed
    ) -> Question | None:
        """Have the files parsed next, and wait until they are committed, `grace` seconds beyond `deadline`.

        Returns None at once if no round runs over this lexical index.
        """
        with self._changed:
            if self._followed != lexical:
                return None
            question = Question(tuple(paths), deadline)
            self._new.append(question)
            while not (question.is_over or closed() or time.monotonic() > deadline + grace):
                self._changed.wait(POLL_SECONDS)
            return question

    def take(self) -> list[Question]:
        """Return the questions that have come since the last call."""
        with self._changed:
            new, self._new = self._new, []
            self._open += new
            return new

    def find_due(self, taken: Collection[str]) -> list[Question]:
        """Return the questions whose files are all in `taken`, or whose deadline is over."""
        now = time.monotonic()
        with self._changed:
            return [one for one in self._open if one.wanted.issubset(taken) or now >= one.deadline]

    def end(self, taken: Collection[str]) -> None:
        """Take no more questions, and let all waiting calls go on."""
        with self._changed:
            self._followed = None
            self._open += self._new
            self._new = []
        self.release([*self._open], taken)

    def release(self, questions: Sequence[Question], taken: Collection[str]) -> None:
        """Let the waiting calls go on. A question is answered if all its files are in `taken`."""
        with self._changed:
            for one in questions:
                one.is_over, one.is_answered = True, one.wanted.issubset(taken)
                self._open.remove(one)
            self._changed.notify_all()


class Question:
    """The files that one call waits for."""

    __slots__ = ("deadline", "is_answered", "is_over", "paths", "wanted")

    def __init__(self, paths: tuple[str, ...], deadline: float) -> None:
        self.paths = paths  # the best ones first
        self.deadline = deadline  # time.monotonic
        self.wanted: frozenset[str] = frozenset(paths)  # those of them that the round has to parse
        self.is_over = False  # the round does no more for it
        self.is_answered = False  # all of `wanted` were parsed, or failed
