"""Rust: which of several declarations with one name a use means, by the rules of the language."""

from __future__ import annotations

import pytest

from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.repo_mcp.graph.resolved import Repository

MANIFEST = '[package]\nname = "app"\n'
SHAPES = """
pub trait Area { fn area(&self) -> u8; fn side(&self) -> u8; }
pub struct Square { side: u8, label: String }
pub enum Shape { Plain { side: u8 }, Round(u8) }
impl Square {
    pub fn side(&self) -> u8 { self.side }
    pub fn label(&self) -> String { self.label.clone() }
    pub fn new(side: u8) -> Self { Self { side, label: text(side) } }
}
impl Area for Square {
    fn area(&self) -> u8 { self.side() }
    fn side(&self) -> u8 { 0 }
}
fn take(square: Square, shape: Shape) -> u8 {
    let Square { side, label: named } = square;
    match shape { Shape::Plain { side: inner } => inner, Shape::Round(_) => 0 }
}
fn told(square: Square) { assert!(square.label == text(1)); }
fn read(square: Square) -> u8 { Square::side(&square) }
fn text(number: u8) -> String { String::new() }
"""
MODULES = {
    "Cargo.toml": MANIFEST,
    "src/lib.rs": """
mod inner;
mod headers;
use crate::headers::Header;
#[cfg(unix)]
pub struct Handle(u8);
#[cfg(windows)]
pub struct Handle(u16);
#[cfg(windows)]
use crate::headers::Port;
#[cfg(unix)]
pub struct Port;
pub struct Values(u8);
pub enum Cursor { Head, Values(u8) }
fn local(headers: u8) -> Cursor {
    use self::Cursor::*;
    headers::count();
    Values(1)
}
fn outer(handle: Handle, port: Port) {
    Values(2);
}
""",
    "src/inner.rs": "use super::Header;\nfn f(header: Header) {}\n",
    "src/headers.rs": "pub struct Header;\npub struct Port;\npub fn count() {}\n",
}
ELSEWHERE = """
pub trait Ready { fn ready(&self); fn poll(&self); }
pub trait Poll { fn poll(&self); }
impl<T: Service> Ready for T {
    fn ready(&self) { self.call(); }
    fn poll(&self) {}
}
impl<T> Poll for T { fn poll(&self) { self.ready(); } }
impl Fill<u8> for Buffer { fn fill_it(&self) {} }
impl Fill<u16> for Buffer { fn fill_it(&self) {} }
pub struct Buffer;
impl bytes::Buf for Buffer { fn advance_by(&self, n: u8) {} }
fn f(buffer: Buffer) {
    g().advance_by(1);
    buffer.fill_it();
}
"""
LOG = """
pub trait Log { const LEVEL: u8; fn make() -> Self; }
pub struct Conn<T>(T);
impl<T: Log> Conn<T> { fn level() -> u8 { T::LEVEL } }
fn make<M>() -> M where M: Log { M::make() }
"""


@pytest.fixture(scope="module")
def shapes() -> Repository:
    return Repository.build({"Cargo.toml": MANIFEST, "src/lib.rs": SHAPES})


@pytest.fixture(scope="module")
def modules() -> Repository:
    return Repository.build(MODULES)


@pytest.mark.parametrize(
    ("line", "name", "means"),
    [
        ("{ self.side }", "side", "2 side exact"),  # no call: the field
        ("self.side()", "side", "5 side exact"),  # a call: the method, and the type's own before a trait's
        ("Square::side(&square)", "side", "5 side exact"),
        ("Self { side, label", "label", "2 label exact"),
        ("let Square { side, label: named }", "side", "2 side exact"),
        ("Shape::Plain { side: inner }", "side", "3 side exact"),
        ("assert!(square.label", "label", "2 label exact"),
    ],
)
def test_fields_and_methods_have_names_of_their_own(
    shapes: Repository, line: str, name: str, means: str
) -> None:
    assert shapes.ask("src/lib.rs", line, name) == [f"src/lib.rs:{means}"]


def test_what_stands_in_one_scope_twice_is_a_choice_of_the_build(modules: Repository) -> None:
    line = "fn outer("
    assert modules.ask("src/lib.rs", line, "Handle") == [
        "src/lib.rs:4 Handle probable",
        "src/lib.rs:6 Handle probable",
    ]
    assert modules.ask("src/lib.rs", line, "Port") == [
        "src/lib.rs:10 Port probable",
        "src/headers.rs:2 Port probable",
    ]


