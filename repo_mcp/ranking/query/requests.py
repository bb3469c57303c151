"""Tell questions and requests from reports, by the first words of titles and sentences. Pure.

Many words that begin a request are nouns as well: "Find what is read twice", but "Find command ignores hidden
files". They count only before a word for what is sought (`all`, `where`, `callers`).
"""

from __future__ import annotations

import re
from itertools import islice

from repo_mcp.late_patterns import compile_late
from repo_mcp.text.stop_words import ASKING_WORDS

_AUXILIARY = """
am are can could did do does had has have is may might must should was were will would
"""
_REQUESTS = """
describe explain give hello hey hi i i'd i'll i'm i've locate please question questions summarise summarize
tell trace understand understanding walk want wanted we
"""
_NOUNS = """
find help list look looking need point read review show trying
"""
_SOUGHT = """
all any at callers classes code each every figure files find follow for functions into know learn me methods
needed out places see the these this trace understand us usages uses wanted with
"""
_AUXILIARIES = frozenset(_AUXILIARY.split())
_REQUEST_WORDS = frozenset(_REQUESTS.split())
_NOUNS_AS_WELL = frozenset(_NOUNS.split())
_SOUGHT_WORDS = frozenset(_SOUGHT.split())
_TAGS = frozenset(("context", "goal", "help", "question", "request", "task"))  # `Task: list all routes`
_TOLD = frozenset(("give", "help", "point", "show", "tell", "walk"))
_ME = frozenset(("me", "us"))
_OPINIONS = frozenset(("think", "thoughts"))  # "What do you think?" is not answered by code
_SHOWING = "describe explain find give list locate point show summarise summarize tell trace walk"
_SHOWING_WORDS = frozenset(_SHOWING.split())  # "Can you show the code?"
_PLACES = frozenset(("class", "code", "file", "function", "method", "place"))
_LISTED = frozenset(
    ("all", "any", "callers", "classes", "each", "every", "files", "functions", "places", "usages")
)
_SKIPPED = frozenset(("just", "only", "to"))
_EDGES = "\"'*_#>[](){}.,:;!?"
# In an infinitive or a command: "has to change", "and add a test"; not "what is added", nor "the fix".
_CHANGE = compile_late(
    r"(?:^|[.!?:;,\n]\s*|\b(?:and|can|could|let's|must|need|please|should|to|want|we|you)\s+)"
    r"(?:add|allow|change|deprecate|drop|extend|fix|implement|migrate|refactor|remove|rename|replace|rewrite"
    r"|support|write)\b",
    re.I,
)
_SENTENCE_END = compile_late(r"(?<=[.!?:])\s+")


def is_request(title: str, *, asks_first: bool = False) -> bool:
    """Return True for a title that asks, or that is the first sentence of a letter.

    If it `asks_first`, only its first word asks. A first word with a colon is the name of a part of the
    program, such as `trace: spans are lost`, unless it says what follows.
    """
    words = _list_words(title)
    if words and title.split(maxsplit=1)[0].endswith(":") and words[0] not in _TAGS:
        words = words[1:]
    is_asking = any(
        word in ASKING_WORDS or _asks_when(word, second)
        for word, second in islice(zip(words, [*words[1:], ""], strict=False), 1 if asks_first else None)
    )
    return is_asking or title.rstrip().endswith("?") or _begins_request(words)


def asks_for_change(text: str) -> bool:
    """Return True if a text wants something changed or written: "Fix it and add a test."."""
    return _CHANGE.search(text) is not None


def holds_question(line: str, *, begins_paragraph: bool) -> bool:
    """Return True if a sentence of a line asks: "How is it read?", "Where is that decided", "Tell me why".

    A line within a paragraph may go on with a sentence: "which is read" asks only before a question mark.
    """
    sentences = _SENTENCE_END.split(line.strip())
    return any(
        _is_question(sentence, begins=begins_paragraph or at > 0) for at, sentence in enumerate(sentences)
    )


def wants_shown(line: str) -> bool:
    """Return True if a line ends by asking for code: "Can you show it?", "Is there a place for it?".

    A polite request counts if it says what is sought: "Please list all places", but not "Please list steps".
    """
    sentence = _SENTENCE_END.split(line.strip())[-1]
    spoken = _list_words(sentence)
    words = [word for word in spoken if word != "please"]
    first, second, third, fourth = [*words, "", "", "", ""][:4]
    if spoken[:1] == ["please"] and first in _SHOWING_WORDS and (second in _LISTED or second in ASKING_WORDS):
        return True
    if first not in _AUXILIARIES or not sentence.endswith("?"):
        return False
    return (second == "you" and third in _SHOWING_WORDS) or (second == "there" and fourth in _PLACES)


def _is_question(sentence: str, *, begins: bool) -> bool:
    words = [word for word in _list_words(sentence) if word != "please"]
    first, second = [*words, "", ""][:2]
    if first in ASKING_WORDS:
        is_asked_of_code = _OPINIONS.isdisjoint(words) and (first, second) != ("why", "not")
        return is_asked_of_code and (begins or sentence.endswith("?"))
    return begins and (first == "explain" or _asks_when(first, second) or (first in _TOLD and second in _ME))


def _asks_when(first: str, second: str) -> bool:
    return first == "when" and second in _AUXILIARIES


def _begins_request(words: list[str]) -> bool:
    first, second = [*words, "", ""][:2]
    if first in _AUXILIARIES:
        return second not in ("no", "not")  # "Does not close", but "Does it close"
    if first in _TAGS and _begins_request(words[1:]):
        return True
    return first in _REQUEST_WORDS or (first in _NOUNS_AS_WELL and second in _SOUGHT_WORDS)


def _list_words(text: str) -> list[str]:
    """Return the words without marks around them; `can't`, `how-to` and `read_csv` are words of their own."""
    words = (word.strip(_EDGES).removesuffix("'s") for word in text.lower().replace("\u2019", "'").split())
    return [word for word in words if word and word not in _SKIPPED]
