"""Read what a question wants to add, wherever it says so: "I want to write my own router, where?". Pure.

The whole sentences in grammar.py come first. How something is added, or what happens then, is another
question.
"""

from __future__ import annotations

import re

MAX_CHARS = 200  # of a question that is read so; a longer one tells a story
_IS_OPEN = re.compile(
    r"(?:how (?:does|is|are|did|do (?!(?:i|we|you|one)\b))|why|what happens|when|does|do"
    r"|is (?!(?:it|there)\b))\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\b(?:how|where|which|what|want|need|possible|way|steps?|can i|could i|trying)\b", re.IGNORECASE
)
_ADDS = """add adding create creating write writing implement implementing plug_in plugging_in register
    registering supply supplying provide providing attach attaching hook_up hooking_up hook_in hooking_in
    introduce introducing support supporting build building define defining make making inject injecting
    install installing use using"""
_ENDS = """to for in into of that which so and or like such from with without after before at as get on when
    instead by via using through alongside be go live"""
# Words that name no kind: what is added to an existing thing is not a new one.
_NO_KINDS = frozenset(
    """
    argument arguments case cases check checks choice choices field fields few line lines lot one parameter
    parameters piece step steps thing things value values
    """.split()  # noqa: SIM905
)
_JOINED = {
    name: "|".join(words.split()).replace("_", " ") for name, words in (("adds", _ADDS), ("ends", _ENDS))
}
_NEW = r"(?:(?:new|custom|own|first|additional|extra|different|other|third-party|further) )*"
_KIND = (
    r"((?:[\w-]+ ){0,3}?[\w-]+?)"
    rf"(?=\s+(?:{_JOINED['ends']})\b|\s*[,:;(?.!]|\s[-\u2013]|\s*$)"
)
_ADDED = re.compile(
    r"(?<!does )(?<!when )(?<!while )(?<!after )(?<!before )(?<!instead of )(?<!rather than )(?<!without )"
    rf"\b(?:{_JOINED['adds']}) "
    rf"(?:an?|my|our|your|another|one more|some|additional|extra|new|custom) {_NEW}{_KIND}"
    r"|\b(?:where|how) (?:do|does|are|would|should|can) "
    rf"(?:additional|new|custom|extra|more|other|further) {_KIND}",
    re.IGNORECASE,
)


def read_addition(text: str) -> str:
    """Return the kind of thing that a question wants to add: "router"; "" if it adds nothing."""
    if len(text) > MAX_CHARS or _IS_OPEN.match(text) or not _ASKS.search(text):
        return ""
    found = _ADDED.search(text)
    kind = "" if found is None else (found[1] or found[2])
    return "" if kind.rpartition(" ")[2].lower() in _NO_KINDS else kind
