"""Interfaces of Go that types satisfy by their methods: as what the language's rules say, and no further."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.vocabulary import NAMED, EdgeType
from repo_mcp.symbols.symbol_record import SymbolRecord
from tests.counted_calls import count_calls
from tests.deep.sizes import examples
from tests.repo_mcp.graph.memory_index import find_node, list_incoming, list_outgoing, make_graph

MODULE = {"go.mod": "module example.org/app\n"}
GO = MODULE | {
    "render/render.go": (
        "package render\n"
        'import "net/http"\n'
        "type Render interface {\n"
        "\tRender(http.ResponseWriter) error\n"
        "\tWriteType(w http.ResponseWriter)\n"
        "}\n"
        "type Closed interface {\n\tRender\n\tclose()\n}\n"
    ),
    "render/json.go": (
        "package render\n"
        'import web "net/http"\n'
        "type JSON struct{}\n"
        "func (j JSON) Render(w web.ResponseWriter) (err error) { return nil }\n"
        "type Indented struct{ JSON }\n"
        "func (i *Indented) close() {}\n"
    ),
    "render/json_type.go": (
        'package render\nimport "net/http"\nfunc (j JSON) WriteType(w http.ResponseWriter) {}\n'
    ),
    "other/other.go": (
        "package other\n"
        'import "net/http"\nimport "example.org/app/render"\n'
        "type Few struct{}\nfunc (f Few) Render(w http.ResponseWriter) error { return nil }\n"
        "type Unlike struct{}\n"
        "func (u Unlike) Render(w http.ResponseWriter, n int) error { return nil }\n"
        "func (u Unlike) WriteType(w http.ResponseWriter) {}\n"
        "type Pages []string\n"
        "func (p Pages) Render(w http.ResponseWriter) error { return nil }\n"
        "func (p Pages) WriteType(w http.ResponseWriter) {}\n"
        "func (p Pages) close() {}\n"
        "type Wrapped struct{ render.Render }\n"
    ),
}


@pytest.fixture(scope="module")
def go() -> Graph:
    return make_graph(GO)


def test_types_that_have_the_methods_of_an_interface_satisfy_it(go: Graph) -> None:
    found = list_incoming(go, "render.Render", EdgeType.IMPLEMENTS)  # Wrapped.Render is a field
    assert found == [
        ("implements", "exact", "other.Pages", (9,)),
        ("implements", "exact", "render.JSON", (3,)),
        ("implements", "exact", "render.Indented", (5,)),
    ]


def test_what_is_hidden_is_satisfied_in_its_own_package_alone(go: Graph) -> None:
    found = list_incoming(go, "render.Closed", EdgeType.IMPLEMENTS)
    assert found == [("implements", "exact", "render.Indented", (5,))]


def test_a_type_leads_to_what_it_satisfies(go: Graph) -> None:
    names = [name for _, _, name, _ in list_outgoing(go, "render.Indented", EdgeType.IMPLEMENTS)]
    assert names == ["render.Render", "render.Closed"]
    assert list_outgoing(go, "other.Few", EdgeType.IMPLEMENTS) == []
    assert list_outgoing(go, "other.Unlike", EdgeType.IMPLEMENTS) == []


def test_methods_lead_to_those_of_the_interface_and_back(go: Graph) -> None:
    assert list_incoming(go, "render.Render.Render", EdgeType.OVERRIDES) == [
        ("overrides", "exact", "other.Pages.Render", (10,)),
        ("overrides", "exact", "render.JSON.Render", (4,)),
    ]
    assert list_outgoing(go, "render.JSON.WriteType", EdgeType.OVERRIDES) == [
        ("overrides", "exact", "render.Render.WriteType", (3,))
    ]


def test_satisfying_an_interface_is_no_use_of_its_name(go: Graph) -> None:
    names = {name for _, _, name, _ in list_incoming(go, "render.Render", *NAMED)}
    assert names == {"other.Wrapped", "render.Closed"}


EMBEDDING = MODULE | {
    "app/app.go": (
        "package app\n"
        "type Store interface {\n\tHash(n int) int\n}\n"
        "type Hasher interface {\n\tStore\n\tMember() int\n\tWait() int\n}\n"
        "type Server struct{}\n"
        "func (s *Server) Member() int { return 1 }\n"
        "type adapter struct {\n\t*Server\n\tStore\n}\n"
        "func (a adapter) Wait() int { return 1 }\n"
        "type checker struct{ Hasher Hasher }\n"
        "func (c *checker) run() { c.Hasher.Member() }\n"
    )
}


@pytest.fixture(scope="module")
def embedding() -> Graph:
    return make_graph(EMBEDDING)


def test_an_embedded_interface_brings_its_methods(embedding: Graph) -> None:
    found = list_incoming(embedding, "app.Hasher", EdgeType.IMPLEMENTS)
    assert found == [("implements", "exact", "app.adapter", (12,))]


def test_a_promoted_method_implements_what_its_type_does_not(embedding: Graph) -> None:
    assert list_incoming(embedding, "app.Hasher.Member", EdgeType.OVERRIDES) == [
        ("overrides", "exact", "app.Server.Member", (11,))
    ]
    assert list_outgoing(embedding, "app.Server.Member", EdgeType.OVERRIDES) == [
        ("overrides", "exact", "app.Hasher.Member", (11,))
    ]


def test_a_call_through_a_field_named_like_its_interface_may_run_any_implementation(embedding: Graph) -> None:
    method = find_node(embedding, "app.Server.Member")
    found = embedding.find_incoming(method, (EdgeType.CALLS,), dispatches=True).edges
    names = [(embedding.get_node(edge.other).qualified_name, edge.confidence) for edge in found]
    assert names == [("app.checker.run", "possible")]


def test_a_method_only_hides_that_of_an_embedded_struct() -> None:
    text = (
        "package a\ntype Store struct{}\nfunc (s *Store) Close() {}\n"
        "type Watched struct{ *Store }\nfunc (w *Watched) Close() {}\n"
        "func use(s *Store) { s.Close() }\n"
    )
    graph = make_graph(MODULE | {"a.go": text})
    assert list_incoming(graph, "a.Store.Close", EdgeType.OVERRIDES) == []
    assert list_outgoing(graph, "a.Watched.Close", EdgeType.OVERRIDES) == []
    method = find_node(graph, "a.Watched.Close")
    assert not graph.find_incoming(method, (EdgeType.CALLS,), dispatches=True).edges


def test_the_arguments_of_an_embedded_generic_type_are_not_embedded() -> None:
    text = (
        "package a\n"
        "type Getter[T any] interface {\n\tGet() T\n}\n"
        "type Lister interface {\n\tGetter[*Pod]\n\tList(n int)\n}\n"
        "type Pod struct{}\nfunc (p *Pod) List(n int) {}\nfunc (p *Pod) Get() *Pod { return p }\n"
        "type Client[T any] struct{}\nfunc (c *Client[T]) Get() T { panic(0) }\n"
        "type pods struct{ *Client[*Pod] }\n"
        "type lists struct{ *Client[*Pod] }\nfunc (l lists) List(n int) {}\n"
    )
    found = list_incoming(make_graph(MODULE | {"a.go": text}), "a.Lister", EdgeType.IMPLEMENTS)
    assert [(name, sure) for _, sure, name, _ in found] == [("a.lists", "probable"), ("a.Pod", "possible")]


def test_an_interface_of_elsewhere_leaves_it_open_unless_both_embed_it() -> None:
    graph = make_graph(
        MODULE
        | {
            "a.go": (
                'package a\nimport "example.com/x"\nimport "io"\n'
                "type Both interface {\n\tx.Far\n\tNear(int)\n}\n"
                "type Known interface {\n\tio.Closer\n\tNear(int)\n}\n"
                "type Failing interface {\n\terror\n\tNear(int)\n}\n"
                "type Plain struct{}\nfunc (p Plain) Near(n int) {}\n"
                "type Holding struct{ x.Far }\nfunc (h Holding) Near(n int) {}\n"
                "type Closing struct{}\nfunc (c Closing) Near(n int) {}\n"
                "func (c Closing) Close() error { return nil }\n"
            )
        }
    )
    found = list_incoming(graph, "a.Both", EdgeType.IMPLEMENTS)
    assert [(name, sure) for _, sure, name, _ in found] == [
        ("a.Holding", "probable"),
        ("a.Plain", "possible"),
        ("a.Closing", "possible"),
    ]
    known = list_incoming(graph, "a.Known", EdgeType.IMPLEMENTS)
    assert [(name, sure) for _, sure, name, _ in known] == [("a.Closing", "probable")]
    assert list_incoming(graph, "a.Failing", EdgeType.IMPLEMENTS) == []


@pytest.mark.parametrize(
    ("wanted", "written"),
    [
        ("Do(a, b int, c string) (n int, err error)", "Do(x int, y int, z string) (int, error)"),
        ("Do(chan<- int, ...string)", "Do(c chan<- int, rest ...string)"),
        ("Do(f func(a int) error) map[string]any", "Do(g func(a int) error) map[string]interface{}"),
        ("Do([]byte) rune", "Do(b []uint8) int32"),
        ("Do(f func(*Own, []int) *Own)", "Do(g func(a *Own, b []int) *Own)"),
        ("Do(Own) *Own", "Do(one Own) (two *Own)"),
    ],
)
def test_names_of_parameters_do_not_matter(wanted: str, written: str) -> None:
    types = "type Own struct{}\ntype T struct{}\n"
    text = f"package a\n{types}type I interface {{\n\t{wanted}\n}}\nfunc (t T) {written} {{ }}\n"
    graph = make_graph(MODULE | {"a.go": text})
    assert [name for _, _, name, _ in list_incoming(graph, "a.I", EdgeType.IMPLEMENTS)] == ["a.T"]


TYPES = ("int", "[]string", "error", "io.Reader", "*Own", "chan int", "map[string]int", "func(int) bool")
SIGNATURES = st.tuples(st.lists(st.sampled_from(TYPES), max_size=3), st.sampled_from(("", *TYPES)))
METHODS = st.dictionaries(st.sampled_from(("Do", "Go", "Be", "See")), SIGNATURES, max_size=3)


def write_signature(signature: tuple[list[str], str], *, is_named: bool) -> str:
    parameters, result = signature
    named = [f"p{at} {one}" if is_named else one for at, one in enumerate(parameters)]
    return f"({', '.join(named)}) {result}".rstrip()


@pytest.mark.sized
@settings(max_examples=examples(400), deadline=None)
@given(st.lists(METHODS, min_size=1, max_size=4), st.lists(METHODS, min_size=1, max_size=3), st.booleans())
def test_generated_types_satisfy_what_their_methods_say(
    types: list[dict[str, tuple[list[str], str]]],
    interfaces: list[dict[str, tuple[list[str], str]]],
    is_named: bool,
) -> None:
    lines = ["package a", 'import "io"', "type Own struct{}"]
    for at, methods in enumerate(types):
        lines.append(f"type T{at} struct{{}}")
        for name, signature in methods.items():
            lines.append(f"func (t *T{at}) {name}{write_signature(signature, is_named=is_named)} {{ }}")
    for at, methods in enumerate(interfaces):
        inside = "".join(
            f"\t{name}{write_signature(signature, is_named=not is_named)}\n"
            for name, signature in methods.items()
        )
        lines.append(f"type I{at} interface {{\n{inside}}}")
    graph = make_graph(MODULE | {"a.go": "\n".join(lines) + "\n"})
    for at, wanted in enumerate(interfaces):
        satisfying = [
            f"a.T{number}"
            for number, methods in enumerate(types)
            if wanted and wanted.items() <= methods.items()
        ]
        found = list_incoming(graph, f"a.I{at}", EdgeType.IMPLEMENTS)
        assert [(sure, name) for _, sure, name, _ in found] == [("exact", name) for name in satisfying]
    assert find_node(graph, "a.Own")


def test_names_of_parameters_within_function_types_do_not_count() -> None:
    graph = make_graph(
        MODULE
        | {
            "store.go": (
                "package app\n"
                "type Store interface {\n"
                "\tList(each func(key string) error)\n"
                "\tWalk(all map[string]func(a, b int) (n int, err error), done func(bool) (err error))\n"
                "}\n"
                "type Disk struct{}\n"
                "func (Disk) List(callback func(string) error) {}\n"
                "func (Disk) Walk(all map[string]func(int, int) (int, error), done func(ok bool) error) {}\n"
                "type Other struct{}\n"
                "func (Other) List(callback func(int) error) {}\n"
                "func (Other) Walk(all map[string]func(int, int) (int, error), done func(ok bool) error) {}\n"
            )
        }
    )
    found = list_incoming(graph, "app.Store", EdgeType.IMPLEMENTS)
    assert found == [("implements", "exact", "app.Disk", (6,))]


def test_parameters_on_lines_of_their_own_are_those_on_one_line() -> None:
    graph = make_graph(
        MODULE
        | {
            "store.go": (
                "package app\n"
                "type Store interface{ Put(key string, size int) error }\n"
                "type Disk struct{}\n"
                "func (Disk) Put(\n\tkey string, // of the value\n\tsize int, /* in bytes */\n) error {\n"
                "\treturn nil\n}\n"
            )
        }
    )
    found = list_incoming(graph, "app.Store", EdgeType.IMPLEMENTS)
    assert found == [("implements", "exact", "app.Disk", (3,))]


EMBEDDED = """package app

