"""Installed adapters that fail, hang or answer nonsense: contained, counted, named, and killed if need be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from repo_mcp.config.server_config import load_config
from repo_mcp.indexing.shards import adapter_marks
from repo_mcp.languages.adapter_registry import AdapterRegistry
from repo_mcp.languages.adapter_tasks import MAX_ENDED
from repo_mcp.languages.outline.installed import find_installed
from repo_mcp.model import SearchRequest
from repo_mcp.process import parse_worker
from repo_mcp.process.parse_process import run_task
from repo_mcp.repository import Repository
from tests.repo_mcp.installed_packages import write_package

# Each text says what the adapter does with it: the first line is run where its hook is called.
OBEYING = """
import os, sys, time
from repo_mcp.languages.outline.adapter import Adapter, Use
from repo_mcp.model import Outline, Symbol

def obey(text, hook):
    wanted, _, order = text.partition("\\n")[0].partition(": ")
    return eval(order, globals()) if wanted == hook else None

def fail(error):
    raise error

class Made(Adapter):
    name = "obeying"
    languages = {".obey": "obey"}

    def supports_path(self, path):
        return path.endswith(".obey")

    def outline(self, path, text):
        symbols = (Symbol("function", "zeppelin", "", 2, 3),)
        return obey(text, "outline") or Outline(path, "obey", symbols, "obey")

    def smart_chunks(self, path, text):
        return obey(text, "chunks")

    def symbol_hints(self, prompt):
        return obey(prompt, "hints") or ()

    def references(self, path, text):
        return obey(text, "references") or ()
