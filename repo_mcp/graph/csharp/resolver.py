"""The C# resolver: through types, namespaces, usings and written types, or by name alone.

Of several methods of one name, those that accept the arguments count. `new` means the type and, if one is
declared, the constructor that fits. A member that the type of a value lacks may be an extension method that
is in scope, accepts that many arguments, and extends a type that the value has.
"""

from __future__ import annotations

import re

from repo_mcp.graph.csharp.accessible_members import AccessibleMembers
from repo_mcp.graph.csharp.anonymous_functions import AnonymousFunctions
from repo_mcp.graph.csharp.conditions import CSharpConditions
from repo_mcp.graph.csharp.csharp_file import CSharpFile
from repo_mcp.graph.csharp.guesses import COMMON_MEMBERS, MAX_TARGETS, CSharpGuesses
from repo_mcp.graph.csharp.members import Members
from repo_mcp.graph.csharp.names import CSharpNames, TypeMeaning
from repo_mcp.graph.csharp.namespaces import CSharpNamespaces, list_meant
from repo_mcp.graph.csharp.overloads import CSharpOverloads
from repo_mcp.graph.csharp.same_named import SameNamed
from repo_mcp.graph.csharp.signatures import accepts, accepts_count, list_parameter_types
from repo_mcp.graph.csharp.types import CSharpTypes
from repo_mcp.graph.csharp.values import OF_SEQUENCES, Value, spell_row
from repo_mcp.graph.program import NOTHING, Confidence, Declaration, Program, Resolution, Target
from repo_mcp.languages.csharp.types import (
    ATTRIBUTE,
    ATTRIBUTE_ENDING,
    BEFORE_DOT,
    IN_PATTERN,
    NEW,
    split_call,
)
from repo_mcp.record_classes import replace
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    TYPE_KINDS,
    Reference,
    ReferenceRole,
    SymbolFlag,
    SymbolKind,
    SymbolRecord,
    iter_around,
)

_TYPE_ROLES = frozenset(
    {
        ReferenceRole.TYPE,
        ReferenceRole.ACCEPT,
        ReferenceRole.INHERIT,
        ReferenceRole.IMPLEMENT,
        ReferenceRole.EXTEND,
    }
)
_CONSTANT_KINDS = frozenset({SymbolKind.CONSTANT, SymbolKind.ENUM_MEMBER})
_INTERFACE = re.compile(r"I[A-Z]")

# Methods that every class has, each with its number of arguments plus 1; those with two arguments are static.
_OF_OBJECT = frozenset({("Equals", 2), ("Equals", 3), ("ReferenceEquals", 3)})


