"""Of a stack trace, what its frames and its message point at comes before everything else."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pytest

from repo_mcp.blocks import mentioned_files
from repo_mcp.blocks.layouts import read_layout
from repo_mcp.blocks.named_lines import locate
from repo_mcp.blocks.prompt import find_no_hints
from repo_mcp.blocks.source import IndexSource
from repo_mcp.bundler.build import Choice
from repo_mcp.bundler.hybrid import HybridStrategy
from repo_mcp.bundler.records import Budget, BundleRequest
from repo_mcp.ranking.query.clues import Clue, ClueKind
from tests.repo_mcp.blocks.small_source import read_given
from tests.repo_mcp.research.asking import open_index
from tests.repo_mcp.symbol_spans import list_symbol_spans


def fill(count: int, name: str) -> str:
    return "".join(f"  const {name}{at} = {at};\n" for at in range(count))


TEXTS = {
    "src/answer.ts": "export function answer(request) {\n"
    + fill(120, "before")
    + "  if (request.stream) {\n    const reader = request.stream.getReader();\n  }\n"
    + fill(120, "after")
    + "}\n",
    "src/batch.ts": "export function sendBatch(calls) {\n"
    + fill(60, "call")
    + "  return answer(calls);\n}\n",
    "src/limits.ts": fill(50, "top") + "export function checkSize(paths, most) {\n"
    "  if (paths.length > most) {\n    throw new BatchError(`Batch of ${paths.length} calls is too large`);\n"
    "  }\n}\n" + fill(50, "rest"),
    "src/types.ts": "export type TypeError<Message> = { message: Message };\n" + fill(50, "other"),
    "src/noise.ts": "".join(
        f"export function reader{at}(batch, calls) {{\n  if (batch) return calls;\n}}\n" for at in range(40)
    ),
}
TRACE = """BatchError: Batch of 12 calls is too large
    at answer (src/answer.ts:123:20)
    at sendBatch (src/batch.ts:62:3)
