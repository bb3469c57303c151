"""The tags of a JSDoc comment of JavaScript and the types in them, written as TypeScript writes them.

Tags that say no type are left out, as are types that do not tell what a value is: `{Object}`, `{*}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from repo_mcp.languages.typescript.types import MAX_CACHED
from repo_mcp.record_classes import dataclass

# A tag begins its line, or the comment: `{@link name}` and addresses in sentences are none.
_TAG = re.compile(rb"(?:/\*\*|\n[ \t]*+\**+)[ \t]*+@([a-z]+)\b[ \t]*")
_READ = {
    b"arg": b"param",
    b"argument": b"param",
    b"callback": b"callback",
    b"import": b"import",
    b"param": b"param",
    b"prop": b"property",
    b"property": b"property",
    b"return": b"returns",
    b"returns": b"returns",
    b"template": b"template",
    b"type": b"type",
    b"typedef": b"typedef",
}
_NAMED = re.compile(rb"[\s*]*+\[?[ \t]*+([A-Za-z_$][\w$]*(?:(?:\[\])?\.[\w$]+)*)")
_NAMES = re.compile(rb"[\s*]*((?:[A-Za-z_$][\w$]*[ \t]*,[ \t]*)*[A-Za-z_$][\w$]*)")  # of `@template A, B`
_IMPORTED = re.compile(rb"([^\"'@]{1,2000}?)\bfrom\s+[\"']([^\"'\n]+)[\"']")
_LINE_START = re.compile(rb"\n[ \t]*\*?[ \t]*")
_BRACE = re.compile(rb"[{}]")
MAX_TYPE_BYTES = 4_000  # of one type in braces
# What a type may consist of without telling what a value is.
_VAGUE = re.compile(
    r"(?:[\s|*?=]|\b(?:object|Object|any|unknown|Function|function|Array|mixed|null|undefined)\b)*"
)
_OLD_GENERIC = re.compile(r"\.<")
_OBJECT = re.compile(r"\bObject(?=<)")
_PLAIN_OBJECT = re.compile(r"\bObject\b(?![.<])")
_PART = re.compile(
    rb"\"[^\"\n]*\"|'[^'\n]*'|`[^`]*`"
    rb"|(?P<typeof>\btypeof\s+)?(?:import\(\s*[\"'](?P<module>[^\"'\n]+)[\"']\s*\)(?:\.|(?P<whole>)))?"
    rb"(?P<name>(?(whole)|(?<![\w$\x80-\xff])[A-Za-z_$\x80-\xff][\w$\x80-\xff]*(?:\.[A-Za-z_$][\w$]*)*))"
    rb"(?!\s*+\??\s*+:)(?![\w$\x80-\xff])"
)
_WORDS = frozenset(
    re.findall(
        r"\w+",
        "any unknown never void null undefined string number boolean bigint symbol object true false this"
        " Object Function function keyof infer extends in is asserts readonly new abstract unique import"
        " String Number Boolean",
    )
)


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag of a comment."""

    kind: str  # "param", "returns", ...: one word for those that mean the same
    start: int  # byte offsets of the tag in the file
    type_start: int  # of what the braces hold
    raw: bytes  # what the braces hold, or all that an `@import` says
    type: str  # the same as TypeScript writes it; empty when it says nothing
    name: str  # of the parameter, property or type; of `@template`, all names


@dataclass(frozen=True, slots=True)
class FunctionDoc:
    """The tags of a comment about the function, or the class, after it."""

    tags: tuple[Tag, ...]
    scope: int  # around the comment
    ordinal: int


@dataclass(frozen=True, slots=True)
class TypeUse:
    """The name of a type in a tag."""

    name: str  # empty for a whole module, `import("module")`
    qualifier: str
    start: int  # byte offset of the name in the file
    module: str  # of `import("module").name`; else empty
    is_value: bool  # after `typeof`


