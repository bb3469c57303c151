"""C# expressions as chains of names, and what a chain is made of."""

from __future__ import annotations

import pytest

from repo_mcp.languages.csharp.chains import Segment, simplify, split_chain, split_last, strip_types

CHAINS = {
    "a . b": "a.b",
    "Box<int>.Make< A.B >()": "Box<int>.Make<A.B>()",
    "rows.Get<Foo>(1, x => x).ToList()": "rows.Get<Foo>().ToList()",
    "(await x.Get<A.B>(1, 2)).Foo": "x.Get<A.B>().await.Foo",
    "await x.Y<Z>().ConfigureAwait(false)": "x.Y<Z>().ConfigureAwait().await",
    "((Foo)x).Bar": "Foo().Bar",
    "((Foo<A, B>)x.y).Bar": "Foo<A,B>().Bar",
    "(x as Foo<int>)?.Bar()": "Foo<int>().Bar()",
    "(Foo)x": "Foo()",
    "new Foo<int>(1).Bar().Baz": "Foo<int>().Bar().Baz",
    "new List<Foo<int>>()": "List<Foo<int>>()",
    "new N.Foo { A = 1 }": "N.Foo()",
    "(new Foo { A = 1 }).B": "Foo().B",
    "a?.b[0]!.C": "a.b[].C",
    "D<(int a, string b)>.E": "D<()>.E",
    "global::A.B<C[]>.D(x => new { })[0].E": "A.B<C[]>.D()[].E",
    "(a ?? b).C": "",
    "(1 + 2).ToString()": "",
    "a < b": "",
    "new int[3].Length": "",
    "(((((((a))))))).b": "",
}


@pytest.mark.parametrize("text", CHAINS)
def test_an_expression_as_a_chain(text: str) -> None:
    assert simplify(text.encode()).decode() == CHAINS[text]


def test_the_names_of_a_chain() -> None:
    assert split_chain("A<B.C,D<E>>.F()[].G") == (
        Segment("A", ("B.C", "D<E>"), False),
        Segment("F", (), True),
        Segment("[]", (), False),
        Segment("G", (), False),
    )


@pytest.mark.parametrize(
    ("chain", "expected"),
    [
        ("a.b.c()", ("a.b", "c()")),
        ("a.Get<B.C>()", ("a", "Get<B.C>()")),
        ("Box<A.B>.items[]", ("Box<A.B>", "items[]")),
        ("Get<A.B>", ("", "Get<A.B>")),
    ],
)
def test_the_last_name_of_a_chain(chain: str, expected: tuple[str, str]) -> None:
    assert split_last(chain) == expected


def test_a_chain_without_type_arguments() -> None:
    assert strip_types("A<B<C>>.D<E>()") == "A.D()"
