"""Says of a query that another call is meant: one in mode regex, or of `repo.open_file`."""

from __future__ import annotations

from repo_mcp.late_patterns import compile_late

_CITED = compile_late(r"\S*[\w-]\.\w{1,12}:[1-9]\d{0,8}")  # a line of a file
# What nobody writes in a name or in code: `.*`, `\w+`, alternatives, anchors.
_PATTERN = compile_late(r"\.[*+]|\\[wWsSdDbB.(]|\w\|\w|^\^\w|\w\$$|\w\*$|\*\w")


def note_query(query: str, mode: str, *, found: bool) -> tuple[str, ...]:
    """Return a warning if a query of `mode` is meant for another one, or for another tool."""
    if mode == "literal" and not found and _PATTERN.search(query):
        return ("No line has exactly this text; mode regex takes it as a pattern.",)
    if mode == "symbol" and _PATTERN.search(query):
        return ("Mode symbol takes a name, not a pattern; mode regex finds the lines that match one.",)
    if mode == "bm25" and _CITED.fullmatch(query.strip()):
        return (f'repo.open_file shows that line: {{"path": "{query.strip()}"}}.',)
    return ()
