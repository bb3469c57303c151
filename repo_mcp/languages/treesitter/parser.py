"""Captured nodes of a text, by tree-sitter. No other module parses texts with it.

A grammar is loaded with the first text of its language (`grammars`), in the process that can be killed;
nothing here may be called in another process. A query is one or more files in `queries`.

The cost of a text is bounded. Texts above MAX_PARSED_BYTES are not read; parsing stops after MAX_CPU_SECONDS
of this process's time; nodes below MAX_DEPTH, where each costs its depth, are not searched, nor is the rest
of a text from a very long row of tokens in an error, where each costs all those after it; only the first
MAX_CAPTURES nodes are returned. Omissions are reported, as are errors in the tree. Parsing and matching keep
their own stacks. A grammar's own scanner could still crash on a text; that ends the process, and the parent
remembers the text.

Left out on purpose: the library's progress callback for matching, which crashes in 0.26.1. The one for
parsing crashes in 0.25.2 and 0.26.0, which pyproject.toml therefore excludes.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from itertools import cycle
from operator import attrgetter

import numpy as np
from tree_sitter import Language, Node, Parser, Query, QueryCursor, Tree

from repo_mcp.languages.treesitter.grammars import load_language
from repo_mcp.record_classes import dataclass

__all__ = ["MAX_PARSED_BYTES", "Captures", "Node", "find_captures"]

MAX_PARSED_BYTES = 3_000_000  # a tree takes up to 160 bytes per byte; the process has a gigabyte
MAX_NODES = 1_500_000  # of a larger tree only about this many are searched, from the beginning of the text
MAX_CAPTURES = 400_000  # 6 us each; the process has 5 s
MAX_CPU_SECONDS = 3.0  # of the 5 s that the process has for one text
MAX_MATCHES = 1_024  # in progress at once; more of them make matching quadratic
MAX_DEPTH = 1_000
MAX_PASSED = 100_000_000  # siblings in an error that are skipped in search of the next named one: 1 ns each
_READ_BYTES = 1 << 16
_STEPS_PER_LOOK = 32  # of parsing: looking at the clock takes 1 us, a step 20 to 50
_OFFSET_BITS, _RANK_BITS = 24, 8
assert MAX_PARSED_BYTES < 1 << _OFFSET_BITS
_get_start, _get_end = attrgetter("start_byte"), attrgetter("end_byte")


@dataclass(frozen=True, slots=True)
class Captures:
    """The nodes that a query captured in a text."""

    nodes: dict[str, list[Node]]  # name of a capture -> its nodes, ascending by start
    is_complete: bool  # True: no errors in the tree and nothing left out
    broken_bytes: int = 0  # in errors of the tree, of which the captures tell little

    def iter_in_order(self, names: Iterable[str]) -> Iterator[tuple[int, int, int, Node]]:
        """Yield (start byte, end byte, position in `names`, node), by start, longest first, then position.

        Sorted as one int64 column: tuples take three times as long.
        """
        found = [self.nodes.get(name, ()) for name in names]
        nodes = [node for group in found for node in group]
        starts = np.fromiter(map(_get_start, nodes), np.int64, len(nodes))
        ends = np.fromiter(map(_get_end, nodes), np.int64, len(nodes))
        ranks = np.repeat(np.arange(len(found)), [len(group) for group in found])
        keys = (starts << _OFFSET_BITS) + ((1 << _OFFSET_BITS) - 1 - ends)
        order = np.argsort(keys << _RANK_BITS | ranks, kind="stable")
        ordered = [nodes[number] for number in order.tolist()]
        return zip(starts[order].tolist(), ends[order].tolist(), ranks[order].tolist(), ordered, strict=True)


def find_captures(dialect: str, queries: tuple[str, ...], text: bytes) -> Captures | None:
    """Return the captures of a text by some query files; None if it is too large or too slow to parse.

    Raises ImportError or ValueError, as `load_language` does, and ImportError without the file of a query.
    """
    if len(text) > MAX_PARSED_BYTES:
        return None
    deadline = time.process_time() + MAX_CPU_SECONDS
    language, query = _load_query(dialect, queries)
    tree = _parse(language, text, deadline)
    if tree is None:
        return None
    is_deep, end = _bound_search(tree, len(text))
    if is_cut := end < len(text):
        text = text[:end]
        tree = _parse(language, text, deadline)
        if tree is None or _bound_search(tree, end)[1] < end:
            return None
    cursor = QueryCursor(query, match_limit=MAX_MATCHES)
    cursor.set_max_start_depth(MAX_DEPTH)
    root = tree.root_node
    is_dense = root.descendant_count > MAX_NODES
    if is_dense:
        cursor.set_byte_range(0, len(text) * MAX_NODES // root.descendant_count)
    nodes = cursor.captures(root)
    is_complete = not (is_cut or is_deep or is_dense or root.has_error or cursor.did_exceed_match_limit)
    if sum(map(len, nodes.values())) > MAX_CAPTURES:
        nodes = _keep_first(nodes)
        is_complete = False
    return Captures(nodes, is_complete, _count_broken(root) if root.has_error else 0)


def _count_broken(root: Node) -> int:
    """Return the bytes of a tree that are in errors, each missing token being one."""
    count, left = 0, [root]
    while left:
        node = left.pop()
        if node.is_error:
            count += node.end_byte - node.start_byte
        elif node.is_missing:
            count += 1
        else:
            left += (child for child in node.children if child.has_error)
    return count


def _parse(language: Language, text: bytes, deadline: float) -> Tree | None:
    """Return the tree of a text; None when this process's time was over before it was parsed."""
    turns = cycle([True, *[False] * (_STEPS_PER_LOOK - 1)])

    def read(start: int, _: object) -> bytes:
        return text[start : start + _READ_BYTES]

    def is_over(_: object, __: object) -> bool:
        return next(turns) and time.process_time() > deadline

    try:
        return Parser(language).parse(read, progress_callback=is_over)
    except ValueError:
        return None  # the deadline stopped it


