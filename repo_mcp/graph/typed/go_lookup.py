"""Looks up names in Go, by its rules alone."""

from __future__ import annotations

from repo_mcp.graph.program import Program
from repo_mcp.graph.typed.go_rules import GoRules
from repo_mcp.graph.typed.lookup import NamedLookup


class GoLookup(NamedLookup):
    """Looks up names in files of Go."""

    def __init__(self, program: Program) -> None:
        super().__init__(program, GoRules(program))
