"""What people say, and what programs have for it."""

from __future__ import annotations

import pytest

from repo_mcp.text.idioms import find_idioms, leave_out_light_words, list_plain_terms
from repo_mcp.text.question_words import list_words


@pytest.mark.parametrize(
    ("question", "said", "plain"),
    [
        ("How does the notice end by itself?", "by itself", "expire"),
        ("Who asks before a tab is closed?", "asks before", "confirm"),
        ("How are web addresses made clickable?", "web addresses", "url"),
        ("Which entries has nobody used for long?", "nobody used for long", "stale"),
        ("What stops a guest from editing a page?", "stops a guest from", "forbid"),
        ("What happens when somebody presses ctrl-c?", "ctrl-c", "sigint"),
        ("How does sign in answer?", "sign in", "login"),
        ("Who logs in with a token?", "logs in", "login"),
        ("What is done with a value that is out of range?", "out of range", "bounds"),
        ("Who turns late guests away?", "turns late guests away", "reject"),
        ("A wrong password is given", "wrong", "invalid"),
        ("A transfer picks up where it stopped", "picks up where", "resume"),
        ("When is a chunk written out?", "written out", "flush"),
        ("What becomes of the write-ahead log?", "write-ahead log", "wal"),
        ("A reader who cannot keep up", "cannot keep up", "lag"),
        ("A range is cut into smaller ones", "cut into smaller", "split"),
        ("What if parcels depend on each other in a circle?", "in a circle", "cyclic"),
        ("Who lets guests go?", "lets guests go", "release"),
        ("Who may not open a depot?", "may not", "forbid"),
        ("Who stops a path from climbing out of the top folder?", "out of the top folder", "traversal"),
        ("Where is a long name cut off?", "cut off", "truncate"),
        ("What does a reader fall back to?", "fall back to", "default"),
        ("What if no pong comes back?", "pong comes back", "receive"),
        ("What if a path leads out of the root?", "out of the root", "traversal"),
        ("What happens when a file changes?", "file changes", "reload"),
        ("When the server comes back", "comes back", "reconnect"),
        ("When a response comes back", "response comes back", "receive"),
    ],
)
def test_an_idiom_is_looked_for_in_the_words_of_programs(question: str, said: str, plain: str) -> None:
    assert plain in find_idioms(question)[said]
    assert plain[:5] in {term[:5] for term in list_plain_terms(question)}


@pytest.mark.parametrize(
    "question",
    [
        "Errors are logged in the file",
        "The log in the folder grows",
        "A wrong turn",
        "A page that must not load",
        "How is the sign in a number read?",
        "Text is drawn in a circle",
        "Buffers go back to the pool",
        "Which points lie in a circle?",
        "How do I let Go code call C?",
        "How does flood fill work?",
        "How are file changes shown?",
        "Files are copied out of the build directory",
        "Which arguments may not be present?",
        "The whole text is read all at once",
        "How is the repeated field encoded?",
        "The code is unreachable",
        "How does the parser assign graph edges?",
    ],
)
def test_what_only_looks_like_an_idiom_is_none(question: str) -> None:
    assert find_idioms(question) == {}


def test_an_idiom_inside_of_another_is_none() -> None:
    assert find_idioms("A handshake that takes too long") == {"takes too long": ("timeout",)}
    assert "max" in find_idioms("A name that is too long")["too long"]


def test_light_words_are_left_out_of_idioms_alone() -> None:
    assert list_words("Where are entries thrown away?") == ["entries"]
    assert list_words("Where are errors thrown?") == ["errors", "thrown"]
    assert leave_out_light_words("How is the title put together?").split() == [
        "How",
        "is",
        "the",
        "title",
        "together?",
    ]
