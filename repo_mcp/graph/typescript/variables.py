"""The owners of a TypeScript variable, by the rows that show its type.

A row names a type, a value that the variable holds, a function whose result it holds, or the place of a
parameter. It is followed from where it stands, and each row only once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from repo_mcp.graph.typescript.contextual_types import ContextualTypes, Evaluator
from repo_mcp.graph.typescript.inference import Inference
from repo_mcp.graph.typescript.members import find_binds, take_items
from repo_mcp.graph.typescript.names import UNKNOWN, Meaning, ScriptNames
from repo_mcp.graph.typescript.owners import (
    MAX_STEPS,
    NO_OWNERS,
    Bound,
    Owners,
    join_bound,
    mark_items,
    mark_uncertain,
    may_be_items,
    unite_owners,
)
from repo_mcp.graph.typescript.script_file import ScriptFile
from repo_mcp.graph.typescript.signatures import bind_type_arguments, choose_signatures
from repo_mcp.languages.treesitter.scope_walk import CALLED, ITEM, ITEMS, NUMBER, TYPE
from repo_mcp.languages.typescript.types import split_type
from repo_mcp.languages.typescript.walk import ALL, EXPECTED
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import OF_PARAMETER, UNKNOWN_TYPE
from repo_mcp.symbols.symbol_record import Reference

_TYPES = frozenset({TYPE, ITEMS, ALL})


class TypeEvaluator(Evaluator, Protocol):
    """Finds the owners of chains, of names, and of written types."""

    def read_written(self, file: ScriptFile, ordinal: int, text: str, steps: int, bound: Bound) -> Owners:
        """Return the owners that a written type names."""

    def find_type(
        self,
        file: ScriptFile,
        ordinal: int,
        name: str,
        qualifier: str,
        steps: int,
        line: int = 0,
        *,
        bound: Bound = (),
        type_arguments: Sequence[str] = (),
    ) -> Owners:
        """Return the owners of a type, by its name and its type arguments."""

    def call(self, owners: Owners, steps: int) -> Owners:
        """Return the owners of the results of calling values."""

    def find_receiver(self, file: ScriptFile, holder: int, steps: int, bound: Bound) -> Owners:
        """Return the owners of `this` in a class."""

    def find_keyed(self, owners: Owners, name: str, steps: int) -> Owners:
        """Return the owners of any member of an object whose members are its items."""


class Variables:
    """Follows the rows that show the types of variables."""

    def __init__(
        self, names: ScriptNames, types: TypeEvaluator, inference: Inference, context: ContextualTypes
    ) -> None:
        self._names = names
        self._types = types
        self._inference = inference
        self._context = context
        self._followed: dict[tuple[str, Reference, int, Bound], Owners] = {}

    def follow(self, file: ScriptFile, rows: Sequence[Reference], steps: int, bound: Bound = ()) -> Owners:
        """Return the owners of a variable, by the rows that show its type.

        There is a row for each member of a union, or for each value between which a condition chooses. If
        values on several lines differ, it is uncertain which of them the variable has.
        """
        each = [self._follow_row(file, row, steps, bound) for row in rows]
        if len(rows) < 2 or rows[0].arguments == ALL:
            return unite_owners(each)
        is_written = rows[0].arguments in (TYPE, ITEMS) and all(one.name != UNKNOWN_TYPE for one in rows)
        is_mixed = any(one.external or (one == NO_OWNERS and not is_written) for one in each)
        is_mixed = is_mixed or (rows[0].line != rows[-1].line and any(one != each[0] for one in each))
        return mark_uncertain(unite_owners(each)) if is_mixed else unite_owners(each)

    def _follow_row(self, file: ScriptFile, row: Reference, steps: int, bound: Bound) -> Owners:
        """Return the owners of a variable, by a row that shows its type."""
        if steps > MAX_STEPS or row.name == UNKNOWN_TYPE:
            return NO_OWNERS
        key = file.path, row, steps, bound
        found = self._followed.get(key)
        if found is None:
            found = self._followed[key] = self._find_owners(file, row, steps, bound)
        return found

    def _find_owners(self, file: ScriptFile, row: Reference, steps: int, bound: Bound) -> Owners:
        if row.arguments >= OF_PARAMETER:
            return self._context.follow_parameter(file, row, steps + 1, bound)
        is_call = row.arguments == CALLED
        if row.arguments == ITEM:
            owners = self._types.evaluate(file, row.symbol, row.dotted, row.line, steps + 1, bound)
            return mark_items(owners, False) if may_be_items(owners) else NO_OWNERS
        if row.name.startswith((":", "(")):
            return self._types.read_written(file, row.symbol, row.name.removeprefix(":"), steps + 1, bound)
        if is_call and row.name.endswith(">"):
            return self._follow_generic(file, row, steps, bound)
        if row.qualifier:
            outer = self._types.evaluate(file, row.symbol, row.qualifier, row.line, steps + 1, bound)
            if outer.external:
                return Owners(external=f"{outer.external}.{row.name}", is_open=is_call or outer.is_open)
            taken = take_items(outer, row.name, is_call=is_call) if may_be_items(outer) else None
            if outer.is_items and taken is not None:
                return taken
            if outer.is_items:
                owners = self._types.find_keyed(outer, row.name, steps)
                if row.qualifier.startswith(EXPECTED):
                    owners = mark_uncertain(owners)  # which one it is may depend on the key
                return self._types.call(owners, steps + 1) if is_call else owners
            meaning = self._types.find_member(outer, row.name, steps + 1)
            if meaning.external and taken is not None:
                return taken
            owners = self._get_value_of(file, row, meaning, is_call, steps)
            if row.arguments in _TYPES:
                owners = replace(owners, is_class=False)  # `new module.Name()`
        else:
            owners = self._follow_name(file, row, is_call, steps, bound)
        return mark_items(owners, owners.is_items or row.arguments == ITEMS)

    def _follow_generic(self, file: ScriptFile, row: Reference, steps: int, bound: Bound) -> Owners:
        """Return the owners of the result of a call with type arguments: `qualifier.name<A, B>`."""
        name, _, text = row.name[:-1].partition("<")
        type_arguments = [one.strip() for one in split_type(text, ",")]
        if row.qualifier:
            outer = self._types.evaluate(file, row.symbol, row.qualifier, row.line, steps + 1, bound)
            meaning = self._types.find_member(outer, name, steps + 1)
        else:
            meaning = self._names.look_up(file, row.symbol, name, row.line)
        own = bind_type_arguments(self._names, meaning.declarations, type_arguments, file, row.symbol, bound)
        if not own:  # what is called is the value of a variable
            called = self._types.get_owners(meaning, steps=steps + 1)
            own = bind_type_arguments(
                self._names, called.declarations, type_arguments, file, row.symbol, bound
            )
            return self._types.call(replace(called, bound=join_bound(called.bound, own)), steps + 1)
        return self._types.get_owners(
            replace(meaning, bound=join_bound(meaning.bound, own)), is_call=True, steps=steps + 1
        )

    def _follow_name(
        self, file: ScriptFile, row: Reference, is_call: bool, steps: int, bound: Bound
    ) -> Owners:
        if row.name == "this":
            return self._types.evaluate(file, row.symbol, "this", row.line, steps, bound)
        if row.arguments in _TYPES:
            return self._types.find_type(file, row.symbol, row.name, "", steps, row.line, bound=bound)
        if row.name != row.alias:
            rows = find_binds(file, row.symbol, row.name)
            if rows:
                owners = self.follow(file, rows, steps + 1, bound)
                if not is_call:
                    return owners
                return self._types.call(self._inference.infer(file, row, owners, steps + 1), steps + 1)
        meaning = self._names.look_up(file, row.symbol, row.name, row.line, as_type=not is_call)
        if meaning is UNKNOWN:
            return NO_OWNERS if NUMBER in row.name else Owners(external=row.name, is_open=is_call)
        return self._get_value_of(file, row, meaning, is_call, steps)

    def _get_value_of(
        self, file: ScriptFile, row: Reference, meaning: Meaning, is_call: bool, steps: int
    ) -> Owners:
        """Return the owners of what a row means or, with `is_call`, of the result of calling it."""
        if is_call and (file.literals.find_passed_objects(row) or file.find_passed_classes(row)):
            declarations = choose_signatures(self._names, meaning.declarations)
            called = self._types.get_owners(replace(meaning, declarations=declarations), steps=steps + 1)
            known = self._inference.infer(file, row, called, steps + 1)
            if known is not called:
                return self._types.call(known, steps + 1)
        return self._types.get_owners(meaning, is_call=is_call, steps=steps + 1)
