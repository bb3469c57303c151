"""Go: keys of literals, what type parameters are bound by, and declarations that a build chooses between."""

from __future__ import annotations

from repo_mcp.graph.vocabulary import EdgeType
from tests.repo_mcp.graph.memory_index import list_incoming, list_outgoing, make_graph

MODULE = {"go.mod": "module example.org/app\n"}


def test_keys_of_literals_are_fields_of_their_structs() -> None:
    texts = MODULE | {
        "pets/dog.go": (
            "package pets\ntype Dog struct {\n\tName string\n\tAge int\n}\ntype Box[T any] struct{ Name T }\n"
        ),
        "main.go": (
            "package main\n"
            'import "example.org/app/pets"\n'
            "const Name = 1\n"
            'var one = pets.Dog{Name: "a"}\n'
            'var two = []*pets.Dog{{Age: 1}, {Name: "b"}}\n'
            'var three = map[string]pets.Dog{"x": {Name: "c"}}\n'
            "var four = map[int]int{Name: 2}\n"
            'var five = pets.Box[string]{Name: "d"}\n'
        ),
    }
    graph = make_graph(texts)
    found = list_incoming(graph, "pets.Dog.Name", EdgeType.REFERENCES)
    assert [(confidence, lines) for _, confidence, _, lines in found] == [
        ("exact", (4,)),
        ("exact", (5,)),
        ("exact", (6,)),
    ]
    assert [lines for *_, lines in list_incoming(graph, "pets.Dog.Age", EdgeType.REFERENCES)] == [(5,)]
    assert [lines for *_, lines in list_incoming(graph, "pets.Box.Name", EdgeType.REFERENCES)] == [(8,)]
    assert [lines for *_, lines in list_incoming(graph, "main.Name", EdgeType.REFERENCES)] == [(7,)]


def test_a_field_of_a_type_parameter_has_the_methods_of_its_constraint() -> None:
    texts = MODULE | {
        "a.go": (
            "package a\n"
            "type Shape interface{ Area() int }\n"
            "type Store[T Shape] struct{ last T }\n"
            "func (s *Store[T]) Sum() int { return s.last.Area() }\n"
            "type Other struct{}\nfunc (o Other) Area() int { return 1 }\n"
        )
    }
    found = list_incoming(make_graph(texts), "a.Shape.Area", EdgeType.CALLS)
    assert [(confidence, lines) for _, confidence, _, lines in found] == [("probable", (4,))]


def test_a_value_of_a_type_parameter_has_the_type_of_the_argument() -> None:
    texts = MODULE | {
        "tree/tree.go": (
            "package tree\n"
            "type Tree[T comparable] struct{ last T }\n"
            "func (t *Tree[T]) Get(key string) T { return t.last }\n"
            "func (t *Tree[T]) Show() { t.last.Draw() }\n"
        ),
        "page/page.go": "package page\ntype Page struct{}\nfunc (p *Page) Draw() {}\n",
        "a.go": (
            "package a\n"
            'import (\n\t"example.org/app/page"\n\t"example.org/app/tree"\n)\n'
            "type Site struct{ pages *tree.Tree[*page.Page] }\n"
            'func (s *Site) Show() {\n\tone := s.pages.Get("x")\n\tone.Draw()\n\ts.pages.last.Draw()\n}\n'
        ),
    }
    graph = make_graph(texts)
    found = list_incoming(graph, "page.Page.Draw", EdgeType.CALLS)
    assert [(source, lines) for _, _, source, lines in found] == [
        ("a.Site.Show", (9, 10)),
        ("tree.Tree.Show", (4,)),
    ]
    inside = graph.find_outgoing(graph.choose("tree.Tree.Show"), (EdgeType.CALLS,))
    assert not inside.externals  # `comparable` has no methods


def test_each_of_the_declarations_that_a_build_chooses_between_is_meant() -> None:
    texts = MODULE | {
        "full.go": "//go:build !small\n\npackage a\nvar Format Form = 1\ntype Form int\n",
        "small.go": "//go:build small\n\npackage a\nvar Format Form = 2\ntype Form int\n",
        "use.go": "package a\nfunc use(f Form) Form { return Format }\n",
    }
    found = list_outgoing(make_graph(texts), "a.use", EdgeType.REFERENCES, EdgeType.ACCEPTS)
    assert {confidence for _, confidence, *_ in found} == {"exact"}
    assert len(found) >= 4


def test_a_generic_type_may_satisfy_what_one_argument_makes_it_satisfy() -> None:
    texts = MODULE | {
        "a.go": (
            "package a\n"
            "type Ints interface {\n\tGet() int\n\tPut(value int) error\n}\n"
            "type Any[T any] interface {\n\tGet() T\n\tPut(value T) error\n}\n"
            "type Box[T any] struct{ value T }\n"
            "func (b *Box[V]) Get() V { return b.value }\n"
            "func (b *Box[V]) Put(value V) error { return nil }\n"
            "type Pair struct{}\nfunc (p Pair) Get() (int, int) { return 1, 2 }\n"
            "func (p Pair) Put(a int) error { return nil }\n"
        )
    }
    graph = make_graph(texts)
    for interface, confidence in (("a.Ints", "possible"), ("a.Any", "probable")):
        found = list_incoming(graph, interface, EdgeType.IMPLEMENTS)
        assert [(sure, source) for _, sure, source, _ in found] == [(confidence, "a.Box")]
