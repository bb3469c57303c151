"""Messages: what they repeat of very long arguments."""

from __future__ import annotations

from repo_mcp.errors import MAX_MESSAGE_CHARS, ErrorCode, RepoError


def test_a_long_message_is_cut_in_its_middle() -> None:
    error = RepoError(ErrorCode.NOT_FOUND, f"There is no file '{'é' * 100_000}' in the index.")
    assert error.message.startswith("There is no file 'éé")
    assert error.message.endswith("éé' in the index.")
    assert len(error.message) == MAX_MESSAGE_CHARS + 1
    assert str(error) == error.message


def test_a_message_of_usual_length_is_whole() -> None:
    message = "x" * MAX_MESSAGE_CHARS
    assert RepoError(ErrorCode.NOT_FOUND, message).message == message
