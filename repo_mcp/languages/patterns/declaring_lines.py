"""Finds the lines that declare a name where line patterns see no declaration: fields, values of an enum, ...

    size_t bytes;                  a field, a variable or a prototype, in a type or at the top of a file
    UV_EOF = -4095,                a value, in an enum
    letterBits = 6                 a constant of Go, in "const ("
    self.timeout = timeout         an attribute of Python, in any method

Such a line tells little by itself: inside a function, "count = 1" declares nothing. So the line that opens
the block around it decides, and that is found by indentation. Only lines that hold the name are looked at,
when somebody asks for it; the index knows nothing of them. Text with another layout gives no lines, or wrong
ones, never an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise

from repo_mcp.languages.patterns.declaring_rules import RULES, Around, Rules
from repo_mcp.languages.patterns.line_layout import TAB_COLUMNS, Layout

MAX_LINES = 200  # of a file with the name that are looked at
MAX_ABOVE = 3_000  # lines looked through for the one that opens a block: an enum may be long
MAX_HEAD_LINES = 6  # of what opens a block, above its brace
MAX_VALUE_LINES = 14  # of what is declared
MAX_LINE_CHARS = 1_000  # a longer line is data
_NOT_WORD = bytes(
    byte for byte in range(256) if not (byte < 128 and (chr(byte).isalnum() or byte == ord("_")))
)
_GROUP_HEAD = re.compile(r"(?:const|var|type)[ \t]*\($")
_NO_HEAD = re.compile(
    r"[ \t]*(?:$|#(?!\[)|//|/\*|\*|--|\(\*|(?:public|private|protected|signals|default)\b[\w \t]*:[ \t]*$)"
)
_MACRO_HEAD = re.compile(r"#[ \t]*define[ \t]+\w+[ \t]*\\$")  # of fields that a struct takes by name
_VISIBILITY = re.compile(r"\bpub\([\w: ]+\)[ \t]*")
_CLOSER = re.compile(r"[ \t]*[})](?!.*[{:]$)")
_OPENER_ALONE = re.compile(r"[ \t]*[{)\]:]")
_OPENS = re.compile(r"(?:[{(\[]|\"\"\"\\?|\\)[ \t]*$")
_CALL_ATTRIBUTES = re.compile(r"\b(?:__\w+|alignas|[A-Z][A-Z_]{2,})[ \t]*\((?:[^()]|\([^()]*\))*\)")
_NO_CALLS = frozenset({"c", "cpp", "objective-c"})  # whose functions may return "struct request *"


def list_declaring_lines(language: str, text: str, name: str) -> list[tuple[int, int]]:
    """Return the first and last lines, from 1, of what declares a name in normalised text, in order.

    Returns nothing for a language without rules, and leaves out what line patterns find.
    """
    rules = RULES.get(language)
    if rules is None or not name or name not in text:
        return []
    if language in ("php", "perl"):
        text = text.replace("$", " ")  # where variables are declared and used alike
    held = [
        (at, line) for at, line in _list_holding(text, name) if _looks_declaring(rules, language, line, name)
    ]
    lines = text.split("\n") if held else []
    found = {at: _find_end(lines, at) for at, _ in held if _declares(rules, language, lines, at, name)}
    if found and language == "python":  # a file of another language may be written as a string
        is_inside = Layout(text.encode("utf-8", "surrogatepass"), [], language).is_inside
        found = {at: end for at, end in found.items() if not is_inside[at]}
    return [
        (at + 1, end + 1)
        for at, end in found.items()
        if not (_is_hash_comment(lines[at]) and end + 1 in found)
    ]


def holds_word(data: bytes, name: bytes) -> bool:
    """Return False if a name is nowhere a word in UTF-8 text. Takes a tenth of the time of decoding it.

    A byte outside ASCII beside a name counts as no part of a word, though it may be one.
    """
    at = data.find(name)
    while at >= 0:
        end = at + len(name)
        if not (data[at - 1 : at] + data[end : end + 1]).translate(None, _NOT_WORD):
            return True
        at = data.find(name, end)
    return False


def _list_holding(text: str, name: str) -> list[tuple[int, str]]:
    """Return the first lines that hold a name as a word, each once, by number from 0."""
    found: list[tuple[int, str]] = []
    line = passed = 0
    pieces = text.split(name)
    end = 0
    for before, after in pairwise(pieces):
        end += len(before) + len(name)
        if after and _is_of_word(after[0]):  # most often: a longer word begins with the name
            continue
        at = end - len(name)
        if _is_of_word(text[at - 1 : at]) or _is_of_word(text[end : end + 1]):
            continue
        line += text.count("\n", passed, at)
        passed = at
        if not found or found[-1][0] != line:
            found.append((line, text[text.rfind("\n", 0, at) + 1 : _find_line_end(text, end)]))
            if len(found) == MAX_LINES:
                break
    return found


def _find_line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _is_of_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _looks_declaring(rules: Rules, language: str, line: str, name: str) -> bool:
    """Return whether a line declares the name, or would if the right block were around it."""
    if len(line) > MAX_LINE_CHARS:
        return False
    patterns = dict.fromkeys((rules.anywhere, *rules.lines.values()))
    return _matches(patterns, name, _cut_calls(language, line))


def _matches(patterns: Iterable[str], name: str, line: str) -> bool:
    text = f"{name}\0{line}"
    return any(pattern and _compile(pattern).match(text) for pattern in patterns)


def _cut_calls(language: str, line: str) -> str:
    return _CALL_ATTRIBUTES.sub("", line) if language in _NO_CALLS else line


def _declares(rules: Rules, language: str, lines: Sequence[str], at: int, name: str) -> bool:
    """Return whether a line that looks as if it did declares a name, by what is around it."""
    line = _cut_calls(language, lines[at])
    if _matches((rules.anywhere,), name, line):
        return True
    return _matches((rules.lines.get(find_around(language, lines, at), ""),), name, line)


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    """Compile a pattern for any name: the searched text is the name, a NUL and the line.

    Compiling those of C for each name took two milliseconds.
    """
    named = pattern.replace("NAME", r"(?<![\w$])(?P=name)(?![\w$])")
    return re.compile(rf"(?P<name>[^\0]+)\0(?:{named}" "\n)", re.VERBOSE)


def find_around(language: str, lines: Sequence[str], at: int) -> Around:
    """Return what is around a line, counted from 0, by the lines that open blocks above it."""
    rules = RULES[language]
    while True:
        opener = _find_opener(lines, at)
        if opener is None:
            return Around.TOP
        at, head = opener
        if _GROUP_HEAD.match(head):
            return Around.GROUP
        if re.match(rules.values_head, head):
            return Around.VALUES
        if _opens_type(rules, language, head):
            return Around.TYPE
        if not re.match(rules.see_through, head):
            return Around.OTHER


def _opens_type(rules: Rules, language: str, head: str) -> bool:
    if language in _NO_CALLS:
        if _MACRO_HEAD.match(head):
            return True
        head = _CALL_ATTRIBUTES.sub("", head)
        if "(" in head or "=" in head:
            return False
    return re.match(rules.type_head, head) is not None


def _find_opener(lines: Sequence[str], at: int) -> tuple[int, str] | None:
    """Return the line that opens the block around a line, and the text of its head; None at the top."""
    depth = _measure(lines[at])
    for above in range(at - 1, max(-1, at - MAX_ABOVE), -1):
        line = lines[above]
        if not depth:
            return None
        if (_NO_HEAD.match(line) and not _MACRO_HEAD.match(line)) or _measure(line) >= depth:
            continue
        if _CLOSER.match(line):  # of a block beside this one, below whose label the line is indented
            depth = _measure(line)
        elif _OPENER_ALONE.match(line):
            return _find_head(lines, above)
        else:
            return above, _VISIBILITY.sub("", line.strip())
    return None


def _find_head(lines: Sequence[str], brace: int) -> tuple[int, str]:
    """Return the first line and the text of a head whose brace, or last bracket, has a line of its own."""
    first, head = brace, [lines[brace]]
    for above in range(brace - 1, max(-1, brace - 1 - MAX_HEAD_LINES), -1):
        line = lines[above]
        if line.startswith("#"):  # a condition of the preprocessor
            continue
        if _NO_HEAD.match(line):
            break
        first = above
        head.append(line)
        if _measure(line) <= _measure(lines[brace]):
            break
    return first, _VISIBILITY.sub("", " ".join(one.strip() for one in reversed(head)))


def _find_end(lines: Sequence[str], at: int) -> int:
    """Return the last line of what is declared: its own, or the one that closes what it opens."""
    if _is_hash_comment(lines[at]):
        rest = range(at + 1, len(lines))
        return next((one for one in rest if not _is_hash_comment(lines[one])), len(lines)) - 1
    if not _OPENS.search(lines[at]):
        return at
    depth = _measure(lines[at])
    for below in range(at + 1, min(len(lines), at + MAX_VALUE_LINES)):
        if lines[below].strip() and _measure(lines[below]) <= depth:
            return below if lines[below].lstrip()[:1] in "{}()[]\"':" else below - 1
    return min(len(lines), at + MAX_VALUE_LINES) - 1


def _is_hash_comment(line: str) -> bool:
    """Return whether a line that declares a name is of a comment: on what is made at run time."""
    return line.lstrip().startswith("#")


def _measure(line: str) -> int:
    """Return the column in which the text of a line begins."""
    text = line.expandtabs(TAB_COLUMNS)
    return len(text) - len(text.lstrip())
