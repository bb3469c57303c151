"""What an event leads to is told by a branch of the best declaration, or by one elsewhere with most words."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked

SHOP = {
    "parcels.py": (
        "def find_parcel_kind(parcel):\n"
        "    for kind in KINDS:\n        if kind.takes(parcel):\n            return kind\n"
        "    raise UnsupportedKind(parcel)\n"
    ),
    "carts.py": (
        "def draw_cart(cart, kind):\n"
        "    if kind == 'sledge':\n        raise ValueError('a sledge is unsupported here')\n"
        "    return cart.move()\n"
    ),
}


@pytest.mark.parametrize(
    ("asked", "is_told"),
    [
        ("what happens when a parcel has an unsupported kind?", False),
        ("what happens when the kind of a cart is an unsupported sledge?", True),
    ],
)
def test_a_branch_elsewhere_with_a_rare_word_alone_is_no_outcome(asked: str, is_told: bool) -> None:
    claim = Asked(SHOP).ask(asked).claim
    assert ("In carts.draw_cart, `if kind == 'sledge'`" in claim) is is_told
