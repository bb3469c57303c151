"""What is understood of a prompt."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.ranking.query.clues import (
    MAX_CLUES,
    STOP_WORDS,
    Clue,
    ClueKind,
    find_title,
    join_words,
    list_messages,
    parse_prompt,
    split_symbol,
)
from tests.growth import assert_linear


def texts(prompt: str, kind: ClueKind) -> list[str]:
    return [clue.text for clue in parse_prompt(prompt) if clue.kind is kind]


PYTHON_TRACE = """It fails:
Traceback (most recent call last):
  File "/home/u/app/src/ledger/report.py", line 17, in render
    return post(account)
  File "/home/u/app/src/ledger/accounts.py", line 28, in post
    raise UnbalancedEntry("x")
ledger.accounts.UnbalancedEntry: the amount of a transfer must be positive
"""


@pytest.mark.parametrize(
    ("prompt", "frames"),
    [
        (
            PYTHON_TRACE,
            [
                ("/home/u/app/src/ledger/accounts.py", 28, "post"),
                ("/home/u/app/src/ledger/report.py", 17, "render"),
            ],
        ),
        (
            "TypeError: x\n    at Object.render (web/view.ts:22:5)\n    at file:///srv/app/main.js:3:15\n",
            [("web/view.ts", 22, "render"), ("/srv/app/main.js", 3, None)],
        ),
        (
            "\tat com.example.Ledger.post(Ledger.java:123)\n\tat com.example.Main.main(Main.java:7)\n",
            [("com/example/Ledger.java", 123, "post"), ("com/example/Main.java", 7, "main")],
        ),
        (
            "\tat app//com.example.Ledger.post(Ledger.java:12)\n\tat a.b/com.example.Main.run(Main.java:7)\n",
            [("com/example/Ledger.java", 12, "post"), ("com/example/Main.java", 7, "run")],
        ),
        (
            "LedgerException: no\n    at com.example.Main.main (Main.java:7)\nCaused by: BookException: x\n"
            "    at com.example.Book$Page.add (Book.java:9)\nCaused by: NullPointerException\n"
            "    at com.example.Page.turn (Page.java:3)\n    at com.example.Book.add (Book.java:8)\n",
            [
                ("com/example/Page.java", 3, "turn"),
                ("com/example/Book.java", 8, "add"),
                ("com/example/Book.java", 9, "add"),
                ("com/example/Main.java", 7, "main"),
            ],
        ),
        (
            "panic: boom\n\ngoroutine 1 [running]:\nmain.post(...)\n\t/tmp/x/ledger.go:12 +0x1d\n",
            [("/tmp/x/ledger.go", 12, "post")],
        ),
        (
            "panic({0x5a, 0x6b})\n\t/usr/lib/go/panic.go:884 +0x213\n"
            "example.com/ledger/book.(*Shelf[...]).sort.func1.2({0xc0, 0x1f}, ...)\n\t/app/book/shelf.go:9\n"
            "example.com/ledger/book.Page.Turn(0x5)\n\t/app/book/page.go:7 +0x1d\n"
            "created by main.run in goroutine 1\n\t/app/main.go:3 +0x3\n",
            [
                ("/usr/lib/go/panic.go", 884, "panic"),
                ("/app/book/shelf.go", 9, "sort"),
                ("/app/book/page.go", 7, "Turn"),
                ("/app/main.go", 3, "run"),
            ],
        ),
        ("it fails at\n\n\t/app/main.go:3 +0x3\n", [("/app/main.go", 3, None)]),
        (
            "==7==    at 0x12F3A1: post (ledger.c:12)\n==7==    by 0x12FB02: main (main.c:7)\n",
            [("ledger.c", 12, "post"), ("main.c", 7, "main")],
        ),
        (
            "    #0 0x4f1a2b in post /src/ledger.c:12:3\n#1  0x7ff in run (book=0x5) at ../run.c:9\n"
            "#2  main (argc=1) at main.c:7\n",
            [("/src/ledger.c", 12, "post"), ("../run.c", 9, "run"), ("main.c", 7, "main")],
        ),
        (
            "lib/book.rb:12:in `Ledger::Book#read': no page (KeyError)\n"
            "\tfrom bin/run.rb:3:in `block in main'\n",
            [("lib/book.rb", 12, "read"), ("bin/run.rb", 3, "main")],
        ),
        ("reading fails: lib/book.rb:12:in `read'", [("lib/book.rb", 12, "read")]),
        (
            "Stack trace:\n#0 /app/src/Book.php(12): Ledger\\Book->read('a')\n#1 /app/index.php(3): main()\n",
            [("/app/src/Book.php", 12, None), ("/app/index.php", 3, None)],
        ),
        ("   at Ledger.Post() in C:\\src\\Ledger.cs:line 40", [("C:/src/Ledger.cs", 40, "Post")]),
    ],
    ids=[
        "python",
        "javascript",
        "java",
        "modules",
        "causes",
        "go",
        "types of go",
        "go without a function",
        "valgrind",
        "debugger",
        "ruby",
        "ruby within a line",
        "php",
        "csharp",
    ],
)
def test_frames_of_a_traceback_the_innermost_first(
    prompt: str, frames: list[tuple[str, int, str | None]]
) -> None:
    for pasted in (prompt, prompt.replace("\n", "\r\n")):
        found = [clue for clue in parse_prompt(pasted) if clue.kind is ClueKind.FRAME]
        assert [(clue.text, clue.line, clue.name) for clue in found] == frames


def test_functions_of_frames_and_the_message_are_clues_and_the_frames_own_words_are_not() -> None:
    symbols = texts(PYTHON_TRACE, ClueKind.SYMBOL)
    assert {"render", "post", "ledger.accounts.UnbalancedEntry", "UnbalancedEntry"} <= set(symbols)
    assert texts(PYTHON_TRACE, ClueKind.PHRASE) == ["the amount of a transfer must be positive"]
    words = {word.lower() for word in texts(PYTHON_TRACE, ClueKind.WORD)}
    assert words.isdisjoint({"traceback", "recent", "file", "line", "home", "app"})


@pytest.mark.parametrize(
    ("prompt", "path", "line"),
    [
        ("see src/ledger/book.py:12", "src/ledger/book.py", 12),
        ("see book.py.", "book.py", None),
        ("in src\\ledger\\book.py line 4", "src/ledger/book.py", 4),
        ("https://example.org/a/b/blob/main/src/book.py#L10", "//example.org/a/b/blob/main/src/book.py", 10),
        ("Makefile is wrong", "Makefile", None),
        ("ledger.book fails", "ledger.book", None),
    ],
)
def test_whatever_looks_like_a_path(prompt: str, path: str, line: int | None) -> None:
    assert Clue(ClueKind.PATH, path, line) in parse_prompt(prompt)


def test_symbols_by_their_look() -> None:
    prompt = (
        "Why ignore transfer_funds, formatCents, `post`, Account.balance and std::sort? Try run() e.g. now."
    )
    found = texts(prompt, ClueKind.SYMBOL)
    assert found == ["post", "run", "transfer_funds", "formatCents", "Account.balance", "std::sort"]


def test_a_word_with_a_capital_inside_a_sentence_is_a_weak_symbol() -> None:
    (clue,) = [one for one in parse_prompt("How does the Searcher rank") if one.kind is ClueKind.SYMBOL]
    assert (clue.text, clue.is_strong) == ("Searcher", False)


def test_quoted_texts_are_phrases_and_single_words_are_not() -> None:
    prompt = 'It says "not an entry at all" and \'could not open\' and “too many files”, not "word".'
    assert texts(prompt, ClueKind.PHRASE) == ["not an entry at all", "could not open", "too many files"]


def test_words_come_once_without_those_of_every_sentence() -> None:
    assert texts("How does the ledger post to the Ledger?", ClueKind.WORD) == ["ledger", "post"]


def test_a_long_number_is_a_word_of_a_question_and_not_of_a_report() -> None:
    question = "what happens when a server answers 304 after 12 tries"
    assert "304" in texts(question, ClueKind.WORD)
    assert "12" not in texts(question, ClueKind.WORD)
    assert "304" not in texts("fixed #304, a full shelf", ClueKind.WORD)
    assert "304" not in texts(question + " and a shelf is full" * 20, ClueKind.WORD)
    assert "304" in texts("what does #3041 say of 304?", ClueKind.WORD)


@pytest.mark.parametrize(
    "text",
    [
        "only 1,000 shelves",
        "since 1.2.300",
        "on 2026-11-26",
        "at line 123 of it",
        "Lines 100-120",
        "shelf.py:1234",
        "in issue 304",
        "see PR 304",
        "from 192.168.100.200",
    ],
)
def test_a_number_of_something_else_is_no_word(text: str) -> None:
    assert not any(map(str.isdigit, texts(f"what fails {text}?", ClueKind.WORD)))


def test_of_a_path_only_the_name_counts_as_a_word() -> None:
    assert texts("broken: src/ledger/book.py and https://example.org/page", ClueKind.WORD) == [
        "broken",
        "book",
    ]


def test_split_symbol() -> None:
    assert split_symbol("Class.method") == ("Class", "method")
    assert split_symbol("ns::Type->field") == ("ns", "Type", "field")


def test_stop_words_are_folded_words() -> None:
    assert all(word == word.lower() and word.isalpha() for word in STOP_WORDS)


@given(st.text() | st.text(alphabet="ab_.:/\\`'\"()<> \n\tA1#$-@%é", max_size=200))
def test_any_text_is_understood_within_limits(prompt: str) -> None:
    clues = parse_prompt(prompt)
    counts = Counter(clue.kind for clue in clues)
    assert all(count <= MAX_CLUES[kind] for kind, count in counts.items())
    assert len(set(clues)) == len(clues)
    assert parse_prompt(prompt) == clues


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Undo forgets a step\n\nIt does so.", "Undo forgets a step"),
        ("\n  Undo forgets a step\nIt does so.", "Undo forgets a step"),
        ("Undo forgets a step", None),
        ("Hi all\n\nundo forgets a step", None),
        ("Add `undoAll()`\n\nIt is needed.", "Add `undoAll()`"),
        ("undoAll redoAll\nundoStep", None),  # names alone
        (
            "\u64a4\u9500\u540e\u4e22\u5931\u6b65\u9aa4\n\n\u6b65\u9aa4",
            "\u64a4\u9500\u540e\u4e22\u5931\u6b65\u9aa4",
        ),  # no spaces
        ("\u4f60\u597d\n\n\u64a4\u9500\u540e\u4e22\u5931\u6b65\u9aa4", None),
        ("Traceback (most recent call last):\n  File", None),
        ("### What I expected\nundo", None),
        ("**Describe the bug**\nundo", None),
        ('File "ledger/book.py", line 29, in parse_book\nValueError: not an entry', None),
        ("    at undo (steps.js:7:3)\n    at run (steps.js:9:1)", None),
        ("$ ledger undo --all\nNothing to undo.", None),
    ],
)
def test_a_title_is_the_first_of_several_lines(text: str, title: str | None) -> None:
    assert find_title(text) == title


def test_no_joined_name_begins_with_a_digit() -> None:
    assert "slow_start" in join_words(["slow", "start"])
    assert join_words(["utf", "8"]) == ["utf_8", "utf8"]
    assert join_words(["2", "15"]) == []


@pytest.mark.parametrize(
    ("frame", "type_name", "name"),
    [
        ("   at Ledger.Core.Book.Read(String path, Int32& page)", "Ledger.Core.Book", "Read"),
        ("   at Ledger.Book..ctor()", "Ledger.Book", "Book"),
        ("   at Ledger.Pile`1.Add[T](T one)", "Ledger.Pile", "Add"),
        ("   at Ledger.Book+Page.Turn()", "Ledger.Book.Page", "Turn"),
        ("   at Ledger.Book.<ReadAsync>d__12.MoveNext()", "Ledger.Book", "ReadAsync"),
        ("   at Ledger.Book.<>c__DisplayClass3_0.<Sort>b__0(Page page)", "Ledger.Book", "Sort"),
        ("\tat org.ledger.Book.read(Unknown Source)", "org.ledger.Book", "read"),
        ("    @     0x7f01a ledger::Book::read(ledger::Page*, bool)", "ledger.Book", "read"),
        (
            "#1  0x7f01 in ledger::Book<int, Box<int> >::read(int) () from /usr/lib/b.so",
            "ledger.Book",
            "read",
        ),
        ("#2  0x7f01 in void ledger::detail::go<int>(int&&) (/bin/x+0x12)", "ledger.detail", "go"),
        (" 3# ledger::(anonymous namespace)::Book::~Book() in ./prog", "ledger.Book", "~Book"),
    ],
)
def test_a_frame_without_a_file_names_a_type(frame: str, type_name: str, name: str) -> None:
    (clue,) = [one for one in parse_prompt(f"It fails: x\n{frame}\n") if one.kind is ClueKind.FRAME]
    assert (clue.text, clue.line, clue.name) == (type_name, None, name)
    assert clue.arguments is not None
    assert name not in texts(f"It fails: x\n{frame}\n", ClueKind.SYMBOL)


KERNEL = """BUG: unable to handle page fault
RIP: 0010:read_page+0x1e/0x60 [ledger]
Code: 0f 1f 44+0x12
Call Trace:
 <TASK>
 ? exc_page_fault+0x1/0x2
 read_page+0x1e/0x60 [ledger]
 [<ffffffff810a>] turn_pages.isra.0+0x3f/0x4b0
 __do_sys_read.cold+0x5c7/0x1180
