"""Words on a function that nothing here calls, but what is declared outside the repository may.

    class Clock : IDisposable { public void Dispose() ... }      a base from outside calls what it declares
    @app.route("/")                                              a decorator may hand the function on
    def index(): ...

Left out on purpose: what the base declares, which nobody here can know, except for types built into Python.
"""

from __future__ import annotations

import builtins
import threading
from collections.abc import Iterator

from repo_mcp.graph.edge_finder import EdgeFinder
from repo_mcp.graph.nodes import NamedProgram, Node
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.python.outside import is_any_type
from repo_mcp.graph.vocabulary import BASES
from repo_mcp.symbols.model import DECORATES, Access, SymbolFlag
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, ReferenceRole, SymbolKind, SymbolRecord, get_role

OF_BASE = "It {} a member of {}, which is declared outside this repository: calls from there are not known."
BY_DECORATOR = "Its decorator {} may hand it on: no edge stands for the calls that it leads to."
MAX_TYPES = 20  # above a member that are asked for bases from outside
_BUILTINS = "builtins"
_SAYING = "rust"  # the language whose blocks hold nothing but the members of one trait
# Decorators that give the function back, or something that is called by its name.
_PLAIN = frozenset(
    """
    staticmethod classmethod property cached_property abstractmethod overload override final wraps cache
    lru_cache contextmanager asynccontextmanager setter getter deleter dataclass total_ordering no_type_check
    """.split()  # noqa: SIM905
)


class OutsideCallers:
    """Finds what outside the repository may call a function. Calls take turns with those of its graph."""

    def __init__(self, program: NamedProgram, edges: EdgeFinder, lock: threading.RLock) -> None:
        self._program = program
        self._edges = edges
        self._lock = lock

    def describe(self, node: Node) -> str:
        """Return what may call a function or a member; "" for nothing known."""
        if node.symbol.kind not in CALLABLE_KINDS or node.symbol.kind is SymbolKind.CONSTRUCTOR:
            return ""
        with self._lock:
            record = self._program.find_record(node.path)
            if record is None:
                return ""
            decorator = next(self._iter_decorators(record, node.symbol.ordinal), "")
            if decorator:
                return BY_DECORATOR.format(decorator)
            base = self._find_base(node, record)
        if not base:
            return ""
        is_said = bool(node.symbol.flags & SymbolFlag.OVERRIDE)
        verb = "overrides" if is_said else "implements" if node.language == _SAYING else "may be"
        return OF_BASE.format(verb, base)

    def _iter_decorators(self, record: SymbolRecord, ordinal: int) -> Iterator[str]:
        for row in record.list_own_role(ordinal, ReferenceRole.CALL):
            one = record.get_reference(row)
            if one.arguments == DECORATES and one.name not in _PLAIN:
                yield f"{one.qualifier}.{one.name}" if one.qualifier else one.name

    def _find_base(self, node: Node, record: SymbolRecord) -> str:
        """Return a type from outside above the owner of a member that may declare the member, too; or ""."""
        symbol = node.symbol
        if not symbol.parent or symbol.access is Access.PRIVATE or symbol.flags & SymbolFlag.STATIC:
            return ""
        if self._edges.hierarchy.find_overridden(node.declaration):
            return ""
        waiting, seen = [Declaration(node.path, symbol.parent)], set[Declaration]()
        while waiting and len(seen) < MAX_TYPES:
            owner = waiting.pop(0)
            seen.add(owner)
            for name, targets in self._iter_bases(owner):
                if not targets and _may_declare(name, symbol.name):
                    return name.removeprefix(f"{_BUILTINS}.")
                waiting += [one for one in targets if one not in seen]
        return ""

    def _iter_bases(self, owner: Declaration) -> Iterator[tuple[str, list[Declaration]]]:
        """Yield the names of the types directly above one, each with its declarations here."""
        record = self._program.find_record(owner.path)
        if record is None:
            return
        is_block = record.get_kind(owner.ordinal) is SymbolKind.EXTENSION
        for row in record.list_own_role(owner.ordinal, *BASES):
            if is_block and get_role(record, row) is ReferenceRole.EXTEND:
                continue  # the type that it extends
            found = self._edges.resolve(owner.path, record, row)
            yield (
                found.external or record.strings[record.ref_names[row]],
                [one.declaration for one in found.targets],
            )


def _may_declare(base: str, member: str) -> bool:
    """Return False if a type from outside cannot have a member of a name."""
    module, _, name = base.rpartition(".")
    if is_any_type(base):
        return False
    return hasattr(getattr(builtins, name, object), member) if module == _BUILTINS else True
