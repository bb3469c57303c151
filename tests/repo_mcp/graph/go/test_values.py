"""Go: values behind `new`, pointers and type assertions."""

from __future__ import annotations

import pytest

from repo_mcp.symbols.symbol_record import ParseStatus
from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "go.mod": "module m\n",
    "a.go": """
        package m
        const size = 4
        type Inner struct { Name string }
        func (i *Inner) Deep(o *Inner) {}
        type Decoy struct { Name string }
        func (d Decoy) Deep(o *Inner) {}
        func (d *Decoy) Stream(x int) error { return nil }
        type Stream interface { Stream(x int) error }
        type Outer struct { In *Inner; List []Inner; Made *Decoy }
        func f(in, out *Outer, value any) {
            made := Outer{Made: new(size)} // a constant
            if in.In != nil {
                in, out := &in.In, &out.In
                (*in).Deep(*out) // a pointer to a field
            }
            item := &in.List[0]
            item.Deep(nil) // a pointer to an item
            fresh := new(Inner{Name: "a"})
            fresh.Deep(nil) // a literal
            plain := new(Inner)
            plain.Deep(nil) // a type
            value.(Stream).Stream(1) // an assertion
            value.(*Outer).Made.Stream(2) // a member behind one
        }
        """,
}


@pytest.mark.parametrize(
    ("line", "name", "said"),
    [
        ("// a constant", "size", ["a.go:2 size exact"]),
        ("// a pointer to a field", "Deep", ["a.go:4 Deep exact"]),
        ("// a pointer to an item", "Deep", ["a.go:4 Deep exact"]),
        ("// a literal", "Deep", ["a.go:4 Deep exact"]),
        ("// a type", "Deep", ["a.go:4 Deep exact"]),
        ("// an assertion", "Stream", ["a.go:8 Stream exact"]),
        ("// a member behind one", "Stream", ["a.go:7 Stream exact"]),
    ],
)
def test_what_a_value_is(line: str, name: str, said: list[str]) -> None:
    assert Repository.build(TEXTS).ask("a.go", line, name) == said


@pytest.mark.parametrize(
    "given",
    [
        *('"a"', "4", "-1", "f(1)", "a + 1", "a.b.c", "s[1]", "K{A: 1}", "&a", "T", "a.T", "*T", "[]int"),
        *("T[int]", "map[string]int", "struct{}", "func() int", "a.T[map[string]int]", "\n\tT,\n"),
    ],
)
def test_whatever_new_takes_is_read(given: str) -> None:
    program = Repository.build({"a.go": f"package m\nfunc f() {{\n\tx := new({given})\n}}\n"}).program
    record = program.find_record("a.go")
    assert record is not None
    assert record.status is ParseStatus.FULL
