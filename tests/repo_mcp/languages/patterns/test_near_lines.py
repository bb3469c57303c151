"""What is cut out of a text tells the declarations around some of its lines, as the whole text does."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from index_format import compute_fingerprint
from repo_mcp.languages.patterns import enclosing, near_lines
from repo_mcp.languages.patterns.declared_spans import list_declared_rows, list_declared_spans
from repo_mcp.languages.patterns.enclosing import OUTSIDE, Declarations, find_near
from repo_mcp.languages.patterns.landmarks import scan
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.languages.patterns.line_layout import Layout
from repo_mcp.languages.patterns.near_lines import cut_around
from tests.deep.sizes import choose
from tests.repo_mcp.symbol_spans import store_spans

LINES = (
    "#define A 1", "#define A 1", "#define LOOP(x) do { \\", "#define B(x) \\", "\t(x) \\  ", "// A", "", "",
    "\t", "struct item {", "\tint one;", "};", "}", "} item;", "}, {", "} else {", "}, (", "typedef struct {",
    "int f(int a)", "{", "\treturn a;", "\tif (a) {", "\t}", "static int", "f(a,", "int x = (", ")", ");",
    "x = 1", "int y[] = {", "  { 1, 2 },", "/* a", " * b", " */", "/* c */", "/*/", "int z; /* d",
    "*/ int w;", "enum kind {", "A = 1,", "B = 2", "#ifdef A", "#endif", "}\\", "\\", "@interface R", "@end",
    "func (a *T) Post(b int) error {", "class View : public Base {", "namespace a {", "int A::f(int a) {",
    "label:",
)  # fmt: skip
MACROS = "\n".join(f"#define REGISTER_{number} 0x{number:x}" for number in range(40))


def list_starts(text: bytes) -> list[int]:
    """Return where each line begins, and where the text ends."""
    starts = [0, *(place + 1 for place, byte in enumerate(text) if byte == ord("\n"))]
    return starts if starts[-1] == len(text) else [*starts, len(text)]


def check(path: str, text: bytes, first: int, last: int) -> int:
    """Compare the declarations of a part with those of the whole. Returns the size of the part."""
    language, starts = find_language(path), list_starts(text)
    begin, end = cut_around(text, starts[first - 1], starts[last])
    part, above = text[begin:end], text.count(b"\n", 0, begin)
    landmarks = scan(language, part)
    layout = Layout(part, landmarks.doc_spans, language.name)
    rows = list_declared_rows(layout, landmarks.definitions, (first - above, last - above))
    near = Declarations([row for row in rows if row[2] > 1 or not begin], above)
    whole = store_spans(list_declared_spans(language, text))
    assert near.find_between(first, last) == whole.find_between(first, last)
    marks = [1] * (last - first + 1)
    for with_comments in (False, True):
        grouped = [
            [
                (places, None if number == OUTSIDE else declarations.get(number))
                for number, places in declarations.group_innermost(
                    first, marks, with_comments=with_comments
                ).items()
            ]
            for declarations in (near, whole)
        ]
        assert grouped[0] == grouped[1]
    for line in {first, (first + last) // 2, last}:
        for least_lines in (1, 2, 5):
            assert near.find_innermost(line, least_lines) == whole.find_innermost(line, least_lines)
    return end - begin


@given(
    st.lists(st.sampled_from((*LINES, MACROS)), min_size=1, max_size=60),
    st.sampled_from(["a.c", "a.cpp", "a.m", "a.go"]),
    st.data(),
)
@example(["struct item {", "f(a,", "}", "#define A 1", "{", "}", "", "int f(int a)"], "a.c", None)
def test_any_lines_of_any_text(lines: list[str], path: str, data: st.DataObject | None) -> None:
    text = "\n".join(lines).encode() + b"\n"
    count = text.count(b"\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(near_lines, "NEAR_BYTES", 2_000 if data is None else data.draw(st.integers(1, 2_000)))
        patch.setattr(near_lines, "MAX_STARS", 2)
        first = count if data is None else data.draw(st.integers(1, count))
        last = count if data is None else data.draw(st.integers(first, count))
        check(path, text, first, last)


@pytest.mark.sized
def test_real_files() -> None:
    files = sorted(Path(np.get_include()).rglob("*.h"))
    for file in random.sample(files, choose(8, len(files))):
        text = file.read_bytes().replace(b"\r\n", b"\n")
        count = len(list_starts(text)) - 1
        for first in range(1, count, max(1, count // 12)):
            check("a.h", text, first, min(count, first + 49))


def build_registers(count: int) -> bytes:
    rows = (
        f"//REG_{one}\n#define REG_{one}__SHIFT 0x{one:x}\n#define REG_{one}_MASK 0x1L\n"
        for one in range(count)
    )
    return f"/* A license. */\n#ifndef A\n#define A\n\n{''.join(rows)}\n#endif\n".encode()


def test_of_a_large_header_a_small_part_is_read() -> None:
    text = build_registers(5_000)
    assert check("a.h", text, 9_000, 9_049) < 20_000
    assert check("a.h", text, 1, 50) < 20_000
    functions = b"".join(b"static int f%d(void)\n{\n\treturn %d;\n}\n\n" % (one, one) for one in range(5_000))
    assert check("a.c", functions, 9_001, 9_050) < 2_000


def test_a_table_is_read_to_its_end() -> None:
    rows = b"\t{ 1, 2 },\n" * 5_000
    text = b"int a;\n\nint f(void)\n{\n}\n\nint table[] = {\n" + rows + b"};\n\nint f(void)\n{\n}\n\n"
    assert len(rows) < check("a.c", text, 2_000, 2_049) < len(text) - 20


def test_declarations_near_some_lines_are_those_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    text = build_registers(2_000)
    starts, fingerprint, language = list_starts(text), compute_fingerprint(text), find_language("a.h")
    whole = store_spans(list_declared_spans(language, text))

    def find(first: int, last: int) -> Declarations:
        return find_near(language, text, fingerprint, (first, last), (starts[first - 1], starts[last]))

    near = find(3_000, 3_049)
    assert near.find_between(3_000, 3_049) == whole.find_between(3_000, 3_049)
    assert 0 < len(near) < len(whole) / 5
    assert find(3_000, 3_049) is near
    monkeypatch.setattr(enclosing, "MAX_SPANS", 3_048)  # those of the whole end where they are too many
    assert len(find(3_000, 3_050)) == len(whole)


def test_short_texts_and_other_languages_are_searched_whole() -> None:
    for path, text in (("a.c", b"int f(void)\n{\n}\n\n" * 100), ("a.py", b"def f(): pass\n" * 2_000)):
        count, fingerprint = text.count(b"\n"), compute_fingerprint(text)
        starts, language = list_starts(text), find_language(path)
        near = find_near(language, text, fingerprint, (count, count), (starts[-2], starts[-1]))
        assert len(near) == len(list_declared_spans(language, text))
