"""Mentions of a name that no edge stands for: in documents, configuration and templates, and in strings.

    "tasks": {"report": "app.jobs:send_report"}      configuration may name what the program then calls
    registry.load("send_report")                     so may a string

Nothing is known of their meaning, so that answers only say how many files have some. A name that is a word of
everyday language is looked for only behind a name of what holds it: `jobs.send`, `jobs:send`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence

from repo_mcp.languages.symbol_parsers import list_languages
from repo_mcp.model import ExactAnswer, ExactRequest
from repo_mcp.symbol_index.unread_uses import list_users
from repo_mcp.workspace.reader.client_paths import shown

Place = tuple[str, int]  # path and line
Search = Callable[[ExactRequest], ExactAnswer]

MOST_LINES = 100  # looked for
SHORTEST = 3  # characters of a name that is looked for
MENTIONED = "Text, for which no edge stands, has {} as well: {}. A literal search finds it."
_DISTINCTIVE = re.compile(r"\w*(?:[a-z\d][A-Z]|[^\W_]_+[^\W_]|[A-Z][A-Z\d])\w*")  # sendReport, send_report
_SEPARATOR = r"(?:\.|::?|#|/)"


def describe_mentions(
    name: str,
    holders: Iterable[str],
    language: str,
    present: Collection[str],
    known: Collection[Place],
    search: Search,
) -> str:
    """Return how many files have a name in text; "" for none.

    `holders` are the names around it, `present` the languages of all files, `known` the lines of edges.
    Raises as the search does.
    """
    if len(name) < SHORTEST:
        return ""
    is_plain = not _DISTINCTIVE.fullmatch(name)
    around = "|".join(re.escape(one) for one in dict.fromkeys(holders) if len(one) >= SHORTEST)
    if is_plain and not around:
        return ""
    before = rf"\b(?:{around}){_SEPARATOR}" if is_plain else r"\b"
    parsed = set(list_languages())
    other = tuple(sorted(set(present) - parsed - {*list_users(language)}))
    own = tuple(sorted(parsed & set(present)))
    string = rf"""["'`](?:[\w.:]*[.:])?{before}{re.escape(name)}["'`]"""
    texts = _find(search, rf"{before}{re.escape(name)}\b", other, ())
    strings = _find(search, string, own, known)
    said = _say(texts, "documents or configuration"), _say(strings, "strings or comments")
    counted = ", and ".join(filter(None, said))
    return MENTIONED.format(shown(name), counted) if counted else ""


def _find(
    search: Search, pattern: str, languages: tuple[str, ...], known: Collection[Place]
) -> tuple[Sequence[Place], bool]:
    """Return the first line not yet `known` in each file that has a pattern, and whether more may follow."""
    if not languages:
        return (), False
    request = ExactRequest(
        pattern, regex=True, languages=languages, limit=MOST_LINES, by_role=True, names_snapshot=False
    )
    answer = search(request)
    found: dict[str, int] = {}
    for one in answer.matches:
        if (one.path, one.start_line) not in known:
            found.setdefault(one.path, one.start_line)
    return [*found.items()], answer.truncated


def _say(found: tuple[Sequence[Place], bool], kind: str) -> str:
    """Return how many files there are, with the first place; "" for none."""
    places, is_cut = found
    if not places:
        return ""
    path, line = places[0]
    several = len(places) > 1
    count = f"{len(places)}{' or more' * is_cut} file{'s' * several}"
    return f"{kind} in {count}, {'such as ' * several}{shown(f'{path}:{line}')}"
