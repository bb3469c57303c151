"""Files that a call needs: those that it names, and those that declare or contain what it asks for.

They are parsed before the others, so that the call is answered before all are.
"""

from __future__ import annotations

from repo_mcp.late_patterns import compile_late
from repo_mcp.live.look_ahead import Need
from repo_mcp.ranking.query.query import Query, parse_query
from repo_mcp.ranking.scoring.searcher import Searcher
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.text.analysis import analyse_text, get_name_term

MAX_WORDS = 50  # of a question
MAX_FILES = 30  # parsed first: half a second's work
MAX_DECLARING = 3  # of these, files that declare the name: without them nothing can be answered
_NAME = compile_late(r"(?:\w+(?:\.|::|#|->))*(\w+)")


@dataclass(frozen=True, slots=True)
class NeededFiles:
    """Files to parse first, the best ones first."""

    paths: tuple[str, ...]
    are_all: bool  # no other file can matter to the call


def find_needed(searcher: Searcher, need: Need) -> NeededFiles:
    """Return the named files, then those that declare the name, if it is one, and those with the words.

    Raises IndexFormatError, OSError.
    """
    if not need.text:
        return NeededFiles(need.paths, are_all=bool(need.paths))
    name = _NAME.fullmatch(need.text)
    query = parse_query(need.text, MAX_WORDS)
    declaring: list[str] = []
    if name is not None:  # as a whole, because its parts may be in every file
        query = Query(terms=analyse_text(name.group(1))[:1])
        declared = replace(query, symbols=[(get_name_term(name.group(1)),)])
        declaring = [chunk.path for chunk in searcher.rank(declared, MAX_DECLARING).chunks]
    ranking = searcher.rank(query, MAX_FILES)
    found = dict.fromkeys([*need.paths, *declaring, *(chunk.path for chunk in ranking.chunks)])
    return NeededFiles(tuple(found), are_all=name is not None and ranking.total <= len(ranking.chunks))
