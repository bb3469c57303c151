"""What C# files declare and use: one small text for each thing."""

from __future__ import annotations

import pytest

from repo_mcp.symbols.model import CONDITIONS
from repo_mcp.symbols.symbol_record import ParseStatus, ReferenceRole
from tests.repo_mcp.languages.described import list_references, list_symbols, read

CALL, USE, BIND, TYPE = ReferenceRole.CALL, ReferenceRole.USE, ReferenceRole.BIND, ReferenceRole.TYPE
IMPORT = ReferenceRole.IMPORT


def test_types_and_their_access() -> None:
    found = read(
        "a.cs",
        """
        namespace Shop.Core;

        /// <summary>A thing.</summary>
        [Obsolete("gone")]
        public abstract partial class Thing<T> : Base, IOne, Two<T> where T : class
        {
            class Hidden { public int Seen; }
            protected internal struct Point { }
        }
        interface IOne : IZero { int Size { get; } void Run(); static int Help() => 1; }
        public record Order(string Name, int Amount = 1) : Entry(Name);
        public enum Level : byte { Low, [Obsolete] High = 2 }
        public delegate void Handler(object sender, Args args);
        """,
    )
    assert list_symbols(found) == [
        "Shop.Core MODULE 1-13",
        "Shop.Core.Thing CLASS 4-9 PUBLIC ABSTRACT DEPRECATED DOCUMENTED PARTIAL PUBLIC_API <T>/0",
        "Thing.Hidden CLASS 7-7 PRIVATE",
        "Hidden.Seen PROPERTY 7-7 PUBLIC -> int",
        "Thing.Point STRUCT 8-8 PROTECTED_INTERNAL PUBLIC_API",
        "Shop.Core.IOne INTERFACE 10-10 INTERNAL",
        "IOne.Size PROPERTY 10-10 PUBLIC ABSTRACT -> int",
        "IOne.Run METHOD 10-10 PUBLIC ABSTRACT ()/0 -> void",
        "IOne.Help METHOD 10-10 PUBLIC STATIC ()/0 -> int",
        "Shop.Core.Order RECORD 11-11 PUBLIC PUBLIC_API",
        "Order.Order CONSTRUCTOR 11-11 PUBLIC PUBLIC_API (string Name, int Amount = 1)/2",
        "Order.Name PROPERTY 11-11 PUBLIC PUBLIC_API -> string",
        "Order.Amount PROPERTY 11-11 PUBLIC PUBLIC_API -> int",
        "Shop.Core.Level ENUM 12-12 PUBLIC PUBLIC_API",
        "Level.Low ENUM_MEMBER 12-12 PUBLIC PUBLIC_API",
        "Level.High ENUM_MEMBER 12-12 PUBLIC DEPRECATED PUBLIC_API",
        "Shop.Core.Handler TYPE 13-13 PUBLIC PUBLIC_API (object sender, Args args)/2 -> void",
    ]
    roles = (ReferenceRole.INHERIT, ReferenceRole.IMPLEMENT, ReferenceRole.EXTEND)
    assert list_references(found, *roles) == [
        "Thing: INHERIT |Base 5",
        "Thing: IMPLEMENT |IOne 5",
        "Thing: IMPLEMENT |Two 5 as <T> n=1",
        "IOne: EXTEND |IZero 10",
        "Order: INHERIT |Entry 11",
    ]


