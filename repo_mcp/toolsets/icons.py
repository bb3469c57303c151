"""One small picture for the tools of each toolset, as data: URIs: nothing is fetched to show them.

Plain shapes in one colour that shows on a light and on a dark background.
"""

from __future__ import annotations

from binascii import b2a_base64

_COLOUR = "#68a"


def _draw(shape: str) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8" fill="none" stroke="{_COLOUR}">'
    return "data:image/svg+xml;base64," + b2a_base64(f"{head}{shape}</svg>".encode(), newline=False).decode()


REPO = _draw('<circle cx="3" cy="3" r="2"/><path d="M4.5 4.5L7 7"/>')  # a lens
RETRIEVAL = _draw('<path d="M1 2h6M1 4h6M1 6h4"/>')  # lines of text
GRAPH = _draw('<path d="M4 1l3 6H1z"/>')  # a triangle: three nodes and their edges
RESEARCH = _draw('<path d="M4 1l3 3-3 3-3-3z"/>')  # a diamond: which way to go
