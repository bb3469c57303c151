"""The pictures of the report: bars as inline SVG, made of text and numbers alone.

Every text is escaped here. The colours are those of the page's style, by class, so that they follow its
light and dark forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from repo_mcp.tool_model import escape_text

ROW_HEIGHT = 24
LABEL_WIDTH = 190
BAR_WIDTH = 430
NUMBER_WIDTH = 120
_MOST_LABEL_CHARS = 21


def clean(text: str) -> str:
    """A text for a page: nothing in it is markup, or can turn or hide what stands beside it."""
    return escape(escape_text(text), quote=True)


def draw_bars(rows: Sequence[tuple[str, int, int, str]], title: str) -> str:
    """A bar for each row of label, part, whole and what is written beside it.

    The longest whole is as long as the picture allows; the part of each is filled.
    """
    longest = max((whole for _, _, whole, _ in rows), default=0) or 1
    width = LABEL_WIDTH + BAR_WIDTH + NUMBER_WIDTH
    height = ROW_HEIGHT * len(rows)
    parts = [
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">'
        f"<title>{clean(title)}</title>"
    ]
    for place, (label, part, whole, told) in enumerate(rows):
        parts.append(_draw_row(ROW_HEIGHT * place, label, part / longest, whole / longest, told))
    return "".join(parts) + "</svg>"


def _draw_row(top: int, label: str, part: float, whole: float, told: str) -> str:
    shown = label if len(label) <= _MOST_LABEL_CHARS else f"{label[: _MOST_LABEL_CHARS - 1]}…"
    base = top + ROW_HEIGHT - 8
    all_of_it = max(2.0, BAR_WIDTH * whole)
    filled = max(2.0, BAR_WIDTH * part) if part else 0.0
    return (
        f'<text x="{LABEL_WIDTH - 10}" y="{base}" class="label">{clean(shown)}</text>'
        f'<rect x="{LABEL_WIDTH}" y="{top + 4}" width="{all_of_it:.1f}" height="14" class="whole"/>'
        f'<rect x="{LABEL_WIDTH}" y="{top + 4}" width="{filled:.1f}" height="14" class="part"/>'
        f'<text x="{LABEL_WIDTH + all_of_it + 8:.1f}" y="{base}">{clean(told)}</text>'
    )


def draw_strip(parts: Sequence[tuple[str, int, str]], title: str) -> str:
    """One bar of several parts beside each other: label, size and class of each."""
    total = sum(size for _, size, _ in parts) or 1
    width = LABEL_WIDTH + BAR_WIDTH + NUMBER_WIDTH
    shown = [f'<svg viewBox="0 0 {width} 34" width="{width}" height="34" role="img">']
    shown.append(f"<title>{clean(title)}</title>")
    left = 0.0
    for label, size, kind in parts:
        span = width * size / total
        shown.append(
            f'<rect x="{left:.1f}" y="4" width="{max(span - 1, 0.5):.1f}" height="26" class="{clean(kind)}">'
            f"<title>{clean(label)}</title></rect>"
        )
        left += span
    return "".join(shown) + "</svg>"
