"""Who asks where a variable of the environment is read gets the code first, and configuration behind it."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked

TEXTS = {
    ".github/workflows/ci.yml": "jobs:\n  test:\n    env:\n      BELL_KIND: brass\n",
    "bells.py": "import os\n\n\ndef choose_bell():\n    return os.environ.get('BELL_KIND', 'tin')\n",
}


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("where is the environment variable BELL_KIND read?", "bells.py"),
        ("where is BELL_KIND configured?", ".github/workflows/ci.yml"),
    ],
)
def test_what_reads_a_variable_comes_first_if_it_is_asked_for(asked: str, first: str) -> None:
    assert Asked(TEXTS).ask(asked).findings[0].path == first
