"""Parse the text of a question into a form and its phrases. Pure, without knowledge of a repository.

A question may fit several forms ("how does X get to Y" also looks like an open one). All that fit are
returned, the narrowest first, and the caller takes the first whose subjects exist in the repository. A
question that fits no form is an open question.
"""

from __future__ import annotations

import re

from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.records import Form
from repo_mcp.research.question.additions import read_addition
from repo_mcp.research.question.compared_phrases import (
    leave_out_circumstance,
    leave_out_noun,
    list_compared,
    name_deeds,
    share_words,
)
from repo_mcp.research.question.named_forms import read_named_form
from repo_mcp.research.question.phrase_names import is_one_name
from repo_mcp.research.question.phrases import Phrase, leave_out_tail, read_phrase
from repo_mcp.research.question.sentence_forms import SENTENCE_FORMS, build_pattern, join_phrases
from repo_mcp.text.question_words import leave_out_kind

# Forms whose phrases are words to search for, not names.
DESCRIBED_FORMS = frozenset({Form.EXTENSION, Form.ERRORS})
_OF_ONE_NAME = frozenset({Form.CALLERS, Form.DEFINED, Form.DEPENDENTS, Form.IMPLEMENTATIONS, Form.RAISED})
_OVER_ADDITION = frozenset({Form.DEPENDENTS, Form.DIFFERENCE, Form.ERRORS})  # though something is to be added
MAX_CHARS = 400  # of a question that may have a form; longer questions are open


@dataclass(frozen=True, slots=True)
class Parsed:
    """One way to understand a question."""

    form: Form
    phrases: tuple[Phrase, ...] = ()


_STRUCTURE = re.compile(rf"\b(?:{join_phrases('structure')}|{join_phrases('organised')})\b", re.IGNORECASE)
# "A or B: which should I use": what comes behind the two, and the two alone.
_CHOICE = re.compile(
    r"[:,;?.]\s+(?:and\s+)?(?:which\b|(?:when|what|why)\b(?=[^:;?]*\b(?:which|each|either|use|choose|better|differences?)\b))"
    r"[^:;?]*$",
    re.IGNORECASE,
)
_SIDES = build_pattern("(?:compare )?X.. (?:or|vs\\.?|versus|against|compared (?:with|to)) Y")
# "used and configured", "read or set": the first of these lists with either verb covers both. Where something
# is set, it is also said what reads it, and where it is declared, also what uses it.
_COVERING = ("configured", "defined", "used", "called")
_VERB = "|".join(map(join_phrases, _COVERING))
_TWO_VERBS = re.compile(
    rf"((?:where|how|when) .+?) ({_VERB}),? (?:and|or) (?:(?:is|are) )?({_VERB})", re.IGNORECASE
)
_LEAD = re.compile(rf"(?:{join_phrases('lead')}\s+)+", re.IGNORECASE)
# "how are labels parsed into" names nothing, though "configuration" follows it, and neither does "it decided
# whether the lid is open or the oven" before "is used".
_ASKS = re.compile(
    r"(?:how|what|where|which|who|whose|why|when|do|does|did|is|are|can|should) "
    r"|it \w+ (?:how|if|what|when|where|whether|which|who|why) ",
    re.IGNORECASE,
)
# "where are jobs dropped when the queue is full": what a clause describes is not a name.
_CLAUSE = re.compile(
    r"\w[,;]? (?:although|because|how|if|unless|until|when|whether|which|while) \w", re.IGNORECASE
)
# "save of Store", "the method save() in Store": a member, not its type.
_MEMBER_OF = re.compile(
    r"^(?:the )?(?:method |function )?[`'\"]?([a-z_$][\w$]*)[!?]?(?:\(\))?[`'\"]? (?:of|in|on) "
    r"(?:the )?(?:class |type )?[`'\"]?([A-Z][\w$]*(?:(?:\.|::)[\w$]+)*)[`'\"]?$"
)
# "the default of maxPots is configured" asks for maxPots.
_DEFAULT_OF = re.compile(
    r"^(?:the )?defaults?(?: values?)? (?:of|for) (?=(?:the )?[`'\"]?[\w.-]+[`'\"]?$)", re.IGNORECASE
)
_NAMESPACED = re.compile(r"\\?\b[A-Z]\w*(?:\\[A-Z]\w*)+")  # Illuminate\Queue\Queue