type Rows struct{}
type Chunks struct{}

type Reads interface {
\tSelect(n int) Rows
\tClose() error
}
type reader struct{}

func (r *reader) Select(n int) Rows { return Rows{} }
func (r *reader) Close() error      { return nil }

type chunkReader struct{ *reader }

func (r *chunkReader) Select(n int) Chunks { return Chunks{} }

type chunkMock struct{ Reads }

func (m *chunkMock) Select(n int) Chunks { return Chunks{} }

type logged struct{ Reads }

func (m *logged) Select(n int) Rows { return m.Reads.Select(n) }
"""


def test_what_embeds_a_type_and_gives_a_method_another_result_does_not_implement() -> None:
    graph = make_graph(MODULE | {"app/app.go": EMBEDDED})
    found = list_incoming(graph, "app.Reads", EdgeType.IMPLEMENTS)
    assert [(sure, name) for _, sure, name, _ in found] == [("exact", "app.reader"), ("exact", "app.logged")]
    found = list_incoming(graph, "app.Reads.Select", EdgeType.OVERRIDES)
    assert [(sure, name) for _, sure, name, _ in found] == [
        ("exact", "app.reader.Select"),
        ("exact", "app.logged.Select"),
    ]
    assert not list_outgoing(graph, "app.chunkReader.Select", EdgeType.OVERRIDES)
    assert not list_outgoing(graph, "app.chunkMock.Select", EdgeType.OVERRIDES)


NAMESAKES = {
    "tree/node.go": "package tree\ntype Node interface {\n\tPlace() int\n\tisNode()\n}\n",
    "tree/base.go": (
        "package tree\ntype base struct{}\nfunc (base) Place() int { return 1 }\nfunc (base) isNode() {}\n"
    ),
    "tree/leaf.go": "package tree\ntype Leaf struct{ base }\n",
    **{
        f"a{number}/node.go": f"package a{number}\ntype Node struct{{}}\ntype base struct{{ Node }}\n"
        for number in range(5)
    },
}


def test_namesakes_in_other_packages_do_not_crowd_out_what_embeds_a_type(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("repo_mcp.graph.go.embedded_types.MAX_FILES", 1)
    graph = make_graph(MODULE | NAMESAKES)
    found = list_incoming(graph, "tree.Node", EdgeType.IMPLEMENTS)
    assert [name for _, _, name, _ in found] == ["tree.base", "tree.Leaf"]
    assert ("implements", "exact", "tree.Node", (2,)) in list_outgoing(
        graph, "tree.Leaf", EdgeType.IMPLEMENTS
    )


def test_an_answer_says_when_not_every_file_was_searched_for_embedding_types(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("repo_mcp.graph.go.embedded_types.MAX_FILES", 1)
    importing = {
        f"a{number}/a.go": f'package a{number}\nimport "example.org/app/tree"\ntype A struct{{ tree.Leaf }}\n'
        for number in range(2)
    }
    graph = make_graph(MODULE | NAMESAKES | importing)
    node = find_node(graph, "tree.Node")
    assert graph.find_incoming(node, (EdgeType.IMPLEMENTS,)).cut


def test_a_name_of_an_external_package_imported_by_a_dot_is_no_type_of_this_repository() -> None:
    graph = make_graph(
        MODULE
        | {
            "files/files.go": (
                "package files\ntype File interface {\n\tRead() int\n}\n"
                "type System interface {\n\tOpen(name string) (File, error)\n}\n"
            ),
            "web/web_test.go": (
                'package web_test\nimport . "example.com/web"\n'
                "type remote struct{}\nfunc (remote) Open(name string) (File, error) { panic(0) }\n"
            ),
        }
    )
    assert list_incoming(graph, "files.System", EdgeType.IMPLEMENTS) == []


def test_methods_of_one_name_are_looked_up_among_those_of_a_type(monkeypatch: pytest.MonkeyPatch) -> None:
    called = count_calls(monkeypatch, SymbolRecord, "get_symbol")
    counts = []
    for size in (20, 40):
        methods = "".join(f"func (b *Box) Take{one}() {{}}\n" for one in range(size))
        taker = "type Taker interface { Take1() }\n"
        graph = make_graph(MODULE | {"box.go": f"package box\n{taker}type Box struct{{}}\n{methods}"})
        assert list_outgoing(graph, "box.Box.Take1", EdgeType.OVERRIDES)  # reads the method set
        second = find_node(graph, "box.Box.Take2")
        called.clear()
        assert not graph.find_outgoing(second, (EdgeType.OVERRIDES,)).edges
        counts.append(len(called))
    assert counts[0] == counts[1]
