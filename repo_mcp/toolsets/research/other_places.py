"""Name the places of the findings that an answer does not quote, within a number of characters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from repo_mcp.toolsets.research.research_text import ALSO
from repo_mcp.toolsets.research.shown_findings import FEW_TESTS, USERS, list_folded

if TYPE_CHECKING:
    from repo_mcp.research.findings.records import Finding, Report

ALSO_CHARS, NEAR_CHARS = 600, 450  # of the places of findings without an excerpt; of those of hop 0
ALSO_OF_PARTS_CHARS = 400  # of these places, if a question has several parts
ALSO_THIN_CHARS = 300  # of these places, if nothing fits the question


def group_others(
    report: Report, others: Sequence[Finding], parts: int
) -> Iterable[tuple[str, Sequence[str]]]:
    """Yield the places of the findings without an excerpt, with what they are.

    Where callers or users are asked for, those that reach the subject only through others stand apart, and
    so does what it depends on itself.
    """
    from repo_mcp.research.findings.citing import join_by_file  # not when tools are listed
    from repo_mcp.research.findings.reasons import Role

    who = USERS.get(report.reading.form)
    direct, indirect = f"other direct {who}", f"indirect {who}"
    groups: dict[str, list[Finding]] = {direct: [], indirect: [], ALSO: []}
    for one in others:
        is_user = who is not None and one.role not in (Role.DEPENDED_ON, Role.HOLDS, Role.HAS_WORDS)
        groups[(indirect if one.hop > 1 else direct) if is_user else ALSO].append(one)
    room = ALSO_OF_PARTS_CHARS // parts if parts > 1 else ALSO_CHARS  # each part needs it for its findings
    room = min(room, ALSO_THIN_CHARS) if report.is_thin else room
    for what, own in groups.items():
        places = _list_also(own, room)
        room -= sum(map(len, join_by_file(places)))
        if places:
            yield what, places


def list_folded_places(report: Report) -> tuple[str, ...]:
    """Return the places of the first folded findings, and the number of the others."""
    folded = list_folded(report)
    named = _list_also(folded[:FEW_TESTS])
    return (*named, f"and {len(folded) - len(named)} more") if folded else ()


def _list_also(findings: Iterable[Finding], room: int = ALSO_CHARS) -> tuple[str, ...]:
    """Return the places of the first findings whose excerpts do not fit, within so many characters.

    Those of hop 0 take at most NEAR_CHARS, to leave room for the findings that they lead to.
    """
    from repo_mcp.research.findings.citing import shorten_symbol  # not when tools are listed

    places: list[str] = []
    met: set[str] = set()  # a path is told once
    near, left = NEAR_CHARS, room
    for one in findings:
        place = f"{shorten_symbol(one)} ({one.citation})"
        size = len(place) - (len(one.path) if one.path in met else 0)
        if size <= (left if one.hop else min(near, left)):
            places.append(place)
            met.add(one.path)
            left -= size
            near -= 0 if one.hop else size
    return tuple(places)
