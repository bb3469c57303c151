"""C#: which of several methods a call means; every answer was checked by hand against the language."""

from __future__ import annotations

import re

import pytest

from repo_mcp.graph.csharp.overloads import MAX_COMPARED
from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.repo_mcp.graph.resolved import Repository

TYPES = """
    namespace N;
    public interface IAnimal { }
    public class Animal : IAnimal { }
    public class Dog : Animal { public string Name { get; set; } public int Age; public Dog Mate() => null; }
    public class Stone { }
    public struct Money { public static implicit operator Money(int cents) => default; }
    public struct Point { }
    public class Fee { public static implicit operator Stone(Fee fee) => null; }
    public enum Color { Red, Green }
    public delegate bool Test(int number);
    public static class Extending
    {
        public static void Tell(this Dog dog, int number) { }
        public static void Tell(this Dog dog, string text) { }
        public static void Tell(this IAnimal animal, string text) { }
        public static void Move(ref this Point point, int by) { }
        public static void Move(ref this Point point, string by) { }
    }
"""
METHODS = """
    using System;
    using System.Collections.Generic;
    namespace N;
    public class Api
    {
        public void Number(int a) { }
        public void Number(long a) { }
        public void Number(double a) { }
        public void Number(string a) { }
        public void Wide(long a) { }
        public void Wide(double a) { }
        public void Wide(byte a, int b) { }
        public void Any(object a) { }
        public void Any(string a) { }
        public void Any<T>(T a) { }
        public void Boxed(object a) { }
        public void Boxed(IAnimal a) { }
        public void Boxed(Animal a) { }
        public void Ends(string a) { }
        public void Ends(string a, params object[] rest) { }
        public void Rests(int a, params object[] rest) { }
        public void Rests(int a, int b, int c) { }
        public void Defaults(string a) { }
        public void Defaults(string a, int b = 1) { }
        public void Run(Action a) { }
        public void Run(Func<int> a, int b) { }
        public void Run(Func<int, int> a) { }
        public void Run(Func<int, int, int> a) { }
        public void Run(Test a, bool b) { }
        public void Run(string a, bool b) { }
        public void Out(out int a) { a = 1; }
        public void Out(out string a) { a = ""; }
        public void Out(int a) { }
        public void Named(int first, string second) { }
        public void Named(int first, int other) { }
        public void Paint(Color color) { }
        public void Paint(int color) { }
        public void Pay(Money money) { }
        public void Pay(Stone stone) { }
        public void Nothing(int a) { }
        public void Nothing(Point a) { }
        public void Nothing(Stone a) { }
        public void Maybe(int a) { }
        public void Maybe(int? a) { }
        public void Make() { }
        public void Make<T>() { }
        public void Make<T, U>() { }
        public void List(List<int> a) { }
        public void List(List<Dog> a) { }
        public void List(Dog a) { }
        public void Array(int[] a) { }
        public void Array(string[] a) { }
    }
    public class Lower : Api
    {
        public void Number(bool a) { }
        public void Only(int a) { }
    }
    public class Over : Base { public override void Say(object a) { } }
    public class Base
    {
        public virtual void Say(object a) { }
        public void Say(string a) { }
    }
    public class Made
    {
        public Made(int a) { }
        public Made(string a) : this(1) { }
        public Made(Dog a) : this(a.Name) { }
    }
"""
CALLS = [
    ("api.Number(1)", "exact: int a"),
    ("api.Number(1L)", "exact: long a"),
    ("api.Number(1.5f)", "exact: double a"),
    ("api.Number('c')", "exact: int a"),  # a char is nearest to an int
    ('api.Number("a" + 1)', "exact: string a"),
    ("api.Number(dog.Name)", "exact: string a"),
    ("api.Number(dog.Mate().Age)", "exact: int a"),
    ("api.Number(dog.Name.Length)", "exact: int a"),
    ("api.Number(given)", "exact: long a"),
    ("api.Number(odd)", "possible: int a | long a | double a | string a"),
    ("api.Wide(2)", "exact: long a"),
    ("api.Wide(2f)", "exact: double a"),
    ("api.Any(3)", "exact: <T> T a"),
    ('api.Any("3")', "exact: string a"),
    ("api.Any(null)", "exact: string a"),
    ("api.Any<string>(text)", "exact: <T> T a"),
    ("api.Boxed(dog)", "exact: Animal a"),
    ("api.Boxed(animal)", "exact: IAnimal a"),
    ("api.Boxed(new Stone())", "exact: object a"),
    ('api.Ends("a")', "exact: string a"),
    ("api.Rests(1)", "exact: int a, params object[] rest"),
    ('api.Ends("a", 1)', "exact: string a, params object[] rest"),
    ('api.Ends("a", 1, 2)', "exact: string a, params object[] rest"),
    ('api.Defaults("a")', "exact: string a"),
    ("api.Defaults(odd)", "exact: string a"),
    ('api.Defaults("a", 2)', "exact: string a, int b = 1"),
    ("api.Run(() => { })", "exact: Action a"),
    ("api.Run(x => x)", "exact: Func<int, int> a"),
    ("api.Run((x, y) => x)", "exact: Func<int, int, int> a"),
    ("api.Run(x => true, true)", "exact: Test a, bool b"),
    ("api.Run(Is, true)", "exact: Test a, bool b"),
    ("api.Out(out int a)", "exact: out int a"),
    ("api.Out(out text)", "exact: out string a"),
    ("api.Out(out var b)", "possible: out int a | out string a"),
    ("api.Out(5)", "exact: int a"),
    ("api.Named(second: text, first: 1)", "exact: int first, string second"),
    ("api.Named(1, other: 2)", "exact: int first, int other"),
    ("api.Paint(Color.Red)", "exact: Color color"),
    ("api.Paint(6)", "exact: int color"),
    ("api.Pay(7)", "exact: Money money"),  # Money is made of a number, a stone is not
    ("api.Pay(fee)", "possible: Money money | Stone stone"),
    ("api.Nothing(null)", "exact: Stone a"),
    ("api.Maybe(8)", "exact: int a"),
    ("api.Maybe(maybe)", "exact: int? a"),
    ("api.Maybe(maybe.Value)", "exact: int a"),
    ("api.Make()", "exact: "),
    ("api.Make<int>()", "exact: <T>"),
    ("api.Make<int, Dog>()", "exact: <T, U>"),
    ("api.List(new List<int>())", "exact: List<int> a"),
    ("api.List(dogs)", "exact: List<Dog> a"),
    ("api.List(dog)", "exact: Dog a"),
    ("api.Array(new int[3])", "exact: int[] a"),
    ("api.Array(words)", "exact: string[] a"),
    ("lower.Number(true)", "exact: bool a"),
    ("lower.Number(9)", "exact: int a"),  # of the base: none below takes it
    ("lower.Only(10)", "exact: int a"),
    ('over.Say("a")', "exact: string a"),  # what overrides is compared as one of the base
    ("over.Say(dog)", "exact: override object a"),
    ("new Made(11)", "exact: int a"),
    ('new Made("a")', "exact: string a"),
    ("new Made(dog)", "exact: Dog a"),
]


