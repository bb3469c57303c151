"""Read the names that a phrase of a question may mean. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.text.stop_words import STOP_WORDS

OF_DEFAULTS = frozenset({"default", "fallback", "initial"})
MAX_WORDS = 5  # of a phrase that may be a name written as words

_NAME = re.compile(r"[\w$@][\w$]*(?:(?:\.|::|->|#)[\w$]+)*")
_INNER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")  # where a word begins inside a name
_PART = re.compile(r"[A-Z]?[a-z]+\d*|[A-Z]+(?![a-z])\d*")
_SIGN = re.compile(r"(?:\.|::|->|#)")  # between the parts of a qualified name
_WORDS = re.compile(r"[\w$]+")
_LOOKS_LIKE_NAME = re.compile(r"[a-z0-9][A-Z]|\w_\w|^_|^[A-Z]\w+|[.:#]|\d")
_IS_SURELY_NAME = re.compile(r"[a-z0-9][A-Z]|\w_\w|^_\w|\w(?:\.|::|#)\w")
_PATH = re.compile(r"[\w.@+~()\[\] /-]+\.\w{1,12}")  # of a file
_OWNED = re.compile(r"([A-Z][\w$]*)['\u2019]s ([a-z_$][\w$]*)")  # "Mutex's acquire", a member of a type


def is_whole_name(name: str, text: str) -> bool:
    """Return True if all words of a text, joined, are a name: `LetCommand` for "let command"."""
    return fold_name(name) == fold_name("".join(_WORDS.findall(text)))


def fold_name(name: str) -> str:
    """Return a name as it is compared where case and underscores do not count."""
    return name.lower().replace("_", "")


def fold_signs(name: str) -> str:
    """Return the letters and digits of a name, in lower case."""
    return re.sub(r"[\W_]", "", name).lower()


def is_named_default(name: str) -> bool:
    """Return True for a name with a word for a value that something has at first: `DEFAULT_LIMIT`."""
    return not OF_DEFAULTS.isdisjoint(write_snake(name).strip("_").split("_"))


def write_snake(name: str) -> str:
    """Return a name in snake case: `max_tries` for `maxTries`."""
    return _INNER.sub("_", name).lower()


def looks_like_name(text: str) -> bool:
    """Return True for a text that is written as a name, and not as a plain word."""
    return _LOOKS_LIKE_NAME.search(text) is not None


def looks_like_code(text: str) -> bool:
    """Return True for a text that does not occur in prose: `maxRetries`, `max_retries`, `a.b`."""
    return _IS_SURELY_NAME.search(text) is not None


def list_names(text: str) -> list[str]:
    """Return the names that a phrase may mean.

    A phrase that is a name as a whole means only itself; in any other, the words that look like names, all
    words joined ("let command": LetCommand), and the telling ones joined.
    """
    if _NAME.fullmatch(text):
        return [text]
    tokens = leave_out_parts(_NAME.findall(text))
    named = [token for token in tokens if _LOOKS_LIKE_NAME.search(token)]
    if owned := _OWNED.fullmatch(text):
        named.insert(0, f"{owned[1]}.{owned[2]}")
    every = _WORDS.findall(text)
    words = [word for word in every if word.lower() not in STOP_WORDS]
    joined = ["_".join(words)] if 1 <= len(words) <= MAX_WORDS else []
    whole = ["_".join(every)] if len(words) < len(every) <= MAX_WORDS else []
    is_title = len(every) > 1 and all(word[:1].isupper() for word in every)  # "Max Idle Time"
    return list(dict.fromkeys([*(joined if is_title else ()), *named, *whole, *joined]))


def leave_out_parts(names: Sequence[str]) -> list[str]:
    """Return names without "e.g" and the like, and without those that end another one, which is meant.

    `run` of "run, as in app.Runner.run".
    """
    ends = {name[found.end() :] for name in names for found in _SIGN.finditer(name)}
    return [one for one in names if one not in ends and not is_abbreviation(one)]


def is_abbreviation(name: str) -> bool:
    """Return True for what looks like a qualified name but is not one: "e.g"."""
    return name.lower() in ("e.g", "i.e")


def is_one_name(text: str) -> bool:
    """Return True for a phrase that is one name, qualified or not."""
    return _NAME.fullmatch(text) is not None


def is_path(text: str) -> bool:
    """Return True for a phrase that may be the path of a file, or the end of one."""
    return _PATH.fullmatch(text) is not None


def split_parts(name: str) -> list[str]:
    """Return the words of which a name is made: `Parcel`, `Get`, `Macro`."""
    return _PART.findall(name)


def split_phrase(text: str) -> list[str]:
    """Return the words of a phrase."""
    return _WORDS.findall(text)
