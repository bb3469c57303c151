"""Swift: `@Name` and `#Name` mean the macros that are declared so, and their definitions name types."""

from __future__ import annotations

import pytest

from repo_mcp.graph.vocabulary import IMPLEMENTATIONS
from repo_mcp.symbols.symbol_record import ParseStatus, decode_symbol_record
from tests.repo_mcp.graph.memory_index import find_node, make_graph
from tests.repo_mcp.graph.resolved import Repository, parse

DECLARED = """
    protocol Routed { func boot(all: Int) }
    @attached(peer, names: arbitrary)
    public macro Fetch(_ path: String) = #externalMacro(module: "Plugin", type: "FetchMacro")
    @freestanding(declaration)
    public macro Fetch(on: Int, _ path: String, _ run: () -> Void) = #externalMacro(
        module: "Plugin",
        type: "FetchMacro"
    )
    @attached(extension, conformances: Routed, Outside, names: named(boot(all:)))
    public macro Control() = #externalMacro(module: "Plugin", type: "ControlMacro")
    @freestanding(expression) macro show(_ text: String) -> String = #externalMacro(module: "P", type: "S")
    """
TEXTS = {
    "Sources/Macros/Declared.swift": DECLARED,
    "Sources/Plugin/Expanding.swift": "struct FetchMacro {}\nstruct ControlMacro {}\n",
    "Sources/App/Use.swift": """
        import Macros
        func boot(all: Int) {}
        func expect(_ one: Bool) {}
        @Control
        struct Controller {
            @Fetch("one") func first() {}
        }
        func use() {
            #Fetch(on: 1, "two") { 1 }
            let text = #show("three")
            #expect(text == "")
            expect(true)
        }
        """,
    "Sources/Other/Use.swift": '@Fetch("four") func other() {}\n',
}


@pytest.mark.parametrize(
    ("path", "line", "name", "said"),
    [
        ("App/Use", "@Control", "Control", ["9 Control exact"]),
        ("App/Use", "@Fetch", "Fetch", ["2 Fetch exact"]),
        ("App/Use", "#Fetch", "Fetch", ["4 Fetch exact"]),
        ("App/Use", "#show", "show", ["11 show exact"]),
        ("App/Use", "#expect", "expect", ["-> #expect"]),  # of another repository
        ("App/Use", "    expect(true)", "expect", ["3 expect exact"]),
        ("Other/Use", "@Fetch", "Fetch", ["2 Fetch probable"]),  # exported again by another module
        ("Macros/Declared", "macro Fetch(_", "FetchMacro", ["1 FetchMacro exact"]),
        ("Macros/Declared", "macro Fetch(on", "FetchMacro", ["1 FetchMacro exact"]),
        ("Macros/Declared", "macro Control", "ControlMacro", ["2 ControlMacro exact"]),
        ("Macros/Declared", "conformances", "Routed", ["1 Routed exact"]),
    ],
)
def test_what_a_sign_before_a_name_means(
    repository: Repository, path: str, line: str, name: str, said: list[str]
) -> None:
    found = repository.ask(f"Sources/{path}.swift", line, name)
    assert [one if one[0] == "-" else one.partition(":")[2] for one in found] == said


def test_the_words_of_an_attribute_call_nothing(repository: Repository) -> None:
    record = repository.program.find_record("Sources/Macros/Declared.swift")
    assert record is not None
    assert {record.get_reference(row).name for row in range(record.reference_count)} == {
        "FetchMacro", "ControlMacro", "S", "Routed", "Outside",
    }  # fmt: skip


def test_a_type_with_a_macro_conforms_to_what_the_macro_adds() -> None:
    graph = make_graph({path: text.replace("\n    ", "\n") for path, text in TEXTS.items()})
    found = graph.find_incoming(find_node(graph, "Routed"), IMPLEMENTATIONS).edges
    outside = graph.name_uses.find_external_derived("Outside", "").edges
    for one in (*found, *outside):
        assert (graph.get_node(one.other).symbol.name, str(one.confidence), one.lines) == (
            *("Controller", "probable"),
            (5,),
        )
    assert (len(found), len(outside)) == (1, 1)


def test_the_type_of_a_macro_ends_before_its_definition() -> None:
    record = decode_symbol_record(parse("a.swift", DECLARED.encode()))
    (macro,) = record.find_symbols("show")
    assert record.get_symbol(macro).return_type == "String"
    assert record.status is ParseStatus.FULL
