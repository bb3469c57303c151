"""Builds the text of a chunk for the model: the path of its file, then as many of its lines as fit.

A model reads some 250 tokens, 25 lines of code. A chunk begins at a declaration where there is one, so the
part that is read shows what the chunk is about.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.languages.patterns.language_registry import LANGUAGES
from repo_mcp.text.roles import FileRole, find_role

VERSION = 1  # of this file's output: raise it when chunks get another text
MAX_CHUNK_CHARS = 8_000  # more than the tokens that a model reads, except in lines of nothing but space
TASK_NAME = "embed"


def find_task(path: str, language: str) -> str | None:
    """Return the task name for files to embed, code and documents; None for data, configuration, and
    generated or vendored files, which nobody describes in words."""
    known = LANGUAGES.get(language)
    if known is None or known.kind not in ("code", "docs") or find_role(path) is FileRole.FOREIGN:
        return None
    return TASK_NAME


def build_texts(path: str, text: bytes, spans: Sequence[tuple[int, int]]) -> list[str]:
    """Return the texts of a file's chunks, given by their first and last lines."""
    lines = text.decode("utf-8", "replace").split("\n")
    texts = ("\n".join(lines[first - 1 : last]) for first, last in spans)
    return [f"{path}\n{one[:MAX_CHUNK_CHARS]}" for one in texts]
