"""The view that a resolver has of the repository, and its answer about one use of a name.

A language's resolver is asked about one reference in one file. It looks at the symbol records of that file
and of others through a Program, and answers with the declarations that the name means, or with the name of
something outside. It claims only what it resolved: EXACT where scopes and imports lead to one declaration,
PROBABLE where one declaration in the repository has that name and could be meant, POSSIBLE where several do.

What resolvers of several languages share is here, too: which kinds of symbols a role can name, whether a
declaration accepts a call, and the order of files by nearness.

Left out on purpose: where symbol records come from. Navigation reads them from the index; tests parse texts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    DeclaredSymbol,
    Reference,
    ReferenceRole,
    SymbolFlag,
    SymbolRecord,
)

_TYPE_ROLES = frozenset(
    {
        ReferenceRole.TYPE,
        ReferenceRole.ACCEPT,
        ReferenceRole.INHERIT,
        ReferenceRole.IMPLEMENT,
        ReferenceRole.EXTEND,
        ReferenceRole.BIND,
    }
)


class Confidence(StrEnum):
    """The certainty that a declaration is meant."""

    EXACT = "exact"  # scopes, imports and declared types lead to it alone
    PROBABLE = "probable"  # no other is known, but only its name led to it, or another may take its place
    POSSIBLE = "possible"  # one of several


SURENESS = {one: rank for rank, one in enumerate(Confidence)}  # 0 for the surest


@dataclass(frozen=True, slots=True)
class Declaration:
    """One declared symbol: its file and its ordinal in that file's symbol record."""

    path: str
    ordinal: int  # 0: the file itself


@dataclass(frozen=True, slots=True)
class Target:
    """One declaration that a name may mean."""

    declaration: Declaration
    confidence: Confidence


@dataclass(frozen=True, slots=True)
class Resolution:
    """The meaning of a name: targets in the repository, best first, or an external name, or neither."""

    targets: tuple[Target, ...] = ()
    external: str = ""  # dotted name of something not declared here: "os.path.join", "react.useState"
    source: str = ""  # SCIP if a precise indexer resolved it; empty if a resolver did


NOTHING = Resolution()
# The meaning of a name that is too common to be listed as unresolved, such as the key of an object.
UNCOUNTED = Resolution(source="uncounted")
SCIP = "scip"


def join_targets(found: Sequence[Resolution]) -> Resolution:
    """Return the targets of all resolutions; EXACT only if all have the same targets."""
    sets = list(dict.fromkeys(one.targets for one in found if one.targets))
    if len(sets) < 2:
        return Resolution(sets[0]) if sets else NOTHING
    joined = dict.fromkeys(target.declaration for targets in sets for target in targets)
    surest = min((target.confidence for targets in sets for target in targets), key=SURENESS.__getitem__)
    doubted = Confidence.PROBABLE if surest is Confidence.EXACT else surest
    return Resolution(tuple(Target(one, doubted) for one in joined))


class Program(Protocol):
    """The parsed files of one repository in one snapshot."""

    kept: dict[type, object]  # facts about the files that outlive resolvers, by their class

    def find_record(self, path: str) -> SymbolRecord | None:
        """Return the symbol record of a file, or None when it has none. Cheap when repeated."""

    def find_language(self, path: str) -> str:
        """Return the language of a file: "python", "csharp", "typescript", "javascript", ..."""

    def has_file(self, path: str) -> bool:
        """Return whether a path is a source file of the repository, with or without a symbol record."""

    def has_folder(self, path: str) -> bool:
        """Return whether a folder ("" for the root) holds a source file, at any depth."""

    def list_source_paths(self) -> Sequence[str]:
        """Return the paths of all source files, with or without a symbol record, ascending."""

    def list_declaring(self, name: str) -> Sequence[str]:
        """Return the paths of the files that declare a symbol of exactly this name, ascending.

        A file is itself a symbol, whose name is the file name without folders: "__init__.py".
        """

    def list_using(self, name: str) -> Sequence[str]:
        """Return the paths of the files with a reference to exactly this name, ascending."""

    def list_including(self, module: str) -> Sequence[str]:
        """Return the paths of the files that import a module by exactly this text (`<a/b.h`), ascending."""

    def read_text(self, path: str) -> str | None:
        """Return the text of a source file such as tsconfig.json, or None when it cannot be read."""


class Resolver(Protocol):
    """Resolves the references in files of some languages. Used by one call at a time."""

    def resolve(self, path: str, record: SymbolRecord, reference: Reference) -> Resolution:
        """Return the meaning of a reference in a file. Never raises because of a record's contents."""


def is_type_role(role: ReferenceRole) -> bool:
    """Return whether a role can only name types."""
    return role in _TYPE_ROLES


def accepts_call(symbol: DeclaredSymbol, call: Reference) -> bool:
    """Return whether a declaration accepts a call, judged by the number of its arguments."""
    if not call.arguments or symbol.kind not in CALLABLE_KINDS:
        return True
    passed = call.arguments - 1
    wanted = symbol.parameter_count
    if SymbolFlag.VARIADIC in symbol.flags:
        return passed >= wanted - 1
    defaults = symbol.parameters.count("=")
    return wanted - defaults <= passed <= wanted


def order_by_nearness(paths: Sequence[str], near: str) -> list[str]:
    """Reorder ascending paths: `near` first, then its folder, then the one above, and so on to the root."""
    ordered: list[str] = []
    first = end = bisect_left(paths, near)
    if first < len(paths) and paths[first] == near:
        end += 1
        ordered.append(near)
    folder = near
    while folder:
        folder = folder.rpartition("/")[0]
        prefix = f"{folder}/" if folder else ""
        start = bisect_left(paths, prefix)
        stop = bisect_left(paths, f"{folder}0") if folder else len(paths)  # "0" is the character after "/"
        ordered += [*paths[start:first], *paths[end:stop]]
        first, end = start, stop
    return ordered
