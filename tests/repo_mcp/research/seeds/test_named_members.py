"""A function that an open question names in backquotes comes first, before what has more of its words."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

DEPOT = """class Depot:
    def lend(self, parcel):
        self.shelf.remove(parcel)
        return parcel


class Shop:
    def lend(self, parcel, deposit=None):
        if deposit is None:
            raise ValueError("no deposit")
        return Loan(parcel, deposit)


class Loan:
    def keep_every_parcel_of_the_customer_together(self, parcel, customer):
        note("lend is called without deposit")
        return [one for one in customer.parcels if one is not parcel]
"""


def test_a_quoted_name_leads_though_another_function_has_more_words() -> None:
    report = Asked({"depot.py": DEPOT}).ask("How does `lend` keep every parcel of the customer together?")
    assert {one.symbol for one in report.findings[:3]} >= {"depot.Depot.lend", "depot.Shop.lend"}
    assert report.findings[0].symbol.endswith(".lend")


def test_of_namesakes_that_with_what_else_is_quoted_leads_and_what_stands_between_is_no_text() -> None:
    report = Asked({"depot.py": DEPOT}).ask("What happens when `lend` is called without `deposit`?")
    assert report.reading.form == "open"
    assert report.findings[0].symbol == "depot.Shop.lend"
