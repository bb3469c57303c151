"""What part a file plays in its repository, told by its path alone."""

from __future__ import annotations

import re
from enum import StrEnum

from repo_mcp.adapters.registry import find_language

_TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|testdata|fixtures|e2e|test[-_]suite|testing|__mocks__"
    r"|[^/]*[._-][Tt]ests?|[a-z]+Test)/"
    r"|(?:^|/)(?:test_[^/]*\.(?:py|c|cc|cpp|rb)|conftest\.py"
    r"|[^/]*(?:[_.-](?:test|spec)s?|Tests?|Spec|Suite)(?:\.\w+)?\.\w+)$"
)
TEST_PATH_WORDS = ("est", "pec", "Suite", "fixtures", "e2e", "__mocks__")  # a test's path holds one of them
_DOCS_PATH = re.compile(r"(?:^|/)(?:docs?|documentation|examples?|samples?|tutorials?|docs_src)/")
_FOREIGN_PATH = re.compile(
    r"(?:^|/)(?:vendor|vendored|_vendor|third[-_]?party|node_modules|dist|generated|single_include)/"
    r"|\.min\.(?:js|css)$|_pb2(?:_grpc)?\.pyi?$|\.(?:pb|generated|g)\.\w+$"
)


class FileRole(StrEnum):
    """What a file is for."""

    CODE = "code"
    TEST = "test"
    DOCS = "docs"  # documents, and the code of examples
    CONFIG = "config"  # configuration and data
    FOREIGN = "foreign"  # vendored, generated or built: somebody else's, or made from what is here


def is_test_path(path: str) -> bool:
    """True for tests, their data and their configuration, by the usual names in the usual languages."""
    return _TEST_PATH.search(path) is not None


def find_role(path: str) -> FileRole:
    """The role of a file; a test's document is a test, an example's configuration a document.

    A name without a rule and without an extension is taken for a program's.
    """
    if is_test_path(path):
        return FileRole.TEST
    if _FOREIGN_PATH.search(path):
        return FileRole.FOREIGN
    language = find_language(path)
    if language.kind == "docs" or _DOCS_PATH.search(path):
        return FileRole.DOCS
    if language.kind == "code" or (language.name == "unknown" and "." not in path[path.rfind("/") + 1 :]):
        return FileRole.CODE
    return FileRole.CONFIG
