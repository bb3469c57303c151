"""Parsers on the capture walk: one sample of every language as readable text, then single features."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.languages.c.cpp_headers import looks_like_cpp
from repo_mcp.languages.capture_parsers import PARSERS
from repo_mcp.languages.symbol_parsers import find_parser_task, run_parser_task
from repo_mcp.languages.treesitter.parser import MAX_PARSED_BYTES
from repo_mcp.symbols.symbol_record import (
    Access,
    DeclaredSymbol,
    ParseStatus,
    Reference,
    ReferenceRole,
    SymbolFlag,
    SymbolKind,
    SymbolRecord,
    decode_symbol_record,
)
from tests.deep.sizes import choose
from tests.growth import assert_linear
from tests.repo_mcp.languages.structure_text import render_structure

SAMPLES = Path(__file__).parent / "structures"
SUFFIXES = {"go": "go", "java": "java", "rust": "rs", "c": "c", "cpp": "cpp", "swift": "swift"}


def parse(language: str, text: str | bytes, name: str = "") -> SymbolRecord:
    data = text.encode() if isinstance(text, str) else text
    return decode_symbol_record(PARSERS[language](name or f"a.{SUFFIXES[language]}", data))


def find(structure: SymbolRecord, name: str) -> DeclaredSymbol:
    ordinal, *_ = structure.find_symbols(name)
    return structure.get_symbol(ordinal)


def list_rows(structure: SymbolRecord, *roles: ReferenceRole) -> list[Reference]:
    return [structure.get_reference(row) for row in structure.list_role(*roles)]


def list_names(structure: SymbolRecord, *roles: ReferenceRole) -> list[str]:
    return [
        f"{one.qualifier}.{one.name}" if one.qualifier else one.name for one in list_rows(structure, *roles)
    ]


@pytest.mark.parametrize("language", SUFFIXES)
def test_sample(language: str) -> None:
    path = SAMPLES / f"sample.{SUFFIXES[language]}"
    record = PARSERS[language](path.name, path.read_bytes())
    assert render_structure(record) == (SAMPLES / f"{language}.txt").read_text("utf-8")


@pytest.mark.parametrize("language", SUFFIXES)
def test_task_of_a_language(language: str) -> None:
    path = f"src/sample.{SUFFIXES[language]}"
    task = find_parser_task(path, language)
    assert task == f"structure/{language}"
    text = (SAMPLES / path.rpartition("/")[2]).read_bytes()
    assert decode_symbol_record(run_parser_task(task, b"sample\n" + text)).get_symbol(0).name == "sample"


def test_manifest_of_a_language_is_no_source() -> None:
    assert find_parser_task("src/go.mod", "go") is None


# Go


def test_go_method_of_a_type_of_another_file() -> None:
    structure = parse("go", "package a\nfunc (s *S) Do() {}\nfunc (s S) Go() {}\n")
    ordinal = structure.find_symbols("S")[0]
    assert structure.get_symbol(ordinal).kind is SymbolKind.EXTENSION
    assert [structure.get_symbol(one).name for one in structure.list_children(ordinal)] == ["Do", "Go"]
    assert list_names(structure, ReferenceRole.EXTEND) == ["S"]


def test_go_the_type_of_a_receiver_is_no_use_of_it() -> None:
    structure = parse(
        "go", "package a\ntype S struct{}\nfunc (*S) Do() {}\nfunc (S) Go() {}\nfunc (s S) No() {}\n"
    )
    assert list_names(structure, ReferenceRole.ACCEPT, ReferenceRole.TYPE) == []


def test_go_what_a_struct_without_a_name_embeds_is_no_base_of_what_is_around_it() -> None:
    text = "package a\nfunc f() {\n\tx := struct{ io.Reader }{}\n\ty := struct{ Base }{}\n}\n"
    text += "type S struct {\n\tOwn\n\tinner struct{ Other }\n\tany interface{ Wide }\n}\n"
    structure = parse("go", text)
    assert list_names(structure, ReferenceRole.INHERIT, ReferenceRole.EXTEND) == ["Own"]
    assert list_names(structure, ReferenceRole.TYPE) == ["io.Reader", "Base", "Other", "Wide"]


def test_go_items_of_a_range() -> None:
    text = "package a\nfunc f(list []Foo) {\n\tfor _, one := range list {\n\t\tone.Run()\n\t}\n}\n"
    (row,) = [one for one in list_rows(parse("go", text), ReferenceRole.BIND) if one.alias == "one"]
    assert (row.name, row.qualifier, row.arguments) == ("[]", "list", 1)


def test_go_names_that_a_function_binds_are_no_uses() -> None:
    text = "package a\nfunc f(a int) (b int) {\n\tc := a\n\tvar d = c\n\tprint(d, b, global)\n\treturn\n}\n"
    assert list_names(parse("go", text), ReferenceRole.USE) == ["global"]


def test_go_type_parameters_are_no_types() -> None:
    structure = parse("go", "package a\nfunc f[T any, U Other](x T, y []U) T { return x }\n")
    assert list_names(structure, ReferenceRole.TYPE, ReferenceRole.ACCEPT) == ["Other"]


# Java


def test_java_interface_members_are_public_and_abstract() -> None:
    structure = parse("java", "public interface A { void f(); default int g() { return 1; } }")
    f, g = find(structure, "f"), find(structure, "g")
    assert (f.access, g.access) == (Access.PUBLIC, Access.PUBLIC)
    assert SymbolFlag.ABSTRACT in f.flags
    assert SymbolFlag.ABSTRACT not in g.flags
    assert SymbolFlag.PUBLIC_API in f.flags


def test_java_public_member_of_a_hidden_class_is_no_api() -> None:
    structure = parse("java", "class A { public void f() {} }")
    assert SymbolFlag.PUBLIC_API not in find(structure, "f").flags


def test_java_lambda_and_pattern_names_are_local() -> None:
    text = "class A { void f(Object o) { g(x -> x, (y, z) -> y); if (o instanceof B b) b.go(); } }"
    assert list_names(parse("java", text), ReferenceRole.USE) == []


def test_java_constructor_chain_keeps_its_type() -> None:
    structure = parse("java", 'class A { void f() { new B<C>("x").run(1).go(); } }')
    assert "B().run().go" in list_names(structure, ReferenceRole.CALL)


# Rust


def test_rust_tree_of_use() -> None:
    structure = parse("rust", "use a::{b, c::{self, d as e}, f::*};\n")
    found = [(one.qualifier, one.name, one.alias) for one in list_rows(structure, ReferenceRole.IMPORT)]
    assert found == [("a", "b", "b"), ("a", "c", "c"), ("a.c", "d", "e"), ("a.f", "*", "")]


def test_rust_deep_tree_of_use_is_flat() -> None:
    text = "use a::" + "{b::" * 600 + "c" + "}" * 600 + ";\nfn f() {}\n"
    assert parse("rust", text).find_symbols("f") == [1]


def test_rust_calls_inside_of_macros() -> None:
    structure = parse("rust", 'fn f(x: Foo) { println!("{}", x.a.run(LIMIT, other)); vec![make(1)]; }')
    names = list_names(structure, ReferenceRole.CALL, ReferenceRole.USE)
    assert sorted(names) == ["LIMIT", "make", "println", "vec", "x.a", "x.a.run"]


def test_rust_items_inside_of_wrapping_macros() -> None:
    structure = parse("rust", "use x;\ncfg_net! {\n    pub struct A {\n        b: u8,\n    }\n}\nfn g() {}\n")
    assert structure.status is ParseStatus.FULL
    assert (find(structure, "A").start_line, find(structure, "A").end_line) == (3, 5)
    assert find(structure, "g").parent == 0


@pytest.mark.parametrize(
    "head",
    [
        "cfg_net! {\n    pub(crate) use a::B;",
        "if_std! {\n    use a::B;",
        "x;\nnet! {\n    mod a;\n    use a::B;",
    ],
)
def test_rust_imports_inside_of_wrapping_macros_are_imports(head: str) -> None:
    structure = parse("rust", head + "\n}\nfn g() {}\n")
    assert [(one.qualifier, one.name) for one in list_rows(structure, ReferenceRole.IMPORT)] == [("a", "B")]
    assert find(structure, "g").parent == 0


def test_rust_imports_that_a_function_quotes_are_none() -> None:
    structure = parse("rust", "fn f() -> Stream {\n    quote! {\n        use a::B;\n    }\n}\n")
    assert list_rows(structure, ReferenceRole.IMPORT) == []


def test_rust_visibility() -> None:
    structure = parse("rust", "pub fn a() {}\npub(crate) fn b() {}\nfn c() {}\n")
    accesses = [find(structure, name).access for name in "abc"]
    assert accesses == [Access.PUBLIC, Access.INTERNAL, Access.PRIVATE]


# C and C++


@pytest.mark.parametrize(
    "text",
    [
        "static int __init foo(void)\n{\n}\n",
        "asmlinkage void __user *foo(int a)\n{\n}\n",
        "int foo(void) __must_hold(lock)\n{\n}\n",
        "CURL_EXTERN int foo(int a);\n",
        "A_BEGIN_NAMESPACE\nint foo(int a);\nA_END_NAMESPACE\n",
        "static __always_inline __pure int\nfoo(int a)\n{\n}\n",
        "void foo(void __iomem *a)\n{\n\t__run(1);\n}\n",
        "int foo(int a)\n{\n\treturn min_t(unsigned int, a, 1) + sizeof_field(struct x, y);\n}\n",
    ],
)
def test_c_macros_between_the_words_of_a_function(text: str) -> None:
    structure = parse("c", text)
    assert structure.status is ParseStatus.FULL
    assert find(structure, "foo").kind is SymbolKind.FUNCTION
    assert structure.symbol_count == 2


CALLED_IN_BRANCHES = [("one", 5), ("two", 7), ("four", 9), ("stop", 12)]
CALLED_IN_BRANCHES += [("run", 17), ("five", 18), ("six", 18), ("seven", 19)]


def test_c_heads_in_a_branch_that_is_not_read_are_no_calls() -> None:
    text = """
