"""Tell the fields that configure something from others of the same name, by their paths and types."""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.research.findings.records import Subject
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import SymbolKind
from repo_mcp.text.roles import FileRole, find_role

MAX_DECLARING = 40  # files that declare one name
_CONFIG_PATH = re.compile(
    r"(?:^|/|_)(?:conf|configs?|configuration|settings?|options|defaults?|env|constants)\b"
    r"|\.(?:env|ini|cfg|toml|ya?ml|json|properties|conf)$",
    re.IGNORECASE,
)
_OF_CONFIGURATION = re.compile(  # at the start of a word of the name of a type
    r"(?:\b|_|(?<=[a-z0-9])(?=[A-Z]))(?i:conf|opt|setting|default|param|flag|args\b|argument|preference)"
)


def keep_settings(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Return declarations of one name without those that configure nothing, in folders where none does.

    What an API answers has the same names. Return all if none configures anything.
    """
    folders = {node.folder for node in nodes if _configures(node)}
    return tuple(node for node in nodes if not folders or node.folder in folders)


def _configures(node: Node) -> bool:
    """Return True for a value that configures something, by its path or the name of its type."""
    owner = ".".join(node.qualified_name.split(".")[:-1][-2:])
    return is_configuration(node.path) or _OF_CONFIGURATION.search(owner) is not None


def list_other_fields(state: ResearchState, subject: Subject) -> tuple[Node, ...]:
    """Return the fields with the name of a setting that configure nothing, where some of a type do."""
    if not any(node.symbol.kind is SymbolKind.PROPERTY and _configures(node) for node in subject.nodes):
        return ()
    names = dict.fromkeys(node.symbol.name for node in subject.nodes)
    found = (one for name in names for one in state.graph.scan.find_declared(name, MAX_DECLARING))
    nodes = [node for node in map(state.get_node, found) if node.symbol.kind is SymbolKind.PROPERTY]
    kept = keep_settings([*subject.nodes, *nodes])
    return tuple(node for node in nodes if node not in kept)


def is_configuration(path: str) -> bool:
    """Return True for a file that by its path configures something."""
    return _CONFIG_PATH.search(path) is not None or find_role(path) is FileRole.CONFIG
