"""The lines above a name of C++ that belong to its head: those of its template and of its type."""

from __future__ import annotations

import pytest

from repo_mcp.languages.outline.lexical_adapter import outline_lexically
from repo_mcp.languages.patterns.declared_spans import list_declared_spans
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.languages.patterns.types_above import find_head_above

CONSTRAINED = """\
int last;

// Turns a number into text.
template <class T, class S>
typename std::enable_if<
    std::is_arithmetic<S>::value &&
        sizeof(S) >= 4,
    T>::type
to(const S& value) {
  return value;
}

template <
    typename T,
    std::enable_if_t<!is_null<T>, int> = 0>
bool is_empty(T const& value) {
  return value.empty();
}

template <class T>
class Box {
};
"""


def test_a_declaration_begins_at_its_template_and_the_signature_has_type_and_constraint() -> None:
    found = outline_lexically("a.cc", find_language("a.cc"), CONSTRAINED).symbols
    assert [(one.name, one.start_line, one.signature) for one in found] == [
        (
            "to",
            4,
            "typename std::enable_if< std::is_arithmetic<S>::value && sizeof(S) >= 4, T>::type"
            " to(const S& value)",
        ),
        (
            "is_empty",
            13,
            "template < typename T, std::enable_if_t<!is_null<T>, int> = 0> bool is_empty(T const& value)",
        ),
        ("Box", 20, "class Box"),
    ]
    assert found[0].doc == "Turns a number into text."
    spans = list_declared_spans(find_language("a.cc"), CONSTRAINED.encode())
    assert [(one.name, one.start_line, one.head_line) for one in spans] == [
        ("to", 3, 4),
        ("is_empty", 13, 13),
        ("Box", 20, 20),
    ]


@pytest.mark.parametrize(
    ("above", "expected"),
    [
        ("int\n", (0, 0)),
        ("static const char *\n", (0, 0)),
        ("struct a *\n", (0, 0)),
        ("template <class T>\nstatic T\n", (0, 1)),
        ("template <class T>\n  requires Small<T>\nBox\n", (0, 2)),
        ("int a; // the last\n", (1, 1)),
        ("/* is */\n", (1, 1)),
        ("ANY_BEGIN_HERE\n", (1, 1)),
        ("else\n", (1, 1)),
        ("#endif\n", (1, 1)),
        ("\n", (1, 1)),
    ],
)
def test_what_is_above_a_name_is_its_type_unless_it_is_something_else(
    above: str, expected: tuple[int, int]
) -> None:
    lines = f"{above}f(int a) {{".encode().split(b"\n")
    assert find_head_above("cpp", lines, len(lines) - 1) == expected
    assert find_head_above("java", lines, len(lines) - 1) == (len(lines) - 1, len(lines) - 1)