def test_members() -> None:
    found = read(
        "a.cs",
        """
        public class A
        {
            private readonly Bar one = new(1), two;
            public const int Max = 3;
            public event EventHandler<Args> Changed;
            event Action Other { add { } remove { } }
            public A(int x) : this() { }
            ~A() { }
            public Bar Item { get; private set; } = new Bar();
            public int this[int index] => index;
            public static A operator +(A a, A b) => a;
            public static implicit operator int(A a) => 1;
            protected internal static async Task<int> Load(this string s, params int[] rest) { return 1; }
            private protected override void Run() { int Local(int z) => z; }
            void IOther.Hidden() { }
            partial void Later();
        }
        """,
    )
    assert list_symbols(found)[1:] == [
        "A.one PROPERTY 3-3 PRIVATE -> Bar",
        "A.two PROPERTY 3-3 PRIVATE -> Bar",
        "A.Max CONSTANT 4-4 PUBLIC PUBLIC_API STATIC -> int",
        "A.Changed EVENT 5-5 PUBLIC PUBLIC_API -> EventHandler<Args>",
        "A.Other EVENT 6-6 PRIVATE -> Action",
        "A.A CONSTRUCTOR 7-7 PUBLIC PUBLIC_API (int x)/1",
        "A.~A METHOD 8-8 PRIVATE ()/0",
        "A.Item PROPERTY 9-9 PUBLIC PUBLIC_API -> Bar",
        "A.this[] METHOD 10-10 PUBLIC PUBLIC_API [int index]/1 -> int",
        "A.operator + METHOD 11-11 PUBLIC PUBLIC_API STATIC (A a, A b)/2 -> A",
        "A.operator int METHOD 12-12 PUBLIC PUBLIC_API STATIC (A a)/1 -> int",
        "A.Load METHOD 13-13 PROTECTED_INTERNAL ASYNC EXTENSION_METHOD PUBLIC_API STATIC VARIADIC "
        "(this string s, params int[] rest)/2 -> Task<int>",
        "A.Run METHOD 14-14 PRIVATE_PROTECTED OVERRIDE ()/0 -> void",
        "Run.Local FUNCTION 14-14 (int z)/1 -> int",
        "A.Hidden METHOD 15-15 ()/0 -> void",
        "A.Later METHOD 16-16 PRIVATE FORWARD PARTIAL ()/0 -> void",
    ]
    assert list_references(found, CALL) == [
        "one: CALL |Bar 3 as new(1) n=2",
        "A: CALL this|A 7 n=1",
        "Item: CALL |Bar 9 as new n=1",
    ]


def test_calls_and_what_stands_before_them() -> None:
    found = read(
        "a.cs",
        """
        class A : Base
        {
            void M(Foo p)
            {
                Plain(1, two);
                Generic<int>(1);
                Ns.Type<int>.Static();
                p?.Inner?.Deep();
                p!.Bang();
                list[0].At();
                (await Load()).Use();
                ((Bar)p).Cast();
                (p as Bar).As();
                new Made(1) { Set = 2 }.Go();
                global::Root.Call();
                base.M(p);
                int.Parse("1");
                var f = new Named(a: 1);
            }
        }
        """,
    )
    assert list_references(found, CALL) == [
        "M: CALL |Plain 5 as (1,two) n=3",
        "M: CALL |Generic 6 as `1(1) n=2",
        "M: CALL Ns.Type<int>|Static 7 n=1",
        "M: CALL p.Inner|Deep 8 n=1",
        "M: CALL p|Bang 9 n=1",
        "M: CALL list[]|At 10 n=1",
        "M: CALL Load().await|Use 11 n=1",
        "M: CALL |Load 11 n=1",
        "M: CALL Bar()|Cast 12 n=1",
        "M: CALL Bar()|As 13 n=1",
        "M: CALL Made()|Go 14 n=1",
        "M: CALL |Made 14 as new(1) n=2",
        "M: CALL Root|Call 15 n=1",
        "M: CALL base|M 16 as (p) n=2",
        "M: CALL int|Parse 17 as (=string) n=2",
        "M: CALL |Named 18 as new(a:1) n=2",
    ]
    assert "M: USE Made()|Set 14" in list_references(found, USE)


def test_names_bound_in_functions_are_no_references() -> None:
    found = read(
        "a.cs",
        """
        class A<T>(int primary)
        {
            T M<U>(int p, U u)
            {
                var local = p + primary;
                foreach (var item in Items) { item.Go(); }
                foreach (Foo typed in Others) { typed.Go(); }
                if (p is Foo tested && Try(out var given, out Bar other))
                { tested.Go(); other.Go(); given.Go(); }
                try { } catch (Error error) { error.Go(); }
                Func<int, int> f = x => x + y;
                var (left, right) = Pair();
                var q = from a in As where a.B select a.C;
                goto end; end: Call(name: local, left, right);
                return default;
            }
        }
        """,
    )
    assert [line.split("|")[1] for line in list_references(found, USE)] == [
        "Items 6",
        "Others 7",
        "y 11",
        "As 13",
        "B 13",
        "C 13",
    ]
    assert list_references(found, BIND) == [
        "M: BIND |Items 6 as item n=4",
        "M: BIND |Foo 7 as typed",
        "M: BIND |Foo 8 as tested",
        "M: BIND |Try 8 as given n=15877",
        "M: BIND |Bar 8 as other",
        "M: BIND |Error 10 as error",
    ]
    assert [line.split()[2] for line in list_references(found, CALL) if "Go" in line] == [
        "item|Go",
        "typed|Go",
        "tested|Go",
        "other|Go",
        "given|Go",
        "error|Go",
    ]
    assert list_references(found, TYPE) == [
        "M: TYPE |Foo 7",
        "M: TYPE |Foo 8",
        "M: TYPE |Bar 8",
        "M: TYPE |Error 10",
        "M: TYPE |Func 11 n=2",
    ]


