"""Macros of C++ are known by where they stand, and what is put in their place keeps every offset."""

from __future__ import annotations

import pytest

from repo_mcp.languages.c.macros import blank_macros
from tests.growth import assert_linear


def blank(text: str) -> str:
    """Return a text as the grammar gets it."""
    plain = blank_macros(text.encode()).decode()
    assert [len(one) for one in plain.split("\n")] == [len(one) for one in text.split("\n")]
    return plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("void f() {\n  if ANY_CONSTEXPR_20 (n > 1) g();\n}\n", "void f() { if (n > 1) g(); }"),
        (
            "void f() {\n  ANY_TRY { g(); }\n  ANY_CATCH(const E& e) {}\n}\n",
            "void f() { try { g(); } catch(const E& e) {} }",
        ),
        (
            "template <class T, ANY_ENABLE_IF(!is<T>::value)>\nvoid f(T one);\n",
            "template <class T, int = (!is<T>::value)> void f(T one);",
        ),
        ("\nANY_INLINE_HERE constexpr auto size = 3;\n", "constexpr auto size = 3;"),
        ("\nconstexpr ANY_INLINE_HERE size_type size = 3;\n", "constexpr size_type size = 3;"),
        ("void f(const T& one ANY_LIFETIME, int two);\n", "void f(const T& one , int two);"),
        ("void f(Locale one = {}, int two = 2);\n", "void f(Locale one , int two = 2);"),
        ("int f() { return unsigned(a) < unsigned(b); }\n", "int f() { return int(a) < int(b); }"),
        ("void f() {\n  ::new (&place) T();\n}\n", "void f() { new (&place) T(); }"),
        ("void f() {\n  CHECK((throw E(1)), E);\n}\n", "void f() { CHECK(( E(1)), E); }"),
        ("\nextern template auto f<char>(\n  char) -> int;\nint g;\n", "int g;"),
        ("class Store ANY_FINAL : public Base {};\n", "class Store : public Base {};"),
        ("class Store ANY_FINAL\n{\n};\n", "class Store { };"),
        ("void f() const ANY_OVERRIDE;\n", "void f() const override ;"),
        ("Store(Store&& a) ANY_NOEXCEPT : b(a.b) {}\n", "Store(Store&& a) : b(a.b) {}"),
        ("Store& operator=(Store&& a) ANY_NOEXCEPT {}\n", "Store& operator=(Store&& a) {}"),
        ("void f(int (*g)(int)) ANY_DEFAULT ANY_FINAL;\n", "void f(int (*g)(int)) ;"),
        ("int size ANY_GUARDED_BY(a,\n  b);\nint g;\n", "int size ; int g;"),
        ("void f() {\n  IS_SAFE([[maybe_unused]] auto a = g());\n}\n", "void f() { IS_SAFE( g()); }"),
        ("void f() {\n  DIES(const auto &a = g(), 1);\n}\n", "void f() { DIES( g(), 1); }"),
        ("int f() { return *a.operator->() + b->operator*(); }\n", "int f() { return *a + b ; }"),
        ("int f() { return *operator->(); }\n", "int f() { return *(*this) ; }"),
        ("\n#if A_B\n  ANY_ALWAYS_HERE\n#endif\n  int f();\n", "int f();"),
        ('\nextern "C" ANY_KEEP void f(int a) {}\n', 'extern "C" void f(int a) {}'),
        ("void f() {\n  FOR_EACH_KEY (i, 0, n) {}\n}\n", "void f() { while (i, 0, n) {} }"),
        ("enable_if<sizeof(T) >= 4>::type f();\n", "enable_if<sizeof(T) == 4>::type f();"),
        ("bool operator >= (A a, A b);\n", "bool operator >= (A a, A b);"),
        ("auto f() { return g(typename T::key{1}); }\n", "auto f() { return g( T::key{1}); }"),
        ("using typename Base<T>::key;\n", "using Base<T>::key;"),
        ("void f(typename T::key one);\n", "void f(typename T::key one);"),
        ("enum : char { A };\n", "enum { A };"),
        ("using R = decltype(ANY_VALUE(T const&)());\n", "using R = decltype(ANY_VALUE(T )());"),
    ],
)
def test_what_no_grammar_expects_is_blank(text: str, plain: str) -> None:
    assert blank(text).split() == plain.split()


def test_names_of_headers_are_numbers_and_names_of_tests_that_are_words_of_the_language_are_names() -> None:
    assert blank("#if ANY_HAS_INCLUDE(<bit>)\n#endif\n") == "#if ANY_HAS_INCLUDE(00000)\n#endif\n"
    assert blank("\nTEST(suite, bool) {\n}\n") == "\nTEST(suite, ____);{\n}\n"


@pytest.mark.parametrize(
    "text",
    [
        "// see if ANY_THING (or another)\n",
        "int *operator->() const { return one; }\n",
        "int &Store::operator*() { return IS_SAME(auto_size == 1); }\n",
        "/* the first of one ANY_THING, and others */\n",
        'const char* one = "of one ANY_THING, too";\n',
        "template <class T>\nvoid f(T one) { g(one, ANY_MACRO(2)); }\n",
        "void f(const ANY_TYPE, unsigned ANY_OTHER);\n",
        "void f() {\n  if (a) ANY_THING;\n  b = (int) ANY_THING;\n  return (long) ANY_THING;\n}\n",
        "int f() { return a ? CAST(int) ANY_THING : 0; }\n",
        "// void f() ANY_OVERRIDE;\n",
        "#define ANY_TRY {\n",
        "#if ANY_USE_CONSTEXPR\nint a;\n#endif\n",
    ],
)
def test_what_may_be_code_or_is_a_comment_is_left(text: str) -> None:
    assert blank(text) == text


@pytest.mark.parametrize(
    "piece",
    [
        "A_B(auto a ",
        "A_B(\n",
        "A_B([[a, ",
        "return operator->",
        ".operator*",
        "A1",
        "_",
        "typename a<",
        "typename a::",
    ],
)
def test_looking_for_what_is_blank_takes_time_by_the_length_of_the_text(piece: str) -> None:
    assert_linear(lambda size: b"a" + piece.encode() * size, blank_macros, 1_000)
