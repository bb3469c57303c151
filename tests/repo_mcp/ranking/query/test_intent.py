"""What a query asks for beside its terms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.ranking.query.intent import MAX_NAMES, NameKind, spell, split_stems, understand
from repo_mcp.text.analysis import get_name_term
from repo_mcp.text.roles import FileRole


def names_of(text: str, kind: NameKind) -> list[str]:
    return [name for name, found in understand(text).names if found is kind]


def test_a_short_query_asks_for_its_last_word() -> None:
    assert names_of("Encoder", NameKind.EXACT) == [get_name_term("Encoder")]
    assert names_of("Encoder", NameKind.ASKED) == [get_name_term("encoder"), get_name_term("ENCODER")]
    assert names_of("Encoder", NameKind.PART) == ["encoder"]
    assert names_of("json encoder", NameKind.EXACT) == []
    assert get_name_term("encoder") in names_of("json encoder", NameKind.ASKED)
    for kind in (NameKind.EXACT, NameKind.ASKED, NameKind.PART):
        assert names_of("how the Encoder works", kind) == []


def test_a_qualified_name_asks_for_its_last_part() -> None:
    assert names_of("QuerySet.filter", NameKind.EXACT) == [get_name_term("filter")]
    assert names_of("QuerySet.filter", NameKind.QUALIFIER) == [get_name_term("QuerySet")]


def test_words_shaped_like_identifiers_are_names() -> None:
    found = names_of("why does parse_query drop HTTPServer.run() and `door`", NameKind.SHAPED)
    assert set(found) == {"parse_query", "parsequery", "httpserver", "http_server", "run", "door"}


@pytest.mark.parametrize(
    ("word", "spellings"),
    [
        ("roundToCents", ("roundtocents", "round_to_cents")),
        ("round_to_cents", ("round_to_cents", "roundtocents")),
        ("HTTPServer", ("httpserver", "http_server")),
        ("queue", ("queue",)),
        ("_x", ("_x",)),
    ],
)
def test_a_name_has_two_usual_spellings(word: str, spellings: tuple[str, ...]) -> None:
    assert spell(word) == spellings


def test_words_in_a_row_may_be_one_name() -> None:
    assert names_of("where is the work queue drained", NameKind.JOINED) == [
        "work_queue", "workqueue", "queue_drained", "queuedrained", "work_queue_drained", "workqueuedrained",
    ]  # fmt: skip


def test_words_that_say_nothing_are_no_names() -> None:
    assert names_of("how does it work with the queue", NameKind.PLAIN) == ["queue"]
    assert understand("how does it work with the queue").stems == ("work", "queue")
    assert understand("how does it").stems != ()  # of nothing else, these


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("tests of the parser", {FileRole.TEST}),
        ("yaml configuration", {FileRole.CONFIG}),
        ("readme", {FileRole.DOCS}),
        ("styles of the login page", {FileRole.STYLE}),
        ("vendored json", {FileRole.FOREIGN, FileRole.CONFIG}),
        ("parser", set()),
        ("the parser fails and I added a test for that case as well", set()),  # a story
    ],
)
def test_kinds_of_files_that_are_asked_for(text: str, roles: set[FileRole]) -> None:
    assert understand(text).roles == roles


def test_paths_and_frames_are_heard() -> None:
    text = 'File "/x/src/a.py", line 3, in run\n  see lib/b.py'
    assert [clue.text for clue in understand(text).paths] == ["/x/src/a.py", "lib/b.py"]


def test_stems_of_a_word() -> None:
    assert split_stems("getHTTPResponses") == ("get", "http", "respons")
    assert split_stems("2nd") == ("2nd",)


@given(st.text(max_size=300))
def test_any_text_is_understood_within_limits(text: str) -> None:
    intent = understand(text)
    assert len(intent.names) <= MAX_NAMES
    assert len(dict(intent.names)) == len(intent.names)


def test_the_words_of_pasted_text_are_those_of_its_title() -> None:
    assert understand("Undo forgets a step\n\nSee the queue.").words == {"Undo", "forgets", "a", "step"}
    assert "queue" in understand("Traceback (most recent call last):\nin the queue").words
