"""C#: a small repository, every edge of which was checked by hand."""

from __future__ import annotations

import pytest

from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.repo_mcp.graph.resolved import Repository

SHAPES = """
    using System;
    namespace Shop.Shapes;

    public interface IShape
    {
        double Area();
        string Name { get; }
    }

    public interface ISolid : IShape
    {
        double Volume();
    }

    public abstract class Shape : IShape
    {
        protected int scale = 1;
        public Shape(int scale) { this.scale = scale; }
        public abstract double Area();
        public virtual string Name => "shape";
        protected void Log(string text) { Console.WriteLine(text); }
        protected void Log(string text, int level) { }
    }
"""
SQUARE_1 = """
    namespace Shop.Shapes
    {
        /// <summary>Half of it.</summary>
        public partial class Square : Shape, ISolid
        {
            private readonly Square inner = new(2);
            public Square(int side) : base(side) { Side = side; }
            public Square() : this(1) { }
            public int Side { get; set; }
            public override double Area() { Log("a"); Log("b", 2); return Side * scale; }
        }
    }
"""
SQUARE_2 = """
    namespace Shop.Shapes
    {
        public partial class Square
        {
            public double Volume() => Area() * this.Side;
            public Square Grow(int by) { Square.Count(by); return new Square(Side + by); }
            public static int Count(params int[] items) => items.Length;
            public class Corner { public int Angle; }
            partial void OnGrown();
        }
    }
"""
EXTENSIONS = """
    using Shop.Shapes;
    namespace Shop.Tools
    {
        public static class ShapeExtensions
        {
            public static double Doubled(this IShape shape) => shape.Area() * 2;
            public static double Doubled(this IShape shape, int times) => shape.Area() * times;
            public static string Shout(this string text) => text.ToUpper();
            public static Square Copied(this IShape shape) => null;
        }
    }
    namespace Other
    {
        public static class OtherExtensions
        {
            public static double Doubled(this Shop.Shapes.IShape shape) => 0;
        }
    }
"""
PROGRAM = """
    using System.Collections.Generic;
    using Shop.Shapes;
    using Shop.Tools;
    using Box = Shop.Shapes.Square;
    using static Shop.Tools.Calculator;

    namespace Shop;

    public record Order(Square Item, int Amount);

    public class Program
    {
        private readonly List<Square> squares = new();
        private Square Field = new Square(3);

        public void Run(IShape given, string word, Order order)
        {
            var made = new Square(1);
            var grown = made.Grow(2);
            grown.Volume();
            made.Name.Trim();
            given.Area();
            given.Doubled();
            made.Doubled(3);
            word.Shout(); made.Copied().Grow(17);
            foreach (var one in squares) { one.Grow(4); }
            squares[0].Grow(5);
            Box box = new Box();
            box.Side = 6;
            Twice(7);
            order.Item.Grow(8);
            order.Amount.CompareTo(1);
            this.Field.Grow(9);
            Field?.Grow(10);
            ((Square)given).Grow(11);
            var corner = new Square.Corner { Angle = 12 };
            if (given is Square tested) { tested.Grow(13); }
            Make().Grow(14);
            int Local(int x) { return x; }
            Local(15);
            new Square().Area();
            System.Console.WriteLine(word);
            Shop.Shapes.Square.Count(1, 2, 3);
        }

        private Square Make() => new Square(1) { Side = 16 };
        public override string ToString() { return base.ToString(); }
    }
"""
CALCULATOR = """
    namespace Shop.Tools;
    public static class Calculator
    {
        public static int Twice(int x) => x * 2;
        public static int Twice(int x, int y) => x * y;
    }
"""


@pytest.fixture(scope="module")
def shop() -> Repository:
    return Repository.build(
        {
            "Shapes.cs": SHAPES,
            "Square.cs": SQUARE_1,
            "Square.Parts.cs": SQUARE_2,
            "Extensions.cs": EXTENSIONS,
            "Calculator.cs": CALCULATOR,
            "Program.cs": PROGRAM,
        }
    )


GROW = "Square.Parts.cs:6 Grow exact"
SQUARE = ["Square.cs:4 Square exact", "Square.Parts.cs:3 Square exact"]
ONE_ARGUMENT = "Square.cs:7 Square exact"
NO_ARGUMENT = "Square.cs:8 Square exact"


