"""The page of answers shows each call with the bytes of its answer, before and now."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID

from bench.economy.show import CALLS, SHOWN_CHARS, iter_answers, render_page
from bench.processes import PROJECT
from tests.bench.economy.conftest import write_shop


def test_every_call_is_shown_with_its_bytes(tmp_path: Path) -> None:
    answers = list(iter_answers(write_shop(tmp_path / "shop"), tmp_path / "data"))
    assert len(answers) == len(CALLS) == 10
    assert {json.loads(answer)["request_id"] for answer in answers} == {str(UUID(int=0))}
    page = render_page(["now " * 200, *answers[1:]])
    assert page.count("\n## ") == len(CALLS)
    assert "| 2,261 | 800 |" in page
    assert f"{('now ' * 200)[:SHOWN_CHARS]} ...\n" in page


def test_the_page_of_the_documents_has_every_call() -> None:
    page = (PROJECT / "docs" / "answers.md").read_text(encoding="utf-8")
    titles = [f"## `{tool} {json.dumps(arguments, ensure_ascii=False)}`\n" for tool, arguments, _ in CALLS]
    assert [title for title in titles if title not in page] == []
