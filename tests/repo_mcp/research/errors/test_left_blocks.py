"""Errors that arise where a `with` block is left: those of its context manager."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked, find_one

STORE = {
    "store.py": """from wraps import translated_errors


class StoreError(Exception):
    pass


class Store:
    def execute(self, statement):
        with translated_errors:
            return self.driver.run(statement)

    def fetch(self, statement):
        with self.wrap_errors():
            return self.driver.fetch(statement)

    def wrap_errors(self):
        return Wrapping(self)


class Wrapping:
    def __init__(self, store):
        self.store = store

    def __enter__(self):
        pass

    def __exit__(self, kind, error, trace):
        if kind is not None:
            raise StoreError(error)
""",
    "wraps.py": """class Translating:
    def __init__(self, errors):
        self.errors = errors

    def __enter__(self):
        pass

    def __exit__(self, kind, error, trace):
        if kind is not None and kind.__name__ in self.errors:
            raise self.errors[kind.__name__](error)


translated_errors = Translating({"DriverError": ValueError})
""",
}


def test_what_leaves_a_block_is_shown_if_it_fails() -> None:
    report = Asked(STORE).ask("Which errors can Store.execute raise?")
    one = find_one(report, "wraps.Translating.__exit__")
    assert one.why == "fails when execute leaves it"
    assert "raise self.errors[kind.__name__](error)" in one.excerpt


def test_what_a_function_makes_to_be_entered_counts_as_well() -> None:
    report = Asked(STORE).ask("Which errors can Store.fetch raise?")
    assert find_one(report, "store.Wrapping.__exit__").why == "fails when fetch leaves it"
    assert "StoreError" in report.claim