def test_usings() -> None:
    found = read(
        "a.cs",
        """
        global using System;
        using static System.Math;
        using Short = Long.Name<int>;
        namespace Outer { using Inner.Space; namespace Nested.Deep { class A { } } }
        """,
    )
    assert list_references(found, IMPORT) == [
        ": IMPORT | 1 as global using",
        ": IMPORT System|* 1 n=1",
        ": IMPORT System.Math|* 2",
        ": IMPORT Long|Name 3 as Short",
        "Outer: IMPORT Inner.Space|* 4",
    ]
    assert list_symbols(found) == [
        "Outer MODULE 4-4",
        "Outer.Nested.Deep MODULE 4-4",
        "Nested.Deep.A CLASS 4-4 INTERNAL",
    ]


def test_types_in_all_places() -> None:
    found = read(
        "a.cs",
        """
        class A
        {
            [Attr(1)] Ns.Outer.Inner? field;
            Dictionary<Key, List<Item>> map;
            (Left, Right) pair;
            object M<T>() where T : Bound => typeof(Typed) ?? (object)(Cast)x ?? y as As ?? new Arr[1];
            bool N(Given g) => g is Is;
        }
        """,
    )
    assert [line.split(": ")[1] for line in list_references(found, TYPE, ReferenceRole.ACCEPT)] == [
        "TYPE |AttrAttribute 3 n=1024",
        "TYPE |Attr 3 n=1024",
        "TYPE Ns.Outer|Inner 3",
        "TYPE |Dictionary 4 n=2",
        "TYPE |Key 4",
        "TYPE |List 4 n=1",
        "TYPE |Item 4",
        "TYPE |Left 5",
        "TYPE |Right 5",
        "TYPE |Bound 6",
        "TYPE |Typed 6",
        "TYPE |Cast 6",
        "TYPE |As 6",
        "TYPE |Arr 6",
        "ACCEPT |Given 7",
    ]


def test_branches_of_the_preprocessor_that_do_not_fit_together() -> None:
    found = read(
        "a.cs",
        """
        #if NEW
        namespace App {
        #else
        namespace Old {
        #endif
            class A { void M() { } }
        }
        """,
    )
    assert found.status is ParseStatus.PARTIAL
    assert list_symbols(found) == [
        "App MODULE 2-7",
        "App.A CLASS 6-6 INTERNAL",
        "A.M METHOD 6-6 PRIVATE ()/0 -> void",
    ]


@pytest.mark.parametrize(
    "text", ["class {", "namespace A { class B { void M( { } }", "<<<<<<< HEAD\nclass A { }"]
)
def test_errors_make_it_partial(text: str) -> None:
    assert read("a.cs", text).status is ParseStatus.PARTIAL


@pytest.mark.parametrize(
    "statement",
    [
        'var a = $@"""{b}""";',
        'var a = @$"x ""{b}""" + "y";',
        'var a = $@"""" + $@"""""" + b;',
        "T Made<T>(T a) where T : allows ref struct => a;",
        "void Take<T>(T a) where T : struct, allows ref struct { }",
        "a?.Changed += b;",
        "a?.b.Size = 1;",
    ],
)
def test_syntax_that_the_grammar_does_not_know_costs_no_members(statement: str) -> None:
    found = read("a.cs", f"class A {{ void F() {{ {statement} G(1); }} void G(int a) {{ }} }}")
    assert found.status is ParseStatus.FULL
    assert "A.G METHOD 1-1 PRIVATE (int a)/1 -> void" in list_symbols(found)
    assert "F: CALL |G 1 n=2" in [one.split(" as ")[0] + one[-4:] for one in list_references(found, CALL)]


