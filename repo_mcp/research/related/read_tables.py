"""Find the tables to which one more of a kind is added: guessed, or read by good functions.

    LOADERS = {                        def find_loader(name):
        "setup.cfg": load_ini,             return LOADERS.get(name)
        "tox.ini": load_ini,
    }

Each entry of a table has a line of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from repo_mcp.bodies.body import measure_indent
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.research.findings.bounds import GLANCE
from repo_mcp.research.findings.locating import is_test_node, may_answer
from repo_mcp.research.findings.named_symbols import VALUES, admits_node, read_body
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState, list_uses
from repo_mcp.research.seeds.seed import Seed, take_seeds
from repo_mcp.text.guessed_names import list_own_names

LOOKED_AT, MOST_TABLES = 6, 2  # best declarations, and tables that they read
MOST_GUESSED, MOST_DECLARING = 3, 20  # tables with guessed names, and files that declare one such name
_GUESSED = Reason("a new one is an entry of it", Role.NAMED_TABLE)
_OF_INSTANCE = re.compile(r"\s*+(?:this|self)\.|\s*+@\w")  # the state of an object is no table
# A type for checkers, and names that are taken out of an object: `const { press, stamp } = tools`
_HOLDS_NAMES = re.compile(
    r"=\s*(?:\w+\.)?(?:Annotated|Callable|Literal|Optional|Tuple|Union)\["
    r"|^\s*(?:export\s+)?(?:const|let|var)\s*[\[{]"
)
_ENDS_ENTRY = re.compile(r",\s*+(?:(?://|#|/\*|--)[^,]*)?$")
_OPENS = re.compile(r"[\[{(][^\])}]*$")
HEAD_LINES = 3  # of a table, in one of which its bracket opens
LEAST_ENTRIES = 3  # of a table, each in a line of its own


def put_tables(state: ResearchState, seeds: Sequence[Seed]) -> list[Seed]:
    """Return the seeds: first the tables that are guessed, and behind each good one its own.

    None are added where the base of a kind is known.
    """
    if any(seed.reason.role in (Role.BASE, Role.ENUMERATION, Role.RETURNED) for seed in seeds):
        return [*seeds]
    named = dict.fromkeys(_list_guessed_tables(state), _GUESSED)
    ordered = take_seeds(state, seeds, named, 1.0)
    seeds = [seed for seed in seeds if seed.node not in named]
    if any(seed.reason.role is Role.LISTS for seed in seeds):  # surer than what others read
        return [*ordered, *seeds]
    readers: dict[Node, Seed] = {}  # of each table, the best one
    for seed in seeds[:LOOKED_AT]:
        for node in _list_tables(state, seed):
            readers.setdefault(node, seed)
    read_by = {
        node: seed
        for node, seed in islice(readers.items(), MOST_TABLES)
        if seed.node not in readers and node not in named
    }
    for seed in seeds:
        if seed.node is None or seed.node not in read_by:
            ordered.append(seed)
        own = [node for node, reader in read_by.items() if reader is seed]
        reason = Reason(f"is a table that {seed.name} reads", Role.TABLE)
        ordered += take_seeds(state, seeds, dict.fromkeys(own, reason), seed.worth)
    return ordered


def _list_guessed_tables(state: ResearchState) -> list[Node]:
    """Return the tables of the program with a guessed name."""
    return [
        node
        for name in list_own_names(state.request.guesses)
        for node in map(state.get_node, state.graph.scan.find_declared(name, MOST_DECLARING))
        if admits_node(state, node) and _is_table(state, node)
    ][:MOST_GUESSED]


def _is_table(state: ResearchState, node: Node) -> bool:
    body = read_body(state, node)
    is_value = node.symbol.kind in VALUES and _HOLDS_NAMES.search(" ".join(body[:HEAD_LINES])) is None
    return is_value and _count_entries(body) >= LEAST_ENTRIES


def _list_tables(state: ResearchState, seed: Seed) -> list[Node]:
    """Return the values of several entries that a declaration reads."""
    if seed.node is None:
        return []
    used = list_uses(state, seed.node, GLANCE, (EdgeType.REFERENCES,))
    nodes = [state.get_node(edge.other) for edge in used if may_answer(edge.other.path)]
    return [
        node
        for node in dict.fromkeys(nodes)
        if state.admits(node.path)
        and not is_test_node(node)
        and _is_table(state, node)
        and not _OF_INSTANCE.match(read_body(state, node)[0])
    ]


def _count_entries(lines: Sequence[str]) -> int:
    """Return the number of entries of a table: the outermost lines below the first that end with a comma.

    A comment may stand behind it. What lies deeper is a part of an entry. Lines that no bracket opens are no
    entries: `int width:4,` declares one of several fields.
    """
    if all(_OPENS.search(line) is None for line in lines[:HEAD_LINES]):
        return 0
    depths = [(measure_indent(line), line) for line in lines[1:] if line.strip()]
    outermost = min((depth for depth, _ in depths[:-1]), default=0)
    return sum(depth == outermost and _ENDS_ENTRY.search(line) is not None for depth, line in depths)
