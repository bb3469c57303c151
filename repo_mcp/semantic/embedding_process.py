"""Processes that make vectors, one for each lane of a round and one for questions.

They are the killable process of parsing with another task. A vector depends on its text alone: one thread
does all products (`repo_mcp.config.server_config.safe_child_environment`), and no text shares a product
with another. In
the server's own process products would be divided among threads, which wait for each other where the machine
is busy: that took forty times as long as one alone.
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
WALL_SECONDS = 60.0  # for one text, which takes a fifth of a second
NICENESS = 10  # of a lane's process
QUESTION_SECONDS = 20.0  # for a question, which takes a hundredth of one
KEPT_QUESTIONS = 256
START_PAUSE_SECONDS = 10.0
KEPT_RSS_BYTES = 800 * 1024 * 1024  # a process that grew larger is replaced; the model is most of it


def make_embedder(folder: str) -> BatchParser:
    """A process for a lane, with the model of a folder; it starts with the first text."""
    return BatchParser(wall_seconds=WALL_SECONDS, niceness=NICENESS, serve=partial(serve_vectors, folder))


class QuestionEmbedder:
    """Questions to vectors, by a process that is kept for the next one. Calls take turns."""

    def __init__(self, folder: str, dimensions: int) -> None:
        """Starts nothing."""
        self._dimensions = dimensions
        self._process = BatchParser(wall_seconds=QUESTION_SECONDS, serve=partial(serve_vectors, folder))
        self._lock = threading.Lock()
        self._vectors: LruCache[str, I8] = LruCache(KEPT_QUESTIONS)
        self._next_start = 0.0  # time.monotonic; not at once again where none could be had

    def embed(self, text: str) -> I8 | None:
        """The vector of a question; None when no process can be had, or none gives one."""
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
        """End the process, also while it works."""
        self._process.stop()
        with self._lock:
            self._process.close()


def serve_vectors(folder: str, requests: Any, answers: Any, niceness: int = 0) -> None:
    """Answer requests until the pipe is closed, as `serve` does; end at once when the model is gone."""
    try:
        model = ModelFolder(folder).load()
    except RepoError:
        return
    serve(requests, answers, niceness, partial(_embed, model), KEPT_RSS_BYTES)


def _embed(model: EmbeddingModel, _task: str, text: bytes) -> bytes:
    return model.embed(text.decode()).tobytes()
