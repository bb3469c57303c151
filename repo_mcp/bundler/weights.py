"""Every number that decides what comes into a bundle, in one table.

They are few and round. They were tuned on the changed lines and files of some 200 commits in 45 public
projects, with each commit's message as the prompt; bench/quality/README.md gives the results.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """Shares of evidence. In each search, the best file scores 1 and the others a part of it."""

    ranking: float = 4.0  # the ranking of all files for the prompt
    prompt_search: float = 0.0
    keyword_search: float = 1.0
    symbol_search: float = 1.2  # for a name that one unit defines; frequent names count less
    phrase_search: float = 0.5
    named_path: float = 10.0  # more than all searches together: what the prompt names comes first
    frame: float = 10.0  # for the innermost frame
    frame_decay: float = 0.8  # for each frame further out
    unit_decay: float = 0.3  # a file's score sums its chunks, each further one weighing this much less

    symbol_term: float = 2.0  # a term that is a whole symbol of the prompt
    part_term: float = 0.7  # a term that is a part of a longer word
    phrase_term: float = 1.0

    declared: float = 4.0  # a block that declares a symbol of the prompt, in units of that term's weight
    spread: float = 1.0  # repetitions at which a term in a block reaches half its weight
    length_lines: float = 40.0  # the usual length of a block
    length_share: float = 0.5  # how much the value of a longer block is lowered

    grow_share: float = 0.1  # a window takes in a neighbour worth this much of its best block
    more_share: float = 0.8  # a second window of a file must be worth this much of the first
    file_share: float = 0.6  # a file must score this much of the best one, without mentions
    least_lines: int = 30  # the smallest share of a file; when the budget is short, fewer files come in


WEIGHTS = Weights()
