"""What a name alone may mean: less where the library, another package or a bare dot speaks against it."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

JAVA = """
class Named { boolean equalsIgnoreCase(String a) { return true; } String getFileName() { return ""; }
  String getRow() { return ""; } }
class Use {
  void go(java.util.stream.Stream<Path> walk) {
    ("a" + name()).equalsIgnoreCase("x"); // joined
    "a".equalsIgnoreCase("x"); // a literal
    walk.anyMatch(p -> p.getFileName()); // of the library
    walk.anyMatch(p -> p.getRow()); // of nobody else
    walk.map(Path::getFileName); // by its class
  }
}
"""
SWIFT = """
struct Body {
  var contentLength: Int?
  var left: Int
  static var shared: Body { Body() }
  func reload() {}
  static func made() -> Body { Body() }
  static var success: Body { Body() }
  static func none() -> Int { 1 }
}
struct Other { static let none = 1 }
func go() {
  headers[.contentLength] = 1 // expected by a subscript
  send([.contentLength: 1]) // a key
  headers[.shared] = 1 // static
  if case .contentLength = find() {} // a pattern
  run([.reload()]) // a method
  run([.made()]) // a static method
  run([.success]) // the library's, too
  run([.none]) // of two, one of which is no function
  find().contentLength = 1 // of a value
  find().left = 1 // no case
  print(all.first!!.contentLength) // unwrapped twice
  all.first!!.reload() // and called
}
"""


@pytest.mark.parametrize(
    ("line", "name", "expected"),
    [
        ("// joined", "equalsIgnoreCase", ["-> java.lang.String.equalsIgnoreCase"]),
        ("// a literal", "equalsIgnoreCase", ["-> java.lang.String.equalsIgnoreCase"]),
        ("// of the library", "getFileName", ["Use.java:1 getFileName possible"]),
        ("// of nobody else", "getRow", ["Use.java:2 getRow probable"]),
        ("// by its class", "getFileName", ["Use.java:1 getFileName possible"]),
    ],
)
def test_a_method_of_the_library_of_java_is_in_doubt(line: str, name: str, expected: list[str]) -> None:
    assert Repository.build({"Use.java": JAVA}).ask("Use.java", line, name) == expected


@pytest.mark.parametrize(
    ("line", "name", "expected"),
    [
        ("// expected by a subscript", "contentLength", []),
        ("// a key", "contentLength", []),
        ("// static", "shared", ["a.swift:4 shared probable"]),
        ("// a pattern", "contentLength", []),
        ("// a method", "reload", []),
        ("// a static method", "made", ["a.swift:6 made probable"]),
        ("// the library's, too", "success", ["a.swift:7 success possible"]),
        ("// of two", "none", ["a.swift:8 none possible", "a.swift:10 none possible"]),
        ("// of a value", "contentLength", ["a.swift:2 contentLength probable"]),
        ("// no case", "left", ["a.swift:3 left probable"]),
        ("// unwrapped twice", "contentLength", ["a.swift:2 contentLength probable"]),
        ("// and called", "reload", ["a.swift:5 reload probable"]),
    ],
)
def test_behind_a_bare_dot_stands_what_belongs_to_a_type(line: str, name: str, expected: list[str]) -> None:
    assert Repository.build({"a.swift": SWIFT}).ask("a.swift", line, name) == expected


@pytest.mark.parametrize(
    ("path", "sure"),
    [("packages/a/main.ts", "probable"), ("packages/b/main.ts", "possible"), ("main.ts", "possible")],
)
def test_a_global_of_another_package_is_in_doubt(path: str, sure: str) -> None:
    texts = {
        "package.json": "{}",
        "packages/a/package.json": "{}",
        "packages/a/src/types.d.ts": "declare let console: Console;\n",
        "globals.d.ts": "declare function log(): void;\n",
        path: "console.log();\nlog(1);\n",
    }
    found = Repository.build(texts)
    assert found.ask(path, "console.log", "console") == [f"packages/a/src/types.d.ts:1 console {sure}"]
    assert found.ask(path, "log(1)", "log") == ["globals.d.ts:1 log probable"]


USED = {
    "uses.cs": """
namespace N.Codecs.Tests {
  using Other.Library;
  using static CodecUtil;
  class T { void go() { BytesOf(1); } LogLevel level; }
}
""",
    "plain.cs": """
namespace N.Codecs {
  using System.Linq;
  class T { LogLevel level; }
}
""",
    "util.cs": """
namespace N.Codecs.Tests { static class CodecUtil { internal static byte[] BytesOf(int a) => null; } }
""",
    "level.cs": """
