"""Reads pasted text, such as an issue or the message of a commit, as its parts. Pure.

Many reports are filled-in forms. What the form itself says tells nothing: its headings and comments, boxes to
tick, pictures and links. A search uses 64 words, and these left no room for what had been observed. So they
are taken out:

    what `take_informative` knows | tags, pictures, and links but for their text and the path of a file
    lines of the words of forms

What is in fences (code, logs, sessions) is put behind the prose. It shows how something is used, and says
less about what is wrong with it than the prose does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from repo_mcp.late_patterns import compile_late
from repo_mcp.ranking.query.clues import count_words, find_title
from repo_mcp.ranking.query.report_noise import FORM_WORDS, LinePart, is_heading, iter_lines, take_informative
from repo_mcp.ranking.query.requests import holds_question, is_request, wants_shown
from repo_mcp.record_classes import dataclass
from repo_mcp.text.stop_words import FUNCTION_WORDS

LONG_WORDS = 60  # below a title: who tells so much reports something, and may ask what others think
_CLOSING = "advance any best cheers for help in kind many regards so thank thanks the you"
_CLOSING_WORDS = frozenset(_CLOSING.split())
_FORM_WORDS = FUNCTION_WORDS | FORM_WORDS
_TAG = compile_late(
    r"</?(?:a|b|br|center|details|div|em|h[1-6]|hr|i|img|kbd|li|ol|p|picture|source|span|strong|sub|summary|sup"
    r"|table|tbody|td|th|thead|tr|u|ul|video)(?:\s[^<>]{0,2000})?/?>",
    re.I,
)
_PICTURE = compile_late(r"!\[[^\]\n]{0,200}\]\([^()\s]{0,2000}\)")
_LINK = compile_late(r"\[([^\[\]\n]{1,200})\]\([^()\s]{0,2000}\)")
_URL = compile_late(r"\bhttps?://[^\s<>)\]\"'`]{1,2000}")
_FILE_IN_URL = compile_late(r"/(?:blob|blame|tree|raw|src)/(?:branch/|commit/)?[^/\s]{1,100}/([^\s?]{1,400})")
_ITEM = compile_late(r"[-*+]\s|\d{1,3}[.)]\s")
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class PastedText:
    """A text without what a form asks of everybody."""

    prose: str  # the title included
    code: str  # what stood in fences

    @property
    def text(self) -> str:
        """Return all of it."""
        return f"{self.prose}\n\n{self.code}" if self.code else self.prose


def read_pasted(text: str, read_template: Callable[[], Collection[str]] = frozenset[str]) -> PastedText:
    """Return the prose and the code of a text. A text that would be left empty is returned as it is.

    `read_template` is that of `take_informative`.
    """
    informative = take_informative(text.strip(), read_template)
    title = find_title(informative)
    prose: list[str] = []
    code: list[str] = []
    for line, part in iter_lines(informative):
        if part is LinePart.CODE:
            code.append(line)
        elif part is LinePart.PROSE and (line == title or not _FORM_WORDS.issuperset(_list_words(line))):
            prose.append(_strip_markup(line))
    read = PastedText("\n".join(prose).strip(), "\n".join(code).strip())
    return read if _WORD.search(read.text) else PastedText(text.strip(), "")


def is_report(text: str) -> bool:
    """Return True for a report or the description of a change: a title, and below it what it is about.

    A text that asks something, in its title or below it, is a question and no report; only headings of forms
    may ask. A long text may ask on its way, what others think of it, but not in its last paragraph, and words
    that ask may stand within its title: "a flag which takes no value". A text without a title is no report.
    """
    text = text.strip()
    title = find_title(text)
    if title is None:
        return False
    below = [(line.strip(), part) for line, part in iter_lines(text)][1:]
    is_long = sum(count_words(line) for line, _ in below) >= LONG_WORDS
    if is_request(title.rstrip().rstrip("?") if is_long else title, asks_first=is_long):
        return False
    asking = _list_asking(below)
    if _asks_at_end(below, asking) or (asking and not is_long):
        return False
    if any(part is LinePart.CODE for _, part in below):
        return True
    goes_on = below[0][0][:1].islower()
    if is_long:
        return not goes_on
    is_sentence = title.rstrip().endswith((".", "!", ",", ";"))
    return not (is_sentence or goes_on or below[-1][0].endswith("?"))


def _asks_at_end(below: Sequence[tuple[str, LinePart]], asking: Sequence[int]) -> bool:
    """Return whether the last paragraph asks, or its last sentence wants code shown; thanks may follow.

    An item of a list asks only at the very end: open points of a plan are often questions.
    """
    last = len(below) - 1
    while last >= 0 and _CLOSING_WORDS.issuperset(_list_words(below[last][0])):
        last -= 1
    if last < 0:
        return False
    line, part = below[last]
    if last in asking or (part is LinePart.PROSE and wants_shown(line)):
        return True
    start = max((at for at in range(last) if not below[at][0]), default=-1)
    return any(start < at < last and not _ITEM.match(below[at][0]) for at in asking)


def _list_asking(below: Sequence[tuple[str, LinePart]]) -> list[int]:
    """Return the positions of the lines of prose that ask something, without those of forms."""
    asking = []
    before = ""
    for at, (line, part) in enumerate(below):
        asks = part is LinePart.PROSE and holds_question(line, begins_paragraph=not before)
        if asks and not _is_of_form(line):
            asking.append(at)
        before = line
    return asking


def _is_of_form(line: str) -> bool:
    """Return whether a line is a heading, or asks in the words of a form: `What did you expect?`."""
    return is_heading(line) or _FORM_WORDS.issuperset(_list_words(line))


def _list_words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _strip_markup(line: str) -> str:
    """Return a line of prose without tags, pictures and links; of a link to a file, its path is left."""
    if "<" in line:
        line = _TAG.sub(" ", line)
    if "](" in line:
        line = _LINK.sub(r"\1", _PICTURE.sub(" ", line))
    return _URL.sub(_take_file, line) if "://" in line else line


def _take_file(url: re.Match[str]) -> str:
    file = _FILE_IN_URL.search(url[0])
    return file[1] if file else " "