"""
BODY = "\nzeppelin\nairship\n"
_numbers = count()


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_package(tmp_path / "site", f"obeying_adapter_{next(_numbers)}", OBEYING)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))


@pytest.fixture
def registry() -> AdapterRegistry:
    return AdapterRegistry(run_task, find_installed(None)[0])


Open = Callable[[], Repository]


@pytest.fixture
def open_root(tmp_path: Path) -> Iterator[Open]:
    opened: list[Repository] = []
    (tmp_path / "root").mkdir()

    def make() -> Repository:
        opened.append(Repository(load_config(str(tmp_path / "root"), workers=1)))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


SYMBOL = "Outline(path, 'obey', (Symbol({}),), 'obey')".replace("path", "'a'")
BAD_OUTLINES = {
    "fail(ValueError('the secret'))": "ValueError",
    "'text'": "its answer is not an outline",
    "Outline('a', 'obey', None, 'obey')": "TypeError",
    "Outline('a', 'obey', (3,), 'obey')": "AttributeError",
    "Outline('a', 7, (), 'obey')": "its answer has another value where text should be",
    SYMBOL.format("'f', 'x', '', 0, 1"): "a symbol is outside the text",
    SYMBOL.format("'f', 'x', '', 2, 1"): "a symbol is outside the text",
    SYMBOL.format("'f', 'x', '', 1, 99"): "a symbol is outside the text",
    SYMBOL.format("'f', 'x', '', True, True"): "a symbol is outside the text",
    SYMBOL.format("'f', '', '', 1, 1"): "a symbol has no name",
    SYMBOL.format("'f', b'x', '', 1, 1"): "a symbol has no name",
    SYMBOL.format("'f', 'x', None, 1, 1"): "its answer has another value where text should be",
    SYMBOL.format("'f', 'x', '', 1, 1, None, None, None, 'yes'"): "its answer is not an outline",
}
BAD_CHUNKS = {
    "fail(KeyError('the secret'))": "KeyError",
    "7": "its answer is not a list",
    "[]": "its chunks do not cover the text, or reach beyond it",
    "[2, 3]": "its chunks do not cover the text, or reach beyond it",
    "[1, 4]": "its chunks do not cover the text, or reach beyond it",
    "[1, 3, 2]": "its chunks overlap",
    "[1, 2, 2]": "its chunks overlap",
    "[1, 2.0]": "its chunks are not line numbers",
    "[1, '2']": "its chunks are not line numbers",
}


@pytest.mark.parametrize("order", BAD_OUTLINES)
def test_a_bad_outline_is_refused_and_named(registry: AdapterRegistry, order: str) -> None:
    text = f"outline: {order}{BODY}"
    outline = registry.outline("a.obey", text)
    assert (outline.symbols, outline.parser) == ((), "none")
    assert outline.warnings == (f"The adapter obeying failed ({BAD_OUTLINES[order]}).",)
    marks = registry.mark("a.obey", text.encode(), 3)
    assert marks is not None
    assert (marks.definitions, marks.first_lines, marks.fault) == ([], None, BAD_OUTLINES[order])


@pytest.mark.parametrize("order", BAD_CHUNKS)
def test_bad_chunks_are_refused_and_the_names_stay(registry: AdapterRegistry, order: str) -> None:
    text = f"chunks: {order}{BODY}"
    marks = registry.mark("a.obey", text.encode(), 3)
    assert marks is not None
    start = text.index("\nzeppelin") + 1
    assert (marks.definitions, marks.first_lines) == ([(start, start + 8)], None)
    assert marks.fault == BAD_CHUNKS[order]


def test_a_language_with_line_patterns_falls_back_to_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = OBEYING.replace("obeying", "lua").replace('".obey"', '".lua"')
    write_package(tmp_path / "lua", f"obeying_lua_{next(_numbers)}", source)
    monkeypatch.syspath_prepend(str(tmp_path / "lua"))
    registry = AdapterRegistry(run_task, find_installed(None)[0])
    outline = registry.outline("a.lua", "outline: fail(OSError())\nfunction f()\nend\n")
    assert (outline.parser, [one.name for one in outline.symbols]) == ("lexical", ["f"])
    assert outline.warnings == ("The adapter lua failed (OSError).",)


def test_what_rules_the_process_is_not_believed() -> None:
    """A text that took over the process answers as it likes; nothing of it is used."""
    (one,), _ = find_installed(None)
    answers = [
        b"", b"[]", b"[" * 100_000, b"{}", b'{"symbols": 3}', b'{"fault": 3}',
        b'{"symbols": [["f", "x", "", 1, 9, null, null, null, null, null]], "warnings": []}',
        b'{"definitions": [[5, 2]], "first_lines": null}', b'{"definitions": [[0, 99]], "first_lines": null}',
        b'{"definitions": [[0, 2], [1, 3]]}', b'{"definitions": [], "first_lines": [1, 1]}',
        b'{"hints": [3]}',
    ]  # fmt: skip
    for answer in answers:
        registry = AdapterRegistry(lambda _task, _text, answer=answer: answer, (one,))  # type: ignore[misc]
        outline = registry.outline("a.obey", "a\nb\n")
        assert (outline.symbols, len(outline.warnings)) == ((), 1), answer
        marks = registry.mark("a.obey", b"a\nb\n", 2)
        assert marks is not None
        assert (marks.definitions, marks.first_lines, bool(marks.fault)) == ([], None, True), answer
        assert registry.find_hints("x")[0] == ()


def test_texts_fit_for_every_answer(registry: AdapterRegistry) -> None:
    order = SYMBOL.format(r"'f', 'x\ud800' * 1000, 'a\nb', 1, 1")
    (one,) = registry.outline("a.obey", f"outline: {order}{BODY}").symbols
    one.name.encode()
    assert len(one.name) == 200
    assert one.signature == "a b"


def test_the_order_is_ours(registry: AdapterRegistry) -> None:
    order = "Outline('a', 'obey', {Symbol('f', str(n), '', 1 + n % 3, 3) for n in range(50)}, 'obey')"
    symbols = registry.outline("a.obey", f"outline: {order}{BODY}").symbols
    assert list(symbols) == sorted(symbols, key=lambda one: (one.start_line, one.end_line, one.name))


def test_faults_are_counted_and_named_and_end_with_their_cause(open_root: Open, tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "good.obey").write_text(f"fine{BODY}")
    for number, order in enumerate(
        ["outline: fail(ValueError())", "chunks: [9]", "chunks: [1, 1]", "outline: 7"]
    ):
        (root / f"bad{number}.obey").write_text(order + BODY)
    repository = open_root()
    reported = repository.refresh().warnings
    assert reported == (
        "The adapter obeying failed on 4 of the files, which are indexed without its results:"
        " 'bad0.obey', 'bad1.obey', 'bad2.obey', ...",
    )
    assert reported[0] in repository.status().warnings
    assert reported[0] in open_root().status().warnings  # it is in the index, not in the process
    assert len(repository.search(SearchRequest("airship", 10)).hits) == 5
    declared = repository.search(SearchRequest("zeppelin", 10, symbols_only=True)).hits
    assert sorted(hit.path for hit in declared) == ["bad1.obey", "bad2.obey", "good.obey"]
    for number in range(4):
        (root / f"bad{number}.obey").write_text(f"cured{BODY}")
    assert repository.refresh().warnings == ()


def test_symbols_stay_when_references_fail(open_root: Open, tmp_path: Path) -> None:
    orders = {
        "good": "references: [Use('zeppelin', 3, 'call')]",
        "raises": "references: fail(ValueError())",
        "outside": "references: [Use('zeppelin', 30, 'call')]",
        "role": "references: [Use('zeppelin', 3, 'flies')]",
        "type": "references: ['zeppelin']",
        "none": "outline: fail(ValueError())",
    }
    for name, order in orders.items():
        (tmp_path / "root" / f"{name}.obey").write_text(order + BODY)
    repository = open_root()
    repository.refresh()
    report = repository.symbol_index.build()
    assert (report.parsed, report.partial, report.failed) == (6, 4, 1)
    with repository.symbol_index.view() as view:
        for name in orders:
            record = view.find_record_bytes(f"{name}.obey")
            assert record is not None
            assert (b"zeppelin" in record) == (name != "none")


@pytest.mark.parametrize(
    "order",
    ["os._exit(3)", "fail(SystemExit())", "'x' * (1 << 40)", "time.sleep(3600)", "print(__file__ * 9999)"],
)
def test_what_would_end_the_process_ends_nothing_else(
    open_root: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    wall = 1.0 if "sleep" in order else 5.0
    monkeypatch.setattr(adapter_marks, "WALL_SECONDS", wall)
    defaults = {"wall_seconds": wall, "poison": None, "serve": None}
    monkeypatch.setattr(parse_worker.ParseWorker.__init__, "__kwdefaults__", defaults)
    (tmp_path / "root" / "bad.obey").write_text(f"outline: {order}{BODY}")
    (tmp_path / "root" / "good.obey").write_text(f"fine{BODY}")
    repository = open_root()
    warnings = repository.refresh().warnings
    outline = repository.outline("bad.obey")
    if order.startswith("print"):  # it goes nowhere, and the answer is as if nothing had been printed
        assert (warnings, outline.warnings) == ((), ())
    else:
        assert "'bad.obey'" in "".join(warnings)
        assert "The adapter obeying failed" in outline.warnings[0]
    assert [one.name for one in repository.outline("good.obey").symbols] == ["zeppelin"]
    assert len(repository.search(SearchRequest("airship", 10)).hits) == 2


def test_an_adapter_that_ends_every_process_is_soon_not_asked(
    open_root: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapter_marks, "MAX_ENDED", 2)
    for number in range(40):
        (tmp_path / "root" / f"bad{number}.obey").write_text(f"outline: os._exit({number}){BODY}")
    started: list[str] = []
    parse = parse_worker.ParseWorker.parse
    monkeypatch.setattr(
        parse_worker.ParseWorker,
        "parse",
        lambda self, task, text: started.append(task) or parse(self, task, text),
    )
    repository = open_root()
    assert "failed on 40 of the files" in "".join(repository.refresh().warnings)
    assert len(started) == 2
    assert len(repository.search(SearchRequest("airship", 50)).hits) == 40


def test_an_adapter_that_ends_every_process_leaves_the_symbols_of_others(
    open_root: Open, tmp_path: Path
) -> None:
    for number in range(60):
        (tmp_path / "root" / f"bad{number:02}.obey").write_text(f"references: os._exit({number}){BODY}")
    for name in ("first.py", "last.py"):
        (tmp_path / "root" / name).write_text("def zeppelin(): pass\n")
    repository = open_root()
    repository.refresh()
    report = repository.symbol_index.build()
    assert (report.parsed, report.failed, report.complete) == (62, 60, True)
    assert len(repository.poison) == MAX_ENDED  # the others were not tried


def test_a_process_that_cannot_be_started_blames_no_text(
    open_root: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from repo_mcp.errors import ErrorCode, RepoError

    def refuse(*_: object) -> None:
        raise OSError

    (tmp_path / "root" / "a.obey").write_text(f"fine{BODY}")
    repository = open_root()
    with monkeypatch.context() as patch:
        patch.setattr(parse_worker, "_start_child", refuse)
        with pytest.raises(RepoError) as raised:
            repository.refresh()
        assert raised.value.code is ErrorCode.INTERNAL
        assert repository.outline("a.obey").warnings == (
            "The adapter obeying failed (no process could be started).",
        )
    assert repository.refresh().warnings == ()


def test_hints_that_fail_are_said_in_the_bundle(open_root: Open, tmp_path: Path) -> None:
    from repo_mcp.bundler.records import BundleRequest

    (tmp_path / "root" / "a.obey").write_text(f"fine{BODY}")
    repository = open_root()
    repository.refresh()
    good = repository.engines.bundles.build(BundleRequest("hints: ['zeppelin', 'zeppelin', '']\nwhat flies"))
    assert [one.text for one in good.audit.keywords if one.kind == "symbol"] == ["zeppelin"]
    assert [one.symbol for one in good.selections] == ["zeppelin"]
    for order, reason in [("fail(ValueError())", "ValueError"), ("[7]", "its answer has another value")]:
        bad = repository.engines.bundles.build(BundleRequest(f"hints: {order}\nairship"))
        assert f"The adapter obeying failed ({reason}" in "".join(bad.warnings)
        assert bad.selections


def test_a_text_that_killed_is_tried_again_by_the_next_version(open_root: Open, tmp_path: Path) -> None:
    (tmp_path / "root" / "a.obey").write_text(f"outline: os._exit(1){BODY}")
    for _ in range(2):
        repository = open_root()
        assert "crashed" in repository.outline("a.obey").warnings[0]
        assert len(repository.poison) == 1
    (metadata,) = (tmp_path / "site").glob("*.dist-info/METADATA")
    metadata.write_text(metadata.read_text().replace("Version: 1.0", "Version: 2.0"))
    repository = open_root()
    assert "crashed" in repository.outline("a.obey").warnings[0]
    assert len(repository.poison) == 2
