"""Spans of declarations, against the parser for Python and by example for others."""

from __future__ import annotations

import ast
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.languages.patterns import line_layout
from repo_mcp.languages.patterns.declared_spans import (
    MAX_NESTING,
    MAX_SPANS,
    DeclaredRow,
    list_declared_rows,
    list_declared_spans,
)
from repo_mcp.languages.patterns.landmarks import scan
from repo_mcp.languages.patterns.language_registry import LANGUAGES, find_language
from repo_mcp.languages.patterns.line_layout import NO_TEXT, TAB_COLUMNS, Layout
from tests.architecture.source_tree import list_files, load_module
from tests.counted_calls import count_calls
from tests.deep.sizes import choose
from tests.growth import assert_linear
from tests.repo_mcp.languages.patterns.snippets import SNIPPETS
from tests.repo_mcp.languages.patterns.test_every_language import TEXTS
from tests.repo_mcp.symbol_spans import list_symbol_spans

C = b"""#include <linux/list.h>

/* Finds it. */
static int find_it(struct list *head,
		   int key)
{
	if (key < 0)
		goto out;
#ifdef DEBUG
	dump(head);
#endif
out:
	return key;
}

#define LIMIT(x) \\
	((x) + 1)

int tail;
"""
TYPESCRIPT = b"""export interface Row {
  id: string;
}

@Component({ name: "view" })
export class View {
  private rows: Row[] = [];

  update(rows: Row[]): void {
    this.rows = rows.filter((row) => {
      return row.id !== "}";
    });
  }
}

export const load = async (
  id: string,
): Promise<Row> => {
  return fetchRow(id);
};
"""
GO = b"""package ledger

// Post adds an amount.
func (a *Account) Post(amount int) error {
	if amount < 0 {
		return ErrNegative
	}
	return nil
}

type Account struct {
	Name string
}
"""
MACROS = b"""#define ONE 1
#define TWO 2
struct item {
	int one;
};
#define LOOP(x) do { \\
	x(); \\
} while (0)
int after(void)
{
}
"""
BSD = b"""/* The first. */
static struct item *
first(int a)
{
	return (find(a));
}

__dead void __attribute__((cold))
second (a)
{
}

#define LIMIT 3
third(void)
{
	return;
}
"""
RUBY = b"""module Ledger
  class Account
    def post(amount)
      return unless amount
      @balance += amount
    end
  end
end
"""
MARKDOWN = b"""# Title

Text.

## First

```sh
# no heading
```

### Deeper

## Second
"""
PYTHON = b'''@cache
@other(
    1
)
async def outer(
    first: int,
    second: str = ")",
) -> None:
    """Doc

not indented
    """
    def inner() -> None:
        pass

    # a comment
    return inner


LIMIT = 3
'''