#if WIDE
static int begin(int a)
#elif LONG
static struct at *begin(int a)
#else
struct at *
begin (void)
#endif
{
    return 1;
}
"""
    structure = parse("c", text)
    assert structure.status is ParseStatus.PARTIAL
    assert list_rows(structure, ReferenceRole.CALL) == []


def test_c_macros_in_small_letters_are_used_where_they_are_blanked() -> None:
    text = "static any_fast node_t *\nleft(void)\n{\n}\nvoid any_call stop(int a);\nany_inline int b(void);\n"
    structure = parse("c", text)
    uses = {(one.name, one.line) for one in list_rows(structure, ReferenceRole.USE)}
    assert uses == {("any_fast", 1), ("any_call", 5), ("any_inline", 6)}
    assert ("node_t", 1) in {(one.name, one.line) for one in list_rows(structure, ReferenceRole.TYPE)}


def test_c_calls_in_a_branch_that_is_not_read() -> None:
    text = """
int run(int a)
{
#if WIDE
    if (one(a))
#elif LONG
    if (a->three(1) && two(a)) /* three() */
#else
    if (sizeof(a) && four("three(1)"))
#endif
    {
        stop();
    }
#if WIDE
    else if (a)
#else
    run(a);
    if (a) return five(a); else six(a);
    if (b * seven(a))
#endif
    {
    }
}
"""
    structure = parse("c", text)
    assert structure.status is ParseStatus.PARTIAL
    run = find(structure, "run")
    calls = {(one.name, one.line, one.symbol) for one in list_rows(structure, ReferenceRole.CALL)}
    assert calls == {(name, line, run.ordinal) for name, line in CALLED_IN_BRANCHES}


def test_c_calls_in_a_long_branch_that_is_not_read_take_linear_time() -> None:
    def write(size: int) -> bytes:
        functions = b"".join(b"int f%d(int a)\n{\n    return a;\n}\n" % number for number in range(size))
        calls = b"    if (a) {\n        go(a);\n    }\n" * size
        return b"%svoid run(int a)\n{\n#if A\n    if (a) {\n#else\n    {\n%s#endif\n    }\n}\n" % (
            functions,
            calls,
        )

    structure = parse("c", write(3))
    calls = list_rows(structure, ReferenceRole.CALL)
    assert [(one.name, one.symbol) for one in calls] == [("go", find(structure, "run").ordinal)] * 3
    assert_linear(write, lambda text: PARSERS["c"]("a.c", text), 200)


def test_go_lines_that_link_symbols_take_linear_time() -> None:
    line = b"//go:linkname a b.c\n"
    assert_linear(lambda size: b"package a\n" + line * size, lambda text: PARSERS["go"]("a.go", text), 1_000)


def test_c_macros_among_the_parameters_of_an_underscored_function() -> None:
    structure = parse("c", "static inline void __foo(void __iomem *a, int __user *b)\n{\n}\n")
    assert structure.status is ParseStatus.FULL
    assert find(structure, "__foo").parameter_count == 2


def test_c_loops_by_macro_keep_lines_and_their_call() -> None:
    text = "void f(void)\n{\n\tlist_for_each_entry(a, b, c)\n\t\trun(a);\n\tstop();\n}\nint after;\n"
    structure = parse("c", text)
    assert structure.status is ParseStatus.FULL
    calls = [(one.name, one.line) for one in list_rows(structure, ReferenceRole.CALL)]
    assert calls == [("list_for_each_entry", 3), ("run", 4), ("stop", 5)]
    assert find(structure, "after").start_line == 7


def test_c_types_as_arguments_of_macros() -> None:
    structure = parse("c", "void f(void *p) { struct a *x = container_of(p, struct a, list); }\n")
    assert structure.status is ParseStatus.FULL
    assert list_names(structure, ReferenceRole.CALL) == ["container_of"]


def test_c_calls_in_the_body_of_a_macro() -> None:
    structure = parse("c", "#define WRAP(a, b...) do { if (a) run(b); a->go(1); last(a(1)); } while (0)\n")
    assert list_names(structure, ReferenceRole.CALL) == ["run", "?.go", "last"]
    assert SymbolFlag.VARIADIC in find(structure, "WRAP").flags
    assert find(structure, "WRAP").parameter_count == 2


def test_c_function_whose_head_is_a_macro() -> None:
    text = "SYSCALL_DEFINE2(open, int, a, int, b)\n{\n\tint local;\n\trun(local);\n}\nint after(void);\n"
    structure = parse("c", text)
    opened = find(structure, "sys_open")
    assert (opened.kind, opened.start_line, opened.end_line) == (SymbolKind.FUNCTION, 1, 5)
    assert find(structure, "after").parent == 0
    assert structure.find_symbols("local") == []
    (row,) = structure.find_references("run")
    assert structure.get_reference(row).symbol == opened.ordinal


def test_c_functions_as_values() -> None:
    text = (
        "static const struct ops ops = {\n\t.probe = foo_probe,\n};\nvoid f(void) { g(callback, &other); }\n"
    )
    assert list_names(parse("c", text), ReferenceRole.USE) == ["ops.probe", "foo_probe", "callback", "other"]


def test_c_static_and_prototype() -> None:
    structure = parse("c", "static int a(void) { return 1; }\nint b(void);\nextern int c;\n")
    assert SymbolFlag.STATIC in find(structure, "a").flags
    assert SymbolFlag.FORWARD in find(structure, "b").flags
    assert SymbolFlag.FORWARD in find(structure, "c").flags


def test_header_of_cpp_is_read_as_cpp() -> None:
    structure = parse(
        "c", "namespace a { template <class T> class B : public C<T> { int run(); }; }\n", "b.h"
    )
    assert find(structure, "B").kind is SymbolKind.CLASS
    assert structure.status is ParseStatus.FULL


def test_header_of_c_stays_c() -> None:
    structure = parse("c", "struct class { int new; };\nint delete(struct class *template);\n", "b.h")
    assert structure.status is ParseStatus.FULL
    assert find(structure, "delete").kind is SymbolKind.FUNCTION


def test_header_of_cpp_is_recognised_by_its_lines() -> None:
    """Also where C would have no errors, or fewer of them."""
    for text in (
        "template <int n>\nint f(int);\n",
        "// A\n  namespace a::b\n{\nint f();\n}\n",
        "inline namespace a {\n}\n",
        "class A final : public B {\n};\n",
        "class A\n    : public B {\n};\n",
        "struct A {\n private:\n  int a;\n};\n",
        "using namespace std;\n",
    ):
        assert looks_like_cpp(text.encode()), text
    structure = parse(
        "c", "namespace a {\nclass B { int run(); };\nint c(1 2);\n" + "int d();\n" * 20 + "}\n", "b.h"
    )
    assert (find(structure, "B").kind, structure.status) == (SymbolKind.CLASS, ParseStatus.PARTIAL)


def test_header_of_c_has_no_lines_of_cpp() -> None:
    for text in (
        'extern "C" {\nint f(void);\n}\n',
        "struct class {\n  struct class *class;\n  unsigned class:3;\n};\n",
        "/* In a\nclass of its own: {\n */\nint template;\n",
        "/* not closed\nnamespace a {\n",
        "// a\nclass = template < 1;\nint private, namespace;\n",
        "#define namespace a {\nclass x;\n",
    ):
        assert not looks_like_cpp(text.encode()), text
    assert not looks_like_cpp(b"class " * 50_000 + b"/*" * 100_000 + b"\nclass a\n" * 50_000)


def test_header_that_looks_like_cpp_and_is_not_read_as_such() -> None:
    text = "#if 0\nusing namespace a;\n#endif\n" + "struct new { int try, catch, delete; };\n" * 9
    assert looks_like_cpp(text.encode())
    found = parse("c", text, "b.h")
    assert found.status is ParseStatus.FULL
    assert found.find_symbols("new") == [1, 5, 9, 13, 17, 21, 25, 29, 33]


def test_cpp_member_defined_outside() -> None:
    structure = parse("cpp", "template <class T> int a::Foo<T>::run(int n) { return n; }\nFoo::~Foo() {}\n")
    foo, run = find(structure, "Foo"), find(structure, "run")
    assert (foo.kind, run.kind, run.parent) == (SymbolKind.EXTENSION, SymbolKind.METHOD, foo.ordinal)
    assert find(structure, "~Foo").parent == foo.ordinal
    assert list_names(structure, ReferenceRole.EXTEND) == ["a.Foo"]


def test_cpp_access_of_members() -> None:
    structure = parse("cpp", "class A { int a; public: int b(); protected: int c; };\nstruct B { int d; };\n")
    accesses = [find(structure, name).access for name in "abcd"]
    assert accesses == [Access.PRIVATE, Access.PUBLIC, Access.PROTECTED, Access.PUBLIC]


# Swift


def test_swift_extension_and_bases() -> None:
    text = "class A: B, P {}\nextension A: Q { func f() async -> Int { 1 } }\nprotocol R: P {}\n"
    structure = parse("swift", text)
    assert list_names(structure, ReferenceRole.INHERIT) == ["B"]
    assert list_names(structure, ReferenceRole.IMPLEMENT) == ["P", "Q"]
    assert list_names(structure, ReferenceRole.EXTEND) == ["A", "P"]
    f = find(structure, "f")
    assert SymbolFlag.ASYNC in f.flags
    assert f.return_type == "Int"
    assert structure.get_symbol(f.parent).kind is SymbolKind.EXTENSION


def test_swift_a_tuple_is_no_name_of_a_type() -> None:
    structure = parse("swift", "func f(pair: (Array<Int>, Int)) { pair.0.count() }\n")
    assert list_names(structure, ReferenceRole.BIND) == ["?"]


def test_swift_variables_that_nothing_is_reached_through_have_no_types() -> None:
    body = "(a: Box) {\n let b = a\n let c = b\n"
    structure = parse("swift", f"func used{body} c.run()\n}}\nfunc unused{body}}}\n")
    rows = list_rows(structure, ReferenceRole.BIND)
    assert [(row.symbol, row.alias) for row in rows] == [(1, "a"), (1, "b"), (1, "c")]


def test_swift_trailing_closure_is_an_argument() -> None:
    (row,) = list_rows(parse("swift", "func f() { run(1) { $0.go } }\n"), ReferenceRole.CALL)
    assert (row.name, row.arguments) == ("run", 3)


# All languages

DEEP = {
    "go": "package a\nfunc f() { x := " + "(" * 3_000 + "1" + ")" * 3_000 + " }\n",
    "java": "class A { int f() { return " + "(" * 3_000 + "1" + ")" * 3_000 + "; } }\n",
    "rust": "fn f() { " + "{" * 3_000 + "}" * 3_000 + " }\n",
    "c": "int f(void) { " + "{" * 3_000 + "}" * 3_000 + " }\n",
    "cpp": "namespace a { " * 2_000 + "int f();" + "}" * 2_000,
    "swift": "func f() { " + "if a { " * 1_500 + "}" * 1_500 + " }\n",
}


@pytest.mark.parametrize("language", SUFFIXES)
def test_deep_nesting(language: str) -> None:
    structure = parse(language, DEEP[language])
    assert structure.status in {ParseStatus.PARTIAL, ParseStatus.FAILED, ParseStatus.FULL}
    assert structure.symbol_count >= 1


@pytest.mark.parametrize("language", SUFFIXES)
def test_many_classes_in_each_other(language: str) -> None:
    text = "class A { " * 800 + "}" * 800
    assert parse(language, text).symbol_count >= 1


@pytest.mark.parametrize("language", SUFFIXES)
@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n",
        b"\x00" * 4_000,
        b"\xff\xfe\x00f\x00u\x00n\x00c" * 300,
        bytes(range(256)) * 40,
        b"func f(a int) { \xe9\xe8 }\n\x00class \x80 {}",
        b"(((((((((((((((((((((" * 500,
        b'"' * 3_001,
        b"#define A(" * 300,
        b"DEFINE_A(x, " * 900,
        b"a.b().c[d].e{f}." * 900,
    ],
)
def test_any_bytes(language: str, text: bytes) -> None:
    assert parse(language, text).symbol_count >= 1


@pytest.mark.sized
@pytest.mark.parametrize("language", SUFFIXES)
def test_one_line_of_megabytes(language: str) -> None:
    structure = parse(language, b"x" * choose(MAX_PARSED_BYTES + 1, 50_000_000))
    assert structure.status is ParseStatus.FAILED
    assert structure.symbol_count == 1


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_thousands_of_names_in_one_declaration(language: str) -> None:
    structure = parse(language, "int a0" + "".join(f", *a{n}" for n in range(1, 6_000)) + ";\n")
    assert structure.symbol_count == 6_001
    assert find(structure, "a5999").return_type == "int *"


@pytest.mark.parametrize("language", SUFFIXES)
def test_cut_anywhere(language: str) -> None:
    text = (SAMPLES / f"sample.{SUFFIXES[language]}").read_bytes()
    for end in range(0, len(text), 41):
        parse(language, text[:end])


def test_cpp_an_error_in_a_function_swallows_no_function_below_it() -> None:
    broken = "void a() {\n  for (int i = 0; i < 3; ++i) { BEGIN( }, ({ go(; \n}\n"
    others = "int b(int x) {\n  return x;\n}\n\nint c() {\n  return 1;\n}\n"
    text = f"namespace n {{\n\n{broken}\n{others}\n}} // n\n"
    found = parse("cpp", text)
    assert [(find(found, one).start_line, find(found, one).end_line) for one in "abc"] == [
        (3, 5),
        (7, 9),
        (11, 13),
    ]
    assert found.status is ParseStatus.PARTIAL


def test_cpp_an_error_above_a_function_swallows_nothing_below_it() -> None:
    broken = "MAKE(\n    a b, {, ((\n    c)\n\nint a() {\n  return 0;\n}\n"
    text = f"#include <n>\nnamespace n {{\n\n{broken}\nint b(int x) {{\n  return x;\n}}\n\n}} // n\n"
    found = parse("cpp", text)
    assert [find(found, one).start_line for one in "ab"] == [8, 12]
    assert list_names(found, ReferenceRole.IMPORT) == ["<n."]


def test_cpp_a_name_that_only_the_grammar_wants_declares_nothing() -> None:
    found = parse("cpp", "template <class T>\nenable_if<(\n  one &&\n T> f();\nint g() { return 1; }\n")
    assert all(found.get_symbol(one).name for one in range(1, found.symbol_count))


def test_empty_lines_may_part_javadoc_from_what_it_documents() -> None:
    structure = parse("java", "/** Keeps books. */\n\n\nclass Book {\n  // a note\n\n  void close() {}\n}\n")
    assert find(structure, "Book").flags & SymbolFlag.DOCUMENTED
    assert not find(structure, "close").flags & SymbolFlag.DOCUMENTED
