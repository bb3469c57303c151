"""Find the tests that have the name of a symbol: in their own names or titles, or in their lines.

    func testErrorPageIsShort()      it("shows the ErrorPage", …)      errorPage: true

A name of one word is in many names that mean something else, so only names of several words are looked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.graph.vocabulary import SymbolFilter
from repo_mcp.model import ExactRequest
from repo_mcp.research.findings.citing import join_names, name_findings, write_count
from repo_mcp.research.findings.locating import is_test_node, is_test_place
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState, TextPlace, note_lines
from repo_mcp.research.question.phrase_names import fold_signs, write_snake
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS
from repo_mcp.text.question_words import count_words

MOST_TITLED, MOST_WRITING = 8, 8  # tests with a name in theirs, files that write it
MOST_NAMED = 200  # symbols with the words of a name that are looked at
MOST_LINES = 400  # with a name that are read
MAX_SHOWN = 2  # lines of one file
_OF_TESTS = re.compile(r"^(?:Test|Spec)|(?:Tests?|Specs?|TestCase|Suite|IT)$")
_TITLE = (
    r"(?:\b(?:it|test\w*|describe|context|specify|scenario|Run|DisplayName|Test|Suite|TEST\w*)\b\s*[(\"'])"
)


def note_titled(state: ResearchState, nodes: Sequence[Node]) -> None:
    """Note the tests whose names or titles have the name of a symbol."""
    for name in _list_names(nodes):
        words = write_snake(name).replace("_", " ")
        reason = Reason(f"has {name} in its name", Role.TITLED, name)
        found = [node for node, _ in state.graph.search(f"test {words}", SymbolFilter(), MOST_NAMED)[0]]
        found = [
            node
            for node in found
            if is_test_node(node) and _is_test(node) and fold_signs(name) in fold_signs(node.symbol.name)
        ]
        for node in sorted(found, key=lambda one: (one.path, one.symbol.start_line))[:MOST_TITLED]:
            state.add(node, reason, 1, Confidence.PROBABLE)
        spelled = "|".join(map(re.escape, dict.fromkeys((name, words, words.replace(" ", "-")))))
        title = re.compile(rf"{_TITLE}.*\b(?:{spelled})\b", re.IGNORECASE)
        request = ExactRequest(rf"\b(?:{spelled})\b", regex=True, case_sensitive=False, limit=MOST_LINES)
        for one in state.source.search_exact(request).matches:
            if is_test_place(one.path) and title.search(one.line):
                _note_title(state, one.path, one.start_line, reason)


def _is_test(node: Node) -> bool:
    """Return True for a function, and for a type that is called a test; other types only serve one."""
    is_called_so = _OF_TESTS.search(node.symbol.name) is not None
    return node.symbol.kind in CALLABLE_KINDS or (node.symbol.kind in TYPE_KINDS and is_called_so)


def _note_title(state: ResearchState, path: str, line: int, reason: Reason) -> None:
    """Note the test that has a title, or the title alone if that is no symbol."""
    known = [one for one in state.findings if one.role is Role.TITLED]
    is_known = any(one.path == path and one.start_line <= line <= one.end_line for one in known)
    if len(known) < MOST_TITLED and not is_known:
        note_lines(state, TextPlace(path, line, line), reason, 1, (line,))


def note_writing(state: ResearchState, nodes: Sequence[Node]) -> None:
    """Note the files of tests that write the name of a symbol, first those with most lines."""
    for name in _list_names(nodes):
        request = ExactRequest(name, whole_word=True, limit=MOST_LINES)
        files: dict[str, list[int]] = {}
        for one in state.source.search_exact(request).matches:
            if is_test_place(one.path) and one.start_line not in state.source.read_comment_lines(one.path):
                files.setdefault(one.path, []).append(one.start_line)
        known = {one.path for one in state.findings if one.hop}
        ordered = sorted(
            (path for path in files if path not in known), key=lambda path: (-len(files[path]), path)
        )
        for path in ordered[:MOST_WRITING]:
            lines = tuple(files[path])
            reason = Reason(f"has {name} in {write_count(len(lines), 'line')}", Role.WRITES_NAME, name)
            shown = lines[:MAX_SHOWN]
            note_lines(state, TextPlace(path, lines[0], lines[-1]), reason, 1, shown, shown=shown)
        if len(ordered) > MOST_WRITING:
            state.limit(f"files of tests that have {name}", f"{MOST_WRITING} of {len(ordered)} are shown")


def _list_names(nodes: Iterable[Node]) -> list[str]:
    """Return the names of symbols of the program that have several words."""
    return list(dict.fromkeys(node.symbol.name for node in nodes if count_words(node.symbol.name) > 1))


def describe_titled(found: Sequence[Finding]) -> str:
    """Return a sentence on the tests with a name in theirs; "" without any."""
    titled = [one for one in found if one.role is Role.TITLED]
    if not titled:
        return ""
    verb = "has" if len(titled) == 1 else "have"
    names = [one.citation if one.symbol == one.path else name_findings([one]) for one in titled]
    theirs = "its name" if len(titled) == 1 else "their names"
    return f"{join_names(names)} {verb} {titled[0].reason.about} in {theirs}."


def describe_writing(found: Sequence[Finding]) -> str:
    """Return a sentence on the files of tests that write a name; "" without any."""
    writing = [one for one in found if one.role is Role.WRITES_NAME]
    lines = [f"{one.path}:{one.lines[0]}" for one in writing]
    return f"Files of tests have {writing[0].reason.about}: {join_names(lines)}." if writing else ""
