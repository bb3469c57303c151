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
