"""Functions of exactly the names that a question guesses are shown, however little else they have."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked, list_found

SHOP = '''def sort_parcels(parcels):
    """Sort the parcels of a van by street and by weight."""
    for parcel in sorted(parcels):
        yield parcel.street, parcel.weight


def weigh_parcels(van):
    """Weigh the parcels of a van before they are sorted by weight."""
    return sum(parcel.weight for parcel in van.parcels)


def list_streets(van):
    """List the streets of the parcels of a van."""
    return {parcel.street for parcel in van.parcels}


def count_parcels(van):
    """Count the parcels of a van that are sorted by street and weight."""
    return len(van.parcels)


def label_parcels(van):
    """Label the sorted parcels of a van with street and weight."""
    for parcel in van.parcels:
        parcel.label = parcel.street, parcel.weight


class Depot:
    def settle(self, van):
        gate = self.gate
        gate.call()
        return gate.open()

    def shut(self):
        return self.gate.close()


class Till:
    def settle(self, bill):
        return bill.sum()


class Ledger:
    def settle(self, page):
        return page.turn()
'''
QUESTION = "How are the parcels of a van sorted by street and weight?"


@pytest.mark.parametrize(
    ("guess", "is_found"), [("Depot.settle", True), ("Depot, settle", True), ("settle", False)]
)
def test_a_guessed_function_is_shown_unless_many_have_its_name(guess: str, is_found: bool) -> None:
    found = _ask(guess)
    assert found[0] == "shop.sort_parcels"
    assert ("shop.Depot.settle" in found) is is_found


def test_a_guessed_function_that_only_passes_something_on_is_not_shown() -> None:
    assert "shop.Depot.shut" not in _ask("Depot.shut")


def _ask(guess: str) -> list[str]:
    guesses = f"sort_parcels, label_parcels, count_parcels, list_streets, {guess}"
    return list_found(Asked({"shop.py": SHOP}).ask(f"{QUESTION} ({guesses})"))
