"""Rust: crates behind a facade, and calls through fields whose type is a parameter with a bound."""

from __future__ import annotations

import pytest

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.vocabulary import CALLS, NAMED, EdgeType
from tests.repo_mcp.graph.memory_index import list_incoming, make_graph
from tests.repo_mcp.graph.resolved import Repository

RUST = {
    "Cargo.toml": (
        '[package]\nname = "app"\n[dependencies.all-of-it]\nversion = "1"\npath = "crates/facade"\n'
        '[dependencies]\nouter = "1"\n'
    ),
    "src/main.rs": (
        "use all_of_it::tools::open;\n"
        "fn main() {\n"
        "    open();\n"
        "    all_of_it::other::close();\n"
        "    outer::tools::open();\n"
        "}\n"
    ),
    "crates/facade/Cargo.toml": (
        '[package]\nname = "all-of-it"\n[dependencies]\n'
        'the-tools = { version = "1", path = "../tools" }\nthe-other = { path = "../other" }\n'
    ),
    "crates/facade/src/lib.rs": "pub extern crate the_tools as tools;\nextern crate the_other as other;\n",
    "crates/tools/Cargo.toml": '[package]\nname = "the-tools"\n',
    "crates/tools/src/lib.rs": (
        "pub mod sink;\n"
        "pub fn open() {}\n"
        "use crate::sink::Sink;\n"
        "pub struct Core<S, T: Sink, U> { sink: S, told: Option<T>, free: U }\n"
        "impl<S: Sink, T: Sink, U> Core<S, T, U> {\n"
        "    fn run(&mut self) {\n"
        "        self.sink.matched(1);\n"
        "        self.told.unwrap().matched(2);\n"
        "        self.free.matched(3);\n"
        "    }\n"
        "    fn give(&self) -> &S { &self.sink }\n"
        "    fn more(&self) { self.give().matched(4); }\n"
        "}\n"
        "pub struct Late<M> { made: M }\n"
        "impl<M> Late<M> where M: Sink {\n"
        "    fn run(&self) { self.made.matched(5); }\n"
        "}\n"
    ),
    "crates/tools/src/sink.rs": (
        "pub trait Sink { fn matched(&mut self, n: u8); }\n"
        "pub struct Other;\nimpl Other { fn matched(&mut self, n: u8) {} }\n"
    ),
    "crates/other/Cargo.toml": '[package]\nname = "the-other"\n',
    "crates/other/src/lib.rs": "pub fn close() {}\npub fn open() {}\n",
}


@pytest.fixture(scope="module")
def rust() -> Graph:
    return make_graph(RUST)


def test_a_facade_leads_to_the_crates_that_it_gives_on(rust: Graph) -> None:
    nodes = {node.name_inside: node for node in rust.outline("crates/tools/src/lib.rs")}
    edges = rust.find_incoming(nodes["open"], CALLS).edges
    found = [(edge.confidence.value, rust.get_node(edge.other).path, edge.lines) for edge in edges]
    assert found == [("exact", "src/main.rs", (3,))]


def test_what_a_facade_keeps_for_itself_is_not_seen_through_it(rust: Graph) -> None:
    assert list_incoming(rust, "close", EdgeType.CALLS) == []


def test_a_field_has_the_methods_of_the_trait_that_its_type_is_bound_by(rust: Graph) -> None:
    assert list_incoming(rust, "Sink.matched", EdgeType.CALLS) == [
        ("calls", "probable", "Core.run", (7, 8)),
        ("calls", "probable", "Core.more", (12,)),
        ("calls", "probable", "Late.run", (16,)),
        ("calls", "possible", "Core.run", (9,)),
    ]
    assert list_incoming(rust, "Other.matched", EdgeType.CALLS) == [("calls", "possible", "Core.run", (9,))]


def test_what_is_derived_is_no_struct_of_that_name() -> None:
    text = "pub trait Shape {}\nstruct Debug;\n#[derive(Debug, Shape)]\nstruct One;\nfn f(d: Debug) {}\n"
    graph = make_graph({"Cargo.toml": '[package]\nname = "a"\n', "src/lib.rs": text})
    assert list_incoming(graph, "Debug", EdgeType.REFERENCES, EdgeType.ACCEPTS) == [
        ("accepts", "exact", "f", (5,))
    ]
    assert [row[3] for row in list_incoming(graph, "Shape")] == [(3,)]