@pytest.mark.parametrize(
    ("line", "name", "expected"),
    [
        # a new instance: the constructor that fits, and all parts of the type
        ("var made = new Square(1)", "Square", [ONE_ARGUMENT, *SQUARE]),
        ("new Square().Area()", "Square", [NO_ARGUMENT, *SQUARE]),
        ("private Square Field", "Square", [*SQUARE, ONE_ARGUMENT]),
        ("Box box = new Box()", "Box", [*SQUARE, NO_ARGUMENT]),
        # members through what variables were given
        ("made.Grow(2)", "Grow", [GROW]),
        ("grown.Volume()", "Volume", ["Square.Parts.cs:5 Volume exact"]),
        ("made.Name.Trim()", "Name", ["Shapes.cs:20 Name exact"]),
        ("one.Grow(4)", "Grow", [GROW]),
        ("squares[0].Grow(5)", "Grow", [GROW]),
        ("box.Side = 6", "Side", ["Square.cs:9 Side exact"]),
        ("order.Item.Grow(8)", "Grow", [GROW]),
        ("order.Item.Grow(8)", "Item", ["Program.cs:9 Item exact"]),
        ("this.Field.Grow(9)", "Grow", [GROW]),
        ("this.Field.Grow(9)", "Field", ["Program.cs:14 Field exact"]),
        ("Field?.Grow(10)", "Grow", [GROW]),
        ("((Square)given).Grow(11)", "Grow", [GROW]),
        ("tested.Grow(13)", "Grow", [GROW]),
        ("Make().Grow(14)", "Grow", [GROW]),
        ("Make().Grow(14)", "Make", ["Program.cs:46 Make exact"]),
        ("Side = 16", "Side", ["Square.cs:9 Side exact"]),
        ("new Square().Area()", "Area", ["Square.cs:10 Area exact"]),
        # interfaces
        ("given.Area();", "Area", ["Shapes.cs:6 Area exact"]),
        # extension methods: by the number of arguments, and only those in sight
        ("given.Doubled()", "Doubled", ["Extensions.cs:6 Doubled exact"]),
        ("made.Doubled(3)", "Doubled", ["Extensions.cs:7 Doubled exact"]),
        ("word.Shout()", "Shout", ["Extensions.cs:8 Shout probable"]),
        ("made.Copied().Grow(17)", "Grow", [GROW]),
        # static usings, nested types, local functions, full names
        ("Twice(7)", "Twice", ["Calculator.cs:4 Twice exact"]),
        ("new Square.Corner", "Corner", ["Square.Parts.cs:8 Corner exact"]),
        ("new Square.Corner", "Angle", ["Square.Parts.cs:8 Angle exact"]),
        ("Local(15)", "Local", ["Program.cs:39 Local exact"]),
        ("Shop.Shapes.Square.Count", "Count", ["Square.Parts.cs:7 Count exact"]),
        # outside
        ("System.Console.WriteLine(word)", "WriteLine", ["-> System.Console.WriteLine"]),
        ("List<Square> squares", "List", ["-> List"]),
        ("List<Square> squares", "Square", SQUARE),
    ],
)
def test_program(shop: Repository, line: str, name: str, expected: list[str]) -> None:
    assert sorted(shop.ask("Program.cs", line, name)) == sorted(expected)


