"""Find the sections of documents that a question is about.

A section counts if it has most of what the question says. Lists of changes and of sponsors, licences and
rules of conduct never count.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from repo_mcp.documentation.records import DocsHit, DocsRequest
from repo_mcp.research.findings.locating import is_aside, is_test_place
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.words.seeds import choose_words
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.question_words import find_action, shares_word

MAX_SECTIONS = 3
SPARE_SECTIONS = 3  # searched for beyond those that are shown, because some do not fit
SECTION_LINES = 4  # of a section that are shown below its heading

_OWN = re.compile(r"\b(?:custom|own|new|add(?:ing)?|writ(?:e|ing)|creat(?:e|ing)|extend(?:ing)?)\b", re.IGNORECASE)


def note_documents(state: ResearchState, text: str, most: int, beside: str = "") -> None:
    """Note the sections of documents that a question is most about.

    `beside` is another word that such sections often have. If it is given, the heading of a section must name
    the subject, or the kind of what is to be added.
    """
    wanted = choose_words(state, text) if beside else []
    action = find_action(state.request.query) if beside else None
    kind = action.nouns if action is not None else ()
    text = f"{beside} {text}"
    words = " ".join(choose_words(state, text))
    if not re.search(r"\w", words):
        return
    folder = state.request.folder
    inside = f"{folder}/"
    admits = (lambda path: path.startswith(inside)) if folder else None
    asked = DocsRequest(words, most + SPARE_SECTIONS, admits, folder, has_comments=False)
    answer = state.source.search_docs(asked)
    fitting = [
        hit
        for hit in answer.hits
        if not (is_aside(hit.path) or is_test_place(hit.path))
        and (_is_about(hit, wanted, kind) if wanted else _holds_most(hit, state.weights))
    ]
    for hit in fitting[:most]:
        state.add_place(_build_section(hit))


def _is_about(hit: DocsHit, words: Sequence[str], kind: Sequence[str]) -> bool:
    """Return True for a section with most of the words, whose heading has most or the last of them.

    A heading that says of the whole `kind` that it is one's own is enough: "Writing your own handler".
    """
    heading = (hit.breadcrumb or hit.path).rpartition(" > ")[2]
    if kind and _OWN.search(heading) and shares_word(heading, kind) == len(kind):
        return True
    is_headed = 2 * shares_word(heading, words) > len(words) or shares_word(heading, words[-1:])
    return bool(is_headed) and 2 * shares_word(" ".join(hit.matched_words), words) > len(words)


def _holds_most(hit: DocsHit, weights: Mapping[str, float]) -> bool:
    """Return True for a section that has at least half of the question's weight."""
    held = {term for word in hit.matched_words for term in get_word_terms(word)}
    return 2 * sum(weights.get(term, 0.0) for term in held) >= sum(weights.values())


def _build_section(hit: DocsHit) -> Finding:
    rows = enumerate(hit.snippet.split("\n"), hit.start_line)
    words = [word.lower() for word in hit.matched_words]
    held = {number: sum(word in row.lower() for word in words) for number, row in rows}
    best = sorted(held, key=lambda number: (-held[number], number))[:SECTION_LINES]
    shown = sorted({hit.section_start, *(number for number in best if held[number])})
    return Finding(
        hit.path,
        hit.section_start,
        max(hit.section_end, hit.section_start),
        hit.breadcrumb or hit.path,
        "section",
        None,
        f"documentation with words like {', '.join(hit.matched_words[:5])}",
        0,
        "text",
        shown=tuple(shown),
    )
