"""Overloads between which C# decides by what is not known here."""

from __future__ import annotations

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
}


def test_what_takes_anything_is_no_better_than_a_list_of_anything() -> None:
    found = Repository.build(TEXTS).ask("a.cs", "return Result.Succeed", "Succeed")
    assert not [one for one in found if one.endswith("exact")]


def test_the_library_extends_sequences_too() -> None:
    assert Repository.build(TEXTS).ask("a.cs", "return notes.Concat", "Concat") == ["a.cs:6 Concat probable"]
