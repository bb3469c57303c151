"""What a C# call is given, as text: it tells which of several methods of one name is meant.

"(total,=string,1)": a value as a chain of names; "=" and the type that an expression shows; "0" or "1", a
whole number that stands there, zero or another; "=>2" a function of two parameters; "{}" an object without a
type; "?" for anything else. Before it "name:" of a parameter that is named, and "&" of what is given by
reference. Unknown ones at the end are left out, and where nothing is known the text is empty.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from repo_mcp.languages.treesitter.scope_walk import UNKNOWN
from repo_mcp.languages.treesitter.written_lists import split_list

MAX_GIVEN_CHARS = 250  # of what is said of a call; a string of a record has at most MAX_TEXT_CHARS
NO_TYPE = "{}"
FUNCTION = "=>"
NULL = "=null"
WHOLE_NUMBERS = frozenset({"0", "1"})
_FORM = re.compile(r"((?:\w+:)?&?)(.*)", re.DOTALL)


class Given(NamedTuple):
    """One argument of a call."""

    form: str  # "name:" and "&", where they are
    value: str


def join_given(given: list[Given]) -> str:
    """The text of the arguments of a call: of the first that have room in it."""
    parts: list[str] = []
    known = room = 0
    for one in given:
        parts.append(one.form + one.value)
        room += len(parts[-1]) + 1
        if room > MAX_GIVEN_CHARS:
            break
        known = len(parts) if parts[-1] != UNKNOWN else known
    return f"({','.join(parts[:known])})" if known else ""


def split_call(alias: str) -> tuple[int, list[Given]]:
    """The number of type arguments, and the arguments, that the alias of a call says."""
    arity, _, text = alias.partition("(")
    parts = split_list(text.removesuffix(")"))
    return int(arity.removeprefix("`") or 0), [_read_given(part) for part in parts]


def _read_given(part: str) -> Given:
    form, value = _FORM.fullmatch(part).groups()  # type: ignore[union-attr]  # matches any text
    return Given(form, value)
