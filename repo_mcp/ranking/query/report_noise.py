"""Remove from a pasted report the text that says nothing about where to look. Pure.

A report is prose with text that programs wrote: sessions, logs, the headings and sentences of a template.
The words of such text are many, rare and beside the point, and would outvote the prose. Only its errors, its
traceback frames and what a person typed are kept. A prompt of one line is a question, and is not changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from enum import Enum
from itertools import groupby

from repo_mcp.errors import RepoError
from repo_mcp.late_patterns import compile_late
from repo_mcp.record_classes import dataclass
from repo_mcp.text.analysis import analyse_text
from repo_mcp.text.stop_words import STOP_WORDS

SENTENCE_WORDS = 3  # a shorter line of a template may also be somebody's answer
MAX_COMMENT_CHARS = 20_000  # of a template, to say what to fill in
_NOISE = compile_late(
    r"""
    [ \t]*[-*+][ ]\[[ xX]\][ ]  # a check-list
    | _No[ ]response_
    | .{0,80}\[e\.g\.[^\]\n]{0,80}\][ \t]*$  # the sentences that hosts propose for templates
    | A[ ]clear[ ]and[ ]concise[ ]description | Add[ ]any[ ]other[ ]context | If[ ]applicable,[ ]add[ ]screen
    | (?:Python|IPython|PyPy|Node|Welcome[ ]to|Type)\b.{0,20}(?:\d+\.\d+|"[.]?help"|[ ]Node\.js).*  # a banner
    | [ \t]*(?:[-*+][ ])?(?:os|platform|operating[ ]system|browser|\w+[ ]version|version)s?[ ]*:.{0,80}$
    | [ \t]*(?:[-*+][ ]+)?[-*+_][ ]?[*_]{0,2}(?:[\w.+/-]{1,30}[ ]){0,2}  # an item of a list, or in other type
      (?:os|platform|operating[ ]system|browser|compiler|time[ ]?zone|architecture|(?:\w+\+)?version)s?
      (?:[ ]information)?(?:[*_]{0,3}[ ]*:|[ ]+(?=[^:]{0,30}\d)(?!\d+[ ][a-z])).{0,160}$  # no "version 2 of"
    """,
    re.VERBOSE | re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
_FENCE = compile_late(r"[ \t>]*+(`{3,}+|~{3,}+)([^`]*+)")
_TYPED_BY = r"[ \t]*(?:>>>|\.\.\.|\$|In \[\d+\]:|irb\([^)\n]{1,40}\):\S*|PS [^>\n]{0,200}>)[ \t]"
_TYPED = compile_late(_TYPED_BY)
_TYPED_FIRST = compile_late(rf"{_TYPED_BY}|[ \t]*>[ \t]")  # elsewhere `> ` quotes somebody
_TELLS = compile_late(
    r"error|exception|warn|\bfail|fatal|panic|assert|abort|invalid|\bcannot\b|can't|unexpected|refused|denied"
    r"|undefined|uncaught|segmentation|traceback|\w\.\w{1,8}:\d+|\", line \d",
    re.IGNORECASE,
)
_FIELD = compile_late(r"[ \t]{1,40}['\"\w-]{1,80}: \S+[ \t]*$")  # of a value that a session shows
_LOGGED_BY = r"\W{0,4}(?:\d{2,4}[-/:]\d\d\b|(?:TRACE|DEBUG|INFO|WARN|ERROR)\w{0,5}\b)"
_LOGGED = compile_late(_LOGGED_BY)
_QUIET = compile_late(r".{0,80}?(?:\b(?:TRACE|DEBUG|INFO|NOTICE|VERBOSE)\b|\[(?:trace|debug|info|notice)\])")
_CHANGING = compile_late(r"0x[0-9a-fA-F]+|\d+")  # in lines of a log that are otherwise the same
_FRAME_BY = (
    r"[ \t]*(?:File \"|at \S+ ?\(|at \S+:\d|in \S+:line |\S+\.go:\d|(?:from )?\S+\.rb:\d+:in "
    r"|#\d+ \S+\.php\()"
)
_WRITTEN = compile_late(f"{_FRAME_BY}|{_TYPED_BY}|{_LOGGED_BY}")  # by a program
_HEADING = compile_late(r"[ \t]*(?:#{1,6}[ \t]|\*\*[^*\n]{1,80}\*\*:?[ \t]*$)")
# The words of headings that ask where a program ran. What stands below is true of many reports.
_ASKS_SETUP = compile_late(
    r"(?:what|which) (?:\w+ ){0,2}?(?:versions?|operating system|os|browser|platform)\b.*"
    r"|(?:(?:affected|development|my|runtime|software|test|your) )?"
    r"(?:environment|operating system|os|platform|system|version)s?"
    r"(?: (?:data|details|info|information|used|of \w+|and (?:environment|system|versions?)))*"
    r"|how (?:did|do|have) you install.*|(?:installation method|installed (?:from|via|with))"
    r"|(?!(?:add|allow|bump|change|drop|include|remove|support|update|upgrade|use) )(?:\w+ ){1,2}versions?"
    r"(?: and (?:environment|os|platform|system))?"
)
_INDENTS = ("    ", "\t")  # of code without a fence, below an empty line
_LISTED = compile_late(r" {0,3}(?:[-*+]|\d{1,3}[.)])[ \t]")
BOLD_LEVEL = 3
_FOLDED, _FOLDED_END = "<details", "</details>"
_WORDS_OF_FORMS = """
actual add additional additionally alternatives anything applicable attempted behavior behaviour bug case
cause check checklist checks clear code complete completed component components concise config configuration
considered context current debug describe description desired detail details docs documentation environment
error example existing expect expectation expectations expected explain feature following general guide
happen happened happens help info information issue issues like link log logs message messages minimal
module modules motivation n none notes observed old operating option output please possible preflight
problem proposal propose proposed question questions reason related relevant repo report repro reproduce
reproducer reproducible reproducing reproduction request response result results s sample scenario
screenshot screenshots search see seen setup short show snippet solution specification specifications stack
stacktrace started step steps subsystem suggested suggestion summary system task tasks tell terminal test
tests trace traceback tried try use used using version versions vs want work workaround works yes
"""
FORM_WORDS = frozenset(_WORDS_OF_FORMS.split())
TEMPLATE = "issue_template"  # in the path of a template for reports
TEMPLATE_ENDS = (".md", ".yml", ".yaml", ".txt")
MAX_TEMPLATES = 8  # that are read
MAX_TEMPLATE_CHARS = 1 << 15  # a longer one is left out: each search of several lines reads them


class LinePart(Enum):
    """Names what a line belongs to."""

    PROSE = "prose"
    CODE = "code"
    FENCE = "fence"


def take_informative(prompt: str, read_template: Callable[[], Collection[str]] = frozenset[str]) -> str:
    """Return the lines of a prompt that carry information; all of them if none would be left.

    `read_template` returns the words of lines in the repository's own templates, as `list_template_words`
    yields them. It is called only for a prompt of several lines.
    """
    if "\n" not in prompt.strip():
        return prompt
    template = read_template()
    told = "\n".join(_drop_setup(_drop_comments(prompt)))
    lines = _iter_new(_iter_kept(told))
    parts = iter_lines("\n".join(lines))
    kept = [line for line, part in parts if not _is_form(line, template if part is LinePart.PROSE else ())]
    telling = "\n".join(kept)
    return telling if _WORD.search(telling) else prompt


def _drop_comments(text: str) -> str:
    """Return a text without the comments of HTML, but for very long ones. Takes linear time."""
    kept: list[str] = []
    at = end = 0
    while (start := text.find("<!--", at)) >= 0:
        if end < start + len("<!--"):
            end = text.find("-->", start + len("<!--"))
            if end < 0:
                break
        is_long = end - start > MAX_COMMENT_CHARS
        kept.append(text[at : start + 1 if is_long else start])
        at = start + 1 if is_long else end + len("-->")
    return "".join([*kept, text[at:]])


def read_words(line: str) -> str:
    """Return the words of a line in lower case, without punctuation, separated by spaces."""
    return " ".join(_WORD.findall(line.lower()))


def read_template(
    find_paths: Callable[[Sequence[str]], Sequence[str]], read_text: Callable[[str], str]
) -> frozenset[str]:
    """Return the words of the lines in the repository's templates for reports. Raises IndexFormatError.

    `find_paths` returns the paths that hold some terms; a template that `read_text` cannot read is left out.
    """
    words: set[str] = set()
    paths = [path for path in find_paths(analyse_text(TEMPLATE)[:1]) if path.lower().endswith(TEMPLATE_ENDS)]
    for path in paths[:MAX_TEMPLATES]:
        with suppress(RepoError):  # not readable now
            text = read_text(path)
            if len(text) <= MAX_TEMPLATE_CHARS:
                words.update(list_template_words(text))
    return frozenset(words)


def list_template_words(text: str) -> Iterator[str]:
    """Yield the words of each line of a template, and of its value if it has a key: `label: Version`."""
    for line in text.split("\n"):
        yield read_words(line)
        yield read_words(line.partition(": ")[2])


def _is_form(line: str, template: Collection[str]) -> bool:
    """Return True for a line that belongs to the form of a report and not to its content."""
    if _NOISE.match(line):
        return True
    words = read_words(line).split()
    heads = is_heading(line)
    if (heads or len(words) >= SENTENCE_WORDS) and " ".join(words) in template:
        return True
    return heads and all(word in FORM_WORDS or word in STOP_WORDS for word in words)


def is_heading(line: str) -> bool:
    """Return True for a heading of Markdown, or for a line in bold type that serves as one."""
    return _HEADING.match(line) is not None


def _iter_kept(text: str) -> Iterator[str]:
    """Yield the lines to keep: from sessions what was typed or names an error, from logs what warns."""
    for (part, _), block in groupby(iter_lines(text), _choose_block):
        lines = [line for line, _ in block]
        if part is LinePart.FENCE:
            yield from lines
            continue
        first = next(filter(str.strip, lines), "")
        is_session = part is LinePart.CODE and _TYPED_FIRST.match(first) is not None
        is_session = is_session or any(map(_TYPED.match, lines))
        for line in lines:
            is_said = not is_session or _TYPED_FIRST.match(line) or _names_error(line)
            if is_said and not (_LOGGED.match(line) and _QUIET.match(line)):
                yield line


def _drop_setup(text: str) -> Iterator[str]:
    """Yield the lines of a text without what its form asks about versions and systems.

    Below such a heading that is the first paragraph, list, fence or folded part. The rest may be anything. Of
    a heading that has deeper ones right below it, that is what these ask, too.
    """
    answer: _Answer | None = None  # to such a heading
    last = 0  # the level of the last heading
    outer = 0  # the level of such a heading whose deeper ones ask for parts of the same
    before = ""  # the first line that is yielded, which is no heading of a form
    for line, part in iter_lines(text):
        if part is LinePart.PROSE and is_heading(line):
            level = _measure_level(line)
            if level <= outer:
                outer = 0
            asks = bool(before) and _ASKS_SETUP.fullmatch(read_words(line)) is not None
            if answer is not None and not answer.has_begun and level > last:
                outer = outer or last
            answer, last = _Answer() if asks or outer > 0 else None, level
        elif answer is not None and not answer.take(line, part):
            answer = None
        if answer is None:
            yield line
            before = before or line.strip()


@dataclass(slots=True)
class _Answer:
    """An answer about versions and systems, as far as it has been read."""

    has_begun: bool = False
    is_over: bool = False  # behind the end of a fence or of a folded part
    is_folded: bool = False
    is_fenced: bool = False
    is_list: bool = False

    def take(self, line: str, part: LinePart) -> bool:
        """Return whether a line, which is no heading, belongs to the answer."""
        if part is LinePart.PROSE and not line.strip():
            return self.is_folded or not self.has_begun
        if self._ends_before(line, part):
            return False
        if part is LinePart.FENCE:
            self.is_fenced = not self.is_fenced
            self.is_over = not self.is_fenced and not self.is_folded
        elif part is LinePart.PROSE:
            self.is_list = self.is_list or (not self.has_begun and _LISTED.match(line) is not None)
            self.is_folded = self.is_folded or _FOLDED in line
            self.is_over = self.is_folded and _FOLDED_END in line
            self.is_folded = self.is_folded and not self.is_over
        self.has_begun = True
        return True

    def _ends_before(self, line: str, part: LinePart) -> bool:
        """Return whether a line of prose follows a fence or a folded part, or no item of a list does."""
        if part is not LinePart.PROSE or self.is_folded or _FOLDED in line:
            return False
        is_item = line.startswith((" ", "\t")) or _LISTED.match(line) is not None
        return self.is_over or (self.is_list and not is_item)


def _measure_level(heading: str) -> int:
    """Return how deep a heading is; one in bold type is used like the third level."""
    text = heading.lstrip()
    return (len(text) - len(text.lstrip("#"))) or BOLD_LEVEL


def _choose_block(line: tuple[str, LinePart]) -> tuple[LinePart, bool]:
    """Return what the lines of one block have in common: those in a fence, or those of a paragraph."""
    text, part = line
    return part, part is LinePart.PROSE and not text.strip()


def _names_error(line: str) -> bool:
    """Return True for a line of a session that names an error, or its place."""
    return _TELLS.search(line) is not None and not _FIELD.match(line)


def _iter_new(lines: Iterator[str]) -> Iterator[str]:
    """Yield the lines without those that repeat a line of a log, apart from their numbers."""
    seen: set[str] = set()
    for line in lines:
        logged = _CHANGING.sub("0", line.strip()) if _LOGGED.match(line) else ""
        if logged not in seen or not logged:
            yield line
        seen.add(logged)


def drop_written(text: str) -> str:
    """Return the lines of a text that no program wrote: no frames, and none of sessions or logs."""
    return "\n".join(line for line in text.split("\n") if not _WRITTEN.match(line))


def iter_lines(text: str) -> Iterator[tuple[str, LinePart]]:
    """Yield the lines, and whether each is prose, code in a fence or indented, or a fence."""
    fence = ""
    takes_indented = is_listed = False  # whether an indented line would be code; within a list it is prose
    for line in text.split("\n"):
        match = _FENCE.fullmatch(line)
        if fence and match and match[1].startswith(fence) and not match[2].strip():
            fence = ""
        elif not fence and match:
            fence = match[1]
        elif fence:
            yield line, LinePart.CODE
            continue
        else:
            is_blank = not line.strip()
            is_code = takes_indented and not is_blank and line.startswith(_INDENTS)
            if not is_blank and not line.startswith((" ", "\t")):
                is_listed = _LISTED.match(line) is not None
            takes_indented = (is_blank or is_code) and not is_listed
            yield line, LinePart.CODE if is_code else LinePart.PROSE
            continue
        yield line, LinePart.FENCE
