"""What Qt adds to C++ is read as C++, and keeps every offset."""

from __future__ import annotations

import pytest

from repo_mcp.languages.c.macros import blank_macros
from repo_mcp.languages.capture_parsers import parse_cpp
from repo_mcp.symbols.symbol_record import Access, decode_symbol_record
from tests.growth import assert_linear
from tests.repo_mcp.graph.resolved import Repository


def spell(text: str) -> list[str]:
    """Return the words of a text as the grammar gets it."""
    plain = blank_macros(text.encode()).decode()
    assert [len(one) for one in plain.split("\n")] == [len(one) for one in text.split("\n")]
    with_returns = text.replace("\n", "\r\n").encode()
    assert len(blank_macros(with_returns)) == len(with_returns)
    assert blank_macros(with_returns).decode().split() == plain.split()
    return plain.split()


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("class A {\n  Q_OBJECT\npublic slots:\n  void f();\n};\n", "class A { _ ; public : void f(); };"),
        ("class A {\n  Q_OBJECT\nsignals:\n  void f();\n};\n", "class A { _ ; public: void f(); };"),
        ("class A {\nprivate Q_SLOTS:\n  void f();\n};\n", "class A { private : void f(); };"),
        ("class A {\n  Q_PROPERTY(int a READ a() NOTIFY\n    b)\n  int c;\n};\n", "class A { int c; };"),
        ("void f() { emit g(1); Q_EMIT a->h(); }\n", "void f() { g(1); a->h(); }"),
        (
            "void f() {\n  foreach (const A<int, B> &a, g(1)) h();\n}\n",
            "void f() { for (const A<int, B> &a: g(1)) h(); }",
        ),
        ("void f() {\n  Q_FOREACH(A a, b) {}\n}\n", "void f() { for(A a: b) {} }"),
        ("void f() {\n  forever { g(); }\n}\n", "void f() { for(;;) { g(); } }"),
        ("void f() {\n  Q_FOREVER { g(); }\n}\n", "void f() { for(;;) { g(); } }"),
        ("void f() {\n  g(Q_RETURN_ARG(int, a));\n}\n", "void f() { g(Q_RETURN_ARG( a)); }"),
        ("void f() {\n  Q_D(const A);\n  g();\n}\n", "void f() { ; g(); }"),
        ("void f() {\n  g(Q_ARG(const A<int> &, a));\n}\n", "void f() { g(Q_ARG( a)); }"),
        # of the object itself, and of another one
        (
            "void f() {\n  on(this, SIGNAL(a(int)), SLOT(b()));\n}\n",
            "void f() { on(this, SIGNAL(a ), SLOT(b )); }",
        ),
        (
            "void f() {\n  on(c, SIGNAL(a(int)), d, SLOT(b()));\n}\n",
            "void f() { on(c, SIGNAL( ), d, SLOT( )); }",
        ),
        ("void f() {\n  on(g(), SIGNAL(a(int)), this);\n}\n", "void f() { on(g(), SIGNAL( ), this); }"),
    ],
)
def test_words_of_qt_are_spelled_as_cpp(text: str, plain: str) -> None:
    assert spell(text) == plain.split()


@pytest.mark.parametrize(
    "text",
    [
        "void f() {\nsignals:\n  g();\n}\n",  # a label, in a file without Qt
        "void f() { emit(1); a.emit (b); foreach(a, b); }\n",
        "#define emit \n",
        "int forever = 1;\n",
        "const Time forever{5};\nvoid f() { Time  forever {3}; }\n",
        "struct A { bool emit : 1; };\nvoid f() { for (auto emit : all) g(emit); }\n",
        "struct A {\n  template <class F> void foreach(const F &f, int n);\n};\n",
        "void foreach(Iter begin, Iter end) {}\nNode *\nforeach(Node *one, F f) {}\n",
    ],
)
def test_other_uses_of_the_words_stay(text: str) -> None:
    assert spell(text) == text.split()


def test_members_behind_words_of_qt_are_declared_and_called() -> None:
    header = """
        class Store : public QObject {
          Q_OBJECT
          Q_PROPERTY(int size READ size NOTIFY changed)
        public:
          int size() const;
        public slots:
          void load(int at);
        signals:
          void changed(int at);
        };
        """
    source = """
        #include "store.h"
        enum Access { READ, NOTIFY };
        void Store::load(int at) {
          connect(this, SIGNAL(changed(int)), SLOT(load(int)));
          connect(other, SIGNAL(size(int)), this, SLOT(load(int)));  // another's
          foreach (const Store *one, find(at)) one->size();
          emit changed(at);
        }
        """
    found = Repository.build({"store.h": header, "store.cpp": source})
    assert found.ask("store.cpp", "emit changed", "changed") == ["store.h:9 changed exact"]
    assert found.ask("store.cpp", "connect(this", "changed") == ["store.h:9 changed exact"]
    assert found.ask("store.cpp", "another's", "load") == ["store.cpp:3 load exact"]
    assert found.ask("store.cpp", "one->size()", "size") == ["store.h:5 size exact"]
    with pytest.raises(AssertionError):
        found.ask("store.cpp", "another's", "size")


def test_signals_are_public() -> None:
    text = (
        "class A {\n  Q_OBJECT\nsignals:\n  void f();\nprivate:\n  void g();\nQ_SIGNALS:\n  void h();\n};\n"
    )
    record = decode_symbol_record(parse_cpp("a.hpp", text.encode()))
    found = {one: record.get_symbol(record.find_symbols(one)[0]).access for one in "fgh"}
    assert found == {"f": Access.PUBLIC, "g": Access.PRIVATE, "h": Access.PUBLIC}


def test_many_words_take_linear_time() -> None:
    def write(count: int) -> bytes:
        return (
            b"Q_\n" + b"on(c, SIGNAL(a(" * count + b"\n Q_PROPERTY(a (" * count + b"emit foreach (a<" * count
        )

    assert_linear(write, blank_macros, 2_000)
