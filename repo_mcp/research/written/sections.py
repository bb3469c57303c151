"""Find the sections of documents that a question is about.

A section counts if it has most of what the question says. Lists of changes and of sponsors, licences and
rules of conduct never count.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from math import fsum

from repo_mcp.documentation.records import DocsHit, DocsRequest
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.locating import is_aside, is_test_place
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.asked_words import choose_words
from repo_mcp.research.question.phrase_names import split_parts
from repo_mcp.research.written.section_lines import choose_examples, find_whole_end
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.guessed_names import list_own_names
from repo_mcp.text.question_words import find_action, shares_word, spell_plural

SPARE_SECTIONS = 3  # searched for beyond those that are shown, because some do not fit
ABOUT_KIND = 20  # sections among which one tells how to add one of a kind, by its heading
SECTION_LINES = 4  # of a section that are shown below its heading
LONG_LINES = 150  # of a longer section, only the best part is cited
LEAST_NAMED = 2  # guessed names of a section that is not known to be about something by its heading

FILE_WORDS = 2  # words that the path of a file in a line is worth: it says where something is done
_IN_ORDER = (Role.TELLS_HOW, Role.SHOWS_HOW, Role.OTHER)
# A guide from one version to another, or the documentation of another version.
_OF_CHANGES = re.compile(
    r"(?:^|/)[\w.-]*(?:upgrad(?:e|ing)|migrat(?:e|ing)(?![a-z])|migration[-_]guide)|(?:^|/)migration\.\w+$"
    r"|(?:^|/)versioned[-_]docs/",
    re.IGNORECASE,
)
_IS_NAME = re.compile(r"[A-Z_]")
_WORD = re.compile(r"\w+")
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

    Those come first whose headings say so: "Adding a New System Call", then those with guessed names. The
    first of them is shown with its examples.
    """
    words = choose_words(state, text)
    action = find_action(state.request.query)
    kind = () if action is None else action.nouns
    told = [hit for hit in _search(state, ("add", "new", *kind), most) if _tells_how(hit, kind)]
    about = [
        hit
        for hit in _search(state, choose_words(state, f"custom {text}"), most)
        if _is_about(hit, words, kind)
    ]
    if not told and kind:  # "a handler for a new messaging service": no document knows that one
        told = [hit for hit in _search(state, ("custom", "own", *kind), ABOUT_KIND) if _tells_how(hit, kind)]
    names = _list_names(state)
    named = _search(state, names, most)
    counts = {_locate(hit): _count_named(state, hit, names) for hit in (*told, *about, *named)}
    hits = {_locate(hit): hit for hit in (*about, *named, *told)}
    roles = {place: Role.SHOWS_HOW for place, count in counts.items() if count >= LEAST_NAMED}
    roles |= {_locate(hit): Role.TELLS_HOW for hit in told}
    order = [*map(_locate, named), *map(_locate, told), *map(_locate, about)]
    places = [place for place in dict.fromkeys(order) if place in roles or hits[place] in about]
    is_page = {place: " > " not in hit.breadcrumb for place, hit in hits.items()}  # it tells of nothing else
    places.sort(  # stable
        key=lambda one: (_IN_ORDER.index(roles.get(one, Role.OTHER)), -counts[one] - is_page[one])
    )
    for place in places[:most]:
        role = roles.get(place, Role.OTHER)
        found = _build_section(hits[place], role)
        shown = _show_examples(state, found, names or kind) if role is not Role.OTHER else found
        state.add_place(shown)
        if shown is not found:  # others say less
            return


def _show_examples(state: ResearchState, found: Finding, names: Collection[str]) -> Finding:
    """Return the finding of a section with its examples in place of its lines, if it has any with a name."""
    lines = state.source.read_lines(found.path)
    whole = (found.start_line, find_whole_end(lines, found.start_line, found.end_line))
    shown = choose_examples(lines, whole, names)
    if not shown:
        return found
    end = max(found.end_line, shown[-1])
    return replace(found, end_line=end, shown=tuple(sorted({found.start_line, *shown})))


def _list_names(state: ResearchState) -> list[str]:
    """Return the names that the question guesses and that no prose has by chance."""
    return [name for name in list_own_names(state.request.guesses) if _IS_NAME.search(name)]


def _locate(hit: DocsHit) -> tuple[str, int]:
    return hit.path, hit.section_start


def _count_named(state: ResearchState, hit: DocsHit, names: Collection[str]) -> int:
    """Return how many of some names a section has, each as a whole word."""
    lines = state.source.read_lines(hit.path)[hit.section_start - 1 : hit.section_end]
    return len({word for line in lines for word in _WORD.findall(line)} & {*names})


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
    return [
        hit
        for hit in hits
        if not (is_aside(hit.path) or is_test_place(hit.path) or _OF_CHANGES.search(hit.path))
    ]


def _is_about(hit: DocsHit, words: Sequence[str], kind: Sequence[str]) -> bool:
    """Return True for a section with most of the words, whose heading has most of them, or else the kind.

    Without a kind, the last word stands for it.
    """
    heading = _read_heading(hit)
    is_kind = _has_nouns(heading, kind[-1:]) if kind else shares_word(heading, words[-1:])
    is_headed = is_kind or 2 * shares_word(heading, words) > len(words) > 1
    return bool(is_headed) and 2 * shares_word(" ".join(hit.matched_words), words) > len(words)


def _tells_how(hit: DocsHit, kind: Sequence[str]) -> bool:
    """Return True for a section whose heading names a kind as one's own: "Writing your own handler"."""
    heading = _read_heading(hit)
    is_own = _OWN.search(heading) is not None and _NOT.search(heading) is None
    return is_own and bool(kind) and _has_nouns(heading, kind)


def _has_nouns(heading: str, nouns: Sequence[str]) -> bool:
    """Return True if all of some nouns begin words of a heading or parts of its names.

    "Building it" has no builder, and `DepotBuilderAttribute` has one.
    """
    words = [part.lower() for word in _WORD.findall(heading) for part in (word, *split_parts(word))]
    return all(any(word.startswith((noun, spell_plural(noun))) for word in words) for noun in nouns)


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
