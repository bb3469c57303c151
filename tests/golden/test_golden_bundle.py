"""A golden page: the bundle of the small corpus for one issue text, as people read it.

After a change on purpose, look at the new page and write it:

    python -c "from tests.golden.test_golden_bundle import write_golden; write_golden()"
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from repo_mcp.bundler.markdown import render_markdown
from repo_mcp.bundler.records import BundleRequest
from tests.repo_mcp.indexed_roots import open_indexed

GOLDEN = Path(__file__).parent / "bundle-tiny_repo.md"
CORPUS = Path(__file__).parents[1] / "corpus" / "tiny_repo"
PROMPT = """transfer_funds refuses a transfer of zero with the wrong error

I call `transfer_funds()` with an amount of 0 and get

Traceback (most recent call last):
  File "/home/me/books/src/ledger/accounts.py", line 30, in transfer_funds
    raise UnbalancedEntry("the amount of a transfer must be positive")
ledger.accounts.UnbalancedEntry: the amount of a transfer must be positive

I expected a ValueError as from parse_book in src/ledger/book.py. Does the balance sheet round the cents?
"""


def render_golden(directory: Path) -> str:
    root = directory / "tiny_repo"
    shutil.copytree(CORPUS, root)
    with open_indexed(root) as repository:
        return render_markdown(repository.engines.bundles.build(BundleRequest(PROMPT, 4, 80)))


def write_golden() -> None:
    """Write the page anew."""
    with tempfile.TemporaryDirectory() as directory:
        GOLDEN.write_text(render_golden(Path(directory)), encoding="utf-8", newline="\n")


def test_the_page_is_the_golden_one(tmp_path: Path) -> None:
    assert render_golden(tmp_path).splitlines() == GOLDEN.read_text(encoding="utf-8").splitlines()
