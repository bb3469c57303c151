"""Landmarks of real-looking snippets, one per language, and of texts made to hurt."""

from __future__ import annotations

import random

import pytest

from repo_mcp.languages.patterns.landmarks import Landmarks, scan
from repo_mcp.languages.patterns.language_registry import LANGUAGES, find_dialect, find_language
from tests.deep.sizes import IS_DEEP, choose
from tests.repo_mcp.languages.patterns.snippets import SNIPPETS


def names(language: str, text: str) -> list[str]:
    data = text.encode()
    return [data[start:end].decode() for start, end in scan(LANGUAGES[language], data).definitions]


def docs(language: str, text: str) -> list[str]:
    data = text.encode()
    return [data[start:end].decode() for start, end in scan(LANGUAGES[language], data).doc_spans]


@pytest.mark.parametrize("language", SNIPPETS)
def test_snippet_gives_its_definitions(language: str) -> None:
    text, definitions, _ = SNIPPETS[language]
    assert names(language, text) == definitions


@pytest.mark.parametrize("language", SNIPPETS)
def test_snippet_gives_its_comments(language: str) -> None:
    text, _, comments = SNIPPETS[language]
    assert docs(language, text) == comments


def test_vue_reads_script_and_html_comments() -> None:
    text = "<!-- note -->\n<script>\nexport function setup() {}\n</script>\n"
    assert names("vue", text) == ["setup"]
    assert docs("vue", text) == ["<!-- note -->"]


def test_names_beyond_ascii_are_names() -> None:
    assert names("python", "def größe(x):\n    pass\nclass Straße:\n    pass\n") == ["größe", "Straße"]
    assert names("rust", "fn naïve() {}\n") == ["naïve"]


def test_comment_without_end_reaches_to_the_end_of_the_file() -> None:
    assert docs("c", "int a = 1;\n/* never closed\nint f(void)\n{\n}") == [
        "/* never closed\nint f(void)\n{\n}"
    ]
    assert docs("python", 'x = 1\n"""never closed\n') == ['"""never closed\n']


def test_comment_behind_code_is_no_comment_span() -> None:
    assert docs("c", "int x; /* a */\nint y; // b\n") == []
    assert docs("python", "x = 1  # a\n") == []


def test_comment_that_ends_before_code_stops_there() -> None:
    assert docs("c", "\n/* a */ int x;\n") == ["/* a */"]


def test_comment_full_of_stars_ends_where_it_ends() -> None:
    assert docs("c", "/**** a ** b ***/\nint x = 1;\n/**/\n") == ["/**** a ** b ***/", "/**/"]


def test_empty_text_has_no_landmarks() -> None:
    for language in LANGUAGES.values():
        assert scan(language, b"") == Landmarks([], [])


def test_spans_are_ascending_disjoint_and_inside_the_text() -> None:
    for name, (text, _, _) in SNIPPETS.items():
        data = text.encode()
        found = scan(LANGUAGES[name], data)
        for spans in (found.doc_spans, found.definitions):
            edges = [edge for span in spans for edge in span]
            assert edges == sorted(edges)
            assert all(0 <= start < end <= len(data) for start, end in spans)


# Fragments that, repeated, make a careless expression quadratic or worse.
HOSTILE = [
    "a", "\n", " ", "*", "/*", "\n/*", "\n//", "\n#", '\n"""', '"', "\\", "(", "\na(", "\nf(a ", "a ",
    "a::", "\na b[", "\nclass a a a a a", "template<", "\npublic a ", "\nconst a = (b", "--[[", "{-",
    "<!--", "\n=begin", "\n=head1\n", "```", "\n===", "a\n===", '\nx = """', "\nfun <a", "\n  a(b)  ",
    "\ntypedef a(", "[", "\u00e9", "\nclass a((", "\nclass a((b)", "\nstruct [[a", "\nclass a(b ",
    "\na<a", "\na::a<a>::",
]  # fmt: skip