@pytest.mark.parametrize(
    ("path", "line", "name", "expected"),
    [
        ("Square.cs", 'Log("a")', "Log", ["Shapes.cs:21 Log exact", "Shapes.cs:22 Log exact"]),
        ("Square.cs", "return Side * scale", "scale", ["Shapes.cs:17 scale exact"]),
        ("Square.cs", ": base(side)", "Shape", ["Shapes.cs:18 Shape exact", "Shapes.cs:15 Shape exact"]),
        ("Square.cs", ": this(1)", "Square", [ONE_ARGUMENT, *SQUARE]),
        ("Square.cs", "inner = new(2)", "Square", [*SQUARE, ONE_ARGUMENT]),
        ("Square.cs", "public partial class Square", "Shape", ["Shapes.cs:15 Shape exact"]),
        ("Square.cs", "public partial class Square", "ISolid", ["Shapes.cs:10 ISolid exact"]),
        ("Shapes.cs", "interface ISolid : IShape", "IShape", ["Shapes.cs:4 IShape exact"]),
        ("Square.Parts.cs", "Area() * this.Side", "Area", ["Square.cs:10 Area exact"]),
        ("Square.Parts.cs", "Area() * this.Side", "Side", ["Square.cs:9 Side exact"]),
        ("Square.Parts.cs", "Square.Count(by)", "Count", ["Square.Parts.cs:7 Count exact"]),
        ("Extensions.cs", "shape.Area() * 2", "Area", ["Shapes.cs:6 Area exact"]),
        ("Program.cs", "base.ToString()", "ToString", []),
    ],
)
def test_types_in_parts(shop: Repository, path: str, line: str, name: str, expected: list[str]) -> None:
    assert sorted(shop.ask(path, line, name)) == sorted(expected)


def test_usings(shop: Repository) -> None:
    roles = (ReferenceRole.IMPORT,)
    assert shop.ask("Program.cs", "using System.Collections", "*", *roles) == [
        "-> System.Collections.Generic"
    ]
    assert shop.ask("Program.cs", "using Shop.Tools;", "*", *roles) == [
        "Extensions.cs:2 Shop.Tools exact",
    ]
    assert shop.ask("Program.cs", "using Box", "Box", *roles) == [
        "Square.Parts.cs:3 Square exact",
        "Square.cs:4 Square exact",
    ]
    assert shop.ask("Program.cs", "using static", "*", *roles) == ["Calculator.cs:2 Calculator exact"]


def test_global_usings_hold_for_every_file() -> None:
    found = Repository.build(
        {
            "Usings.cs": "global using App.Models;\nglobal using Person = App.Models.User;\n",
            "Models.cs": "namespace App.Models;\npublic class User { public void Save() { } }\n",
            "Main.cs": "class Main {\n  void Go(User a, Person b) {\n    a.Save();\n    b.Save();\n  }\n}\n",
        }
    )
    assert found.ask("Main.cs", "a.Save()", "Save") == ["Models.cs:2 Save exact"]
    assert found.ask("Main.cs", "b.Save()", "Save") == ["Models.cs:2 Save exact"]


def test_a_type_that_no_using_shows_is_not_exact() -> None:
    found = Repository.build(
        {
            "A.cs": "namespace App.Models;\npublic class Thing { }\n",
            "B.cs": "namespace App.Views;\nclass View { Thing shown; }\n",
            "C.cs": "namespace Elsewhere;\nclass Other { Thing shown; }\n",
        }
    )
    assert found.ask("B.cs", "shown", "Thing") == ["A.cs:2 Thing probable"]
    assert found.ask("C.cs", "shown", "Thing") == ["-> Thing"]


def test_members_of_unknown_values_are_guessed_by_name_and_arguments() -> None:
    found = Repository.build(
        {
            "A.cs": "class A { public void Launch(int x) { } public void Both() { } }\n",
            "B.cs": "class B { public void Both() { } }\n",
            "C.cs": """
                class C {
                  void M(dynamic d) {
                    d.Launch(1);
                    d.Launch(1, 2);
                    d.Both();
                    d.ToString();
                  }
                }
            """,
        }
    )
    assert found.ask("C.cs", "d.Launch(1);", "Launch") == ["A.cs:1 Launch probable"]
    assert found.ask("C.cs", "d.Launch(1, 2)", "Launch") == []
    assert found.ask("C.cs", "d.Both()", "Both") == ["A.cs:1 Both possible", "B.cs:1 Both possible"]
    assert found.ask("C.cs", "d.ToString()", "ToString") == []


def test_cycles_of_bases_end() -> None:
    found = Repository.build(
        {"A.cs": "class A : B { void M() { Missing(); } }\nclass B : C { }\nclass C : A { }\n"}
    )
    assert found.ask("A.cs", "Missing()", "Missing") == ["-> Missing"]


