"""What part a file plays in its repository, told by its path alone."""

from __future__ import annotations

import re

_TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|testdata|fixtures|e2e|test[-_]suite|testing)/"
    r"|(?:^|/)(?:test_[^/]*|conftest\.py|[^/]*(?:[_.-](?:test|spec)|Tests?|Spec)\.\w+)$",
)


def is_test_path(path: str) -> bool:
    """True for tests, their data and their configuration, by the usual names in the usual languages."""
    return _TEST_PATH.search(path) is not None
