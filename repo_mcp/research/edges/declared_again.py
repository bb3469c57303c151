"""Find the methods that override one where no parser reads them: those of its name in related types.

A type is related if it derives from the one with the method or mixes it in, and so is what such a type mixes
in beside it: `include Saving` and `include Validating` in one class. Lines of text say so (written_types.py).
"""

from __future__ import annotations

import re

from repo_mcp.languages.patterns.declared_spans import holds_members
from repo_mcp.model import Hit
from repo_mcp.research.edges.unparsed_files import read_declared_lines
from repo_mcp.research.edges.written_types import (
    Parts,
    agree,
    find_meant,
    list_declared,
    list_deriving,
    list_written_bases,
    split_parts,
)
from repo_mcp.research.findings.locating import is_test_place
from repo_mcp.research.findings.research_state import ResearchState

MAX_RELATED = 40  # types that derive from that of a member, and whose bases are read
MAX_NAME_LINES = 4  # of a declaration, in which its name is looked for: others are of decorators


def is_member(state: ResearchState, hit: Hit) -> bool:
    """Return whether a declaration is a function or a value, and no type or module."""
    name, first = split_parts(hit.symbol or "")[-1], read_declared_lines(hit)[0]
    lines = state.source.read_lines(hit.path)[first - 1 : first - 1 + MAX_NAME_LINES]
    head = next((line for line in lines if name in line), "")
    return not (holds_members(head, name) or (name[:1].isupper() and re.search(rf"{name}\s*=", head)))


def list_declared_again(
    state: ResearchState, places: tuple[Hit, ...], name: str, languages: set[str]
) -> list[Hit]:
    """Return the members of a name in types that are related to those of its declarations, of tests last."""
    owners = {split_parts(hit.symbol or "")[:-1] for hit in places} - {()}
    if not owners:
        return []
    known = {(hit.path, hit.start_line) for hit in places}
    found = {
        hit: split_parts(hit.symbol or "")[:-1]
        for hit in state.source.list_spelled(name)
        if (hit.path, hit.start_line) not in known and state.admits(hit.path) and hit.symbol_name == name
    }
    related, beside = _list_related(state, owners, languages, set(found.values()))
    above = owners | related
    again = [
        hit
        for hit, own in found.items()
        if own in related | beside or _derives_from(state, hit.path, own, above)
    ]
    return sorted(again, key=lambda hit: (is_test_place(hit.path), hit.path, hit.start_line))


def _list_related(
    state: ResearchState, owners: set[Parts], languages: set[str], types: set[Parts]
) -> tuple[set[Parts], set[Parts]]:
    """Return the types that derive from the owners or mix them in, and those of `types` mixed in beside."""
    deriving = list_deriving(state, owners, languages)[:MAX_RELATED]
    related = {split_parts(one.symbol): one.path for one in deriving if one.symbol != one.path}
    beside: set[Parts] = set()
    for own, path in related.items():
        for base in list_written_bases(state, path, own):
            beside |= find_meant(base, own, [one for one in types if agree(base, one)])
    return set(related), beside - owners


def _derives_from(state: ResearchState, path: str, own: Parts, above: set[Parts]) -> bool:
    """Return whether a type says that it derives from one of those `above`."""
    return any(
        not find_meant(base, own, [*list_declared(state, base[-1]), *above]).isdisjoint(above)
        for base in list_written_bases(state, path, own)
        if any(agree(base, one) for one in above)
    )
