"""The questions to documentation, and the script that asks them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.quality import documents
from bench.quality.documents import Question, find_place, main, read_questions, render_row


def test_questions_are_distinct_and_have_answers() -> None:
    questions = read_questions()
    assert len({(one.repo, one.query) for one in questions}) == len(questions) >= 80
    assert all(one.answers and all(one.answers) for one in questions)


def test_the_first_right_path_counts() -> None:
    question = Question("x", "q", ("b.md", "c/"))
    assert find_place(question, ["a.md", "docs/b.md", "c/d.md"]) == 2
    assert find_place(question, ["a.md"]) == 0
    assert render_row("x", [1, 2, 0]).split() == ["x", "3", "1", "2", "0.500"]


def test_trees_that_are_there_are_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = tmp_path / "asked.jsonl"
    asked.write_text(
        '{"repo": "kettle", "query": "descaling", "answers": ["care.md"]}\n'
        '{"repo": "missing", "query": "x", "answers": ["y"]}\n'
    )
    monkeypatch.setattr(documents, "read_questions", lambda: read_questions(asked))
    (tmp_path / "trees/kettle/docs").mkdir(parents=True)
    (tmp_path / "trees/kettle/docs/care.md").write_text("# Care\n\n## Descaling\n\nUse vinegar.\n")
    (tmp_path / "trees/kettle/README.md").write_text("# Kettle\n\nBoils water.\n")
    assert main(["--trees", str(tmp_path / "trees")]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "kettle        1    1    1  1.000",
        "all           1    1    1  1.000",
    ]
    assert main(["--trees", str(tmp_path / "nowhere")]) == 1
