"""Read which texts a question asks of as keys, and in what they are said to be written. Pure.

    "What breaks if the keys ServerId and WorkerId that SerializeData writes are renamed?"
        -> ServerId and WorkerId, in SerializeData
    "Who listens to the event 'cache miss' of Store.load?"
        -> cache miss, in Store.load

Whether a key is one is only known from the lines of what is named beside it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.records import Form
from repo_mcp.research.question.grammar import parse_question
from repo_mcp.research.question.phrase_names import looks_like_name
from repo_mcp.text.stop_words import QUESTION_WORDS, STOP_WORDS

MOST_KEYS, MOST_HOLDERS = 4, 4
LINE_CHARS = 1_000  # of a line in which a key is looked for: a longer one was made by a program
ABOVE_LINES = 400  # in which a text may have begun that goes on
_KIND = (
    r"(?:keys?|fields?|headers?|columns?|events?|signals?|settings?|options?|attributes?|propert(?:y|ies)"
    r"|parameters?|entr(?:y|ies)|labels?|tags?|flags?|cookies?|messages?|actions?|strings?|literals?|names?)"
)
_NAME = r"(?:`[^`]+`|'[^']+'|\"[^\"]+\"|(?<![\w$@])[\w$@][\w$@./:-]{0,120}\w)"
_NAMES = rf"{_NAME}(?:(?:,(?: and| or)?| and| or) {_NAME})*"
_OF_KIND = re.compile(rf"\b{_KIND}(?: (?:named|called))? (?P<names>{_NAMES})", re.IGNORECASE)
_BEFORE_KIND = re.compile(rf"(?P<names>{_NAME}) {_KIND}\b", re.IGNORECASE)
_ASKS_USE = re.compile(
    r"(?:what|which|who|where)(?! happens)[\w ]{0,40}? "
    r"(?:acts? on|catch(?:es)?|checks?|expects?|gets|handles?|looks?|parses?|receives?|relies)\b",
    re.IGNORECASE,
)
_ONE = re.compile(_NAME)
_HOLDER = re.compile(r"[\w$@]+(?:(?:\.|::|->|#)[\w$]+)*(?:\(\))?")
_QUOTES = "`'\""
_LONG_QUOTES = ('"""', "'''")
_OPEN_QUOTE = re.compile(r"(?<![\w&<'])'(?:[^']|'[^']*')*$")  # no lifetime of Rust
_IS_COMPOUND = re.compile(r"[^\W_][_-]\w|[a-z][A-Z]")  # any other word may be one of prose
_NO_NAMES = STOP_WORDS | QUESTION_WORDS


@dataclass(frozen=True, slots=True)
class AskedKeys:
    """Texts that may be keys, and the names of what may hold them."""

    keys: tuple[str, ...]
    holders: tuple[str, ...]


def read_keys(query: str) -> AskedKeys | None:
    """Return the keys whose uses a question asks for; None for any other question."""
    forms = {one.form for one in parse_question(query)}
    is_plain = forms <= {Form.OPEN, Form.CONFIGURED} and _ASKS_USE.match(query) is not None
    if Form.DEPENDENTS not in forms and not is_plain:
        return None
    found = [one for pattern in (_OF_KIND, _BEFORE_KIND) for one in pattern.finditer(query)]
    names = [name for one in found for name in _ONE.findall(one["names"]) if name.lower() not in _NO_NAMES]
    keys = [key for key in (name.strip(_QUOTES) for name in names) if key.strip()]
    whole = "|".join(map(re.escape, keys))
    rest = re.sub(rf"(?<![\w$])(?:{whole})(?![\w$])", " ", query) if keys else ""
    named = [one for one in _HOLDER.findall(rest) if one.endswith("()") or looks_like_name(one)]
    holders = [one.removesuffix("()") for one in named if one.lower() not in _NO_NAMES]
    if not keys or not holders:
        return None
    return AskedKeys(tuple(dict.fromkeys(keys))[:MOST_KEYS], tuple(dict.fromkeys(holders))[:MOST_HOLDERS])


def find_texts(lines: Sequence[str], number: int, key: str, first: int = 0) -> list[tuple[int, int]]:
    """Return where a line has a key as a whole text in quotes, as the positions of its start and end.

    With the number of the `first` line of the declaration around it, return where a longer text has it, such
    as a statement of SQL, and where it is read as a member: `row.locked_at`.
    """
    line = lines[number - 1][:LINE_CHARS]
    whole = [one.span() for one in match_quoted(key).finditer(line)]
    if whole or not first or not _IS_COMPOUND.search(key):
        return whole
    places = [one.span() for one in re.finditer(rf"(?<![\w$]){re.escape(key)}(?![\w$])", line)]
    above = "\n".join(lines[max(first - 1, number - ABOVE_LINES) : number - 1]) if places else ""
    return [
        (start, end)
        for start, end in places
        if line[:start].endswith(".") or _is_in_text(above, line[:start])
    ]


def _is_in_text(above: str, before: str) -> bool:
    """Return True if a text in quotes has begun and not ended, in the lines above or before on its line."""
    if any((above.count(quotes) + before.count(quotes)) % 2 for quotes in (*_LONG_QUOTES, "`")):
        return True
    line = before.replace('\\"', "").replace("\\'", "")
    return line.count('"') % 2 > 0 or _OPEN_QUOTE.search(line) is not None


def match_quoted(key: str) -> re.Pattern[str]:
    """Return a pattern that finds a key as a whole text in quotes."""
    return re.compile(rf"(?P<quote>[\"'`]){re.escape(key)}(?P=quote)")
