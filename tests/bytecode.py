"""Make bytecode of what the tests import, once for all processes that run them: `python -m tests.bytecode`.

Every module of tests is imported as pytest imports it, so that its asserts are rewritten. No test is made of
it: that takes half as long again, and each process does it anyway. What is wrong with a module is said when
the tests are run.
"""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import pytest


class NoTests:
    """Leaves out whatever a module may have of tests."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makeitem(self) -> list[Any]:
        """Return that there are none."""
        return []


def main() -> None:
    """Import all, and make Hypothesis's table of characters, which it keeps."""
    with redirect_stdout(StringIO()):
        pytest.main(["--collect-only", "-q", "--benchmark-disable"], plugins=[NoTests()])
    from hypothesis.internal import charmap  # here: pytest is to import it first

    charmap.charmap()  # two seconds


if __name__ == "__main__":
    sys.exit(main())
