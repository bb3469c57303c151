"""The parts of a namespace that a `using` means: by uses in its file, what is around it, and conditions."""

from __future__ import annotations

from tests.repo_mcp.graph.resolved import Repository

SHIM = """
#if !NET
namespace System.Text
{
    internal static class Encodings { public static void Read() {} }
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
                class Use { One One; void Read() => Encodings.Read(); }
            """,
            "Old.cs": """
                #if !NET
                using System.Text;
                #endif
                class Old { void Read() => Encodings.Read(); }
            """,
            "New.cs": """
                #if NET
                using System.Text;
                #endif
                class New { void Read() => Encodings.Read(); }
            """,
        }
    )
    assert found.ask("Use.cs", "System.Text", "*") == ["Shim.cs:2 System.Text possible"]
    assert found.ask("Use.cs", "App.Text", "*") == ["Own.cs:1 App.Text exact"]
    assert found.ask("Old.cs", "System.Text", "*") == ["Shim.cs:2 System.Text exact"]
    assert found.ask("New.cs", "System.Text", "*") == ["-> System.Text"]


REOPENED = {
    "Library/Tasks.cs": """
        namespace System.Threading.Tasks
        {
            public static class TaskExtensions { public static void Forget(this Task task) {} }
        }
    """,
    "Library/Filters.cs": "namespace App.Filters { interface IFilter {} class FooAttribute {} }",
    "Library/Others.cs": "namespace App.Filters { public class Other {} }",
}


def test_a_using_leads_to_the_files_whose_types_its_file_uses() -> None:
    found = Repository.build(
        {
            **REOPENED,
            "a.cs": """
                using System.Threading.Tasks;
                using App.Filters;
                class A : IFilter { Task Run() => null; }
            """,
            "b.cs": """
                using System.Threading.Tasks;
                using App.Filters;
                [Foo]
                class B { void Run(Task task) { task.Forget(); } }
            """,
            "c.cs": """
                using System.Threading.Tasks;
                using App.Filters;
                class C { }
            """,
            "d.cs": """
                namespace System.IO { using System.Threading.Tasks; class D { } }
            """,
        }
    )
    assert found.ask("a.cs", "System.Threading", "*") == ["-> System.Threading.Tasks"]
    assert found.ask("a.cs", "App.Filters", "*") == ["Library/Filters.cs:1 App.Filters exact"]
    assert found.ask("b.cs", "System.Threading", "*") == [
        "Library/Tasks.cs:1 System.Threading.Tasks probable"
    ]
    assert found.ask("b.cs", "App.Filters", "*") == ["Library/Filters.cs:1 App.Filters exact"]
    assert found.ask("c.cs", "System.Threading", "*") == ["-> System.Threading.Tasks"]
    assert found.ask("c.cs", "App.Filters", "*") == [
        "Library/Filters.cs:1 App.Filters possible",
        "Library/Others.cs:1 App.Filters possible",
    ]
    assert found.ask("d.cs", "System.Threading", "*") == [
        "Library/Tasks.cs:1 System.Threading.Tasks possible"
    ]


def test_a_using_inside_a_namespace_is_relative_to_those_around_it() -> None:
    found = Repository.build(
        {
            **REOPENED,
            "Inner.cs": "namespace App.Web.Filters { public class Shown {} }",
            "a.cs": "namespace App.Web.Pages { using Filters; class A : Shown {} }",
            "b.cs": "namespace App.Pages;\nusing Filters;\nclass B : Other {}",
            "c.cs": "using Filters;\nnamespace App.Pages { class C {} }",
            "d.cs": "namespace App.Pages { using static Filters.Other; class D {} }",
        }
    )
    assert found.ask("a.cs", "using", "*") == ["Inner.cs:1 App.Web.Filters exact"]
    assert found.ask("b.cs", "using", "*") == ["Library/Others.cs:1 App.Filters exact"]
    assert found.ask("c.cs", "using", "*") == ["-> Filters"]
    assert found.ask("d.cs", "using", "*") == ["Library/Others.cs:1 Other exact"]
