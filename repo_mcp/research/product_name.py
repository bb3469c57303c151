"""Leave the product's own name out of a question about it: in "how does acme decide", it is no evidence.

Functions and files have it whatever is asked. The name is read from the manifests in the root of the
repository. Where it is an ordinary word, it stands behind an article or before a noun, and stays: "how does a
task end" in a program called task.
"""

from __future__ import annotations

import re

from repo_mcp.research.research_state import ResearchState
from repo_mcp.text.question_words import list_words

# A manifest -> what gives the name of the product in it. The rest of a name is its scope or its version.
_MANIFESTS = {
    "pyproject.toml": r"^name\s*=\s*[\"']([\w.-]+)[\"']",
    "setup.cfg": r"^name\s*=\s*([\w.-]+)",
    "setup.py": r"\bname\s*=\s*[\"']([\w.-]+)[\"']",
    "package.json": r"^[ \t]*\"name\"\s*:\s*\"(?:@[\w.-]+/)?([\w.-]+)\"",
    "Cargo.toml": r"^name\s*=\s*\"([\w-]+)\"",
    "go.mod": r"^module\s+(?:[\w.~-]+/)*?([\w.~-]+)(?:/v\d+)?\s*$",
    "CMakeLists.txt": r"^\s*project\s*\(\s*([\w-]+)",
    "configure.ac": r"^AC_INIT\(\s*\[([\w-]+)\]",
    "pom.xml": r"^(?:\t| {2,4})<artifactId>([\w.-]+)</artifactId>",
}
# The subject of a question, or what a preposition leads to if its noun ends there.
_BARE = re.compile(
    r"(\b(?:do(?:es)?|did|can|could|will|would|should|when|if)\s+)(\w[\w-]*)(?=\s+\w)"
    r"|(\b(?:in|of|by|with|to|from|inside|within|using)\s+)(\w[\w-]*)(?=\s*(?:[?.,;]|$))"
)
_ENDINGS = re.compile(r"[-_.](?:js|py|rs|go|net|parent|project)$|[-_.]", re.IGNORECASE)


def leave_out_product(state: ResearchState, text: str) -> str:
    """Return a question without the name of the product where that stands alone, if more is said."""
    found = [match for match in _BARE.finditer(text) if len(match[2] or match[4]) > 1]
    if not found:
        return text
    names = find_product_names(state)

    def drop(match: re.Match[str]) -> str:
        before, word = match[1] or match[3], match[2] or match[4]
        return before if _fold(word) in names else match[0]

    told = _BARE.sub(drop, text)
    return told if told != text and set(list_words(told)) < set(list_words(text)) else text


def find_product_names(state: ResearchState) -> set[str]:
    """Return the names that the manifests in the root give the product, folded as `_fold` does."""
    names = set()
    for path, pattern in _MANIFESTS.items():
        found = re.search(pattern, "\n".join(state.source.read_lines(path)), re.MULTILINE)
        if found is not None:
            names.add(_fold(found[1]))
    return names


def _fold(name: str) -> str:
    """Return a name in lower case, without what joins its parts and without the ending of a language."""
    return _ENDINGS.sub("", name.lower())
