"""The calls of the `graph` toolset about the index itself."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from repo_mcp.errors import ErrorCode
from repo_mcp.model import IndexedPath, SkipReason
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.text.lines import escape_text
from repo_mcp.toolsets.answers import Arguments, Draft, Part, Result
from repo_mcp.toolsets.graph.answers import name_code

if TYPE_CHECKING:
    from repo_mcp.repository import Repository


INDEXED = "indexed"
HEALTHY = frozenset({"ready", "partial", "building"})
# Why a file is not indexed -> the specification's code, and what it means.
_SKIPPED = {
    SkipReason.TOO_LARGE.value: ("too_large", "The file is larger than max_file_bytes."),
    SkipReason.BINARY.value: ("binary_file", "The file is binary."),
    SkipReason.UNREADABLE.value: ("not_found", "The system refuses to read the file."),
    SkipReason.EXCLUDED.value: ("invalid_parameter", "The file is ignored, hidden or excluded."),
    SkipReason.PRIVATE_KEY.value: ("blocked", "The file contains a private key."),
    ErrorCode.BUSY.value: (
        "busy",
        "The index is being updated and does not have this version of the file yet. Ask again.",
    ),
}
_FAILED = {
    ErrorCode.NOT_FOUND: "There is no such file.",
    ErrorCode.PATH_ESCAPE: "The path leaves the repository.",
    ErrorCode.PATH_DENIED: "This name is denied, or the operator refuses the file.",
    ErrorCode.PATH_INVALID: "No file can have this path.",
    ErrorCode.NOT_A_FILE: "The path does not name a regular file.",
}


def index_files(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `index_files`."""
    given = arguments["paths"]
    paths = [path for path in given if isinstance(path, str)] if isinstance(given, list) else []
    done = repository.engines.graph.index_files(paths, context.cancelled)
    files = [
        {"path": escape_text(one.path), "parse_status": one.structure or None}
        for one in done
        if one.outcome == INDEXED
    ]
    errors = [_render_error(one) for one in done if one.outcome != INDEXED]
    result: Result = {"indexed": len(files), "files": files, "errors": errors}
    notes = repository.engines.graph.warn()
    return Draft(lambda _: Part(result, notes))


def _render_error(one: IndexedPath) -> dict[str, object]:
    known = _SKIPPED.get(one.outcome)
    if known is None:
        code = ErrorCode(one.outcome)
        known = (name_code(code), _FAILED.get(code, "The file could not be indexed."))
    return {"path": escape_text(one.path), "code": known[0], "message": known[1]}


def get_status(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_status`. The answer names no absolute path."""
    from index_format import VERSION as FORMAT_VERSION  # here: tools are listed before anything is loaded

    now = repository.status()
    structure = repository.symbol_index.status()  # not by the engine: 70 modules
    model, vectors = repository.config.semantic_model, repository.vectors
    result: Result = {
        "healthy": now.state in HEALTHY and structure.state in HEALTHY and not structure.unparsed,
        "state": now.state,
        "schema_version": FORMAT_VERSION,
        "indexed_files": now.indexed_files,
        "indexed_symbols": structure.symbols,
        "languages": sorted(structure.languages),
        "watcher_active": now.watched,
        "last_batch_at": None if now.last_refresh is None else _render_time(now.last_refresh),
        "embedding_model": None if model is None else escape_text(os.path.basename(model)),
        "embeddings_count": 0 if vectors is None else vectors.status().chunks,
        "structure": {
            "state": structure.state,
            "files_done": structure.files_done,
            "files_total": structure.files_total,
            "partial": structure.partial,
            "failed": structure.failed,
        },
        "stale": now.stale,
    }
    notes = tuple(dict.fromkeys((*repository.warnings, *now.warnings, *structure.warnings)))
    return Draft(lambda _: Part(result, notes))


def _render_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
