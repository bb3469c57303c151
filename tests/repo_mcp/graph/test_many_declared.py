"""Names that very many files declare: what is chosen from, and how much of it is read."""

from __future__ import annotations

import pytest

from repo_mcp.graph import edge_finder
from repo_mcp.graph.c.lookup import CLookup
from repo_mcp.graph.graph import Graph
from repo_mcp.graph.live_graph import RESOLVERS
from repo_mcp.graph.lookup.ambiguous_symbols import MAX_CANDIDATES, AmbiguousSymbolError
from repo_mcp.graph.lookup.qualified_names import FEW_FILES
from repo_mcp.graph.rust.lookup import RustLookup
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.parsed_files import MAX_FILES
from repo_mcp.graph.vocabulary import CALLS, NAMED, SymbolFilter
from repo_mcp.symbols.symbol_record import SymbolRecord
from tests.counted_calls import count_calls
from tests.growth import BOUND, measure_growth
from tests.repo_mcp.graph.memory_index import MemoryIndex, find_node, make_graph

MANY = 4 * FEW_FILES


class Counted(MemoryIndex):
    """An index that notes which records are read."""

    read: set[str]

    def find_record(self, path: str) -> SymbolRecord | None:
        self.read.add(path)
        return super().find_record(path)


def make_counted(texts: dict[str, str]) -> tuple[Graph, Counted]:
    program = Counted(texts)
    program.read = set()
    return Graph(program, RESOLVERS), program


def refuse(graph: Graph, text: str) -> AmbiguousSymbolError:
    with pytest.raises(AmbiguousSymbolError) as raised:
        graph.choose(text)
    return raised.value


def test_only_what_is_listed_of_many_candidates_is_read() -> None:
    drivers = {f"d/m{number:03}.c": "static int probe(int a)\n{\n}\n" for number in range(MANY)}
    graph, program = make_counted({**drivers, "a/test_probe.c": "int probe(void)\n{\n}\n"})
    error = refuse(graph, "probe")
    assert error.message == f"More than 10 symbols match 'probe': {MANY + 1} files declare one."
    assert [one.path for one in error.candidates] == sorted(drivers)[:MAX_CANDIDATES]  # a test comes last
    assert (error.total, error.left_out) == ("More than 10", "others")
    assert len(program.read) < MANY / 2


def test_members_of_types_that_are_named_alike_are_all_listed() -> None:
    field = "struct s {\n\tint size;\n};\n"
    graph, _ = make_counted({"a.h": field, "b.h": field, "c.c": "int size(void)\n{\n}\n"})
    assert [one.path for one in refuse(graph, "size").candidates] == ["a.h", "b.h", "c.c"]


def test_one_function_with_very_many_prototypes_is_one_symbol() -> None:
    headers = {f"h/m{number:03}.h": "void *give(int a);\n" for number in range(FEW_FILES + 5)}
    graph, _ = make_counted({**headers, "z.c": "void *give(int a)\n{\n}\n"})
    assert graph.choose("give").path == "z.c"


def test_a_namespace_of_very_many_files_is_one_symbol() -> None:
    files = {f"m{number:03}.cs": f"namespace Shop {{ class C{number} {{ }} }}\n" for number in range(MANY)}
    graph, _ = make_counted(files)
    assert graph.choose("Shop").qualified_name == "Shop"


def test_extensions_do_not_compete_with_a_type_declared_in_a_later_file() -> None:
    files = {f"m{number:03}.swift": "extension Shop { func f() {} }\n" for number in range(MANY)}
    graph, _ = make_counted({**files, "z.swift": "class Shop {}\n"})
    assert graph.choose("Shop").path == "z.swift"


def test_a_place_is_found_whatever_else_has_the_name() -> None:
    drivers = {f"m{number:03}.c": "static int probe(int a)\n{\n}\n" for number in range(MANY)}
    graph, program = make_counted(drivers)
    assert graph.choose("m150.c:probe").path == "m150.c"
    assert "m149.c" not in program.read


def test_the_first_of_many_are_looked_up_in_the_same_order_as_all() -> None:
    files = {f"m{number:03}.c": "int size(int a)\n{\n}\n" for number in range(MANY)}
    graph, program = make_counted({**files, "a.h": "int size(int a);\n"})
    found, match, total = graph.look_up("size", SymbolFilter())
    assert [one.path for one in found] == [*sorted(files), "a.h"]  # the definitions first
    program.read.clear()
    assert graph.look_up("size", SymbolFilter(), 3) == (found[:3], match, total)
    assert program.read <= {"m000.c", "m001.c", "m002.c"}  # the others are known


