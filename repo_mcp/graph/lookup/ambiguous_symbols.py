"""The error for a text that several symbols fit: it lists the first of them."""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.graph.nodes import Node
from repo_mcp.workspace.reader.client_paths import shown

MAX_CANDIDATES = 10  # listed for an ambiguous text


class AmbiguousSymbolError(RepoError):
    """Several symbols fit a text; `candidates` holds the first of them, `meant` all if they are known.

    `total` is their number, and `left_out` the number of those that are no candidates. With `are_overloads`,
    all are declared in one scope. `facts` may tell more of a candidate, by its id.
    """

    def __init__(
        self,
        text: str,
        nodes: Sequence[Node],
        argument: str,
        files: int = 0,
        *,
        are_overloads: bool = False,
    ) -> None:
        """Take `files`, the number of files that declare such a symbol, if `nodes` are only the first."""
        self.are_overloads = are_overloads
        self.facts: dict[str, dict[str, object]] = {}
        self.candidates = tuple(nodes[:MAX_CANDIDATES])
        self.meant = () if files else tuple(nodes)
        self.total = f"More than {MAX_CANDIDATES:,}" if files else f"{len(nodes):,}"
        left_out = len(nodes) - len(self.candidates)
        self.left_out = "others" if files else f"{left_out:,} more" if left_out else ""
        super().__init__(
            ErrorCode.INVALID_ARGUMENT,
            f"{self.total} symbols match {shown(text)}"
            + (f": {files:,} files declare one." if files else "."),
            "Choose one of the candidates: give its node_id, a longer name, or path:line."
            + (" lookup_symbol lists all of them." if len(nodes) > MAX_CANDIDATES else ""),
            {"argument": argument},
        )
