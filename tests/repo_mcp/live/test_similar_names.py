"""Files whose names are like one that no file has."""

from __future__ import annotations

import pytest

from repo_mcp.live.similar_names import choose_similar

PATHS = ("util/backup/backupable_db.cc", "util/engine.h", "tests/backup_engine_test.cc", "lib/TaskQueue.ts")


@pytest.mark.parametrize(
    ("name", "paths"),
    [
        ("backup_engine.cc", ["tests/backup_engine_test.cc", "util/backup/backupable_db.cc"]),
        ("queue.ts", ["lib/TaskQueue.ts"]),
        ("queue.js", []),  # another language
        ("db.cc", []),  # too short a word
        ("engime.h", []),  # no word in common
        ("backup_of_all_tables_of_one_keyspace_and_their_columns.cc", []),  # hardly similar
    ],
)
def test_names_are_similar_by_a_word_and_their_extension(name: str, paths: list[str]) -> None:
    assert choose_similar(name, PATHS) == paths
    assert choose_similar(name, reversed(PATHS)) == paths
