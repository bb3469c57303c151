"""A type that holds settings is told by its fields with their defaults, and what makes one."""

from __future__ import annotations

from repo_mcp.research.findings.records import Form
from tests.repo_mcp.research.asking import Asked

LIMITS = """from dataclasses import dataclass


@dataclass
class PoolLimits:
    largest: int = 2 * 8  # of all
    idle: float | None = None

    def check(self):
        if self.largest < 1:
            raise ValueError(self.largest)
"""
POOL = """from limits import PoolLimits


class Pool:
    def __init__(self, limits: PoolLimits | None = None):
        if limits is None:
            limits = PoolLimits()
        self.limits = limits
        self.cars = []

    def take(self):
        return self.cars.pop()
"""
QUERY = "Where is the limit of a pool of cars configured and what is its default?"
GO = """package pool

type PoolLimits struct {
	Largest int
	Idle    int
}

func NewPool() *Pool {
	limits := PoolLimits{Largest: 16}
	return &Pool{limits: limits}
}

type Pool struct {
	limits PoolLimits
	cars   []string
}
"""


def test_a_guessed_type_of_fields_with_the_word_of_the_question_is_the_setting() -> None:
    report = Asked({"limits.py": LIMITS, "pool.py": POOL}).ask(f"{QUERY} (PoolLimits, DEFAULT_LIMIT)")
    assert report.reading.form is Form.CONFIGURED
    assert report.claim.startswith(
        "limits.PoolLimits (limits.py:4-11) holds it, by default largest = 2 * 8 (limits.py:6) and"
        " idle = None (limits.py:7). One is made in Pool.__init__ (pool.py:7)."
    )
    assert "largest: int = 2 * 8" in report.findings[0].excerpt


def test_a_literal_of_a_struct_makes_one() -> None:
    claim = Asked({"pool.go": GO}).ask(f"{QUERY} (PoolLimits)").claim
    assert claim.startswith(
        "pool.PoolLimits (pool.go:3-6) holds it. One is made in pool.NewPool (pool.go:9)."
    )


def test_a_guessed_type_without_the_word_of_the_question_is_no_setting() -> None:
    query = "Where is the colour of a car configured? (PoolLimits)"
    assert Asked({"limits.py": LIMITS, "pool.py": POOL}).ask(query).reading.form is not Form.CONFIGURED


def test_two_slashes_of_python_begin_no_comment() -> None:
    limits = LIMITS.replace("2 * 8", "64 // 4")
    claim = Asked({"limits.py": limits, "pool.py": POOL}).ask(f"{QUERY} (PoolLimits, DEFAULT_LIMIT)").claim
    assert "largest = 64 // 4 (limits.py:6)" in claim
