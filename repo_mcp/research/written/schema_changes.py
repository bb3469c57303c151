"""Find where a column, a table or an index of a database is added, changed or dropped.

    where is the database column sentAt added?    ->  addColumn("parcels", "sentAt", ...), in a migration
    which migration drops the table crates?       ->  DROP TABLE crates;

A line counts if it has the name, and with the lines above it the verb and the noun of the question; of a
migration, any line with the name counts that does not undo what is asked.
"""

from __future__ import annotations

import re

from repo_mcp.model import ExactMatch, ExactRequest
from repo_mcp.research.errors.branches import READ_CHARS
from repo_mcp.research.findings.named_symbols import is_program_line
from repo_mcp.research.findings.records import Form, Reading, Subject, TakenAs
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.phrase_names import looks_like_name
from repo_mcp.research.question.readings import build_reading
from repo_mcp.text.question_words import shares_word

MOST_READ, LINES_ABOVE = 200, 2
_NOUN = r"(columns?|tables?|index|constraint|foreign key)"
# Beside the noun stands the name, unless it is asked for the migration.
_ASKED = rf"\b{_NOUN}(?: called| named)? [`'\"]?NAME\b|\bNAME[`'\"]? {_NOUN}\b|\b(migration)s?\b"
_VERB = re.compile(
    r"\b(?:(?P<adds>add(?:s|ed)?|creat(?:es?|ed)|introduc(?:es?|ed))"
    r"|(?P<undoes>drop(?:s|ped)?|remov(?:es?|ed)|delet(?:es?|ed))|renam(?:es?|ed)|alter(?:s|ed)?|chang(?:es?|ed))\b",
    re.IGNORECASE,
)
_MIGRATION = re.compile(r"(?:^|/)[\w-]*migrat\w*(?:/|[.-])", re.IGNORECASE)
_UNDOES = re.compile(r"remove|drop|delete", re.IGNORECASE)
_NAME = re.compile(r"\w+")
_SAID = re.compile(r"\w+(?: \w+)?")  # `addColumn`, `add_column`, `DROP TABLE`


def read_schema_change(state: ResearchState, reading: Reading) -> Reading | None:
    """Return the reading of a question for a change of a database, if some lines make it; or None.

    Its lines are kept in the state, first those with the verb and the noun of the question.
    """
    verb = _VERB.search(state.request.query)
    name, noun = _read_asked(state.request.query)
    if verb is None or not name or reading.form is Form.EXTENSION:
        return None
    request = ExactRequest(name, whole_word=True, include_tests=False, limit=MOST_READ, by_role=True)
    answer = state.source.search_exact(request)
    found = [one for one in answer.matches if is_program_line(state, one)]
    said = [one for one in found if _says(state, one, verb[0], noun)]
    own = [one for one in found if _MIGRATION.search(one.path) and one not in said]
    is_undone = verb["undoes"] is not None
    if verb["adds"] or is_undone:
        own = [one for one in own if (_UNDOES.search(one.line) is not None) is is_undone]
    state.written = [*said, *own]
    if state.written and answer.truncated:
        state.limit(f"lines with {name}", f"the first {MOST_READ} are read")
    return build_reading(Form.WRITTEN, (Subject(name, TakenAs.WORDS),)) if state.written else None


def _read_asked(query: str) -> tuple[str, str]:
    """Return the name that a question for a change has, and what is called so; "" for any other."""
    named = [one for one in _NAME.findall(query) if looks_like_name(one)]
    nouns = re.findall(_ASKED.replace("NAME", re.escape(named[0])), query, re.I) if len(named) == 1 else []
    said = [noun for one in nouns for noun in one if noun]
    return (named[0], max(said, key=lambda one: one.lower() != "migration")) if said else ("", "")


def _says(state: ResearchState, match: ExactMatch, verb: str, noun: str) -> bool:
    """Return True for a line that, with those above it, has both words in one name: `addColumn(`."""
    first = max(0, match.start_line - 1 - LINES_ABOVE)
    lines = (*state.source.read_lines(match.path)[first : match.start_line - 1], match.line)
    words = (name for line in lines for name in _SAID.findall(line[:READ_CHARS]))
    return any(shares_word(name, (verb, noun)) == 2 for name in words)
