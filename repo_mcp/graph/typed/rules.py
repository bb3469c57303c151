"""The rules by which languages differ when names are resolved: what is visible, imported and reachable.

A declaration has a full path: the names of its package, module or namespace, then of the enclosing types,
then its own. A bare name may mean something in a container that is visible at its place, or the target of an
import; a dotted name may be a path. The mechanism that all languages share is in
`repo_mcp/graph/typed/lookup.py` and `repo_mcp/graph/typed/language_resolver.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from repo_mcp.graph.program import Declaration, Program, accepts_call
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.symbol_record import DeclaredSymbol, Reference, SymbolKind

Path = tuple[str, ...]
Candidate = tuple[FileScope, int]
OUTSIDE = ("\0",)  # prefix of every path known to lie outside the repository


@dataclass(frozen=True, slots=True)
class FoundDeclarations:
    """The declarations that a name leads to."""

    declarations: tuple[Declaration, ...] = ()
    is_certain: bool = True
    external: str = ""  # dotted name of something outside the repository
    # number of declarations of which a build compiles one; 0 if there is no such choice
    alternatives: int = 0
    is_elsewhere: bool = False  # something outside the repository is likely to be meant


NOT_FOUND = FoundDeclarations()


class Rules:
    """The rules of a language without packages, and the base of those of each language."""

    languages: frozenset[str] = frozenset()
    has_implicit_members = False  # a bare name can mean a member of the enclosing type
    declares_before_use = False  # a function sees a name from its declaration on
    allows_redeclaration = False  # a function may declare one name as several kinds: `typedef struct a {} a`
    has_overloads = False
    inherits_overloads = False  # overloads of bases count too; a call that fits none of them means nothing
    folders_limit_paths = False  # the folder of a file limits which paths it may declare
    separates_fields = False  # fields and methods may share names: only a method is called
    has_labels = False  # a call names parameters, and accepts only functions that have these
    guesses_bare = False  # a bare name that nothing visible declares may still be declared in the repository
    # of symbols that are merely possible if only their name leads there
    unsure_kinds: frozenset[SymbolKind] = frozenset()
    library_members: frozenset[str] = frozenset()  # of the standard library: as uncertain by name alone
    has_extensions = False  # members may be declared outside the type that has them
    checks_extensions = False  # types of the same name may have different extensions
    accepts: Callable[[DeclaredSymbol, Reference], bool] = staticmethod(accepts_call)
    self_words: frozenset[str] = frozenset()  # "this", "self": the object itself
    super_words: frozenset[str] = frozenset()  # "super"
    type_parameters: frozenset[str] = frozenset()  # names of types that any type may stand for
    # method that every class has -> the number of its arguments, plus 1
    methods_of_every_class: Mapping[str, int] = {}
    constructor_name = ""  # if constructors are not named after their type

    transparent: frozenset[str] = frozenset()  # members that return the type of their receiver
    item_getters: frozenset[str] = frozenset()  # members that return an item of their receiver
    list_filters: frozenset[str] = frozenset()  # members that return a list of the same items
    # members of `Option` and `Result` in Rust, besides those above
    result_members: frozenset[str] = frozenset()
    pointer_members: frozenset[str] = frozenset()  # members of pointers, such as `Rc` in Rust
    projections: frozenset[str] = frozenset()  # members that return a type with the fields of their receiver

    def __init__(self, program: Program) -> None:
        self.program = program
        self.find_scope: Callable[[str], FileScope | None] = lambda path: None

    def find_home(self, scope: FileScope) -> Path:
        """Return the path prefix of a file's top-level declarations."""
        return ()

    def get_full_path(self, scope: FileScope, ordinal: int) -> Path:
        """Return the full path of a symbol."""
        return self.find_home(scope) + scope.get_qualified_names(ordinal)

    def list_visible(self, scope: FileScope, ordinal: int) -> list[Path]:
        """Return the containers whose names need no qualifier at a symbol, nearest first."""
        return [self.find_home(scope)]

    def find_import(self, scope: FileScope, ordinal: int, name: str) -> Path | None:
        """Return the full path that an import binds to a name; OUTSIDE + path if it is external."""
        return None

    def list_paths(self, scope: FileScope, ordinal: int, names: Path) -> list[Path]:
        """Return the full paths that dotted names may mean."""
        bound = self.find_import(scope, ordinal, names[0])
        if bound is not None:
            return [bound + names[1:]]
        return [container + names for container in self.list_visible(scope, ordinal)]

    def list_imported(self, scope: FileScope, row: Reference) -> tuple[list[str], list[Path], str]:
        """Return the files, the full paths and the external name that an import row may mean."""
        qualifier, name = row.qualifier, row.name
        return [], [], ".".join(filter(None, (qualifier, name)))

    def list_reexports(self, scope: FileScope, path: Path) -> list[Path]:
        """Return the other full paths at which a path may be declared, by the re-exports that a file sees."""
        return []

    def may_declare(self, file_path: str, path: Path) -> bool:
        """Return False if the path of a file alone rules out that it declares a full path."""
        return True

    def is_reachable(self, scope: FileScope, other: FileScope, ordinal: int) -> bool:
        """Return False for a symbol that no name in the file `scope` can mean."""
        return True

    def is_same_type(self, scope: FileScope, ordinal: int, other: FileScope, extension: int) -> bool:
        """Return whether an extension that names a type by its name extends exactly that type."""
        return True

    def choose(self, scope: FileScope, found: list[Candidate]) -> tuple[list[Candidate], bool]:
        """Return those declarations of one path that are meant, and whether that is certain."""
        definitions = [one for one in found if not one[0].is_forward(one[1])]
        return definitions or found, True

    def read_result(self, text: str) -> str:
        """Return the type of the value of a call, given the written result of a function."""
        return text
