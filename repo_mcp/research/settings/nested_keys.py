"""Find the key that a setting is in a table, if its name is that of the table and that of the key.

    oven=Namespace(                       `oven_max_heat` is the key `max_heat` of `oven`
        max_heat=Option(90),
    )

Dictionaries, YAML, objects and calls with named arguments nest settings like this.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from repo_mcp.bodies.body import iter_enclosing
from repo_mcp.model import ExactMatch
from repo_mcp.research.findings.locating import is_program
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState, TextPlace, note_lines
from repo_mcp.research.question.phrase_names import write_snake
from repo_mcp.research.settings.given_values import find_value
from repo_mcp.research.settings.setting_lines import search_setting
from repo_mcp.text.citations import write_citation
from repo_mcp.text.roles import FileRole, find_role

TABLE_LINES = 300  # above a key, in which its table begins
MOST_KEYS, MAX_VALUE_CHARS = 2, 80
MOST_WORDS = 6  # of the name of a table: each takes a search
LEAST_KEY = 4  # characters: a shorter key is that of many tables


def note_nested_keys(state: ResearchState, name: str) -> None:
    """Note the first keys of tables whose names make up the name of a setting."""
    for key, match in islice(_iter_keys(state, name), MOST_KEYS):
        line = match.start_line
        written = re.search(re.escape(key).replace("_", "[_-]?"), match.line, re.IGNORECASE)
        own = written[0] if written is not None else key  # `max-heat`
        value = find_value(own, match.line).rstrip(" ,;")
        given = f": {value}" if 0 < len(value) <= MAX_VALUE_CHARS else ""
        table = name.removesuffix(key).rstrip("_-")
        reason = Reason(f"is the key {own} of {table}{given}", Role.NESTED_KEY, name)
        around = state.source.find_around(match.path, line)
        symbol = "" if around is None else around.qualified_name
        note_lines(state, TextPlace(match.path, line, line, symbol), reason, 1, (line,))


def describe_nested_keys(state: ResearchState, asked: str = "") -> str:
    """Return a sentence on the first key of a table that is the setting, as it was asked for; "" for none."""
    one = next((one for one in state.findings if one.role is Role.NESTED_KEY), None)
    if one is None:
        return ""
    place = write_citation(one.path, one.start_line, one.start_line)
    return f"{asked or one.reason.about} {one.reason.text} ({place})."


def _iter_keys(state: ResearchState, name: str) -> Iterator[tuple[str, ExactMatch]]:
    """Yield each line of the program or its configuration with a key in its table, the longest keys first."""
    words = write_snake(name).strip("_").split("_")
    for at in range(1, min(len(words), MOST_WORDS + 1)):
        table, key = "_".join(words[:at]), "_".join(words[at:])
        if len(key) < LEAST_KEY:
            continue
        for match in search_setting(state, key):
            if not (is_program(match.path) or find_role(match.path) is FileRole.CONFIG):
                continue
            if _lies_in(state.source.read_lines(match.path), match.start_line, table):
                yield key, match


def _lies_in(lines: Sequence[str], at: int, table: str) -> bool:
    """Return True for a line below the beginning of a table, which is indented less."""
    begins = re.compile(
        rf"\s*[\"']?{re.escape(table).replace('_', '[_-]?')}[\"']?\s*(?::|=>?).{{0,60}}(?:[({{\[]|:)?\s*$",
        re.IGNORECASE,
    )
    return begins.match(next(iter_enclosing(lines, at, TABLE_LINES), "")) is not None
