"""What a language says about where names may lead: the part of resolution that differs between languages.

A declaration has a full path: the names of its package, module or namespace, then of the types around it,
then its own. A name in a text may mean what stands in one of the containers that are visible there, or what
an import binds; a dotted one may be a path. Those three questions are a language's rules. The mechanism that
all share is `named_resolver`.
"""

from __future__ import annotations

from collections.abc import Callable

from repo_mcp.graph.program.program import Program
from repo_mcp.graph.typed.file_scope import FileScope

Path = tuple[str, ...]
Candidate = tuple[FileScope, int]
OUTSIDE = ("\0",)  # the path of what is known not to be in the repository begins with it


class Rules:
    """Rules of a language without packages; a language's own derive from it."""

    languages: frozenset[str] = frozenset()
    has_implicit_members = False  # a member is reached by its bare name
    has_overloads = False
    inherits_overloads = False  # and a call with other numbers of arguments than all of them have is of none
    guesses_bare = False  # a bare name that nothing visible declares may still be declared in the repository
    has_extensions = False  # members may stand outside of their type
    checks_extensions = False  # several types of one name may have extensions
    own_words: frozenset[str] = frozenset()  # "this", "self": the object itself
    base_words: frozenset[str] = frozenset()  # "super"
    constructor_name = ""  # of constructors that are not named as their type

    transparent: frozenset[str] = frozenset()  # members that give what they are asked of

    def __init__(self, program: Program) -> None:
        self.program = program
        self.find_scope: Callable[[str], FileScope | None] = lambda path: None

    def find_home(self, scope: FileScope) -> Path:
        """The path of what stands at the top of a file."""
        return ()

    def say_path(self, scope: FileScope, ordinal: int) -> Path:
        """The full path of a symbol."""
        return self.find_home(scope) + scope.say_names(ordinal)

    def list_visible(self, scope: FileScope, ordinal: int) -> list[Path]:
        """Containers whose names need no qualifier at a symbol, nearest first."""
        return [self.find_home(scope)]

    def find_import(self, scope: FileScope, ordinal: int, name: str) -> Path | None:
        """The full path of what an import binds to a name; OUTSIDE + path for what is elsewhere."""
        return None

    def list_paths(self, scope: FileScope, ordinal: int, names: Path) -> list[Path]:
        """The full paths that dotted names may mean."""
        bound = self.find_import(scope, ordinal, names[0])
        if bound is not None:
            return [bound + names[1:]]
        return [container + names for container in self.list_visible(scope, ordinal)]

    def list_imported(self, scope: FileScope, qualifier: str, name: str) -> tuple[list[str], list[Path], str]:
        """What an import row means: files, or else full paths of declarations, or else an outside name."""
        return [], [], ".".join(filter(None, (qualifier, name)))

    def follow(self, path: Path) -> list[Path]:
        """Other full paths under which what has this one may be declared: names that are exported again."""
        return []

    def may_hold(self, file_path: str, path: Path) -> bool:
        """False when a file surely declares nothing of a full path: asked by the file's name alone."""
        return True

    def is_reachable(self, scope: FileScope, other: FileScope, ordinal: int) -> bool:
        """False for what no name of another file can mean."""
        return True

    def is_same_type(self, scope: FileScope, ordinal: int, other: FileScope, extension: int) -> bool:
        """True when an extension of a type's name is one of that type."""
        return True

    def choose(self, scope: FileScope, found: list[Candidate]) -> tuple[list[Candidate], bool]:
        """Which of the declarations of one path are meant, and whether that is sure."""
        definitions = [one for one in found if not one[0].is_forward(one[1])]
        return definitions or found, True

    def read_result(self, text: str) -> str:
        """The type of a call's value, in the text of a function's result."""
        return text
