"""No test asserts seconds, which are the machine's: it counts, compares sizes, or gives up when it hangs.

The deep runs may: they say what was promised of an unloaded machine.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLOCKS = {"monotonic", "perf_counter", "process_time", "thread_time"}
GUARDS = {"HANG_SECONDS", "EXIT_SECONDS"}


def reads_clock(node: ast.AST) -> bool:
    return any(isinstance(one, ast.Attribute) and one.attr in CLOCKS for one in ast.walk(node))


def iter_asserted_durations(text: str) -> Iterator[int]:
    """Yield the lines where the time since a moment has to be below a number."""
    if not any(clock in text for clock in CLOCKS):
        return
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Assert):
            continue
        for one in ast.walk(node.test):
            if isinstance(one, ast.Compare) and isinstance(one.left, ast.BinOp) and reads_clock(one.left):
                limit = one.comparators[0]
                is_guard = isinstance(limit, ast.Name) and limit.id in GUARDS
                if isinstance(one.ops[0], ast.Lt | ast.LtE) and not is_guard:
                    yield node.lineno


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("assert time.monotonic() - started < 5", [1]),
        ("x = 1\nassert x and time.process_time() - began <= 2 * LIMIT", [2]),
        ("assert time.monotonic() - started < HANG_SECONDS", []),
        ("assert time.monotonic() - started > 0.4", []),
        ("assert time.monotonic() < deadline", []),
    ],
)
def test_what_is_a_duration(text: str, lines: list[int]) -> None:
    assert list(iter_asserted_durations(text)) == lines


def test_no_test_asserts_a_duration() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if "deep" not in path.parts
        for line in iter_asserted_durations(path.read_text(encoding="utf-8"))
    ]
    assert found == []
