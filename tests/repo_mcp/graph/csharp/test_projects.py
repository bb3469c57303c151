"""C#: types of one name in several projects, and types with the modifier `file`."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

REFERENCE = '<ProjectReference Include="..\\{0}\\{0}.csproj" />'
TEXTS = {
    "Core/Core.csproj": '<Compile Remove="Made/*.cs" />',
    "Core/Color.cs": "namespace N;\npublic readonly partial struct Color { public int Red; }",
    "Core/Made/Color.cs": "namespace N;\npublic partial struct Color { public static Color Aqua; }",
    "Core/Lock.cs": "namespace N;\ninternal class Lock { public void Take() {} }",
    "Core/Use.cs": "namespace N;\nclass A { Color c; Lock k; void F() { k.Take(); } }",
    "Shell/Shell.csproj": f"""
        <Project>
        <Folder>Made</Folder>
        <Compile Remove="$(Folder)/**/*.cs" />
        {REFERENCE.format("Core")}
        </Project>
        """,
    "Shell/Made/Color.cs": "namespace N;\npublic partial struct Color { public static Color Aqua; }",
    "Shell/Made/More.cs": "namespace N;\nclass More { Color d; }",
    "Shell/Lock.cs": "namespace N;\ninternal class Lock { public void Take() {} }",
    "Shell/Use.cs": "namespace N;\nclass B { Color e = Color.Aqua; Lock l; void F() { l.Take(); } }",
    "Tests/Tests.csproj": REFERENCE.format("Shell"),
    "Tests/Use.cs": "namespace N;\nclass C { Color f; Lock m; void F() { m.Take(); } }",
    "Other/Other.csproj": f'<Compile Include="..\\Shell\\Lock.cs" />{REFERENCE.format("Core")}',
    "Other/Use.cs": "namespace N;\nclass D { Color g; Lock n; }",
    "Loose/Use.cs": "namespace N;\nclass E { Lock o; }",
}
CORE = ["Core/Color.cs:2 Color exact", "Core/Made/Color.cs:2 Color exact"]


@pytest.mark.parametrize("path", ["Core/Use.cs", "Shell/Use.cs", "Tests/Use.cs", "Other/Use.cs"])
def test_a_type_is_that_of_the_project_which_compiles_it(repository: Repository, path: str) -> None:
    assert repository.ask(path, "Color", "Color") == CORE


def test_the_members_of_a_type_are_those_of_its_project(repository: Repository) -> None:
    assert repository.ask("Shell/Use.cs", "Color.Aqua", "Aqua") == ["Core/Made/Color.cs:2 Aqua exact"]
    assert repository.ask("Core/Use.cs", "k.Take", "Take") == ["Core/Lock.cs:2 Take exact"]
    assert repository.ask("Shell/Use.cs", "l.Take", "Take") == ["Shell/Lock.cs:2 Take exact"]


def test_files_that_a_project_removes_see_each_other(repository: Repository) -> None:
    assert repository.ask("Shell/Made/More.cs", "Color d", "Color") == ["Shell/Made/Color.cs:2 Color exact"]


def test_a_project_sees_files_that_it_includes_from_elsewhere(repository: Repository) -> None:
    assert repository.ask("Other/Use.cs", "Lock n", "Lock") == ["Shell/Lock.cs:2 Lock exact"]


@pytest.mark.parametrize(("path", "line"), [("Tests/Use.cs", "Lock m"), ("Loose/Use.cs", "Lock o")])
def test_types_of_several_projects_are_possible(repository: Repository, path: str, line: str) -> None:
    said = ["Core/Lock.cs:2 Lock possible", "Shell/Lock.cs:2 Lock possible"]
    assert repository.ask(path, line, "Lock") == said


def test_a_project_may_reference_itself_or_be_cut_off() -> None:
    texts = {
        "A/A.csproj": f'<Compile Remove="" />{REFERENCE.format("B")}<Compile Remove="[',
        "A/a.cs": "class X {}",
        "B/B.csproj": REFERENCE.format("A"),
        "B/b.cs": "class X {}",
        "C/C.csproj": REFERENCE.format("B"),
        "C/c.cs": "class Y { X x; }",
    }
    said = Repository.build(texts).ask("C/c.cs", "X x", "X")
    assert said == ["A/a.cs:1 X possible", "B/b.cs:1 X possible"]


def test_a_type_of_a_file_is_seen_there_alone() -> None:
    texts = {
        "a.cs": "namespace T;\nfile class Item { public int A; }\npublic class One { int F(Item i) => i.A; }",
        "b.cs": "namespace T;\nfile class Item { public int A; }\npublic class Two { int F(Item i) => i.A; }",
        "c.cs": "namespace T;\npublic class Item { public int A; }\nclass Three { int F(Item i) => i.A; }",
    }
    repository = Repository.build(texts)
    for path in texts:
        assert repository.ask(path, "int F", "Item") == [f"{path}:2 Item exact"]
        assert repository.ask(path, "int F", "A") == [f"{path}:2 A exact"]


def test_a_global_using_holds_for_its_project() -> None:
    texts = {
        "A/A.csproj": "<Project />",
        "A/Usings.cs": "global using One;\nglobal using Alias = One.Tool;",
        "A/a.cs": "class X { Tool t; Alias u; }",
        "B/B.csproj": "<Project />",
        "B/Usings.cs": "global using Two;",
        "B/b.cs": "class Y { Tool v; Alias w; }",
        "C/c.cs": "namespace One { public class Tool {} }\nnamespace Two { public class Tool {} }",
        "D/d.cs": "class Z { Tool x; }",
    }
    repository = Repository.build(texts)
    assert repository.ask("A/a.cs", "Tool t", "Tool") == ["C/c.cs:1 Tool exact"]
    assert repository.ask("A/a.cs", "Alias u", "Alias") == ["C/c.cs:1 Tool exact"]
    assert repository.ask("B/b.cs", "Tool v", "Tool") == ["C/c.cs:2 Tool exact"]
    assert repository.ask("B/b.cs", "Alias w", "Alias") == ["-> Alias"]
    assert repository.ask("D/d.cs", "Tool x", "Tool") == ["C/c.cs:1 Tool exact"]


def test_usings_of_the_nearest_shared_file_hold_for_a_project() -> None:
    texts = {
        "Directory.Build.props": '<Using Include="Far" />',
        "src/Directory.Build.props": '<Project><Using Include="One" /></Project>',
        "src/A/A.csproj": "<Project />",
        "src/A/a.cs": "class X { Tool t; }",
        "C/c.cs": "namespace One { public class Tool {} }\nnamespace Far { public class Tool {} }",
    }
    assert Repository.build(texts).ask("src/A/a.cs", "Tool t", "Tool") == ["C/c.cs:1 Tool exact"]
