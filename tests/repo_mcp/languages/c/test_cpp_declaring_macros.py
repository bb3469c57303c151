"""Macros of C++ that declare: what they declare is spelled in their place, at the same offsets."""

from __future__ import annotations

import pytest

from repo_mcp.languages.c.cpp_declaring_macros import spell_declared
from repo_mcp.languages.c.macros import blank_macros
from repo_mcp.symbols.symbol_record import SymbolFlag
from tests.growth import assert_linear
from tests.repo_mcp.graph.resolved import Repository

TEXT = """
struct size_fn { int operator()() const; };
namespace detail { struct OpenFunction {}; }
ANY_DEFINE_CPO(detail::OpenFunction, withOpen)
ANY_DEFINE_THING(size_fn, size)
ANY_DEFINE_THING(Unknown, other)
ANY_DEFINE_TYPE_FOR(size_fn, member)
class Mock : public Base {
  MOCK_METHOD(int, get, (), (const, override));
  MOCK_METHOD((std::pair<int, int>), both, (int a, (std::map<int, int>) b), (noexcept));
  MOCK_METHOD(void, put, (int, const char*));
  MOCK_METHOD0(old, int());
  MOCK_CONST_METHOD1_T(older, std::function<void()>(const char* x));
};
DEFINE_int32(limit, 10, "help");
ANY_GFLAGS_DEFINE_bool(
    open, true, "help");
DECLARE_string(text);
ABSL_FLAG(std::string, name, "x", "help");
"""


def test_what_macros_declare_is_declared() -> None:
    record = Repository.build({"a.cpp": TEXT}).program.find_record("a.cpp")
    assert record is not None
    symbols = [record.get_symbol(one) for one in range(1, record.symbol_count)]
    found = [(one.kind.name, one.name, one.parameters, one.return_type) for one in symbols[4:]]
    assert found == [
        ("VARIABLE", "withOpen", "", "detail::OpenFunction"),
        ("VARIABLE", "size", "", "size_fn"),
        ("CLASS", "Mock", "", ""),
        ("METHOD", "get", "()", "int"),
        ("METHOD", "both", "(int a, (std::map<int, int>) b)", "std::pair<int, int>"),
        ("METHOD", "put", "(int, const char*)", "void"),
        ("METHOD", "old", "()", ""),
        ("METHOD", "older", "(const char* x)", ""),
        ("VARIABLE", "FLAGS_limit", "", ""),
        ("VARIABLE", "FLAGS_open", "", ""),
        ("VARIABLE", "FLAGS_text", "", ""),
        ("VARIABLE", "FLAGS_name", "", ""),
    ]
    assert [
        one.name for one in symbols if one.flags & SymbolFlag.FORWARD and one.kind.name == "VARIABLE"
    ] == ["FLAGS_text"]


@pytest.mark.parametrize(
    "text", ["MOCK_METHOD(int, get);", "MOCK_METHOD(int, get, (", "#define MOCK_METHOD(a, b, c) int a;"]
)
def test_what_is_no_such_macro_stays(text: str) -> None:
    text = f"struct Mock {{\n{text}\n"
    assert blank_macros(text.encode()).decode() == text


@pytest.mark.parametrize(
    "piece",
    ["\nMOCK_METHOD((A, ", "\nMOCK_METHOD0(a, b()", "\nMOCK_METHOD(a()", "\nA_B(a, b)", "\nA_DEFINE(a, b)\n"],
)
def test_looking_for_what_declares_takes_time_by_the_length_of_the_text(piece: str) -> None:
    assert_linear(lambda size: b"MOCK_" + piece.encode() * size, spell_declared, 1_000)
