"""The interface of a language plug-in: the calls that the program makes, and how its parser fails.

An adapter needs a name and the first two methods. The others have defaults for a class that derives
from `Adapter`, and may be missing from one that does not. `docs/adapters.md` tells how to write one.

An installed adapter is created twice: in the server, which only calls `supports_path`, from several threads
at once; and in a process that can be killed, which calls the methods that read text. Built-in adapters have
only the first two methods, since the index finds chunks and symbols of their languages in other ways; they
receive `Parse`.

Left out on purpose: reading files, which is the repository reader's job.

The amount of text in an outline is limited for all adapters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Protocol

from repo_mcp.model import Outline
from repo_mcp.record_classes import dataclass

BUILT_IN = ("python", "headings", "keys", "lexical")  # names that an installed adapter cannot use
MAX_SYMBOLS = 10_000
MAX_NAME_CHARS = 200
MAX_PARENT_CHARS = 1_000  # of a qualified name
MAX_DOC_CHARS = 200
MAX_SIGNATURE_CHARS = 400
CUT = "…"


def cut(text: str, most: int) -> str:
    """Return the text, or its first `most - 1` characters and an ellipsis."""
    return text if len(text) <= most else text[: most - 1] + CUT


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a name in a text: a reference that is still to be resolved."""

    name: str  # the last identifier alone: `c` of `a.b.c`
    line: int  # from 1
    role: str = "use"  # call, inherit, implement, extend, import, export, accept, type or use


class Adapter(Protocol):
    """A language plug-in, from source text to outlines. Texts have "\\n" for every line end."""

    name: str  # lower case, as `repo.status` lists it
    # Extensions with their dot (".just") and whole file names ("justfile"), in lower case -> their language.
    # They only add languages: an extension or name that the program knows already keeps its language.
    languages: Mapping[str, str] = MappingProxyType({})

    def supports_path(self, path: str) -> bool:
        """Return True when the adapter handles files of this name. Looks at nothing but the name."""

    def outline(self, path: str, text: str) -> Outline:
        """Return the declarations of a text; with a warning if it does not parse."""

    def smart_chunks(self, path: str, text: str) -> Sequence[int] | None:
        """Return the first lines (from 1) of chunks that keep declarations whole; None to cut as usual."""
        return None

    def symbol_hints(self, prompt: str) -> Sequence[str]:
        """Return the names in a user's prompt that look like symbols of the language, the surest first."""
        return ()

    def references(self, path: str, text: str) -> Sequence[Use]:
        """Return the names that a text uses, without those it declares."""
        return ()


class ParserFault(StrEnum):
    """The reason why a parser process gave no answer."""

    DIED = "died"  # the text exceeded its time or memory limit, or crashed it
    UNAVAILABLE = "unavailable"  # no process could be started: says nothing about the text


class ParserFailed(Exception):
    """A parser process gave no answer."""

    def __init__(self, fault: ParserFault, why: str = "") -> None:
        """`why` is a sentence, if more is known than the fault says."""
        super().__init__(fault.value)
        self.fault = fault
        self.why = why


Parse = Callable[[str, bytes], bytes]  # (name of a task, text) -> the task's answer; raises ParserFailed