namespace N.Handlers { public enum LogLevel { Trace } }
""",
}


@pytest.mark.parametrize(
    ("path", "name", "expected"),
    [
        ("uses.cs", "BytesOf", ["util.cs:1 BytesOf exact"]),  # `using static` from the namespace around it
        ("uses.cs", "LogLevel", ["level.cs:1 LogLevel possible"]),  # or the library's
        ("plain.cs", "LogLevel", ["level.cs:1 LogLevel probable"]),
    ],
)
def test_namespaces_of_csharp_that_a_file_uses(path: str, name: str, expected: list[str]) -> None:
    assert Repository.build(USED).ask(path, "class T", name) == expected


OF_VALUES = """
using System;
static class Found {
  public static readonly Func<string, int> GetMethod = one => 1;
  public static int GetField(string a) => 1;
  public static object GetService<T>(this Context context) => null;
  public static object GetOther<T>(this Context context) => null;
}
class Kept { public int GetRow(string a) => 1; }
class Use {
  void go() {
    var given = Make();
    var loader = Make();
    var missing = Make();
    var type = given.GetService(typeof(int)); // no argument is taken
    type.GetMethod("a"); // of a variable
    loader.Type.GetMethod("a"); // of its member
    typeof(int).GetField("a"); // of an expression
    Make().GetField("a"); // of a result
    missing.GetRow("a"); // no static one
    missing.GetOther(); // extended
  }
}
"""


@pytest.mark.parametrize(
    ("line", "name", "expected"),
    [
        ("// no argument", "GetService", []),
        ("// of a variable", "GetMethod", []),
        ("// of its member", "GetMethod", []),
        ("// of an expression", "GetField", []),
        ("// of a result", "GetField", []),
        ("// no static one", "GetRow", ["a.cs:8 GetRow probable"]),
        ("// extended", "GetOther", ["a.cs:6 GetOther probable"]),
    ],
)
def test_a_value_of_csharp_has_no_static_members(line: str, name: str, expected: list[str]) -> None:
    assert Repository.build({"a.cs": OF_VALUES}).ask("a.cs", line, name) == expected


INHERITED = {
    "tests.cs": """
namespace App.Tests {
  using Xunit;
  using Base.Kit;
  partial class T { Options one; Hidden two; Base.Kit.Fixture.Options three; class Inner { Options four; } }
}
""",
    "part.cs": "namespace App.Tests { partial class T : Middle<int> { } }",
    "middle.cs": "namespace App.Tests { using Base.Kit; class Middle<A> : Fixture { } }",
    "fixture.cs": """
namespace Base.Kit {
  public class Fixture { protected class Options { } private class Hidden { } }
}
""",
    "loop.cs": """
namespace App {
  class A : B.M { K k; public class N { public class L { } } }
  class B : A.N { L l; public class M { public class K { } } }
}
""",
}


@pytest.mark.parametrize(
    ("path", "line", "name", "expected"),
    [
        (
            "tests.cs",
            "Options one",
            "Options",
            ["fixture.cs:2 Options exact"],
        ),  # another part's base has a base
        ("tests.cs", "Options four", "Options", ["fixture.cs:2 Options exact"]),
        ("tests.cs", "Hidden two", "Hidden", ["-> Hidden"]),
        ("loop.cs", "class A", "K", ["loop.cs:3 K exact"]),
        ("loop.cs", "class B", "L", ["loop.cs:2 L exact"]),
    ],
)
def test_types_inside_a_base_of_csharp(path: str, line: str, name: str, expected: list[str]) -> None:
    assert Repository.build(INHERITED).ask(path, line, name) == expected


def test_a_doubtful_use_of_csharp_makes_no_later_one_doubtful() -> None:
    texts = {
        "uses.cs": "using Other; namespace N.A { class T { void go(Made m) { m.Run(); } } }",
        "made.cs": "namespace N.B { class Made { Made() { } Made(int a) : this() {} public void Run() {} } }",
    }
    found = Repository.build(texts)
    assert found.ask("uses.cs", "m.Run", "Run") == ["made.cs:1 Run possible"]
    assert found.ask("made.cs", "this()", "Made") == ["made.cs:1 Made exact"]


def test_words_of_swift_are_variables_before_a_dot() -> None:
    text = """
    struct Inner { var deep: Int; func go() {} }
    struct Outer { var deep: Int; func go() {} }
    func run(all: [Inner]) {
      for each in all { print(each.deep) }
      for each in all { each.go() }
      let copy = all[0]
      print(copy.deep + 1)
    }
    """
    found = Repository.build({"a.swift": text})
    assert found.ask("a.swift", "each.deep", "deep") == ["a.swift:1 deep probable"]
    assert found.ask("a.swift", "copy.deep", "deep") == ["a.swift:1 deep exact"]
    assert found.ask("a.swift", "each.go()", "go") == ["a.swift:1 go probable"]