TypeError: Cannot read properties of undefined (reading "getReader")
"""


def choose(prompt: str, texts: Mapping[str, str], lines: int = 400, **limits: int) -> Choice:
    source = IndexSource(open_index(texts), partial(read_given, texts))
    request = BundleRequest(prompt, **limits)
    return HybridStrategy(read_layout, find_no_hints).choose(request, Budget(8, lines, None), source)


def list_shown(choice: Choice) -> list[tuple[str, int, int]]:
    return [(one.path, one.start_line, one.end_line) for one in choice.selections]


def test_the_line_of_each_frame_is_shown_and_the_innermost_comes_first() -> None:
    choice = choose(TRACE, TEXTS)
    shown = list_shown(choice)
    first = next(
        at for at, (path, start, end) in enumerate(shown) if path == "src/answer.ts" and start <= 123 <= end
    )
    outer = next(
        at for at, (path, start, end) in enumerate(shown) if path == "src/batch.ts" and start <= 62 <= end
    )
    assert shown[0][:2] == ("src/answer.ts", 1)  # the head of the function, and what its line depends on
    assert first < outer
    assert choice.selections[first].evidence[0] == "a traceback frame names line 123"
    assert choice.selections[0].evidence[0] == "is in a function that a traceback frame names"
    assert any(start <= 122 <= end for path, start, end in shown if path == "src/answer.ts")


def test_an_excerpt_that_is_mostly_of_other_functions_is_not_said_to_be_of_the_frame_s() -> None:
    above = "export function prepareBatch(calls) {\n" + fill(30, "batch") + "}\n"
    below = "export function sendBatch(calls) {\n" + fill(90, "call") + "  return fail(calls);\n}\n"
    trace = "BatchError: it failed\n    at sendBatch (src/batch.ts:123:3)\nprepareBatch batch calls\n"
    choice = choose(trace, {"src/batch.ts": above + below})
    reasons = {one.start_line: one.evidence[0] for one in choice.selections}
    assert reasons[1] == "a traceback frame names this file"
    assert "a traceback frame names line 123" in reasons.values()


SHELF = (
    "package book\n\nfunc (s *Shelf) sort() {\n"
    + "".join(f"\tplace{at} := {at}\n" for at in range(30))
    + "}\n\nfunc (p *Page) sort() {\n\treturn\n}\n\n"
    + "func (s *Shelf) count() {\n"
    + "".join(f"\tcounted{at} := {at}\n" for at in range(30))
    + "}\n"
)


def test_of_a_trace_of_another_version_the_named_function_is_shown_and_where_its_line_is_now() -> None:
    trace = "panic: boom\n\nexample.com/book.(*Page).sort(...)\n\t/app/book/shelf.go:50\n"
    choice = choose(trace, {"book/shelf.go": SHELF}, 20)
    first = choice.selections[0]
    assert (first.start_line, first.symbol) == (36, "Page.sort")  # and not the one of the other type
    said = "is in a function that a traceback frame names; its line 50 is now in Shelf.count"
    assert first.evidence[0] == said
    ruby = "add_page fails: no page; book/shelf.rb:2:in `sort'"
    count = "def count\n" + "  add_page(of_shelf)\n" * 12 + "end\n\n"
    texts = {"book/shelf.rb": count + "# sorts\n" * 40 + "def sort\n  2\nend\n"}
    reasons = {one.symbol: one.evidence[0] for one in choose(ruby, texts).selections}
    assert reasons["sort"] == "is in a function that a traceback frame names; its line 2 is now in count"
    assert reasons["count"] == "a traceback frame names line 2 of sort"


def test_a_frame_without_a_name_is_not_said_to_name_a_function() -> None:
    trace = "it fails in the shelf:\n\t/app/book/shelf.go:54 +0x1\n"
    choice = choose(trace, {"book/shelf.go": SHELF}, 12)
    reasons = [one.evidence[0] for one in choice.selections]
    assert "is near line 54, which a traceback frame names" in reasons
    assert not any("function" in reason for reason in reasons)


def test_the_source_of_the_message_is_shown_with_its_values_filled_in() -> None:
    choice = choose(TRACE, TEXTS)
    (made,) = [
        one
        for one in choice.selections
        if one.path == "src/limits.ts" and 53 in range(one.start_line, one.end_line + 1)
    ]
    assert made.evidence[0] == "makes a message that the prompt shows"


def test_the_line_with_the_message_of_a_fatal_error_is_shown_in_the_function_of_its_frame() -> None:
    shelf = SHELF.rpartition("}")[0] + '\tfatal("all pages are lost - gap!")\n}\n'
    trace = "fatal error: all pages are lost - gap!\n\nbook.(*Shelf).count()\n\t/app/book/shelf.go:42 +0x40\n"
    shown = list_shown(choose(trace, {"book/shelf.go": shelf}, 30))
    said = shelf[: shelf.index("\tfatal(")].count("\n") + 1
    assert any(start <= said <= end for _, start, end in shown)


def test_the_source_of_a_message_that_the_prompt_quotes_is_shown() -> None:
    prompt = "reader: if the calls of a batch return too early, it says `Batch of 7 calls is too large`"
    (first, *_) = choose(prompt, TEXTS, 60).selections
    assert (first.path, first.evidence[0]) == ("src/limits.ts", "makes a message that the prompt shows")


def test_a_message_without_a_trace_comes_first() -> None:
    report = "Sending fails\n\nIt says:\n\nError: Batch of 7 calls is too large\n\nI expected two batches."
    (first, *_) = choose(report, TEXTS).selections
    assert first.path == "src/limits.ts"
    assert first.evidence[0] == "makes a message that the prompt shows"


def test_an_error_of_the_language_is_no_type_of_the_repository() -> None:
    assert "src/types.ts" not in {path for path, *_ in list_shown(choose(TRACE, TEXTS))}
    asked = list_shown(choose("what is the type TypeError for?", TEXTS))
    assert ("src/types.ts", 1) in {(path, start) for path, start, _ in asked}


def test_what_a_frame_names_and_no_line_is_left_for_is_said() -> None:
    choice = choose(TRACE, TEXTS, 30)
    (warning,) = [one for one in choice.warnings if "are left hold no more" in one]
    assert "src/batch.ts:1-63 sendBatch" in warning
    assert "title" not in " ".join(choose(TRACE, TEXTS).warnings)


LEDGER = """namespace Ledger.Core
{
    public class Book
    {
        public int Read(string path)
        {
            return Check(path);
        }

        public int Read(string path, Reader reader, bool strict)
        {
FIRST            return Check(path);
        }

        private int Check(string path)
        {
SECOND            throw new BookException($"Cannot parse {path} as a book");
        }
    }
}
"""
BOOK = {
    "src/Ledger.Core/Book.cs": LEDGER.replace("FIRST", fill(80, "a").replace("const", "var")).replace(
        "SECOND", fill(30, "b").replace("const", "var")
    ),
    "src/Ledger.Core/Shelf.cs": "namespace Ledger.Core\n{\n    public class Shelf\n    {\n"
    "        public void Sort()\n        {\n            Read();\n        }\n    }\n}\n",
    "tools/Check.cs": "public class Check\n{\n    public bool Check(string path) => true;\n}\n" * 1,
}
DOTNET = """Ledger.Core.BookException: Cannot parse a.txt as a book
   at System.Convert.ToInt32(String value)
   at Ledger.Core.Book.Check(String path)
   at Ledger.Core.Book.Read(String path, Reader reader, Boolean strict)
   at Ledger.Core.Shelf.<>c__DisplayClass3_0.<Sort>b__0(Book book)
