"""Files that declare thousands of types, each with a member of the same name: asked for each of them once."""

from __future__ import annotations

import pytest

from repo_mcp.graph.csharp.csharp_file import CSharpFile
from repo_mcp.graph.program import Resolver
from repo_mcp.graph.python.resolver import PythonResolver
from repo_mcp.graph.python.siblings import PythonSiblings
from repo_mcp.graph.swift.rules import SwiftRules
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.path_lookup import PathLookup
from repo_mcp.graph.typescript.script_file import ScriptFile
from repo_mcp.languages.python.symbol_parser import parse
from repo_mcp.symbols.record_builder import SymbolRecordBuilder
from repo_mcp.symbols.symbol_record import (
    ReferenceRole,
    SymbolKind,
    SymbolRecord,
    decode_symbol_record,
    find_inside,
)
from tests.growth import assert_linear
from tests.repo_mcp.graph.memory_program import MemoryProgram
from tests.repo_mcp.graph.resolved import RESOLVERS, Repository


def make_record(types: int) -> SymbolRecord:
    """Return the record of a file of types with a method and a base each."""
    builder = SymbolRecordBuilder("many", types + 1)
    for number in range(1, types + 1):
        owner = builder.add_symbol(f"Type{number}", SymbolKind.CLASS, 0, number, number)
        builder.add_symbol("run", SymbolKind.METHOD, owner, number, number)
        builder.add_reference(owner, ReferenceRole.INHERIT, f"Type{number + 1}", number)
    return decode_symbol_record(builder.encode())


def list_types(record: SymbolRecord) -> range:
    return range(1, record.symbol_count, 2)


@pytest.mark.parametrize("make_file", [CSharpFile, ScriptFile])
def test_members_of_one_name_are_not_gone_through_for_each_type(
    make_file: type[CSharpFile] | type[ScriptFile],
) -> None:
    """The callers of a method of such a file of 400 KB, in C#, took 12 seconds."""

    def ask(record: SymbolRecord) -> list[str]:
        file = make_file("a", record)
        return [one.name for owner in list_types(record) for one in file.find_children(owner, "run")]

    assert_linear(make_record, ask, 300)
    assert ask(make_record(30)) == ["run"] * 30


def test_members_of_one_name_are_not_gone_through_for_each_type_and_extension() -> None:
    """What is known of a method of 600 such types in a row, in Swift, took 14 seconds."""

    def ask(record: SymbolRecord) -> list[int]:
        scope = FileScope("a.swift", "swift", record)
        owners = list_types(record)
        own = [scope.find_children(owner, "run") for owner in owners]
        assert own == [find_inside(record, scope.get_name(owner), "run") for owner in owners]
        return [one for found in own for one in found]

    assert_linear(make_record, ask, 300)
    assert ask(make_record(3)) == [2, 4, 6]


def test_full_paths_of_one_name_are_not_compared_for_each_use() -> None:
    """The uses of a method that 600 types of a file have took 2.3 seconds."""

    def ask(record: SymbolRecord) -> list[int]:
        program = MemoryProgram({}, {})
        lookup = PathLookup(program, SwiftRules(program))
        scope = FileScope("a.swift", "swift", record)
        paths = [("", f"Type{number + 1}", "run") for number in range(len(list_types(record)))]
        return [one for path in paths for one in lookup._group(scope, "run").get(path, ())]

    assert_linear(make_record, ask, 300)
    assert ask(make_record(3)) == [2, 4, 6]


def test_bases_of_all_types_are_not_gone_through_for_each() -> None:
    def ask(record: SymbolRecord) -> list[int]:
        roles = ReferenceRole.INHERIT, ReferenceRole.IMPLEMENT
        return [row for owner in list_types(record) for row in record.list_own_role(owner, *roles)]

    assert_linear(make_record, ask, 300)
    assert ask(make_record(30)) == list(range(30))


def test_children_of_a_name_are_those_among_all_children() -> None:
    record = make_record(5)
    assert [record.find_children(owner, "run") for owner in list_types(record)] == [[2], [4], [6], [8], [10]]
    assert record.find_children(0, "many") == []  # the file is nobody's child
    assert record.find_children(0, "Type3") == [5]
    assert record.find_children(0, "else") == []


def test_what_is_inside_of_a_name_is_inside_any_symbol_of_it() -> None:
    builder = SymbolRecordBuilder("run", 9)
    for number in range(1, 4):
        owner = builder.add_symbol("Type", SymbolKind.EXTENSION, 0, number, number)
        builder.add_symbol("run", SymbolKind.METHOD, owner, number, number)
    record = decode_symbol_record(builder.encode())
    assert find_inside(record, "Type", "run") == [2, 4, 6]
    assert find_inside(record, "run", "Type") == [1, 3, 5]  # the file is named so
    assert find_inside(record, "run", "run") == find_inside(record, "Type", "no") == []


CLASSES = 90


def count_calls(
    monkeypatch: pytest.MonkeyPatch, owner: type, name: str, program: MemoryProgram, resolver: Resolver
) -> int:
    """Return how often a method is called while all references of a program's only file are resolved."""
    counted, usual = [0], getattr(owner, name)

    def count(*arguments: object, **named: object) -> object:
        counted[0] += 1
        return usual(*arguments, **named)

    monkeypatch.setattr(owner, name, count)
    (path,) = program._structures
    record = program.find_record(path)
    assert record is not None
    for row in range(record.reference_count):
        resolver.resolve(path, record, record.get_reference(row))
    return counted[0]


def test_each_base_of_a_chain_is_asked_once_for_its_members(monkeypatch: pytest.MonkeyPatch) -> None:
    """What calls a method of 600 such classes in Swift took 25 seconds: each asked its 40 nearest bases."""
    text = "class C0 {\n func run() {}\n}\n" + "".join(
        f"class C{number} : C{number - 1} {{\n override func run() {{ super.run() }}\n"
        f" func go() {{ self.run() }}\n}}\n"
        for number in range(1, CLASSES)
    )
    program = Repository.build({"a.swift": text}).program
    resolver = RESOLVERS["swift"](program)
    assert count_calls(monkeypatch, NamedLookup, "_find_members", program, resolver) < 12 * CLASSES


def test_each_class_of_a_chain_is_asked_once_for_those_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """In Python it took 27 seconds: each asked the file for its 100 nearest derived classes anew."""
    text = "class C0:\n    def run(self): ...\n" + "".join(
        f"class C{number}(C{number - 1}):\n    def run(self):\n        super().run()\n"
        for number in range(1, CLASSES)
    )
    program = MemoryProgram({"a.py": text}, {"python": parse})
    resolver = PythonResolver(program)
    assert count_calls(monkeypatch, PythonSiblings, "_iter_naming", program, resolver) <= CLASSES


def test_references_of_a_name_in_a_role_are_those_among_all_of_the_role() -> None:
    record = make_record(5)
    roles = ReferenceRole.INHERIT, ReferenceRole.IMPLEMENT
    assert [record.list_named_role(f"Type{number}", *roles) for number in (2, 6, 7)] == [[0], [4], []]
    assert record.list_named_role("Type2", ReferenceRole.CALL) == []
