"""Weighs the targets of a name in C# by the `#if` conditions around them.

A declaration that is never compiled together with the use is not meant. If it has a condition that the use
lacks, the name means something else where the condition does not hold: a twin under the opposite condition,
so that each of them is probable, or a declaration of another assembly. The parts of a partial type are one
type: if some of them have conditions, the name means the type all the same.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from repo_mcp.graph.csharp.csharp_file import CSharpFile
from repo_mcp.graph.csharp.names import CSharpNames
from repo_mcp.graph.program import SURENESS, Confidence, Declaration, Resolution, Target
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import CONDITIONS
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolFlag, list_references

Held = frozenset[str]  # conditions, all of which hold on a line


class CSharpConditions:
    """Judges the targets of names by the conditions around both lines."""

    def __init__(self, names: CSharpNames) -> None:
        self._names = names
        self._by_path: dict[str, list[tuple[int, Held]]] = {}

    def weigh(self, file: CSharpFile, line: int, name: str, found: Resolution) -> Resolution:
        """Return the resolution without targets that are never compiled together with the use.

        Conditions may lower the confidence of the others. If no target is left, the name is external.
        """
        held = [self._find_declared(one) for one in found.targets]
        if not any(held):
            return found
        use = self._find_held(file, line)
        kept = [number for number, one in enumerate(held) if not excludes(use, one)]
        if not kept:
            return Resolution(external=name)
        declared = [held[number] for number in kept]
        targets = [found.targets[number] for number in kept]
        if len(kept) > 1 and all(_has_twin(one, declared) for one in declared):
            return replace(
                found, targets=tuple(replace(one, confidence=Confidence.PROBABLE) for one in targets)
            )
        weakened = [_weaken_target(one, use, own) for one, own in zip(targets, declared, strict=True)]
        return replace(found, targets=tuple(self._join_parts(weakened)))

    def _join_parts(self, targets: list[Target]) -> list[Target]:
        """Return the targets with all parts of a partial type as sure as the surest of them."""
        parts = [one for one in targets if self._is_part(one.declaration)]
        if len(parts) < 2:
            return targets
        surest = min((one.confidence for one in parts), key=SURENESS.__getitem__)
        return [replace(one, confidence=surest) if one in parts else one for one in targets]

    def _is_part(self, declaration: Declaration) -> bool:
        file = self._names.find_file(declaration.path)
        return file is not None and bool(int(file.record.flags[declaration.ordinal]) & SymbolFlag.PARTIAL)

    def _find_declared(self, target: Target) -> Held:
        file = self._names.find_file(target.declaration.path)
        if file is None:
            return frozenset()
        ordinal = target.declaration.ordinal
        first = int(file.record.starts[ordinal])
        last = first + int(file.record.spans[ordinal])
        # Leave out conditions around attributes alone.
        return self._find_held(file, first) & self._find_held(file, last)

    def _find_held(self, file: CSharpFile, line: int) -> Held:
        """Return the conditions that hold on a line."""
        if file.path not in self._by_path:
            self._by_path[file.path] = _read_rows(file)
        rows = self._by_path[file.path]
        number = bisect_right(rows, line, key=lambda one: one[0])
        return rows[number - 1][1] if number else frozenset()


def _read_rows(file: CSharpFile) -> list[tuple[int, Held]]:
    """Return the first line of each change of conditions, with the conditions from there on, ascending."""
    if CONDITIONS not in file.record.strings:
        return []
    rows = (row for row in list_references(file.record, ReferenceRole.BIND) if row.alias == CONDITIONS)
    found = ((row.line, frozenset(row.name.split(";") if row.name else ())) for row in rows)
    return sorted(found, key=lambda one: one[0])


def _weaken_target(target: Target, use: Held, declared: Held) -> Target:
    if all(is_implied(one, use) for one in declared):
        return target
    is_related = bool(use - declared)  # a project that defines one of the symbols may well define the other
    most = Confidence.PROBABLE if is_related else Confidence.POSSIBLE
    order = list(Confidence)
    return replace(target, confidence=max(target.confidence, most, key=order.index))


def _has_twin(one: Held, all_held: Sequence[Held]) -> bool:
    return any(excludes(one, other) for other in all_held)


def excludes(one: Held, other: Held) -> bool:
    """Return whether two lines are never compiled together."""
    return any(is_implied(deny(each), other) for each in one) or any(
        is_implied(deny(each), one) for each in other
    )


def is_implied(condition: str, held: Held) -> bool:
    """Return whether a condition follows from others."""
    if condition in held:
        return True
    if "||" in condition:
        return any(is_implied(one, held) for one in condition.split("||"))
    return "&&" in condition and all(is_implied(one, held) for one in condition.split("&&"))


def deny(condition: str) -> str:
    """Return the negation of a condition; "" if it mixes "&&" and "||"."""
    if "(" in condition or ("||" in condition and "&&" in condition):
        return ""
    for joint, opposite in (("||", "&&"), ("&&", "||")):
        if joint in condition:
            return opposite.join(deny(one) for one in condition.split(joint))
    return condition[1:] if condition.startswith("!") else f"!{condition}"
