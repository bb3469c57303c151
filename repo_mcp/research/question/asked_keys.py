"""Read which texts a question asks of as keys, and in what they are said to be written. Pure.

    "What breaks if the keys ServerId and WorkerId that SerializeData writes are renamed?"
        -> ServerId and WorkerId, in SerializeData
    "Who listens to the event 'cache miss' of Store.load?"
        -> cache miss, in Store.load

Whether a key is one is only known from the lines of what is named beside it.
"""

from __future__ import annotations

import re

from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.records import Form
from repo_mcp.research.question.grammar import parse_question
from repo_mcp.research.question.phrase_names import looks_like_name
from repo_mcp.text.stop_words import QUESTION_WORDS, STOP_WORDS

MOST_KEYS, MOST_HOLDERS = 4, 4
_KIND = (
    r"(?:keys?|fields?|headers?|columns?|events?|signals?|settings?|options?|attributes?|propert(?:y|ies)"
    r"|parameters?|entr(?:y|ies)|labels?|tags?|flags?|cookies?|messages?|actions?|strings?|literals?|names?)"
)
_NAME = r"(?:`[^`]+`|'[^']+'|\"[^\"]+\"|[\w$@][\w$@./:-]*\w)"
_NAMES = rf"{_NAME}(?:(?:,(?: and| or)?| and| or) {_NAME})*"
_OF_KIND = re.compile(rf"\b{_KIND}(?: (?:named|called))? (?P<names>{_NAMES})", re.IGNORECASE)
_BEFORE_KIND = re.compile(rf"(?P<names>{_NAME}) {_KIND}\b", re.IGNORECASE)
_ONE = re.compile(_NAME)
_HOLDER = re.compile(r"[\w$@]+(?:(?:\.|::|->|#)[\w$]+)*(?:\(\))?")
_QUOTES = "`'\""
_NO_NAMES = STOP_WORDS | QUESTION_WORDS


@dataclass(frozen=True, slots=True)
class AskedKeys:
    """Texts that may be keys, and the names of what may hold them."""

    keys: tuple[str, ...]
    holders: tuple[str, ...]


def read_keys(query: str) -> AskedKeys | None:
    """Return the keys whose uses a question asks for; None for any other question."""
    if parse_question(query)[0].form is not Form.DEPENDENTS:
        return None
    found = [one for pattern in (_OF_KIND, _BEFORE_KIND) for one in pattern.finditer(query)]
    names = [name for one in found for name in _ONE.findall(one["names"]) if name.lower() not in _NO_NAMES]
    keys = [name.strip(_QUOTES) for name in names]
    rest = re.sub("|".join(map(re.escape, keys)), " ", query) if keys else ""
    named = [one for one in _HOLDER.findall(rest) if one.endswith("()") or looks_like_name(one)]
    holders = [one.removesuffix("()") for one in named if one.lower() not in _NO_NAMES]
    if not keys or not holders:
        return None
    return AskedKeys(tuple(dict.fromkeys(keys))[:MOST_KEYS], tuple(dict.fromkeys(holders))[:MOST_HOLDERS])


def match_quoted(key: str) -> re.Pattern[str]:
    """Return a pattern that finds a key as a whole text in quotes."""
    return re.compile(rf"(?P<quote>[\"'`]){re.escape(key)}(?P=quote)")