def test_how_many_type_arguments_a_type_has() -> None:
    found = read(
        "a.cs",
        """
        class A<in TKey, TValue> : B<TKey, List<int>>, N.C<TKey> where TKey : D { }
        delegate R F<T, R>(T given);
        class E { object M(B b, B<int> c) { F(typeof(B<,>)); G<int>.Run(); return new N.C<int>(b < c); } }
        """,
    )
    symbols = list_symbols(found)
    assert "<in TKey, TValue>/0" in symbols[0]
    assert "<T, R>(T given)/1" in symbols[1]
    assert [line.split(": ")[1] for line in list_references(found) if "|List" not in line] == [
        "INHERIT |B 1 as <TKey, List<int>> n=2",
        "IMPLEMENT N|C 1 as <TKey> n=1",
        "USE |N 1 n=64",
        "BIND |D 1 as TKey",
        "TYPE |D 1",
        "ACCEPT |B 3",
        "ACCEPT |B 3 n=1",
        "CALL |F 3 as (=System.Type) n=2",
        "TYPE |B 3 n=2",
        "CALL G<int>|Run 3 n=1",
        "USE |G 3 n=1",
        "CALL N|C 3 as new`1(=bool) n=2",
        "USE |N 3 n=64",
    ]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("*(int*)(to + 1) = *(int*)(from + First());", ["CALL |First 5 n=1"]),
        ("*to++ = 255; *to-- = (byte)First();", ["CALL |First 5 n=1"]),
    ],
)
def test_what_is_written_through_pointers(statement: str, expected: list[str]) -> None:
    body = f"    void F(byte* to, byte* from)\n    {{\n        {statement}\n    }}\n"
    text = f"class A\n{{\n{body}    void G() {{ }}\n}}\n"
    found = read("a.cs", text)
    assert found.status is ParseStatus.FULL
    assert [line.split()[0] for line in list_symbols(found)] == ["A", "A.F", "A.G"]
    assert [line.split(": ")[1] for line in list_references(found, CALL)] == expected


def test_what_the_preprocessor_asks_for() -> None:
    found = read(
        "a.cs",
        """
        #if A && !(B || C)
        class One { }
        #elif D || E // "or"
        class Two { }
        #else
        class Three
        {
        #if !F
            void M(
        #if G
                [Some("x")]
        #endif
                string text, int number) { }
        #endif
        }
        #endif
        class Four { }
        """,
    )
    rows = map(found.get_reference, found.list_role(ReferenceRole.BIND))
    assert [(row.line, row.name) for row in rows if row.alias == CONDITIONS] == [
        (1, "A;!B;!C"),
        (3, "!A||B||C;D||E"),
        (5, "!A||B||C;!D;!E"),
        (8, "!A||B||C;!D;!E;!F"),
        (10, "!A||B||C;!D;!E;!F;G"),
        (12, "!A||B||C;!D;!E;!F"),
        (14, "!A||B||C;!D;!E"),
        (16, ""),
    ]
    method = 'Three.M METHOD 9-13 PRIVATE ( [Some("x")] string text, int number)/2 -> void'
    assert method in list_symbols(found)


def test_a_condition_around_an_attribute_ends_no_modifiers() -> None:
    found = read("a.cs", "class A\n{\n#if OLD\n    [Old]\n#endif\n    public int Lines;\n}\n")
    assert list_symbols(found)[1:] == ["A.Lines PROPERTY 3-6 PUBLIC -> int"]


def test_a_variable_named_async_costs_no_type() -> None:
    found = read(
        "a.cs",
        """
        class Store
        {
            internal async Task<int> Open(bool async, Token token)
            {
                await Read(async, token: token);
                Start(async () => await Read(async: false, token));
                if (async) return async ? 1 : Next(!async);
                return 0;
            }
            Task Read(bool async, Token token) => Later(async);
        }
        """,
    )
    assert list_symbols(found) == [
        "Store CLASS 1-11 INTERNAL",
        "Store.Open METHOD 3-9 INTERNAL ASYNC (bool async, Token token)/2 -> Task<int>",
        "Store.Read METHOD 10-10 PRIVATE (bool async, Token token)/2 -> Task",
    ]
    calls = [one.split(" as ")[0] for one in list_references(found, CALL)]
    assert {"Open: CALL |Read 5", "Open: CALL |Read 6", "Read: CALL |Later 10"} <= set(calls), calls
    assert found.status is ParseStatus.FULL


def test_a_text_as_a_key_may_have_any_value() -> None:
    found = read(
        "a.cs", 'class A { void Run() { var map = new Map { ["a"] = Find() ?? "b" }; } void End() { } }'
    )
    assert [one.split()[0] for one in list_symbols(found)] == ["A", "A.Run", "A.End"]
    assert found.status is ParseStatus.FULL


def test_a_text_with_errors_is_read_where_it_has_fewest() -> None:
    found = read(
        "a.cs",
        """
        class Store
        {
            void Open(bool async) { Find(out var one) = Next(async); }
            void Close(bool async) { Wait(async); }
        }
        """,
    )
    assert [one.split()[0] for one in list_symbols(found)] == ["Store", "Store.Open", "Store.Close"]
    assert found.status is ParseStatus.PARTIAL
