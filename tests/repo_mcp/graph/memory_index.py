"""A graph over texts in memory: the shipped parsers and resolvers, without an index on disk."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.live_graph import RESOLVERS
from repo_mcp.graph.lookup.qualified_names import NameMatch
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import EdgeType, SymbolFilter
from repo_mcp.languages.symbol_parsers import list_languages, run_parser_task
from repo_mcp.symbols.symbol_record import ParseStatus, ReferenceRole
from repo_mcp.text.analysis import analyse_text, get_word_terms
from tests.repo_mcp.graph.memory_program import MemoryProgram, Parser, iter_used


def parse_as(dialect: str, name: str, text: bytes) -> bytes:
    return run_parser_task(f"structure/{dialect}", name.encode() + b"\n" + text)


PARSERS: Mapping[str, Parser] = {language: partial(parse_as, language) for language in list_languages()}


def _list_parts(name: str) -> set[str]:
    """Return the parts of a name; if it is not a word, the parts of its words and the whole."""
    if name.isidentifier():
        return set(get_word_terms(name))
    return {name.lower(), *analyse_text(name)}


class MemoryIndex(MemoryProgram):
    """A SymbolIndex: slow and clear."""

    @property
    def names(self) -> MemoryIndex:
        """Return itself."""
        return self

    def __init__(self, texts: Mapping[str, str | bytes]) -> None:
        super().__init__(texts, PARSERS)

    def list_paths(self) -> Sequence[str]:
        return sorted(self._structures)

    def read_lines(self, path: str) -> Sequence[str]:
        return (self.read_text(path) or "").split("\n")

    def list_uses(self, name: str) -> Sequence[tuple[str, int]]:
        return [
            (path, sum(one == name for one in iter_used(self._structures[path])))
            for path in self.list_using(name)
        ]

    def count_decoded(self) -> int:
        return 0

    def find_status(self, path: str) -> ParseStatus | None:
        record = self._structures.get(path)
        return None if record is None else record.status

    def list_importing(
        self, name: str, may_mean: Callable[[str, str], bool] = lambda path, module: True
    ) -> Sequence[str]:
        ending = re.compile(rf"(?:.*\W)?{re.escape(name)}(?:\.\w+)?")
        found = []
        for path, record in sorted(self._structures.items()):
            rows = record.list_role(ReferenceRole.IMPORT, ReferenceRole.EXPORT)
            modules = {record.strings[record.ref_qualifiers[row]] for row in rows}
            if any(ending.fullmatch(one) and may_mean(path, one) for one in modules):
                found.append(path)
        return found

    @cached_property
    def _parts(self) -> dict[str, Counter[str]]:
        """Return the paths by part of a declared name."""
        found: dict[str, Counter[str]] = {}
        for name, paths in self._declaring.items():
            for part in _list_parts(name):
                found.setdefault(part, Counter()).update(paths)
        return found

    def iter_declared(
        self, prefix: str, pattern: re.Pattern[bytes] | None = None, literal: str = ""
    ) -> Iterable[str]:
        chosen = _choose(self._declaring, prefix, pattern)
        assert all(literal.lower() in f"{name}\n".lower() for name in chosen)
        return chosen

    def iter_parts(self, prefix: str) -> Iterable[str]:
        return _choose(self._parts, prefix, None)

    def rank_files(
        self, parts: Sequence[str], limit: int, needed: Sequence[Sequence[str]] = ()
    ) -> Sequence[str]:
        points: Counter[str] = Counter()
        for part in dict.fromkeys(parts):
            for path in self._parts.get(part, ()):
                points[path] += 1
        if needed:
            holding = {path for group in needed for path in points if self._has_all(path, group)}
            points = Counter({path: points[path] for path in holding})
        return sorted(points, key=lambda path: (-points[path], path))[:limit]

    def _has_all(self, path: str, group: Sequence[str]) -> bool:
        return all(path in self._parts.get(part, ()) for part in group)

    def count_using(self, name: str) -> int:
        return len(self.list_using(name))

    def list_rare(self, name: str, most: int) -> Sequence[Sequence[str]]:
        return [paths for paths in (self.list_using(name), self.list_declaring(name)) if len(paths) <= most]

    def count_declaring(self, part: str) -> int:
        return len(self._parts.get(part, ()))


def _choose(names: Iterable[str], prefix: str, pattern: re.Pattern[bytes] | None) -> list[str]:
    begun = sorted((name for name in names if name.startswith(prefix)), key=str.encode)
    return [name for name in begun if pattern is None or pattern.search(name.encode())]


def make_graph(texts: Mapping[str, str | bytes]) -> Graph:
    return Graph(MemoryIndex(texts), RESOLVERS)


def find_node(graph: Graph, name: str) -> Node:
    """Return the one symbol with a qualified name, or the file of a path."""
    nodes, match, _ = graph.look_up(name, SymbolFilter())
    assert len(nodes) == 1, (name, nodes)
    assert match is NameMatch.EXACT, (name, nodes)
    return nodes[0]


Row = tuple[str, str, str, tuple[int, ...]]


def list_incoming(graph: Graph, name: str, *types: EdgeType) -> list[Row]:
    """Return (type, confidence, other end, lines) of the edges to a symbol, except from its container."""
    wanted = types or tuple(one for one in EdgeType if one is not EdgeType.CONTAINS)
    edges = graph.find_incoming(find_node(graph, name), wanted).edges
    return [
        (one.type.value, one.confidence.value, graph.get_node(one.other).qualified_name, one.lines)
        for one in edges
    ]


def list_outgoing(graph: Graph, name: str, *types: EdgeType) -> list[Row]:
    """Return the same for the edges from a symbol, except to what it contains."""
    wanted = types or tuple(one for one in EdgeType if one is not EdgeType.CONTAINS)
    edges = graph.find_outgoing(find_node(graph, name), wanted).edges
    return [
        (one.type.value, one.confidence.value, graph.get_node(one.other).qualified_name, one.lines)
        for one in edges
    ]
