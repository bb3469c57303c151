"""Find the innermost symbol around a line, and order locations by their role, distance and confidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.symbols.symbol_record import SymbolKind, SymbolRecord
from repo_mcp.text.roles import FileRole, find_role, is_side_file, is_test_path
from repo_mcp.text.shared_parts import count_shared
from repo_mcp.titled_names import TITLE, find_test_kind, is_titled, split_qualified

if TYPE_CHECKING:
    from repo_mcp.research.findings.records import Finding

CONFIDENCES = {Confidence.EXACT: 0, Confidence.PROBABLE: 1, Confidence.POSSIBLE: 2}
_ROLES = {
    role: rank
    for rank, role in enumerate(
        (FileRole.CODE, FileRole.CONFIG, FileRole.STYLE, FileRole.FOREIGN, FileRole.DOCS, FileRole.TEST)
    )
}
# Documents that say nothing about how things work, although they name the product and much else.
_ASIDE = re.compile(
    r"(?:^|/)(?:(?:change|(?:version[-_]?)?history|news|what.?s.?new|upgrading|release|sponsor|backer|funding|licen[cs]e|security"
    r"|third[-_]?party|code[-_]of[-_]conduct)[\w-]*|notices?|copying|copyright|authors)(?:\.\w+)?(?:/|$)",
    re.IGNORECASE,
)

_OF_TESTS = re.compile(r"tests(?:_\w+)?|\w+_tests")


def list_around(record: SymbolRecord, line: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Return the ordinals of the symbols whose lines include `line` (intp), without that of the file."""
    starts = record.starts
    around = np.flatnonzero((starts <= line) & (starts + record.spans >= line))
    return around[around > 0]


def find_innermost(record: SymbolRecord, line: int) -> int:
    """Return the ordinal of the innermost symbol whose lines include `line`; 0, the file, when none does."""
    around = list_around(record, line)
    if not len(around):
        return 0
    spans = record.spans[around]
    return int(around[np.flatnonzero(spans == spans.min())[-1]])


def is_decorator(lines: Sequence[str], number: int) -> bool:
    """Return True for a line that begins a decorator."""
    return number <= len(lines) and lines[number - 1].lstrip().startswith("@")


def weaker(first: Confidence, second: Confidence) -> Confidence:
    """Return the less sure of two confidences."""
    return max(first, second, key=CONFIDENCES.__getitem__)


def is_test_place(path: str) -> bool:
    """Return True for tests, and for any file in a folder `t`, `test` or `tests` at the root."""
    return is_test_path(path) or path.startswith(("t/", "tests/", "test/"))


def list_ending(paths: Iterable[str], path: str) -> list[str]:
    """Return the paths that are a given one or end with it: the same first, tests last, deeper ones later."""
    ending = [one for one in paths if one == path or one.endswith(f"/{path}")]
    return sorted(ending, key=lambda one: (one != path, is_test_place(one), one.count("/"), one))


def is_test(path: str, name: str) -> bool:
    """Return True for a symbol of a file of tests, or of a module of tests in a file of the program."""
    return is_test_place(path) or lies_in_tests(path, name)


def is_test_node(node: Node) -> bool:
    """Return True for a symbol of a file of tests, or of a module of tests in a file of the program."""
    return is_test_place(node.path) or is_test_symbol(node)


def is_test_symbol(node: Node) -> bool:
    """Return True for a module of tests in a file of the program, and for a symbol inside one."""
    name = node.qualified_name
    return lies_in_tests(node.path, f"{name}." if node.symbol.kind is SymbolKind.MODULE else name)


def lies_in_tests(path: str, name: str) -> bool:
    """Return True for a qualified name inside a module such as `tests` or `tests_mysql`, as in Rust.

    There it may be called `test`, which elsewhere names packages of the program, too. In JavaScript, a call
    such as `describe("totals", ...)` holds tests or is one.
    """
    if TITLE in name:
        return any(find_test_kind(part) for part in split_qualified(name) if is_titled(part))
    around = name.split(".")[:-1]
    return any(map(_OF_TESTS.fullmatch, around)) or (path.endswith(".rs") and "test" in around)


def is_aside(path: str) -> bool:
    """Return True for a list of changes or of sponsors, a licence or a notice, or rules of conduct."""
    return _ASIDE.search(path) is not None


def rank_role(path: str) -> int:
    """Return a sort key in the order of a reader's interest: the program itself first, tests last."""
    return _ROLES[FileRole.TEST if is_test_place(path) else find_role(path)]


def is_program(path: str) -> bool:
    """Return True for code of the program itself: not a test, an example, a document or foreign code."""
    return find_role(path) is FileRole.CODE and not is_test_place(path)


def may_answer(path: str) -> bool:
    """Return True for a file of the program that is no example or the like."""
    return is_program(path) and not is_side_file(path)


def find_inner_span(spans: Iterable[SymbolSpan], line: int) -> SymbolSpan | None:
    """Return the innermost of some declarations, as the text shows them, from its name on around a line."""
    around = (one for one in spans if one.name_line <= line <= one.end_line)
    return max(around, key=lambda one: one.name_line, default=None)


def is_unread(path: str) -> bool:
    """Return True for code in a language in which no reader knows any declaration, such as a grammar."""
    language = find_language(path)
    return language.kind == "code" and language.pattern is None


def count_shared_folders(one: str, other: str) -> int:
    """Count the folders that two paths share from the root on; the same file counts one more."""
    if one == other:
        return one.count("/") + 1
    return count_shared(one.split("/")[:-1], other.split("/")[:-1])


def is_document_line(one: Finding) -> bool:
    """Return True for a line of a document that only has a name: no section tells of it."""
    return one.kind == "file" and find_role(one.path) is FileRole.DOCS
