"""Types by name, which outlive a resolver."""

from __future__ import annotations

from collections.abc import Mapping

from repo_mcp.graph.csharp.names import CSharpNames
from repo_mcp.symbols.symbol_record import SymbolRecord
from tests.repo_mcp.graph.memory_index import MemoryIndex


class CountingIndex(MemoryIndex):
    """Notes the files whose records are read."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        super().__init__(texts)
        self.read: list[str] = []

    def find_record(self, path: str) -> SymbolRecord | None:
        self.read.append(path)
        return super().find_record(path)


def test_the_files_that_declare_a_hot_name_are_read_once_for_all_resolvers() -> None:
    many = {f"copy{number}.cs": f"namespace N{number} {{ public class Hot {{ }} }}\n" for number in range(30)}
    program = CountingIndex(many)
    for _ in range(3):  # each begins without what the one before it has read
        assert set(CSharpNames(program).list_types("Hot")) == {f"N{number}.Hot" for number in range(30)}
    assert sorted(program.read) == sorted(many)
