"""Outlines by line patterns: kinds, ends and nesting in several languages, and texts made to be slow."""

from __future__ import annotations

import pytest

from repo_mcp.languages.outline.lexical_adapter import LexicalAdapter
from repo_mcp.languages.patterns.language_registry import find_language
from tests.deep.sizes import choose

ADAPTER = LexicalAdapter(find_language)
Row = tuple[str, str, int, int, str | None]


def rows(path: str, text: str) -> list[Row]:
    outline = ADAPTER.outline(path, text)
    assert outline.parser == "lexical"
    assert outline == ADAPTER.outline(path, text)
    return [(one.kind, one.name, one.start_line, one.end_line, one.parent_symbol) for one in outline.symbols]


def test_c() -> None:
    text = (
        "#define MAX(a, b) \\\n\t((a) > (b))\n\n"
        "/* An item. */\nstruct item {\n\tint key;\n};\n\n"
        "static struct item table[] = {\n\t{ 1 },\n};\n\n"
        "struct item *find(int key)\n{\n#ifdef X\n\tif (key)\n\t\tgoto out;\n#endif\nout:\n\treturn 0;\n}\n"
        "int main(int argc,\n\t char **argv)\n{\n\treturn 0;\n}\n"
    )
    assert rows("a.c", text) == [
        ("macro", "MAX", 1, 2, None),
        ("struct", "item", 5, 7, None),
        ("variable", "table", 9, 11, None),
        ("function", "find", 13, 21, None),
        ("function", "main", 22, 26, None),
    ]
    main = ADAPTER.outline("a.c", text).symbols[-1]
    assert main.signature == "int main(int argc, char **argv)"


def test_a_function_whose_type_stands_above_it() -> None:
    text = (
        "/* Finds one. */\nstatic struct item *\nfind(int key,\n    int most)\n{\n\treturn (get(key));\n}\n"
    )
    assert rows("a.c", text) == [("function", "find", 2, 7, None)]
    (symbol,) = ADAPTER.outline("a.c", text).symbols
    assert symbol.signature == "static struct item * find(int key, int most)"
    assert symbol.doc == "Finds one."
    assert rows("a.rs", "fn\nfind(x: i32) {\n}\n") == []  # C alone is written so


def test_java_with_annotations_comments_and_constructors() -> None:
    text = (
        "package a;\n\n/**\n * Keeps accounts.\n */\n@Entity\npublic class Book extends Base {\n"
        "    private static final int LIMIT = 3;\n\n    @Override\n    public String name(int a,\n"
        "            int b) {\n        return f(a);\n    }\n\n    void close() { }\n}\n"
    )
    assert rows("Book.java", text) == [
        ("class", "Book", 6, 17, None),
        ("constant", "LIMIT", 8, 8, "Book"),
        ("method", "name", 10, 14, "Book"),
        ("method", "close", 16, 16, "Book"),
    ]
    symbols = ADAPTER.outline("Book.java", text).symbols
    assert symbols[0].doc == "Keeps accounts."
    assert symbols[2].signature == "public String name(int a, int b)"
    assert symbols[2].scope_kind == "class"


def test_csharp_documentation_is_read_without_its_tags() -> None:
    text = (
        "/// <summary>\n/// Adds <see cref=\"Item\"/> to the <paramref name='all'/> list.\n/// </summary>\n"
        "public class Adder\n{\n    /// <summary>Is <langword>true</langword> or 1 < 2.</summary>\n"
        "    public bool Done() => true;\n}\n"
    )
    symbols = ADAPTER.outline("Adder.cs", text).symbols
    assert [one.doc for one in symbols] == ["Adds Item to the all list.", "Is true or 1 < 2."]


def test_csharp_members_that_implement_an_interface_belong_to_their_type() -> None:
    text = (
        "public class RetryFilter<T> :\n    IFilter<T>\n{\n"
        "    async Task IFilter<T>.Send(T context, IPipe<T> next)\n    {\n        await next.Send(context);\n"
        "    }\n\n    void IProbeSite.Probe(Message context) => Run();\n\n"
        "    Type ISite<Message>.Target\n    {\n        get { return typeof(T); }\n    }\n}\n"
    )
    assert rows("RetryFilter.cs", text) == [
        ("class", "RetryFilter", 1, 15, None),
        ("method", "Send", 4, 7, "RetryFilter"),
        ("method", "Probe", 9, 9, "RetryFilter"),
        ("property", "Target", 11, 14, "RetryFilter"),
    ]


