"""Leave the product out of a question about it: in "how does acme decide", its name is no evidence.

Functions and files have it whatever is asked. The name is read from the manifests in the root of the
repository. Where it is an ordinary word, it stands behind an article or before a noun, and stays: "how does a
task end" in a program called task. "The library" and "this project" mean the product, too.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress

from repo_mcp.errors import RepoError
from repo_mcp.text.lines import ReadLines
from repo_mcp.text.question_words import list_words
from repo_mcp.text.stop_words import FUNCTION_WORDS

PACKAGE = "package.json"


def _name_under(*tables: str) -> str:
    """Return an expression for the name in one of some tables of a file in TOML or the like."""
    heads = "|".join(map(re.escape, tables))
    return rf"^\[(?:{heads})\].*\n(?:(?!\[).*\n)*?name[ \t]*=[ \t]*[\"']?([\w.-]+)"


_GRADLE = r"^[ \t]*+rootProject\.name[ \t]*=[ \t]*[\"']([\w.-]+)"
# A manifest -> what gives the name of the product in it; in PACKAGE it is the member `name`.
_MANIFESTS = {
    "pyproject.toml": _name_under("project", "tool.poetry"),
    "setup.cfg": _name_under("metadata"),
    "setup.py": r"\bname\s*=\s*[\"']([\w.-]+)[\"']",
    "Cargo.toml": _name_under("package"),
    "go.mod": r"^module[ \t]+(?:[\w.~-]+/)*?([\w.~-]+)(?:/v\d+)?[ \t]*$",
    "Package.swift": r"\bPackage\(\s*name:\s*\"([\w.-]+)\"",
    "meson.build": r"^project\(\s*'([\w.-]+)'",
    "CMakeLists.txt": r"^[ \t]*+project[ \t]*+\(\s*+([\w-]+)",
    "configure.ac": r"^AC_INIT\(\s*\[([\w-]+)\]",
    "settings.gradle": _GRADLE,
    "settings.gradle.kts": _GRADLE,
    "pom.xml": r"^(?:\t| {2,4})<artifactId>([\w.-]+)</artifactId>",
}
# What is asked about whatever the repository is. A server, a client or a tool may be a part of it.
_ANY_PRODUCT = (
    r"(?:the|this) (?:library|framework|crate|codebase)|this (?:package|project|program|repository)"
)
# The subject of a question, or what a preposition leads to if its noun ends there.
_BARE = re.compile(
    rf"(\b(?:do(?:es)?|did|can|could|will|would|should|when|if)\s+)({_ANY_PRODUCT}|\w[\w-]*)(?=\s+\w)"
    rf"|(\b(?:in|of|by|with|to|from|inside|within|using)\s+)({_ANY_PRODUCT}|\w[\w-]*)(?=\s*(?:[?.,;]|$))",
    re.IGNORECASE,
)
_IS_ANY_PRODUCT = re.compile(_ANY_PRODUCT, re.IGNORECASE)
_ENDINGS = re.compile(r"[-_.](?:js|py|rs|go|net|parent|project)$|[-_.]", re.IGNORECASE)


def is_one_sentence(text: str) -> bool:
    """Return whether a text is a single line that quotes nothing: what is pasted or quoted stays as it is."""
    return not {"\n", '"'}.intersection(text.strip())


def leave_out_product(text: str, read_lines: ReadLines) -> str:
    """Return a question without the product where that stands alone, if more is said.

    `read_lines` returns the lines of a file in the root, or raises RepoError.
    """
    words = {match[2] or match[4] for match in _BARE.finditer(text)}
    if not any(len(word) > 1 and word.lower() not in FUNCTION_WORDS for word in words):
        return text
    names = find_product_names(read_lines)

    def drop(match: re.Match[str]) -> str:
        before, word = match[1] or match[3], match[2] or match[4]
        return before if _IS_ANY_PRODUCT.fullmatch(word) or _fold(word) in names else match[0]

    rest = _BARE.sub(drop, text)
    return rest if rest != text and set(list_words(rest)) < set(list_words(text)) else text


def find_product_names(read_lines: ReadLines) -> set[str]:
    """Return the names that the manifests in the root give the product, folded as `_fold` does."""
    names = set()
    for path in (PACKAGE, *_MANIFESTS):
        with suppress(RepoError):  # there is no such file, or it may not be read
            names.add(_fold(read_name(path, "\n".join(read_lines(path)))))
    return names - {""}


def read_name(path: str, text: str) -> str:
    """Return the name that the text of a manifest gives the product, without its scope; "" for none."""
    if path == PACKAGE:
        return _read_member(text).rpartition("/")[2]
    before, _, parent = text.partition("<parent>")  # the parent of a project in Maven has a name of its own
    text = before + parent.partition("</parent>")[2] if parent else text
    found = re.search(_MANIFESTS[path], text, re.MULTILINE)
    return "" if found is None else found[1]


def _read_member(text: str) -> str:
    """Return the member `name` of an object in JSON; "" without one."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    name = content.get("name") if isinstance(content, dict) else None
    return name if isinstance(name, str) else ""


def _fold(name: str) -> str:
    """Return a name in lower case, without what joins its parts and without the ending of a language."""
    return _ENDINGS.sub("", name.lower())
