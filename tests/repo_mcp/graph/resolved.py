"""Render what a resolver says of the names on a line, as text that a test can compare."""

from __future__ import annotations

from dataclasses import dataclass, field
from textwrap import dedent

from repo_mcp.graph import typed_resolvers as typed
from repo_mcp.graph.csharp.resolver import CSharpResolver
from repo_mcp.graph.program import Declaration, Resolver
from repo_mcp.graph.python.resolver import PythonResolver
from repo_mcp.graph.resolution import MakeResolver
from repo_mcp.graph.typescript.resolver import TypeScriptResolver
from repo_mcp.languages.symbol_parsers import find_parser_task, run_parser_task
from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.repo_mcp.graph.memory_program import MemoryProgram, find_language_by_suffix

RESOLVERS: dict[str, MakeResolver] = {
    "typescript": TypeScriptResolver,
    "javascript": TypeScriptResolver,
    "csharp": CSharpResolver,
    "python": PythonResolver,
    **typed.RESOLVERS,
}


def parse(path: str, text: bytes) -> bytes:
    """Parse a text by the task of its file."""
    task = find_parser_task(path, find_language_by_suffix(path))
    assert task is not None
    return run_parser_task(task, path.encode() + b"\n" + text)


@dataclass
class Repository:
    """Texts in memory, and questions about their names."""

    texts: dict[str, str]
    program: MemoryProgram
    resolvers: dict[str, Resolver] = field(default_factory=dict)

    @classmethod
    def build(cls, texts: dict[str, str]) -> Repository:
        """Build a repository of texts by path, without their common indentation."""
        plain = {path: dedent(text).lstrip("\n") for path, text in texts.items()}
        return cls(plain, MemoryProgram(plain, dict.fromkeys(RESOLVERS, parse)))

    def find_line(self, path: str, text: str) -> int:
        """Return the number of the only line with a text."""
        found = [number for number, line in enumerate(self.texts[path].split("\n"), 1) if text in line]
        assert len(found) == 1, f"{len(found)} lines hold {text!r}"
        return found[0]

    def ask(self, path: str, line: str, name: str, *roles: ReferenceRole) -> list[str]:
        """Return what a name on the line of a text means: "path:line name confidence", or "-> outside"."""
        return self.ask_line(path, self.find_line(path, line), name, *roles)

    def ask_line(self, path: str, number: int, name: str, *roles: ReferenceRole) -> list[str]:
        """Return what a name on a line means."""
        language = self.program.find_language(path)
        resolver = self.resolvers.setdefault(language, RESOLVERS[language](self.program))
        record = self.program.find_record(path)
        assert record is not None
        said: list[str] = []
        asked = 0
        for row in range(record.reference_count):
            reference = record.get_reference(row)
            if reference.line != number or name not in {reference.name, reference.alias}:
                continue
            if reference.role is ReferenceRole.BIND or (roles and reference.role not in roles):
                continue
            asked += 1
            resolution = resolver.resolve(path, record, reference)
            said += [self.describe(one.declaration, one.confidence) for one in resolution.targets]
            if resolution.external:
                said.append(f"-> {resolution.external}")
        assert asked, f"no reference to {name!r} on line {number}"
        return list(dict.fromkeys(said))

    def describe(self, declaration: Declaration, confidence: str) -> str:
        """Return the text of one target."""
        record = self.program.find_record(declaration.path)
        assert record is not None
        symbol = record.get_symbol(declaration.ordinal)
        return f"{declaration.path}:{symbol.start_line} {symbol.name} {confidence}"
