"""The results of `search_code` as text for people: the summary, then each result with its lines numbered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from repo_mcp.toolsets.answers import Result


def write_text(result: Result) -> str:
    """The text, without the warnings."""
    shown: dict[str, Any] = dict(result)
    lines = [f'{len(shown["results"])} of {shown["total"]} results for "{shown["query"]}"']
    if shown.get("expansion", {}).get("terms"):
        lines += ["Widened by: " + ", ".join(one["word"] for one in shown["expansion"]["terms"])]
    lines += _tell_summary(shown.get("summary", {}))
    for number, hit in enumerate(shown["results"], 1):
        lines += ["", *_tell_hit(number, hit)]
    return "\n".join(lines)


def _tell_summary(summary: Mapping[str, Any]) -> Iterator[str]:
    if not summary:
        return
    yield ""
    yield summary["text"]
    for one in summary["follow_ups"]:
        arguments = ", ".join(f"{name}: {value}" for name, value in one["arguments"].items())
        yield f"Next: {one['tool']} ({arguments}), since {one['reason']}"


def _tell_hit(number: int, hit: Mapping[str, Any]) -> Iterator[str]:
    place = f"{hit['path']}:{hit['start_line']}-{hit['end_line']}"
    named: Sequence[str] = hit["symbols"]
    what = hit.get("breadcrumb") or (named[0] if named else "")
    yield f"{number}. {place}  {hit['relevance_percent']:.0f} %  {hit['kind']} {what}".rstrip()
    for name in ("signature", "doc_comment"):
        if name in hit:
            yield f"   {hit[name]}"
    width = len(str(hit["end_line"]))
    for at, line in enumerate(hit["content"].split("\n"), hit["start_line"]):
        yield f"   {at:>{width}}  {line}".rstrip()
