"""A page that begins with a looked-up place: the ranked hits behind it are brief, and are counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.model import SearchRequest
from repo_mcp.toolsets.repo.hit_rows import render_brief
from tests.repo_mcp.indexed_roots import open_indexed
from tests.written_trees import write_tree

CONFLICT = """def func_10(x):
<<<<<<< HEAD
    return x + 1
=======
    return other_10(x)
>>>>>>> two

def after_10():
    return func_10(3)

class Thing:
    def method(self):
        return 1
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    others = {f"pkg/f{one}.py": f"def f{one}(): return {one}\n" for one in range(5)}
    return write_tree(tmp_path / "root", {"pkg/m10.py": CONFLICT} | others)


def test_a_ranked_hit_behind_a_looked_up_place_is_one_line(root: Path) -> None:
    with open_indexed(root) as repository:
        answer = repository.search(SearchRequest("other_10", 3, names_alone=True, shows_whole=True))
    lead, ranked = answer.hits
    assert (lead.start_line, lead.end_line, lead.snippet) == (5, 5, "5\t    return other_10(x)\n")
    assert (ranked.start_line, ranked.end_line, ranked.snippet) == (8, 8, "8\tdef after_10():\n")
    row = render_brief(ranked, ())
    assert (row["start_line"], row["end_line"]) == (8, 9)  # of the declaration that this line begins
    assert answer.total == 2