@pytest.mark.parametrize(
    ("path", "text", "spans"),
    [
        ("a.c", C, [("find_it", 3, 14), ("LIMIT", 16, 17)]),
        (
            "a.ts",
            TYPESCRIPT,
            [("Row", 1, 3), ("View", 5, 14), ("View.update", 9, 13), ("load", 16, 20)],
        ),
        ("a.go", GO, [("Account.Post", 3, 9), ("Account", 11, 13)]),
        (
            "a.rb",
            RUBY,
            [("Ledger", 1, 8), ("Ledger.Account", 2, 7), ("Ledger.Account.post", 3, 6)],
        ),
        (
            "a.md",
            MARKDOWN,
            [
                ("Title", 1, 13),
                ("Title.First", 5, 11),
                ("Title.First.Deeper", 11, 11),
                ("Title.Second", 13, 13),
            ],
        ),
        (
            "b.go",
            b"func Gather(\n\tseen map[uint64]struct{},\n\tin chan struct{},\n) error {\n\treturn nil\n}\n",
            [("Gather", 1, 6)],
        ),
        ("m.h", MACROS, [("ONE", 1, 1), ("TWO", 2, 2), ("item", 3, 5), ("LOOP", 6, 8), ("after", 9, 11)]),
        ("bsd.c", BSD, [("first", 1, 6), ("second", 8, 11), ("LIMIT", 13, 13), ("third", 14, 17)]),
        (
            "q.cpp",
            b"class Box {\n  Q_OBJECT\n  Box(int size) {\n  }\n};\n",
            [("Box", 1, 5), ("Box.Box", 3, 4)],
        ),
        ("b.ts", b"function open(\n  way: Way = {},\n) {\n  go(way);\n}\n", [("open", 1, 5)]),
        (
            "a.pyx",
            b"cdef class Row:\n    cdef int size\n    cdef void (*call)(int)\n    cpdef int count(self):\n"
            b"        return 1\n    cdef Row *_next(self, int at) except NULL:\n        return self\n\n"
            b"cdef inline object make(object row):\n    return row\n",
            [("Row", 1, 7), ("Row.count", 4, 5), ("Row._next", 6, 7), ("make", 9, 10)],
        ),
        (
            "heads.ts",
            b"class A {\n  merge<\n    K extends Key<V, Part<V>> = Key,\n    V = never,\n  >(\n    one:\n"
            b"      | K\n      | V,\n  ): Merged<\n    K,\n    V\n  > {\n    return join(one);\n  }\n"
            b"  of<T extends Row<U>, U>(row: T): U;\n  is<T>(row: T) {\n    return row;\n  }\n}\n",
            [("A", 1, 19), ("A.merge", 2, 14), ("A.is", 16, 18)],
        ),
        (
            "long.ts",
            b"class A {\n  b<\n"
            + b"    T,\n" * 40
            + b"  >(c: T) {\n    if (c) {\n      d();\n    }\n  }\n}\n",
            [("A", 1, 48), ("A.b", 2, 47)],
        ),
        ("a.py", PYTHON, [("outer", 1, 17), ("outer.inner", 13, 14), ("LIMIT", 20, 20)]),
        (
            "heads.dart",
            b"Matcher check(\n  Type type, {\n  String? text,\n}) =>\n    throwsA(\n      text,\n    );\n\n"
            b"bool get isOpen => (super.call(\n    1) as bool);\nvoid stop() {\n}\n",
            [("check", 1, 7), ("isOpen", 9, 10), ("stop", 11, 12)],
        ),
        (
            "heads.kt",
            b"class Entry(\n  val path: Path,\n\n  val pick: () -> Int = { 1 },\n) {\n  fun run() {\n  }\n}\n"
            b"val first = 1\nval second = 2\nfun after() {\n}\nfun short() = call(\n  1,\n)\n",
            [
                *(("Entry", 1, 8), ("Entry.run", 6, 7), ("first", 9, 9), ("second", 10, 10)),
                *(("after", 11, 12), ("short", 13, 15)),
            ],
        ),
        (
            "body.c",
            b"int read(void)\n{\n#define FAIL(x) \\\n{ \\\n  stop(x); \\\n}\n\n  return 1;\n}\n"
            b"#define MAKE(f) \\\nint f##_run(void) \\\n{ \\\n  f(); \\\n}\nint after(void)\n{\n}\n",
            [("read", 1, 9), ("read.FAIL", 3, 6), ("MAKE", 10, 14), ("after", 15, 17)],
        ),
        (
            "texts.rs",
            b'fn write(out: &mut Out) {\n    let mark = b\'"\';\n    out.write(r#"\nfn inner() {\n}\n"#);\n'
            b'    out.write("a \\" \n}\n");\n}\nstatic TEXT: &str = r"\n}\n";\n'
            b"fn after<'a>(b: &'a str) {}\n",
            [("write", 1, 10), ("TEXT", 11, 13), ("after", 14, 14)],
        ),
        (
            "long.cs",
            b"class A\n{\n    int Ask(\n"
            + b"        int a,\n" * 70
            + b"        int b)\n    {\n        return 1;\n    }\n"
            b"    int Tell(int a)\n    => Ask(\n        a);\n"
            b"    int[] List() =>\n    [\n        1\n    ];\n}\n",
            [("A", 1, 85), ("A.Ask", 3, 77), ("A.Tell", 78, 80), ("A.List", 81, 84)],
        ),
        (
            "heads.php",
            b"<?php\nfunction run(string $format = '{name}')\n{\n  a();\n}\n",
            [("run", 2, 5)],
        ),
        (
            "value.js",
            b"const wrapped = wrap(function () {\n  a()\n})\nconst next = 1\n",
            [("wrapped", 1, 3), ("next", 4, 4)],
        ),
        (
            "value.cs",
            b"class A\n{\n    Task Run() =>\n        Start(async () =>\n        {\n            a();\n"
            b"        });\n"
            b"    void Next()\n    {\n    }\n}\n",
            [("A", 1, 11), ("A.Run", 3, 7), ("A.Next", 8, 10)],
        ),
        (
            "a.scala",
            b"def run: Int =\n  val x = 1\n\n  x\n\nobject After\n",
            [("run", 1, 4), ("run.x", 2, 2), ("After", 6, 6)],
        ),
        (
            "a.hs",
            b"add :: Int -> Int\nadd 0 = 1\nadd x\n  | x > 1 = 2\n\nadder :: Int\nadder = 3\n(<+>) :: Int\n"
            b"a <+> b = a\n",
            [("add", 1, 4), ("adder", 6, 7), ("<+>", 8, 9)],
        ),
        (
            "a.clj",
            b'(defn mix\n  "Mixes.\n\nIn the first column ("\n  [out]\n  \\( out)\n\n'
            b"(ns ^{:a 1}\n  app.core\n  (:b))\n",
            [("mix", 1, 6), ("app.core", 9, 10)],
        ),
        (
            "a.sql",
            b"CREATE FUNCTION add() RETURNS int AS $$\nBEGIN\n  RETURN 1;\nEND;\n$$ LANGUAGE sql;\n"
            b"CREATE VIEW rows AS\nSELECT 1;\nCREATE TRIGGER t\nBEGIN\n  a;\nEND;\n",
            [("add", 1, 5), ("rows", 6, 7), ("t", 8, 11)],
        ),
        (
            "a.m",
            b"@implementation Cache\n- (void)clear {\n  a();\n}\n@end\n@interface Row : Base\n@end\n",
            [("Cache", 1, 5), ("Cache.clear", 2, 4), ("Row", 6, 7)],
        ),
        (
            "Dockerfile",
            b"FROM alpine AS build\nRUN make\nFROM scratch AS final\nCOPY a b\n",
            [("build", 1, 2), ("final", 3, 4)],
        ),
        ("run.sh", b"ONE=1\nTWO=2\nrun() {\n  a\n}\n", [("ONE", 1, 1), ("TWO", 2, 2), ("run", 3, 5)]),
        (
            "a.rb",
            b"def read\n  a\nrescue Error => e\n  b\nelse\n  c\nensure\n  d\nend\ndef after\n  e\nend\n",
            [("read", 1, 9), ("after", 10, 12)],
        ),
        (
            "a.rb",
            b"module A\n class B\n  def x\n   1\n  end\n private\n\n  def y\n   2\n  end\n end\nend\n",
            [("A", 1, 12), ("A.B", 2, 11), ("A.B.x", 3, 5), ("A.B.y", 8, 10)],
        ),
        (
            "a.rb",
            b"class A\nprivate\n\n  def x\n   1\n  end\nend\nclass B; end\nprivate\ndef y\n 1\nend\n",
            [("A", 1, 7), ("A.x", 4, 6), ("B", 8, 8), ("y", 10, 12)],
        ),
        (
            "a.rb",  # only the class goes on behind `private`
            b"class A\n  LIMIT = 3\n  def x; end\n  class E < F; end\n  private\n    def y\n    end\nend\n",
            [("A", 1, 8), ("A.LIMIT", 2, 2), ("A.x", 3, 3), ("A.E", 4, 4), ("A.y", 6, 7)],
        ),
        (
            "a.rb",  # a comment stands before the `rescue`, and is not that of the constant
            b"def read\n  a\n# why\nrescue Error\n  b\nend\n\nALL = 1\n# of b\ndef b(\n  c\n)\n  d\nend\n",
            [("read", 1, 6), ("ALL", 8, 8), ("b", 9, 14)],
        ),
        (
            "a.rb",
            b"class A\n  def x\n    f(<<~ONE, <<-'TWO')\nend\n      ONE\ndef y\nTWO\n    z\n  end\n"
            b"  @a = 1 << B\n  def w\n<<END\nend\nEND\n  end\nend\n",
            [("A", 1, 16), ("A.x", 2, 9), ("A.w", 11, 15)],
        ),
        (
            "a.php",
            b"it's\n<?php\nclass A {\n  const B = 1; // {\n  const C = 2; # of {@see B}\n"
            b"  const D = <<<'E'\n}\nclass F {\nE;\n"
            b"  function g() { // don't\n    return '\n}\nfunction h() {}\n';\n  }\n}\n?> isn't\n",
            [("A", 3, 16), ("A.B", 4, 4), ("A.C", 5, 5), ("A.D", 6, 9), ("A.g", 10, 15)],
        ),
        ("a.php", b"<?php\nfunction a() {\n  b('\n}\nfunction c() {\n}\n", [("a", 2, 4), ("c", 5, 6)]),
        (
            "a.sh",
            b"run() {\n  cat <<END\n}\nother() {\nEND\n}\nTWO=$((1 <<TWO))\nlast() {\n  a\n}\n",
            [("run", 1, 6), ("TWO", 7, 7), ("last", 8, 10)],
        ),
        (
            "a.cs",
            b'class A\n{\n  void B(char c = \'"\')\n  {\n    f(@"a ""b""\n}\nvoid C() {\n", c);\n  }\n'
            b'  const string D = $@"\n}\nclass E {\n{a}";\n  // it\'s @"\n'
            b'  void F()\n  {\n    f("""\n}\n""");\n  }\n}\n',
            [("A", 1, 21), ("A.B", 3, 9), ("A.D", 10, 13), ("A.F", 14, 20)],
        ),
        (
            "a.cs",
            b'class A\n{\n    void B()\n    {\n#line 1 "b"\n  if (c) {\n    if (d) {\n    }\n}\n'
            b'f("}");\n    }\n    void D() { }\n}\n',
            [("A", 1, 13), ("A.B", 3, 11), ("A.D", 12, 12)],
        ),
        (
            "a.cs",
            b"class A : B\n\n{\n    public F<int> C { get; set; } = x =>\n    {\n"
            b"        return x;\n    };\n\n    void D()\n    {\n        C(1);\n    }\n}\n",
            [("A", 1, 13), ("A.C", 4, 7), ("A.D", 9, 12)],
        ),
        (
            "a.kt",
            b"class A(\n" + b"  /** One. */\n  val b: Int,\n" * 20 + b") {\n  fun c() {\n  }\n}\n",
            [("A", 1, 45), ("A.c", 43, 44)],
        ),
        (
            "a.ts",
            b"class A {\n  b(\n    c: D\n  ): E<\n    F\n  > {\n    const g = /[`/]/;\n"
            b"    m(`${n.o(/`/, {})}\n`);\n    h(`i\n}\nfunction j() {`, c);\n  }\n  k() {}\n}\n"
            b"type L = M<\n  N | `o`\n>;\ntype P = Q<R>;\n",
            [("A", 1, 15), ("A.b", 2, 13), ("A.k", 14, 14), ("L", 16, 18), ("P", 19, 19)],
        ),
        (
            "a.rs",
            b"trait A {\n  fn b(\n    &self,\n  ) -> C\n  where\n    D: E;\n\n  fn f(&self);\n}\n",
            [("A", 1, 9), ("A.b", 2, 6), ("A.f", 8, 8)],
        ),
        (
            "a.go",
            b"func A() {\n\tb(`c\n}\nfunc d() {\n`, '`')\n}\n\nfunc E() {\n}\n",
            [("A", 1, 6), ("E", 8, 9)],
        ),
        ("a.java", b"class A {\n  int B = 1; // {x}\n  void c() { }\n}\n", [("A", 1, 4), ("A.c", 3, 3)]),
        (
            "a.java",
            b"class A {\n  int b(int c,\n        int d) {\n    e();\n//    f();\n    return d;\n  }\n"
            b"  // G\n  void h() { }\n}\n",
            [("A", 1, 10), ("A.b", 2, 7), ("A.h", 8, 9)],
        ),
        ("a.jl", b"try\nconst A = 1\nelse\nend\n", [("A", 2, 2)]),
        ("a.json", b'{"a": 1}', []),
        ("a.py", b"", []),
    ],
)
def test_spans(path: str, text: bytes, spans: list[tuple[str, int, int]]) -> None:
    found = list_symbol_spans(path, text)
    assert [(one.qualified_name, one.start_line, one.end_line) for one in found] == spans


