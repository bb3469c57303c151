"""The meaning of each reference: resolved by the resolver of its language, then cached.

Precise indexers answer before our resolvers. If the declaration that the indexer gives for a reference is
known, it counts, as EXACT. Otherwise, as for names of other packages, our own answer counts, without the
declarations that the indexer knows under other symbols: the reference certainly means none of those.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from repo_mcp.graph.program import (
    NOTHING,
    SCIP,
    Confidence,
    Declaration,
    Program,
    Resolution,
    Resolver,
    Target,
)
from repo_mcp.graph.typescript.declared_bodies import DeclaredBodies
from repo_mcp.lru_cache import LruCache
from repo_mcp.record_classes import replace
from repo_mcp.symbol_index.precise_index import PreciseView
from repo_mcp.symbols.symbol_record import Reference, ReferenceRole, SymbolRecord

CACHED_ANSWERS = 20_000
MAX_POSSIBLE = 8
MAX_DECLARING = 40  # files that declare a name; with more, nothing is guessed
MAX_HELD_BYTES = 24 * 1024 * 1024
MAX_DECLARATIONS = 16  # declarations of one meaning; if there are more, our own resolver decides
CACHED_MEANINGS = 20_000

MakeResolver = Callable[[Program], Resolver]


class PreciseAnswers:
    """The answers of precise indexers about one program. Used by one call at a time."""

    def __init__(self, view: PreciseView) -> None:
        self._view = view
        self._declarations: LruCache[bytes, tuple[Declaration, ...]] = LruCache(CACHED_MEANINGS)

    def resolve(self, path: str, row: int, resolve: Callable[[], Resolution]) -> Resolution:
        """Return the meaning of the reference in a row of a file; `resolve` asks our own resolver."""
        file = self._view.find(path)
        meaning = None if file is None else file.find_meaning(row)
        if file is None or meaning is None:
            return resolve()
        found = self._declarations.get(meaning, lambda: self._find_declarations(meaning))
        if len(found) == 1 or file.is_added(row):
            return _be_sure(found)
        ours = resolve()
        if found:
            chosen = [one.declaration for one in ours.targets if one.declaration in found]
            return _be_sure(tuple(chosen) or found)
        kept = tuple(one for one in ours.targets if not self._is_known(one.declaration))
        if len(kept) == len(ours.targets):
            return ours
        return Resolution(kept, ours.external, "" if kept else SCIP)

    def _find_declarations(self, meaning: bytes) -> tuple[Declaration, ...]:
        """Return the declarations of a meaning, by path and ordinal; nothing if one of them is unknown."""
        found: list[Declaration] = []
        for path in self._view.list_defining(meaning)[: MAX_DECLARATIONS + 1]:
            file = self._view.find(path)
            if file is None:  # the file was edited since, so the place of the declaration is unknown
                return ()
            found += [Declaration(path, ordinal) for ordinal in file.list_ordinals(meaning)]
        return tuple(found) if len(found) <= MAX_DECLARATIONS else ()

    def _is_known(self, declaration: Declaration) -> bool:
        file = self._view.find(declaration.path)
        return file is not None and file.find_declared(declaration.ordinal) is not None


def _be_sure(found: tuple[Declaration, ...]) -> Resolution:
    """Return the declarations that an indexer gives, all EXACT."""
    return Resolution(tuple(Target(one, Confidence.EXACT) for one in found), source=SCIP)


class Resolvers:
    """The resolvers of one program. Used by one call at a time."""

    def __init__(
        self,
        program: Program,
        makers: Mapping[str, MakeResolver],
        count_decoded: Callable[[], int] = lambda: 0,
        precise: PreciseAnswers | None = None,
    ) -> None:
        """Create no resolver yet.

        `makers` maps languages to makers; one shared by languages is called once. A language without a maker
        comes from an installed adapter and is resolved by names alone.

        `count_decoded` returns the bytes of symbol records that the program has decoded so far. As resolvers
        hold the records they have read, they are dropped with their caches after MAX_HELD_BYTES more. Answers
        of `precise` take precedence over those of the resolvers.
        """
        self._precise = precise
        self._program = program
        self._count_decoded = count_decoded
        self._decoded_before = 0  # bytes decoded when the resolvers were last dropped
        self._makers = makers
        self._made: dict[MakeResolver, Resolver] = {}
        self._answers: LruCache[tuple[str, int | str], Resolution] = LruCache(CACHED_ANSWERS)
        self.bodies = DeclaredBodies(program)

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
            return self._prefer_bodies(self._find_resolver(path).resolve(path, record, build()))

        return self._answers.get(key, answer)

    def _prefer_bodies(self, found: Resolution) -> Resolution:
        """Return a meaning with the bodies of what `.d.ts` files declare in place of these declarations."""
        bodies = [self.bodies.find(one.declaration) for one in found.targets]
        if not any(bodies):
            return found
        targets: dict[Declaration, Target] = {}
        for one, body in zip(found.targets, bodies, strict=True):
            target = one if body is None else replace(one, declaration=body)
            targets.setdefault(target.declaration, target)
        return replace(found, targets=tuple(targets.values()))

    def _find_resolver(self, path: str) -> Resolver:
        maker = self._makers.get(self._program.find_language(path), ByNameResolver)
        if self._count_decoded() - self._decoded_before > MAX_HELD_BYTES:
            self._made.clear()
            self._decoded_before = self._count_decoded()
        resolver = self._made.get(maker)
        if resolver is None:
            resolver = self._made[maker] = maker(self._program)
        return resolver


class ByNameResolver:
    """Resolves references by names alone, in languages of installed adapters. Used by one call at a time.

    A name means the declarations of that name in its own file; else those in other files of its language.
    Scopes and imports are unknown, so nothing is EXACT: one such declaration is PROBABLE, several are
    POSSIBLE, and more than MAX_POSSIBLE give none.
    """

    def __init__(self, program: Program) -> None:
        self._program = program

    def resolve(self, path: str, record: SymbolRecord, reference: Reference) -> Resolution:
        """Return the meaning of a reference in a file. Never raises because of a record's contents."""
        found = _list_named(path, record, reference.name) or self._list_elsewhere(path, reference.name)
        if not 0 < len(found) <= MAX_POSSIBLE:
            return NOTHING
        confidence = Confidence.PROBABLE if len(found) == 1 else Confidence.POSSIBLE
        return Resolution(tuple(Target(one, confidence) for one in found))

    def _list_elsewhere(self, path: str, name: str) -> list[Declaration]:
        language, paths = self._program.find_language(path), self._program.list_declaring(name)
        found: list[Declaration] = []
        for other in paths if len(paths) <= MAX_DECLARING else ():
            record = self._program.find_record(other)
            if record is not None and self._program.find_language(other) == language:
                found += _list_named(other, record, name)
        return found


def _list_named(path: str, record: SymbolRecord, name: str) -> list[Declaration]:
    return [Declaration(path, ordinal) for ordinal in record.find_symbols(name) if ordinal]
