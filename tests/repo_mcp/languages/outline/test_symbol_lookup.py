"""Declarations found by name and by line."""

from __future__ import annotations

import pytest

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.languages.outline.symbol_lookup import (
    choose_span,
    find_around,
    find_named,
    find_parents,
    get_named,
    measure_depths,
    qualify,
)
from repo_mcp.model import Outline, Symbol


def declare(kind: str, name: str, first: int, last: int, parent: str | None = None) -> Symbol:
    return Symbol(kind, name, name, first, last, None, parent)


SYMBOLS = (
    declare("constant", "LIMIT", 1, 1),
    declare("constant", "TABLE", 2, 5),
    declare("class", "A", 10, 40),
    declare("variable", "size", 11, 11, "A"),
    declare("property", "x", 12, 14, "A"),
    declare("property", "x", 15, 25, "A"),
    declare("method", "run", 26, 40, "A"),
    declare("function", "run", 30, 35, "A.run"),
    declare("class", "B", 50, 60),
    declare("method", "run", 51, 51, "B"),
    declare("method", "ns::go", 52, 52, "B"),
    declare("heading", "C# in short", 70, 80),
    declare("method", "is_open?", 81, 82),
)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("is_open", ["is_open?"]),
        ("A", ["A"]),
        ("A.x", ["A.x", "A.x"]),
        ("B.run", ["B.run"]),
        ("B::run", ["B.run"]),
        ("B#run", ["B.run"]),
        ("run", ["A.run", "A.run.run", "B.run"]),
        ("run.run", ["A.run.run"]),
        ("go", ["B.ns::go"]),
        ("ns::go", ["B.ns::go"]),
        ("C# in short", ["C# in short"]),
        ("un", []),
        ("a", []),
        ("", []),
    ],
)
def test_a_name_is_found_whole_or_by_its_end(name: str, found: list[str]) -> None:
    assert [qualify(one) for one in find_named(SYMBOLS, name)] == found


def test_the_call_of_a_macro_finds_the_macro_alone() -> None:
    symbols = (
        declare("macro", "pick", 1, 9),
        declare("module", "pick", 10, 10),
        declare("method", "go!", 11, 12),
    )
    assert find_named(symbols, "pick!") == [symbols[0]]
    assert find_named(symbols, "go!") == [symbols[2]]
    assert find_named(symbols[1:], "pick!") == []


def test_the_longest_declaration_of_a_name_is_taken_and_the_others_are_named() -> None:
    outline = Outline("a.py", "python", SYMBOLS, "ast")
    best, notes = get_named(outline, "x")
    assert (best.start_line, notes) == (15, ("Other declarations of this name: A.x 12-14.",))
    best, notes = get_named(outline, "LIMIT")
    assert (best.start_line, notes) == (1, ())
    many = Outline("a.py", "python", tuple(declare("function", "f", at, at) for at in range(1, 9)), "ast")
    best, notes = get_named(many, "f")
    assert best.start_line == 1
    assert notes == ("Other declarations of this name: f 2, f 3, f 4, f 5, f 6 and 2 more.",)


@pytest.mark.parametrize(
    ("outline", "name", "hint"),
    [
        (Outline("a.py", "python", SYMBOLS, "ast"), "B.rum", "Similar names: A.run, A.run.run, B.run."),
        (Outline("a.py", "python", SYMBOLS, "ast"), "zzz", "Outline the file to see what it declares."),
        (
            Outline("a.py", "python", (), "ast", ("The file does not parse.",)),
            "f",
            "Give start_line and end_line instead. The file does not parse.",
        ),
        (
            Outline("a.py", "python", (), "ast"),
            "f",
            "Give start_line and end_line instead. Nothing is declared in it.",
        ),
    ],
)
def test_a_name_that_is_not_there_is_refused_with_what_is_close(
    outline: Outline, name: str, hint: str
) -> None:
    with pytest.raises(RepoError) as caught:
        get_named(outline, name)
    assert caught.value.code is ErrorCode.NOT_FOUND
    assert caught.value.message == f'The file declares no "{name}".'
    assert caught.value.hint == hint


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (1, "LIMIT"),
        (3, "TABLE"),
        (8, None),
        (11, "A"),  # not the variable
        (13, "A.x"),
        (28, "A.run"),
        (32, "A.run.run"),
        (51, "B.run"),
        (61, None),
    ],
)
def test_the_innermost_declaration_around_a_line(line: int, found: str | None) -> None:
    around = find_around(SYMBOLS, line)
    assert (None if around is None else qualify(around)) == found


