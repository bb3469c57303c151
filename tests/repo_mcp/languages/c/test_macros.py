"""Macros are known by what makes them macros, not by the names that one project gives them."""

from __future__ import annotations

import pytest

from repo_mcp.languages.c.macros import blank_macros


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        # a word before a basic type
        ("    anyAtomic size_t used;\n", "size_t used;"),
        ("static anyAtomic unsigned long long served = 0;\n", "static unsigned long long served = 0;"),
        ("extern const anyAtomic int *one[3];\n", "extern const int *one[3];"),
        # capitals with a text, and a word behind them
        ('ANY_CHECK("alignment")\nint run(void) { return 1; }\n', "int run(void) { return 1; }"),
        ('SEC("xdp")\nint run(void) { return 1; }\n', "int run(void) { return 1; }"),
        # attributes of compilers, whatever stands before them
        ("ANY_LIB_NON_NULL(1, 2)\nint run(char *a, char *b);\n", "int run(char *a, char *b);"),
        ("ANY_WARN_UNUSED_RESULT\nstatic int run(void);\n", "static int run(void);"),
        # behind the parameters of a function, with positions
        ("void say(int a,\n    char *b, ...) _ANY_FORMAT(2, 3);\n", "void say(int a, char *b, ...) ;"),
        # what objects of CPython begin with, and an attribute that is a statement
        ("struct a {\n    PyObject_HEAD\n    int b;\n};\n", "struct a { int b; };"),
        ("a b = {\n    PyVarObject_HEAD_INIT(NULL, 0)\n    1,\n};\n", "a b = { 1, };"),
        ("    __attribute__ ((fallthrough));\n", ";"),
        # the name of a type that a macro declares beside a field, or leaves out
        ("struct a {\n    ANY_HEAD(, item)  items;\n};\n", "struct a { ANY_HEAD( item) items; };"),
        ("struct a {\n    ANY_HEAD (list, item) items;\n};\n", "struct a { ANY_HEAD ( item) items; };"),
        ("ANY_HEAD(, item) items = ANY_INIT(items);\n", "ANY_HEAD( item) items = ANY_INIT(items);"),
        ("ANY_HEAD(list, item);\n", "ANY_HEAD(list, item);"),
        # an operator as an argument
        ("    if (any_compare(a, b, >=)) { run(1); }\n", "if (any_compare(a, b, 0 )) { run(1); }"),
        ("    any_check(a, <, b[1]);\n", "any_check(a, 0, b[1]);"),
        # loops over lists, with a block and without
        (
            "void f(void)\n{\n    ANY_FOREACH(one, &list->items, entry) {\n        run(one);\n    }\n}\n",
            "void f(void) { while (one, &list->items, entry) { run(one); } }",
        ),
        (
            "void f(void)\n{\n    ANY_FOREACH_SAFE(one, list, entry, next)\n        run(one);\n}\n",
            "void f(void) { while (one, list, entry, next) run(one); }",
        ),
        # around the type of a function; not an attribute below its type
        ("\n\nANY_DECLARE(int)\nrun(char *a)\n{\n}\n", "int run(char *a) { }"),
        ("\n\nANY_PUBLIC(const item_t *) run(char *a);\n", "const item_t * run(char *a);"),
        ("\n\nvoid *\nANY_ATTR(malloc)\nrun(int a);\n", "void * run(int a);"),
        # between the type of a function and its name, and alone on a line of a body
        ("int ANY_CDECL main(void)\n{\n}\n", "int main(void) { }"),
        ("static void ANY_CALL run(int a);\n", "static void run(int a);"),
        ("void f(void)\n{\n    BEGIN_CASE\n    run(1);\n}\n", "void f(void) { run(1); }"),
        # of two branches that open one block, the second
        (
            "void f(int a)\n{\n#ifdef WIDE\n    if (a > 1) {\n#else\n    if (a > 2) {\n#endif\n"
            "        run(1);\n    }\n}\n",
            "void f(int a) { if (a > 1) { run(1); } }",
        ),
        # a branch that goes on with a condition, and one that is whole
        (
            "void f(int a)\n{\n    if (a) {\n        run(1);\n#ifdef WIDE\n"
            "    } else if (a > 2) {\n        run(2);\n"
            "#endif\n    }\n}\n",
            "void f(int a) { if (a) { run(1); } else if (a > 2) { run(2); } }",
        ),
        (
            "void f(int a)\n{\n#if WIDE\n    if (a) { run(1); }\n#else\n    run(2);\n#endif\n}\n",
            "void f(int a) { #if WIDE if (a) { run(1); } #else run(2); #endif }",
        ),
        # an `else`, two heads of a function, parts of expressions and lists
        (
            "void f(int a)\n{\n    if (a > 1) { run(1); }\n"
            "#ifdef WIDE\n    else if (a) { run(2); }\n#endif\n}\n",
            "void f(int a) { if (a > 1) { run(1); } else if (a) { run(2); } }",
        ),
        (
            "#ifdef WIDE\nstatic int f(long a)\n#else\nstatic int f(int a)\n#endif\n{\n    run(1);\n}\n",
            "static int f(long a) { run(1); }",
        ),
        (
            "int a = b ||\n#ifdef WIDE\n    c ||\n#endif\n    d;\n",
            "int a = b || c || d;",
        ),
        (
            "void f(void)\n{\n    if (a\n"
            "#if WIDE\n        && b\n#elif LONG\n        && c\n#endif\n    ) run(1);\n}\n",
            "void f(void) { if (a && b ) run(1); }",
        ),
        (
            "int a[] = {\n#ifdef WIDE\n    1,\n#endif\n    2 };\n",
            "int a[] = { 1, 2 };",
        ),
        (
            "void f(void)\n{\n    a = 1\n#if WIDE\n        | 2\n#endif\n        | 4;\n}\n",
            "void f(void) { a = 1 | 2 | 4; }",
        ),
        # behind the parameters of a function
        ("int f(int a) ANY_UNUSED_RESULT;\n", "int f(int a) ;"),
        # several before the name of a class, one with a text on a line of its own
        (
            'class ANY_EXPORT ANY_MESSAGE(\n    "late") One\n    : public Base {\n};\n',
            "class One : public Base { };",
        ),
        # one without "_" in its name, before a base or a body
        ("class LOCKABLE Mutex {\n};\n", "class Mutex { };"),
        ("struct API Point final : Base {\n};\n", "struct Point final : Base { };"),
        # in small letters, before the type of a function or before its name
        ("static any_fast node_t *\nleft(node_t *n)\n{\n}\n", "static node_t * left(node_t *n) { }"),
        ("any_fast static unsigned int count(void);\n", "static unsigned int count(void);"),
        ("static any_fast struct node *left(void);\n", "static struct node *left(void);"),
        ("void any_call stop(int code, ...);\n", "void stop(int code, ...);"),
        (
            "uchar * any_call\nput(uchar *to, int (*f)(int)) {\n}\n",
            "uchar * put(uchar *to, int (*f)(int)) { }",
        ),
        # anywhere, by the end of its name
        ("struct A {\n  any_inline A(int a) : a(a) {}\n};\n", "struct A { A(int a) : a(a) {} };"),
        ("  any_unused any_inline Row<bool> next();\n", "Row<bool> next();"),
    ],
)
def test_what_can_only_be_a_macro_is_blank(text: str, plain: str) -> None:
    blank = blank_macros(text.encode()).decode()
    assert len(blank) == len(text)
    assert blank.split() == plain.split()