def test_thousands_of_overloads_are_bounded() -> None:
    methods = "\n".join(f"  void Many(T{number} x) {{ }}" for number in range(4_000))
    text = f"class A {{\n{methods}\n  void Go() {{ Many(1); }}\n}}\n"
    found = Repository.build({"A.cs": text})
    said = found.ask("A.cs", "Many(1)", "Many")
    assert len(said) == 12
    assert all(one.endswith("possible") for one in said)


GENERIC = {
    "Types.cs": """
        namespace N;
        interface IFoo { void Plain(); }
        interface IFoo<T> : IFoo { void Typed(); }
        partial class Foo { public Foo() { } public void Go() { } public static Foo Make() => null; }
        partial class Foo<T> { public Foo(int a) { } public void Go(int a = 0) { } public void Only() { } }
        class Two<A, B> { }
    """,
    "Parts.cs": """
        namespace N;
        partial class Foo { void Own() { Go(); } }
        partial class Foo<T> { void Own() { Go(1); } }
    """,
    "Use.cs": """
        namespace N;
        class A : IFoo<int> { }
        class B : IFoo { }
        class C : Two<int> { }
        class D : Two<int, List<string>> { }
        class User
        {
            void Take(Foo<int> typed, Foo plain, IFoo<int> one)
            {
                typed.Go();
                plain.Go();
                one.Plain();
                var made = new Foo<int>(1);
                var other = new Foo();
                made.Only();
                other.Only();
                Foo.Make();
            }
        }
    """,
}


@pytest.mark.parametrize(
    ("path", "line", "name", "expected"),
    [
        ("Use.cs", "class A", "IFoo", ["Types.cs:3 IFoo exact"]),
        ("Use.cs", "class B", "IFoo", ["Types.cs:2 IFoo exact"]),
        ("Types.cs", "interface IFoo<T>", "IFoo", ["Types.cs:2 IFoo exact"]),
        ("Use.cs", "class C", "Two", ["-> Two"]),
        ("Use.cs", "class D", "Two", ["Types.cs:6 Two exact"]),
        ("Use.cs", "typed.Go", "Go", ["Types.cs:5 Go exact"]),
        ("Use.cs", "plain.Go", "Go", ["Types.cs:4 Go exact"]),
        ("Use.cs", "one.Plain", "Plain", ["Types.cs:2 Plain exact"]),
        (
            "Use.cs",
            "new Foo<int>(1)",
            "Foo",
            ["Types.cs:5 Foo exact", "Types.cs:5 Foo exact", "Parts.cs:3 Foo exact"],
        ),
        ("Use.cs", "made.Only", "Only", ["Types.cs:5 Only exact"]),
        ("Use.cs", "other.Only", "Only", []),
        ("Use.cs", "Foo.Make", "Make", ["Types.cs:4 Make exact"]),
        ("Parts.cs", "Go();", "Go", ["Types.cs:4 Go exact"]),
        ("Parts.cs", "Go(1);", "Go", ["Types.cs:5 Go exact"]),
    ],
)
def test_types_of_one_name_differ_in_their_type_parameters(
    path: str, line: str, name: str, expected: list[str]
) -> None:
    found = Repository.build(GENERIC)
    assert sorted(found.ask(path, line, name)) == sorted(dict.fromkeys(expected))


