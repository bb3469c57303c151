"""What was rated by words is kept, with tests and without."""

from __future__ import annotations

from repo_mcp.research.findings.records import ResearchRequest, RunControl
from repo_mcp.research.findings.research_state import ResearchState, rate_words
from tests.repo_mcp.research.asking import Asked

TEXTS = {
    "kiln.py": "def fire_kiln(clay):\n    return clay.burn()\n",
    "tests/test_kiln.py": "def test_fire_kiln(clay):\n    assert fire_kiln(clay)\n",
}


def test_what_was_rated_without_tests_is_not_taken_for_what_has_them() -> None:
    control = RunControl(lambda: False)
    source = Asked(TEXTS).open_source()
    state = ResearchState(source, ResearchRequest("how is a kiln fired?"), control, wants_tests=True)
    rated, _ = rate_words(state, "fire kiln", include_tests=False)
    assert {one.path for one in rated} == {"kiln.py"}
    with_tests, _ = rate_words(state, "fire kiln", include_tests=True)
    assert {one.path for one in with_tests} == set(TEXTS)
    assert rate_words(state, "fire kiln", include_tests=False)[0] is rated