"""


def test_frames_without_lines_lead_to_their_functions_and_these_to_what_they_call() -> None:
    shown = list_shown(choose(DOTNET, BOOK))
    text = BOOK["src/Ledger.Core/Book.cs"].split("\n")
    called = [at for at, line in enumerate(text, 1) if "return Check" in line][1]
    thrown = next(at for at, line in enumerate(text, 1) if "throw" in line)
    places = [
        next(
            at for at, (path, start, end) in enumerate(shown) if path.endswith(name) and start <= line <= end
        )
        for name, line in (("Book.cs", thrown), ("Book.cs", called), ("Shelf.cs", 5))
    ]
    assert places == sorted(places)
    assert places[0] == 0


CPP = {
    "src/Book.h": "class Book {\n public:\n  int read(int page);\n  int check(int page);\n};\n",
    "src/Book.cpp": '#include "Book.h"\n\nnamespace ledger {\n\n'
    "int Book::read(int page) {\n  return check(page);\n}\n\n"
    "int Book::check(int page) {\n  return pages_[page];\n}\n\n"
    + fill(60, "a").replace("const", "int")
    + "\n} // namespace ledger\n",
    "src/Handler.cpp": "namespace ledger {\n\nint before(int page) {\n  return page;\n}\n\n"
    "void signalHandler(int signal, void* received) {\n"
    '  write("Aborted", signal, received);\n}\n\n'
    + fill(60, "b").replace("const", "int")
    + "\n} // namespace ledger\n",
    "src/Other.cpp": "bool read(void* received) {\n  return true;\n}\n",
}
GLOG = """*** Aborted at 1700000000 (unix time) ***
*** Signal 11 (SIGSEGV) (0x0) received by PID 123 ***
    @ 0000000000a1 ledger::(anonymous namespace)::signalHandler(int, void*)
    @ 0000000000b1 ledger::Book::check(int)
    @ 0000000000b2 ledger::Book::read(int, bool)
"""


def test_the_bodies_of_frames_of_cpp_come_first_and_what_reports_the_crash_last() -> None:
    chosen = choose(GLOG, CPP)
    path, start, end = list_shown(chosen)[0]
    assert (path, start <= 5, end >= 10) == ("src/Book.cpp", True, True)
    paths = [one.path for one in chosen.selections]
    assert paths[:2] == ["src/Book.cpp", "src/Handler.cpp"]
    assert not any(
        word in " ".join(one.matched_terms)
        for one in chosen.selections
        for word in ("Aborted", "received", "void", "bool")
    )


OOPS = """BUG: kernel NULL pointer dereference, address: 0000000000000018
RIP: 0010:find_page+0x1e/0x60
Call Trace:
 read_page+0x3f/0x4b0
 read_book.isra.0+0x5c7/0x1180
