"""Accounts and the entries posted to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal


class UnbalancedEntry(ValueError):
    """Raised when the two sides of an entry differ."""


@dataclass
class Account:
    """One named account with its running balance."""

    name: str
    balance: Decimal = Decimal(0)
    history: list[str] = field(default_factory=list)

    def post(self, amount: Decimal, memo: str) -> None:
        """Add `amount` to the balance and remember why."""
        self.balance += amount
        self.history.append(memo)


def transfer_funds(source: Account, target: Account, amount: Decimal, memo: str) -> None:
    """Move `amount` from one account to another as one balanced entry."""
    if amount <= 0:
        raise UnbalancedEntry("the amount of a transfer must be positive")
    source.post(-amount, memo)
    target.post(amount, memo)
