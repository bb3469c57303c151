"""Every number that decides the order of files, in one table. bench/quality/README.md measures each one.

They are few and round; halving or doubling most of them moves the mean by less than half a hundredth.
A file's points are relative to the best text in the answer, which scores 1.
"""

from __future__ import annotations

from repo_mcp.record_classes import dataclass


@dataclass(frozen=True, slots=True)
class RankingWeights:
    """The weight of each signal."""

    # text: BM25F of the file's units
    next_unit: float = 0.6  # each further unit of a file counts for this share of the one before
    # names of files and directories
    file_name: float = 0.7  # all parts of the file's name are rare words of the query
    whole_name: float = 0.2  # a word of the query is exactly the file's name, case included
    variant: float = 0.7  # the share of these two for a name with a further dot: `queue.async.py`
    directory: float = 0.3
    prefix: float = 0.8  # a part of a name is a prefix of a query word, or the other way round
    small_tree: float = 2_000.0  # files; in larger trees names of files fit by chance, and count less
    # names that the file defines; only the rarest of each kind counts
    declared_name: float = 4.0  # the query is this name: more than all other signals give in practice
    qualifier: float = 2.0  # it declares what the name is qualified by
    shaped_name: float = 0.3  # a word that is shaped like an identifier: snake_case, camelCase, called()
    joined_name: float = 0.2  # adjacent words that make up one name: work queue -> work_queue
    plain_name: float = 0.1  # any other word
    pasted_name: float = 0.12  # any other word of pasted text
    # files that the query names explicitly
    named_path: float = 1.5  # a path, a dotted module, a frame of a traceback
    next_frame: float = 0.8  # each frame further out counts for this share of the one before
    code_path: float = 0.3  # the share of a path or module that only pasted code has, such as an import
    # what a closer look at the best files gives
    held_word: float = 0.025  # for each word of the query, if the file's best unit holds all of them
    most_held: float = 0.5  # for all these words together, however long the query is
    held_title: float = 0.6  # of long pasted text, if the file holds all words of its title, wherever
    neighbour: float = 0.3  # all other good files lie in the same directory
    # the share of all its points that a file of this role keeps, unless the query asks for such files
    test: float = 0.3
    document: float = 0.3
    configuration: float = 0.3  # and data files and style sheets
    foreign: float = 0.3  # vendored, generated or built
    older_version: float = 0.7  # a file in `v3` next to a `v4`, unless the query names `v3`; or in `legacy`
    # the page
    repeat: float = 0.3  # each further chunk of a file, times its score relative to the file's best chunk


WEIGHTS = RankingWeights()
