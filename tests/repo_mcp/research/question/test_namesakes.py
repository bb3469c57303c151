"""Namesakes that are told apart by the words beside their name."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked

QUEUE = "class Queue:\n    def push(self, item):\n        {}\n\n    def try_push(self, item):\n        pass\n"
TEXTS = {
    "dock/bounded.py": QUEUE.format("self.wait()"),
    "dock/unbounded.py": QUEUE.format("self.items.append(item)"),
    "yard/queue.py": QUEUE.format("pass"),
}


@pytest.mark.parametrize(
    ("question", "paths"),
    [
        ("what is the difference between bounded Queue.push and Queue.try_push?", ["dock/bounded.py"]),
        (
            "what is the difference between dock unbounded Queue.push and try_push?",
            ["dock/unbounded.py"],
        ),
        ("what does the bounded Queue.push call?", ["dock/bounded.py"]),
        ("what calls the heavy Queue.push?", sorted(TEXTS)),
    ],
)
def test_words_beside_a_name_choose_among_namesakes(question: str, paths: list[str]) -> None:
    report = Asked(TEXTS).ask(question)
    assert [node.path for node in report.reading.subjects[0].nodes] == paths
