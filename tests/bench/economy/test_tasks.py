"""The regions of both kinds of tasks, and the half that is kept back."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest

from bench.economy.__main__ import OWN_QUESTIONS
from bench.economy.evidence import Region
from bench.economy.tasks import Quest, build_quest, find_declaration, read_rows
from bench.quality.tasks import Task, Tree

ROW = {"id": "shop/1", "repo": "shop", "query": "reserve", "relevant": [{"path": "warehouse.py"}]}


def test_a_declaration_is_shown_by_its_first_lines(tree: Path) -> None:
    assert find_declaration(tree, "warehouse.py", "Warehouse") == Region("warehouse.py", 4, 15)
    assert find_declaration(tree, "warehouse.py", "Warehouse.reserve_crate") == Region("warehouse.py", 11, 16)


def test_of_several_declarations_the_last_counts(tree: Path) -> None:
    (tree / "twice.py").write_text("def f(): ...\n\nif True:\n    LIMIT = 3\n\ndef f():\n    return 1\n")
    assert find_declaration(tree, "twice.py", "f") == Region("twice.py", 6, 7)
    assert find_declaration(tree, "twice.py", "LIMIT") == Region("twice.py", 4, 4)
    with pytest.raises(ValueError, match=r"twice\.py declares no g"):
        find_declaration(tree, "twice.py", "g")


def test_a_question_needs_a_symbol(tree: Path) -> None:
    assert build_quest(ROW, 1, Tree("shop", tree), None, "") is None
    named = ROW | {"relevant": [{"path": "warehouse.py", "symbol": "Warehouse.__init__"}]}
    quest = build_quest(named, 1, Tree("shop", tree), None, "")
    assert quest is not None
    assert quest.regions == (Region("warehouse.py", 7, 9),)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_commit_is_shown_by_its_longest_run(tree: Path, tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        command = ["git", "-C", str(tree), *identity, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "base")
    old = (tree / "warehouse.py").read_text()
    new = old.replace("Where goods", "Where all goods").replace(
        "self.shelves:\n            return False", "1:\n            return None"
    )
    (tree / "warehouse.py").write_text(new)
    git("commit", "-qam", "change")
    commit = git("rev-parse", "HEAD")
    (tree / "warehouse.py").write_text(old)
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (tree / ".git").rename(mirror / "own+shop")
    row = {"id": "shop/2", "repo": "shop", "query": "change it", "gold": ["warehouse.py"], "commit": commit}
    quest = build_quest(row, 1, Tree("shop", tree), mirror, "own/shop")
    assert quest is not None
    assert quest.regions == (Region("warehouse.py", 13, 14),)
    assert build_quest(row, 1, Tree("shop", tree), None, "own/shop") is None


def test_our_own_questions_name_declarations_that_are_there() -> None:
    for number, row in enumerate(read_rows(OWN_QUESTIONS), 1):
        spec = importlib.util.find_spec(str(row["repo"]))
        assert spec is not None
        assert spec.submodule_search_locations is not None
        (place,) = spec.submodule_search_locations
        quest = build_quest(row, number, Tree(str(row["repo"]), Path(place)), None, "")
        assert quest is not None, row["id"]


def test_half_is_kept_back_whatever_else_there_is() -> None:
    quests = [Quest(Task(f"t/{n}", "t", "any", "any", "q", ("a",), True), ()) for n in range(400)]
    kept = [quest.task.id for quest in quests if quest.is_kept_back]
    assert 160 < len(kept) < 240
    assert [quest.is_kept_back for quest in quests[:6]] == [True, True, False, False, False, True]
