"""Every number that decides what comes into a bundle, in one table.

They are few and round. They were chosen by the changed lines and files of some 200 commits of 45 public
projects, asked with the commit's message: bench/quality/README.md has what they take.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """Shares of evidence. A search gives its best file 1 and the others their part of it."""

    ranking: float = 4.0  # of all files, as a search for the prompt has it
    prompt_search: float = 0.0
    keyword_search: float = 1.0
    symbol_search: float = 1.2  # for a name that one unit defines; common names count less
    phrase_search: float = 0.5
    named_path: float = 10.0  # more than all searches together: what the prompt names comes first
    frame: float = 10.0  # of the innermost frame
    frame_decay: float = 0.8  # for each frame further out
    unit_decay: float = 0.3  # a file's score sums its chunks, each next one counting this much less

    symbol_term: float = 2.0  # a term that is a whole symbol of the prompt
    part_term: float = 0.7  # a term that is a part of a longer word
    phrase_term: float = 1.0

    declared: float = 4.0  # a block that declares a symbol of the prompt, in units of that term's weight
    spread: float = 1.0  # how soon repetitions of a term in a block stop to count
    length_lines: float = 40.0  # a block of this length is ordinary
    length_share: float = 0.5  # how far longer blocks are made to pay for their length

    grow_share: float = 0.1  # a window takes in a neighbour worth this much of its best block
    more_share: float = 0.8  # a second window of a file must be worth this much of the first
    file_share: float = 0.6  # a file must score this much of the best one, mentions not counted
    least_lines: int = 30  # no file's share of the budget is less: fewer files come in instead


WEIGHTS = Weights()