"""


def test_the_function_that_failed_comes_whole_and_those_around_it_where_they_call_the_next() -> None:
    files = {
        "fs/find.c": "int find_page(struct book *book)\n{\n\tif (!book)\n\t\treturn 0;\n"
        "\treturn book->page;\n}\n",
        "fs/page.c": "int read_page(struct book *book)\n{\n"
        + "".join(f"\tstep_{at}(book);\n" for at in range(60))
        + "\tint page = find_page(book);\n"
        + "".join(f"\tstop_{at}(book);\n" for at in range(60))
        + "\treturn page;\n}\n",
        "fs/book.c": "static int read_book(struct book *book)\n{\n\treturn read_page(book);\n}\n",
        "include/book.h": "int find_page(struct book *book);\nstruct pages;\n",
    }
    chosen = choose(OOPS, files)
    shown = list_shown(chosen)
    assert shown[0] == ("fs/find.c", 1, 6)
    assert list(dict.fromkeys(path for path, *_ in shown[1:] if path != "include/book.h")) == [
        "fs/page.c",
        "fs/book.c",
    ]
    assert any(path == "fs/page.c" and start <= 63 <= end and end - start < 40 for path, start, end in shown)
    assert "find_page" in {one.text for one in chosen.audit.keywords}


@pytest.mark.parametrize(("taken", "line"), [("", 2), ("String path", 5), ("Int32 page, String path", 8)])
def test_what_a_function_takes_tells_its_overloads_apart(taken: str, line: int) -> None:
    bodies = ("", "string path", "string path, int page")
    text = (
        "class Book {\n"
        + "".join(f"    public int Read({own})\n    {{ return 1; }}\n\n" for own in bodies)
        + "}\n"
    )
    clue = Clue(ClueKind.FRAME, "Ledger.Book", None, "Read", arguments=taken)
    assert locate(clue, list_symbol_spans("Book.cs", text.encode()), text.split("\n")) == [line]
    other = Clue(ClueKind.FRAME, "Ledger.Shelf", None, "Read", arguments=taken)
    assert locate(other, list_symbol_spans("Book.cs", text.encode()), text.split("\n")) == []


def test_a_function_that_moved_to_a_file_beside_the_one_of_its_frame_is_shown() -> None:
    texts = {
        "shop/sale/__init__.py": "from shop.sale.entity import Sale\n\nNAMES = ['a', 'b']\n" * 30,
        "shop/sale/entity.py": "class Sale:\n    def read_options(self):\n        return self.options\n\n"
        "    async def settle_all(self):\n        self.read_options()\n        return self.total\n",
        "shop/other/entity.py": "class Other:\n    async def settle_all(self):\n        return None\n",
    }
    trace = (
        "Traceback (most recent call last):\n"
        '  File "/srv/shop/sale/__init__.py", line 40, in settle_all\n    self.read_options()\n'
        "KeyError: 'unit'\n"
    )
    chosen = choose(trace, texts).selections
    assert chosen[0].path == "shop/sale/entity.py"
    assert chosen[0].evidence[0] == (
        "is in a function that a traceback frame names, which has moved here from __init__.py"
    )


def test_a_file_that_declares_the_function_of_its_frame_is_not_read_to_find_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mentioned_files, "_names", lambda *_: pytest.fail("it is read"))
    texts = {f"shop/{name}.py": f"def settle_{name}(sale):\n    return sale.total\n" for name in ("a", "b")}
    trace = 'Traceback (most recent call last):\n  File "/srv/shop/a.py", line 2, in settle_a\nKeyError: 1\n'
    assert choose(trace, texts).selections[0].path == "shop/a.py"
