"""Render the report as one HTML page: no script, nothing from outside, every text escaped.

The page carries a policy that forbids the browser to run or load anything. Names of files, tools, languages
and the root come from a repository or a log, so every one of them passes through `clean`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from html import escape

from repo_mcp.cli.console.render import count
from repo_mcp.cli.console.status_page import count_offered, judge, show_moment
from repo_mcp.cli.console.text import show_size
from repo_mcp.cli.report.facts import CallFacts, ReportFacts
from repo_mcp.cli.report.file import MARK
from repo_mcp.model import SkipReason
from repo_mcp.text.lines import escape_text

MOST_LANGUAGES = 20
MOST_SEGMENTS = 40
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
# reason for leaving something out -> its meaning
REASONS = {
    "too_large": "above the size limit",
    "binary": "not text",
    "unreadable": "could not be read",
    "excluded": "by a glob or extension in the configuration",
    "denied": "keys, credentials and the like: never read",
    "ignored": "by ignore files (a folder counts once)",
    "hidden": "names that begin with a dot",
    "symlink": "links are not followed",
    "special": "not regular files",
    "hard_link": "files with hard links (--refuse-hard-links)",
    "other_file_system": "mounted below the root (--one-file-system)",
    "private_key": "private keys in them (--refuse-private-keys)",
    "too_deep": "nested too deeply",
    "too_many": "folders beyond the limit of entries",
    "name_not_utf8": "names that are not UTF-8",
}


STYLE = """
:root{--ink:#1d2430;--faint:#667085;--paper:#fff;--card:#f5f7fa;--line:#e3e8ef;--part:#2f6fde;
--whole:#d5e2f8;--left:#e2a33c;--good:#17803d;--bad:#b42318;color-scheme:light dark}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ef;--faint:#98a2b3;--paper:#12161d;--card:#1b212b;
--line:#2c3442;--part:#6ea0ff;--whole:#26344f;--left:#d69a3a;--good:#5bd68a;--bad:#ff8a7a}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:860px;margin:0 auto;padding:32px 20px}
h1{margin:0;font-size:28px;overflow-wrap:anywhere}
h2{margin:40px 0 12px;font-size:20px}h3{margin:24px 0 8px;font-size:15px}
p{margin:4px 0}code{font:13px ui-monospace,monospace}
.faint,footer{color:var(--faint)}footer{margin-top:48px;padding-top:12px;font-size:13px;
border-top:1px solid var(--line)}
.health b{text-transform:capitalize}.healthy b{color:var(--good)}.behind b,.incomplete b{color:var(--left)}
.missing b,.damaged b{color:var(--bad)}
.warning{margin:8px 0;padding:8px 12px;border-left:3px solid var(--left);background:var(--card)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(125px,1fr));gap:10px;margin:20px 0;padding:0;
list-style:none}
.tiles li{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px 12px;
font-size:13px;color:var(--faint)}
.tiles b{display:block;font-size:20px;color:var(--ink);white-space:nowrap}
.bars,.legend{list-style:none;margin:0;padding:0;font-size:13px}
.bars li{display:grid;grid-template-columns:minmax(90px,22%) 1fr 130px;gap:10px;align-items:center;
line-height:24px}
.label{text-align:right;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.text{overflow-wrap:anywhere;line-height:18px}
i{print-color-adjust:exact}.track{display:grid;height:14px}.track i{grid-area:1/1;min-width:2px}
.strip{display:flex;gap:1px;height:26px}.strip i{min-width:2px}
.legend{display:flex;flex-wrap:wrap;gap:2px 18px;margin:6px 0 14px}
.legend i{display:inline-block;width:11px;height:11px;margin-right:6px}
.whole{background:var(--whole)}.part{background:var(--part)}.left-0{background:var(--left)}
.left-1{background:var(--bad)}.left-2{background:var(--faint)}.left-3{background:var(--good)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:13px}
th,td{padding:5px 8px;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th{color:var(--faint);font-weight:600}td{overflow-wrap:anywhere}
.number{text-align:right;white-space:nowrap}td.steady{white-space:nowrap}
@media(max-width:640px){main{padding:20px 12px}.bars li{grid-template-columns:110px 1fr 80px;gap:6px}
td.steady{white-space:normal}th,td{padding:5px 4px}}
@media print{main{max-width:none}}
"""


# Every text is escaped here. Bars adapt to the width of the reader's window, and the text beside them keeps
# its size. Their colours come from classes of the page's style, so that they follow its light and dark forms.
SHADES = 4  # number of colours for the parts of a strip after its first


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
        f'{_draw(part, longest, "part")}</span><span class="text">{clean(text)}</span></li>'
        for label, part, whole, text in rows
    )
    return f'<ul class="bars">{drawn}</ul>'


def draw_strip(parts: Sequence[tuple[str, int]]) -> str:
    """Draw one bar of adjacent parts, given as label and size, with a legend below it."""
    total = sum(size for _, size in parts) or 1
    kinds = ["part", *(f"left-{number % SHADES}" for number in range(len(parts)))]
    drawn = "".join(_draw(size, total, kind) for (_, size), kind in zip(parts, kinds, strict=False))
    legend = "".join(
        f'<li><i class="{kind}"></i>{size:,} {clean(label)}</li>'
        for (label, size), kind in zip(parts, kinds, strict=False)
    )
    return f'<div class="strip">{drawn}</div><ul class="legend">{legend}</ul>'


def _draw(size: int, longest: int, kind: str) -> str:
    return f'<i class="{kind}" style="width:{100 * size / longest:.2f}%"></i>' if size else ""


def render_report(facts: ReportFacts) -> str:
    """Render the page, which depends only on the facts."""
    sections = (
        _render_head(facts),
        _render_coverage(facts),
        _render_left_out(facts),
        _render_segments(facts),
        _render_sizes(facts),
        _render_calls(facts),
    )
    title = clean(f"{facts.root_name}: repo-mcp report")
    return (
        f'{MARK}\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{STYLE}</style></head>\n<body><main>\n"
        + "\n".join(sections)
        + f"\n<footer>repo-mcp {clean(facts.version)}. Made from the index, the names and sizes of files"
        ", and the log of calls. This page contains no text of any file.</footer></main></body></html>\n"
    )


def _render_head(facts: ReportFacts) -> str:
    state, health = facts.index, judge(facts.index)
    tiles = (
        (f"{state.indexed_files:,}", "files indexed"),
        (f"{_percent(state.indexed_files, count_offered(state))}", "of the files examined"),
        (show_size(state.index_bytes), f"index in {count(state.segments, 'segment')}"),
        (f"{facts.symbol_index.symbols:,}", "symbols"),
        (f"{facts.log.calls:,}", "calls in the log"),
        (f"{sum(tool.blocked for tool in facts.log.tools):,}", "refused reads"),
    )
    shown = "".join(f"<li><b>{clean(value)}</b>{clean(label)}</li>" for value, label in tiles)
    warnings = "".join(
        f'<p class="warning">{clean(text)}</p>' for text in (*state.warnings, *facts.log.warnings)
    )
    refreshed = f"Refreshed {show_moment(state.last_refresh)}; generation {state.generation}."
    return (
        f"<header><h1>{clean(facts.root_name)}</h1>"
        f'<p class="health {clean(health.word)}"><b>{clean(health.word)}.</b> {clean(health.advice)}</p>'
        f'<p class="faint">{clean(refreshed)}</p></header><ul class="tiles">{shown}</ul>{warnings}'
    )


def _render_coverage(facts: ReportFacts) -> str:
    languages = sorted(facts.index.languages.items(), key=lambda row: (-row[1], row[0]))
    rows = [(name, files, files, f"{files:,}") for name, files in languages[:MOST_LANGUAGES]]
    more = sum(files for _, files in languages[MOST_LANGUAGES:])
    if more:
        rows.append((f"{len(languages) - MOST_LANGUAGES} more", more, more, f"{more:,}"))
    picture = draw_bars(rows) if rows else "<p>Nothing is indexed.</p>"
    return f"<section><h2>Coverage by language</h2>{picture}{_render_symbols(facts)}</section>"


def _render_symbols(facts: ReportFacts) -> str:
    state = facts.symbol_index
    if not state.files_total:
        return (
            '<h3>Symbol index</h3><p class="faint">None:'
            " <code>repo-mcp index --structure</code> builds it.</p>"
        )
    totals = facts.index.languages
    rows = [
        (name, done, max(done, totals.get(name, 0)), f"{done:,} of {max(done, totals.get(name, 0)):,}")
        for name, done in sorted(state.languages.items(), key=lambda row: (-row[1], row[0]))
    ]
    text = f"{state.files_done:,} of {state.files_total:,} files with a parser are parsed"
    for many, what in ((state.partial, "partly parsed"), (state.failed, "not parsed")):
        text += f"; {many:,} {what}" if many else ""
    return f"<h3>Symbol index</h3><p>{clean(text)}.</p>{draw_bars(rows)}"


def _render_left_out(facts: ReportFacts) -> str:
    skipped = sorted(facts.index.skipped.items(), key=lambda row: (-row[1], row[0]))
    looked_at = {reason.value for reason in SkipReason}
    strip = [("indexed", facts.index.indexed_files)]
    strip += [(reason.replace("_", " "), many) for reason, many in skipped if reason in looked_at]
    rows = [[reason.replace("_", " "), f"{many:,}", REASONS.get(reason, "")] for reason, many in skipped]
    table = (
        "<p>Nothing.</p>" if facts.index.state == "ready" else "<p>Not known until a build has finished.</p>"
    )
    if rows:
        table = _render_table(("reason", "entries", "meaning"), rows, numbers={1})
    large = [[file.path, show_size(file.size)] for file in facts.too_large]
    shown = ""
    if large:
        shown = f"<h3>Largest files above the limit of {show_size(facts.max_file_bytes)}</h3>"
        shown += _render_table(("file", "size"), large, numbers={1})
    picture = draw_strip(strip) if facts.index.snapshot else ""
    return f"<section><h2>Left out, and why</h2>{picture}{table}{shown}</section>"


def _render_segments(facts: ReportFacts) -> str:
    segments = facts.segments
    rows = [
        (
            one.name,
            one.file_bytes,
            one.file_bytes,
            f"{show_size(one.file_bytes)}, {count(one.live_files, 'file')}",
        )
        for one in segments[:MOST_SEGMENTS]
    ]
    dead = sum(one.dead_files for one in segments)
    text = f"Generation {facts.index.generation}: {count(len(segments), 'segment')}"
    text += f", {count(facts.index.chunks, 'chunk')}; {count(dead, 'file')} in them superseded or removed."
    picture = draw_bars(rows) if rows else ""
    return f"<section><h2>Segments and generations</h2><p>{clean(text)}</p>{picture}</section>"


def _render_sizes(facts: ReportFacts) -> str:
    rows = [(name, size, size, show_size(size)) for name, size in facts.places.items()]
    rows.sort(key=lambda row: (-row[1], row[0]))
    files = [[file.path, show_size(file.size)] for file in facts.largest]
    return (
        f"<section><h2>Sizes</h2><h3>The data directory</h3>{draw_bars(rows)}"
        f"<h3>Largest files in the tree</h3>{_render_table(('file', 'size'), files, numbers={1})}</section>"
    )


def _render_calls(facts: ReportFacts) -> str:
    log = facts.log
    if not log.calls:
        return '<section><h2>Calls</h2><p class="faint">No client has called a tool yet.</p></section>'
    names = ("tool", "calls", "failed", "refused", "median", "slowest")
    tools = [
        [
            one.name,
            *(f"{count:,}" for count in (one.calls, one.failed, one.blocked)),
            *(f"{time:,} ms" for time in (one.median_ms, one.slowest_ms)),
        ]
        for one in log.tools
    ]
    blocked = "<p>None.</p>"
    if log.blocked:
        blocked = _render_table(_CALL_HEADS, map(_render_call, log.blocked), numbers={4}, steady={0, 1, 3})
    slowest = _render_table(_CALL_HEADS, map(_render_call, log.slowest), numbers={4}, steady={0, 1, 3})
    return (
        f"<section><h2>Calls since {clean(_show_time(log.since))} UTC</h2>"
        f"{_render_table(names, tools, numbers={1, 2, 3, 4, 5})}"
        f"<h3>Slowest calls</h3>{slowest}"
        f"<h3>Refused reads</h3>{blocked}</section>"
    )


_CALL_HEADS = ("time", "tool", "arguments", "outcome", "took")


def _render_call(call: CallFacts) -> list[str]:
    arguments = ", ".join(f"{name}: {_render_shape(shape)}" for name, shape in call.arguments.items())
    return [_show_time(call.timestamp), call.tool, arguments, call.outcome, f"{call.duration_ms:,} ms"]


def _show_time(timestamp: str) -> str:
    """Render a log time to the second; it is UTC, like the whole log."""
    return timestamp[:19].replace("T", " ")


def _render_shape(shape: object) -> str:
    """Return what the log keeps of an argument: its value if harmless, otherwise its size."""
    if not isinstance(shape, Mapping):
        return str(shape)
    for name in ("value", "text", "class"):  # "class": why the log does not say a path
        if name in shape:
            return str(shape[name])
    sizes = (("chars", "characters"), ("length", "entries"), ("count", "names"))
    parts = [f"{shape[name]} {what}" for name, what in sizes if name in shape]
    return ", ".join(parts) or str(shape.get("type", ""))


def _render_table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: set[int], steady: Container[int] = ()
) -> str:
    """Render a table of plain texts: columns in `numbers` are right-aligned, those in `steady` unwrapped."""
    kinds = [
        ' class="number"' if column in numbers else ' class="steady"' if column in steady else ""
        for column in range(len(heads))
    ]
    shown = "".join(f"<th{kind}>{clean(head)}</th>" for head, kind in zip(heads, kinds, strict=True))
    parts = [f'<div class="scroll"><table><thead><tr>{shown}</tr></thead><tbody>']
    for row in rows:
        cells = (f"<td{kind}>{clean(cell)}</td>" for cell, kind in zip(row, kinds, strict=True))
        parts.append(f"<tr>{''.join(cells)}</tr>")
    return "".join(parts) + "</tbody></table></div>"


def _percent(part: int, whole: int) -> str:
    """Render a percentage, rounded down, so that 100 % means that nothing is missing."""
    return f"{100 * part // whole} %" if whole else "none"
