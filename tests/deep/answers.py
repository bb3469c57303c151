"""What a server answers about a tree, with all that may differ between two servers left out: the oracle.

After any crash, fault or race, a refresh must make these equal to the answers of a server with an empty data
directory. Only ids, times and the names of generations are left out.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from repo_mcp.config import Config, load_config
from repo_mcp.repository import Repository
from repo_mcp.tool_model import CallContext, ToolAnswer
from repo_mcp.toolsets.repo import build_toolset

QUERIES = ("schedule work", "getUserName", "kmalloc control", "manifest token commit", "def index", "naïve")
VARYING = frozenset(
    {
        "audit_log", "bundle_id", "data_dir", "duration_ms", "generation", "index_bytes", "last_refresh",
        "mtime", "request_id", "segments", "snapshot", "timestamp", "watching",
    }
)  # fmt: skip


def configure(root: Path, data_dir: Path) -> Config:
    """A server's configuration over a small tree: one process, no watcher."""
    return load_config(str(root), data_dir=str(data_dir), workers=1, last_bundle=False)


def list_calls(root: Path) -> list[tuple[str, dict[str, object]]]:
    """Calls of every reading tool."""
    calls: list[tuple[str, dict[str, object]]] = [("repo.list_files", {}), ("repo.status", {})]
    calls += [("repo.search", {"query": query}) for query in QUERIES]
    calls += [
        ("repo.search", {"query": query, "mode": "literal", "detail": "count"}) for query in QUERIES[:2]
    ]
    calls += [("repo.search", {"query": r"def \w+\(", "mode": "regex"})]
    calls += [("repo.build_context_bundle", {"prompt": "how is the work queue scheduled"})]
    files = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    shown = [path for path in files if not path.startswith(".repo_mcp/")][::7]
    return calls + [("repo.open_file", {"path": path}) for path in shown[:4]]


def ask(repository: Repository, root: Path) -> list[str]:
    """The answers to all calls."""
    tools = {tool.name: tool for tool in build_toolset(repository).tools}
    context = CallContext(lambda: False)
    return [render(tools[name].call(arguments, context)) for name, arguments in list_calls(root)]


def render(answer: ToolAnswer) -> str:
    """An answer without what may differ."""
    return json.dumps(_strip(answer.structured), sort_keys=True)


def _strip(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _strip(one) for key, one in value.items() if key not in VARYING}
    return [_strip(one) for one in value] if isinstance(value, list | tuple) else value


def refresh_and_ask(root: Path, data_dir: Path) -> list[str]:
    """What a server answers after one refresh."""
    with closing(Repository(configure(root, data_dir))) as repository:
        repository.refresh()
        return ask(repository, root)


def ask_anew(root: Path) -> list[str]:
    """What a server with an empty data directory answers."""
    place = Path(tempfile.mkdtemp(prefix="repo-mcp-anew-"))
    try:
        return refresh_and_ask(root, place / "data")
    finally:
        shutil.rmtree(place)
