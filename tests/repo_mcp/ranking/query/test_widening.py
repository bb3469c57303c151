"""Questions in words that the code does not have, and what stays as it was asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from repo_mcp.model import SearchRequest
from repo_mcp.ranking.query.query import BELOW_TITLE_WEIGHT, SYNONYM_WEIGHT, Query, parse_query, widen
from tests.repo_mcp.indexed_roots import open_indexed
from tests.written_trees import write_tree

FILES = {
    "patches.py": "def make_inverse(steps):\n    for step in steps:\n        yield step.inverse()\n",
    "actions.py": "def apply_steps(steps):\n    for step in steps:\n        step.apply()\n",
    **{f"other_{at}.py": f"def other_{at}(value):\n    return value + {at}\n" for at in range(20)},
}


def count_own(query: Query) -> Callable[[str], int]:
    """Return a count of units by an index that holds the words of a query and no names made up of them."""
    return lambda term: int(term in query.terms)


@pytest.mark.parametrize(
    "text",
    ["undo", "undo the steps", "undo this\nlast step of the log", "undo " * 41, "+undo sym:Undo a b c"],
)
def test_what_is_no_question_keeps_its_terms(text: str) -> None:
    query = parse_query(text, 1_000)
    widened = widen(query, count_own(query), 100)
    if text.startswith("+"):  # operators stay, whatever is added
        assert (widened.required, widened.symbols) == (query.required, query.symbols)
    else:
        assert widened.terms == query.terms
        assert not widened.weights


def test_a_question_gets_further_words_that_count_less() -> None:
    query = parse_query("how is a step undone or rolled back to undo it", 100)
    widened = widen(query, count_own(query), 100)
    assert widened.terms[: len(query.terms)] == query.terms
    assert "invers" in widened.terms[len(query.terms) :]
    assert set(widened.weights) == set(widened.terms) - set(query.terms)
    assert set(widened.weights.values()) == {SYNONYM_WEIGHT}
    assert parse_query("how is a step undone or rolled back to undo it", 100) == query


def test_a_run_of_words_is_looked_for_within_names() -> None:
    query = parse_query("out of order samples", 100)
    asked: list[str] = []

    def list_holding(part: str) -> list[str]:
        asked.append(part)
        return ["erroutoforder"]

    widened = widen(query, count_own(query), 100, list_holding)
    assert asked == ["outoforder"]
    assert widened.names == ("erroutoforder",)
    long = parse_query("where are the samples that come out of order dropped", 100)
    assert widen(long, count_own(long), 100, list_holding).names == ()


def test_names_with_a_run_of_words_are_found(tmp_path: Path) -> None:
    files = {
        **{f"row_{at}.go": f"func row{at}() {{\n\treturn order(order, {at})\n}}\n" for at in range(9)},
        "late.go": "func check(at int) {\n\treturn ErrOutOfOrderAppend\n}\n",
    }
    root = write_tree(tmp_path / "root", files)
    with open_indexed(root, data_dir=str(tmp_path / "data")) as repository:
        best = repository.search(SearchRequest("out of order", 3)).hits[0]
    assert (best.path, best.symbol) == ("late.go", "check")


def test_words_below_the_title_of_pasted_text_count_less() -> None:
    query = parse_query("Undo forgets a step\n\nThe step is undone, then a transaction rolls back.\n", 100)
    weighed = widen(query, count_own(query), 100)
    assert (weighed.terms, weighed.synonyms) == (query.terms, ())
    below = {"undone", "undon", "transaction", "transact", "rolls", "roll", "back"}
    assert weighed.weights == dict.fromkeys(below, BELOW_TITLE_WEIGHT)


def test_a_report_leads_to_what_its_title_says(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", FILES)
    with open_indexed(root, data_dir=str(tmp_path / "data")) as repository:
        report = "apply fails for me\n\nthe other value was returned before, patches: none\n"
        answer = repository.search(SearchRequest(report, 5))
        assert answer.hits[0].path == "actions.py"
        assert set(answer.hits[0].matched_terms) == {"apply"}


def test_words_that_much_of_the_code_has_bring_no_others() -> None:
    query = parse_query("how to undo the deletion of a folder", 100)
    counts = {"undo": 51, "folder": 50}
    widened = widen(query, lambda term: counts.get(term, 1_000), 1_000)
    assert "directori" in widened.weights
    assert "invers" not in widened.weights
    assert "invers" in widen(query, lambda term: counts.get(term, 1_000), 1_020).weights


def test_a_question_finds_what_says_it_in_another_word_and_names_that_word(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", FILES)
    with open_indexed(root, data_dir=str(tmp_path / "data")) as repository:
        answer = repository.search(SearchRequest("what is needed to undo it", 5))
        assert [hit.path for hit in answer.hits] == ["patches.py"]
        assert answer.hits[0].matched_terms == ("inverse",)
        assert "undo" in " ".join(answer.warnings)  # that no file has the word itself is still said
        assert repository.search(SearchRequest("undo it", 5)).hits == ()


def test_names_that_adjacent_words_make_up_are_looked_for_where_the_index_has_them() -> None:
    query = parse_query("how is the work queue drained", 100)
    held = {"work_queue", "queuedrained", *query.terms}
    widened = widen(query, lambda term: int(term in held), 100)
    assert widened.names == ("work_queue", "queuedrained")
    assert tuple(widened.terms[len(query.terms) :]) == (*widened.names, *widened.synonyms)
    assert widened.own_count == len(query.terms)
    assert not set(widened.names) & set(widened.weights)


def test_names_below_a_title_count_in_full_and_in_other_spellings() -> None:
    query = parse_query("Undo forgets a step\n\nThen roundToCents is called, but cents stay.\n", 100)
    held = {"round_to_cents", *query.terms}
    widened = widen(query, lambda term: int(term in held), 100)
    assert widened.names == ("round_to_cents",)
    assert {"round", "cent", "stay"} <= set(widened.weights)
    assert {"roundtocents", "round_to_cents"}.isdisjoint(widened.weights)


@pytest.mark.parametrize("query", ["drain a work queue", "drain the work-queue", "work-queue"])
def test_what_holds_the_name_that_words_make_up_comes_first(tmp_path: Path, query: str) -> None:
    root = write_tree(tmp_path / "root", FILES)
    (root / "calls.py").write_text("drain(work)\ndrain(work, of=queue)\n")
    (root / "opened.py").write_text("drain(jobs, work_queue=None)\n")
    (root / "stored.py").write_text("drained = workqueue\n")
    with open_indexed(root, data_dir=str(tmp_path / "data")) as repository:
        hits = {hit.path: hit for hit in repository.search(SearchRequest(query, 5)).hits}
        assert next(iter(hits)) == "opened.py"
        assert set(hits["opened.py"].matched_terms) <= {"drain", "work", "queue"}
        if "drain" not in query:
            assert hits["stored.py"].matched_terms == ("workqueue",)


def test_a_word_that_no_file_has_is_looked_for_by_what_programs_call_it() -> None:
    query = parse_query("sending a twin of a slow request", 100)
    lacked = widen(query, lambda term: int(term != "twin"), 100)
    assert {"duplic", "clone", "replica"} <= set(lacked.weights)
    held = widen(query, count_own(query), 100)
    assert {"clone", "replica"}.isdisjoint(held.weights)
