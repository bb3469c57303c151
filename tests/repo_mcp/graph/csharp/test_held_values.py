"""C#: values that external types hold, arguments of attributes, and casts before a generic call."""

from __future__ import annotations

import pytest

from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.repo_mcp.graph.resolved import Repository

TEXT = """
using System;
using Moq;
namespace App {
public class RetryAttribute : Attribute { public RetryAttribute(int a) {} public int Attempts { get; set; } }
public interface IClient { void Create(int at); }
public static class ClientExtensions { public static void Drop(this IClient client, string id) {} }
public static class Json { public static T Read<T>(string text) { return default; } }
[Retry(3, Attempts = 0)]
class Job {
  Mock<IClient> _client;
  Outside _outside;
  void Run(Tuple<int, IClient> pair, object state) {
    var read = (Job)Json.Read<IClient>(@"text");
    var own = (Job)Own<IClient>("a", 3);
    pair.Item2.Create(3);
    var cast = (Tuple<Job, IClient>)state;
    cast.Item2.Drop("a");
    _client.Object.Drop("b");
    _client.Object.Create(4);
    _outside.Part.Drop("c");
    _outside.Drop("d");
    Json<Job>.Other<int>(3);
  }
  T Own<T>(string text, int at) { return default; }
}
public static class Json<T> { public static void Other<S>(int at) {} }
[Elsewhere(Within = 3)]
class Marked { public int Within { get; set; } }
}
"""


TEXTS = {"a.cs": TEXT}


@pytest.mark.parametrize(
    ("line", "name", "said"),
    [
        ("[Retry(3", "Attempts", ["a.cs:4 Attempts exact"]),
        ("[Elsewhere", "Within", ["-> ElsewhereAttribute.Within"]),
        ("var read", "Read", ["a.cs:7 Read exact"]),
        ("var own", "Own", ["a.cs:24 Own exact"]),
        ("pair.Item2.Create", "Create", ["a.cs:5 Create exact"]),
        ("cast.Item2.Drop", "Drop", ["a.cs:6 Drop exact"]),
        ('Drop("b")', "Drop", ["a.cs:6 Drop probable"]),  # of what the mock holds
        ("Object.Create", "Create", ["a.cs:5 Create probable"]),
        ('Drop("c")', "Drop", ["a.cs:6 Drop possible"]),  # the type of an external member may be any
        ('Drop("d")', "Drop", ["-> Outside.Drop"]),  # no external type implements an interface of these
    ],
)
def test_what_is_meant(repository: Repository, line: str, name: str, said: list[str]) -> None:
    assert repository.ask("a.cs", line, name) == said


def test_a_generic_type_before_a_dot_is_not_called(repository: Repository) -> None:
    assert repository.ask("a.cs", "Json<Job>.Other", "Json", ReferenceRole.USE) == ["a.cs:26 Json exact"]
    assert repository.ask("a.cs", "Json<Job>.Other", "Other") == ["a.cs:26 Other exact"]


def test_what_a_nullable_value_holds_has_its_own_members() -> None:
    found = Repository.build(
        {
            "a.cs": """
                struct Place
                {
                    public void WriteTo(Text to, ref int at) { }
                    public static void Tell(Place? near, Text text, int at)
                    {
                        near.GetValueOrDefault().WriteTo(text, ref at); // may be missing
                        near.Value.WriteTo(text, ref at); // is there
                    }
                }
            """,
            "b.cs": "class Token { public void WriteTo(Text to, params int[] by) { } }",
        }
    )
    assert found.ask("a.cs", "may be missing", "WriteTo") == ["a.cs:3 WriteTo exact"]
    assert found.ask("a.cs", "is there", "WriteTo") == ["a.cs:3 WriteTo exact"]
