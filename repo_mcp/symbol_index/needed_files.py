"""The files whose symbols one call needs: parsed first while most of a tree is still to be parsed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from repo_mcp.live.look_ahead import Need
from repo_mcp.ranking.query import Query, parse_query
from repo_mcp.ranking.searcher import Searcher
from repo_mcp.text.analysis import analyse_text

MAX_WORDS = 50  # of a question
MAX_FILES = 30  # parsed first: half a second's work
_NAME = re.compile(r"\w+(?:\.\w+)*")


@dataclass(frozen=True, slots=True)
class NeededFiles:
    """Files to parse first, the best ones first."""

    paths: tuple[str, ...]
    are_all: bool  # no other file can matter to the call


def find_needed(searcher: Searcher, need: Need) -> NeededFiles:
    """Return the files that are named, and those with the names. Raises IndexFormatError, OSError."""
    if not need.text:
        return NeededFiles(need.paths, are_all=bool(need.paths))
    is_name = _NAME.fullmatch(need.text) is not None
    query = parse_query(need.text, MAX_WORDS)
    if is_name:  # as a whole: its parts may be in every file
        query = Query(terms=analyse_text(need.text.rpartition(".")[2])[:1])
    ranking = searcher.rank(query, MAX_FILES)
    found = dict.fromkeys([*need.paths, *(chunk.path for chunk in ranking.chunks)])
    return NeededFiles(tuple(found), are_all=is_name and ranking.total <= len(ranking.chunks))
