"""The role of a file in its repository, judged by its path alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from enum import StrEnum
from functools import lru_cache, partial

from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.late_patterns import compile_late

# One pattern for a directory with a final slash, one for a file name. Neither reaches into the other.
_TEST_DIRECTORY = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|fixtures|__(?:test)?fixtures__|__test[-_]?data__|e2e|test[-_]suite|testing|__mocks__|unittests?"
    r"|[^/]*[._-]tests?|tests-[^/]*|[^/]*Tests?|[^/]*\.Testing|[^/]*(?:\.Test|Tests)\.[^/]*|Specs"
    r"|(?:[^/]*[a-z._-])?[Tt]est[-_]?[Hh]arness"
    r"|(?:[^/]*[._-])?[Tt]est[-_]?(?:[Ff]ixtures|[Dd]ata)\d?)/"
)
# In Python, Go, Rust and C, `mode_specs.py` holds specifications.
_TEST_NAME = re.compile(
    r"(?:test_[^/]*\.(?:py|c|cc|cpp|rb)|test-[^/]*\.sh|conftest\.py|tests?\.rs"
    r"|[^/]*\.snap|[^/]*\.(?:e2e|cy)\.[cm]?[jt]sx?"
    r"|[^/]*(?:[_.-](?:test|spec)s?(?:-d)?|Tests?|Spec|Suite)(?:\.\w+)?\.\w+)$"
    r"(?<!_spec\.(?:py|go|rs))(?<!_specs\.(?:py|go|rs))(?<!_spec\.[ch])(?<!_specs\.[ch])"
)
# Every test's path has one.
TEST_PATH_WORDS = ("est", "pec", "Suite", "fixtures", "e2e", ".cy.", "__mocks__", ".snap")
_MAY_BE_TEST = re.compile(r"est|pec|Suite|e2e|\.cy\.|\.snap")  # in each name that makes its file a test
# `docs` as well as `docs-site`; `_examples`, `iOS Example` and `App.Examples`. `benchmark` alone and `perf`
# count only at the top: further down they are part of the program. So do pieces of a change log.
_DOCS_DIRECTORY = re.compile(
    r"(?:^|/)(?:[Dd]ocs?(?:[-_][^/]*)?|[Dd]ocumentation|[^/]*\.docc|tutorials?|website"
    r"|(?:[^/]*[ ._-])?(?:[Ee]xamples?|[Ss]amples?|[Dd]emos?|[Bb]enchmarks)|[^/]+[Bb]enchmark|benches|jmh"
    r"|__bench(?:es)?__|[Ss]andbox|[Pp]laygrounds?)/|^(?:[Bb]ench(?:mark)?|perf)/"
    r"|^\.?(?:changelogs?(?:\.d)?|changesets?|newsfragments|release[-_]?notes)/"
)
_DOCS_NAME = re.compile(r"\.(?:bench|stories)\.[cm]?[jt]sx?$")
# Folders of the program's texts in a language other than English. In `lang`, `cs` may be C#, and `pl` Perl.
_TRANSLATED = (
    r"(?:a[frz]|b[egns]|ca|ckb|cy|da|de|[dh]sb|el|eo|es|et|eu|fa|fi|fr|fy|ga|gd|gl|he|hi|hr|hu|hy|id|ig|is|it|ja"
    r"|k[akmnoy]|lb|lt|lv|m[klnrsy]|nb|ne|nl|nn|no|pt|ro|ru|s[klqrvw]|ta|te|tg|th|tk|tr|tt|ug|uk|ur|uz|vi|zh)"
    r"(?:[-_]\w{2,4})?/"
)
_TRANSLATIONS = re.compile(
    rf"(?:^|/)(?:locales?|i18n|l10n|translations)/(?:{_TRANSLATED}|(?:cs|pl)(?:[-_][A-Z]{{2}})?/)"
    rf"|^(?:resources/)?lang/{_TRANSLATED}"
)
# Amalgamations are all sources copied into one file.
_FOREIGN_DIRECTORY = re.compile(
    r"(?:^|/)(?:vendor|vendored|_vendor|third[-_]?party|node_modules|dist|generated"
    r"|amalgamat(?:ion|ed)|single[-_](?:include|header|file))/|^deps/"
)
# Builds described in a programming language. Those in formats of configuration are known by their formats.
_BUILD_NAME = re.compile(
    r"(?:[^/]*\.(?:gradle(?:\.kts)?|sbt|gemspec)|Package(?:@[^/]*)?\.swift|mix\.exs|build\.zig|setup\.py|go\.mod"
    r"|Gemfile)$"
)
# `po` and the like hold texts of the program again, with their places, for translators. A `defconfig`, which
# `make savedefconfig` writes, lists the options of a build that differ from their defaults. A bundler puts a
# hash of eight characters before the ending, known by its digits and letters of both cases.
_FOREIGN_NAME = re.compile(
    r"\.min\.(?:js|css)$|_pb2(?:_grpc)?\.pyi?$|\.(?:pb|generated|g|[Dd]esigner)\.\w+$|\.gen\.[jt]sx?$"
    r"|_generated\.\w+$|[.-](?=[\w-]{0,7}\d)(?=[\w-]{0,7}[A-Z])(?=[\w-]{0,7}[a-z])[\w-]{8}\.m?(?:js|css)$"
    r"|\.(?:pot?|xlf|xliff)$|(?:^|[_.-])amalgamat(?:ion|ed)\.[ch](?:c|pp|xx)?$"
    r"|^(?:gradle|mvn)w(?:\.\w+)?$|^(?:\w[\w.-]*_)?defconfig$"  # which a build tool writes
)
_PERF = r"perf(?:[_-][\w-]*|(?:tests?|bench|ormance)[\w-]*|(?-i:[A-Z\d])[\w-]*)?"  # not `perforce`, `perfect`
# Of a file below the root, `script.py` or `sandbox.py` says what it is about.
_SIDE_FILE = compile_late(
    rf"(?:^|/)(?:{_PERF}|bench\w*|_?examples?|samples?|demos?|sandbox|playground|fuzz\w*|scripts?|testing"
    r"|testutil\w*)/"
    r"|(?:^|/)(?:perf(?:[_-][\w-]*)?|bench\w*|_?examples?|demos?|fuzz\w*|testing|testutil\w*)\."
    rf"|^(?:{_PERF}|samples?|sandbox|playground|scripts?)\."
    # `xmltest.cpp`, all tests in one program; but not `fastest.c`, nor what is part of the program
    r"|^(?!(?:.*/)?(?:src|lib|assets)/).*[a-z0-9]{3}(?<!con|pro|fas|rea|hor)test\.c(?:c|pp|xx)?$",
    re.IGNORECASE,
)
# Below these folders, these words name a part of the program, such as a script compiler.
_PART_OF_PROGRAM = compile_late(
    r"((?:^|/)(?:src|lib|assets)/(?:[^/]+/)*?)(?:benchmark|scripts?)(?=[/.])", re.IGNORECASE
)
_OLDER_FOLDER = re.compile(r"(?:^|(?<=/))(_?(?:legacy|deprecated|obsolete)|v\d{1,2})/")
_CACHED_NAMES = 8_000  # of files, and as many of directories, with their roles: 1 MB each


class FileRole(StrEnum):
    """The role of a file in its repository."""

    CODE = "code"
    TEST = "test"
    DOCS = "docs"  # documents, and the code of examples and benchmarks
    CONFIG = "config"  # configuration, builds and data
    STYLE = "style"  # style sheets: the look of pages, not behaviour
    FOREIGN = "foreign"  # vendored, generated or built: written by others, or made from the sources here


# Of two roles, the one of lower rank wins.
_RANKS = {
    role: rank
    for rank, role in enumerate(
        (FileRole.TEST, FileRole.FOREIGN, FileRole.DOCS, FileRole.CONFIG, FileRole.STYLE, FileRole.CODE)
    )
}
# The role of a file from the roles of its directory and of its name.
choose_role: Callable[[FileRole, FileRole], FileRole] = partial(min, key=_RANKS.__getitem__)


def is_test_path(path: str) -> bool:
    """Return True for tests, their data and their configuration, by the usual names in common languages."""
    name_at = path.rfind("/") + 1
    return _TEST_DIRECTORY.search(path, 0, name_at) is not None or _TEST_NAME.match(path, name_at) is not None


def is_translation(path: str) -> bool:
    """Return True for what lies in a folder of texts in a language other than English."""
    return _TRANSLATIONS.search(path) is not None


def is_side_file(path: str) -> bool:
    """Return True for a file of examples, benchmarks and the like, whose role may be that of code."""
    return _SIDE_FILE.search(_PART_OF_PROGRAM.sub(r"\1", path)) is not None


def list_older_folders(paths: Collection[str], asked: str) -> tuple[str, ...]:
    """Return the folders around some paths that hold an older version, each with a final slash.

    A numbered one, such as `v1`, does if one of the paths is another one of them without it. Left out are
    those that a question, in lower case, `asked` for.
    """
    found = set()
    for path in paths:
        for match in _OLDER_FOLDER.finditer(path):
            folder = match[1].strip("_")
            is_older = not folder[-1].isdigit() or path[: match.start(1)] + path[match.end() :] in paths
            if is_older and folder not in asked:
                found.add(path[: match.end()])
    return tuple(sorted(found))


def find_role(path: str) -> FileRole:
    """Return the role of a file. A test's document is a test; an example's configuration is a document.

    A name that matches no rule and has no extension counts as code.
    """
    directory, _, name = path.rpartition("/")
    return choose_role(find_directory_role(directory), find_name_role(name))


@lru_cache(maxsize=_CACHED_NAMES)
def find_directory_role(path: str) -> FileRole:
    """Return the role that a directory gives the files below it; CODE for one without a rule."""
    path += "/"
    if _TEST_DIRECTORY.search(path):
        return FileRole.TEST
    if _FOREIGN_DIRECTORY.search(path) or _TRANSLATIONS.search(path):
        return FileRole.FOREIGN
    return FileRole.DOCS if _DOCS_DIRECTORY.search(path) else FileRole.CODE


@lru_cache(maxsize=_CACHED_NAMES)
def find_name_role(name: str) -> FileRole:
    """Return the role that a file has by its name alone."""
    if _MAY_BE_TEST.search(name) and _TEST_NAME.match(name):
        return FileRole.TEST
    if _FOREIGN_NAME.search(name):
        return FileRole.FOREIGN
    if _BUILD_NAME.match(name):
        return FileRole.CONFIG
    language = find_language(name)
    if language.kind == "docs" or _DOCS_NAME.search(name):
        return FileRole.DOCS
    if language.name == "css":
        return FileRole.STYLE
    if language.kind == "code" or (language.name == "unknown" and "." not in name):
        return FileRole.CODE
    return FileRole.CONFIG


# The order in which a person wants to see files where nothing else ranks them.
_READING_ORDER = {
    FileRole.CODE: 0,
    FileRole.STYLE: 0,
    FileRole.CONFIG: 1,  # of a tree of deployments the program itself; in others there is little of it
    FileRole.TEST: 2,
    FileRole.DOCS: 3,
    FileRole.FOREIGN: 4,
}


def order_by_role(paths: Iterable[str]) -> Iterator[str]:
    """Yield the paths of the program, then of configuration, tests, documents, foreign and built files.

    Paths of one role keep their order. Those of the program are yielded as they come: a search that finds
    enough there need not know the others.
    """
    later: dict[int, list[str]] = {}
    for path in paths:
        place = _READING_ORDER[find_role(path)]
        if place:
            later.setdefault(place, []).append(path)
        else:
            yield path
    for _, own in sorted(later.items()):
        yield from own


def comes_first(path: str) -> bool:
    """Return True for a file of the program."""
    return not _READING_ORDER[find_role(path)]


def find_later_directory(path: str) -> str:
    """Return the outermost directory around a path that has no file of the program; "" for none."""
    at = path.find("/")
    while at >= 0:
        if find_directory_role(path[:at]) is not FileRole.CODE:
            return path[:at]
        at = path.find("/", at + 1)
    return ""
