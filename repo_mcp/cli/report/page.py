"""Render the report as one HTML page: no script, nothing from outside, every text escaped.

The page carries a policy that forbids the browser to run or load anything. Names of files, tools, languages
and the root come from a repository or a log, so every one of them passes through `clean`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from repo_mcp.cli.console.render import count
from repo_mcp.cli.console.status_page import count_offered, judge, show_moment
from repo_mcp.cli.console.terminal import show_size
from repo_mcp.cli.report.facts import CallFacts, ReportFacts
from repo_mcp.cli.report.file import MARK
from repo_mcp.cli.report.pictures import clean, draw_bars, draw_strip
from repo_mcp.cli.report.style import STYLE
from repo_mcp.model import SkipReason

MOST_LANGUAGES = 20
MOST_SEGMENTS = 40
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
# reason for leaving something out -> its meaning
REASONS = {
    "too_large": "above the limit for one file",
    "binary": "no text",
    "unreadable": "could not be read",
    "excluded": "by a glob or an extension of the configuration",
    "denied": "keys, credentials and their like: never read",
    "ignored": "by ignore files (a folder counts once)",
    "hidden": "names that begin with a dot",
    "symlink": "links are not followed",
    "special": "no regular files",
    "hard_link": "files with several names (--refuse-hard-links)",
    "other_file_system": "mounted below the root (--one-file-system)",
    "too_deep": "too many folders inside each other",
    "too_many": "folders beyond the most entries that are looked at",
    "name_not_utf8": "names that are not UTF-8",
}


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
        " and the log of calls; no content of a file is on this page.</footer></main></body></html>\n"
    )


def _render_head(facts: ReportFacts) -> str:
    state, health = facts.index, judge(facts.index)
    tiles = (
        (f"{state.indexed_files:,}", "files indexed"),
        (f"{_percent(state.indexed_files, count_offered(state))}", "of the files looked at"),
        (show_size(state.index_bytes), f"index in {count(state.segments, 'segment')}"),
        (f"{facts.structure.symbols:,}", "symbols"),
        (f"{facts.log.calls:,}", "calls in the log"),
        (f"{sum(tool.blocked for tool in facts.log.tools):,}", "refused reads"),
    )
    shown = "".join(f"<li><b>{clean(value)}</b>{clean(label)}</li>" for value, label in tiles)
    warnings = "".join(
        f'<p class="warning">{clean(text)}</p>' for text in (*state.warnings, *facts.log.warnings)
    )
    told = f"Refreshed {show_moment(state.last_refresh)}; generation {state.generation}."
    return (
        f"<header><h1>{clean(facts.root_name)}</h1>"
        f'<p class="health {clean(health.word)}"><b>{clean(health.word)}.</b> {clean(health.told)}</p>'
        f'<p class="faint">{clean(told)}</p></header><ul class="tiles">{shown}</ul>{warnings}'
    )


def _render_coverage(facts: ReportFacts) -> str:
    languages = sorted(facts.index.languages.items(), key=lambda row: (-row[1], row[0]))
    rows = [(name, files, files, f"{files:,}") for name, files in languages[:MOST_LANGUAGES]]
    more = sum(files for _, files in languages[MOST_LANGUAGES:])
    if more:
        rows.append((f"{len(languages) - MOST_LANGUAGES} more", more, more, f"{more:,}"))
    picture = draw_bars(rows) if rows else "<p>Nothing is indexed.</p>"
    return f"<section><h2>Coverage by language</h2>{picture}{_render_structure(facts)}</section>"


def _render_structure(facts: ReportFacts) -> str:
    structure = facts.structure
    if not structure.files_total:
        return (
            '<h3>Structure</h3><p class="faint">None: <code>repo-mcp index --structure</code> makes it.</p>'
        )
    totals = facts.index.languages
    rows = [
        (name, done, max(done, totals.get(name, 0)), f"{done:,} of {max(done, totals.get(name, 0)):,}")
        for name, done in sorted(structure.languages.items(), key=lambda row: (-row[1], row[0]))
    ]
    told = f"{structure.files_done:,} of {structure.files_total:,} files that have a parser here are parsed"
    for many, what in ((structure.partial, "understood in part"), (structure.failed, "not understood")):
        told += f"; {many:,} {what}" if many else ""
    return f"<h3>Structure</h3><p>{clean(told)}.</p>{draw_bars(rows)}"


def _render_left_out(facts: ReportFacts) -> str:
    skipped = sorted(facts.index.skipped.items(), key=lambda row: (-row[1], row[0]))
    looked_at = {reason.value for reason in SkipReason}
    strip = [("indexed", facts.index.indexed_files)]
    strip += [(reason.replace("_", " "), many) for reason, many in skipped if reason in looked_at]
    rows = [[reason.replace("_", " "), f"{many:,}", REASONS.get(reason, "")] for reason, many in skipped]
    table = (
        "<p>Nothing.</p>" if facts.index.state == "ready" else "<p>Not known before a build is finished.</p>"
    )
    if rows:
        table = _render_table(("reason", "entries", "what that means"), rows, numbers={1})
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
    told = f"Generation {facts.index.generation}: {count(len(segments), 'segment')}"
    told += f", {count(facts.index.chunks, 'chunk')}; {count(dead, 'file')} in them superseded or removed."
    picture = draw_bars(rows) if rows else ""
    return f"<section><h2>Segments and generations</h2><p>{clean(told)}</p>{picture}</section>"


def _render_sizes(facts: ReportFacts) -> str:
    rows = [(name, size, size, show_size(size)) for name, size in facts.places.items()]
    rows.sort(key=lambda row: (-row[1], row[0]))
    files = [[file.path, show_size(file.size)] for file in facts.largest]
    return (
        f"<section><h2>Sizes</h2><h3>The data directory</h3>{draw_bars(rows)}"
        f"<h3>Largest files of the tree</h3>{_render_table(('file', 'size'), files, numbers={1})}</section>"
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
    told = [f"{shape[name]} {what}" for name, what in sizes if name in shape]
    return ", ".join(told) or str(shape.get("type", ""))


def _render_table(
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: set[int],
    steady: Container[int] = (),
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