def test_types_of_csharp_in_capitals_are_no_keywords() -> None:
    text = (
        "class A\n{\n    public Type Of(Message it) => null;\n    Task<IList<Message>> Read(int count);\n"
        "    public Type Kind { get; }\n}\n"
    )
    assert [row[:2] for row in rows("A.cs", text)] == [
        ("class", "A"),
        ("method", "Of"),
        ("method", "Read"),
        ("property", "Kind"),
    ]


def test_typescript() -> None:
    text = (
        "export const limit = 3;\nexport const run = async (a: number) => {\n  return a;\n};\n"
        "export interface Item {\n  key: string;\n}\nclass Store {\n  get(key: string): Item {\n"
        "    return this.items[key];\n  }\n}\ntype Keys = 'a' | 'b';\n"
    )
    assert rows("a.ts", text) == [
        ("constant", "limit", 1, 1, None),
        ("function", "run", 2, 4, None),
        ("interface", "Item", 5, 7, None),
        ("class", "Store", 8, 12, None),
        ("method", "get", 9, 11, "Store"),
        ("type_alias", "Keys", 13, 13, None),
    ]


def test_rust_and_go_headers_of_several_lines() -> None:
    rust = (
        "/// Reads.\npub fn read<T>(\n    a: T,\n) -> Result<T>\nwhere\n    T: Copy,\n{\n    a\n}\n"
        "#[derive(Debug)]\npub struct Item {\n    key: u8,\n}\nconst LIMIT: u8 = 3;\n"
    )
    assert rows("a.rs", rust) == [
        ("function", "read", 2, 9, None),
        ("struct", "Item", 10, 13, None),
        ("constant", "LIMIT", 14, 14, None),
    ]
    assert ADAPTER.outline("a.rs", rust).symbols[0].doc == "Reads."
    go = (
        "type Item struct {\n\tKey int\n}\n\n"
        "func (i *Item) Get(\n\ta int,\n) int {\n\treturn a\n}\nvar x = 1\n"
    )
    assert [row[:4] for row in rows("a.go", go)] == [
        ("struct", "Item", 1, 3),
        ("method", "Get", 5, 9),
        ("variable", "x", 10, 10),
    ]


@pytest.mark.parametrize("macros", ["MACRO", "OPTION TABLE", "ANY_API(1)"])
def test_a_macro_before_the_name_of_a_class_is_no_keyword(macros: str) -> None:
    assert rows("a.cpp", f"class {macros} Shape {{\n}};\n") == [("class", "Shape", 1, 2, None)]


def test_a_macro_in_the_call_of_another_is_declared_and_holds_what_its_arms_do() -> None:
    text = (
        "macro_rules! doc {\n    ($made:item) => { $made };\n}\n\n#[cfg(not(doc))]\n"
        "doc! {macro_rules! pick {\n    ($x:expr) => {{\n        const COUNT: u32 = 1;\n        $x\n"
        "    }};\n}}\n\nfn after() {\n}\n"
    )
    assert rows("a.rs", text) == [
        ("macro", "doc", 1, 3, None),
        ("macro", "pick", 5, 11, None),
        ("constant", "COUNT", 8, 8, "pick"),
        ("function", "after", 13, 14, None),
    ]


def test_types_of_go_and_their_kinds() -> None:
    text = "type A struct {\n}\ntype B[T any] interface {\n}\ntype C int\ntype D = structure.Map\n"
    assert [row[:2] for row in rows("a.go", text)] == [
        ("struct", "A"),
        ("interface", "B"),
        ("type_alias", "C"),
        ("type_alias", "D"),
    ]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "a.rs",
            "mod m {\n    impl<T: Fn(u8) -> bool> Foo<T> {\n        #[inline]\n        fn bar() {\n"
            "            fn inner() {\n            }\n        }\n    }\n    fn free() {\n    }\n}\n",
            [
                ("module", "m", 1, 11, None),
                ("impl", "impl Foo<T>", 2, 8, "m"),
                ("method", "bar", 3, 7, "m.Foo"),
                ("function", "inner", 5, 6, "m.Foo.bar"),
                ("function", "free", 9, 10, "m"),
            ],
        ),
        (
            "b.rs",
            "impl fmt::Display for &mut a::B<'_>\nwhere\n    X: for<'a> Y<'a>,\n{\n    fn fmt() {\n    }\n}\n"
            "impl Empty {}\nimpl Tr for (A, B) {\n    fn pair() {\n    }\n}\nfn free() {\n}\n",
            [
                ("impl", "impl fmt::Display for &mut a::B<'_>", 1, 7, None),
                ("method", "fmt", 5, 6, "B"),
                ("impl", "impl Empty", 8, 8, None),
                ("impl", "impl Tr for (A, B)", 9, 12, None),
                ("function", "pair", 10, 11, None),
                ("function", "free", 13, 14, None),
            ],
        ),
        (
            "a.go",
            "func (s *Stack[T]) Pop() T {\n}\nfunc (Stack[T]) Len() int {\n}\nfunc Free() {\n}\n",
            [
                ("method", "Pop", 1, 2, "Stack"),
                ("method", "Len", 3, 4, "Stack"),
                ("function", "Free", 5, 6, None),
            ],
        ),
        (
            "a.cc",
            "void Outer<T>::Inner::run(int a) {\n}\nQ::~Q() {\n}\nstd::string free_one(int a) {\n}\n",
            [
                ("method", "run", 1, 2, "Outer.Inner"),
                ("method", "~Q", 3, 4, "Q"),
                ("function", "free_one", 5, 6, None),
            ],
        ),
    ],
)
def test_members_outside_of_their_types(
    path: str, text: str, expected: list[tuple[str, str, int, int, str | None]]
) -> None:
    assert rows(path, text) == expected


