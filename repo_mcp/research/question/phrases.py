"""Read the part of a question that names something: its name, and the kinds that it asks for. Pure."""

from __future__ import annotations

import re

from repo_mcp.graph.hierarchy.hierarchy import ABSTRACT_KINDS
from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.named_symbols import VALUES
from repo_mcp.symbols.model import CALLABLE_KINDS, TYPE_KINDS, SymbolKind

_TAIL = re.compile(
    r"\s+(?:in|of|within|across|inside|throughout)\s+(?:this|the|our|my)\s+(?:whole\s+|entire\s+)?"
    r"(?:code ?base|code|repo|repository|project|program|package|library|application|app|system)$"
    r"|\s+(?:please|exactly|here)$"
    r"|,?\s+and\s+(?:when|where|why|how|under (?:what|which) (?:circumstances|conditions))$"
    r"|,?\s+(?:including|and|with)\s+(?:what\s+(?:is|are)\s+)?(?:its|the|their)\s+defaults?(?:\s+values?)?$"
    r"|,?\s+and (?:what|how|where) (?:does|do|is|are) (?:it|they) \w+(?: for)?$"
    r"|,\s+(?:and\s+)?(?:(?:what|how|where|when|which|who|why) (?:does|do|did|is|are|can|will|would|\w+s)"
    r"|(?:what|which) [\w-]+ (?:does|do))\b[^,]{0,120}$",  # a second question
    re.IGNORECASE,
)
_ARTICLE = re.compile(
    r"^(?:(?:the|a|an|this|that|our|my|its|their|any|all|some|every|given|whole|entire|calls? to"
    r"|instances? of|use of)\s+)+",
    re.IGNORECASE,
)
# "callers of lift that are without tests" asks for these.
_BUT_TESTS = re.compile(
    r"(?<! are)(?<! is)[,\s]+(?:except|excluding|besides|but not|other than|apart from|outside|without)"
    r"(?: (?:for|in|by|from|of|the|its|any))* tests?[?.!\s]*$",
    re.IGNORECASE,
)
_CALLED = re.compile(r"\(\s*[^()]{0,80}\)$")
# "the Pane trait's render", "Pane's render" of "method": a member of a type.
_OWNER = re.compile(
    r"^[`'\"]?([A-Z][\w$]*(?:(?:\.|::)[\w$]+)*)[`'\"]?"
    r"( (?:class|type|trait|struct|interface|protocol|enum))?'s [`'\"]?([\w$]+)$"
)
_QUOTES = "`'\"\u201c\u201d\u2018\u2019 \t"
_KIND_WORDS: dict[str, frozenset[SymbolKind]] = {
    "function": CALLABLE_KINDS,
    "functions": CALLABLE_KINDS,
    "method": CALLABLE_KINDS,
    "macro": frozenset({SymbolKind.MACRO}),
    "constructor": frozenset({SymbolKind.CONSTRUCTOR}),
    "component": CALLABLE_KINDS | TYPE_KINDS,
    "decorator": CALLABLE_KINDS | TYPE_KINDS,
    "class": TYPE_KINDS,
    "type": TYPE_KINDS,
    "struct": TYPE_KINDS,
    "interface": TYPE_KINDS,
    "protocol": TYPE_KINDS,
    "trait": TYPE_KINDS,
    "enum": TYPE_KINDS,
    "model": TYPE_KINDS,
    "exception": TYPE_KINDS,
    "module": frozenset({SymbolKind.FILE, SymbolKind.MODULE}),
    "file": frozenset({SymbolKind.FILE}),
    "package": frozenset({SymbolKind.FILE, SymbolKind.MODULE}),
    "folder": frozenset({SymbolKind.FILE}),
    "directory": frozenset({SymbolKind.FILE}),
    "variable": VALUES,
    "constant": VALUES,
    "field": frozenset({SymbolKind.PROPERTY}),
    "attribute": frozenset({SymbolKind.PROPERTY}),
    "property": frozenset({SymbolKind.PROPERTY, SymbolKind.METHOD}),
    "setting": frozenset(),
    "option": frozenset(),
}  # fmt: skip

# What such a word means where declarations of several kinds have the name: "the Storage interface".
_NARROW_KINDS: dict[str, frozenset[SymbolKind]] = {
    "function": frozenset({SymbolKind.FUNCTION, SymbolKind.COMPONENT, SymbolKind.MACRO}),
    "method": frozenset({SymbolKind.METHOD}),
    "class": frozenset({SymbolKind.CLASS}),
    "struct": frozenset({SymbolKind.STRUCT}),
    "interface": ABSTRACT_KINDS,
    "protocol": ABSTRACT_KINDS,
    "trait": ABSTRACT_KINDS,
    "enum": frozenset({SymbolKind.ENUM}),
}


@dataclass(frozen=True, slots=True)
class Phrase:
    """The part of a question that names something."""

    text: str
    kinds: frozenset[SymbolKind] = frozenset()  # kinds that the words around it ask for; empty: any kind
    parameters: tuple[str, ...] = ()  # in brackets after a name: `LogEvent` in "Write(LogEvent)"
    whole: str = ""  # with the word for its kind, if that comes last: "private module"
    headed: str = ""  # with the word for its kind, if that comes first: "file buffer"
    narrow: frozenset[SymbolKind] = frozenset()  # what that word means if kinds of declarations share a name


def leave_out_tail(text: str) -> str:
    """Return a phrase or question without "in this repository" or a second question behind it."""
    return _TAIL.sub("", text)


def split_test_exception(query: str) -> tuple[str, bool]:
    """Return a question without "except tests" at its end, and whether it had that."""
    found = _BUT_TESTS.search(query)
    return (query, False) if found is None else (query[: found.start()], True)


def leave_out_article(text: str) -> str:
    """Return a phrase without articles, and without "calls to" and the like, before it."""
    return _ARTICLE.sub("", text)


def read_phrase(text: str) -> Phrase:
    """Return the phrase in a part of a question, without articles, quotes, brackets and words for kinds."""
    text = " ".join(text.split())  # on runs of spaces the expressions would take quadratic time
    text = leave_out_tail(text.rstrip("?!.,; "))
    text = leave_out_article(text).strip(_QUOTES)
    whole = headed = kind = ""
    words = text.split(" ")
    if len(words) > 1 and words[0].lower() in _KIND_WORDS:
        kind, headed = words[0].lower(), text
        words = words[1:]
    elif len(words) > 1 and words[-1].lower() in _KIND_WORDS:
        kind, whole = words[-1].lower(), text
        words = words[:-1]
    kinds = _KIND_WORDS.get(kind, frozenset())
    text = " ".join(words).strip(_QUOTES)
    owned = _OWNER.match(text)
    if owned is not None and (kinds or owned[2]):
        text = f"{owned[1]}.{owned[3]}"
    called = _CALLED.search(text)
    parameters: tuple[str, ...] = ()
    if called is not None:
        parameters = tuple(one.strip() for one in called[0].rstrip(")").lstrip("(").split(",") if one.strip())
        text = text[: called.start()].strip(_QUOTES)
        kinds = kinds or CALLABLE_KINDS | TYPE_KINDS
    return Phrase(text, kinds, parameters, whole, headed, _NARROW_KINDS.get(kind, frozenset()))
