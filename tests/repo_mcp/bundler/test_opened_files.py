"""Which candidates are opened, and how much their blocks count beside those of other files."""

from __future__ import annotations

import pytest

from repo_mcp.bundler.evidence import Candidate
from repo_mcp.bundler.opened_files import MOST_CONSTANTS
from repo_mcp.bundler.weights import WEIGHTS
from repo_mcp.ranking.query.clues import Clue, ClueKind
from repo_mcp.ranking.query.mentions import Mention
from tests.repo_mcp.bundler.small_source import Source, make_opener

HELPER = "def prepare_jobs(jobs):\n    return jobs\n"


@pytest.mark.parametrize(
    ("prompt", "priority"),
    [("prepare jobs", WEIGHTS.other_role * WEIGHTS.side_file), ("what the docs say of jobs", 1.0)],
)
def test_an_example_counts_less_unless_documents_are_asked_for(prompt: str, priority: float) -> None:
    source = Source()
    source.texts = {"examples/a.py": HELPER}
    opened = make_opener(source, prompt).open(Candidate("examples/a.py", 1.0, None))
    assert opened is not None
    assert opened.priority == pytest.approx(priority)


def test_a_table_of_constants_is_opened_only_if_the_prompt_names_it() -> None:
    source = Source()
    source.texts = {
        "regs.h": "".join(f"#define REG_{number} {number}\n" for number in range(MOST_CONSTANTS + 1))
    }
    assert make_opener(source).open(Candidate("regs.h", 1.0, None)) is None
    named = (Mention("regs.h", Clue(ClueKind.PATH, "regs.h"), 1.0),)
    assert make_opener(source).open(Candidate("regs.h", 1.0, None, named)) is not None
