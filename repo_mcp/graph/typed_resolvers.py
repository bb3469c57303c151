"""Maps the languages with declared types to their resolvers: Go, Java, Rust, C, C++ and Swift.

What they share is in `repo_mcp/graph/typed/language_resolver.py`; where one of them differs, its own resolver
overrides it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from repo_mcp.graph.c.resolver import CResolver
from repo_mcp.graph.go.resolver import GoResolver
from repo_mcp.graph.java.resolver import JavaResolver
from repo_mcp.graph.program import Program
from repo_mcp.graph.rust.resolver import RustResolver
from repo_mcp.graph.swift.resolver import SwiftResolver
from repo_mcp.graph.typed.language_resolver import LanguageResolver

RESOLVERS: Mapping[str, Callable[[Program], LanguageResolver]] = {
    "go": GoResolver,
    "java": JavaResolver,
    "rust": RustResolver,
    "c": CResolver,
    "cpp": CResolver,
    "swift": SwiftResolver,
}
