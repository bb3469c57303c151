"""What the grammar of Swift lacks is written in other words, at the same length."""

from __future__ import annotations

import pytest

from repo_mcp.languages.swift.syntax import spell_plainly
from repo_mcp.symbols.symbol_record import ParseStatus, decode_symbol_record
from tests.growth import assert_linear
from tests.repo_mcp.graph.resolved import parse

SWITCH = """
class Store {
    func read(_ mode: Mode) {
        switch mode {
        #if os(Linux)
        case .link:
            link()
        #endif
        default:
            ()
        }
    }
    func write(_ mode: Mode) -> sending Answer {
        switch mode {
        case .link:
            #if os(Linux)
            fallthrough
            #else
            link()
            #endif
        case .copy:
            promise.succeed(())
            @Sendable func next() { link() }
            next()
        default:
            all.map { _ in () }
            return ()
        }
    }
}
"""


def test_a_class_with_all_of_it_is_read_whole() -> None:
    record = decode_symbol_record(parse("Store.swift", SWITCH.encode()))
    symbols = [record.get_symbol(one) for one in range(1, record.symbol_count)]
    assert [(one.name, one.parent) for one in symbols] == [
        ("Store", 0),
        ("read", 1),
        ("write", 1),
        ("next", 3),
    ]
    assert record.status is ParseStatus.FULL


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("f(())", "f([])"),
        ("\n        fallthrough\n", "\n        break      \n"),
        ("switch a {\n    #if A\n    case", "switch a {\n         \n    case"),
        ("} catch let e as A where e.b == .c {", "} catch let e as A where e.b       {"),
        ("\n    // Nothing.\n    ()\n", "\n    // Nothing.\n    []\n"),
        ("\n    @Sendable func a() {}", "\n              func a() {}"),
        ("-> sending Answer", "->         Answer"),
        ('}\n    #warning("later")\n    func', "}\n                     \n    func"),
        ("nonisolated(unsafe) var a: [B] = []", "                    var a: [B] = []"),
        ("nonisolated(unsafe) weak var a: B?", "                    weak var a: B?"),
        ("self._$id.make()", "self.__id.make()"),
        ("associatedtype A: B, C<D>", "associatedtype A: B& C<D>"),
        ("associatedtype A: B, C where D: E, F: G\n", "associatedtype A: B& C where D: E, F: G\n"),
        (
            "typealias A<B> = C<Self, B>\n    where B: D,\n    E: F\n}",
            "typealias A<B> = C<Self, B>\n               \n        \n}",
        ),
        ("where A.B? == C.B", "where A.B  == C.B"),
    ],
)
def test_every_byte_keeps_its_offset(text: str, plain: str) -> None:
    assert spell_plainly(text.encode()).decode() == plain


@pytest.mark.parametrize(
    "text",
    [
        "let a: (()) -> Void",
        "let b = make()",
        "func f() -> () {}",
        "let sending = 1",
        "// no fallthrough here\n",
        "a.map { $0.b + $1 }",
        "@Field var a; self.$a.b",
        "associatedtype A: B where A: C, D: E",
        "typealias A = B\nfunc f<C>() where C: D {",
        "a ?? b == c",
    ],
)
def test_types_and_calls_are_left(text: str) -> None:
    assert spell_plainly(text.encode()).decode() == text


@pytest.mark.parametrize(
    "piece",
    [
        "typealias A = B ",
        "typealias A ",
        "associatedtype A: B ",
        "catch let a as b where c ",
        "switch a ",
    ],
)
def test_a_line_of_many_words_takes_linear_time(piece: str) -> None:
    assert_linear(lambda size: piece.encode() * size + b"\n#if where ", spell_plainly, 200)


def test_a_line_of_spaces_takes_linear_time() -> None:
    assert_linear(lambda size: b"typealias A = " + b" " * size + b"B\n", spell_plainly, 2_000)
