"""Read the first sentence of the comment on a declaration."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import dropwhile, islice, takewhile
from operator import not_

from repo_mcp.graph.nodes import Node
from repo_mcp.research.findings.research_state import ResearchState

# A tag, of which the group stays: `{@link Depot}`, and what is left of one that ends on another line
_TAG = re.compile(r"<[^<>]*+>|[{]@\w++ ?([^{}]*+)(?:[}]|$)|^([^{}]*+)[}]")
# A tag of C# that stands for a name: `<see cref="Depot"/>`.
_NAMES = re.compile(r"<(?:see|seealso|paramref|typeparamref) \w+=\"(?:\w:)?([^\"<>]{1,80})\"\s*+/>")
_FOR_TOOLS = re.compile(  # a comment that tells a tool what to leave alone, and a reader nothing
    r"\b(?:eslint|prettier|biome|istanbul|pylint|rubocop|clang)[-: ]|@ts-"
    r"|\b(?:noqa|nolint|NOLINT|noinspection|checkstyle)\b"
)
_IS_NOTE = re.compile(r"(?:NOTE|TODO|FIXME|HACK|XXX|SAFETY)\b")  # to those who maintain the code
# A line that says nothing of what is declared: `@internal`, `@author Ada`, `@class Depot`.
_IS_TAG = re.compile(
    r"@\w+$|@(?:author|since|version|license|copyright)\b"
    r"|[@\\](?:class|concept|def|enum|file|fn|ingroup|interface|namespace|struct|typedef|union|var)\s+[\w.:~]+$"
)
# A line after which nothing more is said of the whole: `@param {Depot} depot to look in`
_ENDS = re.compile(r"@(?!(?:brief|short|desc|description|summary|details)\b)\w+(?:[ {(]|$)")
_OPENS = re.compile(r"[@\\](?:brief|short|desc|description|summary|details)\s+")
# A line below or above a title, and the signs before one: "= Depots" of RDoc
_RULE = re.compile(r"[=~*^-]{3,}$")
_TITLE = re.compile(r"=+ ")
_DIRECTIVE = re.compile(r":([a-z-]+):(?:\s|$)")  # of RDoc: `:markup: markdown`
_ENDS_SENTENCE = re.compile(  # not an ellipsis, nor "e.g."
    r"(?<=[.!?])(?<!\s\.\.\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bcf\.)(?<!\bvs\.)\s", re.IGNORECASE
)
_WORD = re.compile(r"[A-Za-z]+")
# Words that repeat what the kind of a declaration says: "Creates an instance of Depot."
_OF_EACH = frozenset({"a", "an", "constructor", "create", "creates", "instance", "new", "of", "the"})
_OPENS_DOCSTRING = re.compile(r"\s*+[rRbBuU]*[\"']")
_OPENS_DOC = re.compile(r"\s*/\*\*")
_MARKS = "/*#!-\"'` \t"
MOST_COMMENT_LINES = 8  # shown above a declaration
MAX_EMPTY_LINES = 20  # between a comment and what it documents
HEAD_LINES = 12  # of a declaration, in which its docstring is expected to begin
MAX_SENTENCE_CHARS = 220
FEW_WORDS = 3  # of a sentence that says little without the next


def read_comment(state: ResearchState, path: str, start: int) -> str:
    """Return the first sentence of the comment on the declaration that begins in a line; "" if none."""
    return read_first_sentence(state.source.read_lines(path), state.source.read_comment_lines(path), start)


def read_description(state: ResearchState, node: Node) -> str:
    """Return the first sentence of the comment on a symbol; "" for one that only repeats its name."""
    said = read_comment(state, node.path, node.symbol.start_line)
    name = node.qualified_name.lower()
    words = (word.lower() for word in _WORD.findall(said))
    return "" if all(word in name or word in _OF_EACH for word in words) else said


def read_first_sentence(lines: Sequence[str], comments: Set[int], start: int) -> str:
    """Return the first sentence of the comment above a declaration or at the start of its body; "" if none.

    A sentence ends at the latest where its paragraph does. One of at most FEW_WORDS ("Default mode.") is
    returned with the next. A single word, such as the title of a group of members, is no sentence. A note to
    those who maintain the code, such as one that refers to an issue by its address, says nothing of what it
    does.

    `comments` has the numbers of the lines of the file that are comments.
    """
    numbers = list_above(lines, comments, start) or list_inside(lines, comments, start)
    numbers = _leave_out_directives(lines, numbers)
    plain = " ".join(takewhile(bool, dropwhile(not_, _iter_said(lines, numbers))))
    sentences = _ENDS_SENTENCE.split(" ".join(plain.split()))
    is_brief = " " in sentences[0] and sentences[0].count(" ") < FEW_WORDS
    sentence = " ".join(sentences[: 2 if is_brief else 1])
    sentence = re.split(r"\s@[a-z]\w*", sentence, maxsplit=1)[0].rstrip(".:")
    if " " not in sentence or _IS_NOTE.match(sentence) or "://" in sentence:
        return ""
    return f"{sentence[:MAX_SENTENCE_CHARS]}…" if len(sentence) > MAX_SENTENCE_CHARS else f"{sentence}."


def _iter_said(lines: Sequence[str], numbers: Iterable[int]) -> Iterator[str]:
    """Yield the lines of a comment without marks, and without tags, up to one that tells of a part."""
    for number in numbers:
        line = _strip_marks(_NAMES.sub(r"\1", lines[number - 1]))
        if _IS_TAG.match(line) or _RULE.match(line):
            continue
        if _ENDS.match(line):
            return
        line = _TAG.sub(lambda found: found[1] or found[2] or "", _OPENS.sub("", line))
        yield _strip_marks(_TITLE.sub("", line))


def _leave_out_directives(lines: Sequence[str], numbers: Sequence[int]) -> list[int]:
    """Return the numbers of lines without those that tell RDoc something, and what `:call-seq:` lists."""
    kept, is_list = list[int](), False
    for number in numbers:
        text = lines[number - 1].strip(_MARKS)
        directive = _DIRECTIVE.match(text)
        is_list = directive[1] == "call-seq" if directive is not None else is_list and bool(text)
        if directive is None and not is_list:
            kept.append(number)
    return kept


def _strip_marks(line: str) -> str:
    """Return the text of a line of a comment; a name in backquotes at its start or end keeps them."""
    return line.strip(_MARKS) and line.strip(_MARKS.replace("`", ""))


def list_above(lines: Sequence[str], comments: Set[int], start: int) -> list[int]:
    """Return the numbers of the comment lines above a declaration and its annotations.

    Between `/** ... */` and the declaration there may be empty lines, unless that comment begins the file.
    """
    if start in comments and _OPENS_DOC.match(lines[start - 1]):  # JSDoc declares a type: `@typedef`
        return list(takewhile(comments.__contains__, range(start, len(lines) + 1)))
    first = min(start, len(lines) + 1)  # the file may have become shorter since it was parsed
    while first > 1 and (first - 1 in comments or lines[first - 2].lstrip().startswith(("@", "["))):
        first -= 1
    above = [number for number in range(first, start) if number in comments]
    above = above or _list_apart(lines, comments, first)
    return [number for number in above if not _FOR_TOOLS.search(lines[number - 1])]


def _list_apart(lines: Sequence[str], comments: Set[int], first: int) -> list[int]:
    """Return the numbers of the lines of a `/** ... */` comment that only empty lines part from a line."""
    last = first - 1
    while last > max(0, first - MAX_EMPTY_LINES) and not lines[last - 1].strip():
        last -= 1
    begin = last
    while begin > 1 and begin in comments and not lines[begin - 1].lstrip().startswith("/**"):
        begin -= 1
    is_doc = last in comments and lines[begin - 1].lstrip().startswith("/**")
    return list(range(begin, last + 1)) if is_doc and any(map(str.strip, islice(lines, begin - 1))) else []


def list_inside(lines: Sequence[str], comments: Set[int], start: int) -> list[int]:
    """Return the numbers of the lines of a docstring; none behind a statement or member.

    A comment at the start of a block in braces is none: it is often about the statement below it.
    """
    head = range(start, min(len(lines), start + HEAD_LINES) + 1)
    first = next(filter(comments.__contains__, head), len(lines) + 1)
    inside = list(takewhile(comments.__contains__, range(first, len(lines) + 1)))
    if not inside or _OPENS_DOCSTRING.match(lines[inside[0] - 1]) is None:
        return []
    above = [line.rstrip() for line in lines[start - 1 : inside[0] - 1] if line.strip()]
    return inside if above and [line for line in above if line.endswith(":")] == above[-1:] else []


def list_comment(state: ResearchState, node: Node) -> list[int]:
    """Return the first lines of the comment above a declaration."""
    comments = state.source.read_comment_lines(node.path)
    above = list_above(state.source.read_lines(node.path), comments, node.symbol.start_line)
    return [at for at in above if at < node.symbol.start_line][:MOST_COMMENT_LINES]