"""


def test_frames_of_a_kernel_name_functions_the_one_that_failed_first() -> None:
    frames = [one for one in parse_prompt(KERNEL) if one.kind is ClueKind.FRAME]
    assert [one.name for one in frames] == ["read_page", "turn_pages", "__do_sys_read"]
    assert {(one.text, one.line, one.arguments) for one in frames} == {("", None, None)}


def test_what_reports_a_crash_comes_behind_what_crashed() -> None:
    names = ("ns::(anonymous namespace)::signalHandler(int)", "ns::Book::read(int)", "ns::main_(int)")
    trace = "\n".join(f"    @ 0x{at}0 {name}" for at, name in enumerate(names, 1))
    found = [one.name for one in parse_prompt(trace) if one.kind is ClueKind.FRAME]
    assert found == ["read", "main_", "signalHandler"]


@pytest.mark.parametrize("text", ["look at Book.read() here", "at Book (native)", "   at map(x)"])
def test_prose_and_other_lines_name_no_type(text: str) -> None:
    assert not texts(f"It fails: x\n{text}\n", ClueKind.FRAME)


def test_an_error_of_the_language_before_a_message_is_no_name() -> None:
    assert texts("TypeError: it is undefined", ClueKind.SYMBOL) == []
    assert texts("LedgerError: it is undefined", ClueKind.SYMBOL) == ["LedgerError"]
    assert texts("What is TypeError?", ClueKind.SYMBOL) == ["TypeError"]
    assert list_messages("TypeError: it is\r\n  at x\nLedgerError: no") == ["it is", "no"]


def test_a_sentence_in_quotes_may_be_a_message_behind_those_of_errors() -> None:
    prompt = """It shows "the page is lost" for `page`, not 'out of pages'.\n\nerror: all pages are lost\n"""
    assert list_messages(prompt) == ["all pages are lost", "the page is lost"]


@pytest.mark.parametrize("before", ["fatal error", "Fatal error", "Fatal Ledger error", "panic", "fatal"])
def test_what_a_runtime_says_when_it_ends_is_a_message(before: str) -> None:
    assert list_messages(f"{before}: all pages are lost!\n\n") == ["all pages are lost!"]


@pytest.mark.parametrize(
    "unit", ["   at ", "   at a.b(", "   at a.b(c)\n", "   at a<`1>[b](c) in d/", "at a."]
)
def test_long_traces_take_time_in_proportion(unit: str) -> None:
    assert_linear(lambda size: "x: y\n" + unit * size, parse_prompt, 500)
