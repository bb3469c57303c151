"""C#: what functions without names take, and what `new()` makes; every answer was checked by hand."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "lib.cs": """
        using System;
        using System.Collections.Generic;
        using System.Linq.Expressions;
        namespace N;
        public class Item { public int Size; public Item Inner; public Options Options; }
        public class Other { public int Size; }
        public class Options { public int Depth; public Action<Item> OnItem; public Shows Shows; }
        public delegate string Shows(Item item);
        public delegate void Gives<T>(string name, T item);
        public class Map<T>
        {
            public Map<T> Of<TMember>(Expression<Func<T, TMember>> member) => this;
            public Map<T> Each<U>(IEnumerable<U> items, Action<T, U> act) => this;
            public void Either(Action<Item> act) { }
            public void Either(Func<Item, int> make) { }
            public void Unlike(Action<Item> act, int first) { }
            public void Unlike(Action<Other> act, string first) { }
            public void Set(Options options) { }
            public Gives<T> Gives;
            public T Find(Func<T, bool> test) => default;
        }
        public class ItemMap : Map<Item> { public ItemMap() { Of(m => m.Size); } }
        public class Held { public Held(Func<Item, int> make) { } }
        public class Row : List<Other> { public Item Find(Func<Item, bool> test) => null; }
        public static class Extending
        {
            public static void Do<T>(this T one, Action<T> act) { }
            public static void With<T>(Action<T> act) where T : Item { }
        }
        """,
    "use.cs": """
        using System;
        using System.Collections.Generic;
        using System.Linq;
        namespace N;
        public class User
        {
            private Func<Item, int> field = i => i.Size; // a field
            private Options options = new() { Depth = 1 }; // of a field
            public void M(Map<Item> map, Options options, List<Item> items, Row row, object thing)
            {
                map.Of(m => m.Size); // by the receiver
                map.Of(a => a.Inner).Of(b => b.Size); // in a chain
                map.Each(items, (m, i) => { i.Size = 1; }); // by another argument
                map.Each<Item>(null, (m, i) => { i.Size = 1; }); // by a type argument
                map.Either(i => i.Size.ToString()); // where both agree
                map.Unlike(i => { i.Size = 1; }, thing.What()); // where they do not
                map.Find(i => i.Size > 1); // a name of the library
                row.Find(i => i.Size > 1); // the name of its own
                items.Where(i => i.Size > 1); // an item
                new Held(i => i.Size); // a constructor
                items[0].Do(i => i.Size.ToString()); // an extension
                Extending.With<Item>(i => i.Size.ToString()); // not called as one
                map.Gives = (name, i) => i.Size.ToString(); // a delegate of ours
                var made = new Options { OnItem = i => i.Size.ToString() }; // an initialiser
                options.Shows += i => i.Size.ToString(); // added
                Action<string, Item> local = (s, i) => i.Size.ToString(); // a variable
                var held = new Item { Options = { Depth = 2 } }; // in an initialiser
                var again = new Item { Options = new() { Depth = 3 } }; // made in one
                map.Set(new() { Depth = 4 }); // an argument
                options = new() { Depth = 5 }; // assigned
                thing.What(i => i.Size); // a call that is not known
            }
        }
        """,
}
LINES = [one.partition("//")[2] for one in TEXTS["use.cs"].split("\n") if "// " in one]
PROBABLE = {" the name of its own", " an extension"}  # as the calls are
UNKNOWN = {" where they do not", " a call that is not known"}


@pytest.mark.parametrize("line", [one for one in LINES if one not in UNKNOWN])
def test_what_gets_a_function_says_what_it_takes(line: str) -> None:
    found = Repository.build(TEXTS)
    text = TEXTS["use.cs"].partition("//" + line + "\n")[0].rpartition("\n")[2]
    name, place = ("Depth", 7) if "Depth" in text else ("Size", 5)
    sure = "probable" if line in PROBABLE else "exact"
    assert found.ask("use.cs", "//" + line, name) == [f"lib.cs:{place} {name} {sure}"]


@pytest.mark.parametrize("line", sorted(UNKNOWN))
def test_nothing_is_certain_where_that_is_not_known(line: str) -> None:
    found = Repository.build(TEXTS).ask("use.cs", "//" + line, "Size")
    assert not [one for one in found if not one.endswith("possible")]


def test_a_function_in_a_class_that_inherits_what_takes_it() -> None:
    assert Repository.build(TEXTS).ask("lib.cs", "class ItemMap", "Size") == ["lib.cs:5 Size exact"]


def test_a_function_takes_what_a_type_of_a_library_is_for() -> None:
    found = Repository.build(
        {
            "a.cs": """
            using Moq;
            interface IStore { int Load(int a); }
            interface IOther { int Load(int a); }
            class Tests
            {
                private readonly Mock<IStore> _store = new Mock<IStore>();
                private readonly Pair<IStore, IOther> _pair;
                void Run()
                {
                    _store.Setup(x => x.Load(1)); // of a field
                    var other = new Mock<IOther>();
                    other.Verify(x => x.Load(1), 2); // of a variable
                    _pair.Setup(x => x.Load(1)); // of two types
                }
            }
            """
        }
    )
    assert found.ask("a.cs", "// of a field", "Load") == ["a.cs:2 Load probable"]
    assert found.ask("a.cs", "// of a variable", "Load") == ["a.cs:3 Load probable"]
    assert found.ask("a.cs", "// of two types", "Load") == ["a.cs:2 Load possible", "a.cs:3 Load possible"]
