"""Draw the table's goals: one bar for each row, as long as our share of the limit.

The SVG is written by hand. The line is the goal, and a bar that ends before it has met its goal. Bars that
would be longer end at the edge of the picture; the number beside each is the measured one.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from bench.peers.table import Measure, Row, judge_row, render_ratio, render_value

WIDTH = 1040
LABEL_WIDTH = 300
BAR_WIDTH = 330
EDGE = 3.0  # times the goal
ROW_HEIGHT = 30
BAR_HEIGHT = 14
TOP = 84
BOTTOM = 44
INK, FAINT, MET, MISSED, EMPTY = "#24292f", "#6e7781", "#2da44e", "#bc4c00", "#eaeef2"
FONT = "-apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"


def render_picture(rows: Sequence[Row], title: str, note: str) -> str:
    """Draw the rows that have a goal, as SVG."""
    judged = [row for row in rows if row.goal is not None]
    height = TOP + len(judged) * ROW_HEIGHT + BOTTOM
    goal_x = LABEL_WIDTH + BAR_WIDTH / EDGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}"'
        f' viewBox="0 0 {WIDTH} {height}" font-family="{FONT}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#ffffff"/>',
        _draw_text(24, 34, title, size=18, weight=600),
        _draw_text(24, 56, note, color=FAINT),
        _draw_text(goal_x, TOP - 10, "goal", color=FAINT, anchor="middle"),
    ]
    for position, row in enumerate(judged):
        parts += _draw_row(row, TOP + position * ROW_HEIGHT)
    end = TOP + len(judged) * ROW_HEIGHT
    parts.append(
        f'<line x1="{goal_x:.1f}" y1="{TOP - 4}" x2="{goal_x:.1f}" y2="{end}" stroke="{INK}"'
        ' stroke-width="1.5" stroke-dasharray="3 3"/>'
    )
    parts.append(
        _draw_text(
            24,
            end + 26,
            "A bar shows how much of its goal's limit repo-mcp takes; shorter is better.",
            color=FAINT,
        )
    )
    return "\n".join([*parts, "</svg>", ""])


def _draw_row(row: Row, top: float) -> list[str]:
    assert row.goal is not None
    share = row.share
    base = top + ROW_HEIGHT / 2 + 4
    left, bar_top = LABEL_WIDTH, top + (ROW_HEIGHT - BAR_HEIGHT) / 2
    parts = [
        _draw_text(LABEL_WIDTH - 12, base, row.what.replace("`", ""), anchor="end"),
        f'<rect x="{left}" y="{bar_top}" width="{BAR_WIDTH}" height="{BAR_HEIGHT}" rx="3" fill="{EMPTY}"/>',
    ]
    color = FAINT if share is None else MET if share <= 1 else MISSED
    if share is not None:
        width = max(2.0, min(share, EDGE) / EDGE * BAR_WIDTH)
        parts.append(
            f'<rect x="{left}" y="{bar_top}" width="{width:.1f}" height="{BAR_HEIGHT}" rx="3"'
            f' fill="{color}"/>'
        )
        if share > EDGE:
            parts.append(
                _draw_text(
                    left + BAR_WIDTH - 6, base, f"{share:.0f} x the goal", color="#ffffff", anchor="end"
                )
            )
    parts.append(
        _draw_text(
            left + BAR_WIDTH + 12, base, _describe(row), color=color if share is None or share > 1 else INK
        )
    )
    return parts


def _describe(row: Row) -> str:
    """Render our figure, beside the peer's where the goal is about that, and the goal."""
    assert row.goal is not None
    if row.share is None:
        return f"{judge_row(row)}, goal {row.goal.text}"
    ours = render_value(row.ours, row.unit)
    if row.goal.measure is Measure.VALUE:
        return f"{ours}, goal {row.goal.text}"
    theirs = render_value(row.theirs, row.unit)
    return f"{ours} / {row.peer} {theirs} = {render_ratio(row.ratio)} x, goal {row.goal.text}"


def _draw_text(
    x: float,
    y: float,
    text: str,
    *,
    size: int = 12,
    weight: int = 400,
    color: str = INK,
    anchor: str = "start",
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-weight="{weight}" fill="{color}"'
        f' text-anchor="{anchor}">{escape(text)}</text>'
    )
