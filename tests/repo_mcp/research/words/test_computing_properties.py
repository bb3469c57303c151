"""A property that computes what it gives decides as a function does, and is not put behind functions."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked, list_found

PARCEL = '''class Parcel:
    @property
    def must_be_sent(self):
        if self.stamp is None:
            return False
        return self.weight < self.limit

    def has_stamp(self, office):
        """Return whether the parcel has a stamp of the office that sends."""
        return office.has(self.stamp)
'''


def test_a_property_with_a_condition_leads_as_a_predicate() -> None:
    question = "How does the office decide whether a parcel must be sent? (must_be_sent, has_stamp)"
    report = Asked({"parcel.py": PARCEL}).ask(question)
    assert list_found(report)[0] == "parcel.Parcel.must_be_sent"
