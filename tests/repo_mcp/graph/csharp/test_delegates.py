"""C#: which overload takes a function, by what that returns; every answer was checked by hand."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "a.cs": """
        using System;
        using System.Threading.Tasks;
        namespace N;
        public delegate void Does(int number);
        public delegate string Shows(int number);
        public class Api
        {
            public void Run(Action act) { } // 8
            public T Run<T>(Func<T> make) => default; // 9
            public void Go(Func<Task> act) { } // 10
            public void Go<T>(Func<Task<T>> make) { } // 11
            public void Use(Does act) { } // 12
            public void Use(Shows make) { } // 13
            public static void Nothing() { }
            public static int Value() => 1;
            public static Task Wait() => null;
            public static Task<int> Read() => null;
            public static void Either() { }
            public static int Either(int one) => 1;
        }
        """,
    "b.cs": """
        using System;
        namespace N;
        public class User
        {
            private Func<int> make;
            public void M(Api api)
            {
                api.Run(() => Api.Nothing()); // calls what returns nothing
                api.Run(() => Api.Value()); // calls what returns a value
                api.Run(() => Outside.Call()); // calls what is not known
                api.Run(() => Api.Either()); // calls one of two
                api.Run(() => 1); // is a value
                api.Run(() => { Api.Value(); }); // acts
                api.Run(() => { if (api != null) { return 1; } return 2; }); // gives a value back
                api.Run(() => throw new Exception()); // never ends
                api.Run(Api.Nothing); // a method without a result
                api.Run(Api.Value); // a method with a result
                api.Go(async () => await Api.Wait()); // awaits nothing
                api.Go(async () => await Api.Read()); // awaits a value
                api.Go(() => Api.Wait()); // waits later
                api.Go(() => Api.Read()); // reads without waiting
                api.Go(async () => { await Api.Read(); }); // and forgets
                api.Use(x => { }); // of our own without a result
                api.Use(x => "a"); // of our own with a result
            }
        }
        """,
}
MEANT = {
    "// calls what returns nothing": ("Run", 8),
    "// calls what returns a value": ("Run", 9),
    "// is a value": ("Run", 9),
    "// acts": ("Run", 8),
    "// gives a value back": ("Run", 9),
    "// a method without a result": ("Run", 8),
    "// a method with a result": ("Run", 9),
    "// awaits nothing": ("Go", 10),
    "// awaits a value": ("Go", 11),
    "// waits later": ("Go", 10),
    "// reads without waiting": ("Go", 11),
    "// and forgets": ("Go", 10),
    "// of our own without a result": ("Use", 12),
    "// of our own with a result": ("Use", 13),
}


@pytest.mark.parametrize("line", MEANT)
def test_what_a_function_returns_decides_what_takes_it(line: str) -> None:
    name, expected = MEANT[line]
    assert Repository.build(TEXTS).ask("b.cs", line, name) == [f"a.cs:{expected} {name} exact"]


@pytest.mark.parametrize("line", ["// calls what is not known", "// calls one of two", "// never ends"])
def test_both_are_possible_where_that_is_not_known(line: str) -> None:
    found = Repository.build(TEXTS).ask("b.cs", line, "Run")
    assert found == ["a.cs:8 Run possible", "a.cs:9 Run possible"]