def test_a_task_is_what_it_gives_when_it_is_awaited_and_not_before() -> None:
    found = Repository.build(
        {
            "Reader.cs": """
                namespace N;
                class Reader { public void Close(int times = 0) { } }
                static class Extensions
                {
                    public static Task<TTo> CastResult<TFrom, TTo>(this Task<TFrom> task) => null;
                    public static void Forget(this Task task) { }
                    public static void Quiet(this Reader reader) { }
                }
            """,
            "Use.cs": """
                namespace N;
                class User
                {
                    Task<Reader> Open() => null;
                    Task<List<Reader>> All() => null;
                    async Task Run(Task<Reader> given)
                    {
                        Open().CastResult<Reader, object>();
                        Open().Forget();
                        Open().Quiet();
                        Open().Start();
                        (await Open()).Close();
                        (await Open()).Quiet();
                        (await Open().ConfigureAwait(false)).CloseIt();
                        Open().Result.Close(1);
                        var opened = await Open();
                        opened.Close(2);
                        var opening = Open();
                        opening.CastResult<Reader, int>();
                        (await opening).Close(3);
                        (await given).Close(4);
                        var later = await opening;
                        later.Close(5);
                        foreach (var one in await All()) { one.Close(6); }
                        given.CastResult<Reader, int>();
                    }
                }
            """,
        }
    )
    cast, forget, quiet = (
        ["Reader.cs:5 CastResult exact"],
        ["Reader.cs:6 Forget exact"],
        ["Reader.cs:7 Quiet exact"],
    )
    close = ["Reader.cs:2 Close exact"]
    assert found.ask("Use.cs", "Open().CastResult<", "CastResult") == cast
    assert found.ask("Use.cs", "Open().Forget", "Forget") == forget
    assert found.ask("Use.cs", "Open().Quiet", "Quiet") == ["-> System.Threading.Tasks.Task.Quiet"]
    assert found.ask("Use.cs", "Open().Start", "Start") == ["-> System.Threading.Tasks.Task.Start"]
    assert found.ask("Use.cs", "(await Open()).Close", "Close") == close
    assert found.ask("Use.cs", "(await Open()).Quiet", "Quiet") == quiet
    assert found.ask("Use.cs", "CloseIt", "CloseIt") == []
    for number in range(1, 7):
        assert found.ask("Use.cs", f"Close({number})", "Close") == close
    assert found.ask("Use.cs", "opening.CastResult", "CastResult") == cast
    assert found.ask("Use.cs", "given.CastResult", "CastResult") == cast


def test_extension_methods_of_values_whose_types_lie_outside() -> None:
    found = Repository.build(
        {
            "Mapper.cs": """
                using System.Data;
                namespace N;
                public interface IOwn { }
                public static class Mapper
                {
                    public static object Ask(this IDbConnection given, string text, int more = 0) => null;
                    public static T Ask<T>(this IDbConnection given, string text, int more = 0) => default;
                    public static int Fire(this IDbConnection given, string text) => 0;
                    public static int Tell(this IOwn given) => 0;
                    public static T Kept<T>(this T given) => given;
                    public static int Sum2<T>(this IEnumerable<T> given) => 0;
                    public static int Count(this IDbConnection given) => 0;
                }
            """,
            "Use.cs": """
                using System.Data.Common;
                using N;
                class Base { protected DbConnection connection => null; }
                class Pool : DbConnection { }
                class Own { }
                class User : Base
                {
                    void Use(Pool pool, IDbConnection plain, Own own, List<Own> owns)
                    {
                        connection.Ask("1");
                        connection.Ask<int>("2");
                        connection.Fire("3");
                        connection.Tell();
                        connection.Count();
                        pool.Fire("4");
                        plain.Fire("5");
                        own.Fire("6");
                        own.Kept();
                        owns.Sum2();
                    }
                }
            """,
        }
    )
    assert found.ask("Use.cs", 'Ask("1")', "Ask") == ["Mapper.cs:6 Ask probable"]
    assert found.ask("Use.cs", "Ask<int>", "Ask") == ["Mapper.cs:7 Ask probable"]
    assert found.ask("Use.cs", '"3"', "Fire") == ["Mapper.cs:8 Fire probable"]
    assert found.ask("Use.cs", "Tell", "Tell")[0].endswith("DbConnection.Tell")  # none outside can be an IOwn
    assert found.ask("Use.cs", "Count", "Count")[0].endswith("DbConnection.Count")
    assert found.ask("Use.cs", '"4"', "Fire") == ["Mapper.cs:8 Fire probable"]
    assert found.ask("Use.cs", '"5"', "Fire") == ["Mapper.cs:8 Fire probable"]
    assert found.ask("Use.cs", '"6"', "Fire") == []
    assert found.ask("Use.cs", "Kept", "Kept") == ["Mapper.cs:10 Kept probable"]
    assert found.ask("Use.cs", "Sum2", "Sum2") == ["Mapper.cs:11 Sum2 exact"]


