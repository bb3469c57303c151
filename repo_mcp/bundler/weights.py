"""Every number that decides what comes into a bundle, in one table.

They are few and round. They were tuned on questions about development repositories whose answering functions
were named in advance, and on the changed lines of commits; bench/quality/README.md gives the results.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """Shares of evidence. A block that holds every term of the prompt once or twice is worth about 1."""

    # terms of the prompt
    symbol_term: float = 2.0  # a term that is a whole symbol of the prompt
    part_term: float = 0.7  # a term that is a part of a longer word
    phrase_term: float = 1.0

    # what a block holds
    name: float = 1.0  # the terms in its name, beside those in its text: names are chosen with care
    prototype: float = 0.5  # the share of that for a declaration without its body
    owner: float = 0.3  # the terms in the name of the class around it
    comment: float = 0.3  # of a line of comment or docstring: it says what the code next to it does
    repeats: float = 1.0  # repetitions at which a term in a block of usual length reaches half its weight
    usual_lines: float = 25.0
    length: float = 0.5  # how much a longer block needs more repetitions

    # what the prompt names
    named: float = 3.0  # more than all terms together: what is named comes first
    unsure: float = 0.5  # a capitalised word, which may be no name

    # steps over the graph
    callee: float = 0.35  # of the worth of the block that calls it
    base: float = 0.3
    named_use: float = 0.2  # of a name that is handed on or read

    # the file
    any_declaration: float = 0.03  # in a file that the search finds
    rank: float = 1.0  # power of the file's score in the search, as a share of the best one's
    mention: float = 1.5  # the file that the prompt names, in shares of the best score
    next_frame: float = 0.8  # of a traceback, from the innermost outwards

    # spending
    lines: float = 0.3  # power of the lines that a block costs
    base_lines: float = 60.0  # that an excerpt costs besides its own, for its place and its rationale
    part_share: float = (
        0.6  # a block that does not fit is shown in part when it is worth this much of the best
    )
    repeat_lines: float = 300.0  # of one file: when that many are shown, the next block counts half


WEIGHTS = Weights()
