"""Every number that decides the order of sections, in one table. Shares and scores are from 0 to 1."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DocsWeights:
    """The weights of the parts of a section's score, and the shares that lower it."""

    # Parts of the score, which add up to 1.
    text: float = 0.45  # the words of the query in its lines
    heading: float = 0.30  # in its heading, with few others
    above: float = 0.10  # in the headings above it and in the path
    file: float = 0.15  # the rank of the file
    # Matches.
    stem: float = 0.9  # another form of the word: "installing" for "installation"
    parts: float = 0.5  # the parts of a name, but not the name
    joined: float = 0.8  # two words in a row as one name: `workqueue` for "work queue"
    prefix: float = 0.7  # in headings: one word begins with the other
    half_tf: float = 1.0  # lines with a word at which it reaches half its worth, in a part of usual length
    usual_chars: float = 1_200.0  # characters of a part
    heading_share: float = 0.4  # of a heading in which the words stand among many others
    given_tf: float = 0.4  # term frequency of a word that a text leaves to the headings above
    given_heading: float = 0.5  # weight of such a word in a heading
    coverage: float = 0.4  # part of the score that does not depend on how many of the words were found
    # Shares that are kept, unless the query asks for such files.
    test: float = 0.4
    foreign: float = 0.4
    translation: float = 0.35
    changelog: float = 0.55
    licence: float = 0.4
    example: float = 0.85
    comment: float = 0.75  # of a declaration, relative to a section
    inner_comment: float = 0.6
    repeat: float = 0.85  # for each further section of a file


WEIGHTS = DocsWeights()