def test_an_attribute_means_the_class_of_attributes() -> None:
    marks = Repository.build(
        {
            "Marks.cs": """
                using System;
                namespace Marks;
                public class Key { }
                public class KeyAttribute : Attribute { public KeyAttribute(int order) { } }
                public class Bare : Attribute { }
                public class Below : Bare { }
                public class Row { }
                public class Generic<T> : Attribute { }
                """,
            "Used.cs": """
                namespace Marks;
                public class Used
                {
                    [Key(1)] public int A;
                    [KeyAttribute(2)] public int B;
                    [Marks.Key(3)] public int C;
                    [Bare] public int D;
                    [Below] public int E;
                    [Row] public int F;
                    [Obsolete] public int G;
                    [Generic<int>] public int H;
                    public Key I;
                }
                """,
        }
    )
    key = ["Marks.cs:4 KeyAttribute exact"]

    def ask(line: str, name: str) -> list[str]:
        return marks.ask("Used.cs", line, name)

    assert ask("int A", "KeyAttribute") == ask("int B", "KeyAttribute") == ask("int C", "KeyAttribute") == key
    assert ask("int A", "Key") == ask("int C", "Key") == []
    assert ask("int D", "Bare") == ["Marks.cs:5 Bare exact"]
    assert ask("int E", "Below") == ["Marks.cs:6 Below exact"]
    assert ask("int F", "Row") == ["-> RowAttribute"]
    assert ask("int G", "Obsolete") == ["-> ObsoleteAttribute"]
    assert ask("int H", "Generic") == ["Marks.cs:8 Generic exact"]
    assert ask("public Key I", "Key") == ["Marks.cs:3 Key exact"]


def test_a_property_that_is_called_like_its_type_gives_way_to_a_static_member() -> None:
    text = """
        namespace Art;
        public class Color { public static Color Red; }
        public class Pen {
            public Color? Color { get; set; }
            public int Width { get; set; }
            object A() => Color.Red;
            object B() => Width;
        }
    """
    art = Repository.build({"a.cs": text})
    assert art.ask("a.cs", "object A", "Color", ReferenceRole.USE) == ["a.cs:2 Color exact"]
    assert art.ask("a.cs", "object B", "Width") == ["a.cs:5 Width exact"]


def test_a_using_means_no_member_that_is_called_like_a_namespace() -> None:
    found = Repository.build(
        {
            "a.cs": "using System;\nusing Shop;\nclass A : B { }\n",
            "b.cs": "namespace Shop { class B { string System { get; } string Shop { get; } } }\n",
        }
    )
    assert found.ask("a.cs", "using System;", "*") == ["-> System"]
    assert found.ask("a.cs", "using Shop;", "*") == ["b.cs:1 Shop exact"]


def test_an_argument_of_an_unknown_type_may_want_what_a_base_declares() -> None:
    found = Repository.build(
        {
            "a.cs": """
                enum Token { None }
                class Node { }
                class Base { protected void Set(Token token) { } }
                class Reader : Base
                {
                    void Set(Node node) { }
                    void Run(Node node, Token? token)
                    {
                        Set(node);
                        Set(token.FindAny());
                    }
                }
            """,
        }
    )
    assert found.ask("a.cs", "Set(node);", "Set") == ["a.cs:6 Set exact"]
    assert found.ask("a.cs", "FindAny", "Set") == ["a.cs:6 Set possible", "a.cs:3 Set possible"]


def test_what_the_preprocessor_leaves_of_a_name() -> None:
    found = Repository.build(
        {
            "a.cs": """
                #if OLD
                enum Flags { One }
                static class Bridge { public static int Tell(this Stone stone) => 1; }
                #endif
                #if NEW
                class Stone { public void Roll() { } }
                #else
                class Stone { public void Roll(int by = 1) { } }
                #endif
                class Book
                {
                #if NEW
                    public int Pages;
                #endif
                #if !NEW
                    public int Words;
                #endif
                #if OLD
                    [Old]
                #endif
                    public int Lines;
                }
            """,
            "b.cs": """
                class User
                {
                    Flags outside;
                #if OLD
                    Flags inside;
                #endif
                #if OTHER
                    Flags related;
                #endif
                    Stone twin;
                    void Use(Book book)
                    {
                        Print(book.Lines);
                #if NEW
                        Print(book.Words);
                        Print(book.Pages);
                #else
                        Print(book.Words + 1);
                #endif
                    }
                }
            """,
        }
    )
    assert found.ask("b.cs", "outside", "Flags") == ["a.cs:2 Flags possible"]  # or what another assembly has
    assert found.ask("b.cs", "inside", "Flags") == ["a.cs:2 Flags exact"]
    assert found.ask("b.cs", "related", "Flags") == ["a.cs:2 Flags probable"]
    assert found.ask("b.cs", "twin", "Stone") == ["a.cs:6 Stone probable", "a.cs:8 Stone probable"]
    assert found.ask("b.cs", "book.Lines", "Lines") == ["a.cs:18 Lines exact"]
    assert found.ask("b.cs", "(book.Pages", "Pages") == ["a.cs:13 Pages exact"]
    assert found.ask("b.cs", "Print(book.Words);", "Words") == ["-> Words"]
    assert found.ask("b.cs", "book.Words + 1", "Words") == ["a.cs:16 Words exact"]


