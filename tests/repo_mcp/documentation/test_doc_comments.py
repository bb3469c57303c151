"""Comments of code: which declaration each belongs to, in many languages."""

from __future__ import annotations

import pytest

from repo_mcp.documentation.doc_comments import DocComment, find_doc_comments
from repo_mcp.languages.patterns.language_registry import find_language
from tests.growth import assert_linear


def find(path: str, text: str, wanted: tuple[tuple[int, int], ...] = ((1, 1_000_000),)) -> list[DocComment]:
    data = text.encode()
    return find_doc_comments(find_language(path), data, text.removesuffix("\n").split("\n"), wanted)


def show(path: str, text: str) -> list[tuple[str, int, int, bool]]:
    return [
        (".".join([*one.within, one.name]), one.start_line, one.end_line, one.is_inner)
        for one in find(path, text)
    ]


def test_python() -> None:
    text = (
        '"""What the module is for."""\n\nimport os\n\n\nclass Door:\n    """A door that opens."""\n\n'
        "    def open(\n        self,\n        key: str,\n    ) -> None:\n"
        '        """Open it with a key.\n\n        Or not.\n        """\n        pass\n\n'
        "    # How wide it is, in metres.\n    WIDTH = 1\n\n\n"
        "# A function of its own kind.\n@cached\ndef close():\n    pass\n"
    )
    assert show("a/door.py", text) == [
        ("", 1, 1, False),
        ("Door", 7, 7, False),
        ("Door.open", 13, 16, False),
        ("Door.WIDTH", 19, 19, False),
        ("close", 23, 23, False),
    ]


def test_a_docstring_is_shown_with_the_head_above_it_and_a_comment_with_the_line_below() -> None:
    docstring = find("a.py", 'def f():\n    """What it does here."""\n')[0]
    assert (docstring.shown_from, docstring.shown_to) == (1, 2)
    comment = find("a.c", "/* What it does here. */\nint f(void)\n{\n}\n")[0]
    assert (comment.shown_from, comment.shown_to) == (1, 2)


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("a.c", "/**\n * foo() - does a thing\n */\nstatic int foo(int a)\n{\n}\n", "foo"),
        ("a.c", "/* Does a thing well. */\nstatic struct x *\nfoo(int a)\n{\n}\n", "foo"),
        ("a.ts", "/** Does a thing well. */\nexport function foo(): void {\n}\n", "foo"),
        ("a.ts", "class A {\n  /** Does a thing well. */\n  @log()\n  foo() {\n  }\n}\n", "A.foo"),
        ("a.rs", "/// Does a thing well.\n#[inline]\npub fn foo() {\n}\n", "foo"),
        ("a.go", "// Foo does a thing.\nfunc Foo() {\n}\n", "Foo"),
        ("a.go", "// Foo does a thing.\nfunc (c *Context) Foo() {\n}\n", "Context.Foo"),
        ("a.go", "// Foo does a thing.\nfunc (l List[T]) Foo() {\n}\n", "List.Foo"),
        (
            "a.rs",
            "impl<T> Drop for a::Sender<T> {\n    /// Does it well, too.\n    fn foo() {}\n}\n",
            "Sender.foo",
        ),
        ("a.rs", "impl Sender\n{\n    /// Does it well, too.\n    pub fn foo() {}\n}\n", "Sender.foo"),
        ("a.java", "class A {\n    /** Does a thing well. */\n    public void foo() {\n    }\n}\n", "A.foo"),
        ("a.swift", "struct A {\n    /// Does a thing well.\n    func foo() {\n    }\n}\n", "A.foo"),
        (
            "a.cs",
            "class A\n{\n    /// <summary>Does it.</summary>\n    public void Foo() {\n    }\n}\n",
            "A.Foo",
        ),
        ("a.rb", "class A\n  # Does a thing well.\n  def foo\n  end\nend\n", "A.foo"),
        ("a.lua", "-- Does a thing well.\nfunction foo()\nend\n", "foo"),
    ],
)
def test_the_comment_above_a_declaration(path: str, text: str, name: str) -> None:
    assert [(one[0], one[3]) for one in show(path, text)] == [(name, False)]


def test_the_first_comment_of_a_file_is_the_files_but_a_licence_is_none() -> None:
    text = "// Everything about doors and keys.\n\npackage door\n\nimport x\n\n\nfunc Open() {\n}\n"
    assert show("a.go", text) == [("", 1, 1, False)]
    licence = "// Copyright 2020 Somebody.\n// Licensed under the MIT licence.\n\nfunc A() {\n}\n"
    assert show("a.go", licence) == []


def test_a_long_comment_in_a_body_belongs_to_it_and_a_short_one_to_nothing() -> None:
    body = "    // one line\n    // and another\n    // and a third of them\n"
    text = f"func Open() {{\n    a()\n{body}    b()\n    // a short remark here\n    c()\n}}\n"
    assert show("a.go", text) == [("Open", 3, 5, True)]


def test_only_what_is_wanted_is_looked_at() -> None:
    text = "// The first of them.\nfunc A() {\n}\n\n// The second of them.\nfunc B() {\n}\n"
    assert [one.name for one in find("a.go", text, ((5, 6),))] == ["B"]
    assert find("a.go", text, ()) == []
    assert find("a.go", "func A() {\n}\n") == []
    assert find("a.go", "") == []


def test_branches_and_closed_scopes_are_not_what_a_declaration_stands_in() -> None:
    text = (
        "class A:\n    pass\n\n\nif True:\n    # Does a thing well.\n    def f():\n        pass\n"
        "\nclass B:\n    x = 1\n    if x:\n        # Does it twice now.\n        def g(self):\n"
        "            pass\n"
    )
    assert [one[0] for one in show("a.py", text)] == ["f", "B.g"]


@pytest.mark.parametrize(
    ("path", "piece", "times"),
    [
        ("a.py", "def f():\n    # a b c d e\n    # f\n    # g\n", 20_000),
        ("a.py", " " * 300 + "# word word word\n\n" + " " * 300 + "x\n", 3_000),
        ("a.py", '"""', 200_000),
        ("a.c", "/* word word word */\n", 60_000),
        ("a.c", "/*" + "*" * 1_000, 1_000),
        ("a.c", "// word word word\n\n", 60_000),
        ("a.ts", "/** word word word */ " * 10, 8_000),
        ("a.ts", "/** word word word */\n@" + "a " * 100 + "\n", 8_000),
    ],
)
def test_texts_made_to_be_slow(path: str, piece: str, times: int) -> None:
    assert_linear(lambda size: piece * size, lambda text: find(path, text), times // 16)
