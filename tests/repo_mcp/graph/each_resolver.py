"""The resolvers of languages with declared types side by side, each for its own files of one program."""

from __future__ import annotations

from repo_mcp.graph.program import Program, Resolution, Resolver
from repo_mcp.graph.typed_resolvers import RESOLVERS
from repo_mcp.symbols.symbol_record import Reference, SymbolRecord


class EachResolver:
    """Resolves the references of every file by the resolver of its language."""

    def __init__(self, program: Program) -> None:
        made = {maker: maker(program) for maker in RESOLVERS.values()}
        self._program = program
        self._resolvers: dict[str, Resolver] = {one: made[maker] for one, maker in RESOLVERS.items()}

    def resolve(self, path: str, record: SymbolRecord, reference: Reference) -> Resolution:
        """Return the meaning of a reference."""
        return self._resolvers[self._program.find_language(path)].resolve(path, record, reference)