SOME = ["python", "c", "cpp", "java", "javascript", "kotlin", "lua", "haskell", "ruby", "markdown"]


@pytest.mark.sized
@pytest.mark.parametrize("fragment", HOSTILE)
def test_hostile_repetition_costs_no_more_than_the_text_is_long(fragment: str) -> None:
    """Not a timing: an expression that backtracks badly would keep this test from ending at all."""
    size = (300_000 if "\n" in fragment else 2_000_000) // (1 if IS_DEEP else 5)
    data = (fragment * (size // len(fragment))).encode()
    for name in random.sample(SOME, choose(4, len(SOME))):
        found = scan(LANGUAGES[name], data)
        assert all(0 <= start <= end <= len(data) for start, end in found.doc_spans)


@pytest.mark.parametrize("path", ["status.h", "status.cc"])
def test_macros_and_attributes_around_the_name_of_a_type_are_no_names(path: str) -> None:
    """A header of C++ is C by its name."""
    text = b"""
class EXPORT_MACRO Status final {
};
class MACRO(1) Other {
};
struct EXPORT Thing : Base {
  int a;
};
class [[nodiscard]] Kept final : public ns::Base<int> {
};
class __attribute__((visibility("default"))) Seen {};
enum class EXPORT Kind : int { A, B };
struct EXPORT Forward;
struct plain {
};
"""
    found = scan(find_language(path), text)
    names = [text[start:end].decode() for start, end in found.definitions]
    assert names == ["Status", "Other", "Thing", "Kept", "Seen", "Kind", "plain"]


@pytest.mark.parametrize("path", ["sink-inl.h", "sink.cc"])
def test_members_defined_outside_their_class_are_found_by_their_names(path: str) -> None:
    text = b"""
template <typename Mutex>
INLINE void rotating_sink<Mutex>::rotate() {
}
INLINE std::vector<int> Log::Levels::list(const Log &log) {
}
Log::Log(int level) : level_(level) {
}
void Log::flush();
"""
    found = scan(find_language(path), text)
    names = [text[start:end].decode() for start, end in found.definitions]
    assert names == ["rotate", "list", "Log"]


def test_definition_lines_of_great_length_are_bounded() -> None:
    data = b"static int f(" + b"int a, " * 300_000 + b"int z)\n{\n}\n"
    assert scan(LANGUAGES["c"], data).definitions == []


@pytest.mark.parametrize(
    ("path", "language", "kind"),
    [
        ("src/a.py", "python", "code"),
        ("A.PY", "python", "code"),
        ("include/linux/fs.h", "c", "code"),
        ("a/b.tar.gz.cpp", "cpp", "code"),
        ("Makefile", "make", "config"),
        ("drivers/Makefile.am", "make", "config"),
        ("lib/Kconfig.debug", "kconfig", "config"),
        ("Dockerfile.dev", "dockerfile", "config"),
        ("CMakeLists.txt", "cmake", "config"),
        ("docs/notes.txt", "text", "docs"),
        ("README", "text", "docs"),
        ("README.md", "markdown", "docs"),
        ("package.json", "json", "data"),
        ("x/.gitignore", "ini", "config"),
        ("x/y.unheardof", "unknown", "data"),
        ("noextension", "unknown", "data"),
        (".py", "unknown", "data"),
        ("", "unknown", "data"),
    ],
)
def test_language_follows_from_the_path(path: str, language: str, kind: str) -> None:
    found = find_language(path)
    assert (found.name, found.kind) == (language, kind)


def test_there_are_languages_enough_and_each_pattern_finds_something() -> None:
    with_pattern = {name for name, language in LANGUAGES.items() if language.pattern is not None}
    assert set(SNIPPETS) <= with_pattern
    assert len(LANGUAGES) >= 30


GUARDED = """\
#ifndef STORE_TABLE_H_
#define STORE_TABLE_H_
#ifndef likely
#define likely(x) (x)
#endif
#ifndef __iomem
#define __iomem
#endif
int use(void)
{
  if (likely(1)) {
  }
}
#endif
"""
HEADER = """\
// Copyright. class of rows
#pragma once
namespace store {
class Table : public Base {
 public:
  explicit Table(int size)
      : size_(size),
        next_(0),  // of rows
        free_(nullptr, size),
#ifdef CHECKED
        seen_((size)),
#endif
        step_(1),
        base_(size) {
    while (size > 0 &&
           next(size) < 0) {
    }
  }
  int size() const { return size_; }
};
}
"""


def name_definitions(language: str, text: str) -> list[str]:
    data = text.encode()
    dialect = find_dialect(LANGUAGES[language], data)
    return [data[first:last].decode() for first, last in scan(dialect, data).definitions]


def test_an_include_guard_is_no_definition() -> None:
    assert name_definitions("c", GUARDED) == ["likely", "__iomem", "use"]
    assert name_definitions("cpp", GUARDED) == ["likely", "__iomem", "use"]


def test_a_header_of_cpp_is_read_as_such() -> None:
    assert name_definitions("c", HEADER) == ["store", "Table", "Table", "size"]
    assert name_definitions("c", "struct class {\n  int x;\n};\n/* class of rows\n   namespaces */\n") == [
        "class"
    ]


def test_objective_c_is_distinguished_from_cpp_wherever_its_line_is() -> None:
    headers = {
        "\nnamespace a {\n}\n@interface View : NSView\n": "objective-c",
        "\n@class View;\ntemplate <int size>\n": "objective-c",
        "\n  private:\n  int x;\n": "cpp",
        "\n   private:\n   @interface\n": "c",
        "\nint classes;\n@interfaces\n": "c",
    }
    assert {text: find_dialect(LANGUAGES["c"], text.encode()).name for text in headers} == headers


def test_what_a_test_macro_defines_is_its_last_argument() -> None:
    text = "TEST_F(TableTest, Empty) {\n}\nTEST_IMPL(loop_close)\n{\n}\nEXPORT(make);\n"
    assert name_definitions("cpp", text) == ["Empty", "loop_close"]
    assert name_definitions("c", text) == ["Empty", "loop_close"]


def test_functions_of_several_lines_are_found() -> None:
    text = """\
import x from 'x'
const express = require('express')
export const patch = (
  first: Node,
  done = true,
): void => {
  const next: NextFn = node => {
  }
}
export type Unwrapped<
  T,
> = T
module.exports = function render(name, options) {
}
"""
    assert name_definitions("typescript", text) == ["patch", "next", "Unwrapped", "render"]


def test_methods_that_take_an_object_apart_are_found() -> None:
    text = """\
class Persistence {
  async onChange({ context, name }: Payload<Change>) {
    this.call({ context })
    if (known({ name })) {
    }
  }
  render({
    size = "m",
    title,
  }: {
    size?: string;
    title: string;
  }): string {
    return show({ size }, () => {
    })
  }
  get({ id }, next) {
  }
}
"""
    assert name_definitions("typescript", text) == ["Persistence", "onChange", "render", "get"]


def test_arrow_methods_that_take_an_object_with_defaults_apart_are_found() -> None:
    text = """class Page {
  publish = async (
    user: User,
    {
      index = 0,
      silent = false,
    }: {
      index?: number;
      silent?: boolean;
    }
  ): Promise<this> => {
    return this;
  };
  move = (to = "a") => 1;
}
"""
    assert name_definitions("typescript", text) == ["Page", "publish", "move"]


def test_a_default_method_of_an_interface_is_found() -> None:
    assert name_definitions("java", "interface A {\n  default char[] read() {\n  }\n}\n") == ["A", "read"]
    assert name_definitions("java", "switch (a) {\n  default -> run(1);\n  default: run(2);\n}\n") == []
