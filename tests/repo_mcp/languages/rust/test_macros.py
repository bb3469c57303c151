"""What calls of a file's own `macro_rules!` macros declare in Rust."""

from __future__ import annotations

import pytest

from repo_mcp.languages.capture_parsers import parse_rust
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolRecord, decode_symbol_record

CONSTANTS = """\
macro_rules! codes {
    ($(#[$meta:meta])* $name:ident($held:ty) { $($code:ident = $value:expr),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug)]
        pub struct $name(pub $held);
        $(pub const $code: $name = $name($value);)+
        impl $name {
            pub fn say(&self) -> Option<&'static str> {
                helper();
                Some(match *self { $($code => stringify!($code),)+ _ => return None })
            }
        }
    };
}
codes!(
/// What is told.
Told(u16) {
    FIRST = 1,
    SECOND = other(2),
});
"""
STRUCT = "macro_rules! a { ($n:ident) => { struct $n; } }\n"


def parse(text: str) -> SymbolRecord:
    return decode_symbol_record(parse_rust("a.rs", text.encode()))


def list_symbols(text: str) -> list[str]:
    """Return "kind path start-end" of the symbols, but for the file and macros."""
    record = parse(text)
    found = []
    for ordinal in range(1, record.symbol_count):
        one = record.get_symbol(ordinal)
        names = [one.name]
        parent = one.parent
        while parent:
            names.append(record.get_symbol(parent).name)
            parent = record.get_symbol(parent).parent
        if one.kind.name != "MACRO":
            found.append(f"{one.kind.name} {'.'.join(reversed(names))} {one.start_line}-{one.end_line}")
    return found


def list_uses(text: str, first: int) -> list[str]:
    """Return "name line" of the calls and uses from a line on."""
    record = parse(text)
    rows = record.list_role(ReferenceRole.CALL, ReferenceRole.USE, ReferenceRole.TYPE)
    found = map(record.get_reference, rows)
    return [f"{one.name} {one.line}" for one in found if one.line >= first]


def test_items_are_where_their_names_are_in_the_call() -> None:
    assert list_symbols(CONSTANTS) == [
        "STRUCT Told 17-17",
        "PROPERTY Told.0 17-17",
        "CONSTANT FIRST 18-18",
        "CONSTANT SECOND 19-19",
        "EXTENSION Told 15-20",
        "METHOD Told.say 15-20",
    ]


def test_names_of_a_call_are_used_once_and_those_of_the_definition_there() -> None:
    assert list_uses(CONSTANTS, 15) == ["codes 15", "other 19"]
    assert "helper 9" in list_uses(CONSTANTS, 1)


def test_types_of_what_is_declared() -> None:
    record = parse(CONSTANTS)
    (ordinal,) = record.find_symbols("FIRST")
    assert record.get_symbol(ordinal).return_type == "Told"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (STRUCT + "mod b {\n a! { C }\n}", ["MODULE b 2-4", "STRUCT b.C 3-3"]),
        (
            STRUCT.replace("struct $n;", "fn $n() {}") + "impl S { a!(f); }",
            ["EXTENSION S 2-2", "METHOD S.f 2-2"],
        ),
        (
            "macro_rules! a {\n ($n:ident: $v:literal) => { const $n: u8 = $v; };\n"
            " ($n:ident: $t:ty) => { type $n = $t; };\n}\na!(A: Vec<Option<u8>>);\na!(B: 3);",
            ["TYPE A 5-5", "CONSTANT B 6-6"],
        ),
        (
            "macro_rules! a {\n () => {};\n ($n:ident $($r:tt)*) => { struct $n; a!($($r)*); };\n}\n"
            "a!(A\nB);",
            ["STRUCT A 5-5", "STRUCT B 6-6"],
        ),
        (
            "macro_rules! a { ($v:vis $n:ident { $($f:ident: $t:ty),* }) => {"
            " $v struct $n { $($f: $t),* } } }\n"
            "a!(pub(crate) A { b: u8,\n c: Vec<B> });",
            ["STRUCT A 2-3", "PROPERTY A.b 2-2", "PROPERTY A.c 3-3"],
        ),
        (
            "thread_local! {\n static A: B = const { B::new() };\n pub static C: D = d()\n}",
            ["VARIABLE A 2-2", "VARIABLE C 3-3"],
        ),
        (
            "macro_rules! a { ($($i:item)*) => { $(#[cfg(x)] $i)* } }\na! { fn f() {} const A: B = B {}; }",
            ["FUNCTION f 2-2", "CONSTANT A 2-2"],
        ),
    ],
)  # fmt: skip
def test_forms(text: str, found: list[str]) -> None:
    assert list_symbols(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "a!(A);\nmacro_rules! a { ($n:ident) => { struct $n; } }",  # another macro, of another file
        "mod b { macro_rules! a { ($n:ident) => { struct $n; } } }\na!(A);",
        STRUCT + STRUCT.replace("struct $n;", "enum $n {}") + "a!(A);",
        "fn f() { macro_rules! a { ($n:ident) => { struct $n; } } a!(A); }",
        "macro_rules! a { ($n:ident b) => { struct $n; } }\na!(A);",
        STRUCT + "fn f() { a!(A); }",
        "macro_rules! a { ($n:ident) => { struct $m; } }\na!(A);",
        "macro_rules! a { ($n:ident) => { a!($n); } }\na!(A);",
    ],
)
def test_undecided_calls_declare_nothing(text: str) -> None:
    assert not [one for one in list_symbols(text) if one.startswith(("STRUCT", "ENUM"))]


