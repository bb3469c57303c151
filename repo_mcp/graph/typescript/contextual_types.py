"""The contextual types of TypeScript: those of the parameters of a function, or of an object, that is passed
on.

If a function is passed to a call, its parameters have the types that the called function declares for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from repo_mcp.graph.typescript.inference import Inference
from repo_mcp.graph.typescript.members import ITEM_OF, PASSING_ITEMS, SAME_ITEMS, find_binds
from repo_mcp.graph.typescript.names import UNKNOWN, Meaning, ScriptNames
from repo_mcp.graph.typescript.owners import (
    MAX_STEPS,
    NO_OWNERS,
    Bound,
    Owners,
    Written,
    get_passed_item,
    mark_uncertain,
    may_be_items,
)
from repo_mcp.graph.typescript.script_file import ScriptFile
from repo_mcp.graph.typescript.signatures import choose_signatures, list_parameter_types, list_signatures
from repo_mcp.languages.treesitter.scope_walk import NUMBER
from repo_mcp.languages.typescript.walk import EXPECTED
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import ITSELF, RESULT, read_parameter
from repo_mcp.symbols.symbol_record import Reference

_TAKING_FUNCTIONS = PASSING_ITEMS | SAME_ITEMS | ITEM_OF


class Evaluator(Protocol):
    """Tells the owners of chains, of what names mean, and of written types."""

    def evaluate(
        self, file: ScriptFile, ordinal: int, chain: str, line: int, steps: int = 0, bound: Bound = ()
    ) -> Owners:
        """Return the owners of a chain inside a symbol, on a line, or NO_OWNERS."""

    def get_owners(self, meaning: Meaning, *, is_call: bool = False, steps: int = 0) -> Owners:
        """Return the owners of a value's members; NO_OWNERS if unknown."""

    def find_member(self, owners: Owners, name: str, steps: int = 0) -> Meaning:
        """Return the members with a name in owners."""

    def read_each(
        self, each: Iterable[tuple[Written, str, Bound]], steps: int, *, are_one: bool = False
    ) -> Owners:
        """Return the owners of texts, each written at a place: of all, or (`are_one`) of one of several."""


class ContextualTypes:
    """Finds the types of parameters and objects by the calls that they are passed to."""

    def __init__(self, names: ScriptNames, types: Evaluator, inference: Inference) -> None:
        self._names = names
        self._types = types
        self._inference = inference
        self._expected: dict[tuple[Owners, int, int, int], Owners] = {}

    def follow_parameter(self, file: ScriptFile, row: Reference, steps: int, bound: Bound) -> Owners:
        """Return the owners of a parameter or an object, by its contextual type."""
        position, index = read_parameter(row.arguments)
        if row.qualifier:
            outer = self._types.evaluate(file, row.symbol, row.qualifier, row.line, steps + 1, bound)
            if outer.is_items:
                return get_passed_item(outer, row.name, position, index)
            meaning = self._types.find_member(outer, row.name, steps + 1)
            if meaning.external and may_be_items(outer) and row.name in _TAKING_FUNCTIONS:
                return get_passed_item(outer, row.name, position, index)
            if row.name == "then" and meaning is UNKNOWN and (position, index) == (1, 0):
                return outer  # a promise is treated as its result
        elif (
            row.name.startswith(EXPECTED)
            or row.name.endswith("()")
            or (position and find_binds(file, row.symbol, row.name))
        ):
            owners = self._types.evaluate(file, row.symbol, row.name, row.line, steps + 1, bound)
            if position and index != ITSELF:
                owners = self._inference.infer(file, row, owners, steps + 1)
            return self._expect(owners, position, index, steps + 1)
        else:
            meaning = self._names.look_up(file, row.symbol, row.name, row.line, as_type=not position)
        if meaning.external:
            name = "" if row.alias.startswith(EXPECTED) else f".{row.alias.partition(NUMBER)[0]}"
            return Owners(external=meaning.external + name, is_open=True)
        declarations = (
            choose_signatures(self._names, meaning.declarations) if position else meaning.declarations
        )
        owners = self._types.get_owners(replace(meaning, declarations=declarations), steps=steps + 1)
        if position:
            of = row.alias if index == ITSELF else ""
            owners = self._inference.infer(file, row, owners, steps + 1, of=of)
        return self._expect(owners, position, index, steps + 1)

    def _expect(self, owners: Owners, position: int, index: int, steps: int) -> Owners:
        """Return the owners expected of an argument; with `index`, of a parameter of a function there."""
        key = owners, position, index, steps
        found = self._expected.get(key)
        if found is None:
            found = self._expected[key] = self._find_expected(owners, position, index, steps)
        return found

    def _find_expected(self, owners: Owners, position: int, index: int, steps: int) -> Owners:
        if steps > MAX_STEPS or owners.is_items:
            return NO_OWNERS
        if owners.external:
            return replace(owners, is_open=True)
        is_mixed = owners.is_mixed
        if position:
            declared = list_signatures(self._names, owners)
            owners = self._types.read_each(list_parameter_types(declared, position - 1), steps, are_one=True)
        if index != ITSELF:
            is_mixed |= owners.is_mixed
            taken = list(list_signatures(self._names, owners))
            results = [(at, result, bound) for _, result, at, bound in taken if result]
            expected = results if index == RESULT else list_parameter_types(taken, index)
            owners = self._types.read_each(expected, steps)
        return mark_uncertain(owners) if is_mixed else owners
