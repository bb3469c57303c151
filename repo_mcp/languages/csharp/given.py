"""The arguments of a C# call as text, which tell several methods of one name apart.

"(total,=string,1)": a chain of names for a value; "=" and a type for an expression that shows its type; "0"
for a zero and "1" for any other whole number; "=>2" for a function of two parameters; "{}" for an object
without a type; "?" for anything else. "name:" comes before a named argument, and "&" before one passed by
reference. Unknown arguments at the end are left out; where nothing is known the text is empty.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from repo_mcp.languages.treesitter.scope_walk import UNKNOWN
from repo_mcp.languages.treesitter.written_lists import split_list

MAX_GIVEN_CHARS = 250  # for one call; a string of a record has at most MAX_TEXT_CHARS
NO_TYPE = "{}"
FUNCTION = "=>"
NULL = "=null"
WHOLE_NUMBERS = frozenset({"0", "1"})
_FORM = re.compile(r"((?:\w+:)?&?)(.*)", re.DOTALL)


class Given(NamedTuple):
    """One argument of a call."""

    form: str  # "name:", "&", both or neither
    value: str


def join_given(given: list[Given]) -> str:
    """Return the text of a call's arguments: the first ones, as many as fit."""
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
    """Return the number of type arguments and the arguments that the alias of a call holds."""
    arity, _, text = alias.partition("(")
    parts = split_list(text.removesuffix(")"))
    return int(arity.removeprefix("`") or 0), [_read_given(part) for part in parts]


def _read_given(part: str) -> Given:
    form, value = _FORM.fullmatch(part).groups()  # type: ignore[union-attr]  # matches any text
    return Given(form, value)