def test_languages_that_end_blocks_with_words() -> None:
    ruby = "module A\n  class B\n    # Runs.\n    def run(x)\n      x\n    end\n  end\nend\n"
    assert rows("a.rb", ruby) == [
        ("module", "A", 1, 8, None),
        ("class", "B", 2, 7, "A"),
        ("method", "run", 4, 6, "A.B"),
    ]
    assert rows("a.lua", "local function f(a)\n  return a\nend\nfunction g() end\n") == [
        ("function", "f", 1, 3, None),
        ("function", "g", 4, 4, None),
    ]


def test_methods_of_ruby_in_modules_and_of_the_class_itself() -> None:
    text = """\
module Depot
  def count
  end
  class << self
    def open(path) # :doc:
    end
    class Lock
      def free = nil
    end
  end
  Box = Struct.new(:size) do
    def -@
    end
  end
  def self.close
  end
end
def main
end
"""
    symbols = ADAPTER.outline("a.rb", text).symbols
    assert [(one.kind, one.parent_symbol, one.signature) for one in symbols] == [
        ("module", None, "module Depot"),
        ("method", "Depot", "def count"),
        ("method", "Depot", "def self.open(path)"),
        ("class", "Depot", "class Lock"),
        ("method", "Depot.Lock", "def free = nil"),
        ("class", "Depot", "Box = Struct.new(:size)"),
        ("method", "Depot.Box", "def -@"),
        ("method", "Depot", "def self.close"),
        ("function", None, "def main"),
    ]


def test_blocks_of_ruby_that_a_call_names() -> None:
    text = """\
RSpec.describe Depot::Row, type: :model do
  describe "#open" do
    it "takes \\"any\\" path" do
    end
    let(:row) { 1 }
    it { is_expected.to work }
  end
end
class RowTest < Test
  test "it opens" do |row|
  end
  test.call "nothing" do
  end
end
rows = namespace :rows do
  task import: :load do
  end
  task "all" => [:import]
end
initializer "rows.load", before: :all do
end
"""
    symbols = ADAPTER.outline("a.rb", text).symbols
    assert [(one.kind, one.parent_symbol, one.name, one.start_line, one.end_line) for one in symbols] == [
        ("suite", None, "Depot::Row", 1, 8),
        ("suite", "Depot::Row", "#open", 2, 7),
        ("test", "Depot::Row.#open", 'takes \\"any\\" path', 3, 4),
        ("class", None, "RowTest", 9, 14),
        ("test", "RowTest", "it opens", 10, 11),
        ("namespace", None, "rows", 15, 19),
        ("task", "rows", "import", 16, 17),
        ("task", "rows", "all", 18, 18),
        ("initializer", None, "rows.load", 20, 21),
    ]
    assert symbols[4].signature == 'test "it opens"'


@pytest.mark.parametrize(
    ("path", "text", "signature"),
    [
        ("a.rb", "def a(b = '#', # first (\n      c: 1) # second\nend\n", "def a(b = '#', c: 1)"),
        ("a.rb", 'URL = "a # b"\n', 'URL = "a # b"'),
        ("a.lua", "function a(b) -- (see c\nend\n", "function a(b)"),
        ("a.kt", "fun a(b: B) { // (see c\n}\n", "fun a(b: B)"),
    ],
)
def test_a_signature_ends_before_a_comment(path: str, text: str, signature: str) -> None:
    assert ADAPTER.outline(path, text).symbols[0].signature == signature