@pytest.fixture(scope="module")
def repository() -> Repository:
    calls = "\n".join(f"            {call};  // {number}" for number, (call, _) in enumerate(CALLS))
    user = f"""
    using System.Collections.Generic;
    namespace N;
    public class User
    {{
        bool Is(int number) => true;
        void Use(Api api, Lower lower, Over over, Dog dog, IAnimal animal, string text, List<Dog> dogs,
            string[] words, int? maybe, Point point, Fee fee)
        {{
            long given = 5;
            var odd = (1, 2);
{calls}
            dog.Tell(1);
            dog.Tell("2");
            animal.Tell("3");
            dog.Tell(animal);
            point.Move(1);
            Extending.Move(ref point, "2");
        }}
    }}
    """
    return Repository.build({"Types.cs": TYPES, "Api.cs": METHODS, "User.cs": user})


@pytest.mark.parametrize(("number", "text", "expected"), [(n, *call) for n, call in enumerate(CALLS)])
def test_a_call_means_the_method_that_takes_what_is_given(
    repository: Repository, number: int, text: str, expected: str
) -> None:
    name = text.removeprefix("new ").partition("(")[0].rpartition(".")[2].partition("<")[0]
    meant: dict[str, list[str]] = {}
    said = repository.ask("User.cs", f"{text};  // {number}", name, ReferenceRole.CALL)
    for ordinal, _, sure in (one.split() for one in said if not one.startswith("->")):
        line = repository.texts["Api.cs"].split("\n")[int(ordinal.partition(":")[2]) - 1]
        found = re.search(rf"(override )?void {name}(<.*>)?\((.*?)\) {{|public {name}\((.*?)\) [{{:]", line)
        if found is not None:  # an instance means its type as well
            meant.setdefault(sure, []).append(" ".join(part.strip() for part in found.groups() if part))
    assert "; ".join(f"{sure}: {' | '.join(parts)}" for sure, parts in meant.items()) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("dog.Tell(1)", ["Types.cs:13 Tell exact"]),
        ('dog.Tell("2")', ["Types.cs:14 Tell exact"]),
        ('animal.Tell("3")', ["Types.cs:15 Tell exact"]),
        ("dog.Tell(animal)", []),  # none takes an animal: it is something else
        ("point.Move(1)", ["Types.cs:16 Move exact"]),
        ('Extending.Move(ref point, "2")', ["Types.cs:17 Move exact"]),
    ],
)
def test_of_extension_methods_the_nearest_to_the_value(
    repository: Repository, line: str, expected: list[str]
) -> None:
    name = line.partition("(")[0].rpartition(".")[2]
    assert repository.ask("User.cs", line, name) == expected


