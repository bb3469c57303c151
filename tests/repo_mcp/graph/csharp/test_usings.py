"""A `using` of a namespace that is declared under a condition."""

from __future__ import annotations

from tests.repo_mcp.graph.resolved import Repository

SHIM = """
#if !NET
namespace System.Text
{
    internal static class Encodings {}
}
#endif
"""


def test_a_namespace_under_a_condition_is_meant_where_the_condition_holds() -> None:
    found = Repository.build(
        {
            "Shim.cs": SHIM,
            "Own.cs": "namespace App.Text { class One {} }",
            "Use.cs": """
                using System.Text;
                using App.Text;
                class Use {}
            """,
            "Old.cs": """
                #if !NET
                using System.Text;
                #endif
                class Old {}
            """,
            "New.cs": """
                #if NET
                using System.Text;
                #endif
                class New {}
            """,
        }
    )
    assert found.ask("Use.cs", "System.Text", "*") == ["Shim.cs:2 System.Text possible"]
    assert found.ask("Use.cs", "App.Text", "*") == ["Own.cs:1 App.Text exact"]
    assert found.ask("Old.cs", "System.Text", "*") == ["Shim.cs:2 System.Text exact"]
    assert found.ask("New.cs", "System.Text", "*") == ["-> System.Text"]
