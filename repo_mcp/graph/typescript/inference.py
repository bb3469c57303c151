"""The type arguments that TypeScript infers from the objects, functions and classes that a call is given.

A parameter `{ a: T; b: () => U }` binds T to the member `a` of the object, and U to the result of its member
`b`. A mapped type has a member for each member of an object, and may choose its type by conditions; a
condition counts if the name of a type decides it. What is found this way is at most probable.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Protocol

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typescript.literals import is_class_name
from repo_mcp.graph.typescript.names import Meaning, ScriptNames
from repo_mcp.graph.typescript.owners import (
    NO_OWNERS,
    Bound,
    Owners,
    Parameter,
    Written,
    join_bound,
    mark_uncertain,
)
from repo_mcp.graph.typescript.script_file import ScriptFile, find_type_parameter
from repo_mcp.graph.typescript.signatures import list_signatures
from repo_mcp.languages.typescript.contextual_types import GIVEN
from repo_mcp.languages.typescript.types import (
    list_function_parameters,
    read_function,
    read_types,
    split_condition,
    split_type,
    take_parameter,
)
from repo_mcp.languages.typescript.walk import EXPECTED
from repo_mcp.record_classes import replace
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, Reference, SymbolKind

_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_MAPPED = re.compile(
    r"\{ (?:[-+]?readonly )?\[(\w+) in keyof ([\w$]+)(?: as [^\]]*)?\](?:[-+]?\?)?: (.*?);? \}"
)
MAX_MEMBERS = 24  # members of one object that are compared with the expected type
MAX_CONDITIONS = 8
MAX_TRACED = 4  # steps from one type parameter to another


class TypeReader(Protocol):
    """Finds the owners of written types and of their members."""

    def read_written(self, file: ScriptFile, ordinal: int, text: str, steps: int, bound: Bound) -> Owners:
        """Return the owners that a written type names."""

    def follow_binds(self, file: ScriptFile, rows: Sequence[Reference], steps: int) -> Owners:
        """Return the owners of a variable, by the rows that show its type."""

    def find_member(self, owners: Owners, name: str, steps: int = 0) -> Meaning:
        """Return the members with a name in owners."""


def _list_own_parameters(file: ScriptFile | None, at: Written) -> Collection[str]:
    """Return the type parameters of a signature: of a declaration, or of a written function type."""
    if at.text or file is None:
        return list_function_parameters(at.text)
    return file.type_parameters.get(at.ordinal, {})


def _match_given(literal: str, text: str, free: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the type parameters in the result of a function type, with their paths in what is given."""
    for part in split_type(text, "|"):
        function = read_function(part.strip())
        for one in read_types(function[1]) if function is not None else ():
            if one.name in free and not one.qualifier:
                yield one.name, f"{literal}.{GIVEN}{'.[]' if one.is_items else ''}"


