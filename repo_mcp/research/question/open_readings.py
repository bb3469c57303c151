"""Read a question that names nothing: it is answered from its words, or asks what the program repeats."""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.record_classes import replace
from repo_mcp.research.findings.records import Focus, Form, Reading, ResearchRequest
from repo_mcp.research.question.grammar import Parsed
from repo_mcp.research.question.readings import read_as_open
from repo_mcp.text.question_words import list_words

_ABOUT_SHAPES = frozenset(
    """
    repeated shape shapes pattern patterns design idiom idioms convention conventions common similar duplicate
    duplicated boilerplate structures families repository codebase project program
    """.split()  # noqa: SIM905
)


def is_about_shapes(request: ResearchRequest) -> bool:
    """Return True for a question about patterns whose words name only shapes and no particular code."""
    own = {*_ABOUT_SHAPES, *request.folder.lower().split("/")}
    return request.focus is Focus.PATTERNS and own.issuperset(map(str.lower, list_words(request.query)))


def read_open(request: ResearchRequest, parsed: Sequence[Parsed]) -> Reading:
    """Return the reading of a question that names nothing: it is answered from its words."""
    for one in parsed:
        if one.form is Form.TESTS:  # of what is no name: only its words are looked for
            return read_as_open(one.phrases[0].text)
    reading = read_as_open(request.query)
    if is_about_shapes(request):
        folder = request.folder
        where = f"the folder {folder}" if folder else "the whole repository"
        return replace(reading, text=f"what is repeated in {where}")
    return reading