def test_an_import_in_a_function_hides_what_the_module_declares(modules: Repository) -> None:
    assert modules.ask("src/lib.rs", "    Values(1)", "Values") == ["src/lib.rs:13 Values exact"]
    assert modules.ask("src/lib.rs", "    Values(2)", "Values") == ["src/lib.rs:12 Values exact"]


def test_a_path_does_not_begin_with_a_variable(modules: Repository) -> None:
    assert modules.ask("src/lib.rs", "headers::count()", "count") == ["src/headers.rs:3 count exact"]


def test_a_module_sees_what_the_one_around_it_imports(modules: Repository) -> None:
    assert modules.ask("src/inner.rs", "header: Header", "Header") == ["src/headers.rs:1 Header exact"]


def test_members_of_what_is_not_known_are_no_more_than_possible() -> None:
    program = Repository.build({"Cargo.toml": MANIFEST, "src/lib.rs": ELSEWHERE})
    assert program.ask("src/lib.rs", "self.ready();", "ready") == []
    assert program.ask("src/lib.rs", "g().advance_by", "advance_by", ReferenceRole.CALL) == [
        "src/lib.rs:11 advance_by possible"
    ]
    assert program.ask("src/lib.rs", "buffer.fill_it()", "fill_it") == [
        "src/lib.rs:8 fill_it possible",
        "src/lib.rs:9 fill_it possible",
    ]


def test_a_type_parameter_has_the_members_of_its_bound() -> None:
    program = Repository.build({"Cargo.toml": MANIFEST, "src/lib.rs": LOG})
    assert program.ask("src/lib.rs", "T::LEVEL", "LEVEL") == ["src/lib.rs:1 LEVEL exact"]
    assert program.ask("src/lib.rs", "M::make()", "make", ReferenceRole.CALL) == ["src/lib.rs:1 make exact"]


def test_a_type_has_what_another_crate_or_a_trait_for_all_types_gives_it() -> None:
    program = Repository.build(
        {
            "core/Cargo.toml": '[package]\nname = "core-shapes"\n',
            "core/src/lib.rs": "pub struct Color;\npub struct Side;\n"
            "pub trait Shown { fn shown(&self) {} }\nimpl<T: Sized> Shown for T {}\nimpl Side { told!(); }\n",
            "app/Cargo.toml": '[package]\nname = "app"\n[dependencies]\ncore-shapes = { path = "../core" }\n',
            "app/src/lib.rs": """
use core_shapes::Color;
pub trait Turned { fn turned() -> Self; fn back(&self) {} }
impl Turned for Color { fn turned() -> Self { Color } }
fn f(color: Color, side: core_shapes::Side) {
    Color::turned();
    color.back();
    side.back();
    color.shown();
    side.shown();
}
""",
        }
    )
    assert program.ask("app/src/lib.rs", "Color::turned()", "turned") == ["app/src/lib.rs:3 turned exact"]
    assert program.ask("app/src/lib.rs", "color.back()", "back") == ["app/src/lib.rs:2 back exact"]
    assert program.ask("app/src/lib.rs", "side.back()", "back") == []
    assert program.ask("app/src/lib.rs", "color.shown()", "shown") == ["core/src/lib.rs:3 shown probable"]
    assert program.ask("app/src/lib.rs", "side.shown()", "shown") == []  # a macro may declare it


def test_of_two_traits_that_give_a_type_one_name_neither_is_certain() -> None:
    text = """
pub struct Color;
pub mod a { pub trait One { fn back(&self) {} } impl One for super::Color {} }
pub mod b { pub trait Two { fn back(&self) {} fn forth(&self) {} } impl Two for super::Color {} }
mod y { use super::b::Two; fn f(it: super::Color) { it.back(); } }
fn g(it: Color) { it.forth(); }
"""
    program = Repository.build({"Cargo.toml": MANIFEST, "src/lib.rs": text})
    assert program.ask("src/lib.rs", "it.back()", "back") == [
        "src/lib.rs:2 back possible",
        "src/lib.rs:3 back possible",
    ]
    assert program.ask("src/lib.rs", "it.forth()", "forth") == ["src/lib.rs:3 forth exact"]