def test_extensions_may_have_another_language() -> None:
    assert list_symbol_spans("a.foo", PYTHON) == ()
    assert len(list_symbol_spans("a.foo", PYTHON, {"foo": "python"})) == 3


@pytest.mark.sized
def test_python_declarations_end_where_the_parser_says() -> None:
    """Every function and class of our own, with the lines from its decorators to its end."""
    files = list_files()
    for module in map(load_module, random.sample(files, choose(50, len(files)))):
        lines = module.text.splitlines()
        spans = list_symbol_spans(module.path, module.text.encode())
        found = {(one.name, one.name_line): one for one in spans}
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                span, place = found[node.name, node.lineno], f"{node.name} of {module.path}"
                first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
                comments = lines[span.start_line - 1 : first - 1]
                assert span.end_line == node.end_lineno, place
                assert span.start_line <= first, place
                assert all(line.lstrip().startswith("#") for line in comments), place


@given(
    st.sampled_from(["a.py", "a.c", "a.ts", "a.md", "a.rb", "a.go", "a.toml", "a.rst"]),
    st.lists(
        st.sampled_from(
            ["def f():", "  def g(", "):", "class A:", "    pass", "{", "}", "  }", "", "# x", "int f(int a)",
             "function f() {", "'''", "/* x", "*/", "## h", "===", "[t]", "end", "@d", "func f() {", "  }, {"]
        ),
        max_size=25,
    ),
)  # fmt: skip
def test_spans_of_any_text_are_inside_it_and_nested_or_disjoint(path: str, lines: list[str]) -> None:
    text = "\n".join(lines).encode()
    spans = list_symbol_spans(path, text)
    for one in spans:
        assert 1 <= one.start_line <= one.name_line <= one.end_line <= max(1, len(lines))
    for one in spans:
        for other in spans:
            inside = other.start_line <= one.start_line and one.end_line <= other.end_line
            around = one.start_line <= other.start_line and other.end_line <= one.end_line
            apart = one.end_line < other.start_line or other.end_line < one.start_line
            assert inside or around or apart


