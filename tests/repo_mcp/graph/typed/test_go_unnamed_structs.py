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
