"""Headings as a reader sees them, without the markup of Markdown, reStructuredText and HTML.

Left out on purpose: underscores, which belong to names more often than they mean emphasis.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.languages.outline.outline_limits import cut

MAX_HEADING_CHARS = 160
MAX_BREADCRUMB_CHARS = 400
BETWEEN = " > "
_LEFT_OUT = "…"

# Titles are short; the bounds protect against text that is none.
_ANCHOR = re.compile(r"[ \t]*\{[ \t]*[#.:][^{}]{0,100}\}[ \t]*$")
_COMMENT = re.compile(r"\{/\*[^{}]{0,200}\*/\}|<!--[^<>]{0,200}-->")
_LINK = re.compile(r"!?\[([^\[\]]{0,200})\](?:\([^()]{0,300}\)|\[[^\[\]]{0,100}\])")
_ROLE = re.compile(r":[A-Za-z][\w:.+-]{0,40}:`([^`]{1,200})`")
_TARGET = re.compile(r"(?::[A-Za-z][\w:.+-]{0,40}:)?`([^`<>]{1,200})[ \t]<[^<>`]{1,300}>`_{0,2}")
# Other tags may be words of the title: `<pid>`, `Option<T>`.
_TAG = re.compile(
    r"</?(?:a|abbr|b|big|br|center|code|div|em|font|i|img|kbd|mark|p|picture|s|small|source|span|strong|sub|sup|u|wbr)"
    r"(?:[ \t/][^<>]{0,300})?>",
    re.IGNORECASE,
)
_MARKED = frozenset("*`[]<>{}:")
_MARKS = re.compile(r"\*{1,3}|`{1,3}")


def clean_title(text: str) -> str:
    """Return the words of a heading on one line."""
    if len(text) <= MAX_HEADING_CHARS and _MARKED.isdisjoint(text):
        return " ".join(text.split())
    text = _ANCHOR.sub("", _COMMENT.sub("", cut(text, 2 * MAX_HEADING_CHARS)))
    text = _LINK.sub(r"\1", text)
    text = _ROLE.sub(r"\1", _TARGET.sub(r"\1", text))
    plain = " ".join(_MARKS.sub("", _TAG.sub("", text)).split())
    return cut(plain, MAX_HEADING_CHARS)


def join_breadcrumb(names: Sequence[str]) -> str:
    """Return a breadcrumb such as `Guide > Installation > pip`, without its middle when it is too long."""
    kept = [name for name in names if name]
    while len(BETWEEN.join(kept)) > MAX_BREADCRUMB_CHARS and len(kept) > 2:
        middle = len(kept) // 2
        if kept[middle] == _LEFT_OUT and len(kept) == 3:
            break
        kept[middle : middle + 1] = [_LEFT_OUT] if _LEFT_OUT not in kept else []
    return cut(BETWEEN.join(kept), MAX_BREADCRUMB_CHARS)
