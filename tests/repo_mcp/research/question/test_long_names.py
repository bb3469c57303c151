"""A name of thousands of parts, as pasted text may hold one, is answered like any unknown name."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked


@pytest.mark.parametrize("mark", [".", "::", "->"])
def test_a_name_of_thousands_of_parts_is_answered(mark: str) -> None:
    asked = Asked({"app.py": "class Dog:\n    def dog(self):\n        return 1\n"})
    assert asked.ask(mark.join(["dog"] * 2_000)).claim
