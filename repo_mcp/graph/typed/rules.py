"""Rules for where names may lead: the part of resolution that differs between languages.

A declaration has a full path: the names of its package, module or namespace, then of the enclosing types,
then its own. A name in a text may mean something in a container visible there, or an import's target; a
dotted one may be a path. Those three questions are a language's rules. The mechanism that all languages
share is in `repo_mcp/graph/typed/lookup.py` and `repo_mcp/graph/typed/language_resolver.py`.
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
    alternatives: int = 0  # declarations under exclusive conditions: each is meant where it is compiled
    is_elsewhere: bool = False  # something outside the repository is likely to have that name


NOT_FOUND = FoundDeclarations()


class Rules:
    """Rules of a language without packages, the base of each language's own rules."""

    languages: frozenset[str] = frozenset()
    has_implicit_members = False  # a bare name can mean a member of the enclosing type
    sees_in_order = False  # a function sees a name from its declaration on
    declares_again = False  # declarations of one name but several kinds are one: `typedef struct a {} a`
    has_overloads = False
    inherits_overloads = False  # bases' overloads count too; a call that fits none of them means nothing
    tells_files = False  # the folder of a file tells which paths it may hold
    parts_fields = False  # a field and a method may share a name: a call of a member means the method alone
    has_labels = False  # a call names parameters: one that names others means another function
    guesses_bare = False  # a bare name that nothing visible declares may still be declared in the repository
    doubted_kinds: frozenset[SymbolKind] = frozenset()  # of symbols that are only possible by name alone
    doubted_members: frozenset[str] = frozenset()  # names of the library's, as much in doubt
    has_extensions = False  # members may be declared outside their type
    checks_extensions = False  # several types of the same name may have extensions
    accepts: Callable[[DeclaredSymbol, Reference], bool] = staticmethod(accepts_call)
    own_words: frozenset[str] = frozenset()  # "this", "self": the object itself
    base_words: frozenset[str] = frozenset()  # "super"
    of_every_class: Mapping[str, int] = {}  # methods of the library: the number of arguments, plus 1
    constructor_name = ""  # of constructors not named after their type

    transparent: frozenset[str] = frozenset()  # members after which the receiver keeps its type
    giving_item: frozenset[str] = frozenset()  # members that return an item of their receiver
    keeping_items: frozenset[str] = frozenset()  # members that return a list of the same items
    of_results: frozenset[str] = frozenset()  # further members of `Option` and `Result` in Rust
    of_pointers: frozenset[str] = frozenset()  # members of what points to a value, `Rc` in Rust
    imitating: frozenset[str] = frozenset()  # members that return a macro's type, with the same fields

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
        """Return the full path that an import binds to a name; OUTSIDE + path if it is elsewhere."""
        return None

    def list_paths(self, scope: FileScope, ordinal: int, names: Path) -> list[Path]:
        """Return the full paths that dotted names may mean."""
        bound = self.find_import(scope, ordinal, names[0])
        if bound is not None:
            return [bound + names[1:]]
        return [container + names for container in self.list_visible(scope, ordinal)]

    def list_imported(self, scope: FileScope, row: Reference) -> tuple[list[str], list[Path], str]:
        """Return the meaning of an import row: files, full paths of declarations, an external name."""
        qualifier, name = row.qualifier, row.name
        return [], [], ".".join(filter(None, (qualifier, name)))

    def follow(self, scope: FileScope, path: Path) -> list[Path]:
        """Return other full paths under which a path may be declared, as a file sees it: re-exports."""
        return []

    def may_hold(self, file_path: str, path: Path) -> bool:
        """Return False when a file's name alone rules out that it declares a full path."""
        return True

    def is_reachable(self, scope: FileScope, other: FileScope, ordinal: int) -> bool:
        """Return False for a symbol that no name in another file can mean."""
        return True

    def is_same_type(self, scope: FileScope, ordinal: int, other: FileScope, extension: int) -> bool:
        """Return whether an extension of a type's name extends that very type."""
        return True

    def choose(self, scope: FileScope, found: list[Candidate]) -> tuple[list[Candidate], bool]:
        """Return the declarations of one path that are meant, and whether that is certain."""
        definitions = [one for one in found if not one[0].is_forward(one[1])]
        return definitions or found, True

    def read_result(self, text: str) -> str:
        """Return the type of a call's value, given the text of a function's result."""
        return text


def count_common_folders(one: str, other: str) -> int:
    """Return the number of leading folders that two paths share."""
    count = 0
    for left, right in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False):
        if left != right:
            break
        count += 1
    return count
