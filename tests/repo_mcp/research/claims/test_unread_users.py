"""Files that no parser reads and that may use what a question is about: an answer denies nothing there."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked

PARCEL = """package post;

public class Parcel {
    public static Parcel wrap(String text) {
        return new Parcel();
    }
}
"""
SPEC = """package post

class ParcelSpec extends Specification {
    def "a parcel is wrapped"() {
        expect:
        Parcel.wrap("letter") != null
    }
}
"""
TREE = Asked({"src/main/java/post/Parcel.java": PARCEL, "src/test/groovy/post/ParcelSpec.groovy": SPEC})


@pytest.mark.parametrize(
    "query",
    [
        "what calls Parcel.wrap?",
        "who uses Parcel.wrap?",
        "what tests cover Parcel?",
        "which classes extend Parcel?",
    ],
)
def test_files_that_no_parser_reads_are_named_beside_the_known_users(query: str) -> None:
    claim = TREE.ask(query).claim
    assert "No parser reads groovy: 1 file with the word" in claim
    assert "'src/test/groovy/post/ParcelSpec.groovy'" in claim


def test_nothing_is_said_of_them_for_what_a_symbol_calls_or_where_none_has_its_name() -> None:
    assert "groovy" not in TREE.ask("what does Parcel.wrap call?").claim
    other = SPEC.replace("Parcel", "Letter").replace("wrap", "fold")
    asked = Asked({"src/main/java/post/Parcel.java": PARCEL, "src/test/groovy/post/LetterSpec.groovy": other})
    assert "groovy" not in asked.ask("what calls Parcel.wrap?").claim
