"""Finds what a prompt names: frames of tracebacks, paths, symbols, quoted text, words. Pure.

Nothing here knows the repository: a path is whatever looks like one, and whether such a file
exists is checked later (`mentions.py`). Every pattern is bounded, so that time is linear in the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import chain, islice

from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.late_patterns import compile_late
from repo_mcp.record_classes import dataclass
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


class _PrefilteredPattern:
    """An expression whose matches all contain one of a few texts, its signs.

    Most queries are a few words and hold no sign: then the expression is not even compiled.
    """

    def __init__(self, signs: Sequence[str], source: str, flags: int = 0) -> None:
        self._signs = signs
        self._pattern = compile_late(source, flags)

    def find(self, text: str) -> Iterator[re.Match[str]]:
        """Return an iterator of the matches in the order of the text."""
        return self._pattern.finditer(text) if self._may_match(text) else iter(())

    def replace(self, put: str, text: str) -> str:
        """Return the text with `put`, which may name groups, instead of each match."""
        return self._pattern.sub(put, text) if self._may_match(text) else text

    def _may_match(self, text: str) -> bool:
        return any(sign in text for sign in self._signs)


_PATH = r"(?:[A-Za-z]:)?[\\/]{0,2}(?:[\w.@+~-]{1,100}[\\/]){0,30}[\w.@+~-]{1,120}"
_PYTHON_FRAME = 'File "'  # no other frame begins with this
_CAUSE = "Caused by: "
_PACKAGED = frozenset(("groovy", "java", "kt", "scala"))  # languages whose frames have the file's name alone
_FRAMES = (
    _PrefilteredPattern(
        [_PYTHON_FRAME],
        r'File "(?P<path>[^"\n]{1,400})", line (?P<line>\d{1,7})(?:, in (?P<name>[^\s]{1,120}))?',
    ),
    _PrefilteredPattern(  # of Java, perhaps behind a class loader or a module: `at app//a.B.run(B.java:3)`
        [":"],
        r"\bat (?:[\w.@-]{0,100}/){0,2}(?P<name>[\w.$<>]{1,300}) ?"
        r"\((?P<path>[\w$-]{1,100}\.\w{1,8}):(?P<line>\d{1,7})\)",
    ),
    _PrefilteredPattern(
        [":"],
        r"\bat (?:(?:async |new )?(?P<name>[\w.$<>]{1,200})(?: \[as \w{1,100}\])? \()?(?:file://)?"
        rf"(?P<path>{_PATH}):(?P<line>\d{{1,7}}):\d{{1,7}}\)?",
    ),
    # of valgrind: `by 0x12FB02: read_cb (http.c:1268)`; of debuggers: `#1 0x4f1a in read_cb at http.c:1268`
    _PrefilteredPattern(
        ["0x"],
        rf"\b(?:at|by) 0x[0-9A-Fa-f]{{1,16}}: (?P<name>[\w:~<>]{{1,200}}) "
        rf"\((?P<path>{_PATH}\.\w{{1,4}}):(?P<line>\d{{1,7}})\)",
    ),
    _PrefilteredPattern(
        ["#"],
        r"^[ \t]{0,8}#\d{1,3} +(?:0x[0-9A-Fa-f]{1,16} +in +)?(?P<name>[\w:~<>]{1,200})(?: ?\([^\n]{0,400}\))?"
        rf"(?: at)? (?P<path>{_PATH}\.\w{{1,4}}):(?P<line>\d{{1,7}})(?::\d{{1,7}})?$",
        re.M,
    ),
    _PrefilteredPattern([":line "], rf"\bin (?P<path>{_PATH}\.\w{{1,8}}):line (?P<line>\d{{1,7}})"),
    _PrefilteredPattern(
        [".go:"],
        rf"^[ \t]{{1,8}}(?P<path>{_PATH}\.go):(?P<line>\d{{1,7}})(?: \+0x[0-9a-f]{{1,16}})?$",
        re.M,
    ),
)
_NAMED_PATH = _PrefilteredPattern(
    ["/", "\\", ".", "file"],  # those of _LOOKS_LIKE_FILE
    rf"(?<![\w.\\/-])(?P<path>{_PATH})(?:(?::|#L)(?P<line>\d{{1,7}})|,? line (?P<spoken>\d{{1,7}}))?",
)
_LOOKS_LIKE_FILE = compile_late(r"[\\/]|[\w-]\.[A-Za-z][A-Za-z0-9+]{0,9}$|^[A-Z]\w*file$")
_BACKTICKED = _PrefilteredPattern(["`"], r"`([^`\n]{1,200})`")
_NAME = r"[A-Za-z_$][A-Za-z0-9_$]{1,120}"
_IDENTIFIER = re.compile(rf"{_NAME}(?:(?:\.|::|#|->){_NAME}){{0,12}}")
_CALLED = _PrefilteredPattern(["("], rf"({_NAME}(?:(?:\.|::|#|->){_NAME}){{0,12}})\(")
_SHAPED = re.compile(r"^_*[A-Za-z0-9$]+_\w*[A-Za-z0-9]\w*$|^_+[A-Za-z]\w*$|[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_CAPITALISED = _PrefilteredPattern([" "], r"(?<=[a-z,:;(] )([A-Z][a-z][A-Za-z0-9]{2,60})\b(?!\.\w|::|\()")
_QUOTED = _PrefilteredPattern(
    ['"', "'", "“", "`"],
    r"\"([^\"\n]{1,200})\"|(?<!\w)'([^'\n]{1,200})'(?!\w)|“([^”\n]{1,200})”|`([^`\n]{1,200})`",
)
_ERROR_LINE = _PrefilteredPattern(
    [": "],
    r"^[ \t>#*]{0,20}(?:[A-Za-z_][\w.$]{0,120}(?:Error|Exception|Warning|Failure|Panic)"
    r"|[a-z_]\w{0,60}(?:\.\w{1,60}){0,8}\.[A-Z]\w{1,60}|Uncaught [\w.$]{1,80}"
    r"|error|panic|fatal|FATAL|ERROR)(?:\[\w{1,20}\])?: (?P<message>[^\n]{1,400})$",
    re.M,
)
_WORD = re.compile(r"[^\W_]\w*|_\w+")
_BOILERPLATE = _PrefilteredPattern(
    ["(", ":"],
    r"Traceback \(most recent call last\):?|^goroutine \d+ \[\w+\]:|Stack ?trace:",
    re.M | re.I,
)
_URL = _PrefilteredPattern(["://"], r"\b(?:https?|ftp|file)://[^\s<>)\]\"'`]{1,2000}")
# The directories and the extension of a path say less than its name does.
_PATH_ALONE = _PrefilteredPattern(
    ["/", "\\"],
    r"(?<![\w.\\/-])[\\/]{0,2}(?:[\w.@+~-]{1,100}[\\/]){1,30}([\w-]{1,100})(?:\.\w{1,10}){1,2}(?:(?::|#L)\d{1,7})?(?![\w/])",
)
_SHORT_DOTTED = frozenset({"e.g", "i.e", "etc", "a.k.a"})


def parse_prompt(prompt: str) -> tuple[Clue, ...]:
    """Return the distinct clues of a prompt, by kind, then in order of the text; frames innermost first.

    The text of frames and URLs gives no other clues, and of a path only its name does.
    """
    prompt = unify_line_ends(prompt)
    matches = _match_frames(prompt)
    ordered = _order_frames(prompt, matches)
    frames = list(dict.fromkeys(map(_build_frame, ordered)))[: MAX_CLUES[ClueKind.FRAME]]
    kept = _BOILERPLATE.replace(" ", _cut_out(prompt, matches))
    prose = _PATH_ALONE.replace(r" \1 ", _URL.replace(" ", kept))
    sources: tuple[tuple[ClueKind, Iterable[Clue]], ...] = (
        (ClueKind.PATH, _iter_paths(kept)),
        (ClueKind.SYMBOL, _iter_symbols(prose, frames)),
        (ClueKind.PHRASE, _iter_phrases(prose)),
        (ClueKind.WORD, _iter_words(prose)),
    )
    clues: list[Clue] = frames
    for kind, found in sources:
        clues += islice(_first_of_each(found), MAX_CLUES[kind])
    return tuple(clues)


def _first_of_each(clues: Iterable[Clue]) -> Iterator[Clue]:
    seen: set[tuple[str, int | None]] = set()
    for clue in clues:
        if (clue.text, clue.line) not in seen:
            seen.add((clue.text, clue.line))
            yield clue


def _match_frames(prompt: str) -> list[re.Match[str]]:
    """Return the frames, of any language, in the order of the text. They do not overlap."""
    found = [match for frame in _FRAMES for match in frame.find(prompt)]
    kept: list[re.Match[str]] = []
    for match in sorted(found, key=lambda match: match.start()):
        if not kept or match.start() >= kept[-1].end():
            kept.append(match)
    return kept


def _order_frames(prompt: str, matches: Sequence[re.Match[str]]) -> list[re.Match[str]]:
    """Return the innermost frame first: Python prints it last, all other languages first.

    Java prints the exception that caused another one below it.
    """
    python = [match for match in matches if match[0].startswith(_PYTHON_FRAME)]
    others = [match for match in matches if not match[0].startswith(_PYTHON_FRAME)]
    causes: list[list[re.Match[str]]] = [[]]
    end = 0
    for match in others:
        if _CAUSE in prompt[end : match.start()]:
            causes.append([])
        causes[-1].append(match)
        end = match.end()
    return [*reversed(python), *chain.from_iterable(reversed(causes))]


def _build_frame(match: re.Match[str]) -> Clue:
    name = match.groupdict().get("name")
    path = _add_package(_plain_path(match["path"]), name or "")
    return Clue(ClueKind.FRAME, path, int(match["line"]), _last_name(name))


def _add_package(path: str, name: str) -> str:
    """Return the path of a file that has the class of its name: `org/a/B.java` for B.java and org.a.B.run."""
    stem, dot, extension = path.partition(".")
    package, of_class, _ = f"{name.replace('$', '.')}.".partition(f".{stem}.")
    return f"{package.replace('.', '/')}/{path}" if dot and of_class and extension in _PACKAGED else path


def _cut_out(prompt: str, matches: Iterable[re.Match[str]]) -> str:
    """Return the prompt without the matches."""
    kept, end = [], 0
    for match in matches:
        kept.append(prompt[end : match.start()])
        end = match.end()
    return "\n".join([*kept, prompt[end:]])


def _last_name(name: str | None) -> str | None:
    """Return `method` for `com.example.Class.method`; None for `<module>` and the like."""
    last = re.split(r"[.$]", name)[-1] if name else ""
    return last if last.isidentifier() else None


def _iter_paths(prompt: str) -> Iterator[Clue]:
    for match in _NAMED_PATH.find(prompt):
        text = _plain_path(match["path"].rstrip(".").rstrip("/\\"))
        if _LOOKS_LIKE_FILE.search(text):
            line = match["line"] or match["spoken"]
            yield Clue(ClueKind.PATH, text, int(line) if line else None)


def _plain_path(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./")


def _iter_symbols(prompt: str, frames: Iterable[Clue]) -> Iterator[Clue]:
    """Yield names in backquotes, called, shaped like identifiers or of frames; then capitalised ones."""
    for match in _BACKTICKED.find(prompt):
        for name in _IDENTIFIER.findall(match[1]):
            if name.lower() not in STOP_WORDS:
                yield Clue(ClueKind.SYMBOL, name)
    for match in _CALLED.find(prompt):
        yield Clue(ClueKind.SYMBOL, match[1])
    for name in _IDENTIFIER.findall(prompt):
        if _SHAPED.search(name) if name.isidentifier() else _is_dotted_name(name):
            yield Clue(ClueKind.SYMBOL, name)
    for frame in frames:
        if frame.name is not None:
            yield Clue(ClueKind.SYMBOL, frame.name)
    for match in _CAPITALISED.find(prompt):
        if match[1].lower() not in STOP_WORDS:
            yield Clue(ClueKind.SYMBOL, match[1], is_strong=False)


def _is_dotted_name(text: str) -> bool:
    """Return True unless the text is an abbreviation or the name of a file."""
    return text.lower() not in _SHORT_DOTTED and find_language(text).name == "unknown"


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