def test_a_type_parameter_is_no_other_parameter_of_that_name() -> None:
    texts = {
        "Cargo.toml": '[package]\nname = "a"\n',
        "src/lib.rs": "pub trait Two { type Item; }\nimpl<I: Clone> Two for I { type Item = u8; }\n",
        "src/use.rs": "pub struct Find<I: Iterator, P> where P: Fn(I::Item) { one: I, two: P }\n",
    }
    graph = make_graph(texts)
    (item,) = (one for one in graph.outline("src/lib.rs") if one.name_inside == "I.Item")
    assert list(graph.find_incoming(item, NAMED).edges) == []
    (trait,) = (one for one in graph.outline("src/lib.rs") if one.name_inside == "Two")
    assert [edge.type for edge in graph.find_incoming(trait, NAMED).edges] == [EdgeType.IMPLEMENTS]


BOUND = """\
trait Edge { fn target(&self) -> u8; }
trait Visits { fn visit(&mut self); }
trait Edges {
    type EdgeRef: Edge + Copy;
    type All: Iterator<Item = Self::EdgeRef>;
    type Map: Visits;
    fn edges(&self) -> Self::All;
    fn map(&self) -> Self::Map;
}
struct Run { at: u8 }
struct Step;
impl Step { fn go(&self) {} fn target(&self) -> u8 { 0 } }
impl Iterator for Run { type Item = Step; fn next(&mut self) -> Option<Step> { None } }
fn make() -> Run { Run { at: 0 } }
fn maybe() -> Option<Run> { None }
struct Other;
impl Other { fn target(&self) -> u8 { 1 } fn visit(&mut self) {} fn go(&self) {} }
trait Index { fn index(&self) -> usize; }
impl Index for Other { fn index(&self) -> usize { 0 } }
fn f<G: Edges>(g: G) {
    for edge in g.edges() { edge.target(); }
    let mut seen = g.map();
    seen.visit();
    for step in make() { step.go(); }
    if let Some(run) = maybe() { run.at; }
}
struct Graph<Ix>(Ix);
impl<Ix: Index> Graph<Ix> {
    fn end() -> usize { <Ix as Index>::index(&0) }
}
trait Round { type A: Iterator<Item = Self::B>; type B: Iterator<Item = Self::A>; fn all(&self) -> Self::A; }
fn r<T: Round>(t: T) { for x in t.all() { x.target(); } }
fn q<A: B::X, B: A::Y>(a: A::Z) { a.visit(); }
"""


@pytest.mark.parametrize(
    ("line", "name", "means"),
    [
        ("edge.target()", "target", ["1 target probable"]),  # an item of what is bound to be an iterator
        ("seen.visit()", "visit", ["2 visit probable"]),
        ("step.go()", "go", ["12 go probable"]),  # the item of an iterator that is a struct
        ("run.at", "at", ["10 at probable"]),  # what `Some` holds is the iterator itself
        ("<Ix as Index>::index", "index", ["18 index exact"]),
        (
            "x.target()",
            "target",
            [f"{line} target possible" for line in (1, 12, 17)],
        ),  # nothing but the name
        ("a.visit()", "visit", [f"{line} visit possible" for line in (2, 17)]),
    ],
)
def test_associated_types_have_the_members_of_their_bounds(line: str, name: str, means: list[str]) -> None:
    found = Repository.build({"src/lib.rs": BOUND, "Cargo.toml": '[package]\nname = "app"\n'})
    assert found.ask("src/lib.rs", line, name) == [f"src/lib.rs:{one}" for one in means]


WRAPPED = """\
use std::rc::Rc;
struct Part { at: u8 }
impl Part { fn as_ref(&self) -> u8 { 0 } fn count(&self) -> u8 { 0 } fn iter(&self) -> u8 { 0 } }
struct Whole { told: Option<Part>, held: Rc<Part>, plain: Part }
impl Whole {
    fn run(&self, given: Rc<Part>) {
        self.told.as_ref();
        self.held.as_ref(1);
        self.held.iter();
        self.plain.as_ref(2);
        given.as_ref(3);
        given.count();
    }
}
"""


