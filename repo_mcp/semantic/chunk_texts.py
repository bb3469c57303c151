"""What of a chunk is given to the model: the path of its file, then its lines, and of them what fits.

A model reads some 250 tokens, 25 lines of code. A chunk begins at a declaration where there are any, and so
what is read tells what it is about.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.languages.patterns.language_registry import LANGUAGES
from repo_mcp.text.roles import FileRole, find_role

VERSION = 1  # of what is said here: raise it when another text is made of a chunk
MAX_CHUNK_CHARS = 8_000  # more than the tokens that a model reads, but for lines of nothing but space
TASK_NAME = "embed"


def find_task(path: str, language: str) -> str | None:
    """A name for files that are embedded: code and documents. None for data, configuration and what was
    generated or copied in, which nobody describes in words."""
    known = LANGUAGES.get(language)
    if known is None or known.kind not in ("code", "docs") or find_role(path) is FileRole.FOREIGN:
        return None
    return TASK_NAME


def build_texts(path: str, text: bytes, spans: Sequence[tuple[int, int]]) -> list[str]:
    """The texts of a file's chunks, which have these first and last lines."""
    lines = text.decode("utf-8", "replace").split("\n")
    texts = ("\n".join(lines[first - 1 : last]) for first, last in spans)
    return [f"{path}\n{one[:MAX_CHUNK_CHARS]}" for one in texts]
