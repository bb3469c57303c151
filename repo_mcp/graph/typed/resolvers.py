"""Maps the languages with declared types to their resolvers: Go, Java, Rust, C, C++ and Swift.

What they share is in `repo_mcp/graph/typed/language_resolver.py`; where one of them differs, its own resolver
overrides it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from repo_mcp.graph.program import Program
from repo_mcp.graph.typed.c_resolver import CResolver
from repo_mcp.graph.typed.go_resolver import GoResolver
from repo_mcp.graph.typed.java_resolver import JavaResolver
from repo_mcp.graph.typed.language_resolver import LanguageResolver
from repo_mcp.graph.typed.rust_resolver import RustResolver
from repo_mcp.graph.typed.swift_resolver import SwiftResolver

RESOLVERS: Mapping[str, Callable[[Program], LanguageResolver]] = {
    "go": GoResolver,
    "java": JavaResolver,
    "rust": RustResolver,
    "c": CResolver,
    "cpp": CResolver,
    "swift": SwiftResolver,
}
