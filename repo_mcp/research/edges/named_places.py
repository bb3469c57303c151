"""Find what uses a name in a language that no parser reads: the lines of code that have it, calls first.

Comments and further declarations are no uses. Which declaration a line means, its text rarely tells: only if
what stands before the name is called like its type is it likely, as in `crates.add` for `Crates#add`. Strings
are not told from code.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.model import ExactMatch, ExactRequest
from repo_mcp.record_classes import dataclass
from repo_mcp.research.edges.written_types import split_parts
from repo_mcp.research.findings.locating import count_shared_folders, is_test_place
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Subject
from repo_mcp.research.findings.research_state import ResearchState, TextPlace, note_lines
from repo_mcp.research.question.phrase_names import write_snake
from repo_mcp.text.lines import is_comment, is_import
from repo_mcp.text.roles import FileRole, find_role

MAX_PLACES = 12  # that use the name
MAX_READ = 2_000  # lines with the name, and again with the name of its type before it
MAX_LINES = 5  # shown of one place
MAX_FOLDERS = 4  # counted by name
NEAR_LINES = 2  # above and below a line that are beside it
OF_TYPE, CALL, MENTION, IMPORT = 4, 3, 2, 1  # how surely a line uses the name
_OPERATOR = r"(?:\?\.|&\.|\.|\?->|->|::|:)"  # between an object and its member
_DECLARES = (
    r"(?:\b(?:def|defp|defmacro|defmacrop|fun|func|function|fn|sub|proc|class|module|trait|interface|object)"
    r"[ \t]+(?:self\.|[\w:.]+[.:])?|\b(?:alias|alias_method)[ \t]+:?)"
)
_BEGINS = r"^\s*(?:return\s+)?"  # a statement
_WITHOUT_BRACKETS = frozenset({"elixir", "perl", "ruby"})  # languages that call so

Holder = tuple[str, int, int, str]  # of lines: path, first and last line of a declaration or 0, and its name


@dataclass(frozen=True, slots=True)
class Used:
    """A line that uses the name."""

    path: str
    line: int
    grade: int
    said: str  # the name with what stands before it, if that tells its type


class _Name:
    """The name of a subject as lines use it."""

    def __init__(self, subject: Subject) -> None:
        owners = {part for hit in subject.places for part in split_parts(hit.symbol or "")[-2:-1]}
        spelled = {spelling for owner in owners for spelling in (owner, write_snake(owner), _lower(owner))}
        name = re.escape(subject.name)
        word = rf"(?<![\w@$]){name}(?![\w?]|!(?!=))" if subject.name[-1:] not in "!?" else rf"(?<!\w){name}"
        own = "|".join(map(re.escape, sorted(spelled)))
        self.of_type = rf"\b(?:{own})(?:\(\))?{_OPERATOR}{name}" if owners else ""
        self._of_type = re.compile(f"({self.of_type})(?![\\w?!])" if owners else r"(?!)")
        self._word = re.compile(word)
        self._declares = re.compile(_DECLARES + word)
        of_itself = rf"|{word}(?:\.|::)\w" if subject.name[:1].isupper() else ""
        self._call = re.compile(rf"[\w)\]}}\"'?!]{_OPERATOR}{word}|{word}\(|\bnew {word}{of_itself}")
        self._statement = re.compile(_BEGINS + word + r"(?:\s*$|\s+[\w:\"'\[{@*&])")

    def grade(self, match: ExactMatch) -> tuple[int, str]:
        """Return how surely a line uses the name, 0 for not at all, and the words that tell it."""
        text = match.line
        if is_comment(text) or not self._word.search(text) or self._declares.search(text):
            return 0, ""
        found = self._of_type.search(text)
        if found is not None:
            return OF_TYPE, found[1]
        is_call = self._call.search(text) or (
            find_language(match.path).name in _WITHOUT_BRACKETS and self._statement.match(text)
        )
        if is_call:
            return CALL, ""
        return IMPORT if is_import(text) else MENTION, ""


def note_places(state: ResearchState, subject: Subject, near: str = "", most: int = MAX_PLACES) -> None:
    """Note the places that use a name, the surest first, those of tests and of other languages last.

    If some lines have the text `near` on or beside them, only these count. Of a file with declarations that
    use the name, what is outside of all, such as an import, says no more.
    """
    used = list_used(state, subject, only_tests=False)
    beside = [one for one in used if near and _has_near(state, one, near)]
    if near and not beside:
        state.limit(f"lines with {near}", f"none is beside {subject.name}")
    used = beside or used
    places = group_used(state, used, most)
    for (path, first, last, symbol), lines in places.items():
        shown = tuple(sorted(one.line for one in lines[:MAX_LINES]))
        place = TextPlace(path, first or shown[0], last or shown[0], symbol)
        reason = _explain(subject, max(lines, key=lambda one: one.grade))
        note_lines(state, place, reason, 1, shown[:1], shown=shown)
    count = sum(map(len, places.values()))
    if len(used) > count:
        folders = Counter("/".join(one.path.split("/")[:-1][:2]) or "." for one in used)
        where = ", ".join(f"{many} in {folder}" for folder, many in folders.most_common(MAX_FOLDERS))
        state.limit(f"lines with the name {subject.name}", f"{count} of {len(used)} are shown ({where})")


def list_used(state: ResearchState, subject: Subject, *, only_tests: bool) -> list[Used]:
    """Return the lines of code that use the name of a subject, the surest first."""
    name = _Name(subject)
    languages = {find_language(hit.path).name for hit in subject.places}
    word = ExactRequest(subject.name, whole_word=True, limit=MAX_READ)
    requests = [word, ExactRequest(name.of_type, regex=True, limit=MAX_READ)] if name.of_type else [word]
    used: dict[tuple[str, int], Used] = {}
    for match in (match for one in requests for match in state.source.search_exact(one).matches):
        state.check()
        role = find_role(match.path)
        is_code = role is FileRole.TEST or (role is FileRole.CODE and not only_tests)
        grade, said = name.grade(match) if is_code and state.admits(match.path) else (0, "")
        if grade:
            used[match.path, match.start_line] = Used(match.path, match.start_line, grade, said)

    def rank(one: Used) -> tuple[bool, bool, bool, int, int, str, int]:
        shared = max(count_shared_folders(one.path, hit.path) for hit in subject.places)
        is_other = find_language(one.path).name not in languages
        return is_other, one.grade < CALL, is_test_place(one.path), -one.grade, -shared, one.path, one.line

    return sorted(used.values(), key=rank)


def _has_near(state: ResearchState, used: Used, text: str) -> bool:
    lines = state.source.read_lines(used.path)
    return any(text in line for line in lines[max(0, used.line - 1 - NEAR_LINES) : used.line + NEAR_LINES])


def group_used(state: ResearchState, used: Sequence[Used], most: int) -> dict[Holder, list[Used]]:
    """Return the first places, each with its lines, `most` of them; what is only a comment is left out."""
    places: dict[Holder, list[Used]] = {}
    for one in used:
        if len(places) == most and not any(path == one.path for path, *_ in places):
            continue
        layout = state.source.find_layout(one.path)
        if one.line in layout.comment_lines:
            continue
        around = [
            span for span in layout.spans if span.start_line <= one.line <= span.end_line > span.name_line
        ]
        inner = max(around, key=lambda span: span.name_line, default=None)
        place = (one.path, 0, 0, one.path)
        if inner is not None:
            place = (one.path, inner.start_line, inner.end_line, inner.qualified_name)
        if place in places or len(places) < most:
            places.setdefault(place, []).append(one)
    within = {path for path, _, last, _ in places if last}
    return {place: lines for place, lines in places.items() if place[2] or place[0] not in within}


def _explain(subject: Subject, used: Used) -> Reason:
    """Return the reason for a place whose surest line is given."""
    if used.grade == OF_TYPE:
        return Reason(f"has {used.said}", Role.CALLS_BY_NAME, subject.name)
    role = Role.CALLS_BY_NAME if used.grade == CALL else Role.OTHER
    return Reason(f"has the name {subject.name}", role, subject.name)


def _lower(name: str) -> str:
    return name[:1].lower() + name[1:]
