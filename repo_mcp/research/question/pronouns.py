"""Put a name in the place of a pronoun in a later part of a question. Pure.

    "Who calls Hook.fail", "what happens when it raises"  -> "what happens when Hook.fail raises"
    "How is a parcel stored", "who calls it"              -> "who calls store.Store.save"
    "Who reads max_tries", "what is its default"          -> "what is the default of max_tries"

A thing that the part before only describes is not put there: its words find the same again, and the part's
own words count for less beside them.
"""

from __future__ import annotations

import re

from repo_mcp.research.findings.records import Form
from repo_mcp.research.question.grammar import parse_question

_VERBS = (
    "is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|must|may|might|gets?|be|been|being"
)
# "This" and its kin are pronouns only before a verb or the end.
_PRONOUN = re.compile(
    r"\b(?:its|their|it|they|them|(?:this|that|these|those|each|both|one)"
    rf"(?=\W*$| (?:happens?|works?|runs?|{_VERBS})\b| \w+ed\b(?! \w+(?:s|er)\b)))\b",
    re.IGNORECASE,
)
_OWN = ("its", "their")
_ITS_VALUE = re.compile(
    r"\b(?:its|their) ((?:(?:default|initial|usual) )?values?|defaults?)\b", re.IGNORECASE
)
# What is asked of a symbol, rather than of a thing: "when is it called", not "when is it created".
_OF_SYMBOL = re.compile(
    r"\b(?:calls?|called|invokes?|invoked|uses?|used|runs?|executed?|tests?|tested|covers?|covered)\b",
    re.IGNORECASE,
)
# It says nothing else: "set" is not a name there.
_WHERE_SET = re.compile(
    r"(?:where|how|when) (?:is|are|was|were) "
    r"(?:it|they|this|that|these|those|(?:the|its) default(?: value)?) (?:actually )?"
    r"(?:set|configured|defined|declared|specified)",
    re.IGNORECASE,
)
_ASKED_OF_IT = frozenset({Form.CALLERS, Form.CALLEES, Form.DEPENDENTS, Form.TESTS, Form.IMPLEMENTATIONS})


def has_pronoun(part: str) -> bool:
    """Return True for a part with a pronoun that may stand for what the part before is about."""
    return _PRONOUN.search(part) is not None


def only_asks_where_set(part: str) -> bool:
    """Return True for a part that only asks where "it" or "the default" is set: it has no word of its own."""
    return _WHERE_SET.fullmatch(part) is not None


def refer_back(part: str, named: str, best: str) -> str:
    """Return a part of a question with a name where it has a pronoun, or as it is.

    `named` is the declared name in the part before, "" for none. What calls "it" may also be asked of the
    symbol that fits that part `best`.
    """
    if named and (value := _ITS_VALUE.search(part)):
        return f"{part[: value.start()]}the {value[1]} of {named}{part[value.end() :]}"
    pronoun = _PRONOUN.search(part)
    if pronoun is None or pronoun[0].lower() in _OWN:
        return part
    parsed = parse_question(part)[0]
    is_subject = parsed.form in _ASKED_OF_IT and _PRONOUN.fullmatch(parsed.phrases[-1].text or "it")
    name = named or (best if is_subject and _OF_SYMBOL.search(part) else "")
    return f"{part[: pronoun.start()]}{name}{part[pronoun.end() :]}" if name else part
