"""Render a bundle as a page for people: the prompt, the excerpts and their reasons, what was left out.

Text of files and of the prompt is in fences longer than any run of backquotes in it, so nothing in it can end
its fence. In table cells, everything that would break a cell is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from repo_mcp.bundler.records import Bundle, BundleAudit, Dropped, Selection
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.ranking.query.clues import ClueKind
from repo_mcp.text.citations import write_citation, write_span
from repo_mcp.text.lines import escape_text

MAX_PROMPT_CHARS = 20_000  # the page shows only the beginning of a longer prompt
_BREAKS_TEXT = re.compile(r"([\\`*_\[\]<>|#&])")


def render_markdown(bundle: Bundle) -> str:
    """Render the page, ending in a line end."""
    return "\n".join(_iter_lines(bundle)) + "\n"


def _iter_lines(bundle: Bundle) -> Iterator[str]:
    yield "# Context bundle"
    yield ""
    prompt = bundle.prompt[:MAX_PROMPT_CHARS]
    yield from _fence("text", prompt.expandtabs(4).rstrip().split("\n"))
    if len(prompt) < len(bundle.prompt):
        yield f"The first {MAX_PROMPT_CHARS:,} of {len(bundle.prompt):,} characters."
    yield ""
    yield from _iter_budget(bundle)
    for warning in bundle.warnings:
        yield f"- warning: {_plain(warning)}"
    yield ""
    if bundle.selections:
        yield from _iter_table(bundle.selections)
        yield from _iter_excerpts(bundle.selections)
    else:
        yield "**Nothing was found.** What was tried is listed below."
        yield ""
    yield from _iter_audit(bundle.audit)


def _iter_budget(bundle: Bundle) -> Iterator[str]:
    totals, budget = bundle.totals, bundle.budget
    tokens = f" of {budget.max_tokens:,}" if budget.max_tokens is not None else ""
    yield (
        f"- **{totals.files}** of {budget.max_files} files,"
        f" **{totals.lines:,}** of {budget.max_total_lines:,} lines,"
        f" about **{totals.tokens:,}**{tokens} tokens"
    )
    tests = "" if bundle.include_tests else ", without tests"
    yield f"- strategy {bundle.strategy}{tests}"
    yield f"- bundle `{bundle.bundle_id}`, prompt `{bundle.prompt_fingerprint}`"


def _iter_table(selections: Sequence[Selection]) -> Iterator[str]:
    yield "## Selected"
    yield ""
    yield from ("| # | excerpt | symbol | score | why |", "|---:|---|---|---:|---|")
    for number, one in enumerate(selections, 1):
        symbol = f"`{_cell(one.symbol)}`" if one.symbol else ""
        score = f"{one.score:.2f}" if one.score else ""
        place = _cell(write_citation(one.path, one.start_line, one.end_line))
        yield f"| {number} | `{place}` | {symbol} | {score} | {_plain(one.rationale)} |"
    yield ""


def _iter_excerpts(selections: Sequence[Selection]) -> Iterator[str]:
    numbered = enumerate(selections, 1)
    for path, group in groupby(numbered, key=lambda pair: pair[1].path):
        yield f"## `{_cell(path)}`"
        yield ""
        for number, one in group:
            symbol = f" `{_cell(one.symbol)}`" if one.symbol else ""
            span = f"line{'s' * (len(one.lines) > 1)} {write_span(one.start_line, one.end_line)}"
            yield f"**{number}.** {span}{symbol}: {_plain(one.rationale)}."
            yield ""
            width = len(str(one.end_line))
            lines = (
                f"{line:>{width}}  {text.expandtabs(4)}".rstrip()
                for line, text in enumerate(one.lines, one.start_line)
            )
            yield from _fence(_find_fence_language(path), lines)
            yield ""
        yield f"Fingerprint of the file: `{one.fingerprint}`"
        yield ""


def _iter_audit(audit: BundleAudit) -> Iterator[str]:
    yield "## How it was found"
    yield ""
    for kind in ClueKind:
        texts = [f"`{_cell(one.text)}`" for one in audit.keywords if one.kind is kind]
        if texts:
            yield f"- {kind.value}: {', '.join(texts)}"
    yield ""
    yield from ("| search | terms | hits | files looked at |", "|---|---|---:|---:|")
    for one in audit.searches:
        yield f"| {_plain(one.name)} | {_plain(one.query)} | {one.hits:,} | {one.files} |"
    yield ""
    if audit.chunks:
        yield from ("| indexed chunk | id |", "|---|---|")
        for chunk in audit.chunks:
            cited = write_citation(chunk.path, chunk.start_line, chunk.end_line)
            yield f"| `{_cell(cited)}` | `{chunk.chunk_id}` |"
        yield ""
    yield f"{audit.considered} files were considered."
    if audit.dropped:
        yield ""
        yield "## Left out"
        yield ""
        yield from (f"- `{_cell(_cite(one))}`: {_plain(one.reason)}" for one in audit.dropped)
        if audit.dropped_total > len(audit.dropped):
            yield f"- and {audit.dropped_total - len(audit.dropped)} more"


def _cite(one: Dropped) -> str:
    if one.start_line is None or one.end_line is None:
        return one.path
    return write_citation(one.path, one.start_line, one.end_line)


def _fence(language: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines in a fence that nothing in them can end."""
    shown = [escape_text(line) for line in lines]
    longest = max((len(run) for line in shown for run in re.findall(r"`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    yield fence + language
    yield from shown
    yield fence


def _find_fence_language(path: str) -> str:
    name = find_language(path).name
    return "" if name in ("unknown", "text") else name


def _cell(text: str) -> str:
    """Return text escaped for backquotes in a table cell."""
    return escape_text(text).replace("`", "'").replace("|", "\\|")


def _plain(text: str) -> str:
    """Return text escaped so that none of it acts as markup."""
    return _BREAKS_TEXT.sub(r"\\\1", escape_text(text))
