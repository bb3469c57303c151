"""Which symbol a name means where several are alike: nested, overloaded, external, or in another scope."""

from __future__ import annotations

import pytest

from tests.repo_mcp.toolsets.graph.graph_roots import Served

FILES = {
    "Sources/Kiln/Kiln.swift": """\
public protocol Kiln: Fired {
    var heat: Int { get }
}
extension Kilns {
    struct Provider {
        let burn: () -> Void
    }
}
""",
    "Sources/Rack/Rack.swift": "struct Rack {}\n",
    "Sources/Rack/Rack+Fill.swift": "extension Rack {\n    func fill(_ one: Int) {}\n}\n",
    "Sources/Rack/Rack+More.swift": "extension Rack {\n    func fill(all: [Int]) { fill(1) }\n}\n",
    "Sources/Rack/Glazed.swift": """\
enum Results {
    struct Glazed {}
}
struct Bowl: Glazed {}
struct Cup: Glazed {}
func made() -> Results.Glazed { Results.Glazed() }
""",
    "Sources/Rack/Plate.swift": "struct Plate {}\nenum Sets {\n    struct Plate {}\n}\n",
    "Sources/Rack/Alias.swift": "#if A\ntypealias Whole = Rack\n#else\ntypealias Whole = Bowl\n#endif\n",
    "src/pot.h": """\
namespace kiln {
namespace clay { int soft(); }
template <class T>
class Pot {
 public:
  Pot(T one);
  int lid(int a);
  int lid(long a);
  struct Handle { int turn() { return 1; } };
};
template <class T>
Pot(T) -> Pot<T>;
#ifdef HOT
constexpr bool kHot = true;
#else
constexpr bool kHot = false;
#endif
class Jar {
 public:
  int lid(int a);
  int lid(int a, int b) { return a; }
};
}
""",
    "src/heap.h": "namespace kiln {\nint sum(int a) { return a; }\n}\n",
    "src/other_heap.h": "namespace kiln {\nint sum(int a, int b) { return a; }\n}\n",
    "src/one.rs": "struct Cart;\nimpl Cart {\n    fn push(&self) {}\n}\n",
    "src/two.rs": "struct Cart;\nimpl Cart {\n    fn push(&self) {}\n}\n",
    "src/pot.cpp": '#include "pot.h"\nnamespace kiln {\nint Jar::lid(int a) { return lid(1, 2); }\n}\n',
}


def name(served: Served, symbol: str) -> tuple[str, int]:
    """Return the file and the line of what a text means."""
    found = served.call("get_symbol", symbol=symbol)
    return found["file_path"], found["line_start"]


def test_what_a_type_inside_another_declares_is_no_member_of_that_one(served: Served) -> None:
    error = served.error("get_symbol", symbol="Pot::turn")
    assert error["hint"].startswith("kiln.Pot (src/pot.h:3) has no turn.")
    assert name(served, "Pot::Handle::turn") == ("src/pot.h", 9)
    assert name(served, "kiln::Handle") == ("src/pot.h", 9)


def test_a_type_is_no_folder_in_whose_files_a_missing_member_is_sought(served: Served) -> None:
    error = served.error("get_callers", symbol="Kiln.burn")
    assert error["hint"] == (
        "Kiln (Sources/Kiln/Kiln.swift:1) has no burn. Its members are heat. Its bases are Fired."
    )


def test_a_class_in_another_namespace_is_named_where_it_is(served: Served) -> None:
    error = served.error("get_symbol", symbol="kiln::clay::Jar")
    assert error["hint"].startswith("Nearest: kiln.Jar (")


def test_a_plain_name_means_an_outer_type_before_one_inside_another(served: Served) -> None:
    assert name(served, "Plate") == ("Sources/Rack/Plate.swift", 1)


def test_a_plain_name_means_the_external_base_before_a_type_inside_another(served: Served) -> None:
    found = served.call("get_implementations", symbol="Glazed")
    assert {one["name"] for one in found["result"]} == {"Bowl", "Cup"}
    hint = served.error("get_references", symbol="Glazed")["hint"]
    assert "declared outside this repository" in hint
    assert "Nearest: Results.Glazed (" in hint
    assert name(served, "Results.Glazed") == ("Sources/Rack/Glazed.swift", 2)


def test_a_deduction_guide_is_no_function(served: Served) -> None:
    assert name(served, "kiln::Pot") == ("src/pot.h", 3)


def test_the_branches_of_a_condition_declare_one_constant(served: Served) -> None:
    assert name(served, "kiln::kHot") == ("src/pot.h", 14)
    assert name(served, "Whole") == ("Sources/Rack/Alias.swift", 2)


@pytest.mark.parametrize(
    ("symbol", "places"),
    [
        ("Rack.fill", [("Sources/Rack/Rack+Fill.swift", 2, 1), ("Sources/Rack/Rack+More.swift", 2, 0)]),
        ("kiln::sum", [("src/heap.h", 2, 0), ("src/other_heap.h", 2, 0)]),
        ("kiln::Jar::lid", [("src/pot.cpp", 3, 0), ("src/pot.h", 21, 1)]),
    ],
)
def test_overloads_in_several_files_are_one_answer(
    served: Served, symbol: str, places: list[tuple[str, int, int]]
) -> None:
    found = served.call("get_callers", symbol=symbol)
    overloads = [(one["file_path"], one["line_start"], one["total"]) for one in found["overloads"]]
    assert overloads == places


def test_members_of_two_types_of_one_name_are_no_overloads(served: Served) -> None:
    assert len(served.error("get_callers", symbol="Cart::push")["candidates"]) == 2
