"""The pictures of the report: bars, made only of texts and widths in per cent.

Every text is escaped here. Bars adapt to the width of the reader's window, and the text beside them keeps
its size. Their colours come from classes of the page's style, so that they follow its light and dark forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from repo_mcp.protocol.tool_model import escape_text

SHADES = 4  # for the parts of a strip after its first


def clean(text: str) -> str:
    """Escape a text for a page: no markup, and no characters that reorder or hide the text around them."""
    return escape(escape_text(text), quote=True)


def draw_bars(rows: Sequence[tuple[str, int, int, str]]) -> str:
    """Draw a bar for each row of label, part, whole and the text beside it.

    The longest whole takes the full width; the part of each whole is filled.
    """
    longest = max((whole for _, _, whole, _ in rows), default=0) or 1
    drawn = "".join(
        f'<li><span class="label">{clean(label)}</span><span class="track">{_draw(whole, longest, "whole")}'
        f'{_draw(part, longest, "part")}</span><span class="told">{clean(told)}</span></li>'
        for label, part, whole, told in rows
    )
    return f'<ul class="bars">{drawn}</ul>'


def draw_strip(parts: Sequence[tuple[str, int]]) -> str:
    """Draw one bar of adjacent parts, given as label and size, with a legend below it."""
    total = sum(size for _, size in parts) or 1
    kinds = ["part", *(f"left-{number % SHADES}" for number in range(len(parts)))]
    drawn = "".join(_draw(size, total, kind) for (_, size), kind in zip(parts, kinds, strict=False))
    told = "".join(
        f'<li><i class="{kind}"></i>{size:,} {clean(label)}</li>'
        for (label, size), kind in zip(parts, kinds, strict=False)
    )
    return f'<div class="strip">{drawn}</div><ul class="legend">{told}</ul>'


def _draw(size: int, longest: int, kind: str) -> str:
    return f'<i class="{kind}" style="width:{100 * size / longest:.2f}%"></i>' if size else ""
