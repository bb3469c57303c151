"""Find the tests of what no parser reads: files of tests that call its name, or are named after it.

If no test calls the name, those of a few functions that do count instead; failing that, tests that use the
type which declares it. Words that a test only shares with the declaration say nothing of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from repo_mcp.model import Hit
from repo_mcp.research.edges.named_places import CALL, Used, group_used, list_used
from repo_mcp.research.edges.written_types import split_parts
from repo_mcp.research.findings.citing import join_names, write_count
from repo_mcp.research.findings.locating import is_test_place
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Finding, Subject, TakenAs
from repo_mcp.research.findings.research_state import ResearchState, TextPlace, note_lines
from repo_mcp.research.question.phrase_names import fold_signs

MAX_FILES, MAX_OF_CALLER = 10, 2  # files of tests that call a name, and that of one of its callers
MAX_CALLERS = 3  # functions that call a name which no test calls
MAX_OF_TYPE = 3  # files of tests that use the type of a name
MAX_NAMED_AFTER = 3  # files
MAX_LINES = 2  # shown of one file
_MARK = re.compile(r"^(?:tests?|spec)(?=.)|(?<=.)(?:tests?|specs?|testcase)$")  # of a test, in a folded name
_INTEGRATES = re.compile(r"(?:IT|[._-]it)$")  # marks a test, too, but `audit` does not end with it


def note_naming_tests(state: ResearchState, subject: Subject) -> None:
    """Note the files of tests that call the name of a subject, those with most calls first; or others.

    Those in the top folder of its declaration come before others.
    """
    found = _note_files(state, subject, MAX_FILES, f"calls {subject.name}", Role.CALLS_BY_NAME)
    _note_named_after(state, subject)
    if not found and not _note_calling_callers(state, subject):
        _note_using_type(state, subject)


def _note_calling_callers(state: ResearchState, subject: Subject) -> int:
    """Note files of tests that call what calls the name of a subject. Return their number."""
    found = 0
    calling = [one for one in list_used(state, subject, only_tests=False) if one.grade >= CALL]
    program = [one for one in calling if not is_test_place(one.path)]
    for path, first, last, symbol in group_used(state, program, MAX_CALLERS):
        if not last or symbol == path:
            continue
        hit = Hit(path, first, last, "", 0.0, (), symbol, symbol_lines=(first, last))
        caller = Subject(symbol, TakenAs.UNPARSED, name=split_parts(symbol)[-1], places=(hit,))
        said = f"calls {caller.name}, which calls {subject.name},"
        found += _note_files(state, caller, MAX_OF_CALLER, said, Role.REACHES_BY_NAME)
    return found


def _note_using_type(state: ResearchState, subject: Subject) -> None:
    """Note files of tests that use a type which declares the subject."""
    for owner in sorted({part for hit in subject.places for part in split_parts(hit.symbol or "")[-2:-1]}):
        around = Subject(owner, TakenAs.UNPARSED, name=owner, places=subject.places)
        _note_files(state, around, MAX_OF_TYPE, f"uses {owner}, its type,", Role.USES_TYPE_BY_NAME)


def _note_files(state: ResearchState, subject: Subject, most: int, said: str, role: Role) -> int:
    """Note the files of tests with most lines that call a name. Return their number."""
    known = {one.path for one in state.findings}
    files: dict[str, list[Used]] = {}
    for one in list_used(state, subject, only_tests=True):
        if (
            one.path not in known
            and one.grade >= CALL
            and one.line not in state.source.read_comment_lines(one.path)
        ):
            files.setdefault(one.path, []).append(one)
    own = {hit.path.split("/")[0] for hit in subject.places}
    ordered = sorted(files, key=lambda path: (path.split("/")[0] not in own, -len(files[path]), path))
    for path in ordered[:most]:
        lines = sorted(one.line for one in files[path])
        reason = Reason(f"{said} in {write_count(len(lines), 'line')}", role, subject.name)
        shown = tuple(lines[:MAX_LINES])
        note_lines(state, TextPlace(path, lines[0], lines[-1]), reason, 1, shown[:1], shown=shown)
    if len(ordered) > most:
        state.limit(f"files of tests that call {subject.name}", f"{most} of {len(ordered)} are shown")
    return len(ordered)


def _note_named_after(state: ResearchState, subject: Subject) -> None:
    """Note the files of tests that are named after the file of a subject, or after its type."""
    parts = {part for hit in subject.places for part in split_parts(hit.symbol or "")[-2:]}
    wanted = {*map(fold_signs, parts), *(strip_mark(hit.path) for hit in subject.places)}
    known = {one.path for one in state.findings}
    paths = [path for path in state.graph.name_uses.list_source_paths() if is_test_place(path)]
    fresh = (path for path in paths if path not in known and state.admits(path))
    for path in [path for path in fresh if strip_mark(path) in wanted][:MAX_NAMED_AFTER]:
        reason = Reason(
            f"is named after {subject.name}, its type or its file", Role.NAMED_AFTER, subject.name
        )
        note_lines(state, TextPlace(path, 1, 1), reason, 1)


def describe_naming_tests(state: ResearchState, subject: Subject) -> str:
    """Return sentences on the files of tests that call the name of a subject, or those found instead."""
    own = [one for one in state.findings if one.hop and is_test_place(one.path)]
    direct = [one for one in own if one.role is Role.CALLS_BY_NAME and one.reason.about == subject.name]
    through = [one for one in own if one.role is Role.REACHES_BY_NAME]
    named = [one for one in own if one.role is Role.NAMED_AFTER]
    sentences = [f"No test{state.inside} is known to call {subject.name} by name."]
    if direct:
        sentences = [f"{subject.name} is called by name in {_name(direct)}."]
    if through:
        sentences.append(f"What calls it is called in {_name(through)}.")
    sentences += (f"{one} is used in {_name(group)}." for one, group in _group_types(own))
    if named:
        sentences.append(f"Named after it, its type or its file: {_name(named)}.")
    return " ".join(sentences)


def _group_types(found: Iterable[Finding]) -> list[tuple[str, list[Finding]]]:
    """Return the types of a subject that tests use, each with the files that do."""
    typed = [one for one in found if one.role is Role.USES_TYPE_BY_NAME]
    return [
        (name, [one for one in typed if one.reason.about == name])
        for name in dict.fromkeys(one.reason.about for one in typed)
    ]


def _name(found: Iterable[Finding]) -> str:
    return join_names(one.path for one in found)


def strip_mark(path: str) -> str:
    """Return the folded name of a file without a mark of tests: `accounts` for `accounts_test.rb`."""
    return _MARK.sub("", fold_signs(_INTEGRATES.sub("", path.rpartition("/")[2].rpartition(".")[0])))
