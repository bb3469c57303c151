"""Find the lines that give a setting the number which a question names: "where is the default port 8080 set".

The number is searched for as it is written, or with its digits in groups. It means the setting only if some
line with it has another word of the question, too.
"""

from __future__ import annotations

import re

from repo_mcp.model import ExactMatch, ExactRequest
from repo_mcp.research.findings.locating import may_answer
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.settings.noted_settings import add_lines
from repo_mcp.text.question_words import list_words, shares_word

MOST_READ, MOST_PLACES = 60, 6  # lines with a number that are read, and places of it that tell something
_NUMBER = re.compile(r"(?<![\w.-])\d{2,12}(?![\w.-])")
UNTELLING = frozenset({"default", "defaults", "value"})  # words that are said of any setting


def list_with_number(state: ResearchState, asked: str) -> list[ExactMatch]:
    """Return the lines of the program with the number of a phrase, first those that have a word of it, too.

    Return nothing if none has, or if too many lines have the number.
    """
    numbers = _NUMBER.findall(asked)
    words = [word for word in list_words(_NUMBER.sub(" ", asked)) if word.lower() not in UNTELLING]
    if len(numbers) != 1 or not words:
        return []
    grouped = f"{int(numbers[0]):_}"
    spelled = "|".join(dict.fromkeys((numbers[0], grouped, grouped.replace("_", "'"))))
    request = ExactRequest(
        rf"\b(?:{spelled})\b", regex=True, limit=MOST_READ, include_tests=False, by_role=True
    )
    found = [
        one
        for one in state.source.search_exact(request).matches
        if may_answer(one.path)
        and state.admits(one.path)
        and one.start_line not in state.source.read_comment_lines(one.path)
    ]
    said = [one for one in found if shares_word(one.line, words)]
    return [*said, *(one for one in found if one not in said)] if said and len(found) <= MOST_PLACES else said


def note_number(state: ResearchState, asked: str) -> bool:
    """Note the lines that give a setting the number of a phrase. Return False if there are none."""
    found = list_with_number(state, asked)[:MOST_PLACES]
    for one in found:
        at, around = one.start_line, state.source.find_around(one.path, one.start_line)
        reason = Reason("has the number that is asked for", Role.SETS, asked)
        add_lines(state, one.path, (at, at), around, reason, 1, (at,), "", (at,))
    return bool(found)
