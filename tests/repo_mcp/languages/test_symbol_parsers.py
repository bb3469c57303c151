"""Which parser a file gets, and that no text hurts more than itself."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from repo_mcp.languages import symbol_parsers
from repo_mcp.languages.outline.adapter import ParserFailed, ParserFault
from repo_mcp.languages.symbol_parsers import (
    find_parser_task,
    find_unparsed,
    list_faults,
    list_languages,
    run_parser_task,
)
from repo_mcp.languages.treesitter import parser as tree_sitter_parser
from repo_mcp.languages.treesitter.parser import MAX_PARSED_BYTES
from repo_mcp.process.parse_worker import ParseWorker
from repo_mcp.symbols.symbol_record import ParseStatus, SymbolRecord, decode_symbol_record
from tests.deep.sizes import choose, first
from tests.growth import assert_linear

TASKS = ["structure/typescript", "structure/tsx", "structure/javascript", "structure/csharp"]
SIZE = 500
DEEP = choose(4_000, 10_000)


@pytest.fixture
def worker() -> Iterator[ParseWorker]:
    made = ParseWorker()
    yield made
    made.close()


def run(task: str, text: bytes) -> SymbolRecord:
    return decode_symbol_record(run_parser_task(task, b"name\n" + text))


@pytest.mark.parametrize(
    ("path", "language", "task"),
    [
        ("a.ts", "typescript", "structure/typescript"),
        ("a/b.mts", "typescript", "structure/typescript"),
        ("A.TSX", "typescript", "structure/tsx"),
        ("a.jsx", "javascript", "structure/javascript"),
        ("a.cs", "csharp", "structure/csharp"),
        ("a.md", "markdown", None),
        ("a.ts", "", None),
    ],
)
def test_task_of_a_file(path: str, language: str, task: str | None) -> None:
    assert find_parser_task(path, language) == task


def test_a_language_without_its_grammar_has_no_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_c_sharp", None)
    symbol_parsers.find_fault.cache_clear()
    try:
        assert find_parser_task("a.cs", "csharp") is None
        assert find_unparsed("a.cs", "csharp") == "csharp"
        assert list_faults(list_languages()).keys() == {"csharp"}
    finally:
        monkeypatch.undo()
        symbol_parsers.find_fault.cache_clear()
    assert not list_faults(list_languages())
    assert find_unparsed("a.cs", "csharp") is None


def test_only_the_grammars_that_are_asked_for_are_loaded() -> None:
    """In a process of its own: this one has loaded them."""
    code = (
        "import sys\n"
        "from repo_mcp.languages.symbol_parsers import find_parser_task, list_languages\n"
        "assert find_parser_task('a.py', 'python') and list_languages()\n"
        "assert not [one for one in sys.modules if one.startswith('tree_sitter')]\n"
        "assert find_parser_task('a.cs', 'csharp')\n"
        "assert 'tree_sitter_c_sharp' in sys.modules and 'tree_sitter_go' not in sys.modules\n"
    )
    import subprocess

    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize("task", TASKS)
def test_through_the_worker(worker: ParseWorker, task: str) -> None:
    found = decode_symbol_record(worker.parse(task, b"folder-less.x\nclass A { }\n"))
    assert found.status is ParseStatus.FULL
    assert [found.get_symbol(ordinal).name for ordinal in range(found.symbol_count)] == ["folder-less.x", "A"]


def test_a_task_that_there_is_none_of_ends_the_process_only(worker: ParseWorker) -> None:
    with pytest.raises(ParserFailed) as failed:
        worker.parse("structure/cobol", b"a\nb")
    assert failed.value.fault is ParserFault.DIED
    assert worker.parse("structure/csharp", b"a.cs\nclass A { }")


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(
    "text", [b"", b"\n", b"\x00" * 100, b"\xff\xfe\x80" * 50, b"class", b"\xef\xbb\xbfclass A {}"]
)
def test_any_bytes_give_a_record(task: str, text: bytes) -> None:
    assert run(task, text).symbol_count >= 1


@pytest.mark.sized
@pytest.mark.parametrize("task", first(2, TASKS))
@pytest.mark.parametrize(
    ("begin", "opening", "closing"),
    [
        (b"x=", b"(", b""),
        (b"x=", b"[", b"]"),
        (b"", b"{", b"}"),
        (b"x", b".a", b""),
        (b"", b"class A { ", b""),
        (b"", b"namespace A { ", b"}"),
        (b"let x: ", b"A<", b">"),
        (b"", b"f(", b")"),
        (b"a", b"?.b", b""),
        (b"", b"if (a) ", b""),
        (b"", b"() => ", b""),
        (b"", b"`${", b""),
        (b"", b"<a>", b""),
        (b"", b"#if A\n", b""),
    ],
    ids=lambda text: text.decode(),
)
def test_deep_nesting_is_read_in_linear_time(
    task: str, begin: bytes, opening: bytes, closing: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not FULL: what lies too deep is not looked at, and that is said."""
    monkeypatch.setattr(tree_sitter_parser, "MAX_PASSED", 2_000_000)
    assert_linear(lambda depth: begin + opening * depth + closing * depth, lambda text: run(task, text), SIZE)
    found = run(task, begin + opening * DEEP + closing * DEEP)
    assert found.status is not ParseStatus.FULL or found.symbol_count == 1


