"""The pictures of the report: bars, made of texts and widths in per cent alone.

Every text is escaped here. Bars are as wide as the reader's window lets them be, and what is written beside
them keeps its size. The colours are those of the page's style, by class, so that they follow its light and
dark forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from repo_mcp.protocol.tool_model import escape_text

SHADES = 4  # of the parts of a strip that follow its first


def clean(text: str) -> str:
    """A text for a page: nothing in it is markup, or can turn or hide what stands beside it."""
    return escape(escape_text(text), quote=True)


def draw_bars(rows: Sequence[tuple[str, int, int, str]]) -> str:
    """A bar for each row of label, part, whole and what is written beside it.

    The longest whole is as long as the picture allows; the part of each is filled.
    """
    longest = max((whole for _, _, whole, _ in rows), default=0) or 1
    drawn = "".join(
        f'<li><span class="label">{clean(label)}</span><span class="track">{_draw(whole, longest, "whole")}'
        f'{_draw(part, longest, "part")}</span><span class="told">{clean(told)}</span></li>'
        for label, part, whole, told in rows
    )
    return f'<ul class="bars">{drawn}</ul>'


def draw_strip(parts: Sequence[tuple[str, int]]) -> str:
    """One bar of several parts beside each other, and below it what each is: label and size."""
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
