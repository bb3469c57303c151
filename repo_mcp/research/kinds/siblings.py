"""Tell what names the types of a kind where they are listed: their own names, or what tells each from others.

    class BetterSqliteStore(Store), class RedisStore(Store)    -> "better-sqlite", "redis"; `RedisOptions`
    disk.py: class Transport(Base), mail.py: class Transport(Base)    -> "disk", "mail"

Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.record_classes import dataclass

MOST_SIBLINGS = 60
LEAST_KEY = 2  # characters of what tells one from others
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
OF_BASES = frozenset({"abstract", "base", "i", "interface", "mixin"})  # begin or end the name of any base
_ANY_FILE = frozenset({"__init__", "index", "mod", "lib", "main"})  # stems that name nothing


@dataclass(frozen=True, slots=True)
class Sibling:
    """One of a kind, as other code names it."""

    name: str
    key: tuple[str, ...]  # lower-case words that tell it from the others; () for none


def split_words(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case; digits belong to the word before them."""
    words: list[str] = []
    for word in _WORD.findall(name):
        if word.isdigit() and words:
            words[-1] += word
        else:
            words.append(word.lower())
    return tuple(words)


def read_siblings(base: Node, nodes: Sequence[Node]) -> list[Sibling]:
    """Return some types that derive from a base as siblings; where several share a name, files tell them."""
    kind = tuple(word for word in split_words(base.symbol.name) if word not in OF_BASES)
    own = {node.qualified_name: node for node in reversed(nodes)}  # a type may have several parts
    names = Counter(node.symbol.name for node in own.values())
    found: dict[tuple[str, tuple[str, ...]], Sibling] = {}
    for node in nodes[:MOST_SIBLINGS]:
        name = node.symbol.name
        key = _read_stem(node.path) if names[name] > 1 else _leave_out(split_words(name), kind)
        if len("".join(key)) < LEAST_KEY:
            key = ()
        found.setdefault((name, key), Sibling("" if names[name] > 1 else name, key))
    return [*found.values()]


def _leave_out(words: tuple[str, ...], kind: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a name without those of its kind at the end, or else at the beginning."""
    for at in range(len(kind)):
        own = kind[at:]
        if words[-len(own) :] == own:
            return words[: -len(own)]
        if words[: len(own)] == own:
            return words[len(own) :]
    return words


def _read_stem(path: str) -> tuple[str, ...]:
    *folders, name = path.split("/")
    stem = name.partition(".")[0]
    return split_words(folders[-1] if stem in _ANY_FILE and folders else stem)


def spell_key(key: Sequence[str]) -> list[str]:
    """Return the ways in which code spells a key: `betterSqlite`, `better_sqlite`, `better-sqlite`, ..."""
    capital = "".join(map(str.capitalize, key))
    spelled = (
        "".join(key), "-".join(key), "_".join(key), capital, capital[:1].lower() + capital[1:],
        "_".join(key).upper(), "".join(key).upper(),
    )  # fmt: skip
    return [*dict.fromkeys(spelled)]