def test_a_field_has_no_prototype_to_be_looked_for() -> None:
    fields = {f"m{number:03}.h": "struct s {\n\tint size;\n};\n" for number in range(FEW_FILES - 1)}
    graph, program = make_counted(fields)
    node = graph.choose("m007.h:size")
    program.read.clear()
    assert len(graph.list_spans(node)) == 1
    assert program.read == {"m007.h"}


def test_paths_of_a_name_are_grouped_as_the_nearest_files_have_them() -> None:
    kinds = {
        f"{folder}/src/m{number:02}.rs": f"struct T{number};\nimpl T{number} {{ pub fn run(&self) {{}} }}\n"
        for folder in ("a", "b")
        for number in range(MAX_FILES)
    }
    crates = {f"{folder}/Cargo.toml": f'[package]\nname = "{folder}"\n' for folder in ("a", "b")}
    lookup = RustLookup(MemoryIndex({**kinds, **crates}))
    met = []
    for near in ("a/src/m00.rs", "b/src/m00.rs"):
        scope = lookup.find_scope(near)
        assert scope is not None
        for other in lookup.iter_declaring(scope, "run"):
            for ordinal in other.find_named("run"):
                path = lookup.rules.get_full_path(other, ordinal)
                assert (other, ordinal) in lookup._list_at_path(scope, path)
                met.append((near[0], other.path[0]))
    assert sorted(set(met)) == [("a", "a"), ("b", "b")]
    assert len(met) == 2 * MAX_FILES


def test_what_depends_on_a_file_is_looked_for_by_the_first_of_very_many_declarations(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(edge_finder, "MAX_DECLARED", 20)
    for count in (20, 21):
        many = "".join(f"def f{at}():\n    pass\n" for at in range(count))
        graph = make_graph({"a.py": many, "b.py": "import a\n"})
        searched = count_calls(monkeypatch, edge_finder.ReferenceSearch, "run")
        found = graph.find_incoming(find_node(graph, "a.py"), NAMED)
        assert (len(searched), found.cut) == (21, count > 20)  # and for the file itself
        assert [graph.get_node(edge.other).path for edge in found.edges] == ["b.py"]


OVERLOADS, CALLS_OF_THEM = 600, 20


@pytest.mark.parametrize(
    ("path", "before", "overload", "call"),
    [
        ("Big.java", "class Big {{\n", "void run(T{} a) {{}}", "run(x{});"),
        ("Big.cs", "class Big {{\n", "void run(T{} a) {{}}", "run(x{});"),
        ("Big.swift", "class Big {{\n", "func run(_ a: T{}) {{}}", "run(x{})"),
        ("big.cpp", "struct Big {{\n", "void run(T{} a) {{}}", "run(x{});"),
    ],
)
def test_the_overloads_of_a_name_are_decoded_once_for_all_calls(
    monkeypatch: pytest.MonkeyPatch, path: str, before: str, overload: str, call: str
) -> None:
    head = "func go() {" if path.endswith("swift") else "void go() {"
    overloads = [overload.format(number) for number in range(OVERLOADS)]
    calls = [call.format(number) for number in range(CALLS_OF_THEM)]
    text = "\n".join([before.format(), *overloads, head, *calls, "}", "};" if path.endswith("cpp") else "}"])
    graph = make_graph({path: text + "\n"})
    decoded = count_calls(monkeypatch, SymbolRecord, "get_symbol")
    found = graph.find_outgoing(graph.choose("Big.go"), CALLS)
    assert found.edges
    assert len(decoded) < 3 * OVERLOADS


def test_choosing_by_the_name_of_overloads_takes_time_by_their_number() -> None:
    def prepare(size: int) -> Graph:
        overloads = "".join(f"    void run(T{number} a) {{}}\n" for number in range(size))
        return make_graph({"Big.java": f"class Big {{\n{overloads}}}\n"})

    assert measure_growth(prepare, lambda graph: refuse(graph, "run"), 150) < BOUND


def test_the_conditions_of_overloads_are_read_in_time_that_grows_with_their_number() -> None:
    def prepare(size: int) -> tuple[CLookup, FileScope]:
        overloads = "".join(f"void run(T{number} a) {{}}\n" for number in range(size))
        lookup = CLookup(MemoryIndex({"big.cpp": f"{overloads}void go() {{}}\n"}))
        scope = lookup.find_scope("big.cpp")
        assert scope is not None
        return lookup, scope

    def apply(prepared: tuple[CLookup, FileScope]) -> None:
        lookup, scope = prepared
        candidates = [(scope, ordinal) for ordinal in scope.find_named("run")]
        kept, _ = lookup.rules.apply_conditions(scope, len(candidates) + 1, candidates)
        assert len(kept) == len(candidates)

    assert measure_growth(prepare, apply, 500) < BOUND
