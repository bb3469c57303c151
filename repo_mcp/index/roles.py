"""What part a file plays in its repository, told by its path alone."""

from __future__ import annotations

import re
from enum import StrEnum

from repo_mcp.adapters.registry import find_language

_TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|testdata|fixtures|e2e|test[-_]suite|testing)/"
    r"|(?:^|/)(?:test_[^/]*|conftest\.py|[^/]*(?:[_.-](?:test|spec)|Tests?|Spec)\.\w+)$",
)
_DOCS_PATH = re.compile(r"(?:^|/)(?:docs?|documentation|examples?|samples?|tutorials?|docs_src)/")


class FileRole(StrEnum):
    """What a file is for."""

    CODE = "code"
    TEST = "test"
    DOCS = "docs"  # documents, and the code of examples
    CONFIG = "config"  # configuration and data


def is_test_path(path: str) -> bool:
    """True for tests, their data and their configuration, by the usual names in the usual languages."""
    return _TEST_PATH.search(path) is not None


def find_role(path: str) -> FileRole:
    """The role of a file; a test's document is a test, an example's configuration a document."""
    if is_test_path(path):
        return FileRole.TEST
    kind = find_language(path).kind
    if kind == "docs" or _DOCS_PATH.search(path):
        return FileRole.DOCS
    return FileRole.CODE if kind == "code" else FileRole.CONFIG
