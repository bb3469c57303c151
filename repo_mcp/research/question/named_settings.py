"""Read which setting a question names: an option of the command line, or a key of a configuration. Pure.

The word beside a name tells: "the full feature", "the flag verbose". Without one, a name with dashes or dots
may be an option, and words with a hyphen may be a key. Whether the repository has either is not known here.
"""

from __future__ import annotations

import re

from repo_mcp.text.stop_words import STOP_WORDS

_NAME = r"[A-Za-z][A-Za-z0-9_]*(?:[-.][A-Za-z0-9_]+)*"
_BEGINS = r"(?<![\w/.-])"


def _compile(expression: str) -> re.Pattern[str]:
    return re.compile(expression, re.IGNORECASE)


def _compile_said(kinds: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the expressions for a name behind the word for its kind, and before it."""
    behind = _compile(rf"\b{kinds}(?: called| named)? [`'\"]?({_NAME})")
    return behind, _compile(rf"{_BEGINS}({_NAME})[`'\"]? {kinds}\b")


_OPTION = _compile_said(r"(?:command[- ]line )?(?:flag|option|switch)s?")
_ASKS_OPTION = _compile(
    r"\b(?:where|defaults?|declar\w+|defin\w+|configur\w+|register\w+|which (?:variable|field))\b"
)
_DASHED = re.compile(rf"{_BEGINS}--({_NAME})")
_ANY_NAME = re.compile(rf"{_BEGINS}({_NAME})")
_KEY = _compile_said(r"(?:cargo )?(?:feature(?: flag)?|extra|config(?:uration)? key|manifest key|key)")
_ASKS_KEY = _compile(
    r"\b(?:where|what|which|declar\w+|defin\w+|configur\w+|set|turns?(?: on)?|enables?|pulls?|brings?)\b"
)
_HYPHENATED = re.compile(r"(?<![\w/.`-])`?([a-z][a-z0-9]*(?:-[a-z0-9]+)+)`?(?![\w/.-])")
_OF_CONFIGURATION = re.compile(r"(?:\w+\.)*config(?:uration)?(?:\.\w+)*\.([a-z][a-z0-9]*(?:_[a-z0-9]+)+)")


def list_options(question: str) -> list[str]:
    """Return what may be the option whose declaration or default a question asks for, the surest first."""
    if _ASKS_OPTION.search(question) is None:
        return []
    joined = [name for name in _ANY_NAME.findall(question) if re.search(r"[.-]", name)]
    said = _list_said(_OPTION, _ASKS_OPTION, question)
    return list(dict.fromkeys((*_DASHED.findall(question), *said, *joined)))


def list_keys(question: str, *, is_place: bool) -> list[str]:
    """Return what may be a key in a question for one, the surest first; words with a hyphen if `is_place`."""
    if _ASKS_KEY.search(question) is None:
        return []
    hyphenated = _HYPHENATED.findall(question) if is_place else []
    return list(dict.fromkeys((*_list_said(_KEY, _ASKS_KEY, question), *hyphenated)))


def _list_said(kind: tuple[re.Pattern[str], ...], asks: re.Pattern[str], question: str) -> list[str]:
    """Return the names beside a word for their kind, without the words that ask: "where is the flag set"."""
    found = (name for said in kind for name in said.findall(question))
    return [name for name in found if name.lower() not in STOP_WORDS and not asks.fullmatch(name)]


def read_configuration_key(name: str) -> str:
    """Return the last part of a key such as `config.depot.max_size`; "" for any other name.

    A program declares, sets and reads it under that name alone, on objects that are called otherwise.
    """
    found = _OF_CONFIGURATION.fullmatch(name)
    return found[1] if found is not None else ""
