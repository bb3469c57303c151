"""Find the sections of documents that a question is about.

A section counts if it has most of what the question says. Lists of changes and of sponsors, licences and
rules of conduct never count.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import fsum

from repo_mcp.documentation.records import DocsHit, DocsRequest
from repo_mcp.research.findings.locating import is_aside, is_test_place
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.words.asked_words import choose_words
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.question_words import find_action, shares_word

SPARE_SECTIONS = 3  # searched for beyond those that are shown, because some do not fit
ABOUT_KIND = 20  # sections among which one tells how to add one of a kind, by its heading
SECTION_LINES = 4  # of a section that are shown below its heading
LONG_LINES = 150  # of a longer section, only the best part is cited

FILE_WORDS = 2  # words that the path of a file in a line is worth: it says where something is done
_FILE = re.compile(r"\b\w[\w.-]*(?:/[\w.-]+)+\.\w+")
_OWN = re.compile(
    r"\b(?:custom|own|new|(?:add|build|extend|implement)(?:ing)?|(?:creat|defin|mak|writ)(?:e|ing))\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|never|without|instead|avoid(?:ing)?)\b|n't\b", re.IGNORECASE)


def note_documents(state: ResearchState, text: str, most: int) -> None:
    """Note the sections of documents that have at least half of a question's weight."""
    hits = [hit for hit in _search(state, choose_words(state, text), most) if _holds_most(hit, state.weights)]
    for hit in hits[:most]:
        state.add_place(_build_section(hit))


def note_instructions(state: ResearchState, text: str, most: int) -> None:
    """Note the sections on how to add what a question asks to add, or else those on how to add its kind.

    Those come first whose headings say so: "Adding a New System Call".
    """
    words = choose_words(state, text)
    action = find_action(state.request.query)
    kind = () if action is None else action.nouns
    told = [hit for hit in _search(state, ("add", "new", *kind), most) if _tells_how(hit, kind)]
    about = [
        hit for hit in _search(state, choose_words(state, f"custom {text}"), most) if _is_about(hit, words)
    ]
    if not told and kind:  # "a handler for a new messaging service": no document knows that one
        told = [hit for hit in _search(state, ("custom", "own", *kind), ABOUT_KIND) if _tells_how(hit, kind)]
    for hit in list(dict.fromkeys((*told, *about)))[:most]:
        state.add_place(_build_section(hit, Role.TELLS_HOW if _tells_how(hit, kind) else Role.OTHER))


def _search(state: ResearchState, words: Sequence[str], most: int) -> list[DocsHit]:
    """Return the best sections for some words, except those that never count."""
    joined = " ".join(words)
    if not re.search(r"\w", joined):
        return []
    folder = state.request.folder
    inside = f"{folder}/"
    admits = (lambda path: path.startswith(inside)) if folder else None
    asked = DocsRequest(joined, most + SPARE_SECTIONS, admits, folder, has_comments=False)
    hits = state.source.search_docs(asked).hits
    return [hit for hit in hits if not (is_aside(hit.path) or is_test_place(hit.path))]


def _is_about(hit: DocsHit, words: Sequence[str]) -> bool:
    """Return True for a section with most of the words, whose heading has most or the last of them."""
    heading = _read_heading(hit)
    is_headed = 2 * shares_word(heading, words) > len(words) or shares_word(heading, words[-1:])
    return bool(is_headed) and 2 * shares_word(" ".join(hit.matched_words), words) > len(words)


def _tells_how(hit: DocsHit, kind: Sequence[str]) -> bool:
    """Return True for a section whose heading names a kind as one's own: "Writing your own handler"."""
    heading = _read_heading(hit)
    is_own = _OWN.search(heading) is not None and _NOT.search(heading) is None
    return is_own and 0 < len(kind) == shares_word(heading, kind)


def _read_heading(hit: DocsHit) -> str:
    return (hit.breadcrumb or hit.path).rpartition(" > ")[2]


def _holds_most(hit: DocsHit, weights: Mapping[str, float]) -> bool:
    """Return True for a section that has at least half of the question's weight."""
    held = {term for word in hit.matched_words for term in get_word_terms(word)}
    return 2 * fsum(weights.get(term, 0.0) for term in held) >= fsum(weights.values())


def _build_section(hit: DocsHit, role: Role = Role.OTHER) -> Finding:
    """Return the finding of a section, with the lines that have most words or name files."""
    rows = enumerate(hit.snippet.split("\n"), hit.start_line)
    words = [word.lower() for word in hit.matched_words]
    held = {
        number: sum(word in row.lower() for word in words) + FILE_WORDS * bool(_FILE.search(row))
        for number, row in rows
    }
    best = sorted(held, key=lambda number: (-held[number], number))[:SECTION_LINES]
    is_long = hit.section_end - hit.section_start >= LONG_LINES
    start, end = (hit.start_line, hit.end_line) if is_long else (hit.section_start, hit.section_end)
    shown = sorted({start, *(number for number in best if held[number])})
    return Finding(
        hit.path,
        start,
        max(end, start),
        hit.breadcrumb or hit.path,
        "section",
        None,
        Reason(f"documentation with words like {', '.join(hit.matched_words[:5])}", role),
        0,
        "text",
        shown=tuple(shown),
    )
