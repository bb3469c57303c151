"""Say what answers one part of a question, or that nothing does and where to look."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from repo_mcp.research.findings.citing import join_names, name_findings
from repo_mcp.research.findings.records import Finding, Form, Reading
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.grammar import leave_out_lead
from repo_mcp.text.question_words import list_words, tells_something

_MAY_LACK_WORDS = frozenset({Form.OPEN, Form.ERRORS})
NEAR = 3  # findings at which to look
_NO_WORDS = "Nothing found has the words of this part"
_CITATION = re.compile(r":\d")
_SENTENCE_END = re.compile(r"(?<=[?]) |(?:(?<=[.])|(?<=[.]\")) (?=[A-Z])")


def describe_part(
    state: ResearchState, reading: Reading, asked: str, claim: str, before: Sequence[Finding] = ()
) -> str:
    """Return the claim of a part behind its question.

    If the best declaration has no word of the part's own, or if there is no claim, it says that the part is
    not answered, and where to look: for want of anything better, at the findings of the part `before`.

    Guessed names are those of the whole question. What they lead to in a further part answers that only if
    it has half of the part's words.
    """
    question = write_question(asked)
    near = [one for one in state.findings or before if not one.hop] or state.findings
    code = [one for one in near if one.kind != "section"] or near
    if before and state.word_match.is_guessed and not state.word_match.says_half:
        closest = f"; closest are {name_findings(code[:NEAR])}" if code else ""
        return f"{question} {_NO_WORDS}{closest}."
    missing = _list_missing(state, asked) if reading.form in _MAY_LACK_WORDS else []
    if claim and not missing:
        return f"{question} {claim}"
    where = f" Where to look: {name_findings(code[:NEAR])}." if code else ""
    reason = f": nothing that was found says {join_names(missing, len(missing))}" if missing else ""
    return f"{question} Not answered{reason}.{where}"


def leave_out_told(claim: str, before: Iterable[str]) -> str:
    """Return the claim of a part without the sentences that the claims of earlier parts have.

    The question stays, and all that follows it up to the first sentence that cites a place.
    """
    told = {sentence for other in before for sentence in _SENTENCE_END.split(other)}
    first, *rest = _SENTENCE_END.split(claim)
    answer = next((at for at, one in enumerate(rest) if _CITATION.search(one)), len(rest))
    kept = [one for at, one in enumerate(rest) if at <= answer or one not in told]
    return " ".join((first, *kept))


def write_question(part: str) -> str:
    """Return a part of a question as a sentence, without "I want to know" before it."""
    part = leave_out_lead(part)
    return f"{part[:1].upper()}{part[1:]}?"


def _list_missing(state: ResearchState, asked: str) -> list[str]:
    """Return the words of a part, if the best declaration lacks all of them; else none."""
    own = list_words(asked) if tells_something(asked) else []
    lacked = {
        word.lower()
        for said in (*state.word_match.lacking, *state.word_match.absent)
        for word in said.split()
    }
    return [f'"{word}"' for word in own] if own and all(word.lower() in lacked for word in own) else []
