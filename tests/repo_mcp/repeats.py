"""Find expressions in which two repeats may share a run of characters: they try each way to cut it in two.

    \\s*;?\\s*$    on n blanks and an x: n ways, each of which fails only after the rest of the run

Left out on purpose: repeats inside of repeats, and two with something between them that must be there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

from repo_mcp.late_patterns import compile_late

# Python's own parser and compiler of expressions, which have no stubs.
parser: Any = import_module("re._parser")
compiler: Any = import_module("re._compiler")

MANY = 500  # a repeat of fewer characters takes at most so many steps for each character
_ALPHABET = ("\t", "\n", *map(chr, range(32, 127)))
_ONE = (parser.LITERAL, parser.NOT_LITERAL, parser.ANY, parser.IN)
_BACKTRACKING = (parser.MAX_REPEAT, parser.MIN_REPEAT)
_REPEATS = (*_BACKTRACKING, parser.POSSESSIVE_REPEAT)
_LATE: type[Any] = type(compile_late(""))

Items = Sequence[tuple[Any, Any]]  # of a parse tree


def iter_expressions(package: ModuleType) -> Iterator[tuple[str, str | bytes, int]]:
    """Yield the name, the source and the flags of each expression in the modules of a package."""
    for module in walk_packages(package.__path__, f"{package.__name__}."):
        if module.name.endswith("__main__"):
            continue
        for name, value in vars(import_module(module.name)).items():
            for one in _iter_held(value):
                late = isinstance(one, _LATE)
                source, flags = (one._source, one._flags) if late else (one.pattern, one.flags)
                yield f"{module.name.removeprefix(f'{package.__name__}.')}.{name}", source, flags


def _iter_held(value: object) -> Iterator[Any]:
    if isinstance(value, (re.Pattern, _LATE)):
        yield value
    elif isinstance(value, (dict, tuple, list)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _iter_held(one)


@cache  # modules import expressions from each other
def shares_a_run(source: str | bytes, flags: int) -> bool:
    """Return True for an expression in which a repeat may share a run of characters with the next one."""
    return _shares(parser.parse(source, flags), [])


def _shares(items: Items, behind: Items) -> bool:
    """Return True if a repeat shares a run with the next, which may be one of those `behind` the items."""
    for at, (kind, given) in enumerate(items):
        after = [*items[at + 1 :], *behind]
        if kind in _BACKTRACKING and _is_run(given) and _list_characters(given) & _find_next(after):
            return True
        goes_on = kind is parser.SUBPATTERN or kind is parser.BRANCH or (kind in _REPEATS and given[1] == 1)
        if any(_shares(inner, after if goes_on else []) for inner in _list_inner(kind, given)):
            return True
    return False


def _find_next(items: Items, has_more: bool = False) -> frozenset[str]:
    """Return the characters of the repeats that may come first, unless they are the end."""
    found: frozenset[str] = frozenset()
    for at, (kind, given) in enumerate(items):
        more = has_more or at + 1 < len(items)
        if kind in _REPEATS and _is_run(given):
            found |= _list_characters(given) if more else frozenset()
        else:
            found = found.union(*(_find_next(inner, more) for inner in _list_inner(kind, given)))
        if kind in (*_ONE, parser.AT) or _count_least(kind, given):
            break
    return found


def _is_run(repeat: Any) -> bool:
    _, most, inner = repeat
    return bool(most >= MANY and len(inner) == 1 and inner[0][0] in _ONE)


def _list_characters(repeat: Any) -> frozenset[str]:
    return frozenset(filter(compiler.compile(repeat[2]).fullmatch, _ALPHABET))


def _list_inner(kind: Any, given: Any) -> list[Any]:
    """Return the trees inside of one item."""
    if kind is parser.BRANCH:
        return list(given[1])
    if kind in (parser.ASSERT, parser.ASSERT_NOT):
        return [given[1]]
    if kind is parser.ATOMIC_GROUP:
        return [given]
    return [given[-1]] if kind in (*_REPEATS, parser.SUBPATTERN) else []


def _count_least(kind: Any, given: Any) -> int:
    """Return how many characters an item takes at least."""
    least: list[int] = [inner.getwidth()[0] for inner in _list_inner(kind, given)]
    return min(least, default=0) * (given[0] if kind in _REPEATS else 1)
