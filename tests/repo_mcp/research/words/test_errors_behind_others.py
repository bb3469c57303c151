"""Errors behind functions that only pass on, and what an error is named by."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

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
    claim = Asked(KEEPING).ask("which errors can Shelf.keep raise?").claim
    assert claim.startswith("Errors that arise here: Closed (shelf.py:32) and Full (shelf.py:15). ")


def test_a_raise_of_a_variable_is_named_by_what_it_holds() -> None:
    files = {
        "again.py": "class Again(Exception): ...\n\n\ndef run_again(job, throw):\n    made = Again(job)\n"
        "    if throw:\n        raise made\n    return made\n"
    }
    claim = Asked(files).ask("which errors can run_again raise?").claim
    assert claim == "Errors that arise here: Again (again.py:7)."


def test_a_text_that_says_raise_is_no_error() -> None:
    files = {
        "warn.py": "class Late(Exception): ...\n\n\ndef check_row(row):\n"
        "    warn('Soon this will raise errors for a', row)\n    if row.is_late:\n        raise Late(row)\n"
    }
    claim = Asked(files).ask("which errors can check_row raise?").claim
    assert claim == "Errors that arise here: Late (warn.py:7)."
