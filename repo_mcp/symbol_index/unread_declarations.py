"""Declarations that the graph does not know: those in files that no parser reads, or read only in part.

Line patterns find them, so an answer can say where a name is declared, but not what uses it. A member is
found by its name and its type; the namespaces around a type are not compared, as they stand on other lines.
"""

from __future__ import annotations

from collections.abc import Callable

from repo_mcp.errors import RepoError
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.languages.symbol_parsers import find_parser_task
from repo_mcp.model import Hit, SearchAnswer, SearchRequest
from repo_mcp.ranking.query.asked_name import EXACT, split_qualified
from repo_mcp.text.citations import write_citation
from repo_mcp.workspace.reader.client_paths import shown

MAX_LOOKED_AT = 20  # declarations of one name
MAX_PLACES = 3  # named

Search = Callable[[SearchRequest], SearchAnswer]


def list_spelled(search: Search, name: str, limit: int) -> list[Hit]:
    """Return the best declarations of exactly this name, in any type. Raises as the search does."""
    hits = search(SearchRequest(name, limit, symbols_only=True)).hits
    return [hit for hit in hits if dict(hit.explanation).get("name") == EXACT]


def describe_declarations(name: str, is_partial: Callable[[str], bool], search: Search) -> str:
    """Return where files that no parser reads declare a name, and how its uses are found; "" for nowhere.

    If there is none, those that were parsed only in part are named, for which `is_partial` returns True.
    That an index cannot be searched now is no answer here: whoever asks has something else to report.
    """
    *owners, last = split_qualified(name)
    try:
        spelled = list_spelled(search, name, MAX_LOOKED_AT)
    except RepoError:
        return ""
    members = [hit for hit in spelled if _is_member_of(hit, owners)]
    unread = [hit for hit in members if _is_unread_code(hit.path)]
    found = unread or [hit for hit in members if is_partial(hit.path)]
    if not found:
        return ""
    languages = " and ".join(sorted({find_language(hit.path).name for hit in found}))
    why = f"which no parser reads ({languages})" if unread else "in a file that was parsed only in part"
    spans = [(hit.path, *(hit.symbol_lines or (hit.start_line, hit.end_line))) for hit in found[:MAX_PLACES]]
    places = ", ".join(write_citation(*span) for span in spans)
    more = f" and {len(found) - MAX_PLACES} more places" if len(found) > MAX_PLACES else ""
    return (
        f"{shown(last)} is declared at {places}{more}, {why}: a search for this name as text"
        " finds what uses it."
    )


def has_parser(path: str) -> bool:
    """Return True if there is a parser for a file of this name."""
    return find_parser_task(path, find_language(path).name) is not None


def _is_unread_code(path: str) -> bool:
    return find_language(path).kind == "code" and not has_parser(path)


def _is_member_of(hit: Hit, owners: list[str]) -> bool:
    outer = split_qualified(hit.symbol or "")[:-1]
    return not owners or not outer or outer[-1] == owners[-1]