@pytest.mark.parametrize(
    ("path", "text", "signature"),
    [
        ("a.kt", "class A(\n  val b: B,\n) : C(b),\n  D {\n}\n", "class A( val b: B, ) : C(b), D"),
        ("a.kt", "class A :\n  C(),\n  D {\n  val e = 1\n}\n", "class A : C(), D"),
        ("a.kt", "class A(val b: B)\n\nclass C : D\n", "class A(val b: B)"),
        ("a.cs", "class A\n    : B,\n      C\n{\n}\n", "class A : B, C"),
        ("A.java", "class A\n    extends B\n    implements C {\n}\n", "class A extends B implements C"),
        ("a.ts", "class A<T> implements\n  B<T>,\n  C {\n}\n", "class A<T> implements B<T>, C"),
        ("a.kt", "class A(\n  /** Why (not. */\n  val b: B,\n) {\n}\n", "class A( val b: B, )"),
        ("a.scala", "object A:\n  def b = 1\n", "object A:"),
        ("a.rb", "class A < B # :nodoc:\n  def c(d)\n  end\nend\n", "class A < B"),
        ("a.rb", "class A # of one, two,\n  LIMIT = 3\nend\n", "class A"),
        ("a.swift", "class A: B { // as in:\n  let c = 1\n}\n", "class A: B"),
        ("A.java", "class A // see the\n    extends B {\n}\n", "class A extends B"),
        ("a.scala", "class A(b: Int)\n    extends B\n    with C {\n}\n", "class A(b: Int) extends B with C"),
    ],
)
def test_a_signature_of_a_type_names_what_it_derives_from(path: str, text: str, signature: str) -> None:
    assert ADAPTER.outline(path, text).symbols[0].signature == signature


def test_python_without_a_parser() -> None:
    text = (
        "class A(B):\n    '''About.'''\n    async def m(\n        self,\n    ) -> None:\n"
        "        text = '''\nx\n'''\n"
        "        return text\n# between\n\n@cache\ndef f():\n    pass\n"
    )
    assert rows("a.pyx", text) == [
        ("class", "A", 1, 9, None),
        ("async_method", "m", 3, 9, "A"),
        ("function", "f", 12, 14, None),
    ]
    symbols = ADAPTER.outline("a.pyx", text).symbols
    assert symbols[0].doc == "About."
    assert symbols[1].signature == "async def m( self, ) -> None"


def test_ends_are_those_of_declared_spans() -> None:
    text = '(defn mix!\n  "Mixes.\n\nFirst column."\n  [out]\n  out)\n(defn- next? [x] x)\n'
    assert rows("a.clj", text) == [("function", "mix!", 1, 6, None), ("function", "next?", 7, 7, None)]
    text = "@implementation Cache\n- (void)clear {\n  a();\n}\n@end\n"
    assert [row[1:] for row in rows("a.m", text)] == [("Cache", 1, 5, None), ("clear", 2, 4, "Cache")]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.clj", "(defn greet [x]\n  x)\n", [("function", "greet")]),
        ("a.f90", "subroutine solve(a)\nend subroutine\n", [("function", "solve")]),
        ("a.ps1", "function Get-Item {\n  1\n}\n", [("function", "Get-Item")]),
        ("a.nim", "proc greet(x: int) =\n  echo x\n", [("function", "greet")]),
        ("a.erl", "start(A) ->\n  A.\n", [("function", "start")]),
        ("a.graphql", "type User {\n  id: ID\n}\n", [("type", "User")]),
        ("a.clj", "(def limit 3)\n(defmulti area :shape)\n", [("variable", "limit"), ("function", "area")]),
        (
            "a.ml",
            "let add x y = x\nlet limit = 3\nlet rec f = function A -> 1\ntype row = int\n",
            [("function", "add"), ("variable", "limit"), ("function", "f"), ("type", "row")],
        ),
        ("a.mli", "val add : int -> int\nval limit : int\n", [("function", "add"), ("variable", "limit")]),
        (
            "a.m",
            "@implementation Row\n- (void)put:(id)row {\n}\n@end\n",
            [("class", "Row"), ("method", "put")],
        ),
        ("a.sql", "CREATE DOMAIN mail AS text;\n", [("type_alias", "mail")]),
        ("Dockerfile", "FROM alpine AS build\n", [("stage", "build")]),
    ],
)
def test_languages_without_patterns_of_their_own(
    path: str, text: str, expected: list[tuple[str, str]]
) -> None:
    assert [row[:2] for row in rows(path, text)] == expected


