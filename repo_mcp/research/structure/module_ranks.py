"""Compute how strong modules are and in which layers they lie, from the imports between them. Pure.

When two modules import each other, the direction with more imports decides their layers, and the pair is
reported as a cycle. Modules that still form a cycle share a layer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

DAMPING = 0.85
ROUNDS = 40
DECIMALS = 2  # of percent
MAX_CYCLES = 10  # listed for one layer
Counts = Mapping[tuple[str, str], int]  # importing and imported module -> imports


def compute_strengths(names: Sequence[str], counts: Counts) -> dict[str, float]:
    """Compute the PageRank (Page et al. 1999) of modules along their imports, in percent."""
    positions = {name: position for position, name in enumerate(names)}
    out: list[list[tuple[int, int]]] = [[] for _ in names]
    for (source, target), count in sorted(counts.items()):
        out[positions[source]].append((positions[target], count))
    size = max(1, len(names))
    rank = [1.0 / size] * len(names)
    for _ in range(ROUNDS):
        lost = sum(rank[position] for position, links in enumerate(out) if not links)
        following = [(1.0 - DAMPING + DAMPING * lost) / size] * len(names)
        for position, links in enumerate(out):
            total = sum(count for _, count in links)
            for reached, count in links:
                following[reached] += DAMPING * rank[position] * count / total
        rank = following
    return {name: round(100 * rank[position], DECIMALS) for position, name in enumerate(names)}


def build_layers(
    names: Sequence[str], counts: Counts
) -> list[tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]]:
    """Build the layers, lowest first: the names of each, and its cycles and pairs that import each other."""
    ahead = {
        name: [
            target for source, target in sorted(counts) if source == name and _leads(counts, source, target)
        ]
        for name in names
    }
    groups = _find_groups(names, ahead)
    group_of = {name: position for position, group in enumerate(groups) for name in group}
    levels = [0] * len(groups)
    for position, group in enumerate(groups):  # groups come imported first, so the layers below are known
        below = [
            levels[group_of[target]]
            for name in group
            for target in ahead[name]
            if group_of[target] != position
        ]
        levels[position] = 1 + max(below, default=-1)
    cycles: dict[int, list[tuple[str, ...]]] = {}
    for position, group in enumerate(groups):
        if len(group) > 1:
            cycles.setdefault(levels[position], []).append(tuple(sorted(group)))
    for source, target in sorted(counts):
        both = source < target and (target, source) in counts and group_of[source] != group_of[target]
        if both:
            upper = max(levels[group_of[source]], levels[group_of[target]])
            cycles.setdefault(upper, []).append((source, target))
    return [
        (
            tuple(sorted(name for name in names if levels[group_of[name]] == level)),
            tuple(cycles.get(level, ())[:MAX_CYCLES]),
        )
        for level in range(max(levels, default=-1) + 1)
    ]


def _leads(counts: Counts, source: str, target: str) -> bool:
    """Return True unless the other direction has more imports."""
    return counts[source, target] >= counts.get((target, source), 0)


def _find_groups(names: Sequence[str], ahead: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Return the strongly connected components (Tarjan 1972), imported ones before those that import them."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    groups: list[list[str]] = []
    for root in names:
        if root in index:
            continue
        work: list[tuple[str, int]] = [(root, 0)]
        while work:
            name, position = work.pop()
            if position == 0:
                index[name] = low[name] = len(index)
                stack.append(name)
                on_stack.add(name)
            if position < len(ahead[name]):
                work.append((name, position + 1))
                target = ahead[name][position]
                if target not in index:
                    work.append((target, 0))
                elif target in on_stack:
                    low[name] = min(low[name], index[target])
                continue
            if low[name] == index[name]:
                group: list[str] = []
                while not group or group[-1] != name:
                    group.append(stack.pop())
                    on_stack.discard(group[-1])
                groups.append(group)
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[name])
    return groups
