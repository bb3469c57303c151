"""Resolvers: the one of each language, made once, asked once for each reference."""

from __future__ import annotations

import pytest

from repo_mcp.graph import resolution
from repo_mcp.graph.live_graph import RESOLVERS
from repo_mcp.graph.program import NOTHING, Confidence, Declaration, Program, Resolution, Target
from repo_mcp.graph.resolution import ByNameResolver, Resolvers
from repo_mcp.symbols.symbol_record import Reference, ReferenceRole, SymbolRecord, list_references
from tests.repo_mcp.graph.memory_index import PARSERS, MemoryIndex

FOUND = Resolution((Target(Declaration("a.py", 1), Confidence.EXACT),))


class Counting:
    """Finds the same for every reference, and counts."""

    made = 0

    def __init__(self, _program: Program) -> None:
        Counting.made += 1
        self.asked: list[Reference] = []

    def resolve(self, path: str, record: SymbolRecord, reference: Reference) -> Resolution:
        self.asked.append(reference)
        return FOUND

    def resolve_module(self, path: str, record: SymbolRecord, reference: Reference) -> Resolution:
        return NOTHING


TEXTS = {
    "a.py": "def f(): ...\n",
    "b.py": "import a\nx: int = a.f()\na.f\n",
    "c.go": "package c\n",
    "d.txt": "f\n",
}


def test_a_reference_is_asked_once_and_a_resolver_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counting, "made", 0)
    program = MemoryIndex(TEXTS)
    resolvers = Resolvers(program, {"python": Counting, "javascript": Counting})
    record = program.find_record("b.py")
    assert record is not None
    rows = list(range(record.reference_count))
    uses = [row for row in rows if record.ref_roles[row] != ReferenceRole.BIND]
    for _ in range(2):
        for row in uses:
            assert resolvers.resolve("b.py", record, row) == FOUND
    (made,) = resolvers._made.values()
    assert isinstance(made, Counting)
    assert len(made.asked) == len(uses)
    assert Counting.made == 1


def test_a_language_without_a_resolver_means_nothing() -> None:
    program = MemoryIndex(TEXTS)
    record = program.find_record("b.py")
    assert record is not None
    assert Resolvers(program, {"go": Counting}).resolve("b.py", record, 0) == NOTHING


def test_answers_are_forgotten_when_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolution, "CACHED_ANSWERS", 3)
    program = MemoryIndex({"a.py": "def f(): ...\n" + "f()\n" * 10})
    record = program.find_record("a.py")
    assert record is not None
    resolvers = Resolvers(program, RESOLVERS)
    for row in range(record.reference_count):
        resolvers.resolve("a.py", record, row)
    assert len(resolvers._answers) == 3


def test_every_language_with_a_parser_has_a_resolver() -> None:
    assert set(PARSERS) <= set(RESOLVERS)


def test_a_resolver_is_let_go_when_much_was_decoded_since(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counting, "made", 0)
    program = MemoryIndex(TEXTS)
    record = program.find_record("b.py")
    assert record is not None
    decoded = [0]
    resolvers = Resolvers(program, {"python": Counting}, lambda: decoded[0])
    uses = [row for row in range(record.reference_count) if record.ref_roles[row] != ReferenceRole.BIND]
    for row in uses:
        decoded[0] += resolution.MAX_HELD_BYTES // 2 + 1
        resolvers.resolve("b.py", record, row)
    assert Counting.made == 1 + (len(uses) - 1) // 2 > 1


def test_a_name_with_more_declarations_than_may_be_meant_means_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolution, "MAX_POSSIBLE", 2)
    use = "def user(): f()\n"
    program = MemoryIndex({"a.py": use, "one.py": "def f(): ...\n", "two.py": "def f(): ...\n"})
    assert [one.confidence for one in resolve_by_name(program)] == [Confidence.POSSIBLE] * 2
    program = MemoryIndex({"a.py": use} | {f"{at}.py": "def f(): ...\n" for at in range(3)})
    assert resolve_by_name(program) == ()


def resolve_by_name(program: MemoryIndex) -> tuple[Target, ...]:
    """Return what the only call of a.py means by its name alone."""
    record = program.find_record("a.py")
    assert record is not None
    (row,) = list_references(record, ReferenceRole.CALL)
    return ByNameResolver(program).resolve("a.py", record, row).targets
