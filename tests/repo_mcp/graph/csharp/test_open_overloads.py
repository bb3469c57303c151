"""Overloads between which C# decides by what is not known here."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "a.cs": """
        using System.Collections.Generic;
        using System.Linq;
        public static class Result {
            public static int Succeed<TValue, TNote>(TValue value, TNote note) { return 1; }
            public static int Succeed<TValue, TNote>(TValue value, IEnumerable<TNote> notes) { return 2; }
            public static IEnumerable<T> Concat<T>(this IEnumerable<T> head, T tail) { return head; }
        }
        public class Note { }
        public class User {
            int Run(IEnumerable<Note> notes, List<Note> others) {
                return Result.Succeed(1, notes.Skip(1));
            }
            object Join(IEnumerable<Note> notes, IEnumerable<Note> others) {
                return notes.Concat(others);
            }
        }
        """,
    "b.cs": """
        using System;
        public class Shape { }
        public class Other { }
        public class Runs {
            void Run(Action<Shape> a) { }
            void Run(Action<Other> a) { }
            void Name(Action<string> a) { }
            void Name(Action<int> a) { }
            void Any<T>(Action<T> a) { }
            void Any(Action<Shape> a) { }
            void F() {
                Run((Shape s) => { }); // a shape
                Run((Other s) => { }); // another
                Run(delegate (Other s) { }); // of old
                Run(s => { }); // without a type
                Run(delegate { }); // without parameters
                Name((String? s) => { }); // by another name
                Any((Other s) => { }); // which only one takes
            }
        }
        """,
}
FUNCTIONS = {
    "// a shape": ("Run", ["b.cs:5 Run exact"]),
    "// another": ("Run", ["b.cs:6 Run exact"]),
    "// of old": ("Run", ["b.cs:6 Run exact"]),
    "// without a type": ("Run", ["b.cs:5 Run possible", "b.cs:6 Run possible"]),
    "// without parameters": ("Run", ["b.cs:5 Run possible", "b.cs:6 Run possible"]),
    "// by another name": ("Name", ["b.cs:7 Name exact"]),
    "// which only one takes": ("Any", ["b.cs:9 Any exact"]),
}


@pytest.mark.parametrize("line", FUNCTIONS)
def test_written_types_of_parameters_choose_what_takes_a_function(line: str) -> None:
    name, expected = FUNCTIONS[line]
    assert Repository.build(TEXTS).ask("b.cs", line, name) == expected


def test_what_takes_anything_is_no_better_than_a_list_of_anything() -> None:
    found = Repository.build(TEXTS).ask("a.cs", "return Result.Succeed", "Succeed")
    assert not [one for one in found if one.endswith("exact")]


def test_the_library_extends_sequences_too() -> None:
    assert Repository.build(TEXTS).ask("a.cs", "return notes.Concat", "Concat") == ["a.cs:6 Concat probable"]