def list_tags(text: bytes, start: int, end: int) -> list[Tag]:
    """Return the tags of a comment that say types, in order."""
    return [
        _read_tag(text, found, _READ[found[1]], end)
        for found in _TAG.finditer(text, start, end)
        if found[1] in _READ
    ]


def _read_tag(text: bytes, found: re.Match[bytes], kind: bytes, end: int) -> Tag:
    at, raw, type_start, name = found.end(), b"", found.end(), ""
    if kind == b"import":
        imported = _IMPORTED.match(text, at, end)
        raw = imported[0] if imported else b""
        return Tag("import", found.start(1), at, raw, "", "")
    if text.startswith(b"{", at):
        close = _find_close(text, at, end)
        raw, type_start, at = text[at + 1 : close], at + 1, close + 1
    named = (_NAMES if kind == b"template" else _NAMED).match(text, at, end)
    if named is not None and kind not in {b"returns", b"type"}:
        name = named[1].decode("utf-8", "replace")
    return Tag(kind.decode(), found.start(1) - 1, type_start, raw, write_type(raw), name)


def _find_close(text: bytes, start: int, end: int) -> int:
    """Return the offset of the brace that closes the one at `start`; if none does, `start` itself."""
    depth = 0
    for found in _BRACE.finditer(text, start, min(end, start + MAX_TYPE_BYTES)):
        depth += 1 if found[0] == b"{" else -1
        if not depth:
            return found.start()
    return start


@lru_cache(maxsize=MAX_CACHED)
def write_type(raw: bytes) -> str:
    """Return the type of a tag as TypeScript writes it; empty for one that does not tell what a value is."""
    text = " ".join(_LINE_START.sub(b" ", raw).decode("utf-8", "replace").split())
    if _VAGUE.fullmatch(text):
        return ""
    is_rest = text.startswith("...")
    text = text.removeprefix("...").removesuffix("=").strip("?! ")
    if ".<" in text:
        text = _OLD_GENERIC.sub("<", text)
    if "Object" in text:
        text = _PLAIN_OBJECT.sub("object", _OBJECT.sub("Record", text))
    return f"({text})[]" if is_rest and " " in text else f"{text}[]" if is_rest else text


def list_imports(tag: Tag) -> Iterator[tuple[str, str, int]]:
    """Yield the imported name, its local name and its byte offset, of each name of an `@import`."""
    clause = tag.raw.rpartition(b"from")[0]
    for found in re.finditer(rb"(?:([\w$]+|\*)\s+as\s+)?([A-Za-z_$][\w$]*)", clause):
        is_named = b"{" in clause[: found.start()]
        local = found[2].decode()
        name = (found[1] or found[2]).decode() if is_named else "" if found[1] == b"*" else "default"
        yield name, local, tag.type_start + found.start(2)


def read_module(tag: Tag) -> str:
    """Return the module of an `@import`."""
    found = _IMPORTED.match(tag.raw)
    return found[2].decode("utf-8", "replace") if found is not None else ""


_WHOLE_IMPORT = re.compile(r"import\(\s*[\"']([^\"']+)[\"']\s*\)(?:\.([\w$]+))?")


def read_import_type(text: str) -> tuple[str, str] | None:
    """Return the module and the name of a type that is nothing but `import("module").name`, else None."""
    found = _WHOLE_IMPORT.fullmatch(text)
    return (found[1], found[2] or "") if found is not None else None


def list_uses(tag: Tag) -> Iterator[TypeUse]:
    """Yield the names of types in a tag, without those of the language itself."""
    for found in _PART.finditer(tag.raw):
        if found["name"] is None:  # a string
            continue
        qualifier, _, name = found["name"].decode("utf-8", "replace").rpartition(".")
        if name in _WORDS and not qualifier:
            continue
        start = tag.type_start + found.end("name") - len(name.encode())
        module = (found["module"] or b"").decode("utf-8", "replace")
        yield TypeUse(name, qualifier, start, module, found["typeof"] is not None)
