"""Compare references as we resolve them with those of a precise indexer.

An edge is a name on a line of a file and a declaration in the repository. Ours are those called `exact` and
`probable`. The indexer's are its occurrences whose symbol is defined in the repository and is no parameter,
local variable and no module. A name that occurs twice on a line counts once, and may mean either.

An edge of ours is right where the indexer has its declaration for that name, and wrong where it has another
one or something of the standard library. It is not judged where the indexer knows nothing of the name, such
as behind a receiver without a type. Strict precision counts those as wrong.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from bench.graph.scip import LOCAL, Occurrence, ScipIndex
from bench.graph.served import ServedEdges
from repo_mcp.graph.program import Confidence, Declaration, Program, Resolver
from repo_mcp.symbols.symbol_record import ReferenceRole

Place = tuple[str, int, str]  # path, line, name
MAX_HEAD_LINES = 100  # of a declaration above its name: decorators
_SKIPPED = frozenset({ReferenceRole.BIND, ReferenceRole.EXPORT})
_PARAMETER = re.compile(r"\(\w*\)$")
_LAST_NAME = re.compile(r"[/#.]`?(\w+)`?(?:#|\.|\(\w*\)\.)$")
_LIBRARY = " python-stdlib "  # in the symbols of what is outside for certain
_DEFINES = re.compile(r"\s*(?:async\s+)?def\s+")
_CALLED = re.compile(r"\s*\(")
_DECORATES = re.compile(r"\s*@[\w.]*$")


@dataclass(slots=True)
class Sides:
    """The claims of both sides about one package."""

    ours: dict[Place, list[tuple[Declaration, Confidence]]] = field(default_factory=dict)
    our_calls: set[Place] = field(default_factory=set)
    theirs: dict[Place, set[tuple[str, int]]] = field(default_factory=dict)  # path and line of declarations
    their_calls: set[Place] = field(default_factory=set)
    foreign: set[Place] = field(default_factory=set)  # names that they say are outside
    doubtful: set[Place] = field(default_factory=set)  # where they say something of another name

    def take_served(self, served: ServedEdges) -> None:
        """Use what a server says as our side."""
        self.our_calls = served.calls
        self.ours = {
            place: [(one.declaration, one.confidence) for one in targets]
            for place, targets in served.targets.items()
        }


@dataclass(slots=True)
class Score:
    """Counts of edges."""

    right: int = 0
    wrong: int = 0
    unjudged: int = 0
    found: int = 0
    missed: int = 0

    @property
    def precision(self) -> float:
        """Return the share of what is right in what is judged."""
        return self.right / max(1, self.right + self.wrong)

    @property
    def strict_precision(self) -> float:
        """Return the share of what is right in everything that we claim."""
        return self.right / max(1, self.right + self.wrong + self.unjudged)

    @property
    def recall(self) -> float:
        """Return the share of the indexer's edges that we found."""
        return self.found / max(1, self.found + self.missed)


def collect(program: Program, resolver: Resolver, index: ScipIndex, texts: dict[str, list[str]]) -> Sides:
    """Collect both sides, for the files that both have."""
    sides = Sides()
    for path in sorted(set(index.occurrences) & set(texts)):
        _collect_ours(path, program, resolver, sides)
        for one in index.occurrences[path]:
            _add_theirs(path, one, index, texts[path], sides)
    return sides


def _collect_ours(path: str, program: Program, resolver: Resolver, sides: Sides) -> None:
    structure = program.find_record(path)
    if structure is None:
        return
    for row in range(structure.reference_count):
        reference = structure.get_reference(row)
        if reference.role in _SKIPPED:
            continue
        ordinal = (path, reference.line, reference.name)
        for target in resolver.resolve(path, structure, reference).targets:
            if target.confidence is Confidence.POSSIBLE or not target.declaration.ordinal:
                continue
            sides.ours.setdefault(ordinal, []).append((target.declaration, target.confidence))
            if reference.role is ReferenceRole.CALL:
                sides.our_calls.add(ordinal)


def _add_theirs(path: str, one: Occurrence, index: ScipIndex, lines: list[str], sides: Sides) -> None:
    line = lines[one.line - 1] if one.line <= len(lines) else ""
    name = line[one.start : one.end]
    if not name.isidentifier() or one.symbol.startswith(LOCAL) or _PARAMETER.search(one.symbol):
        return
    ordinal = (path, one.line, name)
    last = _LAST_NAME.search(one.symbol)
    if last is None or last[1] != name:
        sides.doubtful.add(ordinal)  # a module, a name that an import gives, or a mistake: see the README
        return
    defined = index.definitions.get(one.symbol)
    if defined is None:
        if _LIBRARY in one.symbol:
            sides.foreign.add(ordinal)
    elif one.is_definition or _DEFINES.fullmatch(line[: one.start]):
        # Where a name is reassigned they define it again: no reference, but no mistake of ours either. A
        # property's setter, and each overload but the first, they call a reference where it is defined.
        sides.theirs.setdefault(ordinal, set())
    else:
        sides.theirs.setdefault(ordinal, set()).update(defined)
        if _CALLED.match(line, one.end) or _DECORATES.match(line[: one.start]):
            sides.their_calls.add(ordinal)


def is_declared_at(program: Program, declaration: Declaration, defined: set[tuple[str, int]]) -> bool:
    """Return whether a declaration of ours is one of theirs, or beside one with the same name.

    Among overloads, a property's getter and setter, and the branches of an `if`, they name the first.
    """
    structure = program.find_record(declaration.path)
    if structure is None:
        return False
    symbol = structure.get_symbol(declaration.ordinal)
    beside = (structure.get_symbol(one) for one in structure.find_symbols(symbol.name))
    starts = [one.start_line for one in beside if one.parent == symbol.parent]
    return any(
        path == declaration.path and start <= line <= start + MAX_HEAD_LINES
        for path, line in defined
        for start in starts
    )


def iter_verdicts(
    program: Program, sides: Sides, calls_only: bool
) -> Iterator[tuple[str, Place, list[tuple[Declaration, Confidence]]]]:
    """Yield "right", "wrong", "unjudged", "found" or "missed", the place, and what we say of it."""
    for ordinal, targets in sorted(sides.ours.items()):
        if calls_only and ordinal not in sides.our_calls:
            continue
        defined = sides.theirs.get(ordinal)
        unique = sorted(set(targets), key=lambda one: (one[0].path, one[0].ordinal, one[1]))
        if defined is not None and not defined:
            continue
        if defined is None:
            yield ("wrong" if ordinal in sides.foreign else "unjudged"), ordinal, unique
            continue
        hits = [one for one in unique if is_declared_at(program, one[0], defined)]
        for one in unique:
            other = "unjudged" if ordinal in sides.doubtful else "wrong"
            yield ("right" if one in hits else other), ordinal, [one]
    for ordinal, defined in sorted(sides.theirs.items()):
        if not defined or (calls_only and ordinal not in sides.their_calls):
            continue
        targets = sides.ours.get(ordinal, [])
        found = any(is_declared_at(program, one[0], defined) for one in targets)
        yield ("found" if found else "missed"), ordinal, targets


def score(program: Program, sides: Sides, calls_only: bool) -> Score:
    """Count the verdicts on a package."""
    counts = Counter(verdict for verdict, _, _ in iter_verdicts(program, sides, calls_only))
    return Score(**{name: counts[name] for name in ("right", "wrong", "unjudged", "found", "missed")})
