"""The meaning of each reference: resolved by the resolver of its language, then cached."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from repo_mcp.graph.by_name import ByNameResolver
from repo_mcp.graph.precise import PreciseAnswers
from repo_mcp.graph.program.program import NOTHING, Program, Resolution, Resolver
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbols.symbol_record import Reference, ReferenceRole, SymbolRecord

KEPT_ANSWERS = 20_000
MAX_HELD_BYTES = 24 * 1024 * 1024

MakeResolver = Callable[[Program], Resolver]


class Resolvers:
    """The resolvers of one program. Used by one call at a time."""

    def __init__(
        self,
        program: Program,
        makers: Mapping[str, MakeResolver],
        count_decoded: Callable[[], int] = lambda: 0,
        precise: PreciseAnswers | None = None,
    ) -> None:
        """Create no resolver yet. `makers` is by language; a maker that languages share is called once. A
        language without one is that of an installed adapter, whose names are all that is known.

        `count_decoded` returns the bytes of symbol records that the program has decoded so far. As resolvers
        hold the records they have read, they are dropped with their caches after MAX_HELD_BYTES more.
        The answers of `precise` come before those of the resolvers.
        """
        self._precise = precise
        self._program = program
        self._count_decoded = count_decoded
        self._fresh_at = 0
        self._makers = makers
        self._made: dict[MakeResolver, Resolver] = {}
        self._answers: LruCache[tuple[str, int | str], Resolution] = LruCache(KEPT_ANSWERS)

    def resolve(self, path: str, record: SymbolRecord, row: int) -> Resolution:
        """Return the meaning of the reference in a row of the file's symbol record."""

        def resolve() -> Resolution:
            return self._remember((path, row), path, lambda: record.get_reference(row), record)

        return resolve() if self._precise is None else self._precise.resolve(path, row, resolve)

    def resolve_module(self, path: str, record: SymbolRecord, row: int) -> Resolution:
        """Return the meaning of the module named by the import or export in a row."""
        module = record.strings[record.ref_qualifiers[row]]
        if not module:
            return NOTHING

        def build() -> Reference:
            return replace(
                record.get_reference(row), role=ReferenceRole.IMPORT, name="", alias="", arguments=0
            )

        return self._remember((path, module), path, build, record)

    def _remember(
        self, key: tuple[str, int | str], path: str, build: Callable[[], Reference], record: SymbolRecord
    ) -> Resolution:
        def answer() -> Resolution:
            return self._find_resolver(path).resolve(path, record, build())

        return self._answers.get(key, answer)

    def _find_resolver(self, path: str) -> Resolver:
        maker = self._makers.get(self._program.find_language(path), ByNameResolver)
        if self._count_decoded() - self._fresh_at > MAX_HELD_BYTES:
            self._made.clear()
            self._fresh_at = self._count_decoded()
        resolver = self._made.get(maker)
        if resolver is None:
            resolver = self._made[maker] = maker(self._program)
        return resolver
