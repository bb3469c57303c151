"""Go: fields and variables of unnamed structs, whose members are those of the struct written there."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "go.mod": "module example.org/app\n",
    "kiln.go": """
        package app
        type Gauge struct{ n int }
        func (g *Gauge) Raise(n int) {}
        type Latch struct{}
        func (l *Latch) Close() {}
        type Kiln struct {
            left struct {
                heat Gauge
                door struct {
                    Latch
                    heat Latch
                }
            }
            right *struct{ heat Latch }
            shelves [][]struct{ heat Gauge }
        }
        var state struct {
            Latch
            kilns []Kiln
        }
        """,
    "latch.go": "package app\ntype door struct{}\nfunc (d door) Knock() {}\n",
    "use.go": """
        package app
        func use(k *Kiln) {
            k.left.heat.Raise(1) // gauge
            k.left.door.heat.Close() // inner
            k.left.door.Close() // embedded
            k.right.heat.Close() // pointer
            k.shelves[0][1].heat.Raise(2) // lists
            state.Close() // variable
            state.kilns[0].left.heat.Raise(3) // element
            k.left.door.Knock() // of a namesake
        }
        """,
}
CASES = {
    "// gauge": {"heat": ["kiln.go:8 heat exact"], "Raise": ["kiln.go:3 Raise exact"]},
    "// inner": {"heat": ["kiln.go:11 heat exact"], "Close": ["kiln.go:5 Close exact"]},
    "// embedded": {"Close": ["kiln.go:5 Close exact"]},
    "// pointer": {"heat": ["kiln.go:14 heat exact"], "Close": ["kiln.go:5 Close exact"]},
    "// lists": {"heat": ["kiln.go:15 heat exact"], "Raise": ["kiln.go:3 Raise exact"]},
    "// variable": {"Close": ["kiln.go:5 Close exact"]},
    "// element": {"kilns": ["kiln.go:19 kilns exact"], "Raise": ["kiln.go:3 Raise exact"]},
    "// of a namesake": {"Knock": []},
}


@pytest.mark.parametrize("line", CASES)
def test_the_members_of_an_unnamed_struct_belong_to_its_field_or_variable(line: str) -> None:
    repository = Repository.build(TEXTS)
    assert {name: repository.ask("use.go", line, name) for name in CASES[line]} == CASES[line]


LOCAL = {
    "go.mod": "module example.org/app\n",
    "gauge.go": "package app\ntype Gauge struct{ n int }\nfunc (g *Gauge) Raise(n int) {}\n",
    "use.go": """
        package app
        func other(name string) {}
        func check() {
            tests := []struct {
                name string
                gauge Gauge
            }{{"a", Gauge{}}}
            for _, one := range tests {
                one.gauge.Raise(1) // first
                other(one.name) // name
            }
            more := []struct{ name string; run func() }{}
            for _, two := range more {
                other(two.name) // second name
                two.run() // function
            }
            var both struct{ gauge *Gauge }
            both.gauge.Raise(2) // third
            for _, three := range []struct {
                gauge Gauge
            }{} {
                three.gauge.Raise(4) // listed
            }
            for _, four := range map[string]Gauge{} {
                four.Raise(5) // of a map
            }
            var whole struct{ Gauge }
            whole.Raise(3) // embedded
        }
        """,
}


@pytest.mark.parametrize(
    ("line", "name", "said"),
    [
        ("// first", "gauge", ["use.go:6 gauge exact"]),
        ("// first", "Raise", ["gauge.go:3 Raise exact"]),
        ("// name", "name", ["use.go:5 name exact"]),
        ("// second name", "name", ["use.go:12 name exact"]),
        ("// function", "run", ["use.go:12 run exact"]),
        ("// third", "gauge", ["use.go:17 gauge exact"]),
        ("// third", "Raise", ["gauge.go:3 Raise exact"]),
        ("// listed", "gauge", ["use.go:20 gauge exact"]),
        ("// listed", "Raise", ["gauge.go:3 Raise exact"]),
        ("// of a map", "Raise", ["gauge.go:3 Raise exact"]),
        ("// embedded", "Raise", ["gauge.go:3 Raise probable"]),
    ],
)
def test_unnamed_structs_of_one_function_have_fields_of_their_own(
    line: str, name: str, said: list[str]
) -> None:
    assert Repository.build(LOCAL).ask("use.go", line, name) == said
