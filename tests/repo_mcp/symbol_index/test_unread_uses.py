"""Languages whose files may use a symbol unseen: those of the table are languages, and none has a parser."""

from __future__ import annotations

from repo_mcp.languages.patterns.language_registry import LANGUAGES
from repo_mcp.languages.symbol_parsers import list_languages
from repo_mcp.symbol_index import unread_uses


def test_the_table_names_languages_and_none_of_their_users_has_a_parser() -> None:
    users = {one for users in unread_uses._USED_FROM.values() for one in users}
    assert users <= set(LANGUAGES)
    assert not users & set(list_languages())
    assert set(unread_uses._USED_FROM) <= set(list_languages())
