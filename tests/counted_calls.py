"""Count calls of a function: a test of how work grows needs no clock where the work can be counted."""

from __future__ import annotations

from typing import Any

import pytest


def count_calls(monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> list[tuple[Any, ...]]:
    """Return a list to which each call of a function of a module or class adds its arguments."""
    called: list[tuple[Any, ...]] = []
    run = getattr(owner, name)

    def note(*arguments: Any, **named: Any) -> Any:
        called.append(arguments)
        return run(*arguments, **named)

    monkeypatch.setattr(owner, name, note)
    return called
