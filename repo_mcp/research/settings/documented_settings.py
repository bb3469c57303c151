"""Find the setting that a document describes in the words of a question.

"Where do I set how long results are kept" names no setting. Documents list settings, each by its name and
with what it does, as in "`result_ttl` specifies how long results are kept", and so say which one is meant.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from repo_mcp.documentation.records import DocsRequest
from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.locating import is_aside, is_test_place
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.text.citations import write_citation
from repo_mcp.text.question_words import list_words, shares_word

MAX_SECTIONS = 4  # of which the items are read
LEAST_WORDS, LEAST_SHARE = 2, 0.75  # of the question, in an item: with fewer it may mean anything
MAX_NAME_WORDS = 4  # a longer phrase is no name of a setting
# "where do I set how long results are kept", "which option controls how long results are kept"
_ASKS = re.compile(
    r"\W*(?:(?:where|how) (?:do|can|should|could|would) (?:I|we|you|one)"
    r" (?:set|configure|control|change|adjust|customi[sz]e)"
    r"|(?:which|what) (?:setting|option|flag|parameter)"
    r" (?:sets|configures|controls|changes|decides|determines))"
    r" (.+)",
    re.IGNORECASE | re.DOTALL,
)
# "- `name`: what it does", "| `name` | what it does |", "### `--name N`"
_ITEM = re.compile(r"\s{0,12}[^\w\s`]{0,6}\s{0,4}[*`]{1,4}(?:-\w, )?-{0,2}([A-Za-z_][\w.-]*)[^`\n]{0,60}`")


@dataclass(frozen=True, slots=True)
class Documented:
    """A setting, and the lines of a document that describe it."""

    name: str
    citation: str


def read_description(question: str) -> str:
    """Return what a question that asks for a setting says of it; "" for one that may name the setting."""
    asked = _ASKS.match(question)
    text = "" if asked is None else asked[1]
    return text if len(text.split()) > MAX_NAME_WORDS else ""


def find_documented(state: ResearchState, text: str) -> Documented | None:
    """Return the setting that a document describes in the words of a text; None without one."""
    words = list_words(text)
    request = DocsRequest(
        " ".join(words), MAX_SECTIONS, state.admits, state.request.folder, has_comments=False
    )
    most, best = max(LEAST_WORDS, math.ceil(LEAST_SHARE * len(words))) - 1, None
    for hit in state.source.search_docs(request).hits:
        if is_aside(hit.path) or is_test_place(hit.path):
            continue
        lines = state.source.read_lines(hit.path)[hit.section_start - 1 : hit.section_end]
        for name, first, last in _iter_items(lines):
            held = shares_word(" ".join(lines[first:last]), words)
            if held > most and not state.source.is_absent(name):
                place = write_citation(hit.path, hit.section_start + first, hit.section_start + last - 1)
                most, best = held, Documented(name.replace("-", "_"), place)
    return best


def _iter_items(lines: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """Yield the names of a section's items, each with the half-open range of its lines."""
    starts = [(at, found[1]) for at, line in enumerate(lines) if (found := _ITEM.match(line))]
    ends = [*(at for at, _ in starts[1:]), len(lines)]
    for (first, name), end in zip(starts, ends, strict=False):
        blank = next((at for at in range(first + 1, end) if not lines[at].strip()), end)
        yield name, first, blank
