"""A property that computes what it gives decides as a function does, and is not put behind functions."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked, list_found

WEIGHING = "    def weigh_{0}(self):\n        return self.scale[{0}] * {0}\n\n"
FILLING = "".join(map(WEIGHING.format, range(60)))
PARCEL = f'''class Parcel:
{FILLING}    @property
    def is_parcel_sealed(self):
        if self.stamp is None:
            return False
        return self.weight < self.limit

    def has_stamp(self, office):
        """Return whether the parcel has a stamp of the office that sealed the parcel."""
        return office.has(self.stamp)
'''


def test_a_property_with_a_condition_leads_as_a_predicate() -> None:
    question = "How does the office decide whether a parcel is sealed? (Parcel, stamp)"
    report = Asked({"parcel.py": PARCEL}).ask(question)
    assert list_found(report)[0] == "parcel.Parcel.is_parcel_sealed"
