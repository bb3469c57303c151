"""Finds what a prompt names: frames of tracebacks, paths, symbols, quoted text, words. Pure.

Nothing here knows the repository: a path is whatever looks like one, and whether such a file
exists is checked later (`mentions.py`). Every pattern is bounded, so that time is linear in the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import islice

from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.late_patterns import compile_late
from repo_mcp.ranking.query.frames import PATH, Frame, cut_frames, find_frames, plain_path
from repo_mcp.ranking.query.prefiltered import PrefilteredPattern
from repo_mcp.record_classes import dataclass
from repo_mcp.text.language_errors import LANGUAGE_ERRORS
from repo_mcp.text.lines import unify_line_ends
from repo_mcp.text.question_words import find_numbers
from repo_mcp.text.stop_words import FUNCTION_WORDS, STOP_WORDS

LEAST_TITLE_WORDS = 3
LEAST_NAMING_WORDS = 2  # of a title that has a name of code: "Add `close()`"
# These begin headings and comments of forms, frames of a traceback, and what was typed in a session.
_NO_TITLE = ("##", "**", "<!--", 'File "', "at ", ">>> ", "$ ")
UNSPACED_CHARS = 2  # in a word, at the mean
_UNSPACED = compile_late(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")  # Thai, Lao, Japanese, Chinese


def find_title(text: str) -> str | None:
    """Return the first line of a text of several lines, or None without such lines or without a title.

    A line of one or two words, one that ends with a colon, and a heading of a form introduce what follows:
    `Hi all`, `Traceback (most recent call last):`, `### What I expected`. Two words with a name of code among
    them are a title if an empty line follows. Nor is a frame or a command of what was pasted alone a title.
    """
    first, _, rest = text.strip().partition("\n")
    if not rest or first.rstrip().endswith(":") or first.startswith(_NO_TITLE):
        return None
    count = count_words(first)
    is_title = count >= LEAST_TITLE_WORDS or (
        count >= LEAST_NAMING_WORDS and rest.startswith(("\n", "\r\n")) and _holds_name(first)
    )
    return first if is_title else None


def count_words(text: str) -> int:
    """Return the number of words. In scripts without spaces between words, two characters count as one."""
    return len(text.split()) + (0 if text.isascii() else len(_UNSPACED.findall(text)) // UNSPACED_CHARS)


def _holds_name(text: str) -> bool:
    return any(map(_SHAPED.search, _IDENTIFIER.findall(text)))


class ClueKind(StrEnum):
    """The kinds of things that a prompt can name."""

    FRAME = "frame"  # a line of a traceback
    PATH = "path"  # anything that looks like a file
    SYMBOL = "symbol"
    PHRASE = "phrase"  # quoted text, or an error's message
    WORD = "word"


MAX_CLUES = {
    ClueKind.FRAME: 24,
    ClueKind.PATH: 24,
    ClueKind.SYMBOL: 32,
    ClueKind.PHRASE: 6,
    ClueKind.WORD: 64,
}
MIN_PHRASE_CHARS, MAX_PHRASE_CHARS = 8, 200
LEAST_QUOTED = 4  # words of what is quoted, which may be a message
MAX_QUESTION_CHARS = 400  # of a text in which numbers count as words; in a report they may be of anything


@dataclass(frozen=True, slots=True)
class Clue:
    """One thing that a prompt names."""

    kind: ClueKind
    text: str
    line: int | None = None  # in the file that the text names
    name: str | None = None  # the function that a frame names
    is_strong: bool = True  # False for a symbol recognised by its look alone
    is_joined: bool = False  # True for a symbol joined from adjacent words
    arguments: str | None = None  # what the function takes of a frame that names a type and no file
    owner: str = ""  # the name before that of a frame's function: mostly its type


_NAMED_PATH = PrefilteredPattern(
    ["/", "\\", ".", "file"],  # those of _LOOKS_LIKE_FILE
    rf"(?<![\w.\\/-])(?P<path>{PATH})(?:(?::|#L)(?P<line>\d{{1,7}})|,? line (?P<spoken>\d{{1,7}}))?",
)
_LOOKS_LIKE_FILE = compile_late(r"[\\/]|[\w-]\.[A-Za-z][A-Za-z0-9+]{0,9}$|^[A-Z]\w*file$")
_BACKTICKED = PrefilteredPattern(["`"], r"`([^`\n]{1,200})`")
_NAME = r"[A-Za-z_$][A-Za-z0-9_$]{1,120}"
_IDENTIFIER = re.compile(rf"{_NAME}(?:(?:\.|::|#|->){_NAME}){{0,12}}")
_CALLED = PrefilteredPattern(["("], rf"({_NAME}(?:(?:\.|::|#|->){_NAME}){{0,12}})\(")
_SHAPED = re.compile(r"^_*[A-Za-z0-9$]+_\w*[A-Za-z0-9]\w*$|^_+[A-Za-z]\w*$|[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_CAPITALISED = PrefilteredPattern([" "], r"(?<=[a-z,:;(] )([A-Z][a-z][A-Za-z0-9]{2,60})\b(?!\.\w|::|\()")
_QUOTED = PrefilteredPattern(
    ['"', "'", "“", "`"],
    r"\"([^\"\n]{1,200})\"|(?<!\w)'([^'\n]{1,200})'(?!\w)|“([^”\n]{1,200})”|`([^`\n]{1,200})`",
)
_ERROR_LINE = PrefilteredPattern(
    [": "],
    r"^[ \t>#*]{0,20}(?P<thrown>(?:[A-Za-z_][\w.$]{0,120})?(?:Error|Exception|Warning|Failure|Panic)"
    r"|[a-z_]\w{0,60}(?:\.\w{1,60}){0,8}\.[A-Z]\w{1,60}|Uncaught [\w.$]{1,80}"
    r"|error|panic|fatal|FATAL|ERROR|[Ff]atal(?: \w{1,20})? error)"
    r"(?:\[\w{1,20}\])?: (?P<message>[^\n]{1,400})$",
    re.M,
)
_WORD = re.compile(r"[^\W_]\w*|_\w+")
_BOILERPLATE = PrefilteredPattern(
    ["(", ":", "***"],
    r"^\*\*\* [^\n]{1,300}\*\*\*$"
    r"|Traceback \(most recent call last\):?|^goroutine \d+ \[\w+\]:|Stack ?trace:",
    re.M | re.I,
)
_URL = PrefilteredPattern(["://"], r"\b(?:https?|ftp|file)://[^\s<>)\]\"'`]{1,2000}")
# The directories and the extension of a path say less than its name does.
_PATH_ALONE = PrefilteredPattern(
    ["/", "\\"],
    r"(?<![\w.\\/-])[\\/]{0,2}(?:[\w.@+~-]{1,100}[\\/]){1,30}([\w-]{1,100})(?:\.\w{1,10}){1,2}(?:(?::|#L)\d{1,7})?(?![\w/])",
)
_SHORT_DOTTED = frozenset({"e.g", "i.e", "etc", "a.k.a"})


def parse_prompt(prompt: str) -> tuple[Clue, ...]:
    """Return the distinct clues of a prompt, by kind, then in order of the text; frames innermost first.

    The text of frames and URLs gives no other clues, and of a path only its name does.
    """
    prompt = unify_line_ends(prompt)
    found = find_frames(prompt)
    frames = list(dict.fromkeys(map(_build_clue, found)))[: MAX_CLUES[ClueKind.FRAME]]
    kept = _BOILERPLATE.replace(" ", cut_frames(prompt, found))
    prose = _PATH_ALONE.replace(r" \1 ", _URL.replace(" ", kept))
    sources: tuple[tuple[ClueKind, Iterable[Clue]], ...] = (
        (ClueKind.PATH, _iter_paths(kept)),
        (ClueKind.SYMBOL, _iter_symbols(prose, frames)),
        (ClueKind.PHRASE, _iter_phrases(prose)),
        (ClueKind.WORD, _iter_words(prose)),
    )
    clues: list[Clue] = frames
    for kind, named in sources:
        clues += islice(_first_of_each(named), MAX_CLUES[kind])
    return tuple(clues)


def _first_of_each(clues: Iterable[Clue]) -> Iterator[Clue]:
    seen: set[tuple[str, int | None]] = set()
    for clue in clues:
        if (clue.text, clue.line) not in seen:
            seen.add((clue.text, clue.line))
            yield clue


def _build_clue(frame: Frame) -> Clue:
    if not frame.path and not frame.type_name:
        return Clue(ClueKind.FRAME, "", None, frame.name)
    if not frame.path:
        return Clue(ClueKind.FRAME, frame.type_name, None, frame.name, arguments=frame.arguments)
    return Clue(ClueKind.FRAME, frame.path, frame.line, frame.name, owner=frame.type_name)


def _iter_paths(prompt: str) -> Iterator[Clue]:
    for match in _NAMED_PATH.find(prompt):
        text = plain_path(match["path"].rstrip(".").rstrip("/\\"))
        if _LOOKS_LIKE_FILE.search(text):
            line = match["line"] or match["spoken"]
            yield Clue(ClueKind.PATH, text, int(line) if line else None)


def _iter_symbols(prompt: str, frames: Iterable[Clue]) -> Iterator[Clue]:
    """Yield names in backquotes, called, shaped like identifiers or of frames; then capitalised ones.

    An error of the language that a message begins with names no type of the repository.
    """
    for match in _BACKTICKED.find(prompt):
        for name in _IDENTIFIER.findall(match[1]):
            if name.lower() not in STOP_WORDS:
                yield Clue(ClueKind.SYMBOL, name)
    for match in _CALLED.find(prompt):
        yield Clue(ClueKind.SYMBOL, match[1])
    raised = {match["thrown"] for match in _ERROR_LINE.find(prompt)} & LANGUAGE_ERRORS
    for name in _IDENTIFIER.findall(prompt):
        if name in raised:
            continue
        if _SHAPED.search(name) if name.isidentifier() else _is_dotted_name(name):
            yield Clue(ClueKind.SYMBOL, name)
    for frame in frames:
        if frame.name is not None and frame.arguments is None:  # of a type, others do not have it
            yield Clue(ClueKind.SYMBOL, frame.name)
    for match in _CAPITALISED.find(prompt):
        if match[1].lower() not in STOP_WORDS:
            yield Clue(ClueKind.SYMBOL, match[1], is_strong=False)


def _is_dotted_name(text: str) -> bool:
    """Return True unless the text is an abbreviation or the name of a file."""
    return text.lower() not in _SHORT_DOTTED and find_language(text).name == "unknown"


def list_messages(prompt: str) -> list[str]:
    """Return the messages of the errors that a prompt shows, then the sentences that it quotes, each once."""
    text = unify_line_ends(prompt)
    found = [match["message"] for match in _ERROR_LINE.find(text)]
    quoted = (next(filter(None, match.groups()), "") for match in _QUOTED.find(text))
    said = [one for one in quoted if len(_IDENTIFIER.findall(one)) >= LEAST_QUOTED]
    return list(dict.fromkeys((*found, *said)))


def _iter_phrases(prompt: str) -> Iterator[Clue]:
    """Yield messages of errors, then quoted text of two words or more."""
    for match in _ERROR_LINE.find(prompt):
        yield from _build_phrase(match["message"])
    for match in _QUOTED.find(prompt):
        yield from _build_phrase(next(text for text in match.groups() if text is not None))


def _build_phrase(text: str) -> Iterator[Clue]:
    phrase = " ".join(text.split())[:MAX_PHRASE_CHARS].strip()
    if len(phrase) >= MIN_PHRASE_CHARS and len(re.findall(r"\w\S* \S*\w", phrase)) >= 1:
        yield Clue(ClueKind.PHRASE, phrase)


def _iter_words(prompt: str) -> Iterator[Clue]:
    """Yield words that may occur in code, without common English words and without regard to case."""
    numbers = find_numbers(prompt) if len(prompt) <= MAX_QUESTION_CHARS else ()
    seen = set()
    for word in _WORD.findall(prompt):
        folded = word.lower()
        is_wanted = word in numbers if word.isdigit() else len(word) > 1
        if folded not in seen and folded not in STOP_WORDS and is_wanted:
            seen.add(folded)
            yield Clue(ClueKind.WORD, word[:128])


def split_symbol(text: str) -> tuple[str, ...]:
    """Return the names in a symbol, outermost first: `Class.method` -> Class, method."""
    return tuple(part for part in re.split(r"\.|::|#|->", text) if part)


def join_words(words: Sequence[str]) -> list[str]:
    """Return names that two or three words in a row may stand for: `slow start` -> slow_start, slowstart.

    No name begins with a digit: `2.15` is no name.
    """
    folded = [word.lower() for word in words]
    rows = [folded[at : at + size] for size in (2, 3) for at in range(len(folded) - size + 1)]
    telling = [
        row for row in rows if FUNCTION_WORDS.isdisjoint((row[0], row[-1])) and not row[0][:1].isdigit()
    ]
    return [sign.join(row) for row in telling for sign in ("_", "")]
