"""Declarations of C++ that their line pattern finds."""

from __future__ import annotations

import pytest

from repo_mcp.languages.patterns.declared_spans import list_declared_spans
from repo_mcp.languages.patterns.language_registry import find_language


def names(text: str) -> list[str]:
    """Return the qualified names of what a text of C++ declares."""
    return [one.qualified_name for one in list_declared_spans(find_language("a.cpp"), text.encode())]


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("bool operator==(const Pot& other) const", "operator=="),
        ("friend auto operator<=>(Pot a, Pot b)", "operator<=>"),
        ("Pot& operator=(Pot&& other) noexcept", "operator="),
        ("void* Pot::operator new(size_t size)", "Pot.operator new"),
        ("explicit operator std::vector<int>() const", "operator std::vector<int>"),
        ('unsigned long long operator"" _kb(unsigned long long size)', 'operator"" _kb'),
        ("int main(int count, char* all[])", "main"),
        ("const char* name() const [[clang::lifetimebound]]", "name"),
        ("[[nodiscard]] bool is_empty() const", "is_empty"),
        ('[[deprecated("Use drain")]] static void empty(int size)', "empty"),
        ('extern "C" ANY_KEEP [[noreturn]] void fail(int code)', "fail"),
        ('ANY_TARGET("avx2") void sum(int size)', "sum"),
        ("__attribute__((noinline)) void wait()", "wait"),
        ("/* implicit */ Pot(int size)", "Pot"),
        ("template <> inline bool is_zero<big_t>(big_t size)", "is_zero"),
        ("decltype(auto) visit(Pot& pot)", "visit"),
        ("std::function<size_t(size_t)> Pot::divide(size_t by)", "Pot.divide"),
        ("Text<Char, N + M - 1u> join(const Char (&text)[M])", "join"),
        ("void held<std::shared_ptr<T>, Null>::reset(int size)", "held.reset"),
        ("void fill(Options given = {}, Size size = Size{1})", "fill"),
        ("Pot(Pot&& other) noexcept : held_{std::exchange(other.held_, {})}", "Pot"),
        ("struct traits<R(A...) const> : base", "traits"),
        ("struct Pot<T>::Lid : std::conditional_t<(N > 0), A, B>", "Pot.Lid"),
        ("BENCHMARK(insert, rounds)", "insert"),
    ],
)
def test_heads_of_cpp_name_what_they_declare(head: str, name: str) -> None:
    assert names(f"\n{head} {{\n  run();\n}}\n") == [name]


@pytest.mark.parametrize(
    "line",
    [
        "EXPECT_EQ(size, Size{1});",
        "run(size, {1, 2});",
        'log("size: {}", size);',
        "if constexpr (is_small) {\n    run();\n  }",
        "throw Failed(size, {\n    1});",
        "FOR_EACH_RANGE(i, 0, 3) {\n    run();\n  }",
        "noexcept(make())) {",
        "run(size, [&] {\n    stop();\n  });",
    ],
)
def test_calls_with_braces_declare_nothing(line: str) -> None:
    assert names(f"void first() {{\n  {line}\n}}\n") == ["first"]


def test_a_parameter_of_a_template_is_no_class() -> None:
    assert names("template <template <typename> class Atom>\nstruct Pot {\n};\n") == ["Pot"]


def lines(path: str, text: str) -> list[tuple[str, int, int]]:
    """Return the name, the first and the last line of each declaration of a text."""
    spans = list_declared_spans(find_language(path), text.encode())
    return [(one.name, one.start_line, one.end_line) for one in spans]


def test_braces_of_initialised_members_open_no_body() -> None:
    text = """
struct Pot {
  Pot(int size)
      : size_{size},
        all_{nullptr}
  {
    run();
  }
  Pot() : size_{0},
          all_(nullptr) {
    run();
  }
};
"""
    assert lines("a.cpp", text) == [("Pot", 2, 13), ("Pot", 3, 8), ("Pot", 9, 12)]


def test_a_name_on_a_further_line_of_its_head_ends_with_the_head() -> None:
    text = """
struct Pot {
  static std::enable_if_t<is_big, Size>
      measure(Size size) {
    return size;
  }
};
inline std::vector<int>
    fill() {
  return {};
}
"""
    assert lines("a.cpp", text) == [("Pot", 2, 7), ("measure", 3, 6), ("fill", 8, 11)]


def test_braces_may_be_deeper_than_the_name() -> None:
    text = """
class Pot
  {
    double size() const
      {
        if (size_)
          {
            run();
          }
        return size_;
      }
    int stop()
      {
        return 1;
      }
  };
"""
    assert lines("a.cpp", text) == [("Pot", 2, 16), ("size", 4, 11), ("stop", 12, 15)]


def test_branches_of_the_preprocessor_end_no_function() -> None:
    text = """
int run(int a)
{
#if 0
  if (a) {
    stop();
  }
}
#endif
  return 1;
}
#ifdef WIDE
int wide(void)
{
  return 2;
}
#endif
struct __attribute__ ((packed)) pot {
  int size;
};
"""
    for path in ("a.c", "a.cpp"):
        assert lines(path, text) == [("run", 2, 11), ("wide", 13, 16), ("pot", 18, 20)]


def test_a_namespace_without_indentation_ends_with_its_head() -> None:
    text = "namespace a::b {\nint f() {\n  return 1;\n}\nint g() {\n  return 1;\n}\n}\n"
    assert lines("a.cpp", text) == [("b", 1, 1), ("f", 2, 4), ("g", 5, 7)]
    assert names(text) == ["a.b", "f", "g"]
