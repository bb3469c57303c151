"""Tell by its path alone whether a file is documentation, and how much of its score it keeps.

Markdown, reStructuredText and plain text are documents anywhere; HTML pages, XML such as DocBook, DITA and
MAML, and files without an extension only in a documentation directory. Lists of requirements and logs are no
documents. Files that match often but are rarely wanted keep only a share of their score: tests, vendored
code, translations into other languages, change logs, licences. A query that asks for such files does not
lower their scores.

Left out on purpose: documents that are data, such as YAML schemas with descriptions and notebooks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from repo_mcp.documentation.query_words import DocsWeights
from repo_mcp.languages.outline.heading_readers import XML_DOCUMENTS
from repo_mcp.languages.patterns.language_registry import LANGUAGES, find_language
from repo_mcp.text.roles import FileRole, find_role

DOCUMENT_LANGUAGES = frozenset(("markdown", "rst", "text", "html", "xml", "unknown"))
CODE_LANGUAGES = frozenset(name for name, one in LANGUAGES.items() if one.kind == "code" and name != "css")
_CACHED_PATHS = 20_000

_DOCS_DIRECTORY = re.compile(
    r"(?:^|/)(?:docs?|documentation|guides?|manual|wiki|website|site)/", re.IGNORECASE
)
_NO_DOCUMENT = re.compile(r"(?:^|/)(?:[^/]{0,80}requirements[^/]{0,80}\.txt|[^/]{1,200}\.log|robots\.txt)$")
_XML_ENDINGS = (".xml", *(f".{one}" for one in sorted(XML_DOCUMENTS)))
_BUILDS = ("build.xml", "pom.xml")  # of the documentation
_CHANGELOG = re.compile(
    r"(?:^|/)(?:change-?logs?|changes|history|news|releases?(?:[-_ ]?notes?)?|what-?s-?new"
    # From one version to the next; `migrations/` may be those of a database.
    r"|migrating|upgrading|breaking[-_]?changes|(?:migration|upgrade)[-_](?:guide|from|to|v?\d))"
    r"(?:[.\d_-][^/]{0,80})?(?:/|$)",
    re.IGNORECASE,
)
_LICENCE = re.compile(
    r"(?:^|/)(?:licen[cs]es?|copying|notice|authors|contributors|maintainers|credits|patents)"
    r"(?:[._-][^/]{0,80})?(?:/|$)",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(r"(?:^|/)(?:examples?|samples?|demos?)/")
# ISO 639 codes of translated documents, except English. Those that are only in _ANY_CODE also mean other
# things, so they need a clearer context.
_CODES = (
    "ar|az|bg|bn|ca|da|de|es|et|fa|fi|fr|he|hi|hr|hu|it|ja|jp|ka|kk|ko|kr|lt|lv|mk|mn|nb|nl|nn|pl|pt|ro|ru|sk|sl"
    "|sq|sr|sv|tr|uk|ur|uz|zh|cn|tw"
)
_ANY_CODE = rf"(?:{_CODES}|ast|be|ckb|cs|el|fil|hy|id|is|kab|kmr|ml|ms|no|ta|te|th|vi|yo)"
_REGION = r"(?:[-_][a-z]{2,4})"
_ENDING = r"\.(?:md|mdx|markdown|rst|txt|adoc)$"
_OLDER = re.compile(r"(?:^|/)versioned_docs/")  # of Docusaurus, beside the documents of the newest version
_VERSION = re.compile(r"v?\d+(?:\.\d+)*")
_TRANSLATION = re.compile(
    r"(?:^|/)translations?/"
    rf"|(?:^|/)(?:_?i18n|locales?|langs?|languages?|l10n)/{_ANY_CODE}{_REGION}?/"
    rf"|(?:^|/)(?:docs?|documentation|content|guides?|manual[\w-]*|website|src)/(?:{_CODES}|{_ANY_CODE}{_REGION}){_REGION}?/"
    rf"|(?:^|/)(?:{_CODES}|{_ANY_CODE}{_REGION})/docs?/"
    rf"|(?:^|/)(?:readme|changelog|contributing|install|index)[._-]{_ANY_CODE}{_REGION}?{_ENDING}"
    rf"|\.(?:{_CODES}|{_ANY_CODE}{_REGION}){_REGION}?{_ENDING}",
    re.IGNORECASE,
)

_CHANGE_WORDS = """
changelog changelogs changes changed history news release releases released version versions breaking upgrade
upgrading deprecated deprecation deprecations migrate migrating migration
"""
_LICENCE_WORDS = """
licence license licensed licenses licences copyright authors contributors maintainer maintainers maintains
credits notice patents
"""
_ASKS_CHANGES = frozenset(_CHANGE_WORDS.split())
_ASKS_LICENCE = frozenset(_LICENCE_WORDS.split())
_TEST_SCOPES = frozenset(("test", "tests"))
_ASKS_TEST = frozenset(("test", "tests", "testing", "pytest", "unittest", "fixture", "fixtures", "spec"))


def is_document(path: str, overrides: Mapping[str, str] | None = None) -> bool:
    """Return True for a file that is read as documentation."""
    name = find_language(path, overrides).name
    if name in ("markdown", "rst"):
        return True
    if name == "text":
        return _NO_DOCUMENT.search(path.lower()) is None
    if name not in DOCUMENT_LANGUAGES or _DOCS_DIRECTORY.search(path) is None:
        return False
    file_name = path.rpartition("/")[2].lower()
    if file_name.endswith(_XML_ENDINGS):
        return file_name not in _BUILDS
    return name == "html" or "." not in file_name


def match_documents(
    overrides: Mapping[str, str], is_wanted: Callable[[str], bool] | None
) -> Callable[[str], bool]:
    """Return a filter by path that admits documents, only wanted ones if there is a filter `is_wanted`."""
    if is_wanted is None:
        return lambda path: is_document(path, overrides)
    return lambda path: is_wanted(path) and is_document(path, overrides)


class ScoreShares:
    """Computes the share of its score that a file keeps, for the words of one query."""

    def __init__(self, words: frozenset[str], weights: DocsWeights) -> None:
        """Take the words of the query, in lower case."""
        self._weights = weights
        self._asks_test = not words.isdisjoint(_ASKS_TEST)
        self._asks_changes = not words.isdisjoint(_ASKS_CHANGES)
        self._asks_licence = not words.isdisjoint(_ASKS_LICENCE)
        self._asks_version = any(map(_VERSION.fullmatch, words))
        self._is_foreign = any(not word.isascii() for word in words)

    def find(self, path: str, *, is_code: bool = False) -> float:
        """Return the smallest share that applies to a path; 1 when none does. Code is never translated."""
        traits, weights = find_traits(path), self._weights
        shares = (
            ("test", weights.test, self._asks_test),
            ("foreign", weights.foreign, False),
            ("translation", weights.translation, is_code or self._is_foreign),
            ("older", weights.older, self._asks_version),
            ("changelog", weights.changelog, self._asks_changes),
            ("licence", weights.licence, self._asks_licence),
            ("example", weights.example, False),
        )
        return min((share for trait, share, asked in shares if trait in traits and not asked), default=1.0)

    def is_test(self, name: str, within: Sequence[str]) -> bool:
        """Return True for a test, unless the query asks for tests; in Rust they stand beside other code."""
        return not self._asks_test and (name.startswith("test_") or not _TEST_SCOPES.isdisjoint(within))


@lru_cache(maxsize=_CACHED_PATHS)
def find_traits(path: str) -> frozenset[str]:
    """Return the traits of a file that its path shows, such as "test" or "licence"."""
    role = find_role(path)
    found = {
        "test": role is FileRole.TEST,
        "foreign": role is FileRole.FOREIGN,
        "translation": _TRANSLATION.search(path) is not None,
        "older": _OLDER.search(path) is not None,
        "changelog": _CHANGELOG.search(path) is not None,
        "licence": _LICENCE.search(path) is not None,
        "example": _EXAMPLE.search(path) is not None,
    }
    return frozenset(name for name, applies in found.items() if applies)
