"""A value among the arguments of a template is used there, though a parser takes it for a type."""

from __future__ import annotations

import pytest

from repo_mcp.languages.symbol_parsers import list_languages
from tests.repo_mcp.research.asking import Asked, find_one, list_found

SIZES = "constexpr unsigned PAGE_SIZE = 16;\n"
STORE = """#include "sizes.h"
class Store {
public:
  using Page = small::vector<char, PAGE_SIZE>;
  static constexpr unsigned Unit = PAGE_SIZE;
};
"""
USES = """#include "store.h"
struct Other { static constexpr unsigned Unit = 3; };
void write_page()
{
  auto page = std::array<char, Store::Unit>{};
}
void write_other()
{
  auto page = std::array<char, Other::Unit>{};
}
"""

pytestmark = pytest.mark.skipif("cpp" not in list_languages(), reason="no parser for C++")


def test_what_has_a_value_as_an_argument_of_a_template_depends_on_it() -> None:
    report = Asked({"sizes.h": SIZES, "store.h": STORE, "uses.cc": USES}).ask(
        "what breaks if I change PAGE_SIZE"
    )
    page = find_one(report, "Store.Page")
    assert (page.hop, page.lines, page.confidence) == (1, (4,), "probable")
    assert "Store.Page (store.h:4)" in report.claim


def test_a_value_under_another_name_is_told_by_its_type() -> None:
    report = Asked({"sizes.h": SIZES, "store.h": STORE, "uses.cc": USES}).ask(
        "what breaks if I change PAGE_SIZE"
    )
    assert "write_page" in list_found(report, 2)
    assert "write_other" not in list_found(report)
