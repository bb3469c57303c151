"""The role of what uses a symbol: the program comes first, then tests, examples, and what others wrote.

It is that of the file, except in Rust, where a file of the program mostly has its tests in a module.
"""

from __future__ import annotations

import re

from repo_mcp.graph.program import Declaration, Program
from repo_mcp.symbols.symbol_record import SymbolKind
from repo_mcp.text.roles import FileRole, find_role

_RANKS = {FileRole.CODE: 0, FileRole.TEST: 1, FileRole.DOCS: 2, FileRole.FOREIGN: 3}
LISTED_ROLES = tuple(_RANKS)  # in the order of rows; configuration in a programming language counts as code
_WITH_INNER_TESTS = ".rs"
_INNER_TESTS = re.compile(r"tests?|tests_\w+|\w+_tests?")


def find_path_role(path: str) -> FileRole:
    """Return the role of a file, one of LISTED_ROLES."""
    role = find_role(path)
    return role if role in _RANKS else FileRole.CODE


def rank_role(role: FileRole) -> int:
    """Return the place of a role in the order of rows, from 0."""
    return _RANKS[role]


def find_user_role(program: Program, user: Declaration) -> FileRole:
    """Return the role of a symbol that uses another, one of LISTED_ROLES."""
    role = find_path_role(user.path)
    if role is not FileRole.CODE or not user.path.endswith(_WITH_INNER_TESTS):
        return role
    record, ordinal = program.find_record(user.path), user.ordinal
    while record is not None and ordinal:
        is_module = record.get_kind(ordinal) is SymbolKind.MODULE
        if is_module and _INNER_TESTS.fullmatch(record.get_name(ordinal)):
            return FileRole.TEST
        ordinal = record.get_parent(ordinal)
    return role