@pytest.mark.parametrize(
    ("line", "name", "means"),
    [
        ("self.told.as_ref()", "as_ref", "3 as_ref probable"),  # most likely that of the `Option`
        ("self.held.as_ref(1)", "as_ref", "3 as_ref probable"),
        ("self.held.iter()", "iter", "3 iter exact"),  # a pointer has none
        ("self.plain.as_ref(2)", "as_ref", "3 as_ref exact"),
        ("given.as_ref(3)", "as_ref", "3 as_ref probable"),
        ("given.count()", "count", "3 count exact"),
    ],
)
def test_a_member_that_a_wrapper_may_have_is_not_sure(line: str, name: str, means: str) -> None:
    found = Repository.build({"src/lib.rs": WRAPPED, "Cargo.toml": '[package]\nname = "app"\n'})
    assert found.ask("src/lib.rs", line, name) == [f"src/lib.rs:{means}"]


NAMESAKE = {
    "Cargo.toml": '[package]\nname = "app"\n',
    "src/lib.rs": """
        mod list;
        pub enum State { None, Some(Box<dyn Any>) }
        impl State {
            pub fn cast<T>(&mut self) -> &mut T where T: 'static { todo!() }
        }
        struct Scroller;
        impl Scroller { fn grab(&self) {} }
        fn run(state: &mut State) { state.cast::<Scroller>().grab(); }
        """,
    "src/list.rs": "pub struct State<T>(T);\nimpl<T: std::fmt::Display> State<T> { fn show(&self) {} }\n",
}


def test_bounds_of_a_namesake_in_another_module_do_not_count() -> None:
    found = Repository.build(NAMESAKE)
    assert found.ask("src/lib.rs", "fn run", "grab") == ["src/lib.rs:7 grab probable"]  # by its name


CONVERTED = """\
struct Part;
impl Part { fn show(&self) {} }
fn one(part: impl Into<Part>) { part.into().show(); }
fn two(part: impl Into<Part> + Clone) { let made = part.into(); made.show(); }
fn three<P: Into<Part>>(part: P) { let part = part.into(); part.show(); }
fn four<P>(part: P) where P: AsRef<Part> + Clone { part.as_ref().show(); }
fn five(part: &Part) { part.into().show(); }
fn six(part: impl Into<u8>) { part.into().show(); }
fn seven<P: AsRef<Part>>(parts: &[P]) { for part in parts { part.as_ref().show(); } }
"""


@pytest.mark.parametrize(
    ("line", "means"),
    [
        ("fn one", ["src/lib.rs:2 show exact"]),
        ("fn two", ["src/lib.rs:2 show exact"]),
        ("fn three", ["src/lib.rs:2 show exact"]),
        ("fn four", ["src/lib.rs:2 show exact"]),
        ("fn six", ["-> u8.show"]),
        ("fn seven", ["-> AsRef.show"]),
    ],
)
def test_a_bound_says_what_a_value_is_converted_into(line: str, means: list[str]) -> None:
    found = Repository.build({"src/lib.rs": CONVERTED, "Cargo.toml": '[package]\nname = "app"\n'})
    assert found.ask("src/lib.rs", line, "show") == means


def test_a_field_behind_a_bound_is_found_by_its_name() -> None:
    text = """
        pub trait Network {}
        pub struct Swarm<N: Network> { inner: N }
        impl<N: Network> Swarm<N> { fn behaviour(&self) -> &N { &self.inner } }
        struct Pair { kept: u8 }
        fn run(swarm: Swarm<Pair>) { drop(swarm.behaviour().kept); swarm.behaviour().second(); }
        """
    found = Repository.build({"src/lib.rs": text, "Cargo.toml": '[package]\nname = "app"\n'})
    assert found.ask("src/lib.rs", "fn run", "kept") == ["src/lib.rs:4 kept probable"]
    assert found.ask("src/lib.rs", "fn run", "second") == []
