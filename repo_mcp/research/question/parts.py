"""Split a question into parts that are asked one after the other. Pure.

    "How is a session stored, and who calls forget_session?"
        -> "How is a session stored", "who calls forget_session"

A clause in the order of a question begins a part: "and where is it read", but not "know when a block ends and
where it begins". What stands before the first such clause belongs to it: "After a redirect, when does a POST
become a GET". What has no word to search for, as in "and when?", is no part of its own, nor is what is quoted
or asked twice in a row. Two names of which the same is asked are two parts.

Where all parts have only words to search for, they are one question: each word of one helps to find what
answers the other. Of 85 functions that answer 38 such questions, 57 are shown and not 52. Sentences that have
no word in common stay apart.

What a pronoun in a later part stands for is told in pronouns.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from repo_mcp.research.findings.records import Form
from repo_mcp.research.question.grammar import parse_question
from repo_mcp.research.question.phrase_names import looks_like_code
from repo_mcp.research.question.pronouns import has_pronoun, only_asks_where_set
from repo_mcp.text.question_words import list_words, shares_word, tells_something

MOST_PARTS = 3
MAX_CHARS = 600  # of a question that is split; a longer one is pasted text
_VERBS = "is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|must|may|might"
_NO_NOUN = r"(?!(?:the|an?|its?|they|their|this|that|these|those|to|if|when|we|you|i)\b)"
_QUESTION_WORD = r"(?:how|when|where|why|what|which|who)\b"
# The beginning of a question in its own order, with at most four words before the verb.
_ASKED = (
    r"(?:(?:at|by|for|from|in|on|to|under|after|with) )?(?:"
    rf"(?:how|when|where|why|who|whom) (?:else |exactly |then )?(?:{_VERBS})\b"
    r"|how (?:often|long|many|much|far|fast|soon|big|large|old|deep|quickly)\b"
    rf"|(?:what|which|whose) (?:(?:of (?:the|an?|its|their) )?{_NO_NOUN}[\w'-]+ ){{0,4}}?(?:{_VERBS})\b"
    r"|what (?:happens|becomes|breaks|changes|if)\b"
    rf"|(?:who|(?:what|which)(?: {_NO_NOUN}[\w-]+)?) (?:else )?"
    rf"(?!does\b|has\b|is\b|was\b){_NO_NOUN}\w+[^\Ws]s\b"
    r"|(?:how|where) to\b"
    r"|(?:what|who|where|how)'s\b)"
)
_YES_OR_NO = rf"(?:{_VERBS}) (?:it|they|this|that|these|those|the|an?|any|every|each|there)\b"
_INDIRECT = r"(?:how|when|where|why) (?:it|they|its|their|this|that|these|those)\b"
_AND = r",? (?:and|but|or),? (?:then |also |so )?"
_BOUNDARY = re.compile(
    rf"[?!.;]\s+(?:(?:and|but|also|then|or)\s+)*(?={_ASKED}|{_YES_OR_NO})"
    rf"|{_AND}(?={_ASKED})"
    rf"|{_AND}(?={_INDIRECT})"
    rf"|,{_AND.removeprefix(',?')}(?={_YES_OR_NO})"
    rf"|, (?!which|who)(?={_ASKED})",
    re.IGNORECASE,
)
_LEAD = (
    r"(?:(?:please|can|could|you|i|want|need|to|help|let|tell|show|me|explain|describe|find out|understand"
    r"|know|see) ){0,6}"
)
_IS_TOLD = re.compile(rf"{_LEAD}(?<=\w ){_QUESTION_WORD}", re.IGNORECASE)
_IS_ASKED = re.compile(
    rf"(?:^|[:;,.?!] )(?:and |but )?(?:{_LEAD}{_ASKED}|{_YES_OR_NO})|^{_LEAD}(?<=\w ){_QUESTION_WORD}",
    re.IGNORECASE,
)
_IS_INDIRECT = re.compile(_INDIRECT, re.IGNORECASE)
_QUOTED = re.compile(r'"[^"]*"|`[^`]*`')
# "where is MAX_POTS or MIN_HEAT read": each of the two names is asked for by itself.
_CODE = r"[`'\"]?[\w.:]+[`'\"]?"
_OF_TWO = re.compile(
    rf"((?:where|how) (?:is|are|was|were) (?:[a-z]+ ){{0,4}}?)({_CODE}),? (?:or|and) (?:the )?({_CODE})"
    r"( (?:read|set|configured|defined|declared|used|called|raised|thrown|implemented)\b[^,;]*)",
    re.IGNORECASE,
)
_JOINING = re.compile(r"^[?!.;,\s]*(?:(?:and|but|or|also|then|so)\b,?\s*)*", re.IGNORECASE)
_END = "?!.;, "
_ENDS_SENTENCE = "?!.;"
# What a question for a setting asks of it besides, and what is said of anything that is described.
_OF_SETTING = re.compile(
    r"\b(?:its|the) default\b|\b(?:is|are) (?:it|they) (?:enforced|read|used|applied|checked|validated)\b",
    re.IGNORECASE,
)
_OF_ANYTHING = re.compile(r"^(?:what|how|where) (?:does|do|is|are) (?:it|they) \w+(?: for)?$", re.IGNORECASE)
# It names nothing, and is about what is asked before.
_OF_EACH = re.compile(r"under (?:what|which) (?:circumstances|conditions)", re.IGNORECASE)
_DONE_WITH_IT = re.compile(r"what (?:does|do) (?:it|they) do (?:with|to|about)\b", re.IGNORECASE)
_OF_CALLERS = re.compile(  # "which state does each of them report": the arguments at the calls
    r"(?:what|which)(?: [\w-]+){0,4} (?:does|do) "
    r"(?:(?:each|every)(?: (?:one|caller|call))?(?: of (?:them|these|those))?|they|all(?: of them)?) "
    r"(?:call \w+ with|give|hand|pass|provide|report|return|send|set|specify|supply|use)\b",
    re.IGNORECASE,
)
# What only a setting does: "what does it control", "what does it end up setting".
_OF_VALUE = re.compile(
    r"(?:what|which \w+) (?:does|do) (?:it|they|that|this) (?:actually |really )?"
    r"(?:end up )?(?:affect|chang|control|decid|determin|govern|influenc|limit|sett?)(?:e|ing)?\b",
    re.IGNORECASE,
)
_OF_NAMES = frozenset({Form.DIFFERENCE, Form.FLOW})  # "how does it get to the user" has no name
_PLANNED = {
    Form.CONFIGURED: re.compile(rf"{_OF_SETTING.pattern}|{_OF_VALUE.pattern}", re.IGNORECASE),
    Form.DEPENDENTS: _OF_VALUE,
    Form.DEFINED: _OF_ANYTHING,
    Form.ERRORS: re.compile(r"(?:when|why) (?:does|do|can|could|will|would) (?:it|they) fail", re.IGNORECASE),
    Form.CALLERS: re.compile(rf"{_DONE_WITH_IT.pattern}|{_OF_CALLERS.pattern}", re.IGNORECASE),
}  # second questions that the investigation of a form answers itself


def split_question(query: str) -> tuple[str, ...]:
    """Return the parts of a question, as they are written; a question that has only one as it is.

    A part that only repeats the one before is left out. Parts that only have words to search for stay
    together, unless they are sentences about different things.
    """
    text = query.strip()
    if len(text) > MAX_CHARS or "\n" in text or "`" * 3 in text:
        return (query,)
    two = _OF_TWO.fullmatch(text.rstrip(_END))
    if two is not None and looks_like_code(two[2]) and looks_like_code(two[3]):
        lead = re.sub(r"(?i) are ", " is ", re.sub(r"(?i) were ", " was ", two[1]))
        return (f"{lead}{two[2]}{two[4]}", f"{lead}{two[3]}{two[4]}")
    parts: list[str] = []
    is_repeated = False
    for piece in _cut(text):
        if parts and _bare(piece).lower() == _bare(parts[-1]).lower():
            is_repeated = True
        elif parts and (len(parts) == MOST_PARTS or not _stands_alone(parts, piece)):
            parts[-1] += piece
        else:
            parts.append(piece)
    bare = tuple(map(_bare, parts))
    is_whole = len(bare) < 2 or not (any(map(_is_planned, bare)) or _are_apart(parts))
    return (query,) if is_whole and not is_repeated else bare


def _bare(piece: str) -> str:
    """Return a piece without what joins it to the others."""
    return _JOINING.sub("", piece).strip().rstrip(_END)


def _cut(text: str) -> list[str]:
    """Return the pieces of a text, each but the first with the words that join it to the one before."""
    quoted = [found.span() for found in _QUOTED.finditer(text)]
    found = [one.start() for one in _BOUNDARY.finditer(text)]
    starts = [0, *(at for at in found if not any(start < at < end for start, end in quoted)), len(text)]
    return [text[start:end] for start, end in pairwise(starts) if text[start:end]]


def _stands_alone(parts: list[str], piece: str) -> bool:
    """Return True if a piece is a part of its own, behind those that are known."""
    own = _bare(piece)
    if _IS_ASKED.search(parts[-1].strip()) is None or not _asks_something(parts[-1]):
        return False
    if _IS_INDIRECT.match(own) and not (piece.startswith(",") or _IS_TOLD.match(parts[0])):
        return False
    planned = _PLANNED.get(parse_question(parts[0])[0].form)
    if _OF_EACH.fullmatch(own) or (planned is not None and planned.search(own)):
        return False
    return _asks_something(own)


def _is_planned(part: str) -> bool:
    """Return True for a part that has a plan of its own, and not only words to search for."""
    form = parse_question(part)[0].form
    if form in _OF_NAMES:
        return any(map(looks_like_code, part.split()))
    return form is not Form.OPEN and not only_asks_where_set(part)


def _are_apart(parts: Sequence[str]) -> bool:
    """Return True for sentences of which a later one has neither a pronoun nor a word of one before."""
    return any(
        part[0] in _ENDS_SENTENCE
        and not has_pronoun(part)
        and not shares_word(" ".join(parts[:position]), list_words(part))
        for position, part in enumerate(parts)
    )


def _asks_something(part: str) -> bool:
    """Return True for a part that has a form, or a word that says what it is about."""
    return parse_question(part)[0].form is not Form.OPEN or tells_something(part)
