"""List the likely names of an error that a question describes by a negation. Pure.

    "a parcel that isn't labelled"       NotLabelled, Unlabelled, ParcelNotLabelled, UnlabelledParcel
    "an unknown parcel", "no parcel"     UnknownParcel, NoSuchParcel, ParcelNotFound
    "the parcel does not exist"          the same

Most of these names are declared nowhere: whoever asks for them looks each of them up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from repo_mcp.text.question_words import list_words

MOST_NOUNS = 6  # words before what is denied, any of which may be what is missing
_BEFORE, _ENDINGS = ("", "Err"), ("", "Error", "Exception")  # of an error's name
_LIGHT = r"(?:(?:any|be|been|even|have|yet|an?|the|to)\s++){0,3}"
_DENIES = re.compile(
    rf"(?:n't|\bnot|\bcannot|\bnever|\bno\s+longer)\s++{_LIGHT}([a-z]{{3,}})"
    r"|\b(?:is|are|was|were)\s+(missing|unknown|undefined|absent)\b"
    r"|\bun([a-z]{2,}(?:ed|n))\b",
    re.IGNORECASE,
)
_DENIED_NOUN = re.compile(
    r"\b(unknown|missing|undefined|invalid|unexpected|unsupported|no(?:\s+such)?)\s++([a-z]+)(?:\s+([a-z]+))?",
    re.IGNORECASE,
)
# What is denied of what is not there, and what its error is called then.
_ABSENT = re.compile(
    r"exists?|found|known?|registered|defined|missing|unknown|undefined|absent", re.IGNORECASE
)
_OF_ABSENT = (
    "Unknown{}", "NoSuch{}", "{}NotFound", "Missing{}", "Undefined{}", "{}DoesNotExist", "No{}"
)  # fmt: skip
_OF_OTHERS = frozenset({"invalid", "unexpected", "unsupported"})  # which begin the name of their error


def list_denied_names(query: str) -> list[str]:
    """Return the likely names of an error that a question describes by a negation, the likeliest first."""
    names = dict.fromkeys((*_name_nouns(query), *_name_denied(query)))
    return [f"{before}{name}{ending}" for name in names for before in _BEFORE for ending in _ENDINGS]


def _name_nouns(query: str) -> Iterator[str]:
    """Yield the names for a noun that is denied by the word before it: `UnknownParcel`."""
    for found in _DENIED_NOUN.finditer(query):
        word = found[1].capitalize()
        for name in (_join(found[2], found[3] or ""), _join(found[2])):
            yield f"{word}{name}"
            if found[1].lower() not in _OF_OTHERS:
                yield from (one.format(name) for one in _OF_ABSENT)


def _name_denied(query: str) -> Iterator[str]:
    """Yield the names for a denied word, with a noun before it and alone: `ParcelNotLabelled`, `NotLabelled`.

    For what is not there, yield those of what that may be.
    """
    for found in _DENIES.finditer(query):
        word = (found[1] or found[2] or found[3]).capitalize()
        nouns = [one.lower() for one in list_words(query[: found.start()])][-MOST_NOUNS:]
        joined = [*map(_join, nouns, nouns[1:]), *map(_join, nouns)]
        own = (f"{word}{{}}", f"{{}}{word}") if found[2] else (f"{{}}Not{word}", f"Un{word.lower()}{{}}")
        yield from (one.format(name) for name in joined for one in own)
        if _ABSENT.fullmatch(word):
            yield from (one.format(name) for name in joined for one in _OF_ABSENT)
        yield from (f"{before}{word.lower()}" for before in ("Un", "In", "Non"))
        yield f"Not{word}"


def _join(*nouns: str) -> str:
    """Return the words of a name, the last one in the singular: `LockedDoor`."""
    joined = "".join(one.capitalize() for one in nouns)
    return joined if joined.endswith("ss") else joined.removesuffix("s")
