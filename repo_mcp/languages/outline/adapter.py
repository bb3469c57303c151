"""The interface of a language plug-in: the calls that the program makes, and how its parser fails.

An adapter needs a name and the first two methods. The others have defaults for a class that derives
from `Adapter`, and may be missing from one that does not. Calls come from several threads at once.

Left out on purpose: reading files, which is the repository reader's job, and parsing hostile text in this
process: an adapter that needs a parser is given `Parse`, which works in a process that can be killed.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Protocol

from repo_mcp.model import Outline

BUILT_IN = ("python", "headings", "keys", "lexical")  # names that an installed adapter cannot use


class Adapter(Protocol):
    """A language plug-in, from source text to outlines. Texts have "\\n" for every line end."""

    name: str  # lower case, as `repo.status` lists it

    def supports_path(self, path: str) -> bool:
        """Return True when the adapter handles files of this name. Looks at nothing but the name."""

    def outline(self, path: str, text: str) -> Outline:
        """Return the declarations of a text, in order; with a warning if it does not parse. Never raises."""

    def smart_chunks(self, path: str, text: str) -> tuple[int, ...] | None:
        """Return the first lines (from 1) of chunks that keep declarations whole; None to cut as usual."""
        return None

    def symbol_hints(self, prompt: str) -> tuple[str, ...]:
        """Return the names in a user's prompt that look like symbols, in order of appearance."""
        return ()

    def references(self, path: str, text: str) -> tuple[object, ...]:
        """Return the names that a text uses. Reserved: not called yet."""
        return ()


class ParserFault(StrEnum):
    """The reason why a parser process gave no answer."""

    DIED = "died"  # the text exceeded its time or memory limit, or crashed it
    UNAVAILABLE = "unavailable"  # no process could be started: says nothing about the text


class ParserFailed(Exception):
    """A parser process gave no answer."""

    def __init__(self, fault: ParserFault) -> None:
        super().__init__(fault.value)
        self.fault = fault


Parse = Callable[[str, bytes], bytes]  # (name of a task, text) -> the task's answer; raises ParserFailed
