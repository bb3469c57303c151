"""The Python resolver: the meaning of names in Python files.

A bare name is looked up through scopes and imports. An attribute is looked up in the value before it, as far
as that is known. If nothing is known, the only member of that name in the repository is probable, and
several are possible. Names common in builtin types or popular modules are never guessed.

Left out on purpose: whatever depends on values, on `setattr`, or on decorators that replace their target.
"""

from __future__ import annotations

from repo_mcp.graph.program import (
    NOTHING,
    Confidence,
    Declaration,
    Program,
    Resolution,
    Target,
)
from repo_mcp.graph.python.common_names import COMMON_NAMES
from repo_mcp.graph.python.evaluator import PythonEvaluator
from repo_mcp.graph.python.modules import qualified_module
from repo_mcp.graph.python.names import Imported, PythonNames
from repo_mcp.graph.python.scoping import PythonScoping
from repo_mcp.graph.python.values import Form, Value
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbols.symbol_record import Reference, ReferenceRole, SymbolKind, SymbolRecord
from repo_mcp.text.roles import is_test_path

__all__ = ["PythonResolver", "qualified_module"]

MAX_KEPT = 50_000  # cached names
MAX_TARGETS = 8
MAX_GUESSES = 5  # members of one name worth listing
MAX_GUESS_FILES = 20
_MEMBERS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.FUNCTION})


