"""C#: members of plain types and of every class, and what is made behind a cast."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "lib.cs": """
        namespace N;
        public class Text
        {
            public void Add(char one) { }
            public void Add(string all) { }
        }
        public class Box { }
        public class Box<T> { public Box(object given) { } }
        public class Same
        {
            public bool Equals(Box one, Box other) => true;
            public bool Compare(dynamic one, Box box) => Equals(one.Left, one.Right);
            public bool CompareBoxes(Box box) => Equals(box, box);
            public bool CompareOwn(dynamic one, Box box) => this.Equals(one.Left, one.Right);
        }
        """,
    "use.cs": """
        namespace N;
        public class User
        {
            void M(Text text, char letter, string word)
            {
                text.Add(char.ToLowerInvariant(letter));
                text.Add(char.ToString(letter));
                text.Add(word.Trim());
            }
            T Make<T>(object given) => (T)(object)new Box<T>(given);
        }
        """,
}


@pytest.mark.parametrize(
    ("path", "line", "name", "said"),
    [
        ("use.cs", "char.ToLowerInvariant", "Add", ["lib.cs:4 Add exact"]),
        ("use.cs", "char.ToString", "Add", ["lib.cs:4 Add possible", "lib.cs:5 Add possible"]),
        ("use.cs", "word.Trim()", "Add", ["lib.cs:5 Add exact"]),
        ("use.cs", "new Box<T>", "Box", ["lib.cs:8 Box exact"]),
        ("lib.cs", "Compare(dynamic", "Equals", ["lib.cs:11 Equals probable"]),
        ("lib.cs", "CompareBoxes(Box", "Equals", ["lib.cs:11 Equals exact"]),
        ("lib.cs", "CompareOwn(", "Equals", ["lib.cs:11 Equals exact"]),
    ],
)
def test_what_is_sure(repository: Repository, path: str, line: str, name: str, said: list[str]) -> None:
    assert repository.ask(path, line, name) == said
