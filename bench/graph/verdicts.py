"""Judge our edges by a compiler's, and print the figures.

An edge is a name on a line and a declaration. An edge of ours is

- right where the compiler has that declaration
- a twin where it is probable, beside a right one: the compiler sees one platform
- open where the compiler leads to a member of a trait or an interface and we to one that implements it, or
  where the compiler could not choose among candidates, of which ours is one
- wrong where the compiler has another declaration for the name
- unjudged where the compiler says nothing of the name
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.graph.served import collect_served
from repo_mcp.graph.program import Confidence, Declaration, Program, Resolver, Target
from repo_mcp.symbols.model import DeclaredSymbol
from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.repo_mcp.graph.each_resolver import EachResolver
from tests.repo_mcp.graph.memory_program import MemoryProgram

Use = tuple[str, int, str]  # path, line, name
Place = tuple[str, int]
OUTSIDE = "<outside>"  # the path of what is declared in another tree, as the programs of oracles print it
CANDIDATE = "Candidate"  # the kind of what the compiler could not choose among
OF_OURS = ("right", "wrong", "twin", "open", "unjudged")
_SKIPPED = frozenset({ReferenceRole.BIND, ReferenceRole.IMPORT, ReferenceRole.EXPORT})
_SHOWN = ("exact", "probable", "open", "missed")
_MOST_SHOWN_PLACES = 2


@dataclass(slots=True)
class Answers:
    """The declarations that a compiler gives for each use of a name, and their kind."""

    places: dict[Use, set[Place]] = field(default_factory=lambda: defaultdict(set))
    kinds: dict[Use, str] = field(default_factory=dict)
    implementing: dict[Place, set[Place]] = field(default_factory=lambda: defaultdict(set))  # by what they do
    candidates: dict[Use, set[Place]] = field(default_factory=lambda: defaultdict(set))  # beside the places


IsRight = Callable[[Declaration, set[Place], str], bool]  # ours, the compiler's places, their kind


@dataclass(slots=True)
class Verdicts:
    """Our edges by confidence and verdict, and the uses that exact and probable ones find."""

    edges: dict[tuple[Confidence, str], list[tuple[Use, Declaration]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    found: set[Use] = field(default_factory=set)


def read_answers(file: Path) -> Answers:
    """Return the answers for a tree."""
    answers = Answers()
    with file.open(encoding="utf-8") as rows:
        for row in rows:
            path, line, name, declared, kind = json.loads(row)
            if kind == CANDIDATE:
                answers.candidates[path, line, name].add(tuple(declared))
                continue
            answers.places[path, line, name].add(tuple(declared))
            answers.kinds.setdefault((path, line, name), kind)
    return answers


def read_texts(tree: Path, suffix: str) -> dict[str, bytes]:
    """Return the files of a tree with a suffix, by path."""
    files = [one for one in sorted(tree.rglob(f"*{suffix}")) if one.is_file()]
    return {file.relative_to(tree).as_posix(): file.read_bytes() for file in files}


def iter_ours(
    program: MemoryProgram, paths: Iterable[str], make_resolver: Callable[[Program], Resolver] = EachResolver
) -> Iterator[tuple[Use, Sequence[Target]]]:
    """Yield each use in the files that a compiler read, with the target that we give; some come twice."""
    resolver = make_resolver(program)
    for path in sorted(set(paths)):
        record = program.find_record(path)
        for reference in map(record.get_reference, range(record.reference_count)) if record else ():
            if reference.role not in _SKIPPED:
                assert record is not None
                use = path, reference.line, reference.name
                yield use, resolver.resolve(path, record, reference).targets


def find_place(program: MemoryProgram, one: Declaration) -> Place:
    """Return the path and first line of a declaration of ours."""
    record = program.find_record(one.path)
    assert record is not None
    return one.path, int(record.starts[one.ordinal])


def is_in_head(
    places: Iterable[Place], path: str, symbols: Sequence[DeclaredSymbol], head_lines: int
) -> bool:
    """Return whether one of the compiler's places is in the head of one of our symbols in a file.

    A head ends at the name, at most `head_lines` after the first line: attributes and modifiers precede it.
    """
    return any(
        place == path and symbol.start_line <= line <= min(symbol.end_line, symbol.start_line + head_lines)
        for place, line in places
        for symbol in symbols
    )


def judge(ours: Iterable[tuple[Use, Sequence[Target]]], answers: Answers, is_right: IsRight) -> Verdicts:
    """Compare our edges with the compiler's."""
    verdicts = Verdicts()
    for use, targets in ours:
        places, kind = answers.places.get(use, set()), answers.kinds.get(use, "")
        members = {one for place in places for one in answers.implementing.get(place, ())}
        members |= answers.candidates.get(use, set())
        right = [one for one in targets if is_right(one.declaration, places, kind)]
        is_found = False
        for target in targets:
            is_beside = bool(right) and target.confidence is Confidence.PROBABLE
            is_open = bool(members) and is_right(target.declaration, members, kind)
            verdict = "right" if target in right else "open" if is_open else "twin" if is_beside else "wrong"
            verdicts.edges[target.confidence, verdict if places else "unjudged"].append(
                (use, target.declaration)
            )
            is_found |= (target in right or is_open) and target.confidence is not Confidence.POSSIBLE
        if is_found:
            verdicts.found.add(use)
    return verdicts