MANY = choose(25_000, 100_000)
HOSTILE = {
    "deep.c": "".join(" " * depth + f"int f{depth}(void) {{\n" for depth in range(1_500)) + "\n" * 5 * MANY,
    "deep.pyx": "".join(" " * depth + "def f():\n" for depth in range(1_500)) + "#\n" * 3 * MANY,
    "one_line.js": "function f(){}" * MANY,
    "open.java": "void f(\n" * MANY,
    "braces.c": "int f(void)\n" + "{\n" * 4 * MANY,
    "macros.c": "#define A(x) \\\n" * MANY,
    "at.java": "@A\n" * 3 * MANY + "void f() {\n}\n",
    "spaces.rb": (" " * 50_000 + "\n") * 30 + "def f\nend\n",
}


@pytest.mark.sized
@pytest.mark.parametrize("path", HOSTILE)
def test_texts_made_to_be_slow_or_large_are_outlined(path: str) -> None:
    outline = ADAPTER.outline(path, HOSTILE[path])
    assert len(outline.symbols) <= 10_000
    assert all(1 <= one.start_line <= one.end_line for one in outline.symbols)
    assert sum(len(one.signature) for one in outline.symbols) < 5_000_000


def test_methods_of_javascript_are_functions_whatever_stands_before_their_names() -> None:
    text = "class A {\n  static make (a) {\n  }\n  #hide (a) {\n  }\n  static #both(a) {\n  }\n}\n"
    assert rows("a.js", text) == [
        ("class", "A", 1, 8, None),
        ("method", "make", 2, 3, "A"),
        ("method", "hide", 4, 5, "A"),
        ("method", "both", 6, 7, "A"),
    ]


TYPED = """\
export const thunk: Thunk<State> =
  (name, arg) => (dispatch) => {
    run(name)
  }
export function build<
  Query extends Base,
  Key extends string,
>({ api }: {
  api: Api<Query, Key>
}) {
  const patch: Patch<Query> =
    (name) => (dispatch) => {
      dispatch(name)
    }
  const load: Loader<
    Result,
    Meta & { state: State<any> }
  > = async (arg, { signal }) => {
    return arg
  }
  const fetchAhead =
    <Name extends Keys<Query>>(
      name: Name,
      options: Options = {},
    ): Action<void> =>
    (dispatch) => {
      dispatch(name)
    }
  const count: number =
    compute(load)
  return { patch, load, fetchAhead }
}
export const slice = make({
  reducers: {
    add(
      state,
      { payload: { value } }: Payload<{ value: number }>,
    ) {
      state.push(value)
    },
  },
})
export class Box<
  Item,
> extends Base<Item> {
  open() {
    return 1
  }
}
"""


def test_typescript_with_values_and_type_parameters_on_further_lines() -> None:
    assert rows("build.ts", TYPED) == [
        ("function", "thunk", 1, 4, None),
        ("function", "build", 5, 32, None),
        ("function", "patch", 11, 14, "build"),
        ("constant", "load", 15, 20, "build"),
        ("function", "fetchAhead", 21, 28, "build"),
        ("constant", "slice", 33, 41, None),
        ("function", "add", 35, 40, "slice"),
        ("class", "Box", 43, 49, None),
        ("method", "open", 46, 48, "Box"),
    ]


def test_an_outline_of_a_language_without_a_reader_says_so() -> None:
    grammar = ADAPTER.outline("calc.y", "%left ADD\n%%\nsum : sum ADD sum ;\n")
    assert (grammar.symbols, grammar.warnings) == (
        (), ("Declarations of yacc are not recognised here; search for words instead.",),
    )  # fmt: skip
    assert not ADAPTER.outline("calc.lua", "return 1\n").warnings


def test_empty_lines_may_part_javadoc_from_what_it_documents() -> None:
    text = (
        "package a;\n\n/**\n * Keeps accounts.\n */\n\n"
        "public class Book {\n    // a note\n\n    void close() { }\n}\n"
    )
    assert [one.doc for one in ADAPTER.outline("Book.java", text).symbols] == ["Keeps accounts.", None]
    assert ADAPTER.outline("Book.java", text.partition("\n\n")[2]).symbols[0].doc is None


def test_a_method_of_java_may_return_a_type_that_is_named_like_a_keyword() -> None:
    text = "class Book {\n    static Class<?> find(Object one) {\n    }\n    Record last() { }\n}\n"
    assert [(kind, name) for kind, name, *_ in rows("Book.java", text)] == [
        ("class", "Book"),
        ("method", "find"),
        ("method", "last"),
    ]
