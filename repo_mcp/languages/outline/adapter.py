"""What a language plug-in is: the calls that the rest of the program makes of it, and how its parser fails.

An adapter needs a name and the first two methods; the others have defaults for a class that derives
from `Adapter`, and may be missing from one that does not. Its calls come from several threads at once.

Left out on purpose: reading files, which is the door's, and running parsers of hostile text in this
process: an adapter that needs one is given `Parse`, whose work happens in a process that can be killed.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Protocol

from repo_mcp.model import Outline

BUILT_IN = ("python", "headings", "keys", "lexical")  # names that no installed adapter can take


class Adapter(Protocol):
    """Source text of one or more languages to its structure. Texts have "\\n" for every line end."""

    name: str  # lower case, as `repo.status` lists it

    def supports_path(self, path: str) -> bool:
        """True when files of this name are the adapter's. Asks nothing but the name."""

    def outline(self, path: str, text: str) -> Outline:
        """The declarations of a text, ordered; empty with a warning for what does not parse. Never raises."""

    def smart_chunks(self, path: str, text: str) -> tuple[int, ...] | None:
        """First lines of chunks that keep declarations whole, from 1 up; None where there is no reason to."""
        return None

    def symbol_hints(self, prompt: str) -> tuple[str, ...]:
        """Names of symbols that a person's text seems to speak of, in the order met."""
        return ()

    def references(self, path: str, text: str) -> tuple[object, ...]:
        """The names that a text uses. Reserved: nothing asks yet."""
        return ()


class ParserFault(StrEnum):
    """Why a parser's process gave no answer."""

    DIED = "died"  # this text took it over its limits of time or memory, or crashed it
    UNAVAILABLE = "unavailable"  # no process could be had: says nothing about the text


class ParserFailed(Exception):
    """A parser's process gave no answer."""

    def __init__(self, fault: ParserFault) -> None:
        super().__init__(fault.value)
        self.fault = fault


Parse = Callable[[str, bytes], bytes]  # a task's name and a text to the task's answer; raises ParserFailed
