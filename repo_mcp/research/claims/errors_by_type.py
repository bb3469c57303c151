"""Tell the errors of each type that declares the function whose errors are asked for.

    Errors that arise in Reader.read (…:12-30): NoRow "no row" (:14). In Store.read (…): Locked "…" (…:8).
    Memory.read (…) and what it calls are not known to cause an error.

One list of all would not tell which type raises what. An error is told once, where it is met first.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.research.errors.made import join_errors, list_arising
from repo_mcp.research.findings.citing import cite, join_names, name_briefly
from repo_mcp.research.findings.research_state import ResearchState, build_finding

ERRORS_OF_ALL, LEAST_OF_TYPE = 16, 3  # errors told of all types together, and of one
MOST_CITED = 3  # overloads


def describe_types(state: ResearchState, grouped: Sequence[Sequence[Node]]) -> str:
    """Return the errors of each of several types, then those types whose functions are not known to fail."""
    found = [(own, *_list_reached(state, own, grouped)) for own in grouped]
    listed = [(own, _list_arising(state, [*own, *below]), passed) for own, below, passed in found]
    told, quiet = list[str](), list[str]()
    seen: set[str] = set()
    failing = sum(1 for _, errors, _ in listed if errors)
    quiet_ones = {own[0] for own, errors, _ in listed if not errors}
    most = max(LEAST_OF_TYPE, ERRORS_OF_ALL // max(1, failing))
    for own, errors, passed in listed:
        fresh = [one for one in errors if one not in seen]
        again = dict.fromkeys(one.partition(" (")[0].partition(" ")[0] for one in errors if one in seen)
        seen.update(errors)
        on = [one for one in passed if one not in quiet_ones]
        said = [join_errors(fresh, most, own[0].path)] if fresh else []
        said += [f"again {join_names(again)}"] if again and not on else []
        raises = "raises" if len(on) == 1 else "raise"
        said += [f"what {join_names(map(name_briefly, on))} {raises}"] if on else []
        told += [f"{_name(own)}: {', and '.join(said)}"] if said else []
        quiet += [] if said else [_name(own)]
    arising = f"Errors that arise in {'. In '.join(told)}." if told else ""
    are, calls = ("is", "it calls") if len(quiet) == 1 else ("are", "they call")
    none = f"{join_names(quiet)} {are} not known to cause an error, nor is what {calls}." if quiet else ""
    return " ".join(filter(None, (arising, none)))


def _list_reached(
    state: ResearchState, own: Sequence[Node], grouped: Sequence[Sequence[Node]]
) -> tuple[list[Node], list[Node]]:
    """Return what fails below the functions of a type, and the namesakes of other types that they call."""
    others = {node: group[0] for group in grouped if group is not own for node in group}
    reached, passed = dict.fromkeys(own), dict[Node, None]()
    waiting = [*own]
    while waiting:
        for node in state.failures.leads.get(waiting.pop(), {}):
            if node in others:
                passed[others[node]] = None
            elif node not in reached:
                reached[node] = None
                waiting.append(node)
    return [node for node in state.failures.failing if node in reached], [*passed]


def _list_arising(state: ResearchState, functions: Sequence[Node]) -> list[str]:
    """Return the errors of some functions with places and conditions, or the place of one without a name."""
    named, unnamed = list_arising(state, [build_finding(node) for node in functions])
    return named or [f"an error at {place}" for place in unnamed[:1]]


def _name(own: Sequence[Node]) -> str:
    """Return the name of a function with the places of its overloads."""
    cited = [cite(node) for node in own[:MOST_CITED]]
    cited[1:] = [one.removeprefix(own[0].path) for one in cited[1:]]
    more = f" and {len(own) - MOST_CITED} more" if len(own) > MOST_CITED else ""
    return f"{name_briefly(own[0]).partition(' (')[0]} ({', '.join(cited)}{more})"
