"""A golden page: what a dozen queries find in the small corpus, in order, with the points of each signal.

After a change on purpose, look at the new page and write it:

    python -c "from tests.golden.test_golden_ranking import write_golden; write_golden()"
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from repo_mcp.config.server_config import load_config
from repo_mcp.model import Hit, SearchRequest
from repo_mcp.repository import Repository
from tests.deep.sizes import first

GOLDEN = Path(__file__).parent / "ranking-tiny_repo.txt"
CORPUS = Path(__file__).parents[1] / "corpus" / "tiny_repo"
PACKAGE_ROOT = CORPUS.parents[2]
QUERIES = (
    "transfer_funds",
    "Account",
    "how is an amount moved between accounts",
    "balance sheet",
    "roundToCents",
    "book.py",
    "checksum",
    "tests of transfers",
    "format of an entry",
    "the amount of a transfer must be positive",
    'File "ledger/book.py", line 29, in parse_book\nValueError: not an entry',
    "trasfer_funds",
)
TOP_K = 4


def iter_lines(repository: Repository) -> Iterator[str]:
    for query in QUERIES:
        answer = repository.search(SearchRequest(query, TOP_K))
        yield f"? {' / '.join(query.split(chr(10)))}"
        yield from (render_hit(hit) for hit in answer.hits)
        yield from (f"  ! {warning}" for warning in answer.warnings)
        yield ""


def render_hit(hit: Hit) -> str:
    points = ", ".join(f"{name} {value:+.3f}" for name, value in hit.explanation)
    return f"  {hit.score:.3f} {hit.path}:{hit.start_line}-{hit.end_line} [{hit.symbol}] {points}"


def render_page(root: Path, data_dir: Path, workers: int = 0) -> str:
    config = load_config(str(root), data_dir=str(data_dir), workers=workers)
    with closing(Repository(config)) as repository:
        repository.refresh()
        return "\n".join(iter_lines(repository))


def write_golden() -> None:
    """Write the page anew."""
    with tempfile.TemporaryDirectory() as directory:
        page = render_page(CORPUS, Path(directory))
        GOLDEN.write_text(page, encoding="utf-8", newline="\n")


def copy_corpus(root: Path, paths: Iterable[Path]) -> None:
    for path in paths:
        place = root / path.relative_to(CORPUS)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)


def test_the_page_is_the_golden_one(tmp_path: Path) -> None:
    page = render_page(CORPUS, tmp_path / "data")
    assert page.splitlines() == GOLDEN.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("workers", [0, 2])
def test_histories_and_workers_leave_no_trace(tmp_path: Path, workers: int) -> None:
    root = tmp_path / "root"
    files = sorted(path for path in CORPUS.rglob("*") if path.is_file())
    for start in range(4):  # file by file into segments, with others that go away again
        copy_corpus(root, files[start::4])
        (root / f"gone{start}.py").write_text("def transfer_funds(balance, checksum):\n    return Account\n")
        render_page(root, tmp_path / "data", workers)
        (root / f"gone{start}.py").unlink()
    page = render_page(root, tmp_path / "data", workers)
    assert page.splitlines() == GOLDEN.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("seed", first(1, ["0", "77"]))  # and the golden page is that of any seed
def test_hash_seeds_leave_no_trace(tmp_path: Path, seed: str) -> None:
    program = (
        "import sys; from pathlib import Path;"
        "from tests.golden.test_golden_ranking import CORPUS, render_page;"
        "sys.stdout.buffer.write(render_page(CORPUS, Path(sys.argv[1])).encode())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "data")],
        env={**os.environ, "PYTHONHASHSEED": seed},
        cwd=PACKAGE_ROOT,
        check=True,
        capture_output=True,
    )
    assert done.stdout.decode().splitlines() == GOLDEN.read_text(encoding="utf-8").splitlines()