class PythonResolver:
    """Resolves references of Python files. It caches what it learns, so each snapshot needs its own."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._scoping = PythonScoping(program)
        self._evaluator = PythonEvaluator(self._scoping)
        self._guesses: LruCache[str, tuple[Declaration, ...]] = LruCache(MAX_KEPT)

    def resolve(self, path: str, record: SymbolRecord, reference: Reference) -> Resolution:
        """Return the meaning of a reference, which must come from the program's own record of the file."""
        names = self._scoping.find_names(path)
        if names is None or reference.role is ReferenceRole.BIND:
            return NOTHING
        if reference.role is ReferenceRole.IMPORT:
            return self._import(path, reference)
        if reference.role is ReferenceRole.EXPORT:
            return self._export(path, reference)
        if not reference.qualifier:
            is_base = reference.role is ReferenceRole.INHERIT
            return self._answer(self._scoping.look_up(path, reference.symbol, reference.name, is_base))
        return self._attribute(path, names, reference)

    def _import(self, path: str, reference: Reference) -> Resolution:
        if reference.name in ("", "*"):
            module = self._scoping.modules.find_module(path, reference.qualifier)
            if module is not None:
                return self._answer([Value(Form.MODULE, module)])
            external = "" if reference.qualifier.startswith(".") else reference.qualifier
            return Resolution((), external)
        imported = Imported(reference.symbol, reference.qualifier, reference.name, reference.line)
        return self._answer(self._scoping.follow(path, imported, reference.alias))

    def _export(self, path: str, reference: Reference) -> Resolution:
        name = reference.qualifier if reference.name == "*" else reference.name
        return self._answer(self._scoping.find_member(path, name))

    def _attribute(self, path: str, names: PythonNames, reference: Reference) -> Resolution:
        ordinal, name = reference.symbol, reference.name
        if name == "__class__":
            return Resolution((), "builtins.object.__class__")
        if reference.role is ReferenceRole.INHERIT:
            values = self._evaluator.classes.find_dotted(path, ordinal, f"{reference.qualifier}.{name}")
            if values:
                return self._answer(values)
        members, is_known = self._find_members(path, reference)
        if len(members) == 1 and _is_declared_by(path, names, members[0], reference):
            return NOTHING
        is_found = any(one.form is not Form.OUTSIDE for one in members)
        if self._evaluator.is_conditional and not is_found:
            # A variable's declared class may be below the one that a condition asks for.
            more, _ = self._find_members(path, reference, ignores_conditions=True)
            members = more or members
        return self._answer(members) if members or is_known else self._guess(path, reference)

    def _find_members(
        self, path: str, reference: Reference, *, ignores_conditions: bool = False
    ) -> tuple[list[Value], bool]:
        """Return the members that an attribute can mean, and whether its receiver is known."""
        members: list[Value] = []
        is_known = False
        receivers = self._evaluator.ask(
            path,
            reference.symbol,
            reference.qualifier,
            reference.line,
            ignores_conditions=ignores_conditions,
        )
        for receiver in receivers or ():
            members += self._evaluator.find_member(receiver, reference.name)
            is_known |= self._is_known(receiver)
        return members, is_known

    def _is_known(self, value: Value) -> bool:
        """Return whether all members of a receiver are known, as far as they can be."""
        if value.form is Form.OBJECT:
            return self._evaluator.classes.is_class(value)
        return True

    def _answer(self, values: list[Value]) -> Resolution:
        targets: list[Target] = []
        external = ""
        has_other = any(one.form is Form.OUTSIDE for one in values)  # it may be that, too
        for value in values:
            if value.form is Form.OUTSIDE:
                external = external or value.path
            elif value.form in (Form.OBJECT, Form.MODULE) and not value.path.endswith("/"):
                is_sure = value.is_sure and not has_other
                confidence = Confidence.EXACT if is_sure else Confidence.PROBABLE
                confidence = Confidence.POSSIBLE if value.is_open else confidence
                targets.append(Target(Declaration(value.path, value.ordinal), confidence))
        if targets:
            return Resolution(tuple(targets[:MAX_TARGETS]))
        return Resolution((), external.replace("()", "").replace("[]", ""))

    def _guess(self, path: str, reference: Reference) -> Resolution:
        """Return members of classes found by their name alone."""
        name = reference.name
        if name in COMMON_NAMES or (name.startswith("__") and name.endswith("__")):
            return NOTHING
        # A test's own helpers are never guessed for another file.
        members = self._guesses.get(name, lambda: self._list_members(name))
        found = [one for one in members if one.path == path or not is_test_path(one.path)]
        if not found or len(found) > MAX_GUESSES:
            return NOTHING
        is_likely = len(found) == 1 and self._fits(found[0], reference)
        confidence = Confidence.PROBABLE if is_likely else Confidence.POSSIBLE
        return Resolution(tuple(Target(one, confidence) for one in found))

    def _fits(self, declaration: Declaration, reference: Reference) -> bool:
        """Return True for a method or property; for an attribute if the receiver is named like its class.

        Settings and records have attributes of any name, and their receivers are often dynamic.
        """
        names = self._scoping.find_names(declaration.path)
        if names is None:
            return False
        if names.is_function(declaration.ordinal):
            return True
        record = names.record
        owner = record.get_symbol(names.parents[declaration.ordinal]).name
        receiver = reference.qualifier.rpartition(".")[2]
        return receiver.strip("_").replace("_", "").lower() == owner.strip("_").lower()

    def _list_members(self, name: str) -> tuple[Declaration, ...]:
        """Return the class members with a name, by path; empty when too many files declare some."""
        paths = [
            one for one in self._program.list_declaring(name) if self._program.find_language(one) == "python"
        ]
        if len(paths) > MAX_GUESS_FILES:
            return ()
        found: list[Declaration] = []
        for path in paths:
            names = self._scoping.find_names(path)
            if names is None:
                continue
            owners: set[int] = set()
            for ordinal in names.record.find_symbols(name):
                owner = names.parents[ordinal]
                if owner not in owners and names.is_class(owner) and names.kinds[ordinal] in _MEMBERS:
                    owners.add(owner)
                    found.append(Declaration(path, ordinal))
        return tuple(found)


def _is_declared_by(path: str, names: PythonNames, member: Value, reference: Reference) -> bool:
    """Return whether a reference is the assignment that declares an attribute."""
    if member.form is not Form.OBJECT or member.path != path or reference.role is not ReferenceRole.USE:
        return False
    is_property = names.kinds[member.ordinal] == SymbolKind.PROPERTY and not names.is_function(member.ordinal)
    return is_property and int(names.record.starts[member.ordinal]) == reference.line