@pytest.mark.parametrize("unit", ["class A {\n", "int f(int a) {\n", "#define A \\\n"])
def test_endless_nesting_is_cut(unit: str) -> None:
    spans = list_symbol_spans("a.ts" if unit[0] == "c" else "a.c", (unit * 1_000).encode())
    assert len(spans) >= 999
    assert max(one.qualified_name.count(".") for one in spans) <= MAX_NESTING
    assert all(one.start_line <= one.end_line <= 1_000 for one in spans)


def test_of_very_many_declarations_the_first_are_listed() -> None:
    """Four hundred thousand headings in a file of 1.6 MB took 200 MB of memory."""
    spans = list_symbol_spans("a.md", b"# a\n" * (MAX_SPANS + 10_000))
    assert len(spans) == MAX_SPANS
    assert spans[-1].name_line == MAX_SPANS


PIECES = [
    *("#define A 1", "#define B(x) \\", "  int a;", "void f(", "int x)", "{", "}", "", "  ", "struct s {"),
    *(
        "};",
        "// c",
        "int c; // {",
        "int d; /* }",
        "/* d",
        " */",
        "int b[] = {",
        "a = 1; ",
        "f({},",
        "#endif",
        "\tq {}",
        "static int",
    ),
    "g(void)",
]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("\n".join))
def test_heads_end_as_if_each_of_their_lines_were_looked_at(text: str) -> None:
    found = list_symbol_spans("a.c", text.encode())
    with pytest.MonkeyPatch.context() as patch:
        every = "repo_mcp.languages.patterns.line_layout.Layout.iter_stops"
        patch.setattr(every, lambda layout, line, end: range(line, end))
        patch.setattr(every.replace("iter_stops", "_continues_macros"), lambda layout, line: False)
        assert list_symbol_spans("a.c", text.encode()) == found