@pytest.mark.parametrize(
    "text",
    [
        "struct STORAGE_T find(int at);\n",
        "static const struct STORAGE_T find(int at) {\n}\n",
        "virtual RESULT_T find(int at);\n",
        "static RESULT_T find(int at);\n",
        "int\nbase_foreach_event(struct base *base,\n    int fn)\n{\n}\n",
        "static struct base *map_for_each(int one)\n{\n}\n",
        "void Version::ForEachOverlapping(int one,\n    bool (*func)(void*)) {\n}\n",
        "bool all() { return std::for_each(a, b, f) == list.ForEach(f) && true; }\n",
        "unsigned long served = 0;\n",
        "typedef unsigned int word;\n",
        "    return size_t;\n",
        "struct point size_t_of(void);\n",
        'printf("%d") ;\n',
        'CHECK("a");\nint b;\n',
        "#define anyAtomic _Atomic\n",
        "#define SEC(name) int x\n",
        "enum a {\n    B,\n#if WIDE\n    C,\n#else\n    D,\n#endif\n    E\n};\n",
        "int a;\n#if WIDE\nint b;\n#else\nint c;\n#endif\n{\n}\n",
        "static size_t size(void);\nunsigned long long wide(void);\nconst char *name(void) {\n}\n",
        "int\nf(int a)\n{\n    return size(1);\n}\n",
        "int *const f(void);\nvolatile int g(void);\n",
        "#define any_inline inline\n",
        "[[any_unused]] int a;\n__attribute__((always_inline)) int f(void);\n",
        "    is_inline = a.is_inline && b;\n    bool is_inline;\n",
    ],
)
def test_what_may_be_code_is_left(text: str) -> None:
    assert blank_macros(text.encode()) == text.encode()


