"""C#: what cannot be called, made or reached is not meant by a call, however near it is."""

from __future__ import annotations

from tests.repo_mcp.graph.resolved import Repository

A = "a.cs"
TEXT = """
using System.Collections.Generic;
class Box {
  public int Count { get; }
  public Box Last { get; }
  public System.Func<int> Make { get; }
  public List<int> List { get; set; }
  protected bool Same(Box other) => true;
  public bool Same(object other) => true;
  public IEnumerable<T> Values<T>() => null;
  public void Set() { List = new List<int> { 1 }; }
}
class User {
  void Use(Box box, Box other) {
    var counted = box.Count();
    var last = box.Last();
    var made = box.Make();
    var same = box.Same(other);
    var values = box.Values();
    var typed = box.Values<int>();
  }
}
"""


def test_only_what_can_be_called_is_called() -> None:
    found = Repository.build({A: TEXT})
    assert found.ask(A, "counted", "Count") == []  # an extension method of another assembly
    assert found.ask(A, "last =", "Last") == []
    assert found.ask(A, "made", "Make") == ["a.cs:5 Make exact"]


def test_a_protected_method_is_not_called_from_outside() -> None:
    assert Repository.build({A: TEXT}).ask(A, "same =", "Same") == ["a.cs:8 Same exact"]


def test_type_arguments_that_nothing_shows_must_be_written() -> None:
    found = Repository.build({A: TEXT})
    assert not [one for one in found.ask(A, "values =", "Values") if one.endswith("exact")]
    assert found.ask(A, "typed", "Values") == ["a.cs:9 Values exact"]


def test_a_list_that_is_made_is_no_property() -> None:
    assert found_lists(Repository.build({A: TEXT})) == ["-> List", "a.cs:6 List exact"]


def found_lists(repository: Repository) -> list[str]:
    """Return what the two names `List` of an assignment mean."""
    return sorted(repository.ask(A, "Set()", "List"))