class Inference:
    """Infers type arguments, and the members of objects that stand for types."""

    def __init__(self, names: ScriptNames, types: TypeReader) -> None:
        self._names = names
        self._types = types
        self._chosen: dict[tuple[Written, str, int], Owners] = {}

    # Type arguments

    def infer(self, file: ScriptFile, row: Reference, called: Owners, steps: int, *, of: str = "") -> Owners:
        """Return what the call in a row calls, with type parameters bound to members of the objects passed to
        it.

        With `of`, only that object counts, and of its members only results of calls: the question is then
        which types the object is expected to have, so that what is written in it cannot decide them.
        """
        found: dict[Parameter, Written] = {}
        passed = dict(file.literals.find_passed_objects(row))
        if of:
            passed = {at: one for at, one in passed.items() if one == of}
        else:
            passed.update(self._find_passed_classes(file, row))
        if not passed or not (called.declarations or called.functions):
            return called
        bound = tuple(one for one in called.bound if one[1].text)
        known = {key for key, _ in bound}
        for types, _, at, _ in list_signatures(self._names, called):
            other = self._names.find_file(at.path)
            own = _list_own_parameters(other, at)
            free = {name for name in own if (at.path, at.ordinal, name) not in known}
            if other is None or not free:
                continue
            for position, literal in passed.items():
                text = take_parameter(types, position - 1)
                for name, path in self._match(file, literal, at, text, free, bound, steps):
                    if not of or file.literals.find_call(literal, path.partition(".")[2]):
                        found.setdefault((at.path, at.ordinal, name), Written(file.path, row.symbol, path))
        if not found:
            return called
        inferred = tuple(found.items())
        functions = tuple(replace(one, bound=join_bound(one.bound, inferred)) for one in called.functions)
        return replace(called, bound=join_bound(called.bound, inferred), functions=functions)

    def _find_passed_classes(self, file: ScriptFile, row: Reference) -> dict[int, str]:
        """Return the classes that are passed to the call in a row, by argument position, counted from 1."""
        found = {}
        for position, name in file.find_passed_classes(row).items():
            meaning = self._names.look_up(file, row.symbol, name[1:], row.line)
            symbols = [self._names.get_symbol(one) for one in meaning.declarations]
            if symbols and all(one is not None and one.kind is SymbolKind.CLASS for one in symbols):
                found[position] = name
        return found

    def _match(
        self,
        file: ScriptFile,
        literal: str,
        at: Written,
        text: str,
        free: Collection[str],
        bound: Bound,
        steps: int,
    ) -> Iterator[tuple[str, str]]:
        """Yield the type parameters in a written type, each with the path in an object that determines it."""
        other = self._names.find_file(at.path)
        if other is None or not any(re.search(rf"\b{re.escape(one)}\b", text) for one in free):
            return
        if is_class_name(literal):  # of `T`, `new () => T`, `Maker<T>`, `T | T[]`
            named = set(_NAME.findall(text)) & set(free)
            if len(named) == 1:
                yield named.pop(), literal
            return
        if file.literals.list_given(literal):
            yield from _match_given(literal, text, free)
            return
        if text in free:
            yield text, literal + "."
            return
        owners = self._types.read_written(other, at.ordinal, text, steps + 1, bound)
        for name in list(file.literals.list_members(literal))[:MAX_MEMBERS]:
            meaning = self._types.find_member(owners, name, steps + 1)
            each = [(one, self._read_type(one)) for one in meaning.declarations]
            each += [(Declaration(one.path, one.ordinal), one.text) for one in meaning.written]
            for place, written in each:
                for part in split_type(written, "|"):
                    function = read_function(part.strip())
                    result = part if function is None else function[1]
                    for parameter in self._trace(place, result.strip(), meaning.bound):
                        if parameter[:2] == (at.path, at.ordinal) and parameter[2] in free:
                            yield parameter[2], f"{literal}.{name}{'' if function is None else '()'}"

    def _read_type(self, declaration: Declaration) -> str:
        """Return the written type of a member; that of a method as a function type."""
        symbol = self._names.get_symbol(declaration)
        if symbol is None:
            return ""
        return f"() => {symbol.return_type}" if symbol.kind in CALLABLE_KINDS else symbol.return_type

    def _trace(self, place: Declaration, text: str, bound: Bound, steps: int = 0) -> Iterator[Parameter]:
        """Yield the type parameters that a text stands for: itself, or those of an alias."""
        file = self._names.find_file(place.path)
        if file is None or steps > MAX_TRACED:
            return
        if _NAME.fullmatch(text):
            holder = find_type_parameter(file, place.ordinal, text)
            key = place.path, holder, text
            bound_to = next((one for other, one in bound if other == key), None)
            if bound_to is not None and bound_to.text:
                where = Declaration(bound_to.path, bound_to.ordinal)
                yield from self._trace(where, bound_to.text, bound_to.bound, steps + 1)
            elif holder >= 0:
                yield key
        elif text.endswith(">") and len(named := read_types(text)) == 1 and not named[0].qualifier:
            for one in self._names.look_up(file, place.ordinal, named[0].name, as_type=True).declarations:
                other, symbol = self._names.find_file(one.path), self._names.get_symbol(one)
                if other is None or symbol is None:
                    continue
                parameters = list(other.type_parameters.get(one.ordinal, ()))[: len(named[0].type_arguments)]
                parts = {part.strip() for part in split_type(symbol.return_type, "&")}
                for name, argument in zip(parameters, named[0].type_arguments, strict=False):
                    if name in parts:
                        yield from self._trace(place, argument, bound, steps + 1)

    # Members of objects

    def read_literal(self, file: ScriptFile, text: str, steps: int) -> Owners:
        """Return the owners at the end of a path of members that begins with an object: "@120.a.b()"."""
        literal, *names = text.rstrip(".").split(".")
        if names[:1] == [GIVEN]:
            given = self._types.follow_binds(file, file.literals.list_given(literal), steps + 1)
            is_item = len(names) > 1
            return mark_uncertain(replace(given, is_items=False, is_keyed=False) if is_item else given)
        for at, name in enumerate(names):
            inner = file.literals.step(literal, name)
            if not inner:
                rows = file.literals.find_call(literal, name) if at == len(names) - 1 else []
                return mark_uncertain(self._types.follow_binds(file, rows, steps + 1)) if rows else NO_OWNERS
            literal = inner
        return Owners(functions=(Written(file.path, 0, literal),), is_mixed=True)

    def list_written(self, owners: Owners, name: str) -> tuple[Written, ...]:
        """Return the paths of the members of a name in the objects that owners have."""
        found = []
        for one in owners.functions:
            file = self._names.find_file(one.path) if one.text.startswith(EXPECTED) else None
            if file is not None and name in file.literals.list_members(one.text):
                found.append(replace(one, text=f"{one.text}.{name}"))
        return tuple(found)

    def choose(self, mapped: Written, name: str, steps: int) -> Owners:
        """Return the owners of a member of `{ [K in keyof T]: .. }`, by the object bound to T."""
        key = mapped, name, steps
        if key not in self._chosen:
            self._chosen[key] = NO_OWNERS  # the answer inside a cycle
            self._chosen[key] = self._choose(mapped, name, steps)
        return self._chosen[key]

    def _choose(self, mapped: Written, name: str, steps: int) -> Owners:
        found = _MAPPED.fullmatch(mapped.text)
        file = self._names.find_file(mapped.path)
        if found is None or file is None:
            return NO_OWNERS
        key, whole, text = found.groups()
        value = self._find_value(file, mapped, whole, name, steps)
        if value == NO_OWNERS or value.external or value.is_guess:
            return NO_OWNERS
        same = {f"{whole}[{key}]"}
        for _ in range(MAX_CONDITIONS):
            condition = split_condition(text)
            if condition is None:
                break
            tested, target, then, other = condition
            if tested not in same:
                return NO_OWNERS
            if target.startswith("infer "):
                same.add(target.removeprefix("infer ").strip())
                text = then
                continue
            holds = self._holds(file, mapped, value, target)
            if holds is None:
                return NO_OWNERS
            text = then if holds else other
        if text in same:
            return mark_uncertain(value)
        return mark_uncertain(self._types.read_written(file, mapped.ordinal, text, steps + 1, mapped.bound))

    def _find_value(self, file: ScriptFile, mapped: Written, whole: str, name: str, steps: int) -> Owners:
        """Return the owners of a member of the last object with it that a type parameter is bound to."""
        whole_type = self._types.read_written(file, mapped.ordinal, whole, steps + 1, mapped.bound)
        for one in reversed(whole_type.functions):
            at = self._names.find_file(one.path)
            if at is not None and one.text.startswith(EXPECTED) and at.literals.find_call(one.text, name):
                return self.read_literal(at, f"{one.text}.{name}", steps)
        return NO_OWNERS

    def _holds(self, file: ScriptFile, mapped: Written, value: Owners, target: str) -> bool | None:
        """Return whether a value has the type that a condition names; None if the name leaves it open."""
        named = read_types(target)
        if len(named) != 1 or named[0].qualifier or named[0].is_items:
            return None
        meaning = self._names.look_up(file, mapped.ordinal, named[0].name, as_type=True)
        if meaning.external or not meaning.declarations:
            return None
        return any(one in value.declarations for one in meaning.declarations)
