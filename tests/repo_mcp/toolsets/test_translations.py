"""Translations of documents come after their originals in bundles and in `search_code`."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.code_search.records import CodeRequest
from tests.repo_mcp.indexed_roots import open_indexed
from tests.repo_mcp.toolsets.repo.repo_calls import call

ORIGINAL = """# Payments

## Retries

A failed payment is retried three times. The retry interval of a payment doubles.

## Refunds

Refunds are immediate.
"""
TRANSLATED = """# Zahlungen (payments)

## Retry

Ein payment mit retry: das retry interval des payment wird verdoppelt, retry interval payment.
"""
FILES = {
    "docs/payments.md": ORIGINAL,
    "docs/locale/de/payments.md": TRANSLATED,
    "locale/fr/help.md": TRANSLATED,
    "src/refund.py": "def refund(x):\n    return x\n",
}


@pytest.mark.parametrize(
    ("question", "is_original"),
    [
        ("how does the retry interval of a payment grow", True),
        ("how does the retry interval of a payment grow in the German locale", False),
    ],
)
def test_the_original_comes_before_its_translations(question: str, is_original: bool, tmp_path: Path) -> None:
    with open_indexed(tmp_path / "root", FILES) as repository:
        bundle = call(repository, "repo.build_context_bundle", prompt=question)["result"]["selections"]
        hits = repository.engines.code_search.search(CodeRequest(question, 20, None, "")).hits
    assert (bundle[0]["path"] == "docs/payments.md") is is_original
    assert (hits[0].path == "docs/payments.md") is is_original
    assert {"docs/payments.md", "docs/locale/de/payments.md"} <= {hit.path for hit in hits}