def test_a_long_chain_is_cut_short_in_its_rows() -> None:
    found = run("structure/typescript", b"a" + b".b" * 500 + b".go();")
    assert "?" in {found.get_reference(row).qualifier for row in range(found.reference_count)}


def test_a_large_file_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"function f(a,b){return a(b)};\n" * (MAX_PARSED_BYTES // 30 + 1)
    monkeypatch.setattr(tree_sitter_parser, "_parse", None)
    found = run("structure/javascript", text)
    assert found.status is ParseStatus.FAILED


def test_of_too_dense_a_text_the_beginning_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """With less room than there is: how long a text of that size takes depends on the machine."""
    text = b"a;\n" * 9_000
    assert run("structure/javascript", text).reference_count == 9_000
    monkeypatch.setattr(tree_sitter_parser, "MAX_NODES", 12_000)
    found = run("structure/javascript", text)
    assert found.status is ParseStatus.PARTIAL
    assert 3_000 < found.reference_count < 9_000


@pytest.mark.sized
def test_megabytes_through_the_worker(worker: ParseWorker) -> None:
    text = b"a.js\n" + b"var a=1;" * choose(600_000, 6_500_000)
    assert len(text) > MAX_PARSED_BYTES
    assert decode_symbol_record(worker.parse("structure/javascript", text)).status is ParseStatus.FAILED


@pytest.mark.sized
def test_thousands_of_functions_on_one_line_are_read(worker: ParseWorker) -> None:
    count = choose(4_000, 20_000)
    text = b"a.ts\n" + b"function f(a,b){return a(b)};" * count
    found = decode_symbol_record(worker.parse("structure/typescript", text))
    assert found.status is ParseStatus.FULL
    assert found.symbol_count == count + 1


@pytest.mark.sized
def test_of_too_many_names_the_first_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    count = choose(5_000, 50_000)
    monkeypatch.setattr(tree_sitter_parser, "MAX_CAPTURES", tree_sitter_parser.MAX_CAPTURES * count // 50_000)
    found = run("structure/javascript", b"function f(a,b){return a(b)};\n" * count)
    assert found.status is ParseStatus.PARTIAL
    assert 0.6 * count < found.symbol_count < 0.8 * count


def test_a_template_is_not_parsed() -> None:
    assert find_parser_task("config.h.in", "c") is find_unparsed("config.h.in", "c") is None
    assert find_parser_task("include/config.h", "c") is not None
