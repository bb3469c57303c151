"""What can make text look other than it is, is written as an escape."""

from __future__ import annotations

from repo_mcp.text.lines import escape_text, is_plain, unescape_text


def test_names_are_shown_without_characters_that_hide() -> None:
    assert escape_text("a\u202eb\x1bc\u200bd\n\ufeff") == "a\\u202eb\\u001bc\\u200bd\\u000a\\ufeff"
    assert escape_text("naïve 日本語 🙂") == "naïve 日本語 🙂"
    for code in range(128):
        assert (escape_text(chr(code)) == chr(code)) == is_plain(chr(code))
    assert is_plain("naïve 日本語 🙂")
    assert not is_plain("a\u2066")


def test_what_is_escaped_is_read_back_and_nothing_else() -> None:
    for text in ("a\u202eb\x1bc\u200bd\n\ufeff", "naïve 日本語 🙂", "a\\b", "C:\\users\\u1.py"):
        assert unescape_text(escape_text(text)) == text
    assert unescape_text("a\\\\u200Bb") == "a\u200bb"  # copied from JSON
    for kept in (r"\u002e\u002f", r"\u0000", r"\u0061", r"\u200", r"\x1b"):
        assert unescape_text(kept) == kept