def test_an_instance_is_made_of_a_type_whatever_members_have_its_name() -> None:
    found = Repository.build(
        {
            "a.cs": """
                class Coder
                {
                    public Coder(int size) { }
                    static Coder() { }
                }
                class Writer
                {
                    Coder Coder { get; set; }
                    void Open() { Coder = new Coder(1); }
                    void Close() { Coder = new Coder(); }
                }
            """,
        }
    )
    assert found.ask("a.cs", "new Coder(1)", "Coder", ReferenceRole.CALL) == [
        "a.cs:3 Coder exact",
        "a.cs:1 Coder exact",
    ]
    made = found.ask("a.cs", "new Coder()", "Coder", ReferenceRole.CALL)
    assert made == ["a.cs:1 Coder exact"]  # the type alone: nobody calls a static constructor


def test_what_a_use_may_not_name_is_not_meant() -> None:
    found = Repository.build(
        {
            "a.cs": """
                interface IList { int Add(object item); }
                class Base
                {
                    public void Add(string item) { }
                    public static int Read(object value) => 1;
                    private static int Read(string value) => 2;
                    void Inside() { Read("a"); }
                }
                class Row : Base, IList
                {
                    int IList.Add(object item) => 1;
                    void Run() { Add("b"); Base.Read("c"); }
                }
            """,
        }
    )
    assert found.ask("a.cs", "Inside", "Read") == ["a.cs:6 Read exact"]
    assert found.ask("a.cs", "Run", "Read") == ["a.cs:5 Read exact"]
    assert found.ask("a.cs", "Run", "Add") == ["a.cs:4 Add exact"]


def test_a_member_is_sure_only_where_nothing_else_may_fit_better() -> None:
    found = Repository.build(
        {
            "a.cs": """
                using System;
                class Rule
                {
                    public void Check(Token token) { }
                    public void Check2(Token token) { }
                    public void Put(int? number) { }
                    public void Put(object any) { }
                }
                static class Rules { public static void Check(this Rule rule, Action<int> act) { } }
                class Own : Collection
                {
                    public void Remove(string key) { }
                    public void Go(Rule rule, Key key, Guid? id)
                    {
                        rule.Check(x => { });
                        rule.Check2(key);
                        Remove(key);
                        Remove("text");
                        GetType(1);
                    }
                    void GetType(string a, string b) { }
                }
            """,
        }
    )
    assert found.ask("a.cs", "rule.Check(x", "Check") == ["a.cs:4 Check probable"]
    assert found.ask("a.cs", "rule.Check2", "Check2") == ["a.cs:5 Check2 exact"]
    assert found.ask("a.cs", "Remove(key)", "Remove") == ["a.cs:12 Remove probable"]
    assert found.ask("a.cs", 'Remove("text")', "Remove") == ["a.cs:12 Remove exact"]
    assert found.ask("a.cs", "GetType(1)", "GetType") == ["a.cs:21 GetType possible"]


def test_extension_methods_of_an_unknown_receiver_are_distinguished_by_what_is_given() -> None:
    found = Repository.build(
        {
            "a.cs": """
                static class Texts
                {
                    public static string Fill(this string text, object one) => "";
                    public static string Fill(this string text, object one, object two) => "";
                    private static string Fill(this string text, params object[] all) => "";
                }
                class User { string Go(int a) => "x".Fill(a); }
            """,
        }
    )
    assert found.ask("a.cs", "class User", "Fill") == ["a.cs:3 Fill probable"]