def test_where_no_method_of_a_type_takes_what_is_given_a_type_around_is_asked() -> None:
    found = Repository.build(
        {
            "A.cs": """
                class Outer
                {
                    static void Read(string text) { }
                    static void Read<T>(string text) { }
                    class Inner
                    {
                        static void Read(int number) { }
                        static void Use() { Read("1"); Read<int>("2"); Read(3); Read(4, 5); }
                    }
                }
            """
        }
    )
    # All stand on one line, in the order of the calls; of what nothing takes the nearest is said.
    assert found.ask("A.cs", "static void Use", "Read") == [
        "A.cs:3 Read exact",
        "A.cs:4 Read exact",
        "A.cs:7 Read exact",
        "A.cs:7 Read possible",
    ]


def test_parameters_of_which_some_are_not_known_fit_what_they_may() -> None:
    many = ", ".join(f"int parameter{number} = {number}" for number in range(30))
    found = Repository.build(
        {
            "A.cs": f"""
                class A
                {{
                    void Long(string text, {many}) {{ }}
                    void Long(A one, {many}) {{ }}
                    void Use() {{ Long(this, {", ".join("1" * 25)}); }}
                }}
            """
        }
    )
    assert found.ask("A.cs", "void Use", "Long") == ["A.cs:4 Long exact"]


def test_of_too_many_methods_none_is_chosen() -> None:
    methods = "\n".join(f"    void Many(T{number} one) {{ }}" for number in range(MAX_COMPARED + 1))
    found = Repository.build(
        {"A.cs": f"class A\n{{\n{methods}\n    void Use(T5 given) {{ Many(given); }}\n}}\n"}
    )
    said = found.ask("A.cs", "void Use", "Many")
    assert len(said) > 1
    assert all(one.endswith("possible") for one in said)
