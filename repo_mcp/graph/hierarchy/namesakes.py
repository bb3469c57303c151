"""The members of one name in two types, of which one may override the other.

Left out on purpose: which types are above and below a type (`hierarchy.py`).
"""

from __future__ import annotations

from collections.abc import Callable

from repo_mcp.graph.go.method_sets import MethodSets
from repo_mcp.graph.hierarchy.override_rules import BY_SIGNATURE, have_one_name, judge_override
from repo_mcp.graph.program import SURENESS, Confidence, Declaration, Program, Target
from repo_mcp.graph.vocabulary import BASES
from repo_mcp.languages.treesitter.parameter_types import list_types
from repo_mcp.symbols.symbol_record import TYPE_KINDS, DeclaredSymbol, SymbolKind

# Languages in which a field overrides no method: in Go, an embedded type is a field of its name.
_WITH_FIELDS_APART = frozenset({"go", "java", "c", "cpp"})
_OWNERS = TYPE_KINDS | {SymbolKind.ENUM_MEMBER}  # in Java an enum constant may have a body
# In TypeScript an object that is the value of one may implement its written type.
_OBJECTS = frozenset({SymbolKind.CONSTANT, SymbolKind.VARIABLE})
_MEMBER_KINDS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.EVENT, SymbolKind.FUNCTION})


class Namesakes:
    """Finds members by the name of another member, and judges whether they override it."""

    def __init__(
        self,
        program: Program,
        method_sets: MethodSets,
        list_parts: Callable[[Declaration], list[Declaration]],
    ) -> None:
        self._program = program
        self._method_sets = method_sets
        self._list_parts = list_parts

    def find_owner(self, member: Declaration) -> Declaration | None:
        """Return the type that declares a member, or the object with a written type; None if neither does."""
        record = self._program.find_record(member.path)
        if record is None or record.get_kind(member.ordinal) not in _MEMBER_KINDS:
            return None
        parent = record.get_parent(member.ordinal)
        is_object = record.get_kind(parent) in _OBJECTS and bool(record.list_own_role(parent, *BASES))
        if record.get_kind(parent) not in _OWNERS and not is_object:
            return None
        return Declaration(member.path, parent)

    def keep_overriding(
        self, member: Declaration, others: list[Declaration], *, is_above: bool
    ) -> list[Target]:
        """Return those members of that name in another type that a member overrides, or that override it."""
        kept = []
        for other in others:
            low, high = (member, other) if is_above else (other, member)
            below, above = self._program.find_record(low.path), self._program.find_record(high.path)
            if below is None or above is None:
                continue
            language = self._program.find_language(high.path)
            if language == "go" and not self._method_sets.may_be_same(low, high):
                continue
            overriding, overridden = below.get_symbol(low.ordinal), above.get_symbol(high.ordinal)
            sure = judge_override(language, overriding, overridden, above)
            if sure is not None:
                kept.append(Target(other, sure))
        fitting = [one for one in kept if one.confidence is not Confidence.POSSIBLE]
        return fitting or kept  # the others are its overloads

    def find_member(self, owner: Declaration, like: DeclaredSymbol) -> list[Declaration]:
        """Return the members of a type with the name of another member.

        In C#, Java and C++ only members with the same number of parameters count; elsewhere these are
        preferred. In Swift the labels of the parameters are part of the name. Of the others, those with the
        same parameter types are preferred.
        """
        found: list[tuple[Declaration, DeclaredSymbol]] = []
        for part in self._list_parts(owner):
            record = self._program.find_record(part.path)
            if record is None:
                continue
            for ordinal in record.find_children(part.ordinal, like.name):
                found.append((Declaration(part.path, ordinal), record.get_symbol(ordinal)))
        language = self._program.find_language(owner.path)
        found = [one for one in found if have_one_name(language, one[1], like)]
        if language in _WITH_FIELDS_APART:
            is_field = like.kind is SymbolKind.PROPERTY
            same = [one for one in found if (one[1].kind is SymbolKind.PROPERTY) == is_field]
            found = same or (found if language == "java" and self._is_record(owner) else [])
        fitting = [one for one in found if one[1].parameter_count == like.parameter_count]
        if language not in BY_SIGNATURE:
            fitting = fitting if len(found) > 1 and fitting else found
        if len(fitting) < 2:
            return [declaration for declaration, _ in fitting]
        types = list_types(like.parameters)
        typed = [one for one in fitting if list_types(one[1].parameters) == types]
        return [declaration for declaration, _ in typed or fitting]

    def are_one_type(self, one: Declaration, other: Declaration) -> bool:
        """Return whether one of two types extends the other, as a definition outside its C++ class does."""
        found = [(self._program.find_record(each.path), each.ordinal) for each in (one, other)]
        known = [(record, ordinal) for record, ordinal in found if record is not None]
        if not any(record.get_kind(ordinal) is SymbolKind.EXTENSION for record, ordinal in known):
            return False
        return len({record.get_name(ordinal) for record, ordinal in known}) == 1

    def _is_record(self, owner: Declaration) -> bool:
        """Return whether a type is a record, whose components stand for methods of their names."""
        record = self._program.find_record(owner.path)
        return record is not None and record.get_kind(owner.ordinal) is SymbolKind.RECORD


def take_weaker(one: Confidence, other: Confidence) -> Confidence:
    """Return the less sure one of two confidences."""
    return max(one, other, key=SURENESS.__getitem__)
