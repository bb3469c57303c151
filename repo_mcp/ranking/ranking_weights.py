"""Every number that decides the order of files, in one table. bench/quality/README.md says what each gives.

They are few and round; halving or doubling most of them moves the mean by less than half a hundredth.
A file's points are shares of the best text in the answer, which has 1.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RankingWeights:
    """What each signal is worth."""

    # text: BM25F of the file's units
    next_unit: float = 0.6  # each further unit of a file counts this much less than the one before
    # names of files and directories
    file_name: float = 0.7  # all parts of the file's name are rare words of the query
    whole_name: float = 0.2  # a word of the query is the file's name as it stands, case and all
    directory: float = 0.3
    prefix: float = 0.8  # a part that begins as a word of the query does, or the other way round
    # names that the file defines; of each kind the rarest counts
    asked_name: float = 1.0  # a query of one or two words asks for the last one
    shaped_name: float = 0.3  # a word that is shaped like an identifier: snake_case, camelCase, called()
    joined_name: float = 0.2  # words in a row that are one name there: work queue -> work_queue
    plain_name: float = 0.1  # any other word
    # what the query names outright
    named_path: float = 1.5  # a path, a dotted module, a frame of a traceback
    next_frame: float = 0.8  # each frame further out counts this much less
    # shares that are left of all points, unless the query asks for such files
    test: float = 0.3
    document: float = 0.3
    configuration: float = 0.3  # and data
    foreign: float = 0.3  # vendored, generated or built
    # the page
    repeat: float = 0.3  # each further chunk of a file, beside its part of the file's best chunk


WEIGHTS = RankingWeights()
