"""A type without the member that is asked of it: said with what it has, instead of namesakes elsewhere."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked, list_found

FILES = {
    "Lock.java": "interface Base {\n    void oil();\n}\n\n"
    "interface Lock extends Base {\n    void turn();\n    void jam();\n}\n",
    "Checker.java": "class Checker {\n    void check() {}\n"
    "    void run(Lock lock) { check(); lock.oil(); }\n}\n",
    "Other.kt": "class Other {\n    fun check() {}\n}\n",
    "Far.java": "class Far extends Elsewhere {\n    void go() {}\n}\n",
}


@pytest.mark.parametrize(
    "question", ["who calls Lock.check?", "what does Lock.check call", "which tests use Lock.check"]
)
def test_a_known_type_without_the_member_says_what_it_has(question: str) -> None:
    report = Asked(FILES).ask(question)
    assert report.claim == "Lock (Lock.java:5-8) has no member check; it declares turn (:6) and jam (:7)."
    assert list_found(report) == ["Lock"]


def test_a_member_of_a_base_is_meant() -> None:
    report = Asked(FILES).ask("who calls Lock.oil?")
    assert [node.qualified_name for node in report.reading.subjects[0].nodes] == ["Base.oil"]
    assert "Checker.run" in report.claim


def test_of_a_type_with_a_base_elsewhere_nothing_is_sure() -> None:
    assert "has no member" not in Asked(FILES).ask("who calls Far.check?").claim
