"""Types that have all the methods of an interface without naming it: in Go all do so, in Python those of a
`typing.Protocol`.

Methods are compared by name and number of parameters, in Go by what they return as well. A type's methods may
stand in several files of its folder in Go, and come from what it embeds or inherits: that is not followed,
so a type that gets one of them in this way is missed, and what is found is called probable.
"""

from __future__ import annotations

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program.program import Confidence, Declaration
from repo_mcp.graph.questions import EdgeType
from repo_mcp.research.records import Link
from repo_mcp.research.research_state import Notebook
from repo_mcp.symbols.symbol_record import Structure, SymbolKind

MAX_FILES = 300  # that declare the rarest method
MAX_EMBEDDED = 8  # interfaces in an interface
BOUNDS = Bounds(files=20, references=60)
_ABOVE = (EdgeType.EXTENDS, EdgeType.INHERITS, EdgeType.IMPLEMENTS)
_NO_OWNERS = frozenset({SymbolKind.FILE, SymbolKind.MODULE, SymbolKind.INTERFACE})
Shape = tuple[int, str]  # number of parameters, result
Owner = tuple[str, str]  # folder or path, name of the type


def list_structural(book: Notebook, node: Node) -> list[Link]:
    """The types that have all the methods of an interface, or of a protocol of Python."""
    if not _is_structural(book, node):
        return []
    wanted = _list_wanted(book, node)
    if not wanted:
        return []
    survey = book.graph.survey
    rarest = min(wanted, key=lambda name: (len(survey.list_declaring(name)), name))
    links: list[Link] = []
    seen: set[Owner] = set()
    for place in survey.find_declared(rarest, MAX_FILES):
        owner = _find_owner(book, place, node.language)
        if owner is None or owner in seen:
            continue
        seen.add(owner)
        if all(_has_method(book, owner, name, shape, node.language) for name, shape in wanted.items()):
            holder = _choose_holder(book, place, owner, node.language)
            if holder != node.declaration:
                links.append(Link(holder, node.declaration, "has_methods_of", Confidence.PROBABLE))
    return links


def _is_structural(book: Notebook, node: Node) -> bool:
    if node.language == "go":
        return node.symbol.kind is SymbolKind.INTERFACE
    if node.language != "python" or node.symbol.kind is not SymbolKind.CLASS:
        return False
    above = book.graph.find_outgoing(node, _ABOVE, BOUNDS)
    return any(
        one.name.endswith(("typing.Protocol", "typing_extensions.Protocol")) for one in above.externals
    )


def _list_wanted(book: Notebook, node: Node) -> dict[str, Shape]:
    """The methods that must be there, those of embedded interfaces as well."""
    wanted: dict[str, Shape] = {}
    waiting = [node]
    for _ in range(MAX_EMBEDDED):
        if not waiting:
            break
        one = waiting.pop()
        structure = book.graph.survey.find_structure(one.path)
        if structure is None:
            continue
        for place in structure.list_children(one.symbol.place):
            name = structure.strings[structure.names[place]]
            is_special = name.startswith("__") and name.endswith("__")
            if int(structure.kinds[place]) == SymbolKind.METHOD and not is_special:
                wanted[name] = _read_shape(structure, place, node.language)
        if one.language == "go":
            above = book.graph.find_outgoing(one, _ABOVE, BOUNDS)
            waiting += [book.get_node(edge.other) for edge in above.edges]
    return wanted


def _read_shape(structure: Structure, place: int, language: str) -> Shape:
    result = structure.strings[structure.types[place]] if language == "go" else ""
    return int(structure.parameter_counts[place]), result


def _find_owner(book: Notebook, place: Declaration, language: str) -> Owner | None:
    """The type that declares a method: in Go by its folder; None for a method of an interface."""
    structure = book.graph.survey.find_structure(place.path)
    if structure is None or book.graph.survey.find_language(place.path) != language:
        return None
    parent = int(structure.parents[place.place])
    kind = SymbolKind(int(structure.kinds[parent]))
    if int(structure.kinds[place.place]) != SymbolKind.METHOD or kind in _NO_OWNERS:
        return None
    name = structure.strings[structure.names[parent]]
    return (place.path.rpartition("/")[0] if language == "go" else place.path), name


def _has_method(book: Notebook, owner: Owner, name: str, shape: Shape, language: str) -> bool:
    survey = book.graph.survey
    for path in survey.list_declaring(name):
        inside = path.rpartition("/")[0] == owner[0] if language == "go" else path == owner[0]
        structure = survey.find_structure(path) if inside else None
        for place in structure.find_symbols(name) if structure is not None else ():
            assert structure is not None
            parent = int(structure.parents[place])
            is_own = structure.strings[structure.names[parent]] == owner[1]
            is_own = is_own and int(structure.kinds[parent]) not in _NO_OWNERS
            if is_own and _read_shape(structure, place, language) == shape:
                return True
    return False


def _choose_holder(book: Notebook, place: Declaration, owner: Owner, language: str) -> Declaration:
    """The type itself, where its methods stand beside it in another file."""
    structure = book.graph.survey.find_structure(place.path)
    assert structure is not None
    parent = Declaration(place.path, int(structure.parents[place.place]))
    if language != "go" or int(structure.kinds[parent.place]) != SymbolKind.EXTENSION:
        return parent
    for one in book.graph.survey.find_declared(owner[1], MAX_FILES):
        other = book.graph.survey.find_structure(one.path)
        same = one.path.rpartition("/")[0] == owner[0] and other is not None
        if same and other is not None and int(other.kinds[one.place]) != SymbolKind.EXTENSION:
            return one
    return parent
