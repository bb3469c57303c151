"""C#: a member with the name of its type, where what is behind the dot tells which one is meant."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXT = """
using System.Text;
enum Color { Red, Blue }
class Pen { public static Pen Default; public int Width; public void Draw() {} }
class A {
  Color Color { get; set; }
  Pen Pen;
  Encoding Encoding;
  Nib Nib;
  void F(A other) {
    var first = Color.Red;
    Color = Color.Blue;
    Use(Color);
    Pen.Draw();
    var width = Pen.Width;
    var plain = Pen.Default;
    var text = Color.ToString();
    Encoding.GetBytes("a");
    var eight = Encoding.UTF8;
    var both = Pen.Default == Pen.Width;
    Nib.Cut(3);
    Pen
      .Draw();
  }
  void Use(Color color) {}
}
class Nib { public static void Cut(int at) {} public void Cut() {} }
"""
ENUM, COLOR = "a.cs:2 Color exact", "a.cs:5 Color exact"


@pytest.mark.parametrize(
    ("line", "name", "expected"),
    [
        ("first = Color.Red", "Color", [ENUM]),
        ("Color = Color.Blue", "Color", [ENUM, COLOR]),
        ("Use(Color);", "Color", [COLOR]),
        ("    Pen.Draw();", "Pen", ["a.cs:6 Pen exact"]),
        ("width = Pen.Width;", "Pen", ["a.cs:6 Pen exact"]),
        ("plain = Pen.Default;", "Pen", ["a.cs:3 Pen exact"]),
        ("text = Color.ToString()", "Color", ["a.cs:5 Color probable"]),
        ("Encoding.GetBytes", "Encoding", ["a.cs:7 Encoding probable"]),
        ("Encoding.UTF8", "Encoding", ["a.cs:7 Encoding possible"]),
        ("Nib.Cut(3)", "Nib", ["a.cs:8 Nib probable"]),
        ("Pen.Default == Pen.Width", "Pen", ["a.cs:6 Pen probable"]),
    ],
)
def test_what_is_behind_the_dot(line: str, name: str, expected: list[str]) -> None:
    found = Repository.build({"a.cs": TEXT}).ask("a.cs", line, name)
    assert sorted(found) == sorted(expected)
