"""What a resolver sees of the repository, and what it says of one use of a name.

A resolver of a language is asked for one reference of one file. It looks at the structures of that file and
of others, through a Program, and answers with the declarations that the name means, or with the name of
something outside. It claims nothing that it did not resolve: EXACT where scopes and imports lead to
one declaration, PROBABLE where one declaration in the repository has that name and could be meant, POSSIBLE
where several have it.

Left out on purpose: where structures come from. Navigation reads them from the index; tests parse texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from repo_mcp.symbols.symbol_record import Reference, SymbolRecord


class Confidence(StrEnum):
    """How sure it is that a declaration is meant."""

    EXACT = "exact"
    PROBABLE = "probable"
    POSSIBLE = "possible"


@dataclass(frozen=True, slots=True)
class Declaration:
    """One declared symbol: its file and its place among the symbols of that file's structure."""

    path: str
    ordinal: int  # 0: the file itself


@dataclass(frozen=True, slots=True)
class Target:
    """One declaration that a name may mean."""

    declaration: Declaration
    confidence: Confidence


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a name means: targets in the repository, best first, or a name outside of it, or neither."""

    targets: tuple[Target, ...] = ()
    external: str = ""  # dotted name of what is not declared here: "os.path.join", "react.useState"


NOTHING = Resolution()


class Program(Protocol):
    """The structured files of one repository, as they are in one snapshot."""

    def find_record(self, path: str) -> SymbolRecord | None:
        """The structure of a file; None when it has none. Cheap when asked again."""

    def find_language(self, path: str) -> str:
        """The language of a file: "python", "csharp", "typescript", "javascript", ..."""

    def has_file(self, path: str) -> bool:
        """True for a source file of the repository, with or without a structure."""

    def has_folder(self, path: str) -> bool:
        """True for a folder that holds a source file, however deep. The root is ""."""

    def list_declaring(self, name: str) -> Sequence[str]:
        """Paths of the files that declare a symbol of exactly this name, ascending.

        A file is a symbol too: of its name without folders, "__init__.py".
        """

    def list_using(self, name: str) -> Sequence[str]:
        """Paths of the files with a reference to exactly this name, ascending."""

    def read_text(self, path: str) -> str | None:
        """The text of a source file such as tsconfig.json; None when it cannot be read."""


class Resolver(Protocol):
    """Resolves the references of the files of some languages. Used by one call at a time."""

    def resolve(self, path: str, record: SymbolRecord, reference: Reference) -> Resolution:
        """What a reference of a file means. Never raises for what a structure holds."""
