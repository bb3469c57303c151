"""Find what a question has word for word: a message that it quotes, or a path with dots that names no symbol.

    when is 'Gate is locked by ${name}' raised?    ->  the line that says so, with the condition around it
    which plugins tap gate.hooks.locked?           ->  the lines with `hooks.locked`, first those with `tap`

Only lines of the program count, no comments. The first part of a path is often a variable of another name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.model import ExactRequest
from repo_mcp.research.errors.guards import read_guard
from repo_mcp.research.errors.lines import LINE_CHARS
from repo_mcp.research.findings.excerpts import find_name
from repo_mcp.research.findings.named_symbols import is_program_line
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Form, Reading, Subject, TakenAs
from repo_mcp.research.findings.research_state import ResearchState, TextPlace, note_lines
from repo_mcp.research.question.readings import build_reading
from repo_mcp.text.lines import is_import
from repo_mcp.text.question_words import list_words, shares_word

LEAST_WORDS, MOST_BESIDE = 3, 12  # of a message; of the question beside it: a longer one asks more
NOT_SAID = "No line of the program has what is quoted: its words were looked for."
MOST_READ, MOST_NOTED = 80, 24  # lines with a text, and functions around them
_QUOTED = re.compile(  # short ones, too: what stands between `two` and `others` is not quoted
    r"\"([^\"\n]{1,300})\"|`([^`\n]{1,300})`|(?<!\w)'([^\n]{1,300}?)'(?!\w)|“([^”\n]{1,300})”"
)
_GAP = re.compile(r"\$\{[^{}]*\}|\{\w*\}|%[sdvqr]\b|<[\w -]+>|…|\.\.\.")  # where a message has a value
_LETTERS = re.compile(r"[A-Za-z]{2}")  # of a word
_CALL = re.compile(r"[\w$.:]+\(.*\)")  # code, though it has words: `open(name, mode, limit)`
_PATH = re.compile(r"(?<![\w./@-])[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*){2,8}(?![\w/(-])")
_PACKAGE = re.compile(r"\s*(?:package|namespace|using)\b")  # a line that names one
_ASKS_WHERE = re.compile(r"\W*(?:who|what|which|where|all|every|list|find|show)\b", re.IGNORECASE)
_IS_DESCRIBED = frozenset({Form.OVERVIEW, Form.DIFFERENCE, Form.EXTENSION, Form.TESTS})


def read_written_text(state: ResearchState, reading: Reading) -> Reading | None:
    """Return the reading of a question for what it quotes, or for a path, if the program has that; or None.

    Its lines are kept in the state.
    """
    if reading.form in _IS_DESCRIBED:
        return None
    query = state.request.query
    quoted = next(filter(None, map(_read_message, _QUOTED.finditer(query))), "")
    if quoted and len(query.replace(quoted, "").split()) <= MOST_BESIDE:
        return _build_reading(state, quoted, _GAP.split(quoted))
    paths = _PATH.findall(query)
    if reading.form is not Form.OPEN or len(paths) != 1 or not _ASKS_WHERE.match(query):
        return None
    return _build_reading(state, paths[0], [paths[0].partition(".")[2]])


def _read_message(found: re.Match[str]) -> str:
    """Return a quotation of several words; "" for a name or a piece of code."""
    text = next(filter(None, found.groups()), "").strip()
    words = [one for one in text.split() if _LETTERS.search(one)]
    is_fixed = any(map(_LETTERS.search, _GAP.split(text)))  # not all of it is put in
    return text if len(words) >= LEAST_WORDS and is_fixed and not _CALL.fullmatch(text) else ""


def _build_reading(state: ResearchState, text: str, parts: Sequence[str]) -> Reading | None:
    pattern = ".{0,200}".join(map(re.escape, (part for part in parts if part.strip())))
    is_path = _PATH.fullmatch(text) is not None
    request = ExactRequest(
        rf"\b{pattern}\b" if is_path else pattern,
        regex=True,
        include_tests=False,
        limit=MOST_READ,
        by_role=True,
    )
    state.written = [one for one in state.source.search_exact(request).matches if is_program_line(state, one)]
    if not state.written:
        state.warnings += [] if is_path else [NOT_SAID]  # it may be made of parts
        return None
    if is_path and any(is_import(one.line) or _PACKAGE.match(one.line) for one in state.written):
        state.written = []
        return None
    return build_reading(Form.WRITTEN, (Subject(text, TakenAs.WORDS),))


def note_written(state: ResearchState, subject: Subject) -> None:
    """Note the functions around the lines with a text, first those whose lines have a word behind it."""
    words = list_words(state.request.query.replace(subject.asked, ""))
    is_path = _PATH.fullmatch(subject.asked) is not None  # behind a message, nothing is called on it
    behind = re.compile(rf"{re.escape(subject.asked.rpartition('.')[2])}\.(\w+)")
    around: dict[tuple[str, int, int], list[tuple[int, str]]] = {}
    for one in state.written:
        holder, line = state.source.find_holder(one.path, one.start_line), one.start_line
        found = behind.search(one.line[:LINE_CHARS]) if is_path else None
        member = found[1] if found is not None else ""
        word = member if shares_word(member, words) else ""
        place = (one.path, holder.first or line, holder.last or line)
        around.setdefault(place, []).append((line, word))
    ordered = sorted(around.items(), key=lambda one: not any(word for _, word in one[1]))  # stable
    for (path, first, last), held in ordered[:MOST_NOTED]:
        word = next((word for _, word in held if word), "")
        _note(state, (path, first, last), [line for line, _ in held], word)
    if len(ordered) > MOST_NOTED:
        state.limit(
            f"{len(ordered) - MOST_NOTED} more functions", f"{MOST_NOTED} are noted that have the text"
        )
    state.report_hop(state.depth)


def _note(state: ResearchState, key: tuple[str, int, int], lines: Sequence[int], word: str) -> None:
    """Note the function around lines with a text, which may have a word of the question behind it."""
    path, first, last = key
    holder = state.source.find_holder(path, lines[0])
    reason = Reason(f"has this text{f' with {word}' if word else ''}", Role.WRITTEN, word)
    head = find_name(state.source.read_lines(path), holder.name, first, last) or first
    guards = [at for line in lines for at in read_guard(state, path, first, last, line).lines]
    shown = tuple(sorted({head, *lines, *guards}))
    if holder.node is not None:
        state.add(holder.node, reason, 0, lines=tuple(lines), shown=shown)
    else:
        place = TextPlace(path, first, last, holder.symbol, holder.name)
        note_lines(state, place, reason, 0, tuple(lines), shown=shown)
