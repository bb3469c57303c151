"""Rust: what variables hold that no annotation types."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXT = """
pub struct Node { next: Option<usize>, label: Label }
pub struct Label { text: u8 }
pub struct Tree { nodes: Vec<Node>, root: Option<Node> }
pub enum Item { Leaf(Label, u8), Branch { inner: Node }, Empty }
pub struct Cursor { at: Pin<Box<Label>> }
pub struct Shared { inner: Arc<Mutex<Label>> }
pub struct Guard { held: u8 }
impl Deref for Guard {
    type Target = Label;
    fn deref(&self) -> &Label { panic!() }
}
fn guard(guard: Guard, shared: Shared) {
    guard.text.min(3);
    let mut locked = shared.inner.lock().unwrap();
    let locked = &mut *locked;
    locked.text += 4;
    shared.inner.text;
}
impl Index<usize> for Tree {
    type Output = Node;
    fn index(&self, at: usize) -> &Self::Output { &self.nodes[at] }
}
impl Tree {
    fn values(&mut self, tree: Tree, item: Item) {
        let node = &mut self.nodes[1];
        node.label = 1;
        self[0].next = None;
        if let Some(root) = &self.root {
            root.label.text;
        }
        for one in self.nodes.iter() {
            one.next.is_some();
        }
        self.nodes.first().map(|first| &first.label);
        match item {
            Item::Leaf(label, _) => label.text,
            Item::Branch { ref inner } => inner.label,
            Item::Empty => 0,
        }
    }
}
impl Cursor {
    fn poll(self: Pin<&mut Self>) {
        let me = self.project();
        me.at.text;
    }
}
pub mod facade {
    pub use crate::hidden::Thing;
}
mod hidden { pub struct Thing; pub struct Other; }
mod user {
    use crate::facade::Thing;
    fn f(thing: Thing, other: crate::facade::Other) {}
}
"""


@pytest.fixture(scope="module")
def tree() -> Repository:
    return Repository.build({"Cargo.toml": '[package]\nname = "a"\n', "src/lib.rs": TEXT})


@pytest.mark.parametrize(
    ("line", "name", "means"),
    [
        ("node.label = 1", "label", "1 label exact"),  # what an index of a list gives
        ("self[0].next", "next", "1 next exact"),  # what `impl Index` says
        ("root.label.text", "label", "1 label probable"),  # taken out of `Some`
        ("root.label.text", "text", "2 text probable"),
        ("one.next", "next", "1 next probable"),  # of a loop
        ("&first.label", "label", "1 label probable"),  # the parameter of a closure
        ("label.text,", "text", "2 text probable"),  # of a variant, by position
        ("guard.text.min", "text", "2 text exact"),  # what a type points to has
        ("locked.text += 4", "text", "2 text exact"),  # behind a lock
        ("=> inner.label", "label", "1 label probable"),  # of a variant, by name
        ("me.at.text", "at", "5 at probable"),  # of the type that a macro makes
    ],
)
def test_variables_have_the_types_of_what_they_are_taken_from(
    tree: Repository, line: str, name: str, means: str
) -> None:
    assert tree.ask("src/lib.rs", line, name) == [f"src/lib.rs:{means}"]


def test_a_lock_has_not_the_members_of_what_it_guards(tree: Repository) -> None:
    assert tree.ask("src/lib.rs", "shared.inner.text", "text") == ["-> Mutex.text"]


def test_a_module_in_a_file_gives_on_what_it_names_and_no_more(tree: Repository) -> None:
    assert tree.ask("src/lib.rs", "fn f(thing", "Thing") == ["src/lib.rs:51 Thing exact"]
    assert tree.ask("src/lib.rs", "fn f(thing", "Other") == []


GIVEN = """\
struct Part;
impl Part { fn grow(&self) {} }
struct Store;
impl Store { fn cast<T>(&self) -> &T { todo!() } fn grow(&self) {} }
fn run(store: Store, any: &dyn Any, texts: &[&str]) {
    let one = any.downcast_ref::<Part>().unwrap(); one.grow();
    let two = "2".parse::<Part>()?; two.grow();
    let some = texts.iter().map(read).collect::<Vec<Part>>(); for three in &some { three.grow(); }
    let most = list().collect::<Vec<_>>(); for four in &most { four.grow(); }
    let five = store.cast::<Part>(); five.grow();
}
"""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("let one", ["src/lib.rs:2 grow exact"]),
        ("let two", ["src/lib.rs:2 grow exact"]),
        ("let some", ["src/lib.rs:2 grow probable"]),
        ("let most", ["src/lib.rs:2 grow possible", "src/lib.rs:4 grow possible"]),
        ("let five", ["src/lib.rs:2 grow possible", "src/lib.rs:4 grow possible"]),
    ],
)
def test_what_a_call_returns_is_written_in_it(line: str, said: list[str]) -> None:
    found = Repository.build({"src/lib.rs": GIVEN, "Cargo.toml": '[package]\\nname = "app"\\n'})
    assert found.ask("src/lib.rs", line, "grow") == said
