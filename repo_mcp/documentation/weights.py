"""Every number that decides the order of sections, in one table. Shares and scores are from 0 to 1."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DocsWeights:
    """What speaks for a section, and what is left of it."""

    # parts of the score; together they are 1
    text: float = 0.45  # the words of the query in its lines
    heading: float = 0.30  # in its heading, and little else there
    above: float = 0.10  # in the headings above it and in the path
    file: float = 0.15  # the file as the ranking of files sees it
    # matches
    stem: float = 0.9  # another form of the word: "installing" for "installation"
    parts: float = 0.5  # the parts of a name, but not the name
    joined: float = 0.8  # two words in a row as one name: `workqueue` for "work queue"
    prefix: float = 0.7  # in headings: one begins as the other does
    half_tf: float = (
        1.0  # lines that hold a word in a part of usual length, for half of what any number gives
    )
    usual_chars: float = 1_200.0  # of a part
    heading_share: float = 0.4  # of a heading that holds the words among many others
    given_tf: float = 0.4  # how often a word stands in a text that leaves it to the headings above
    given_heading: float = 0.5  # what such a word counts in a heading
    coverage: float = 0.4  # of the score does not ask how many of the words were found
    # shares that are left, unless the query asks for such
    test: float = 0.4
    foreign: float = 0.4
    translation: float = 0.35
    changelog: float = 0.55
    licence: float = 0.4
    example: float = 0.85
    comment: float = 0.75  # of a declaration, beside a section that says the same
    inner_comment: float = 0.6
    repeat: float = 0.85  # each further section of a file


WEIGHTS = DocsWeights()
