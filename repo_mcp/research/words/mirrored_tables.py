"""Find what repeats the keys of a table: other tables, and documents that list them.

    Functions = {"abs": signature, ...}      Calls = {"abs": call_abs, ...}      docs/functions.md: `abs()`

Who adds an entry to one has to add it to the others, too. Keys are compared without case and underscores.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from repo_mcp.bundler.body import measure_indent
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.model import ExactMatch, ExactRequest
from repo_mcp.research.findings.locating import is_aside, is_test_node
from repo_mcp.research.findings.named_symbols import VALUES, admits_node, read_body
from repo_mcp.research.findings.research_state import ResearchState, list_users
from repo_mcp.research.kinds.derived_types import GLANCE
from repo_mcp.research.question.phrase_names import fold_name, write_snake
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS
from repo_mcp.text.question_words import count_words
from repo_mcp.text.roles import FileRole, find_role

LEAST_KEYS, LEAST_SHARED = 4, 0.5  # of a table, and of its keys that a mirror has
MOST_SEARCHED, MOST_MATCHES = 2, 60  # keys that are searched for, and lines with one
MOST_MIRRORS = 3
# What begins an entry: `"abs": call,`, `[ABS] = call,`, `(abs, call),`.
_KEY = re.compile(r"\s*[\[({]?\s*[\"'`:]?([A-Za-z_][\w.-]*)[\"'`]?\]?\s*(?::|=>|=|,)")
_WORD = re.compile(r"\w+")


def list_keys(state: ResearchState, table: Node) -> list[str]:
    """Return the keys of a table: the names with which its outermost lines begin."""
    lines = [line for line in read_body(state, table)[1:] if line.strip()]
    outermost = min((measure_indent(line) for line in lines[:-1]), default=0)
    found = (_KEY.match(line) for line in lines[:-1] if measure_indent(line) == outermost)
    return [*dict.fromkeys(one[1] for one in found if one is not None)]


def list_mirrors(state: ResearchState, table: Node) -> list[tuple[Node, int]]:
    """Return other tables of the program with most keys of a table, each with the number of these."""
    keys = list_keys(state, table)
    known = {table}
    found: list[tuple[Node, int]] = []
    for match in _iter_matches(state, keys):
        node = _find_outermost_value(state, match)
        if node is None or node in known or not admits_node(state, node):
            continue
        known.add(node)
        shared = {fold_name(one) for one in keys}.intersection(map(fold_name, list_keys(state, node)))
        if len(shared) >= LEAST_SHARED * len(keys):
            found.append((node, len(shared)))
    return sorted(found, key=lambda one: (-one[1], one[0].path))[:MOST_MIRRORS]


def _iter_matches(state: ResearchState, keys: Sequence[str]) -> Iterator[ExactMatch]:
    """Yield the lines that have one of the most telling keys of a table, perhaps in small letters."""
    telling = sorted(keys, key=lambda one: (-count_words(one), -len(one)))[:MOST_SEARCHED]
    spelled = dict.fromkeys(one for key in telling for one in (key, write_snake(key)))
    for key in spelled if len(keys) >= LEAST_KEYS else ():
        state.check()
        request = ExactRequest(key, whole_word=True, include_tests=False, limit=MOST_MATCHES, by_role=True)
        yield from state.source.search_exact(request).matches


def _find_outermost_value(state: ResearchState, match: ExactMatch) -> Node | None:
    """Return the outermost value of a file whose lines include a match; None if there is none."""
    record = state.graph.scan.find_record(match.path)
    if record is None:
        return None
    ends = record.starts + record.spans
    around = np.flatnonzero((record.starts <= match.start_line) & (ends >= match.start_line)).tolist()
    values = [ordinal for ordinal in around if ordinal and record.get_kind(ordinal) in VALUES]
    outermost = max(values, key=lambda ordinal: int(record.spans[ordinal]), default=None)
    return None if outermost is None else state.get_node(Declaration(match.path, outermost))


def list_documents(state: ResearchState, table: Node) -> list[str]:
    """Return the documents that name most keys of a table, those with most of them first."""
    keys = [fold_name(one) for one in list_keys(state, table)]
    paths = dict.fromkeys(
        match.path
        for match in _iter_matches(state, list_keys(state, table))
        if find_role(match.path) is FileRole.DOCS and not is_aside(match.path) and state.admits(match.path)
    )
    counts = {
        path: len(
            {*keys}.intersection(map(fold_name, _WORD.findall("\n".join(state.source.read_lines(path)))))
        )
        for path in paths
    }
    return sorted(
        (path for path in paths if counts[path] >= LEAST_SHARED * len(keys)), key=lambda path: -counts[path]
    )


def list_comparing(state: ResearchState, tables: Sequence[Node]) -> list[Node]:
    """Return the tests that use the first two of some tables: they may compare these."""
    users = [
        {edge.other for edge in list_users(state, table, GLANCE, (EdgeType.REFERENCES,))}
        for table in tables[:2]
    ]
    both = set.intersection(*users) if len(users) > 1 else set()
    nodes = [state.get_node(one) for one in sorted(both, key=lambda one: (one.path, one.ordinal))]
    return [node for node in nodes if is_test_node(node) and node.symbol.kind in CALLABLE_KINDS]
