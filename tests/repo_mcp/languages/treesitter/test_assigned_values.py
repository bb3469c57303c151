"""A value in parentheses that is an assignment has the type of the variable."""

from __future__ import annotations

import pytest

from repo_mcp.languages.treesitter.assigned_values import name_assigned
from tests.growth import assert_linear
from tests.repo_mcp.graph.resolved import Repository


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (b"(a = f(b))", b"a"),
        (b"( this.a ??= f())", b"this.a"),
        (b"(p->a = f(g(1)))", b"p->a"),
        (b"(a == b)", b""),
        (b"(a => b)", b""),
        (b"(a = f()).b(c)", b""),
        (b"(a) = (b)", b""),
        (b"(a + b)", b""),
        (b"(a = f(", b""),
    ],
)
def test_the_variable_is_named(text: bytes, name: bytes) -> None:
    assert name_assigned(text) == name


def test_many_brackets_take_linear_time() -> None:
    assert_linear(lambda count: b"(a = " + b"(" * count, name_assigned, 20_000)


_C = "struct reply { int ok; };\nstruct reply *ask(void);\nvoid f(void) {\n  struct reply *r;\n"


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "a.cs",
            "class R { public bool ok; }\nclass A {\n void F(R r) {\n if (!(r = Ask()).ok) {}\n} }",
            "a.cs:1 ok exact",
        ),
        (
            "A.java",
            "class A { boolean ok;\n void f(A r) {\n  if (!(r = ask()).ok) {}\n } }",
            "A.java:1 ok exact",
        ),
        ("a.c", _C + "  if ((r = ask())->ok) {}\n}\n", "a.c:1 ok exact"),
        ("a.cpp", _C + "  if ((r = ask())->ok) {}\n}\n", "a.cpp:1 ok exact"),
        (
            "a.ts",
            "class R { ok = 1 }\ndeclare function ask(): R\nfunction f(r: R) { return (r = ask()).ok }\n",
            "a.ts:1 ok exact",
        ),
    ],
)
def test_a_member_of_an_assignment_is_one_of_the_variable(path: str, text: str, expected: str) -> None:
    line = next(one for one in text.split("\n") if "(r = " in one).strip()
    assert Repository.build({path: text}).ask(path, line, "ok") == [expected]
