"""The type of a TypeScript or JavaScript value, as far as it is written, and the members of that type.

An owner is a declaration that has members: a class, an interface, an enum, an object or a module. A value's
owners come from its written type, from `new`, and from the declared or actual result of a called function.
Lookups continue in the bases of classes and interfaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typescript.names import UNKNOWN, Meaning, ScriptFile, ScriptNames, prefer
from repo_mcp.languages.treesitter.scope_walk import CALLED, ITEM, ITEMS, SAME, TYPE
from repo_mcp.languages.typescript.types import read_parameters, read_types, split_parameters, split_type
from repo_mcp.languages.typescript.walk import ALL, CAST
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.symbols.model import ITSELF, OF_PARAMETER, read_parameter
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    Reference,
    ReferenceRole,
    Symbol,
    SymbolFlag,
    SymbolKind,
    list_references,
)

_TYPE_PARAMETER = re.compile(r"[A-Z]\d?|T[A-Z]\w*")  # repositories do not name real types like this
# Members of every list: those that return one item, and those that return a list of the same items.
_ITEM_OF = frozenset({"at", "find", "findLast", "pop", "shift", "get"})
_SAME_ITEMS = frozenset(
    {"filter", "slice", "sort", "reverse", "concat", "toSorted", "toReversed", "splice", "values", "flat"}
)
_TAKING_ITEMS = frozenset({"push", "unshift", "add", "includes", "indexOf", "set", "fill"})
MAX_PARTS = 24  # of a union or an intersection
MAX_STEPS = 12  # from a value to its type, one per declaration followed
MAX_BASES = 64
MAX_SEGMENTS = 12
_INHERITED = (ReferenceRole.INHERIT, ReferenceRole.EXTEND)
_PROMISED = (ReferenceRole.IMPLEMENT,)
_OWNERS = frozenset(
    {
        SymbolKind.CLASS,
        SymbolKind.INTERFACE,
        SymbolKind.ENUM,
        SymbolKind.MODULE,
        SymbolKind.FILE,
        SymbolKind.COMPONENT,
    }
)
_OBJECTS = frozenset({SymbolKind.CONSTANT, SymbolKind.VARIABLE, SymbolKind.PROPERTY})
_RUN = CALLABLE_KINDS | {SymbolKind.CLASS}
_OBJECT_MEMBERS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY})
_WINDOWS = frozenset({"window", "globalThis", "self", "global"})


@dataclass(frozen=True, slots=True)
class Owners:
    """The declarations to search for members, or an external name; if neither, the owner is unknown."""

    declarations: tuple[Declaration, ...] = ()
    external: str = ""
    is_items: bool = False  # the owners are those of its items
    is_mixed: bool = False  # of a union of which other members are declared outside, or are not known


NOBODY = Owners()


class ScriptTypes:
    """Evaluates chains of members."""

    def __init__(self, names: ScriptNames) -> None:
        self._names = names
        self._window: Owners | None = None
        self._owners: dict[tuple[Declaration, bool, int], Owners] = {}

    # -- chains --------------------------------------------------------------------------------------------

    def evaluate(self, file: ScriptFile, ordinal: int, chain: str, line: int, steps: int = 0) -> Owners:
        """Return the owners of a chain "a.b().c" inside a symbol, on a line, or NOBODY."""
        segments = chain.replace("[]", ".[]").split(".")
        if len(segments) > MAX_SEGMENTS or steps > MAX_STEPS:
            return NOBODY
        head = segments[0]
        is_call = head.endswith("()")
        owners = self._evaluate_head(file, ordinal, head.removesuffix("()"), line, is_call, steps)
        for segment in segments[1:]:
            if owners == NOBODY:
                return NOBODY
            owners = self._step(owners, segment, steps)
        return owners

    def _evaluate_head(
        self, file: ScriptFile, ordinal: int, name: str, line: int, is_call: bool, steps: int
    ) -> Owners:
        if name in {"this", "super"}:
            holder = find_holder(file, ordinal)
            if holder is None:
                return NOBODY
            if name == "super":
                return self._list_bases(file, file.get_symbol(holder), steps)
            return Owners((Declaration(file.path, holder),))
        if name.startswith(CAST):
            return self._read_written(file, ordinal, name[len(CAST) :], steps)
        bound = find_binds(file, ordinal, name, line)
        if bound and not is_call and not _is_declared_later(file, name, bound[-1].line, line):
            return self._follow_binds(file, bound, steps)
        meaning = self._names.look_up(file, ordinal, name, line)
        if meaning is UNKNOWN:
            return self._find_window() if name in _WINDOWS else NOBODY
        return self.get_owners(meaning, is_call=is_call, steps=steps + 1)

    def _find_window(self) -> Owners:
        """Return the repository's declarations of the global object's type, `Window`."""
        if self._window is None:
            found = []
            for path in self._names.program.list_declaring("Window")[:MAX_BASES]:
                file = self._names.find_file(path)
                for symbol in file.find_children(0, "Window") if file is not None else ():
                    if symbol.kind is SymbolKind.INTERFACE:
                        found.append(Declaration(path, symbol.ordinal))
            self._window = Owners(tuple(found), "" if found else "window")
        return self._window

    def _step(self, owners: Owners, segment: str, steps: int) -> Owners:
        is_call = segment.endswith("()")
        name = segment.removesuffix("()")
        if owners.is_items:
            if segment == "[]" or (is_call and name in _ITEM_OF):
                return _hold(owners, False)
            return owners if is_call and name in _SAME_ITEMS else NOBODY
        if segment == "[]":
            return NOBODY
        if owners.external:
            return Owners(external=f"{owners.external}.{name}")
        meaning = self.find_member(owners, name, steps + 1)
        return self.get_owners(meaning, is_call=is_call, steps=steps + 1)

    # -- types ---------------------------------------------------------------------------------------------

    def get_owners(self, meaning: Meaning, *, is_call: bool = False, steps: int = 0) -> Owners:
        """Return the owners of a value's members, or of the result of calling it; NOBODY if unknown."""
        if meaning.external:
            return Owners(external=meaning.external)
        if steps > MAX_STEPS:
            return NOBODY
        declarations = self._choose_signatures(meaning.declarations) if is_call else meaning.declarations
        owners = unite(self._get_owners(one, is_call, steps) for one in declarations)
        return owners if meaning.is_certain else _mix(owners)

    def _choose_signatures(self, declarations: tuple[Declaration, ...]) -> tuple[Declaration, ...]:
        """Return the signatures of a function that a caller sees: overloads, or else the implementation."""
        if len(declarations) < 2:
            return declarations
        symbols = [(one, self._names.get_symbol(one)) for one in declarations]
        seen = [one for one, symbol in symbols if symbol is not None and symbol.flags & SymbolFlag.FORWARD]
        return tuple(seen) or declarations

    def _get_owners(self, declaration: Declaration, is_call: bool, steps: int) -> Owners:
        """Cache the owners per number of steps, so mutually dependent types cost only once each."""
        key = (declaration, is_call, steps)
        found = self._owners.get(key)
        if found is None:
            found = self._owners[key] = self._find_owners(declaration, is_call, steps)
        return found

    def _find_owners(self, declaration: Declaration, is_call: bool, steps: int) -> Owners:
        symbol = self._names.get_symbol(declaration)
        file = self._names.find_file(declaration.path)
        if symbol is None or file is None:
            return NOBODY
        kind = symbol.kind
        if kind is SymbolKind.FILE:
            whole = self._names.find_whole(file)
            return (
                self.get_owners(whole, is_call=is_call, steps=steps + 1)
                if whole != UNKNOWN
                else Owners((declaration,))
            )
        if kind in CALLABLE_KINDS and kind is not SymbolKind.COMPONENT:
            return self._get_result(file, symbol, steps) if is_call else Owners((declaration,))
        if kind in _OWNERS:
            return Owners((declaration,))
        if kind is SymbolKind.TYPE:
            return self._get_alias(file, symbol, steps)
        return self._get_value(file, symbol, is_call, steps)

    def _get_result(self, file: ScriptFile, symbol: Symbol, steps: int) -> Owners:
        """Return the owners of a function's result: by its declared type, or by what it returns."""
        if symbol.return_type:
            if symbol.return_type == "this":
                return Owners((Declaration(file.path, symbol.parent),))
            return self._read_written(file, symbol.ordinal, symbol.return_type, steps)
        owners = self._follow_results(file, symbol, steps)
        if owners != NOBODY:
            return owners
        own = Owners((Declaration(file.path, symbol.ordinal),))  # for a returned object literal
        return own if file.record.list_children(symbol.ordinal) else NOBODY

    def _follow_results(self, file: ScriptFile, symbol: Symbol, steps: int) -> Owners:
        """Return the owners of the first value that a function returns of which they are known."""
        rows = file.binds.get((symbol.ordinal, "()"), ())
        for at, row in enumerate(rows):
            same = [one for one in rows[at:] if one.line == row.line]
            owners = self._follow_binds(file, same, steps)
            if owners != NOBODY:
                return owners
        return NOBODY

    def _get_alias(self, file: ScriptFile, symbol: Symbol, steps: int) -> Owners:
        """Return a type alias itself and the owners of the types that it combines."""
        own = Declaration(file.path, symbol.ordinal)
        found = [own]
        members = split_type(symbol.return_type, "|")
        parts = [one for part in members for one in split_type(part, "&")]
        is_mixed = False
        for part in parts[:MAX_PARTS]:
            owners = self._read_written(file, symbol.ordinal, part, steps)
            if owners.is_items:
                if len(parts) == 1:
                    return owners
                continue
            is_mixed |= owners.is_mixed or (len(members) > 1 and (bool(owners.external) or "=>" in part))
            found += [one for one in owners.declarations if one not in found]
        return Owners(tuple(found), is_mixed=is_mixed)

    def _get_value(self, file: ScriptFile, symbol: Symbol, is_call: bool, steps: int) -> Owners:
        """Return the owners of the value in a variable or property."""
        if is_call:
            return NOBODY
        own = Declaration(file.path, symbol.ordinal)
        if symbol.return_type:
            owners = self._read_written(file, symbol.ordinal, symbol.return_type, steps)
            return owners if owners != NOBODY else Owners((own,))
        alias = f"this.{symbol.name}" if symbol.kind is SymbolKind.PROPERTY else symbol.name
        rows = file.binds.get((symbol.parent, alias), ())
        rows = [row for row in rows if row.name != symbol.name or row.qualifier]
        for at, row in enumerate(rows):
            owners = self._follow_binds(file, [one for one in rows[at:] if one.line == row.line], steps)
            if owners.declarations and row.arguments == CALLED:
                return owners  # `const api = make({ run() {} })` has not the members of the object
            if owners != NOBODY:
                return replace(owners, declarations=(own, *owners.declarations))
        owners = self._follow_results(file, symbol, steps)  # of a getter
        return replace(owners, declarations=(own, *owners.declarations))

    def _read_written(self, file: ScriptFile, ordinal: int, text: str, steps: int) -> Owners:
        """Return the owners that a written type names."""
        if steps > MAX_STEPS:
            return NOBODY
        types = read_types(text)
        each = [self._find_type(file, ordinal, one.name, one.qualifier, steps) for one in types]
        owners = unite(
            _hold(owners, one.is_items or owners.is_items) for one, owners in zip(types, each, strict=True)
        )
        is_outside = len(each) > 1 and "|" in text and any(one.external for one in each)
        return _mix(owners) if is_outside else owners

    def _find_type(
        self, file: ScriptFile, ordinal: int, name: str, qualifier: str, steps: int, line: int = 0
    ) -> Owners:
        if qualifier:
            outer = self.evaluate(file, ordinal, qualifier, 0, steps + 1)
            if outer.external:
                return Owners(external=f"{outer.external}.{name}")
            return self.get_owners(self.find_member(outer, name, steps + 1), steps=steps + 1)
        meaning = self._names.look_up(file, ordinal, name, line, as_type=True)
        if meaning is UNKNOWN:
            return NOBODY if _TYPE_PARAMETER.fullmatch(name) else Owners(external=name)
        return self.get_owners(meaning, steps=steps + 1)

    def _follow_binds(self, file: ScriptFile, rows: Sequence[Reference], steps: int) -> Owners:
        """Return the owners of a variable, by the rows that show its type: one for each member of a union, or
        for each value that a condition chooses from."""
        each = [self._follow_bind(file, row, steps) for row in rows]
        if len(rows) < 2 or rows[0].arguments == ALL:
            return unite(each)
        is_written = rows[0].arguments in (TYPE, ITEMS)
        is_mixed = any(one.external or (one == NOBODY and not is_written) for one in each)
        return _mix(unite(each)) if is_mixed else unite(each)

    def _follow_parameter(self, file: ScriptFile, row: Reference, steps: int) -> Owners:
        """Return the owners of a parameter or an object by its contextual type."""
        position, index = read_parameter(row.arguments)
        if row.qualifier:
            outer = self.evaluate(file, row.symbol, row.qualifier, row.line, steps + 1)
            if outer.is_items:
                return _hold(outer, False) if row.name in _TAKING_ITEMS and index == ITSELF else NOBODY
            meaning = self.find_member(outer, row.name, steps + 1)
        else:
            meaning = self._names.look_up(file, row.symbol, row.name, row.line, as_type=not position)
        if meaning.external:
            return Owners(external=f"{meaning.external}.{row.alias}")
        declarations = self._choose_signatures(meaning.declarations) if position else meaning.declarations
        return unite(self._find_expected(one, position, index, steps + 1) for one in declarations)

    def _find_expected(self, declaration: Declaration, position: int, index: int, steps: int) -> Owners:
        """Return the owners of a parameter of a function type, or of a callback's parameter.

        See `name_parameter`."""
        symbol, file = self._names.get_symbol(declaration), self._names.find_file(declaration.path)
        if symbol is None or file is None or steps > MAX_STEPS:
            return NOBODY
        if symbol.kind is SymbolKind.CLASS and position:
            return unite(
                self._find_expected(Declaration(file.path, one.ordinal), position, index, steps + 1)
                for one in file.find_children(symbol.ordinal, "constructor")
            )
        text = symbol.return_type
        if position or symbol.kind is SymbolKind.METHOD:
            if symbol.kind not in CALLABLE_KINDS:
                return NOBODY
            given = split_parameters(symbol.parameters)
            at = position - 1 if position else index
            text = given[at] if at < len(given) else ""
        if index == ITSELF or (not position and symbol.kind is SymbolKind.METHOD):
            return self._read_written(file, symbol.ordinal, text, steps)
        parameters = read_parameters(text)
        if parameters is not None:
            written = parameters[index] if index < len(parameters) else ""
            return self._read_written(file, symbol.ordinal, written, steps)
        each = [one for one in read_types(text) if not one.is_items and not one.qualifier]
        meanings = [self._names.look_up(file, symbol.ordinal, one.name, as_type=True) for one in each]
        return unite(
            Owners(external=meaning.external)
            if meaning.external
            else unite(self._find_expected(one, 0, index, steps + 1) for one in meaning.declarations)
            for meaning in meanings
        )

    def _follow_bind(self, file: ScriptFile, row: Reference, steps: int) -> Owners:
        """Return the owners of a variable, by a row that shows its type."""
        if steps > MAX_STEPS:
            return NOBODY
        if row.arguments >= OF_PARAMETER:
            return self._follow_parameter(file, row, steps + 1)
        is_call = row.arguments == CALLED
        if row.arguments == ITEM:
            dotted = f"{row.qualifier}.{row.name}" if row.qualifier else row.name
            owners = self.evaluate(file, row.symbol, dotted, row.line, steps + 1)
            return _hold(owners, False) if owners.is_items else NOBODY
        if row.qualifier:
            outer = self.evaluate(file, row.symbol, row.qualifier, row.line, steps + 1)
            if outer.external:
                return Owners(external=f"{outer.external}.{row.name}")
            if outer.is_items:
                return NOBODY
            meaning = self.find_member(outer, row.name, steps + 1)
            owners = self.get_owners(meaning, is_call=is_call, steps=steps + 1)
        else:
            owners = self._follow_name(file, row, is_call, steps)
        return _hold(owners, owners.is_items or row.arguments == ITEMS)

    def _follow_name(self, file: ScriptFile, row: Reference, is_call: bool, steps: int) -> Owners:
        if row.name == "this":
            return self._evaluate_head(file, row.symbol, "this", row.line, False, steps)
        if row.name != row.alias:
            bound = find_binds(file, row.symbol, row.name, row.line)
            if bound and not is_call:
                return self._follow_binds(file, bound, steps + 1)
        meaning = self._names.look_up(file, row.symbol, row.name, row.line, as_type=not is_call)
        if meaning is UNKNOWN:
            return Owners(external=row.name)
        return self.get_owners(meaning, is_call=is_call, steps=steps + 1)

    # -- members -------------------------------------------------------------------------------------------

    def find_member(self, owners: Owners, name: str, steps: int = 0) -> Meaning:
        """Return the members with a name in owners, or else in their bases; UNKNOWN if there are none."""
        if owners.external:
            return Meaning(external=f"{owners.external}.{name}")
        if owners.is_items:
            return UNKNOWN
        found: list[Declaration] = []
        outside = ""
        for owner in owners.declarations:
            meaning = self._find_inherited(owner, name, steps)
            found += [one for one in meaning.declarations if one not in found]
            outside = outside or meaning.external
        if found:
            return Meaning(tuple(found), is_certain=not owners.is_mixed)
        return Meaning(external=outside) if outside else UNKNOWN

    def _find_inherited(self, first: Declaration, name: str, steps: int) -> Meaning:
        """Return the members with a name in one owner, or else in its bases; what a class promises to
        implement is asked last, as it must have each member itself."""
        outside = ""
        waiting, promised, seen = [first], list[Declaration](), {first}
        while waiting or promised:
            owner = (waiting or promised).pop(0)
            found = self._find_own_member(owner, name, steps)
            if found is not UNKNOWN:
                return found
            file, symbol = self._names.find_file(owner.path), self._names.get_symbol(owner)
            if file is None or symbol is None or steps > MAX_STEPS:
                continue
            for roles, then in ((_INHERITED, waiting), (_PROMISED, promised)):
                bases = self._list_bases(file, symbol, steps + 1, roles)
                outside = outside or bases.external
                fresh = [one for one in bases.declarations if one not in seen]
                if len(seen) < MAX_BASES:
                    seen.update(fresh)
                    then.extend(fresh)
        return Meaning(external=f"{outside}.{name}") if outside else UNKNOWN

    def _find_own_member(self, owner: Declaration, name: str, steps: int) -> Meaning:
        if owner.ordinal == 0:
            return self._names.find_export(owner.path, name, hops=min(steps, 1))
        file = self._names.find_file(owner.path)
        symbol = self._names.get_symbol(owner)
        if file is None or symbol is None:
            return UNKNOWN
        found = file.find_children(owner.ordinal, name)
        if symbol.kind in _OBJECTS:
            held = self._find_held(file, symbol, name, found)
            if held is not UNKNOWN:
                return held
        if symbol.kind is SymbolKind.MODULE:
            found = prefer([one for one in found if one.flags & SymbolFlag.PUBLIC_API] or found, False)
        if symbol.parent == 0:  # merged with other declarations of the same name
            twins = file.find_children(symbol.parent, symbol.name)
            for twin in file.keep_seen(twins, symbol.start_line):
                if twin.ordinal != symbol.ordinal:
                    found += file.find_children(twin.ordinal, name)
        return Meaning(tuple(Declaration(owner.path, one.ordinal) for one in found)) if found else UNKNOWN

    def _find_held(self, file: ScriptFile, owner: Symbol, name: str, found: list[Symbol]) -> Meaning:
        """Return the target of a member whose object literal names it: `{ name }`, `{ name: what }`.

        If the member has a symbol of its own, the target must be callable, and both are returned.
        """
        rows = file.binds.get((owner.ordinal, f"this.{name}"), ())
        row = next((one for one in rows if one.arguments == SAME and not one.qualifier), None)
        if row is None or any(one.kind is not SymbolKind.PROPERTY for one in found):
            return UNKNOWN
        held = self._names.look_up(file, owner.parent, row.name)
        if not found or held is UNKNOWN:
            return held
        symbols = [self._names.get_symbol(one) for one in held.declarations]
        if not any(one is not None and one.kind in _RUN for one in symbols):
            return UNKNOWN
        own = tuple(Declaration(file.path, one.ordinal) for one in found)
        return Meaning(held.declarations + own)

    def _list_bases(
        self,
        file: ScriptFile,
        symbol: Symbol,
        steps: int,
        roles: tuple[ReferenceRole, ...] = (*_INHERITED, *_PROMISED),
    ) -> Owners:
        """Return the bases of a class or an interface; an external one only if there is no other."""
        found: list[Declaration] = []
        outside = ""
        if symbol.kind not in _OWNERS or not symbol.ordinal:
            return NOBODY
        for row in list_references(file.record, *roles):
            if row.symbol != symbol.ordinal:
                continue
            owners = self._find_type(file, symbol.parent, row.name, row.qualifier, steps + 1, row.line)
            outside = outside or owners.external
            found += owners.declarations
        return Owners(tuple(found), "" if found else outside)


