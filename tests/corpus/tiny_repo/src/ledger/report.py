"""Renders balances as a table."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal

from ledger.accounts import Account

CENT = Decimal("0.01")


def render_balance_sheet(accounts: list[Account]) -> str:
    """One line per account, rounded to cents, sorted by name."""
    rows = sorted((account.name, account.balance) for account in accounts)
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join(f"{name:<{width}} {round_to_cents(balance):>12}" for name, balance in rows)


def round_to_cents(amount: Decimal) -> Decimal:
    """Bankers' rounding, so that sums of many reports do not drift."""
    return amount.quantize(CENT, rounding=ROUND_HALF_EVEN)
