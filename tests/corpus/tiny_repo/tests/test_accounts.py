from decimal import Decimal

import pytest
from ledger.accounts import Account, UnbalancedEntry, transfer_funds


def test_transfer_keeps_the_sum():
    cash, food = Account("assets:cash"), Account("expenses:food")
    transfer_funds(cash, food, Decimal("12.50"), "lunch")
    assert cash.balance + food.balance == 0


def test_a_transfer_of_nothing_is_refused():
    with pytest.raises(UnbalancedEntry):
        transfer_funds(Account("a"), Account("b"), Decimal(0), "nothing")
