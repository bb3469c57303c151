"""The resolver of each language."""

from __future__ import annotations

from collections.abc import Mapping

from repo_mcp.graph.csharp.resolver import CSharpResolver
from repo_mcp.graph.python.resolver import PythonResolver
from repo_mcp.graph.resolution import MakeResolver
from repo_mcp.graph.typed.resolver import NamedResolver
from repo_mcp.graph.typescript.resolver import TypeScriptResolver

RESOLVERS: Mapping[str, MakeResolver] = {
    "python": PythonResolver,
    "csharp": CSharpResolver,
    **dict.fromkeys(("typescript", "javascript"), TypeScriptResolver),
    **dict.fromkeys(("go", "java", "rust", "c", "cpp", "swift"), NamedResolver),
}
