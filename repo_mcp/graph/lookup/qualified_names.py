"""The declarations that a qualified name fits: exactly, as an ending, or with its parts in order.

An own name has no dots, except that of a namespace or of a test, and index lookups are by own names; so each
ending of a qualified name is looked up. A Python module has no declaration: its name is compared with the
paths of files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from itertools import islice, product

from repo_mcp.graph.lookup.symbol_search import SearchableProgram
from repo_mcp.graph.nodes import Node, ProgramNodes, normalise_name
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.prototypes import WITH_HEADERS
from repo_mcp.graph.python.modules import qualified_module
from repo_mcp.graph.typed.file_scope import is_fixture_test
from repo_mcp.graph.vocabulary import is_in_text
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.symbol_record import TYPE_KINDS, SymbolFlag, SymbolKind
from repo_mcp.text.roles import is_test_path
from repo_mcp.titled_names import split_qualified

MAX_DOTTED = 8  # parts in the name of one namespace
MAX_LOOKED_UP = 2_000  # declaring files read for one name
# files that declare a name; of more, only those that fit the rest of a qualified name are read
FEW_FILES = 50
_MODULE_FILES = ("{}.py", "{}.pyi")
_INITS = ("__init__.py", "__init__.pyi")

Admits = Callable[[str], bool]  # given a path


@dataclass(frozen=True, slots=True)
class NamedDeclaration:
    """A declaration with its qualified name."""

    name: str
    declaration: Declaration
    is_forward: bool
    is_test: bool = False  # `TEST(Suite, name)` of C++, which no code can name: a member may be called so


class NameMatch(Enum):
    """Grades of how well a found qualified name fits the one that was asked for, best first."""

    EXACT = 0
    ENDING = 1
    IN_ORDER = 2

    def admits(self, wanted: str, found: str) -> bool:
        """Return whether the found qualified name fits the wanted one in this way."""
        if self is NameMatch.EXACT:
            return found == wanted
        if self is NameMatch.ENDING:
            return found.endswith("." + wanted)
        parts = iter(split_qualified(found))
        return all(part in parts for part in split_qualified(wanted))


class QualifiedNames:
    """Looks up the qualified names of one program. Used by one call at a time."""

    def __init__(self, program: SearchableProgram, nodes: ProgramNodes) -> None:
        self._program = program
        self._nodes = nodes

    def look_up(self, qualified_name: str, admits: Admits) -> tuple[list[Declaration], NameMatch]:
        """Return the symbols that a qualified name fits best, definitions first, and how well it fits.

        Exact matches win over names that end with it, and those over names with the same last part and the
        others in this order: "pkg.mod.C" for "pkg.C". A path fits its file.
        """
        chosen, match = self.choose_best(self.list_ordered(qualified_name, admits), qualified_name)
        return [one.declaration for one in chosen], match

    def choose_best(
        self, named: Iterable[NamedDeclaration], text: str
    ) -> tuple[list[NamedDeclaration], NameMatch]:
        """Return the symbols that a text fits best, and how well it fits; a test only if nothing else fits.

        What a type nested in another declares is no member of the outer one: "A.B.m" does not fit "A.m".
        """
        found, name = list(named), normalise_name(text)
        for is_test, match in product((False, True), NameMatch):
            fitting = (one for one in found if one.is_test is is_test)
            chosen = [one for one in fitting if match.admits(name, one.name) or one.name == text]
            if match is NameMatch.IN_ORDER:
                chosen = [one for one in chosen if not self._skips_type(one.declaration, name)]
            if chosen:
                return chosen, match
        return [], NameMatch.EXACT

    def _skips_type(self, declaration: Declaration, name: str) -> bool:
        """Return whether a scope that a name leaves out is inside a type which it has."""
        record, wanted = self._program.find_record(declaration.path), frozenset(name.split("."))
        ordinal, is_left_out = declaration.ordinal, False
        while record is not None and (ordinal := record.get_parent(ordinal)):
            is_named = record.get_name(ordinal).rpartition(".")[2] in wanted
            if is_left_out and is_named and record.get_kind(ordinal) in TYPE_KINDS:
                return True
            is_left_out = not is_named
        return False

    def declares(self, name: str, kinds: frozenset[SymbolKind]) -> bool:
        """Return whether a symbol of one of these kinds has a name."""
        for path in self._program.list_declaring(name)[:FEW_FILES]:
            record = self._program.find_record(path)
            if record is not None and any(record.get_kind(one) in kinds for one in record.find_symbols(name)):
                return True
        return False

    def list_ordered(self, text: str, admits: Admits) -> list[NamedDeclaration]:
        """Return the symbols whose own name ends a text, or the file with that path, in `_order`."""
        found = dict.fromkeys(self._list_named(normalise_name(text), admits))
        if self._program.find_record(text) is not None and admits(text):
            found[NamedDeclaration(text, Declaration(text, 0), False)] = None
        return sorted(found, key=_order)

    def _list_named(self, name: str, admits: Admits) -> Iterator[NamedDeclaration]:
        """Yield the symbols whose own name ends the given one."""
        for last in _list_endings(name):
            paths = self._program.list_declaring(last)
            if len(paths) > FEW_FILES:
                paths = self._keep_enclosed(paths, name.removesuffix(last).strip(".")) or paths
            for path in islice(filter(admits, paths), MAX_LOOKED_UP):
                yield from self.list_in_file(path, last)

    def list_in_file(self, path: str, own_name: str) -> list[NamedDeclaration]:
        """Return the symbols of a file with this own name, by ordinal."""
        record, language = self._program.find_record(path), self._program.find_language(path)
        found = []
        for ordinal in record.find_symbols(own_name) if record is not None else ():
            assert record is not None
            if not is_in_text(language, record.get_kind(ordinal)):
                continue
            one = Declaration(path, ordinal)
            is_forward = bool(int(record.flags[ordinal]) & SymbolFlag.FORWARD)
            is_titled = "." in own_name and record.get_kind(ordinal) is SymbolKind.FUNCTION
            is_test = language in WITH_HEADERS and (is_titled or is_fixture_test(record, ordinal))
            found.append(NamedDeclaration(self._nodes.name(one), one, is_forward, is_test))
        return found

    def _keep_enclosed(self, paths: Sequence[str], around: str) -> list[str]:
        """Return the paths that declare an ending of the enclosing name, or contain its last part."""
        declaring = {path for one in _list_endings(around) for path in self._program.list_declaring(one)}
        module = around.rpartition(".")[2]
        return [path for path in paths if path in declaring or module in path]

    def list_modules(self, name: str, admits: Admits) -> list[Node]:
        """Return the files of the Python module with a name, or of the modules whose names end with it."""
        folder, _, last = name.rpartition(".")
        within = folder.rpartition(".")[2]
        paths = [path for form in _MODULE_FILES for path in self._program.list_declaring(form.format(last))]
        for path in (one for init in _INITS for one in self._program.list_declaring(init)):
            parts = path.split("/")
            if len(parts) > 1 and parts[-2] == last and (len(parts) == 2 or within in ("", parts[-3])):
                paths.append(path)
        named = [
            (qualified_module(path, self._program), path)
            for path in paths
            if admits(path) and self._program.find_record(path) is not None
        ]
        for match in (NameMatch.EXACT, NameMatch.ENDING):
            found = [path for module, path in named if match.admits(name, module)]
            if found:
                return [self._nodes.get(Declaration(path, 0)) for path in found]
        return []


def _order(one: NamedDeclaration) -> tuple[bool, bool, str, int]:
    """Return a sort key: definitions first, and among them those outside tests."""
    path = one.declaration.path
    return (one.is_forward, is_test_path(path), path, one.declaration.ordinal)


def _list_endings(name: str) -> list[str]:
    """Return the possible own names in a qualified name; a namespace has dots in its own name."""
    parts = split_qualified(name)
    return [".".join(parts[-count:]) for count in range(1, min(len(parts), MAX_DOTTED) + 1)]
