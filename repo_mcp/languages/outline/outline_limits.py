"""Limits on how much of a text an outline repeats, for all adapters, so that none grows too large."""

from __future__ import annotations

MAX_SYMBOLS = 10_000
MAX_NAME_CHARS = 200
MAX_PARENT_CHARS = 1_000  # of a qualified name
MAX_DOC_CHARS = 200
MAX_SIGNATURE_CHARS = 400
CUT = "…"


def cut(text: str, most: int) -> str:
    """Return the text, or its first `most - 1` characters and an ellipsis."""
    return text if len(text) <= most else text[: most - 1] + CUT
