"""An open question shows lines of seven declarations, and of two more where these leave room."""

from __future__ import annotations

import pytest

from repo_mcp.research.words.shown_lines import FURTHER, MOST_BODIES
from tests.repo_mcp.research.asking import Asked


@pytest.mark.parametrize(("lines", "bodies"), [(1, MOST_BODIES + FURTHER), (30, MOST_BODIES)])
def test_lines_are_shown_of_few_declarations_and_the_others_are_named(lines: int, bodies: int) -> None:
    body = "    if clay.is_wet:\n" + lines * "        kiln.fire(clay)\n" + "    return kiln\n"
    text = "".join(f"def fire_kiln_{at}(kiln, clay):\n    kiln.lamp = {at}\n{body}\n\n" for at in range(12))
    report = Asked({"kiln.py": text}).ask("How is the clay fired in the kiln?")
    shown = [one for one in report.findings if one.excerpt.count("\n") > 1]
    assert len(shown) == bodies
    assert len(report.findings) == 12
