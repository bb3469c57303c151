"""Errors that cannot arise on the way that is asked for, and those behind functions that only pass on."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

KEEPING = {
    "shelf.py": "class Full(Exception): ...\n\n\nclass Known(Exception): ...\n\n\n"
    "class Unknown(Exception): ...\n\n\nclass Closed(Exception): ...\n\n\n"
    "class Store:\n    def write(self, row):\n        raise NotImplementedError\n\n\n"
    "class DiskStore(Store):\n    def write(self, row):\n        if self.is_full():\n"
    "            raise Full(row)\n\n\n"
    "class Shelf:\n    store: Store\n\n"
    "    def keep(self, row):\n        self._keep_row(row)\n\n"
    "    def _keep_row(self, row):\n        self._choose(row)\n\n"
    "    def _choose(self, row):\n        if row.key is None:\n            self._insert(row)\n"
    "        else:\n            self._replace(row)\n\n"
    "    def _insert(self, fresh):\n        if fresh.key is not None:\n            raise Known(fresh)\n"
    "        self._attach(fresh)\n\n"
    "    def _replace(self, row):\n        if row.key is None:\n            raise Unknown(row)\n"
    "        self._attach(row)\n\n"
    "    def _attach(self, row):\n        if self.is_closed:\n            raise Closed(row)\n"
    "        self.store.write(row)\n\n"
    "    def insert_all(self, rows):\n        for row in rows:\n            self._insert(row)\n",
}


def test_errors_behind_a_dispatch_that_excludes_them_are_not_named() -> None:
    claim = Asked(KEEPING).ask("which errors can Shelf.keep raise?").claim
    assert "Known (" not in claim
    assert "Unknown (" not in claim


def test_errors_of_an_abstract_method_are_those_of_what_overrides_it() -> None:
    claim = Asked(KEEPING).ask("which errors can Shelf.keep raise?").claim
    assert claim.startswith("Errors that arise here: Closed (shelf.py:51) and Full (shelf.py:21). ")


def test_errors_that_another_caller_meets_are_named() -> None:
    claim = Asked(KEEPING).ask("which errors can Shelf.insert_all raise?").claim
    assert claim.startswith("Errors that arise here: Known (shelf.py:41)")


def test_what_is_called_behind_something_else_may_fail() -> None:
    files = {
        "tank.py": "class Empty(Exception): ...\n\n\nclass Tank:\n    def use(self, lot):\n"
        "        if lot.is_open:\n            lot.close()\n            self._take(lot)\n\n"
        "    def _take(self, lot):\n        if not lot.is_open:\n            raise Empty(lot)\n"
    }
    claim = Asked(files).ask("which errors can Tank.use raise?").claim
    assert claim.startswith("Errors that arise here: Empty (tank.py:12).")


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
