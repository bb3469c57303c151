"""C#: what type arguments in a chain decide; every answer was checked by hand against the language."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "a.cs": """
        namespace N;
        public class Item { public int Size; }
        public class Box
        {
            public static Box Empty;
            public static Box Make<T>() => null;
            public int Old;
        }
        public class Box<T>
        {
            public static Box<T> Empty;
            public static Box<T> Make<U>() => null;
            public int New;
        }
        public class Only<T> { public static int Count; }
        """,
    "b.cs": """
        using System.Collections.Generic;
        namespace N;
        public class User
        {
            public void M(object given)
            {
                var a = Box.Make<Item>(); // plain
                var b = Box<int>.Make<List<int>>(); // generic
                var c = Box<Dictionary<string, int[]>>.Empty.New; // nested arguments
                var d = Box.Empty.Old; // a plain field
                a.Old = 1; // made by the plain one
                b.New = 1; // made by the generic one
                ((Box<int>)given).New = 2; // after a cast
                (given as Box).Old = 2; // after as
                new Box<int> { New = 3 }; // an initialiser
                new Box<int>().New.ToString(); // a member of a new one
                new Box().Old.ToString(); // a member of a new plain one
                Only.Count++; // no such type
            }
        }
        """,
}
MEANT = {
    "// plain": ("Make", ["a.cs:6 Make exact"]),
    "// generic": ("Make", ["a.cs:12 Make exact"]),
    "// nested arguments": ("New", ["a.cs:13 New exact"]),
    "// a plain field": ("Old", ["a.cs:7 Old exact"]),
    "// made by the plain one": ("Old", ["a.cs:7 Old exact"]),
    "// made by the generic one": ("New", ["a.cs:13 New exact"]),
    "// after a cast": ("New", ["a.cs:13 New exact"]),
    "// after as": ("Old", ["a.cs:7 Old exact"]),
    "// an initialiser": ("New", ["a.cs:13 New exact"]),
    "// a member of a new one": ("New", ["a.cs:13 New exact"]),
    "// a member of a new plain one": ("Old", ["a.cs:7 Old exact"]),
    "// no such type": ("Count", ["-> Only.Count"]),
}


@pytest.mark.parametrize("line", MEANT)
def test_type_arguments_decide_which_type_a_name_means(line: str) -> None:
    name, expected = MEANT[line]
    assert Repository.build(TEXTS).ask("b.cs", line, name) == expected


GENERICS = {
    "lib.cs": """
        using System.Collections.Generic;
        namespace N;
        public interface IShape { int Area { get; } }
        public class Item : IShape { public int Area => 1; public int Weight; public Box<Item> In; }
        public class Box<T>
        {
            public T Content;
            public List<T> All() => null;
            public U As<U>() => default;
            public Box<U> To<U>() => null;
            public Dictionary<string, T> ByName;
            public T? Maybe;
        }
        public class Shelf : Box<Item> { }
        public class Row : IEnumerable<Item> { public int Length; }
        public class Walked { public IEnumerator<Item> GetEnumerator() => null; }
        public static class Extending
        {
            public static T First<T>(this Box<T> box) => default;
            public static IEnumerable<T> Odd<T>(this IEnumerable<T> items) => items;
        }
        """,
    "use.cs": """
        using System.Collections.Generic;
        using System.Linq;
        namespace N;
        public class User<TShape> where TShape : class, IShape
        {
            private TShape own;
            public int Sum<TOne>(TOne one) where TOne : Item => one.Weight; // a constraint of a method
            public void M(Box<Item> box, Shelf shelf, Row row, Walked walked, List<List<Item>> lists, E thing)
            {
                own.Area.ToString(); // a constraint of a type
                box.Content.Weight = 1; // a member of the type's argument
                box.All()[0].Weight = 1; // an item of a result
                thing.Foo().OfType<Item>().First().Weight = 1; // a sequence of any value
                var made = box.As<Item>();
                made.Weight = 1; // an argument of the call
                box.To<Item>().Content.Weight = 1; // handed on
                shelf.Content.Weight = 1; // through a base
                shelf.All().Where(x => x.Area > 1).ToList()[0].Weight = 1; // and a chain
                foreach (var one in row) { one.Weight = 1; } // a base that is a sequence
                foreach (var one in walked) { one.Weight = 1; } // an enumerator
                box.ByName["a"].Weight = 1; // by its key
                foreach (var pair in box.ByName) { pair.Value.Weight = 1; } // a pair
                box.Maybe.Value.Weight = 1; // nullable
                lists[0][1].Weight = 1; // a list in a list
                box.First().Weight = 1; // an extension of the type
                shelf.All().Odd().First().Weight = 1; // an extension of sequences
                var odd = box.All().Odd();
                odd.First().In.Content.Area.ToString(); // all of it
            }
        }
        """,
}


@pytest.mark.parametrize(
    "line", [one.partition("//")[2] for one in GENERICS["use.cs"].split("\n") if "// " in one]
)
def test_members_of_what_a_type_or_a_method_is_given(line: str) -> None:
    found = Repository.build(GENERICS)
    name = "Area" if line in {" a constraint of a type", " all of it"} else "Weight"
    place = {"Weight": 4, "Area": 3 if "constraint" in line else 4}[name]
    expected = f"lib.cs:{place} {name} exact"
    if line == " a sequence of any value":
        expected = expected.replace("exact", "probable")
    assert found.ask("use.cs", "//" + line, name) == [expected]


OF_ASSEMBLIES = {
    "core/core.csproj": "",
    "core/a.cs": "namespace N; public class Fault { public Fault(string text) { } }",
    "app/app.csproj": '<ProjectReference Include="../core/core.csproj" />',
    "app/b.cs": "namespace N; public class Fault<T> : Fault { public Fault(string text) : base(text) { } }",
    "app/c.cs": "namespace N; class User { object M() => new Fault(nameof(User)); }",
}


def test_a_type_of_another_assembly_may_have_the_wanted_number_of_parameters() -> None:
    found = Repository.build(OF_ASSEMBLIES).ask("app/c.cs", "new Fault", "Fault")
    assert found == ["core/a.cs:1 Fault exact"]


MEMBERS = {
    "a.cs": """
        namespace N;
        public interface IKeyed { string Key { get; } }
        public abstract class Base : IKeyed { public string Key => ""; }
        public class Results<T> { public static int None; }
        public partial class Derived : IKeyed { }
        public partial class Derived : Base
        {
            Results<int> Results;
            string M() => Key; // the class
            int N() => Results<int>.None; // the type
        }
        """
}


def test_a_base_class_comes_before_interfaces() -> None:
    assert Repository.build(MEMBERS).ask("a.cs", "// the class", "Key") == ["a.cs:3 Key exact"]


def test_a_name_with_type_arguments_is_no_property() -> None:
    assert Repository.build(MEMBERS).ask("a.cs", "// the type", "Results") == ["a.cs:4 Results exact"]