@pytest.mark.parametrize(
    "text",
    [
        "macro_rules! a { ($($t:tt)*) => { a!($($t)* $($t)*); } }\na!(x);\n" + "a!(x y z);\n" * 100,
        "macro_rules! a { () => { a!(); a!(); } }\n" + "a!();\n" * 2_000,
        "macro_rules! a { ($($n:ident)*) => { $(const $n: &str = \""
        + "x" * 9_000
        + '";)* } }\na!('
        + "x " * 900
        + ");",
        "macro_rules! a { ($n:tt) => { struct A; } }\na!" + "(" * 9_000 + ")" * 9_000 + ";",
        "macro_rules! a { (" + "$(" * 300 + "x" + ")*" * 300 + ") => {} }\na!(x);",
    ],
)  # fmt: skip
def test_hostile_macros_are_left_alone(text: str) -> None:
    assert not [one for one in list_symbols(text) if one.startswith("CONSTANT")]


def test_no_expression_begins_with_a_keyword_of_an_item() -> None:
    text = """macro_rules! a {
    ($v:expr, $n:ident()) => { fn $n(); };
    (pub const $v:expr, $n:ident()) => { pub const fn $n() {} };
}
impl Side { a!(pub const Color::Red, red()); }
"""
    assert "METHOD Side.red 5-5" in list_symbols(text)


@pytest.mark.parametrize(
    ("given", "qualifier"),
    [
        ("Side::Least(100).turned(1)", "Side.Least()"),
        ("a.b().c\n    .turned()", "a.b().c"),
        ('text("a".len()).turned()', "text()"),
        ("a?.items[0].name().turned()", "a.items.[].name()"),
        ("1..a.turned()", "a"),
        ("1..a.b().turned()", "a.b()"),
        ("(a + b).turned()", "?"),
        ("vec![1].turned()", "?"),
        ("Vec::<u8>::new().turned()", "?"),
        ("parse::<Least>(side).turned()", "?"),  # what is turned is no side
        ("""is("side(", at('"')).turned()""", "is()"),
        ("at(')', '(').turned()", "?"),
        ("(side).turned()", "side"),
        ("a::Set<Side<u8>>::turned(side)", "a.Set"),
        ("Set::<fn(u8) -> u8>::turned(side)", "Set"),
        ("<Side>::turned(side)", "?"),
    ],
)
def test_a_name_in_a_macro_has_the_qualifier_that_is_before_it(given: str, qualifier: str) -> None:
    record = parse(f"fn f() {{ assert_eq!({given}, 1); }}")
    rows = map(record.get_reference, range(record.reference_count))
    assert [row.qualifier for row in rows if row.name == "turned"] == [qualifier]


def test_what_a_macro_declares_is_not_called_there() -> None:
    record = parse("macro_rules! make {\n    ($a:ident) => { impl $a { fn poll(self) { go(1) } } };\n}\n")
    rows = map(record.get_reference, range(record.reference_count))
    assert [row.name for row in rows if row.role is ReferenceRole.CALL] == ["go"]
