"""The choice between overloads of a Python function: by constants, and by the arguments that are left out.

A call has the form of symbol records, `(_,True,mode='rb')`, and an overload its parameters as written. As for
type checkers, the first overload that fits counts. If the choice depends on the type of an argument, several
overloads are left.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from repo_mcp.languages.python.paths import COPIED, KEYED
from repo_mcp.languages.treesitter.written_lists import split_list

_UNKNOWN_ARGUMENT = "_"
_CUT = "…"  # at the end of a text that is too long for a record
_LITERAL = re.compile(r"(?:\w+\.)*Literal\[(.*)\]")
_UNION = re.compile(r"(?:\w+\.)*(?:Union|Optional)\[(.*)\]")
_ANY = frozenset({"", "Any", "object"})
# Types with no other constants than these.
_CONSTANTS = {
    "bool": ("True", "False"),
    "int": ("0", "True", "False"),
    "float": ("0", "True", "False"),
    "str": ("'",),
    "None": ("None",),
    "bytes": (),
}


class _Parameter(NamedTuple):
    """A parameter as it is written."""

    name: str
    type: str
    has_default: bool


class _Parameters(NamedTuple):
    """The parameters of an overload."""

    positional: list[_Parameter]
    named: dict[str, _Parameter]  # all that may be given by name
    takes_more: bool  # there is a `*rest`
    takes_named: bool  # there is a `**rest`


def choose_overloads(overloads: Sequence[str], arguments: str, is_bound: bool) -> list[int]:
    """Return the positions of the overloads that a call may mean, in order; all of them if none fits.

    `overloads` are parameters as written. If `is_bound`, the call does not pass the first parameter.
    """
    passed = split_list(arguments[1:-1])
    every = [*range(len(overloads))]
    if "*" in passed or any(one.endswith(_CUT) for one in overloads):
        return every
    fitting = [
        (number, types)
        for number, text in enumerate(overloads)
        if (types := _match(_read_parameters(text, is_bound), passed)) is not None
    ]
    chosen = []
    for at, (number, types) in enumerate(fitting):
        chosen.append(number)
        rest = [other for _, other in fitting[at:]]
        if all(_is_sure(passed[place], place, rest) for place in range(len(types))):
            break
    return chosen or every


def _is_sure(argument: str, place: int, fitting: Sequence[Sequence[str]]) -> bool:
    """Return whether an argument certainly fits the first overload, or all of them equally."""
    type_text = fitting[0][place]
    if type_text in _ANY or all(types[place] == type_text for types in fitting):
        return True
    return _accepts(type_text, argument.rpartition("=")[2]) is True


def _read_parameters(text: str, is_bound: bool) -> _Parameters:
    """Return the parameters in "(self, a: int, *, b: str = ...)"."""
    positional: list[_Parameter] = []
    named: dict[str, _Parameter] = {}
    takes_more = takes_named = is_named = False
    for number, part in enumerate(split_list(text.strip()[1:-1])):
        if is_bound and not number:
            continue
        if part == "/":
            named.clear()
        elif part.startswith("**"):
            takes_named = True
        elif part.startswith("*"):
            takes_more = takes_more or part != "*"
            is_named = True
        else:
            one = _read_parameter(part)
            named[one.name] = one
            if not is_named:
                positional.append(one)
    return _Parameters(positional, named, takes_more, takes_named)


def _read_parameter(text: str) -> _Parameter:
    name, colon, rest = text.partition(":")
    if not colon:
        name, equals, _ = text.partition("=")
        return _Parameter(name.strip(), "", bool(equals))
    written, equals, _ = rest.partition("=")
    return _Parameter(name.strip(), written.strip().strip("\"'"), bool(equals))


def _match(parameters: _Parameters, passed: Sequence[str]) -> list[str] | None:
    """Return the type of the parameter of each argument; None if the arguments do not fit."""
    types = []
    filled = set()
    for place, argument in enumerate(passed):
        name, equals, constant = argument.partition("=")
        if equals:
            one = parameters.named.get(name)
            is_taken = parameters.takes_named
        else:
            constant = argument
            one = parameters.positional[place] if place < len(parameters.positional) else None
            is_taken = parameters.takes_more
        if (one is None and not is_taken) or (one is not None and _accepts(one.type, constant) is False):
            return None
        types.append("" if one is None else one.type)
        filled.add("" if one is None else one.name)
    wanted = [*parameters.positional, *parameters.named.values()]
    return types if all(one.has_default or one.name in filled for one in wanted) else None


def _accepts(type_text: str, constant: str) -> bool | None:
    """Return whether a constant, as it is recorded, has a type; None if that is unknown."""
    if constant == _UNKNOWN_ARGUMENT or constant.startswith((COPIED, KEYED)) or type_text in _ANY:
        return None
    if literal := _LITERAL.fullmatch(type_text):
        return _is_among(constant, split_list(literal[1]))
    parts = [type_text]
    if union := _UNION.fullmatch(type_text):
        parts = [*split_list(union[1]), *(["None"] if "Optional[" in type_text else [])]
    elif "|" in type_text and "[" not in type_text:
        parts = [one.strip() for one in type_text.split("|")]
    if len(parts) > 1:
        found = [_accepts(one, constant) for one in parts]
        return True if True in found else None if None in found else False
    kinds = _CONSTANTS.get(type_text)
    if kinds is None:
        return None
    return (constant[:1] if constant.startswith("'") else constant) in kinds


def _is_among(constant: str, values: Sequence[str]) -> bool | None:
    """Return whether a constant is listed in a `Literal`; None if that is unknown."""
    if constant in ("'", "0"):  # its value is not recorded
        is_text = constant == "'"
        same = [
            one for one in values if (one[:1] in "'\"brBR" and is_text) or (one[:1].isdigit() and not is_text)
        ]
        return None if same else False
    if any("." in one or (one[:1].isupper() and one not in ("True", "False", "None")) for one in values):
        return True if constant in values else None  # a member of an enumeration, or another alias
    return constant in (f"'{one[1:-1]}'" if one[:1] in "'\"" else one for one in values)