def _keep_first(nodes: dict[str, list[Node]]) -> dict[str, list[Node]]:
    """Return the captures that start before the one numbered MAX_CAPTURES."""
    starts = sorted(node.start_byte for found in nodes.values() for node in found)
    end = starts[MAX_CAPTURES]
    return {name: [node for node in found if node.start_byte < end] for name, found in nodes.items()}


def _bound_search(tree: Tree, end: int) -> tuple[bool, int]:
    """Return whether some nodes are deeper than MAX_DEPTH, so that they are not searched, and where to stop.

    For each child of an error, matching looks for the next named sibling: among n unnamed tokens this takes n
    * n / 2 steps, whatever part of the text is searched. The search ends at the start of the row in which all
    steps together exceed MAX_PASSED.
    """
    cursor = tree.walk()
    above: list[bool] = []  # of each node above this one, whether it is an error
    row = row_start = passed = 0
    is_deep = False
    while True:
        node = cursor.node
        assert node is not None
        if above and above[-1] and not node.is_named:
            row_start = row_start if row else node.start_byte
            row += 1
            passed += row
            if passed > MAX_PASSED:
                return is_deep, row_start
        else:
            row = 0
        # A node with few descendants can be neither deep nor wide, and most have few.
        if node.descendant_count + len(above) > MAX_DEPTH + 1:
            if len(above) == MAX_DEPTH:
                is_deep = True
            elif cursor.goto_first_child():
                above.append(node.is_error)
                row = 0
                continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return is_deep, end
            above.pop()
            row = 0


@cache
def _load_query(dialect: str, queries: tuple[str, ...]) -> tuple[Language, Query]:
    language = load_language(dialect)
    folder = files("repo_mcp.languages.treesitter").joinpath("queries")
    try:
        source = "\n".join(folder.joinpath(f"{name}.scm").read_text("utf-8") for name in queries)
    except FileNotFoundError as error:  # while the package is replaced
        raise ImportError(f"no query for {dialect}") from error
    return language, Query(language, source)