def find_holder(file: ScriptFile, ordinal: int) -> int | None:
    """Return the class or object that `this` means inside a symbol.

    An arrow function takes `this` from around the objects that it is a member of.
    """
    kinds = file.record.kinds
    previous = 0
    is_arrow = False
    for around in file.iter_around(ordinal):
        kind = SymbolKind(int(kinds[around]))
        is_member = bool(previous) and kinds[previous] in _OBJECT_MEMBERS
        if kind is SymbolKind.METHOD and not is_member and (around, "this") in file.binds:
            previous, is_arrow = 0, True
            continue
        if is_arrow and not previous and kind in _OBJECTS:
            continue
        if kind is SymbolKind.COMPONENT and (previous or is_arrow):
            return around
        if kind in {SymbolKind.CLASS, SymbolKind.INTERFACE}:
            return around
        if is_member and kind is not SymbolKind.FILE:
            return around
        previous = around
    return None


def unite(each: Iterable[Owners]) -> Owners:
    """Return the owners of all; an external one only if there is no other."""
    found: dict[Declaration, None] = {}
    outside, is_items, is_mixed = "", False, False
    for owners in each:
        found.update(dict.fromkeys(owners.declarations))
        outside = outside or owners.external
        is_items |= owners.is_items
        is_mixed |= owners.is_mixed
    return Owners(tuple(found), "" if found else outside, is_items, is_mixed)


def _hold(owners: Owners, is_items: bool) -> Owners:
    return owners if owners.is_items == is_items else replace(owners, is_items=is_items)


def _mix(owners: Owners) -> Owners:
    return replace(owners, is_mixed=bool(owners.declarations))


def _is_declared_later(file: ScriptFile, name: str, bound: int, line: int) -> bool:
    """Return True where a function that a line sees has a variable's name, and the variable's type is said on
    no line from there on."""
    if not line:
        return False
    found = [file.get_symbol(one) for one in file.record.find_symbols(name)]
    seen = file.keep_seen([one for one in found if one.kind is SymbolKind.FUNCTION], line)
    return any(one.start_line <= line and not one.start_line <= bound <= line for one in seen)


def find_binds(file: ScriptFile, ordinal: int, name: str, line: int) -> Sequence[Reference]:
    """Return the rows that show a variable's type on a line, in the innermost scope that has any.

    They all belong to one annotation or value."""
    binds = file.binds
    for around in file.iter_around(ordinal):
        rows = binds.get((around, name))
        if rows:
            before = [row for row in rows if not line or row.line <= line] or rows[:1]
            return [row for row in before if row.line == before[-1].line]
    return ()