INDENTATION = st.text(" \t\f", max_size=12) | st.integers(0, 200).map("\t ".__mul__)


@given(st.lists(st.tuples(INDENTATION, st.sampled_from(["", "x", "x ;"])), min_size=1, max_size=40))
def test_indentation_is_measured_as_by_lines(parts: list[tuple[str, str]]) -> None:
    lines = ["x", *(indentation + text for indentation, text in parts)]
    layout = Layout("\n".join(lines).encode(), [], "c")
    for line, depth in zip(lines, layout.depths, strict=False):  # a last line without text is none
        expanded = line.expandtabs(TAB_COLUMNS)
        wanted = len(expanded) - len(expanded.lstrip()) if line.strip() else NO_TEXT
        assert depth == wanted


def test_macros_outside_of_the_wanted_lines_are_left_out() -> None:
    macros = b"".join(b"#define REGISTER_%d %d\n" % (at, at) for at in range(90))
    text = b"int f(void)\n{\n" + macros + b"}\n"
    whole, near = list_rows(text), list_rows(text, (11, 20))
    around = [row for row in whole if row[3] <= 20 and row[1] >= 11]
    assert [row for row in near if row in around] == around
    assert len(near) == len(around) + 1 < len(whole)  # and the first macro, which stands below no other


def test_what_begins_after_the_wanted_lines_is_left_out() -> None:
    text = b"".join(b"/* %d */\nint f%d(void)\n{\n}\n\n" % (at, at) for at in range(90))
    whole, near = list_rows(text), list_rows(text, (52, 56))
    assert [row[4] for row in near] == [row[4] for row in whole[:12]]  # the comment of the last is line 56
    assert near == whole[:12]


