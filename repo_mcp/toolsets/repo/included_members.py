"""Finds the modules whose members a class has because lines of it include them.

    class Base
      include Persistence         so Base#save is Persistence#save, unless a later module has one
      MODULES = [                 or a constant lists what a loop includes
        Rendering,

Left out on purpose: what a superclass includes, and what the included modules include.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from repo_mcp.text.shared_parts import count_shared

if TYPE_CHECKING:
    from repo_mcp.model import Hit
    from repo_mcp.repository import Repository

MOST_FILES = 3  # that declare the class
MOST_MODULES = 200
MOST_NAMED = 200  # declarations of the member's name
_NAME = r"\\?[A-Z]\w*(?:(?:::|\\)[A-Z]\w*)*"
_INCLUDES = re.compile(rf"\s*(?:include|extend|prepend|use)[ (]+({_NAME}(?:\s*,\s*{_NAME})*)")
_INCLUDES_EACH = re.compile(r"\binclude[ (]+[a-z_]\w*\b")
_LISTED = re.compile(rf"\s*({_NAME}),?\s*(?:#|$)")
_OF_CLASS = ".ClassMethods"  # what a module adds to the class itself, by custom


def find_included(repository: Repository, owner: str, paths: Sequence[str], name: str) -> list[Hit]:
    """Return what modules that a class includes declare with a name, the last included first.

    `paths` are the files that declare the class. Raises RepoError.
    """
    from repo_mcp.model import SearchRequest  # here: tools are listed before the engine is loaded

    modules = _list_modules(repository, owner, paths)
    if not modules:
        return []
    request = SearchRequest(name, MOST_NAMED, symbols_only=True, names_snapshot=False)
    hits = {
        hit.symbol.removesuffix(f".{name}").removesuffix(_OF_CLASS): hit
        for hit in reversed(repository.search(request).hits)  # so that the best of a type is kept
        if hit.symbol is not None and hit.symbol.endswith(f".{name}")
    }
    found = []
    for module in modules:
        ending = "." + module.replace("::", ".").replace("\\", ".").lstrip(".")
        holders = [holder for holder in hits if f".{holder}".endswith(ending)]
        nearest = max(holders, key=lambda one: count_shared(one.split("."), owner.split(".")), default=None)
        if nearest is not None:
            found.append(hits.pop(nearest))
    return found


def _list_modules(repository: Repository, owner: str, paths: Sequence[str]) -> list[str]:
    """Return the modules that the lines of a class name as included, the last first, each once."""
    from repo_mcp.languages.outline.symbol_lookup import find_named

    named: list[str] = []
    for path in paths[:MOST_FILES]:
        for one in find_named(repository.outline(path).symbols, owner):
            lines = repository.open_file(path, one.start_line, one.end_line).lines
            patterns = [_INCLUDES, *([_LISTED] if any(map(_INCLUDES_EACH.search, lines)) else [])]
            for line in lines:
                found = next(filter(None, (pattern.match(line) for pattern in patterns)), None)
                named += re.findall(_NAME, found[1]) if found else []
    return [*dict.fromkeys(reversed(named))][:MOST_MODULES]