class CSharpResolver:
    """Resolves the references of C# files."""

    def __init__(self, program: Program) -> None:
        self._names = CSharpNames(program)
        self._types = CSharpTypes(self._names)
        self._overloads = CSharpOverloads(self._names, self._types)
        self._accessible = AccessibleMembers(self._names, self._types)
        self._guesses = CSharpGuesses(self._names, self._accessible, self._overloads)
        self._conditions = CSharpConditions(self._names)
        self._same_named = SameNamed(self._names, self._types)
        self._namespaces = CSharpNamespaces(self._names, self._resolve)
        passed = AnonymousFunctions(self._names, self._types, self._overloads, self._resolve)
        self._types.find_contextual = passed.find

    def resolve(self, path: str, record: SymbolRecord, reference: Reference) -> Resolution:
        """Return the meaning of a reference. A using of a namespace that is not declared here is external."""
        file = self._names.find_file(path)
        if file is None or file.record is not record:
            file = CSharpFile(path, record)
        found = self._resolve(file, reference)
        if not found.targets:
            return found
        name = _spell_imported(reference) if reference.role is ReferenceRole.IMPORT else reference.name
        return self._conditions.weigh(file, reference.line, name, found)

    def _resolve(self, file: CSharpFile, reference: Reference) -> Resolution:
        role = reference.role
        if role is ReferenceRole.USE and reference.arguments & BEFORE_DOT:
            plain = replace(reference, arguments=reference.arguments & ~BEFORE_DOT)
            return self._same_named.weigh(file, plain, self._resolve(file, plain))
        if role is ReferenceRole.IMPORT:
            return self._resolve_using(file, reference)
        if role in {ReferenceRole.EXPORT, ReferenceRole.BIND}:
            return NOTHING
        if role in _TYPE_ROLES:
            return self._resolve_type(file, reference)
        if reference.qualifier in {"this", "base"} and role is ReferenceRole.CALL:
            chained = self._resolve_chained(file, reference)
            if chained is not None:
                return chained
        if role is ReferenceRole.CALL and reference.alias.startswith(NEW):
            return self._resolve_named_type(file, reference)
        if reference.alias == IN_PATTERN and role is ReferenceRole.USE:
            return self._resolve_pattern(file, reference)
        if not reference.qualifier:
            return self._resolve_name(file, reference)
        return self._resolve_member(file, reference)

    # Types

    def _resolve_using(self, file: CSharpFile, row: Reference) -> Resolution:
        """Resolve `using static` and aliases to a type, other usings to parts of a namespace."""
        if not row.qualifier and not row.name:
            return NOTHING
        dotted = _spell_imported(row)
        types = self._names.list_types(dotted.rpartition(".")[2])
        for full in list_meant(file, row.symbol, dotted):
            found = types.get(full)
            if found:
                plain = self._names.choose(file.path, full, found, 0)
                plain = plain or self._names.choose(file.path, full, found, None)
                return _conclude_type(plain or TypeMeaning(full))
        return self._namespaces.resolve_using(file, row.symbol, dotted)

    def _resolve_type(self, file: CSharpFile, row: Reference) -> Resolution:
        ordinal = row.symbol
        if row.role not in {ReferenceRole.TYPE, ReferenceRole.ACCEPT} and ordinal:
            ordinal = file.record.get_parent(ordinal)  # the bases of a type are looked up outside it
        if row.role is ReferenceRole.TYPE and row.arguments & ATTRIBUTE:
            return self._resolve_attribute(file, row)
        return _conclude_type(self._names.find_type(file, ordinal, row.name, row.qualifier, row.arguments))

    def _resolve_attribute(self, file: CSharpFile, row: Reference) -> Resolution:
        """Resolve one of the two names that an attribute may have, `Name` or `NameAttribute`.

        The short name means an attribute class only if no class has the long one. A class that is not an
        attribute is never meant.
        """
        arity = row.arguments & ~ATTRIBUTE
        found = self._names.find_type(file, row.symbol, row.name, row.qualifier, arity)
        if row.name.endswith(ATTRIBUTE_ENDING):
            return _conclude_type(found) if found.parts else NOTHING
        long = self._names.find_type(file, row.symbol, row.name + ATTRIBUTE_ENDING, row.qualifier, arity)
        if long.parts:
            return NOTHING
        bases = self._types.list_with_bases(found)[1:] if found.parts else ()
        is_attribute = any(_get_name(base).endswith(ATTRIBUTE_ENDING) for base in bases)
        return _conclude_type(found) if is_attribute else Resolution(external=long.full_name)

    def _resolve_chained(self, file: CSharpFile, row: Reference) -> Resolution | None:
        """Resolve `: this(...)` and `: base(...)`; return None for the call of a member, `this.x()`."""
        own = self._types.find_type_around(file, row.symbol)
        if own is None:
            return None
        line = self._types.list_with_bases(own)
        wanted = line[0] if row.qualifier == "this" else line[1] if len(line) > 1 else None
        if wanted is None or _get_name(wanted) != row.name:
            return None
        if not wanted.parts:
            return Resolution(external=wanted.full_name)
        return self._resolve_instance(file, wanted, row)

    def _resolve_instance(self, file: CSharpFile, meaning: TypeMeaning, row: Reference) -> Resolution:
        """Return the constructor that accepts the arguments, and the type."""
        name = _get_name(meaning)
        found = [
            one
            for one in self._types.list_own_members(meaning, name)
            if one[1].kind is SymbolKind.CONSTRUCTOR and not one[1].flags & SymbolFlag.STATIC
        ]
        found = self._accessible.keep(file, row, found) or found
        fitting = [one for one in found if accepts_count(one[1], row.arguments)]
        fitting = self._narrow(file, fitting, row)
        sure = meaning.confidence if len(fitting) == 1 else Confidence.POSSIBLE
        targets = [Target(one, sure) for one, _ in fitting]
        targets += _conclude_type(meaning).targets
        return Resolution(tuple(targets[:MAX_TARGETS]))

    # Names

    def _resolve_name(self, file: CSharpFile, row: Reference) -> Resolution:
        """Resolve a bare name: a local function, a member in scope, one by a static using, or a type."""
        unlikely: Members = []
        for around in iter_around(file.record, row.symbol):
            found = file.find_children(around, row.name)
            functions = [one for one in found if one.kind is SymbolKind.FUNCTION]
            if functions:
                local = [(Declaration(file.path, one.ordinal), one) for one in functions]
                return self._conclude(file, local, row)
        for around in file.list_types_around(row.symbol):
            own = self._types.find_type_around(file, around)
            members = self._find_members(file, own, row) if own is not None else []
            members = [one for one in members if one[1].kind is not SymbolKind.CONSTRUCTOR]
            if row.role is ReferenceRole.USE and row.arguments:  # `Name<int>` is a method or a type
                members = [one for one in members if one[1].kind in TYPE_KINDS | CALLABLE_KINDS]
            if members and self._may_mean(file, members, row):
                sure = Confidence.EXACT
                if own is not None:
                    sure = self._weaken(file, own, row, members, sure)
                return self._conclude(file, members, row, sure)
            unlikely = unlikely or members
        for used in self._names.list_used_types(file, row.symbol):
            members = self._find_members(file, used, row)
            if members and self._may_mean(file, members, row):
                return self._conclude(file, members, row)
            unlikely = unlikely or members
        named = self._resolve_named_type(file, row)
        return self._conclude(file, unlikely, row) if unlikely and not named.targets else named

    def _resolve_pattern(self, file: CSharpFile, row: Reference) -> Resolution:
        """Resolve the name in `case Name:`: only a constant or a type can be meant."""
        named = self._resolve_name(file, row)
        kinds = [self._names.get_kind(one.declaration) for one in named.targets]
        if kinds and all(kind in _CONSTANT_KINDS for kind in kinds):
            return named
        of_type = self._resolve_named_type(file, row)
        return of_type if of_type.targets or not named.targets else named

    def _resolve_named_type(self, file: CSharpFile, row: Reference) -> Resolution:
        meaning = self._find_named(file, row)
        if meaning.parts:
            if row.role is ReferenceRole.CALL:
                return self._resolve_instance(file, meaning, row)
            return _conclude_type(meaning)
        return Resolution(external=meaning.full_name)

    def _find_named(self, file: CSharpFile, row: Reference) -> TypeMeaning:
        """Return the type that is named, with that number of type arguments if there is one."""
        arity = split_call(row.alias)[0] if row.role is ReferenceRole.CALL else row.arguments
        found = self._names.find_type(file, row.symbol, row.name, row.qualifier, arity)
        return found if found.parts else self._names.find_type(file, row.symbol, row.name, row.qualifier)

    def _resolve_member(self, file: CSharpFile, row: Reference) -> Resolution:
        if row.qualifier == "?":
            return self._guesses.guess(file, row)
        if row.role is ReferenceRole.CALL or row.role is ReferenceRole.USE:
            meaning = self._find_named(file, row)
            if meaning.parts and meaning.confidence is Confidence.EXACT:
                is_call = row.role is ReferenceRole.CALL
                return self._resolve_instance(file, meaning, row) if is_call else _conclude_type(meaning)
        value = self._types.evaluate(file, row.symbol, row.qualifier, row.line)
        if value.is_known and not value.is_items and value.type is not None:
            members = self._find_members(file, value.type, row)
            if members and (self._may_mean(file, members, row) or not self._find_extension(file, row, value)):
                sure = self._weaken(file, value.type, row, members, value.type.confidence)
                return self._conclude(file, members, row, sure)
        extension = self._find_extension(file, row, value)
        if extension is not None:
            return extension
        if value.is_task:
            return Resolution(external=f"System.Threading.Tasks.Task.{row.name}")
        if value.is_items:
            return Resolution(external=f"System.Collections.Generic.IEnumerable.{row.name}")
        if value.external:
            return Resolution(external=f"{value.external}.{row.name}")
        if value.type is not None:
            outside = self._types.find_external_base(value.type)
            return Resolution(external=f"{outside}.{row.name}") if outside else NOTHING
        return self._guesses.guess(file, row)

    # Extension methods

    def _find_extension(self, file: CSharpFile, row: Reference, value: Value) -> Resolution | None:
        """Return the extension methods in scope whose first parameter accepts the value."""
        if row.role is not ReferenceRole.CALL:
            return None
        visible = set(self._names.list_visible(file, row.symbol))
        found: Members = []
        for declaration, symbol in self._types.list_extensions(row.name):
            other = self._names.find_file(declaration.path)
            is_seen = other is not None and other.list_namespaces(declaration.ordinal)[0] in visible
            if is_seen and accepts_count(symbol, row.arguments, extended=True):
                found.append((declaration, symbol))
        known = Value() if value.is_of_member and value.external else value
        found = self._overloads.narrow(file, row, self._accessible.keep(file, row, found), known)
        sure = [one for one in found if self._types.extends(one, value)]
        if sure:  # a member of an external type would take precedence
            is_open = bool(value.external) or value.is_of_member
            is_open = is_open or (value.is_items and row.name in OF_SEQUENCES)
            return _conclude_members(sure, Confidence.PROBABLE if is_open else Confidence.EXACT)
        likely = [one for one in found if self._types.may_extend(one, value)]
        if likely and row.name not in COMMON_MEMBERS:
            return _conclude_members(likely, Confidence.PROBABLE)
        if value.is_of_member and value.external and found and row.name not in COMMON_MEMBERS:
            return _conclude_members(found, Confidence.POSSIBLE)
        return None

    # Overloads

    def _find_members(self, file: CSharpFile, owner: TypeMeaning, row: Reference) -> Members:
        """Return the members that a row names, in the nearest type that has any.

        For a call, these are the methods of that type and of its bases, up to the first type that itself
        declares one which certainly accepts the call. An override counts as a method of the base that
        declares it first.
        """
        found = (self._accessible.keep(file, row, one) for one in self._types.iter_members(owner, row.name))
        levels = [level for level in found if level]
        if len(levels) < 2 or row.role is not ReferenceRole.CALL:
            return levels[0] if levels else []
        gathered: Members = []
        known: set[tuple[str, ...]] = set()
        for level in levels:
            fitting = [one for one in level if accepts_count(one[1], row.arguments)]
            fitting = self._overloads.narrow(file, row, fitting)
            anew = [one for one in fitting if not one[1].flags & SymbolFlag.OVERRIDE]
            is_certain = self._overloads.certainly_accepts(file, row, anew)
            for one in anew if is_certain else fitting:
                types = list_parameter_types(one[1])
                if types not in known:
                    known.add(types)
                    gathered.append(one)
            if is_certain:
                break
        return gathered or levels[0]

    def _weaken(
        self, file: CSharpFile, owner: TypeMeaning, row: Reference, members: Members, sure: Confidence
    ) -> Confidence:
        """Return PROBABLE instead of EXACT if a member of another class may fit a call better.

        That is possible unless one of the members certainly accepts the arguments: if the owner has an
        external base class, if an extension method accepts as many arguments, or if every class has such a
        method.
        """
        if row.role is not ReferenceRole.CALL or sure is not Confidence.EXACT:
            return sure
        if not self._may_mean(file, members, row):
            return Confidence.PROBABLE
        if row.arguments < 2:
            return sure
        outside = (_get_name(one) for one in self._types.list_with_bases(owner) if not one.parts)
        others = self._types.list_extensions(row.name)
        is_alone = all(_INTERFACE.match(one) for one in outside) and not any(
            accepts_count(one, row.arguments, extended=True) for _, one in others
        )
        is_of_object = (row.name, row.arguments) in _OF_OBJECT and (row.arguments == 2 or not row.qualifier)
        if is_alone and not is_of_object:
            return sure
        # Type arguments are not compared, so methods with generic parameter types do not count.
        plain = [one for one in members if "<" not in one[1].parameters.partition("(")[2]]
        is_certain = self._overloads.certainly_accepts(file, row, plain)
        return Confidence.EXACT if is_certain else Confidence.PROBABLE

    def _may_mean(self, file: CSharpFile, members: Members, row: Reference) -> bool:
        """Return False for a call if all members are methods that do not accept its arguments."""
        if row.role is not ReferenceRole.CALL or any(one[1].kind not in CALLABLE_KINDS for one in members):
            return True
        fitting = [one for one in members if accepts_count(one[1], row.arguments)]
        return bool(self._overloads.narrow(file, row, fitting))

    def _narrow(self, file: CSharpFile, found: Members, row: Reference) -> Members:
        """Return those of several methods that a call may mean."""
        if len(found) < 2 or any(one[1].kind not in CALLABLE_KINDS for one in found):
            return found
        return self._overloads.narrow(file, row, found) or found

    # Answers

    def _conclude(
        self, file: CSharpFile, found: Members, row: Reference, sure: Confidence = Confidence.EXACT
    ) -> Resolution:
        """Return members as targets; of methods, only those that accept the arguments."""
        if row.role is ReferenceRole.CALL:
            fitting = [one for one in found if accepts(one[1], row)]
            sure = sure if fitting else Confidence.POSSIBLE
            found = fitting or found
        whole = [one for one in found if not one[1].flags & SymbolFlag.FORWARD]
        found = whole or found
        if row.role is ReferenceRole.CALL:
            found = self._narrow(file, found, row)
        return _conclude_members(found, sure)


def _conclude_members(found: Members, sure: Confidence) -> Resolution:
    """Return members as targets; several methods are only POSSIBLE."""
    if len(found) > 1 and any(one[1].kind in CALLABLE_KINDS for one in found):
        sure = Confidence.POSSIBLE
    return Resolution(tuple(Target(ordinal, sure) for ordinal, _ in found[:MAX_TARGETS]))


def _spell_imported(row: Reference) -> str:
    """Return the name of the namespace or type that a `using` names."""
    return row.qualifier if row.name == "*" else spell_row(row)


def _conclude_type(meaning: TypeMeaning) -> Resolution:
    """Return all parts of a type as targets."""
    if not meaning.parts:
        return Resolution(external=meaning.full_name)
    sure = Confidence.POSSIBLE if meaning.is_mixed else meaning.confidence
    return Resolution(tuple(Target(one, sure) for one in meaning.parts[:MAX_TARGETS]))


def _get_name(meaning: TypeMeaning) -> str:
    return meaning.full_name.rpartition(".")[2].partition("`")[0]
