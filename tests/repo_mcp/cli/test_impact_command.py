"""`repo-mcp impact`: the page that reviewers read, JSON, and what it is not given."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from repo_mcp.cli import impact_command
from repo_mcp.errors import RepoError
from repo_mcp.graph.vocabulary import DEFAULT_IMPACT_DEPTH, MAX_IMPACT_DEPTH
from tests.repo_mcp.cli.program import make_tree, run

DIFF = """\
diff --git a/src/ledger/accounts.py b/src/ledger/accounts.py
--- a/src/ledger/accounts.py
+++ b/src/ledger/accounts.py
@@ -28,5 +28,5 @@
     \"\"\"Move `amount` from one account to another as one balanced entry.\"\"\"
     if amount <= 0:
         raise UnbalancedEntry("the amount of a transfer must be positive")
-    source.post(-amount, memo)
+    source.post(0 - amount, memo)
     target.post(amount, memo)
diff --git a/.env b/.env
--- a/.env
+++ b/.env
@@ -1 +1 @@
-A=1
+A=2
"""
PAGE = """\
# Impact

**1 symbol changes** in 1 file. **No other file depends** on that.{tests}

## What changes

`src/ledger/accounts.py`

- `transfer_funds`, function, line 27

## Tests to run, the nearest first

- `tests/test_accounts.py`: `test_transfer_keeps_the_sum`, `test_a_transfer_of_nothing_is_refused`
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tree(tmp_path_factory.mktemp("impact"))


def test_a_diff_on_standard_input_becomes_a_page(tree: Path) -> None:
    done = run(tree, "impact", given=DIFF)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(PAGE.format(tests=" **1 test file** to run.")), done.stdout
    assert done.stdout.endswith("## What is not known\n\n- `.env`: denied: this name is never served\n")


def test_a_diff_in_a_file_becomes_one_document(tree: Path) -> None:
    (tree.parent / "change.patch").write_text(DIFF)
    done = run(tree, "impact", "--diff", "../change.patch", "--json", "--depth", "1")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["changed"] == [
        {
            "path": "src/ledger/accounts.py", "name": "transfer_funds", "kind": "function", "start_line": 27,
            "change": "changed", "new_signature": False,
        }
    ]  # fmt: skip
    (test,) = found["tests"]
    assert [(one["qualified_name"], one["edge_type"], one["lines"]) for one in test["symbols"]] == [
        ("test_accounts.test_transfer_keeps_the_sum", "calls", [9]),
        ("test_accounts.test_a_transfer_of_nothing_is_refused", "calls", [15]),
    ]
    assert found["left_out"] == [{"path": ".env", "reason": "denied: this name is never served"}]


@pytest.mark.parametrize(
    ("arguments", "given", "code", "said"),
    [
        (["--since", "main~2"], "", 2, "Run: git diff 'main~2' | repo-mcp impact"),
        (["--since", "v1"], "", 2, "runs no Git and reads no history"),
        (["--diff", "nowhere.patch"], "", 2, "cannot be read: No such file"),
        (["--depth", "9"], DIFF, 2, "--depth must be 1 to 4"),
        ([], "hello", 2, "not a unified diff"),
        ([], "", 1, ""),
    ],
)
def test_what_is_no_diff_is_said(tree: Path, arguments: list[str], given: str, code: int, said: str) -> None:
    done = run(tree, "impact", *arguments, given=given)
    assert done.returncode == code
    assert said in done.stderr


def test_help_says_how_far_edges_are_followed(tree: Path) -> None:
    reported = run(tree, "impact", "--help").stdout
    assert f"edges to follow, 1 to {MAX_IMPACT_DEPTH} (default: {DEFAULT_IMPACT_DEPTH})" in reported


def test_a_diff_of_ten_megabytes_is_read(tree: Path) -> None:
    line = "+" + "x" * 999 + "\n"
    head = "diff --git a/new.txt b/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new.txt\n"
    new = f"{head}@@ -0,0 +1,10000 @@\n{line * 10_000}"
    done = run(tree, "impact", "--json", given=new + DIFF)
    assert (done.returncode, done.stderr) == (0, "")
    assert [one["name"] for one in json.loads(done.stdout)["changed"]] == ["transfer_funds"]


@pytest.mark.parametrize("is_file", [True, False])
def test_a_diff_of_the_largest_size_is_read_and_a_larger_one_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_file: bool
) -> None:
    monkeypatch.setattr(impact_command, "MAX_DIFF_BYTES", 10)

    def read(data: bytes) -> str:
        (tmp_path / "change.diff").write_bytes(data)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        return impact_command._read_diff(str(tmp_path / "change.diff") if is_file else "-")

    assert read(b"x" * 10) == "x" * 10
    with pytest.raises(RepoError, match="more than 10 bytes"):
        read(b"x" * 11)
