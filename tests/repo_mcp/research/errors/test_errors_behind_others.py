"""Errors behind functions that only pass on, and what an error is named by."""

from __future__ import annotations

from repo_mcp.research.findings.records import TakenAs
from tests.repo_mcp.research.asking import Asked, drop_conditions

KEEPING = {
    "shelf.py": "class Full(Exception): ...\n\n\nclass Closed(Exception): ...\n\n\n"
    "class Store:\n    def write(self, row):\n        raise NotImplementedError\n\n\n"
    "class DiskStore(Store):\n    def write(self, row):\n        if self.is_full():\n"
    "            raise Full(row)\n\n\n"
    "class Shelf:\n    store: Store\n\n"
    "    def keep(self, row):\n        self._keep_row(row)\n\n"
    "    def _keep_row(self, row):\n        self._choose(row)\n\n"
    "    def _choose(self, row):\n        self._attach(row)\n\n"
    "    def _attach(self, row):\n        if self.is_closed:\n            raise Closed(row)\n"
    "        self.store.write(row)\n",
}


def test_errors_of_an_abstract_method_are_those_of_what_overrides_it() -> None:
    claim = drop_conditions(Asked(KEEPING).ask("which errors can Shelf.keep raise?").claim)
    assert claim.startswith("Errors that arise here: Closed (shelf.py:32) and Full (shelf.py:15). ")


def test_a_raise_of_a_variable_is_named_by_what_it_holds() -> None:
    files = {
        "again.py": "class Again(Exception): ...\n\n\ndef run_again(job, throw):\n    made = Again(job)\n"
        "    if throw:\n        raise made\n    return made\n"
    }
    claim = drop_conditions(Asked(files).ask("which errors can run_again raise?").claim)
    assert claim == "Errors that arise here: Again (again.py:7)."


def test_a_text_that_says_raise_is_no_error() -> None:
    files = {
        "warn.py": "class Late(Exception): ...\n\n\ndef check_row(row):\n"
        "    warn('Soon this will raise errors for a', row)\n    if row.is_late:\n        raise Late(row)\n"
    }
    claim = drop_conditions(Asked(files).ask("which errors can check_row raise?").claim)
    assert claim == "Errors that arise here: Late (warn.py:7)."


def test_all_that_fails_below_is_counted() -> None:
    checks = "".join(
        f"def check{at}(row):\n    if row.bad:\n        raise ValueError('no good row {at}')\n\n\n"
        for at in range(14)
    )
    calls = "".join(f"    check{at}(row)\n" for at in range(14))
    files = {"rows.py": f"{checks}def add_row(row):\n{calls}"}
    claim = drop_conditions(Asked(files).ask("which errors can add_row raise?").claim)
    assert 'ValueError "no good row 11" (:58) and 2 more. ' in claim
    assert claim.endswith("check2 (rows.py:11-13) and 11 more, where errors arise.")


def test_what_was_not_searched_is_said() -> None:
    deep = "".join(f"def go{at}(row):\n    return go{at + 1}(row)\n\n\n" for at in range(9))
    asked = Asked({"rows.py": f"{deep}def go9(row):\n    raise ValueError(row)\n"})
    question = "which errors can {} raise?"
    limits = [one.what for one in asked.ask(question.format("go0")).limits]
    assert limits == ["errors that arise further down"]
    assert not asked.ask(question.format("go8")).limits


def test_the_errors_of_what_has_most_words_of_the_function_come_first() -> None:
    files = {
        "reader.py": "def read_count(row):\n    skip(row)\n    return parse(row)\n\n\n"
        "def skip(row):\n    raise EndError('nothing is left')\n\n\n"
        "def parse(row):\n    return read_count_text(row)\n\n\n"
        "def read_count_text(row):\n    raise CountError('this is no count')\n"
    }
    claim = Asked(files).ask("which errors can read_count raise?").claim
    assert claim.startswith(
        'Errors that arise here: CountError "this is no count" (reader.py:15) and EndError'
    )


def test_what_makes_an_object_may_fail_but_not_what_makes_an_error() -> None:
    files = {
        "way.py": "class WayError(Exception):\n    def __init__(self, way):\n        if not way:\n"
        "            raise TypeError('an error needs a way')\n\n\n"
        "class Way:\n    def __init__(self, text):\n        if '/' not in text:\n"
        "            raise ValueError('not a way at all')\n\n\n"
        "def open_way(text):\n    way = Way(text)\n    if not way:\n        raise WayError(way)\n"
    }
    claim = drop_conditions(Asked(files).ask("which errors can open_way raise?").claim)
    assert claim.startswith(
        'Errors that arise here: WayError (way.py:16) and ValueError "not a way at all" (way.py:10).'
    )


def test_what_a_bad_argument_leads_to_are_the_errors_of_the_function() -> None:
    files = {
        "tree.py": "class Tree:\n    def find_leaf(self, path):\n        return parse_path(path)\n\n\n"
        "def parse_path(path):\n    if path.endswith('['):\n        raise PathError('an open bracket')\n"
    }
    claim = drop_conditions(Asked(files).ask("what happens when Tree.find_leaf is given a bad path?").claim)
    assert claim.startswith('Errors that arise here: PathError "an open bracket" (tree.py:8). ')


def test_a_function_whose_errors_are_asked_for_is_the_subject() -> None:
    reading = Asked(KEEPING).ask("which errors can Shelf.keep raise?").reading
    (subject,) = reading.subjects
    assert subject.taken_as is TakenAs.DECLARED
    assert [node.qualified_name.rpartition("shelf.")[2] for node in subject.nodes] == ["Shelf.keep"]


def test_what_a_long_function_calls_at_its_end_is_found() -> None:
    steps = "".join(f"    row = keep(row)  # {at}\n" for at in range(90))
    files = {
        "steps.py": f"def keep(row):\n    return row\n\n\ndef close(row):\n    raise EndError('no end')\n\n\n"
        f"def run_steps(row):\n{steps}    close(row)\n"
    }
    claim = Asked(files).ask("which errors can run_steps raise?").claim
    assert claim.startswith('Errors that arise here: EndError "no end" (steps.py:6).')


def test_what_another_one_of_the_name_calls_is_not_said_to_be_called_by_the_first() -> None:
    files = {
        "checks.py": "class Checker:\n    def check_all(self, rows):\n        for row in rows:\n"
        "            if row.bad:\n                raise BadRow('a bad row')\n\n"
        "    def check_twice(self, rows):\n        if rows.doubled:\n            raise TwiceError('twice')\n"
        "        self.check_all(rows)\n\n\n"
        "class Table:\n    def check_all(self, checker: Checker):\n        checker.check_twice(self.rows)\n"
    }
    claim = Asked(files).ask("which errors can check_all raise?").claim
    assert claim.startswith(
        'Errors that arise in Checker.check_all (checks.py:2-5): BadRow "a bad row" (:5, `if row.bad`).'
        " In Table.check_all (checks.py:14-15): TwiceError"
    )
    assert claim.endswith("and what Checker.check_all (checks.py:2-5) raises.")