def parse_question(query: str) -> tuple[Parsed, ...]:
    """Return the ways to understand a question, the narrowest first; the last is always the open one."""
    text = " ".join(_join_namespaces(leave_out_kind(query)).split())
    found: dict[Parsed, None] = {}
    if len(text) <= MAX_CHARS:
        plain, whole = _strip(text), leave_out_lead(text.strip().rstrip("?!. "))
        sides = _CHOICE.sub("", whole)
        asked = [(Form.DIFFERENCE, _SIDES.fullmatch(sides))] if sides != whole else []
        asked += [(form, pattern.fullmatch(plain)) for form, pattern in SENTENCE_FORMS]
        for form, match in asked:
            if match is not None and not _is_prose(form, match):
                found.update(dict.fromkeys(_list_ways(form, match)))
    loose = _read_loosely(text)
    if loose is not None and all(one.form is not loose.form or one.form in _OF_ONE_NAME for one in found):
        found = dict.fromkeys((*filter(_is_sure, found), loose, *found))
    return (*found, Parsed(Form.OPEN, (Phrase(text),)))


def _is_prose(form: Form, match: re.Match[str]) -> bool:
    """Return True if a phrase is a question itself, or of a declaration, if a clause describes it."""
    phrases = [one for one in match.groupdict().values() if one]
    return any(map(_ASKS.match, phrases)) or (form is Form.DEFINED and any(map(_CLAUSE.search, phrases)))


def _list_ways(form: Form, match: re.Match[str]) -> list[Parsed]:
    """Return the ways to understand a question of a form, the narrowest first."""
    if form is not Form.DIFFERENCE:
        return [_build(form, match)]
    x, y = match["x"], leave_out_circumstance(match["y"])
    shared = [Parsed(form, one) for one in share_words(x, y)]
    rest = leave_out_noun(x, y)
    if several := list_compared(x, y):
        shared.append(Parsed(form, several))
    pair = Parsed(form, (read_phrase(x), read_phrase(y)))
    ways = [*shared, pair, *([Parsed(form, rest)] if rest is not None else [])]
    return [*ways, *(Parsed(form, deeds) for one in ways for deeds in name_deeds(one.phrases))]


def _join_namespaces(text: str) -> str:
    """Return a question with dots where names have the backslashes of PHP."""
    return _NAMESPACED.sub(lambda name: name[0].lstrip("\\").replace("\\", "."), text)


def _read_loosely(text: str) -> Parsed | None:
    """Return what the words around a name ask for, or what is to be added; None for neither."""
    around, kind = read_named_form(text), read_addition(text)
    if around is None or (kind and around[0] not in _OVER_ADDITION):
        return Parsed(Form.EXTENSION, (Phrase(kind),)) if kind else None
    form, names = around
    return Parsed(form, tuple(map(Phrase if form in DESCRIBED_FORMS else read_phrase, names)))


def _is_sure(parsed: Parsed) -> bool:
    """Return False for a form that has prose beside the name: the words around the name alone say more."""
    return parsed.form not in _OF_ONE_NAME or all(is_one_name(one.text) for one in parsed.phrases)


def asks_for_tests(query: str) -> bool:
    """Return True for a question that asks for the tests of something."""
    return any(one.form is Form.TESTS for one in parse_question(query))


def _join_verbs(text: str) -> str:
    """Return a question with one verb in place of two: "used and configured"."""
    found = _TWO_VERBS.fullmatch(text)
    if found is None:
        return text
    verbs = [
        verb
        for name in _COVERING
        for verb in (found[2], found[3])
        if re.fullmatch(join_phrases(name), verb, re.IGNORECASE)
    ]
    return f"{found[1]} {verbs[0]}"


def asks_for_structure(query: str) -> bool:
    """Return whether a question has a word such as architecture or layers."""
    return _STRUCTURE.search(query) is not None


def leave_out_lead(text: str) -> str:
    """Return a question without a polite opening, such as "please tell me"."""
    lead = _LEAD.match(text)
    return text if lead is None or lead.end() == len(text) else text[lead.end() :]


def _strip(text: str) -> str:
    """Return a question without a polite opening, a closing "in this repository" and end punctuation.

    A closing "and its default" is left out, too.
    """
    text = leave_out_lead(text.strip().rstrip("?!. ").strip())
    for _ in range(2):
        text = leave_out_tail(text)
    return _join_verbs(text)


def _build(form: Form, match: re.Match[str]) -> Parsed:
    groups = match.groupdict()
    named = [groups[name] for name in ("x", "y") if groups.get(name)]
    if form is Form.CONFIGURED:
        named = [_DEFAULT_OF.sub("", text) for text in named]
    if form in (Form.CALLERS, Form.CALLEES):  # types are not called
        named = [_MEMBER_OF.sub(r"\2.\1", text) for text in named]
    return Parsed(form, tuple(map(Phrase if form in DESCRIBED_FORMS else read_phrase, named)))