def add_options(parser: argparse.ArgumentParser, *shown: str) -> None:
    """Add the options that all comparisons have; `shown` are further words after `--show`."""
    parser.add_argument("tree", type=Path)
    parser.add_argument("answers", type=Path)
    parser.add_argument("--show", choices=(*_SHOWN, *shown))
    parser.add_argument("--most", type=int, default=40, help="edges shown, drawn by a fixed seed")
    parser.add_argument("--served", action="store_true", help="ours over stdio, page after page")


def compare(
    program: MemoryProgram,
    texts: Mapping[str, bytes],
    answers: Answers,
    is_right: IsRight,
    given: argparse.Namespace,
    make_resolver: Callable[[Program], Resolver] = EachResolver,
) -> None:
    """Judge all our edges in the files that the compiler read, and print the figures, and edges if asked."""
    ours: Iterable[tuple[Use, Sequence[Target]]]
    if given.served:
        read = {path for path, _, _ in answers.places}
        served = collect_served(given.tree, program, texts).targets
        ours = ((use, targets) for use, targets in served.items() if use[0] in read)
    else:
        ours = iter_ours(program, (path for path, _, _ in answers.places), make_resolver)
    verdicts = judge(ours, answers, is_right)
    sure: Counter[str] = Counter()
    for confidence in Confidence:
        counts = Counter({one: len(verdicts.edges[confidence, one]) for one in OF_OURS})
        print(f"{confidence:9} {_say(counts)}")
        if confidence is not Confidence.POSSIBLE:
            sure += counts
    print(f"{'both':9} {_say(sure)}")
    inside = {use for use, places in answers.places.items() if any(path != OUTSIDE for path, _ in places)}
    missed = sorted(inside - verdicts.found)
    print(f"recall of exact and probable {1 - len(missed) / max(1, len(inside)):.3f} of {len(inside)} uses")
    for kind, count in sorted(Counter(answers.kinds[use] for use in inside).items()):
        lost = sum(answers.kinds[use] == kind for use in missed)
        print(f"    {kind:20} {1 - lost / count:.3f} of {count}")
    if given.show in _SHOWN:
        edges: list[tuple[Use, Declaration | None]] = [(use, None) for use in missed]
        if given.show != "missed":
            is_open = given.show == "open"
            shown = Confidence.EXACT if is_open else Confidence(given.show)
            edges = list(verdicts.edges[shown, "open" if is_open else "wrong"])
        _show(program, random.Random(1).sample(edges, min(given.most, len(edges))), answers, texts)


def _say(counts: Counter[str]) -> str:
    share = counts["right"] / max(1, counts["right"] + counts["wrong"])
    words = " ".join(f"{name} {counts[name]}" for name in OF_OURS)
    return f"precision {share:.4f}: {words}"


def _show(
    program: MemoryProgram,
    edges: Sequence[tuple[Use, Declaration | None]],
    answers: Answers,
    texts: Mapping[str, bytes],
) -> None:
    for use, ours in edges:
        path, line, name = use
        text = texts[path].split(b"\n")[line - 1].decode("utf-8", "replace").strip()[:150]
        print(f"{path}:{line} {name} ({answers.kinds[use]})\n    {text}")
        if ours is not None:
            print(f"    ours: {find_place(program, ours)}")
        print(f"    theirs: {sorted(answers.places[use])[:_MOST_SHOWN_PLACES]}")
