"""Reads the links of rustdoc's source pages as answers about a crate, for compilers that write no analysis.

    RUSTC_BOOTSTRAP=1 cargo rustdoc --lib -- -Zunstable-options \\
      --generate-link-to-definition --document-private-items

`target/doc/src/CRATE` has a page for each file; a name in it is a link to the lines of its declaration. Left
out by rustdoc, and therefore not judged: fields, variants in patterns and most of what macros make.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from posixpath import dirname, normpath

from bench.graph.verdicts import OUTSIDE, Answers

_LINES = re.compile(r"(?:(.*\.rs)\.html)?#(\d+)(?:-(\d+))?")
_USE = re.compile(rb"^[ \t]*(?:pub(?:\([^)]*\))?\s+)?use\s[^;]*;", re.M)
_CALL = re.compile(rb"\s*(?:\w+::)*(?!macro_rules)\w+!")
_OF_TRAIT = re.compile(r"/trait\.\w+\.html#(?:ty)?method\.")
_NAME = re.compile(r"(?:r#)?(\w+)!?\s*$")
_KIND = "linked"


class _Page(HTMLParser):
    """Collects the links in the code of one page: line, text and target of each."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.links: list[tuple[int, str, str]] = []
        self._line, self._target, self._text, self._is_number = 0, "", "", False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "a" and "data-nosnippet" in given:
            self._line, self._is_number = int(given.get("id") or 0), True
        elif tag == "a":
            self._target, self._text = given.get("href") or "", ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and not self._is_number and self._target:
            self.links.append((self._line, self._text, self._target))
            self._target = ""
        self._is_number = self._is_number and tag != "a"

    def handle_data(self, data: str) -> None:
        if not self._is_number:
            self._text += data


def read_links(pages: Path, texts: Mapping[str, bytes]) -> Answers:
    """Return what the links of a crate's pages say of the names in its files.

    Not judged are names that occur on a line more often than they are linked there, and names that lead to
    the method of a trait elsewhere, because the type's own method may be meant.
    """
    answers = Answers()
    for path in texts:
        page = pages / f"{path.removeprefix('src/')}.html"
        if not path.startswith("src/") or not page.is_file():
            continue
        lines = texts[path].decode("utf-8", "replace").split("\n")
        importing = _list_importing(texts[path])
        found: dict[tuple[int, str], list[str]] = {}
        for line, name, target in _iter_links(page):
            found.setdefault((line, name), []).append(target)
        for (line, name), targets in found.items():
            text = lines[line - 1]
            if line in importing or len(re.findall(rf"\b{name}\b", text)) != len(targets):
                continue
            if any(_OF_TRAIT.search(one) for one in targets):
                continue
            use = path, line, name
            places = {each for one in targets for each in _list_places(path, name, one, texts)} - {
                (path, line)
            }
            if places:
                answers.places[use] |= places
                is_inside = any(one[0] != OUTSIDE for one in places)
                answers.kinds[use] = _KIND if is_inside else "outside"
    return answers


def _list_importing(text: bytes) -> set[int]:
    """Return the lines of a file on which `use` names things."""
    found: set[int] = set()
    for one in _USE.finditer(text):
        first = text.count(b"\n", 0, one.start()) + 1
        found.update(range(first, first + one[0].count(b"\n") + 1))
    return found


def _iter_links(page: Path) -> Iterator[tuple[int, str, str]]:
    read = _Page()
    read.feed(page.read_text("utf-8"))
    for line, text, target in read.links:
        name = _NAME.search(text)
        if name is not None and line and name[1] not in {"self", "Self", "super", "crate"}:
            yield line, name[1], target


def _list_places(path: str, name: str, target: str, texts: Mapping[str, bytes]) -> list[tuple[str, int]]:
    """Return the lines of the declaration that a link leads to; if a macro makes it, all lines of the call.

    There are none for a local variable, nor for the page of an item, which is linked where it is declared.
    """
    if target.startswith("http"):
        return [(OUTSIDE, hash(target))]
    found = _LINES.fullmatch(target)
    if found is None:
        return []
    file = normpath(f"{dirname(path)}/{found[1]}") if found[1] else path
    if file not in texts:
        return [(OUTSIDE, hash(target))]
    first, last = int(found[2]), int(found[3] or found[2])
    head = texts[file].split(b"\n")[first - 1]
    if _CALL.match(head):
        return [(file, line) for line in range(first, last + 1)]
    named = rb"\b(?:fn|struct|enum|trait|union|type|const|static|mod|macro|macro_rules!)\s+(?:mut\s+|r#)?%s\b"
    is_item = re.search(named % name.encode(), head) or name[:1].isupper()  # else a variable of a function
    return [(file, first)] if is_item else []
