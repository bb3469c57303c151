"""What is declared in one place and defined in another: prototypes, stubs and signatures.

A prototype in a header and its definition in a source file are two symbols of one name. They belong together
when they are alike: the same name in a type of the same name, in C and C++ as many parameters. Where several
definitions are alike, as with a function for each architecture, the one in the file of the same name counts,
or none.

Left out on purpose: what a linker would say.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.program.nearness import order_by_nearness
from repo_mcp.graph.program.program import Declaration, Program
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, Structure, SymbolFlag, SymbolKind

MAX_FILES = 60  # that declare one name
WITH_HEADERS = frozenset({"c", "cpp"})


class Prototypes:
    """The forward declarations of one program."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def list_definitions(self, declaration: Declaration) -> list[Declaration]:
        """The definition of what is declared here; none for a definition, or when it is not clear which."""
        structure = self._program.find_structure(declaration.path)
        if structure is None or not _is_forward(structure, declaration.place):
            return []
        alike = self._list_alike(declaration, structure, forward=False)
        if len(alike) > 1:
            stem = _stem(declaration.path)
            alike = [one for one in alike if _stem(one.path) == stem]
        return alike if len(alike) == 1 else []

    def list_others(self, declaration: Declaration) -> list[Declaration]:
        """The other places of the same symbol: of a definition its prototypes, of a prototype all."""
        structure = self._program.find_structure(declaration.path)
        if structure is None:
            return []
        if not _is_forward(structure, declaration.place):
            return self._list_prototypes(declaration, structure)
        definitions = self.list_definitions(declaration)
        others = [one for definition in definitions for one in self.list_others(definition)]
        return [*definitions, *(one for one in others if one != declaration)]

    def _list_prototypes(self, definition: Declaration, structure: Structure) -> list[Declaration]:
        alike = self._list_alike(definition, structure, forward=True)
        return [one for one in alike if self.list_definitions(one) == [definition]]

    def _list_alike(
        self, declaration: Declaration, structure: Structure, *, forward: bool
    ) -> list[Declaration]:
        """The symbols like one, in its file, and where there are headers in others too."""
        name = structure.strings[structure.names[declaration.place]]
        by_count = self._program.find_language(declaration.path) in WITH_HEADERS
        found = []
        for path in self._list_files(declaration.path, name):
            other = self._program.find_structure(path)
            for place in other.find_symbols(name) if other is not None else ():
                assert other is not None
                if _is_forward(other, place) != forward:
                    continue
                if _are_alike(structure, declaration.place, other, place, by_count=by_count):
                    found.append(Declaration(path, place))
        return found

    def _list_files(self, path: str, name: str) -> Sequence[str]:
        if self._program.find_language(path) not in WITH_HEADERS:
            return (path,)
        near = order_by_nearness(self._program.list_declaring(name), path)[:MAX_FILES]
        return [one for one in near if self._program.find_language(one) in WITH_HEADERS]


def _is_forward(structure: Structure, place: int) -> bool:
    return bool(int(structure.flags[place]) & SymbolFlag.FORWARD)


def _are_alike(one: Structure, first: int, two: Structure, second: int, *, by_count: bool) -> bool:
    kinds = SymbolKind(int(one.kinds[first])), SymbolKind(int(two.kinds[second]))
    if kinds[0] != kinds[1] and not CALLABLE_KINDS.issuperset(kinds):
        return False
    if by_count and one.parameter_counts[first] != two.parameter_counts[second]:
        return False
    return _name_owner(one, first) == _name_owner(two, second)


def _name_owner(structure: Structure, place: int) -> str:
    """The name of the type around a symbol; empty for none."""
    parent = int(structure.parents[place])
    is_type = SymbolKind(int(structure.kinds[parent])) in TYPE_KINDS
    return structure.strings[structure.names[parent]] if is_type else ""


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]
