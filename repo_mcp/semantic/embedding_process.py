"""The child's end of embedding: texts to vectors, by one thread, with low priority.

It is the killable process of parsing with another task. Its vectors depend on each text alone: one thread
does all products (`repo_mcp.config.safe_child_environment`), and no text shares a product with another.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from repo_mcp.errors import RepoError
from repo_mcp.parse_process import serve
from repo_mcp.parse_worker import BatchParser
from repo_mcp.semantic.model_folder import EmbeddingModel, ModelFolder

TASK = "embed"
WALL_SECONDS = 60.0  # for one text, which takes a fifth of a second
NICENESS = 10
KEPT_RSS_BYTES = 800 * 1024 * 1024  # a process that grew larger is replaced; the model is most of it


def make_embedder(folder: str) -> BatchParser:
    """A process that makes vectors with the model of a folder; it starts with the first text."""
    return BatchParser(wall_seconds=WALL_SECONDS, niceness=NICENESS, serve=partial(serve_vectors, folder))


def serve_vectors(folder: str, requests: Any, answers: Any, niceness: int = 0) -> None:
    """Answer requests until the pipe is closed, as `serve` does; end at once when the model is gone."""
    try:
        model = ModelFolder(folder).load()
    except RepoError:
        return
    serve(requests, answers, niceness, partial(_embed, model), KEPT_RSS_BYTES)


def _embed(model: EmbeddingModel, _task: str, text: bytes) -> bytes:
    return model.embed(text.decode()).tobytes()
