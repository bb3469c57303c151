"""A question about a name in the wrong scope, or in another case, is told where the name is."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

JAR = {
    "src/jar.h": "namespace kiln {\nnamespace clay { int soft(); int jars(); int jarring(); }\n"
    "class Jar {\n public:\n  Jar();\n  int lid(int a);\n};\n}\n"
}
GLAZE = {
    "Sources/Glaze.swift": "struct Glaze {\n    static let fired = 1\n}\n"
    "struct Bowl {\n    let of = Glaze.fired\n}\n"
}


def test_a_class_in_another_namespace_is_told_with_its_place() -> None:
    answer = Asked(JAR).ask("what implements kiln::clay::Jar?").claim
    assert answer == ("kiln::clay::Jar is not declared in this repository. But kiln.Jar (src/jar.h:3-7) is.")


def test_a_property_in_another_case_is_nothing_that_types_implement() -> None:
    answer = Asked(GLAZE).ask("who conforms to Fired?").claim
    assert "known to implement or extend" not in answer


def test_types_that_have_an_external_base_are_told_of_it_alone() -> None:
    bowls = {
        "Sources/Bowl.swift": "struct Bowl: Sent, Fired {}\nprotocol Dish: Fired {}\nstruct Plate: Dish {}\n",
        "Sources/Mark.swift": "struct Mark {\n    enum Fired {}\n    static let fired = 1\n}\n",
    }
    claim = Asked(bowls).ask("who conforms to Fired?").claim
    assert claim.startswith(
        "Fired is implemented, extended or overridden by Bowl (Sources/Bowl.swift:1) and Dish"
    )
    assert "Plate (Sources/Bowl.swift:3)" in claim
