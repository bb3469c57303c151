"""Choose among declarations of one name by the words beside it: "the bounded Queue.push"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.text.stop_words import STOP_WORDS

_WORD = re.compile(r"[^\W_]+")


def keep_placed(nodes: Sequence[Node], name: str, text: str) -> list[Node]:
    """Return those of some namesakes whose paths and owners have most of the words beside a name.

    `text` is the phrase with the name. If no place has any of its words, return all.
    """
    words = {word.lower() for word in _WORD.findall(text.replace(name, " ", 1))} - STOP_WORDS
    if len(nodes) < 2 or not words:
        return list(nodes)
    counts = [len(words & _list_around(node)) for node in nodes]
    return [node for node, count in zip(nodes, counts, strict=True) if count == max(counts)]


def _list_around(node: Node) -> set[str]:
    """Return the words in the path and in the owners of a declaration, in lower case."""
    owners = node.qualified_name.rpartition(".")[0]
    return {word.lower() for word in _WORD.findall(f"{node.path} {owners}")}
