"""Tells the files of tests that can be run from what only helps tests: fixtures, sample types, stubs.

A name such as `orders_test.go` says enough. Of other files among the tests, the symbol record tells whether
they declare a test, in the languages where a test has a mark: a name, an attribute, or a call of `it`.
"""

from __future__ import annotations

from repo_mcp.graph.graph import Graph
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolRecord
from repo_mcp.text.roles import FileRole, find_name_role, is_test_path

_OF_SCRIPTS = ("test", "it", "describe", "suite")
_OF_CLASSES = (
    *("Test", "TestCase", "TestCaseSource", "TestMethod", "DataTestMethod", "Fact", "Theory"),
    *("ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Property"),
)
_MARKS = {
    "javascript": _OF_SCRIPTS,
    "typescript": _OF_SCRIPTS,
    "csharp": _OF_CLASSES,
    "java": _OF_CLASSES,
    "python": ("unittest", "TestCase"),
}


def is_test_file(path: str) -> bool:
    """Return True for code among tests, by its path; not for a test's data."""
    return is_test_path(path) and find_language(path).kind == "code"


def has_tests(graph: Graph, path: str) -> bool:
    """Return False for a file of code that is known to declare no test."""
    if find_name_role(path.rpartition("/")[2]) is FileRole.TEST:
        return True
    marks, record = _MARKS.get(find_language(path).name), graph.scan.find_record(path)
    if marks is None or record is None:
        return True
    return any(record.string_table.find(one) is not None for one in marks) or _declares_test(record)


def _declares_test(record: SymbolRecord) -> bool:
    return any(
        record.get_kind(ordinal) in CALLABLE_KINDS and record.get_name(ordinal).lower().startswith("test")
        for ordinal in range(1, record.symbol_count)
    )
