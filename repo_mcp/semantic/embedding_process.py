"""Processes that compute vectors: one for each worker of a round, and one for questions.

They are the killable parser processes with another task. A vector depends on its text alone: one thread
computes all products (`repo_mcp.config.environment.safe_child_environment`), and no two texts share a
product. In the server's own process products would be divided among threads, which wait for each other on
a busy machine: that took forty times as long as a single thread.
"""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import Any

import numpy as np

from repo_mcp.errors import RepoError
from repo_mcp.languages.outline.adapter import ParserFailed
from repo_mcp.lru_cache import LruCache
from repo_mcp.process.parse_process import serve
from repo_mcp.process.parse_worker import BatchParser
from repo_mcp.semantic.model_folder import I8, EmbeddingModel, ModelFolder

TASK = "embed"
WALL_SECONDS = 60.0  # most time for one text, which usually takes a fifth of a second
NICENESS = 10  # how far the priority of a worker's process is lowered
QUESTION_SECONDS = 20.0  # most time for a question, which usually takes a hundredth of a second
CACHED_QUESTIONS = 256
START_PAUSE_SECONDS = 10.0
MAX_RSS_BYTES = 800 * 1024 * 1024  # a process that has grown larger is replaced; the model is most of it


def make_embedder(folder: str) -> BatchParser:
    """Return a process for a worker, with the model of a folder; it starts with the first text."""
    return BatchParser(wall_seconds=WALL_SECONDS, niceness=NICENESS, serve=partial(serve_vectors, folder))


class QuestionEmbedder:
    """Turns questions into vectors, with one process that is reused. Calls take turns."""

    def __init__(self, folder: str, dimensions: int) -> None:
        """Start nothing: the first question starts the process."""
        self._dimensions = dimensions
        self._process = BatchParser(wall_seconds=QUESTION_SECONDS, serve=partial(serve_vectors, folder))
        self._lock = threading.Lock()
        self._vectors: LruCache[str, I8] = LruCache(CACHED_QUESTIONS)
        self._next_start = 0.0  # earliest time of the next start after a failed one (time.monotonic)

    def embed(self, text: str) -> I8 | None:
        """Return the vector of a question, int8; None when no process starts or it gives none."""
        with self._lock:
            found = self._vectors.find(text)
            if found is None:
                if time.monotonic() < self._next_start:
                    return None
                try:
                    (answer,) = self._process.parse([(TASK, text.encode())])
                except ParserFailed:
                    self._next_start = time.monotonic() + START_PAUSE_SECONDS
                    return None
                if answer is None or len(answer) != self._dimensions:
                    return None
                found = self._vectors.put(text, np.frombuffer(answer, dtype=np.int8))
            return found

    def close(self) -> None:
        """End the process, even while it is working."""
        self._process.stop()
        with self._lock:
            self._process.close()


def serve_vectors(folder: str, requests: Any, answers: Any, niceness: int = 0) -> None:
    """Answer requests until the pipe closes, using `serve`; end at once when the model cannot be loaded."""
    try:
        model = ModelFolder(folder).load()
    except RepoError:
        return
    serve(requests, answers, niceness, partial(_embed, model), MAX_RSS_BYTES)


def _embed(model: EmbeddingModel, _task: str, text: bytes) -> bytes:
    return model.embed(text.decode()).tobytes()
