"""Reads pasted text, such as an issue or the message of a commit, as its parts. Pure.

A report is filled into a form. What the form asks of everybody names nothing: its headings and comments,
lists with boxes to tick, the versions of systems and browsers, pictures and links. With 64 words to search
by, these left no room for what had been observed. So they are taken out:

    what `take_informative` knows | tags, pictures, and links but for their text and the path of a file
    lines of the words of forms | what is below headings that ask for the environment | `foo version: ...`

What is in fences (code, logs, sessions) follows the prose. It shows how something is used, and says less than
the prose does of what is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from repo_mcp.late_patterns import compile_late
from repo_mcp.ranking.asking import holds_question, is_request
from repo_mcp.ranking.prompt import find_title
from repo_mcp.ranking.reports import FORM_WORDS, LinePart, iter_lines, take_informative
from repo_mcp.record_classes import dataclass
from repo_mcp.text.stop_words import FUNCTION_WORDS

# A heading that has these besides words of forms asks for what the program ran on, or for an agreement.
_SYSTEM = """
agreement arch architecture browser browsers checklist conduct contributing desktop diagnostics env
environment guidelines hardware installed operating os platform platforms prerequisites severity specification
specifications specs system systems version versions
"""
# These too, but they may as well be what the report is about.
_TOPICS = """
checks compiler device distribution frequency machine manager node package packages processor python runtime
shell software terminal terms validation validations
"""
_FORM_WORDS = FUNCTION_WORDS | FORM_WORDS
_SYSTEM_WORDS = frozenset(_SYSTEM.split())
_ENVIRONMENT_WORDS = _SYSTEM_WORDS | frozenset(_TOPICS.split())
_VERSIONS = frozenset(("version", "versions"))
_RAN_ON = _VERSIONS | frozenset(
    ("browser", "browsers", "hardware", "operating", "os", "platform", "platforms")
)
_WHICH = frozenset(("what", "which"))
MOST_ASKING_WORDS = 9  # of a heading that asks for a system or version, all but one of them of forms
MOST_VALUE_WORDS, MOST_VERSION_WORDS = 2, 6  # of what a field is filled in with; if it has a digit

_HEADING = compile_late(r"\s{0,3}(?:#{1,6}\s++(\S.{0,219})|\*\*([^*]{1,200})\*\*:?|__([^_]{1,200})__:?)")
_FIELD = compile_late(
    r"\s{0,8}(?:[-*+]\s{1,4})?[*_]{0,2}([\w .()/\[\],-]{1,60}?)[*_]{0,2}\s?:[*_]{0,2}(?![:/])(.{0,60})"
)
_TAG = compile_late(
    r"</?(?:a|b|br|center|details|div|em|h[1-6]|hr|i|img|kbd|li|ol|p|picture|source|span|strong|sub|summary|sup"
    r"|table|tbody|td|th|thead|tr|u|ul|video)(?:\s[^<>]{0,2000})?/?>",
    re.I,
)
_PICTURE = compile_late(r"!\[[^\]\n]{0,200}\]\([^()\s]{0,2000}\)")
_LINK = compile_late(r"\[([^\[\]\n]{1,200})\]\([^()\s]{0,2000}\)")
_URL = compile_late(r"\bhttps?://[^\s<>)\]\"'`]{1,2000}")
_FILE_IN_URL = compile_late(r"/(?:blob|blame|tree|raw|src)/(?:branch/|commit/)?[^/\s]{1,100}/([^\s?]{1,400})")
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
    """Return the prose and the code of a text. What says nothing else is returned as it is.

    `read_template` is that of `take_informative`.
    """
    informative = take_informative("\n".join(_drop_environment(text.strip())), read_template)
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

    What asks, in its title or below it, is none: it is a question. Neither is what has no title. The headings
    of forms may ask.
    """
    text = text.strip()
    title = find_title(text)
    if title is None or is_request(title):
        return False
    below = [(line.strip(), part) for line, part in iter_lines(text)][1:]
    before = ""
    for line, part in below:
        asked = part is LinePart.PROSE and holds_question(line, begins_paragraph=not before)
        if asked and not _is_of_form(line):
            return False
        before = line
    if any(part is LinePart.CODE for _, part in below):
        return True
    is_sentence = title.rstrip().endswith((".", "!", ",", ";"))
    goes_on = below[0][0][:1].islower()
    return not (is_sentence or goes_on or below[-1][0].endswith("?"))


def _is_of_form(line: str) -> bool:
    """Return whether a line is a heading, or asks in the words of a form: `What did you expect?`."""
    is_heading = _HEADING.fullmatch(line) is not None
    return is_heading or _FORM_WORDS.issuperset(_list_words(line)) or _asks_for_environment(line)


def _drop_environment(text: str) -> Iterator[str]:
    """Yield the lines without what a form asks about the environment, except the first one.

    Below a heading that may as well name a topic, such as `Node`, only values are dropped.
    """
    is_dropped = is_topic = False
    for number, (line, part) in enumerate(iter_lines(text)):
        is_prose = part is LinePart.PROSE
        heading = _HEADING.fullmatch(line.rstrip()) if is_prose else None
        if heading is not None:
            asked = heading[1] or heading[2] or heading[3]
            is_dropped = _asks_for_environment(asked)
            is_topic = _SYSTEM_WORDS.isdisjoint(_list_words(asked))
        is_asked = is_dropped and (heading is not None or not is_topic or (is_prose and _is_value(line)))
        if not number or not (is_asked or (is_prose and _is_filled_in(line))):
            yield line


def _list_words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _asks_for_environment(heading: str) -> bool:
    """Return whether a heading asks for what a program ran on, for its version, or for an agreement."""
    words = _list_words(heading.partition("(")[0])
    others = [word for word in words if word not in _FORM_WORDS and word not in _ENVIRONMENT_WORDS]
    is_short = len(words) <= MOST_ASKING_WORDS
    if is_short and (_VERSIONS.issuperset(words[-1:]) or _WHICH.issuperset(words[:1])):
        return len(others) <= 1 and not _RAN_ON.isdisjoint(words)
    return not others and not _ENVIRONMENT_WORDS.isdisjoint(words)


def _is_filled_in(line: str) -> bool:
    """Return whether a line names a version or a system in the words of a form: `- OS: Linux`."""
    match = _FIELD.fullmatch(line)
    if match is None or not _asks_for_environment(match[1]):
        return False
    return _is_value(match[2])


def _is_value(text: str) -> bool:
    """Return whether a text is the name of a system or a version rather than a sentence."""
    most = MOST_VERSION_WORDS if any(map(str.isdigit, text)) else MOST_VALUE_WORDS
    return len(text.split()) <= most


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
