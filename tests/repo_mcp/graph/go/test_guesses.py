"""Go: what a name alone may mean where nothing shows the type of its receiver."""

from __future__ import annotations

from repo_mcp.graph.edge_list import EdgeQuestion
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from tests.repo_mcp.graph.memory_index import find_node, make_graph
from tests.repo_mcp.graph.resolved import Repository

FILES = {
    "go.mod": "module app\n",
    "limits.go": """
package app

type limiter struct { burst int }

func (one *limiter) Set(key string) {}
func (one *limiter) Allow(key string) {}
""",
    "limits_test.go": """
package app

type held struct { spare int }

func check() {
	for _, tc := range cases() {
		use(tc.burst)
		use(tc.spare)
		tc.Allow("a")
		tc.Set("a")
	}
}
""",
}


def test_a_field_of_another_file_and_a_method_of_the_library_are_only_possible_in_a_test() -> None:
    found = Repository.build(FILES)
    assert found.ask("limits_test.go", "tc.burst", "burst") == ["limits.go:3 burst possible"]
    assert found.ask("limits_test.go", "tc.spare", "spare") == ["limits_test.go:3 spare probable"]
    assert found.ask("limits_test.go", "tc.Allow", "Allow") == ["limits.go:6 Allow probable"]
    assert found.ask("limits_test.go", "tc.Set", "Set") == ["limits.go:5 Set possible"]


def test_the_value_of_an_operator_has_no_method_of_a_struct() -> None:
    texts = {
        "go.mod": "module app\n",
        "head.go": "package app\n\ntype Head struct{}\n\nfunc (h *Head) Shorten(to int) {}\n",
        "span.go": "package app\n\ntype Span int\n\nfunc (s Span) Widen(to int) {}\n",
        "use.go": "package app\n\nfunc use() {\n\t(now() + step).Shorten(1)\n\t(now() * 2).Widen(2)\n}\n",
    }
    found = Repository.build(texts)
    assert found.ask("use.go", "Shorten", "Shorten") == []
    assert found.ask("use.go", "Widen", "Widen") == ["span.go:5 Widen probable"]


NAMESAKES = {
    "go.mod": "module example.org/app\n",
    "text/text.go": "package text\n\nfunc New(size int) {}\n",
    "use/use.go": 'package use\n\nimport "example.org/app/text"\n\nfunc use() { text.New(1) }\n',
    **{
        f"other{number}/other.go": f"package other{number}\n\nfunc use() {{ errors.New(1); New(2) }}\n"
        for number in range(9)
    },
}


def test_only_files_that_import_a_package_count_for_what_it_declares() -> None:
    graph = make_graph(NAMESAKES)
    node = find_node(graph, "text.New")
    assert graph.edge_lists.count_uses(EdgeQuestion(node.declaration, frozenset(CALLS), incoming=True)) == 1


def test_a_call_with_other_arguments_is_none_of_a_method() -> None:
    texts = {
        "go.mod": "module app\n",
        "pool.go": "package app\n\ntype Pool struct{}\n\nfunc (p *Pool) Get(one, two int) {}\n"
        "func (p *Pool) run(one, two int) {}\n",
        "use.go": "package app\n\nfunc use() {\n\tform().Get(1, 2)\n\tform().Get(1)\n\tform().Get()\n}\n",
        "more.go": "package app\n\nfunc more() {\n\tform().run(1, 2)\n\tform().run()\n}\n",
    }
    graph = make_graph(texts)
    found = graph.find_incoming(find_node(graph, "app.Pool.Get"), (EdgeType.CALLS,))
    assert [(one.lines, one.confidence) for one in found.edges] == [
        ((4, 5), "possible")
    ]  # one call, two values
    assert not found.unresolved
    found = graph.find_incoming(find_node(graph, "app.Pool.run"), (EdgeType.CALLS,))
    assert [one.lines for one in found.unresolved] == [(4,)]  # so common a name is not guessed
