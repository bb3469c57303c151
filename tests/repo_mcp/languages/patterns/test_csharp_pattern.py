"""Declarations of C# that their line pattern finds."""

from __future__ import annotations

import pytest

from repo_mcp.languages.patterns.declared_spans import SymbolSpan, list_declared_spans
from repo_mcp.languages.patterns.language_registry import find_language


def list_spans(text: str) -> list[SymbolSpan]:
    """Return the declarations of a text of C#."""
    return list(list_declared_spans(find_language("a.cs"), text.encode()))


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("public static (int Low, int High) Bound(int size)", "Bound"),
        ("protected override (string, int) Read()", "Read"),
        ("private abstract (A, B) Split<T>(T all)", "Split"),
        ("Pot(int size)", "Pot"),
        ("Pot(int size) : base(size)", "Pot"),
        ("public async Task<Dictionary<string, List<int>>> Fill<TKey, TValue>(TKey key)", "Fill"),
        ("Task<Result<Pot<T>, Failure>> Load<T>(string path)", "Load"),
        ("public static Dictionary<string, int>\n        Count(int size)", "Count"),
    ],
)
def test_heads_of_csharp_name_what_they_declare(head: str, name: str) -> None:
    spans = list_spans(f"class Pot\n{{\n    {head}\n    {{\n        Run();\n    }}\n}}\n")
    assert [one.qualified_name for one in spans] == ["Pot", f"Pot.{name}"]


@pytest.mark.parametrize(
    "line",
    [
        "list.Sort(static (a, b) => a - b);",
        "Run(static async x => await x);",
        "static async x =>",
        "var both = (first, second);",
        "Run(size);",
        "return Pot(size);",
    ],
)
def test_what_declares_nothing_is_not_named(line: str) -> None:
    spans = list_spans(f"class Pot\n{{\n    void Fill()\n    {{\n        {line}\n    }}\n}}\n")
    assert [one.qualified_name for one in spans] == ["Pot", "Pot.Fill"]


def test_a_body_that_only_some_builds_have_ends_where_it_does() -> None:
    text = (
        "class Pot\n{\n    public int Size()\n#if NET\n    {\n        return 1;\n    }\n#endif\n\n"
        "    public int Lid() => 2;\n}\n"
    )
    spans = {one.qualified_name: (one.start_line, one.end_line) for one in list_spans(text)}
    assert spans["Pot.Size"] == (3, 7)