def test_an_indented_call_before_a_brace_heads_a_block_of_c() -> None:
    text = "void f(void)\n{\n    run_with_any(100) {\n        g();\n    }\n}\n"
    blank = blank_macros(text.encode(), is_c=True).decode()
    assert blank == text.replace("run_with_any", "while       ")
    assert blank_macros(text.encode()).decode() == text  # in C++ it may be the head of a constructor


def test_a_comment_of_several_continued_lines_ends_no_macro() -> None:
    text = "#define GROW(a) \\\n  /* one \\\n   * two */ \\\n  int a##_grow(void)\n/* kept \\\n so */\n"
    blank = blank_macros(text.encode(), is_c=True).decode()
    assert len(blank) == len(text)
    assert blank.count("\n") == text.count("\n")
    assert blank.split() == [
        "#define",
        "GROW(a)",
        *"\\\\\\",
        "int",
        "a##_grow(void)",
        "/*",
        "kept",
        "\\",
        "so",
        "*/",
    ]


@pytest.mark.parametrize(
    "given", ["{}", "{1, 2}", "{left, right}", "{ .x = 1 }", "{{1}}", "{f(x)}", "{a.b}", "{A::B}"]
)
def test_a_variable_with_values_in_braces_is_no_struct(given: str) -> None:
    text = f"struct POINT at{given};\n"
    assert blank_macros(text.encode()).decode() == text


def test_a_variable_of_a_struct_in_capitals_is_none_with_a_macro() -> None:
    variable, head = "struct STORAGE_T storage;\n", "struct ANY_EXPORT one {\n    int a;\n};\n"
    assert blank_macros(variable.encode(), is_c=True).decode() == variable
    assert blank_macros(f"extern {variable}".encode()).decode() == f"extern {variable}"
    assert blank_macros(head.encode(), is_c=True).decode() == head.replace("ANY_EXPORT", "          ")


def test_lines_may_end_with_carriage_returns() -> None:
    text = "#define GROW(a) \\\n  int a##_grow(void)\nclass A {\n  ANY_FIELDS\n  ANY_EXPORT int b();\n};\n"
    returned = text.replace("\n", "\r\n")
    blank = blank_macros(returned.encode()).decode()
    assert blank == blank_macros(text.encode()).decode().replace("\n", "\r\n")
    assert (len(blank), "ANY_EXPORT" in blank) == (len(returned), False)