def list_rows(text: bytes, within: tuple[int, int] | None = None) -> list[DeclaredRow]:
    language = find_language("a.c")
    landmarks = scan(language, text)
    return list_declared_rows(Layout(text, landmarks.doc_spans, "c"), landmarks.definitions, within)


EVERY = sorted({line for text, *_ in [*TEXTS.values(), *SNIPPETS.values()] for line in text.split("\n")})


@given(st.data())
def test_what_is_around_some_lines_is_found_as_in_a_search_for_all(data: st.DataObject) -> None:
    """In every language, of lines from any of them."""
    language = LANGUAGES[data.draw(st.sampled_from(sorted(LANGUAGES)))]
    pool = st.sampled_from(data.draw(st.lists(st.sampled_from([*PIECES, *EVERY]), min_size=1, max_size=12)))
    lines = data.draw(st.lists(pool, min_size=1, max_size=40))
    text = "".join(f"{line}\n" for line in lines).encode()
    first = data.draw(st.integers(1, len(lines)))
    last = data.draw(st.integers(first, len(lines)))
    landmarks = scan(language, text)
    whole, near = (
        list_declared_rows(Layout(text, landmarks.doc_spans, language.name), landmarks.definitions, within)
        for within in (None, (first, last))
    )
    found = [row for row in near if row[0] <= last and row[1] >= first]
    assert found == [row for row in whole if row[0] <= last and row[1] >= first]


def test_a_parameter_that_is_a_function_is_not_declared() -> None:
    text = b"""\
export function matchAll(
  items: Item[],

  matcher: (signature: string) => boolean,
  other = (first: number) => first + 1,
): Item[] {
  return items.filter(item => matcher(item.signature));
}
const options = {
  onClick: (event) => {
    go();
  },
};
listen(8080, {
  onClose: () => stop(),
});
"""
    found = [
        (span.qualified_name, span.head_line, span.end_line)
        for span in list_declared_spans(find_language("a.ts"), text)
    ]
    assert found == [
        ("matchAll", 1, 8),
        ("options", 9, 13),
        ("options.onClick", 10, 12),
        ("onClose", 15, 15),
    ]


def test_names_of_cpp_have_the_signs_of_destructors_and_operators() -> None:
    text = (
        b"struct Pot {\n  ~Pot() { drain(); }\n  int operator()(int a) { return a; }\n"
        b"  operator bool() const { return full; }\n  int operator[](int a) { return a; }\n};\n"
    )
    spans = list_declared_spans(find_language("pot.cpp"), text)
    assert [one.qualified_name for one in spans] == [
        "Pot",
        "Pot.~Pot",
        "Pot.operator()",
        "Pot.operator bool",
        "Pot.operator[]",
    ]


def test_lines_of_hundreds_of_depths_are_not_listed_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"{' ' * depth}function f{depth}() {{\n" for depth in range(60)) + "x\n" * 500
    listed = count_calls(monkeypatch, Layout, "_list_outer")
    spans = list_declared_spans(find_language("a.js"), text.encode())
    monkeypatch.setattr(line_layout, "MAX_LISTED", 1_000)
    monkeypatch.setattr(line_layout, "FAR_LINES", 100)
    assert sum(end - start > 500 for _, start, end, _ in listed) == 60
    listed.clear()
    assert list_declared_spans(find_language("a.js"), text.encode()) == spans
    assert sum(end - start > 500 for _, start, end, _ in listed) == 2


def test_the_next_line_that_is_not_deeper_is_found_without_a_step_over_those_before() -> None:
    """The spans of a file of 60,000 functions took 5 s, four of them for these steps."""

    def find_each(layout: Layout) -> None:
        for line in range(len(layout.lines)):
            next(layout.iter_outer(line, 0), None)

    assert_linear(lambda count: Layout(b"x\n" * count, (), "python"), find_each, 4_000)


def test_what_csharp_says_of_lines_is_looked_for_once_in_a_text() -> None:
    def write(count: int) -> bytes:
        return b"class A {\n" + b"  void F() { G(); }\n" * count + b"}\n"

    class Text(bytes):
        searched = 0

        def __contains__(self, part: object) -> bool:
            self.searched += part == b"#line "
            return super().__contains__(part)  # type: ignore[operator]

    text = Text(write(50))
    assert len(list_declared_spans(find_language("A.cs"), text)) == 51
    assert text.searched == 1
