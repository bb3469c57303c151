"""Name symbols and findings with their citations, as the sentences of a claim do. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from repo_mcp.graph.importers import DEFAULT
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.typescript.modules import SUFFIXES
from repo_mcp.research.findings.records import Finding
from repo_mcp.symbols.symbol_record import SymbolKind
from repo_mcp.text.citations import write_citation
from repo_mcp.titled_names import split_qualified

MAX_NAMED = 3  # in one sentence
# A name with its citation. What it quotes may look like one: `late = (paid?a:1)`.
_PLACE = re.compile(r"((?:`[^`]*+`|\"[^\"]*+\"|[^`\"])*? \()([^\s():]+)(:\d.*)", re.DOTALL)
_FURTHER = re.compile(r"[;,] ([^\s():;,]+):\d")  # the path of another one
UNNAMED = "the default export"


def write_count(number: int, noun: str) -> str:
    """Return a number with its noun, which has an s for any number but 1."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def name_briefly(node: Node) -> str:
    """Return the last two parts of a symbol's name with its citation, whose path says the rest."""
    if node.symbol.kind is SymbolKind.FILE:
        return f"top level ({cite(node)})"
    return f"{shorten_in(node.path, node.qualified_name)} ({cite(node)})"


def shorten(name: str) -> str:
    """Return the last two parts of a qualified name."""
    return ".".join(split_qualified(name)[-2:])


def shorten_in(path: str, name: str) -> str:
    """Return the last two parts of a qualified name; words for what a script file exports without a name."""
    if not path.endswith(SUFFIXES):
        return shorten(name)
    return UNNAMED if name == DEFAULT else shorten(name.removeprefix(f"{DEFAULT}."))


def cite(node: Node) -> str:
    return write_citation(node.path, node.symbol.start_line, node.symbol.end_line)


def shorten_symbol(one: Finding) -> str:
    """Return the brief name of a finding's symbol; a finding without a name is a path, and stays whole."""
    return shorten_in(one.path, one.symbol) if one.name else one.symbol


def name_findings(
    found: Iterable[Finding], most: int = MAX_NAMED, beyond: int = 0, *, at_least: bool = False
) -> str:
    """Return the names of the first findings with their citations, joined as `join_names` does."""
    names = (f"{shorten_symbol(one)} ({one.citation})" for one in found)
    return join_names(names, most, beyond, at_least=at_least)


def cite_line(place: Finding) -> str:
    """Return the citation of the first line for which a place was found, or else of the whole place."""
    return write_citation(place.path, place.lines[0], place.lines[0]) if place.lines else place.citation


def cite_lines(place: Finding, most: int = MAX_NAMED) -> str:
    """Return the citation of the first lines for which a place was found, or else of the whole place."""
    others = "".join(f", :{at}" for at in place.lines[1:most])
    return f"{cite_line(place)}{others}"


def join_places(names: Iterable[str]) -> str:
    """Return names with their citations joined; one in the file of the one before has no path."""
    return join_names(drop_paths(dict.fromkeys(names)))


def join_by_file(places: Iterable[str]) -> list[str]:
    """Return names with citations, those of one file joined where the first of them stood."""
    joined: dict[str, list[str]] = {}
    for one in places:
        place = _PLACE.fullmatch(one)
        joined.setdefault(place[2] if place is not None else one, []).append(one)
    return [", ".join(drop_paths(own)) for own in joined.values()]


def drop_paths(names: Iterable[str], path: str = "") -> Iterator[str]:
    """Yield names with their citations; one in the same file as the one before, or in `path`, has no path."""
    for name in names:
        place = _PLACE.fullmatch(name)
        yield f"{place[1]}{place[3]}" if place is not None and place[2] == path else name
        path = ["" if place is None else place[2], *_FURTHER.findall(name)][-1]


def join_clauses(clauses: Sequence[str]) -> str:
    """Return clauses joined, with a comma before the last if they are more than two, or if one is a list."""
    are_many = len(clauses) > 2 or any(" and " in one for one in clauses[:-1])
    return (", and " if are_many else " and ").join(filter(None, (", ".join(clauses[:-1]), *clauses[-1:])))


def join_names(
    names: Iterable[str], most: int = MAX_NAMED, beyond: int = 0, *, at_least: bool = False
) -> str:
    """Return the first names joined as in a sentence, with the number of the others.

    There are so many `beyond` those given, or even more, if the number is the one of `at_least` so many.
    """
    listed = list(dict.fromkeys(names))
    shown = listed[:most]
    others = len(listed) - len(shown) + beyond
    if others:
        more = f"{'at least ' if at_least else ''}{others} more"
        return f"{', '.join(shown)} and {more}" if shown else more
    return " and ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]]))
