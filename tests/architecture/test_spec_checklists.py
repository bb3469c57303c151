"""Checklists of the specifications and of the threat model: each row names tests, and those exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.source_tree import ROOT

# specification -> the numbers of its sections that require something
SECTIONS = {
    "1": "2 3 4 5 6 7.1 7.2 7.3 7.4 8.1 8.2 9.1 9.2 9.3 10.1 10.2 10.3 11 11.1 11.2 11.3 11.4 11.5 11.6 11.7"
    " 11.8 12 13 14 15",
    "2": "US1.1 US1.2 US1.3 US2.1 US2.2 US3.1 US3.2 EC-1 EC-2 EC-3 EC-4 C-1 C-2 C-3 C-4 C-5 OB-1 OB-2 OB-3"
    " CL-1 CL-2 CL-3 CL-4 CL-5 FR-001 FR-002 FR-003 FR-004 FR-005 FR-006 FR-007 FR-008 FR-009 FR-010 FR-011"
    " FR-012 FR-013 FR-014 FR-015 SC-001 SC-002 SC-003 SC-004 search open_file get_snippet list_dir clients",
    "3": "1 startup shutdown health 3 list_directory read_file get_directory_tree search_symbols"
    " lookup_symbol find_similar get_symbol get_source_spans get_file_outline get_callers get_callees"
    " get_implementations get_references get_dependencies get_dependents get_impact index_files get_status 5"
    " not_found invalid_parameter path_escape binary_file too_large engine_unavailable index_error blocked"
    " 6.1 6.2 6.3 6.4 7 8",
    "4": "server discovery cancelled index_codebase search_code result search_docs code_research errors"
    " progress ordering tasks content",
    "threat-model": "3.1 3.2 3.3 3.4 3.5 3.6 3.7 3.8 3.9 3.10 fuzz "
    + " ".join(f"R{number}" for number in range(1, 26)),
}
REQUIRED = {name: set(sections.split()) for name, sections in SECTIONS.items()}
# A row without a section is of the one that its heading numbers.
HEADING = re.compile(r"^## (?P<section>[\d.]+)? ?")
ROW = re.compile(
    r"^\| (?!section |requirement )(?:(?P<section>[\w.-]+) \| )?"
    r"(?P<requirement>[^|]+) \| (?P<tests>[^|]+) \|$"
)
FILE = re.compile(r"`(?P<path>tests/[\w/]+\.py)`: (?P<tests>`test_\w+`(?:, `test_\w+`)*)")
CHECKLISTS = [*sorted((ROOT / "docs").glob("spec-*.md")), ROOT / "docs" / "threat-model.md"]


@cache
def list_tests(path: str) -> frozenset[str]:
    """Return the test functions of a file; none when there is no such file."""
    file = ROOT / path
    if not file.is_file():
        return frozenset()
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def read_rows(checklist: Path) -> list[tuple[str, str, str]]:
    """Return the section, the requirement and the tests of each row."""
    rows, section = [], ""
    for line in checklist.read_text(encoding="utf-8").splitlines():
        if heading := HEADING.match(line):
            section = heading["section"] or ""
        elif row := ROW.match(line):
            rows.append((row["section"] or section, row["requirement"], row["tests"]))
    return rows


def test_there_is_a_checklist_for_every_specification_that_is_built() -> None:
    assert {path.stem.removeprefix("spec-") for path in CHECKLISTS} >= set(REQUIRED)


@pytest.mark.parametrize("checklist", CHECKLISTS, ids=lambda path: path.stem)
def test_every_section_has_a_row(checklist: Path) -> None:
    sections = {section for section, _, _ in read_rows(checklist)}
    assert REQUIRED.get(checklist.stem.removeprefix("spec-"), set()) - sections == set()


@pytest.mark.parametrize("checklist", CHECKLISTS, ids=lambda path: path.stem)
def test_every_line_of_a_table_is_a_row(checklist: Path) -> None:
    lines = [line for line in checklist.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    heads = [line for line in lines if line.startswith(("| section ", "| requirement ", "|---"))]
    assert len(lines) - len(heads) == len(read_rows(checklist)) > 0


@pytest.mark.parametrize("checklist", CHECKLISTS, ids=lambda path: path.stem)
def test_every_row_names_tests_that_exist(checklist: Path) -> None:
    faults = []
    for section, requirement, tests in read_rows(checklist):
        files = [FILE.fullmatch(one) for one in tests.split("; ")]
        if not section or None in files:
            faults.append(f"{section} {requirement}: has no section, names no test, or more than tests")
        for one in filter(None, files):
            missing = set(re.findall(r"test_\w+", one["tests"])) - list_tests(one["path"])
            faults += [f"{section}: {one['path']} has no {test}" for test in sorted(missing)]
    assert faults == []
