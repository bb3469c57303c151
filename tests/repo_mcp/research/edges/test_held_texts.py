"""A text with dots that a constant holds leads an open question to what uses the constant."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

FILES = {
    "post/orders.py": (
        'STORE_KEY = "post.orders"\n\n\nclass OrderKeeper:\n    def __init__(self, folder):\n'
        "        self.file = folder.open(STORE_KEY)\n\n"
        "    def keep(self, order):\n        self.file.write(order)\n"
    ),
    "post/sorting.py": "def sort_orders(orders):\n    return sorted(orders)\n",
}


def test_a_text_with_dots_in_brackets_leads_to_the_constant_that_holds_it() -> None:
    claim = (
        Asked(FILES).ask("where is the machine of the orders persisted to disk (.files post.orders)?").claim
    )
    assert (
        "orders.STORE_KEY (post/orders.py:1) is used by OrderKeeper.__init__ (post/orders.py:5-6)." in claim
    )


def test_a_text_that_no_constant_holds_is_looked_for_by_its_words() -> None:
    report = Asked(FILES).ask("where is the machine of the orders persisted to disk (.files post.parcels)?")
    assert report.reading.form.value == "open"
