"""C#: overloads that inference, sequences and delegates decide; every answer was checked by hand."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "lib.cs": """
        using System;
        using System.Collections;
        using System.Collections.Generic;
        using System.Linq.Expressions;
        using System.Threading;
        namespace N;
        public class Item { public int Size; }
        public class Map<T>
        {
            public void Of<TMember>(Expression<Func<T, TMember>> member) { } // 10
            public void Of<TOther>(Expression<Func<TOther, object>> member, int one = 1) { } // 11
            public void Write(IEnumerable items) { } // 12
            public void Write<U>(IEnumerable<U> items) { } // 13
            public void Wait(Action<Item, TimeSpan> act) { } // 14
            public void Wait(Action<Item, CancellationToken> act) { } // 15
            public void Wait(Func<Item, TimeSpan> act) { } // 16
            public void Last(long ticks) { } // 17
            public void Last(TimeSpan time) { } // 18
            public Map(params Action<Map<T>>[] acts) { }
            public Item Content;
        }
        """,
    "use.cs": """
        using System;
        using System.Collections.Generic;
        using System.Threading;
        namespace N;
        public class User
        {
            public void M(Map<Item> map, List<Item> items, Action<Item, TimeSpan> act, Func<Item, TimeSpan> f)
            {
                map.Of(m => m.Size); // without types
                map.Of((Item m) => (object)m.Size, 1); // with types
                map.Write(items); // a list of something
                map.Wait(act); // a delegate
                map.Wait(f); // another
                map.Last(TimeSpan.FromSeconds(1)); // a known result
                new Map<Item>(m => { m.Content.Size = 1; }); // one of many
            }
        }
        """,
}
MEANT = {
    "// without types": ("Of", 10),
    "// with types": ("Of", 11),
    "// a list of something": ("Write", 13),
    "// a delegate": ("Wait", 14),
    "// another": ("Wait", 16),
    "// a known result": ("Last", 18),
}


@pytest.mark.parametrize("line", MEANT)
def test_the_overload_that_is_meant(line: str) -> None:
    name, expected = MEANT[line]
    assert Repository.build(TEXTS).ask("use.cs", line, name) == [f"lib.cs:{expected} {name} exact"]


def test_a_function_among_any_number_of_them() -> None:
    assert Repository.build(TEXTS).ask("use.cs", "// one of many", "Size") == ["lib.cs:7 Size exact"]


USINGS = {
    "lib/lib.cs": """
        namespace Shop.Tools;
        public static class Extending { public static void Do(this Shop.Item item) { } }
        public class Tool { }
        """,
    "app/app.csproj": '<Project><ItemGroup><Using Include="Shop.Tools" /></ItemGroup></Project>',
    "app/a.cs": "namespace App; class A { Tool tool; }",
    "app2/b.cs": """
        namespace Shop
        {
            using Tools;
            public class Item { }
            class B { void M(Item item) { item.Do(); } }
        }
        """,
}


def test_a_project_file_uses_namespaces() -> None:
    assert Repository.build(USINGS).ask("app/a.cs", "Tool tool", "Tool") == ["lib/lib.cs:3 Tool exact"]


def test_a_using_in_a_namespace_may_be_a_part_of_its_name() -> None:
    assert Repository.build(USINGS).ask("app2/b.cs", "item.Do()", "Do") == ["lib/lib.cs:2 Do exact"]


OPEN = {
    "a.cs": """
        using System;
        namespace N;
        public class One { public int Size; }
        public class Two { public int Size; }
        public class Api
        {
            public One Make(int by) => null;
            public Two Make(string by) => null;
            public void Run(Func<One> make) { } // 9
            public void Run(Func<Two> make) { } // 10
            public void M(One one, What what)
            {
                var made = Make(what.Name);
                made.Size = 1; // a result of one of two
                Run(() => what.Name); // returns something
            }
        }
        """
}


def test_a_result_is_probable_where_overloads_have_others() -> None:
    assert Repository.build(OPEN).ask("a.cs", "// a result of one of two", "Size") == ["a.cs:3 Size probable"]


def test_both_are_possible_where_it_is_not_known_what_is_returned() -> None:
    found = Repository.build(OPEN).ask("a.cs", "// returns something", "Run")
    assert found == ["a.cs:9 Run possible", "a.cs:10 Run possible"]


FOREIGN = {
    "core/core.csproj": "",
    "core/a.cs": "namespace Core; public class Tag { public int Size; }",
    "sample/sample.csproj": "",
    "sample/b.cs": "public class Tag { public int Size; }",
    "test/test.csproj": '<ProjectReference Include="../core/core.csproj" />',
    "test/c.cs": "using Core; class C { int M(Tag tag) => tag.Size; }",
}


def test_a_type_of_a_project_that_is_not_referenced_is_not_meant() -> None:
    assert Repository.build(FOREIGN).ask("test/c.cs", "Tag tag", "Size") == ["core/a.cs:1 Size exact"]
