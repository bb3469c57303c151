"""Compare the parameters that a text has behind a name with those of a symbol: `put(int, String)`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.languages.treesitter.parameter_types import list_types
from repo_mcp.languages.treesitter.written_lists import split_signature
from repo_mcp.text.written_symbols import read_written

_TYPE = re.compile(r"\w+")


def has_parameters(node: Node, parameters: Sequence[str]) -> bool:
    """Return whether a symbol has these parameters, each written in full or as its type."""
    own = split_signature(node.symbol.parameters).parameters
    if len(own) != len(parameters):
        return False
    types = list_types(node.symbol.parameters)
    return all(
        _name_type(one) in (_name_type(type_), _name_type(parameter))
        for one, type_, parameter in zip(parameters, types, own, strict=True)
    )


def _name_type(written: str) -> str:
    """Return the bare name of the type of a parameter: `Map` for "java.util.Map<K, V>"."""
    names = _TYPE.findall(read_written(written)[0])
    return names[-1] if names else ""
