"""A query that the program says word for word finds the place where it does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_mcp.model import SearchAnswer, SearchRequest
from repo_mcp.ranking.direct_hits import message_origin
from repo_mcp.ranking.direct_hits.message_origin import list_before_values, list_said
from repo_mcp.ranking.ranked_answer import BESIDE_LEADS, list_phrase_words
from repo_mcp.repository import Repository
from tests.repo_mcp.indexed_roots import open_indexed

LONG = "".join(f"    step_{at}(queue)\n" for at in range(30))
FILES = {
    "src/locks.py": f"def turn(lock, key):\n{LONG}    raise LockError(\n"
    '        "The lock %s was turned %d times by this key, "\n        "which is more than it allows" % lock\n'
    f"    )\n{LONG}",
    "src/keys.py": "def lock_key(lock, key):\n    # the lock was turned by this key\n    return lock(key)\n",
    **{
        f"src/queue_file_{at}.py": f"def close_file_{at}(file):\n    # queue file close failed\n"
        f"    queue(file)\n    return close(failed, queue, file_{at})\n"
        for at in range(8)
    },
    "src/meta.py": f'def read_meta(queue):\n{LONG}    log("Queue file close failed", queue)\n{LONG}',
    "src/crates.go": "package src\n\n"
    'func (e *UnknownCrate) Error() string {\n\treturn "unknown crate " + e.Name\n}\n\n'
    'func Count(n int) error {\n\treturn fmt.Errorf("crates: TotalWeight=%d with lid of %q", n, "x")\n}\n'
    'var _ = "an unknown crate may come"\n',
    "src/limits.py": 'def take(limit):\n    """Fail."""\n    raise Busy("High load, try again later")\n',
    "src/notes.py": "def load():\n    # says 'high load, try again later'\n    return later(high, again)\n",
    "locale/fr/messages.py": "TEXTS = {'High load, try again later': 'Revenez'}\n",
    "docs/load.md": '# Load\n\nIt may say "High load, try again later".\n',
    "tests/test_limits.py": 'def test_take():\n    assert "High load, try again later" in say()\n',
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    with open_indexed(tmp_path_factory.mktemp("said") / "root", FILES) as repository:
        yield repository


def ask(repository: Repository, query: str) -> SearchAnswer:
    return repository.search(SearchRequest(query, 10, ends_early=True))


def test_parts_between_colons_are_what_may_be_said_the_longest_first() -> None:
    assert list_said("queue: File close  failed: no such file.") == [
        "queue: file close failed: no such file",
        "file close failed: no such file",
        "queue: file close failed",
        "file close failed",
        "no such file",
    ]
    assert list_said("close failed") == []


@pytest.mark.parametrize(
    "query", ["queue file close failed", "daemon: queue file close failed: permission denied"]
)
def test_the_line_that_says_a_message_comes_first_and_is_shown(repository: Repository, query: str) -> None:
    answer = ask(repository, query)
    best = answer.hits[0]
    assert (best.path, best.symbol, best.symbol_lines) == ("src/meta.py", "read_meta", (1, 62))
    assert best.snippet.startswith("1\tdef read_meta(queue):\n29\t")
    assert '32\t    log("Queue file close failed", queue)\n' in best.snippet
    assert len(best.snippet.splitlines()) == 7
    assert (answer.near_hits, answer.usual_hits) == (1, 1 + BESIDE_LEADS)  # the others are brief
    assert all(one.score <= best.score for one in answer.hits)


def test_only_files_whose_code_has_the_words_and_that_say_it_are_cut_into_lines(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    find = message_origin._iter_saying
    monkeypatch.setattr(
        message_origin,
        "_iter_saying",
        lambda live, *said: looked.append(live.ranked.path) or find(live, *said),
    )
    assert ask(repository, "High  load, try again later").hits[0].path == "src/limits.py"
    assert looked == ["src/limits.py"]


def test_only_the_program_says_it_and_no_comment(repository: Repository) -> None:
    answer = ask(repository, "High load, try again later!")
    assert answer.hits[0].path == "src/limits.py"
    assert answer.hits[0].snippet.count("\n") == 3  # a short declaration is whole
    assert answer.near_hits == 1


def test_questions_and_words_that_nothing_says_are_ranked_as_ever(repository: Repository) -> None:
    for query in ("where is it that queue file close failed?", "later again try load"):
        explained = [name for hit in ask(repository, query).hits for name, _ in hit.explanation]
        assert explained
        assert "origin of a message" not in explained


FILLED = "the lock of A. Smith was turned 12 times by this key, which is more than it allows"


@pytest.mark.parametrize("query", [FILLED, f"LockError: {FILLED}", f"I get '{FILLED}', where is it raised?"])
def test_a_message_with_values_filled_in_is_found_where_its_literal_begins(
    repository: Repository, query: str
) -> None:
    best = ask(repository, query).hits[0]
    assert (best.path, best.symbol) == ("src/locks.py", "turn")
    assert [signal for signal, _ in best.explanation] == ["origin of a message"]  # but not word for word
    assert '33\t        "The lock %s was turned' in best.snippet
    assert len(best.snippet.splitlines()) < 10


def test_words_before_a_value_are_found_where_a_literal_ends_or_has_a_value(repository: Repository) -> None:
    assert list_before_values("go: a.b/c@v1.2: bad one: unknown crate v1.2") == ["unknown crate"]
    best = ask(repository, "crates: a.b/c@v1.2: invalid lid: unknown crate v1.2").hits[0]
    assert (best.path, best.symbol) == ("src/crates.go", "UnknownCrate.Error")
    assert list_before_values("unknown crate v1.2") == []  # a version of something
    assert list_before_values(f"bad one: {'unknown crate ' * 30}v1.2") == []  # a story


def test_of_a_message_the_part_with_most_words_says_most_though_another_is_longer(
    repository: Repository,
) -> None:
    best = ask(repository, 'crates: TotalWeight=12 with lid of "red one"').hits[0]
    assert (best.path, best.symbol) == ("src/crates.go", "Count")
    assert [signal for signal, _ in best.explanation] == ["origin of a message"]


def test_numbers_that_are_filled_in_lead_to_no_other_files(tmp_path: Path) -> None:
    words, files = ("crate", "depth", "lid", "weight"), {}
    for at in range(140):
        called = "(".join(2 * [word for word in words if word != words[at % 4]])
        files[f"load/load{at:03}.go"] = f"package load\n\nfunc Load{at}() {{\n\t{called}(5, 3)\n}}\n"
    said = '\tfail("crate: Depth=%d with lid of weight %d", a, b)\n'
    files["z.go"] = f"package crates\n\nfunc Lid() {{\n{LONG}{said}}}\n"
    with open_indexed(tmp_path / "root", files) as repository:
        best = ask(repository, "crate: Depth=5 with lid of weight 3").hits[0]
    assert (best.path, best.explanation[0][0]) == ("z.go", "origin of a message")


def test_a_question_that_quotes_nothing_asks_for_no_message(repository: Repository) -> None:
    hits = ask(repository, "how often may a lock be turned by this key, which is more than it allows?").hits
    assert not any("origin of a message" in dict(hit.explanation) for hit in hits)


def test_of_several_quoted_phrases_the_longest_that_a_text_has_is_found(repository: Repository) -> None:
    answer = ask(repository, 'level=error part="some queue" msg="queue file close failed" tries=12')
    assert answer.hits[0].path == "src/meta.py"
    assert 'No text contains all of the quoted phrases; these hits have "queue file close failed".' in (
        answer.warnings
    )
    assert not any("only common words" in warning for warning in answer.warnings)


def test_a_quoted_phrase_is_found_among_many_places_that_have_its_words(tmp_path: Path) -> None:
    files = {f"load/load{at:03}.py": f"def load():\n    return load(load, {at})\n" for at in range(140)}
    files["z.py"] = f"def wait():\n{LONG}    return say(f'high load')\n{LONG}"
    with open_indexed(tmp_path / "root", files) as repository:
        answer = repository.search(SearchRequest('"high load"', 5))
    assert [hit.path for hit in answer.hits] == ["z.py"]
    assert not answer.warnings


def test_the_first_and_last_word_of_a_phrase_may_be_parts_of_words() -> None:
    known = {"file": 3, "close": 2}
    found = list_phrase_words(["etadata file close fai"], lambda term: known.get(term, 0))
    assert [one[0] for one in found] == ["file", "close"]
