"""The record of a walk's verdicts on names, for the next process. It is stored beside that of seen files.

For each directory it holds the names that the ignore files admitted and those that they ignored, and a digest
of these files. A process that finds the same ignore files parses none of them, and judges only new names. The
record belongs to the index of one configuration, of which the policy and the operator's excluded globs are
parts.

For a large tree the record is written only once enough of it is new. Names that it lacks are judged again,
which changes no answer.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from index_format import CorruptIndex, Directory
from repo_mcp.indexing.scan_state_pages import SEPARATOR, expand, pack_text
from repo_mcp.indexing.side_files import read_side_file, write_side_file
from repo_mcp.workspace.ignore.files import SYNTAX_VERSION, IgnoreFacts
from repo_mcp.workspace.walk_memory import Chain, JudgedNames, WalkMemory

SIDE_FILE = "judged"
VERSION = 1
SMALL_ENTRIES = 10_000  # up to so many entries the record is written whenever one is new, in 3 ms
NEW_SHARE = 0.02  # share of the entries of a larger tree that must be new


def recall_walk(directory: Directory, memory: WalkMemory, donor: Directory | None = None) -> None:
    """Give the memory the verdicts that an earlier process has stored, unless this one has walked already.

    Without a record, the one of `donor`, an index of the same configuration, is used and copied here.
    """
    if memory.rules is not None:
        return
    try:
        found = read_side_file(directory, SIDE_FILE, VERSION)
        if found is None and donor is not None:
            found = read_side_file(donor, SIDE_FILE, VERSION)
            if found is not None:
                write_side_file(directory, SIDE_FILE, VERSION, found[1])
        if found is not None and found[1]["syntax"] == SYNTAX_VERSION:
            memory.recall(_build_judged(found[1]), _build_facts(found[1]))
    except (CorruptIndex, OSError, KeyError, TypeError, ValueError, IndexError, zlib.error):
        return  # without a record, every name is judged


def keep_walk(directory: Directory, memory: WalkMemory) -> None:
    """Write the record if enough of it is new. Only the holder of the index's writer may. Raises OSError."""
    least = 1 if memory.entries <= SMALL_ENTRIES else NEW_SHARE * memory.entries
    if memory.new_names < least:
        return
    facts, judged = memory.list_facts(), memory.judged
    chains: dict[Chain, int] = {}
    numbers = [chains.setdefault(names.chain, len(chains)) for names in judged.values()]
    texts = [
        text
        for one in judged.values()
        for text in (
            one.file_names,
            one.directory_names,
            one.ignored_file_names,
            one.ignored_directory_names,
        )
    ]
    fields = {
        "syntax": SYNTAX_VERSION,
        "facts": [
            [path, one.digest, one.rule_count, one.tried_count, one.has_catch_alls, list(one.warnings)]
            for path, one in facts.items()
        ],
        "chains": [list(chain) for chain in chains],
        "chain_numbers": pack_text(np.array(numbers, dtype="<u4").tobytes()),
        "directories": pack_text(SEPARATOR.join(judged).encode()),
        "names": pack_text(SEPARATOR.join(texts).encode()),
    }
    write_side_file(directory, SIDE_FILE, VERSION, fields)


def _build_judged(record: Mapping[str, Any]) -> dict[str, JudgedNames]:
    """Return the names by directory. Raises ValueError or IndexError where the parts do not fit."""
    chains = [tuple(chain) for chain in record["chains"]]
    numbers = np.frombuffer(expand(record["chain_numbers"]), dtype="<u4").tolist()
    directories = expand(record["directories"]).decode().split(SEPARATOR)
    texts = iter(expand(record["names"]).decode().split(SEPARATOR))
    names = zip(texts, texts, texts, texts, strict=True)
    return {
        directory: JudgedNames(chains[number], *four)
        for directory, number, four in zip(directories, numbers, names, strict=True)
    }


def _build_facts(record: Mapping[str, Any]) -> dict[str, IgnoreFacts]:
    return {
        path: IgnoreFacts(bytes(digest), int(count), int(tried), bool(has_all), tuple(map(str, warnings)))
        for path, digest, count, tried, has_all, warnings in record["facts"]
    }