def test_depths_are_those_of_the_declarations_around() -> None:
    parents = find_parents(SYMBOLS)
    assert parents == [None, None, None, 2, 2, 2, 2, 6, None, 8, 8, None, None]
    assert measure_depths(SYMBOLS, parents) == [1, 1, 1, 2, 2, 2, 2, 3, 1, 2, 2, 1, 1]
    apart = (declare("method", "m", 1, 1, "Elsewhere"),)  # from its type, which is in another file
    assert measure_depths(apart, find_parents(apart)) == [2]


FIELDS = b"""class Client {
    int timeout = 3;
    void run() {
        int local = 1;
    }
}
class Other {
    int timeout;
}
"""


def test_what_no_outline_lists_is_found_by_the_line_that_declares_it() -> None:
    symbols = (declare("class", "Client", 1, 6), declare("class", "Other", 7, 9))
    outline = Outline("A.java", "java", symbols, "lexical")
    found = choose_span(outline, FIELDS, "Other.timeout", None)
    assert (found.start_line, found.end_line, found.symbol, found.notes) == (8, 8, "Other.timeout", ())
    both = choose_span(outline, FIELDS, "timeout", None)
    assert (both.start_line, both.symbol) == (2, "Client.timeout")
    assert both.notes == ("Other declarations of this name: Other.timeout 8.",)
    for name in ("Third.timeout", "local", "", "timeou"):
        with pytest.raises(RepoError):
            choose_span(outline, FIELDS, name, None)


def test_a_line_that_ends_a_docstring_is_no_comment_of_what_follows() -> None:
    text = b'class A:\n    """Sells.\n    """\n    # Buys.\n    def m(self): pass\n'
    docs = text.replace(b"    # Buys.\n", b"")
    symbols = (declare("class", "A", 1, 5), declare("method", "m", 5, 5, "A"))
    found = choose_span(Outline("a.py", "python", symbols, "ast"), text, None, 4)
    assert (found.symbol, found.start_line) == ("A.m", 4)
    symbols = (declare("class", "A", 1, 4), declare("method", "m", 4, 4, "A"))
    assert choose_span(Outline("a.py", "python", symbols, "ast"), docs, None, 3).symbol == "A"


def test_a_line_between_the_declarations_of_a_namespace_is_not_the_namespace() -> None:
    symbols = (declare("module", "n", 10, 90), declare("function", "f", 40, 45))
    outline = Outline("a.cc", "cpp", symbols, "lexical")
    text = b"int a;\n" * 99
    assert choose_span(outline, text, None, 70).symbol is None
    assert choose_span(outline, text, None, 42).symbol == "f"
    assert choose_span(outline, text, None, 10).symbol == "n"
    assert choose_span(outline, text, "n", None).end_line == 90


def test_of_an_outline_that_is_cut_it_is_not_said_that_the_file_lacks_a_name() -> None:
    cut = Outline("many.py", "python", (declare("function", "first", 1, 2),), "lexical", truncated=True)
    with pytest.raises(
        RepoError, match=r'^None of the first 1 declarations of the file is "last"\.$'
    ) as caught:
        get_named(cut, "last")
    assert caught.value.hint == "If a search finds a later one, open the lines around it."
