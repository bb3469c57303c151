"""Find the counterpart of a function: what sets what it gets, decodes what it encodes, closes what it opens.

A change of one of them must be made in the other as well. They have the same name but for one verb, and are
declared in one file or by one type.
"""

from __future__ import annotations

from collections.abc import Iterator

from repo_mcp.graph.nodes import Node
from repo_mcp.research.findings.named_symbols import admits_node
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS

MAX_DECLARED = 200  # declarations of one name that are looked at
_PAIRS = (
    ("acquire", "release"), ("add", "remove"), ("attach", "detach"), ("begin", "end"),
    ("compress", "decompress"), ("connect", "disconnect"), ("decode", "encode"), ("decrypt", "encrypt"),
    ("dehydrate", "hydrate"), ("deserialize", "serialize"), ("destroy", "create"), ("disable", "enable"),
    ("dump", "load"), ("dumps", "loads"), ("get", "set"), ("install", "uninstall"), ("load", "save"),
    ("load", "store"), ("lock", "unlock"), ("marshal", "unmarshal"), ("mount", "unmount"), ("open", "close"),
    ("pack", "unpack"), ("pop", "push"), ("read", "write"), ("register", "unregister"), ("start", "stop"),
    ("subscribe", "unsubscribe"),
)  # fmt: skip


def find_counterparts(state: ResearchState, node: Node) -> list[Node]:
    """Return the counterparts of a function in the program."""
    names = _list_names(node.symbol.name) if node.symbol.kind in CALLABLE_KINDS else ()
    declared = (
        one for name in dict.fromkeys(names) for one in state.graph.scan.find_declared(name, MAX_DECLARED)
    )
    return [
        one
        for one in map(state.get_node, declared)
        if _belong_together(node, one) and admits_node(state, one)
    ]


def _list_names(name: str) -> Iterator[str]:
    """Yield the names that differ from a name by the opposite verb, which is its first or its last word."""
    for pair in _PAIRS:
        for verb, opposite in (pair, pair[::-1]):
            for own, other in ((verb, opposite), (verb.capitalize(), opposite.capitalize())):
                yield from _replace_word(name, own, other)


def _replace_word(name: str, own: str, other: str) -> Iterator[str]:
    bare = name.lstrip("_")
    if bare.startswith(own) and not bare[len(own) :][:1].islower():
        yield name.replace(own, other, 1)
    elif name.endswith(own):
        rest = name.removesuffix(own)
        begins_word = own[0].isupper() and (rest[-1:].islower() or rest[-1:].isdigit())
        if rest.endswith("_") or begins_word:
            yield rest + other


def _belong_together(node: Node, other: Node) -> bool:
    """Return True for functions of one file or of one type, neither of which is inside another function."""
    owner = node.qualified_name.rpartition(".")[0]
    is_like = other.symbol.kind in CALLABLE_KINDS and other.qualified_name.rpartition(".")[0] == owner
    return is_like and (other.path == node.path or (bool(owner) and other.folder == node.folder))
