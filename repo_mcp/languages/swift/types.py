"""Reads written types of Swift: without wrappers, as chains, and as functions with parameters."""

from __future__ import annotations

import re

from repo_mcp.languages.treesitter.written_lists import split_list

_BEFORE = re.compile(r"\s*(?:@\w+(?:\([^()]*\))?\s+|(?:any|some|inout|borrowing|consuming|sending)\s+)*")
_NAME = re.compile(r"[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*")
_LABEL = re.compile(r"\s*(?:\w+\s+)?`?\w+`?\s*:(?!:)")
MAX_WRAPPED = 6
# Types of the standard library -> their type parameters, which extensions name.
KNOWN_PARAMETERS = {
    "Result": ("Success", "Failure"),
    "Optional": ("Wrapped",),
    "Array": ("Element",),
    "Set": ("Element",),
    "Dictionary": ("Key", "Value"),
    "ArraySlice": ("Element",),
    "Sequence": ("Element", "Iterator"),
    "Collection": ("Element", "Index", "Iterator", "Indices", "SubSequence"),
}


def strip_type(text: str) -> str:
    """Return a type without attributes, `any`, `?` and parentheses around it: "Foo" for "(any Foo)?"."""
    for _ in range(MAX_WRAPPED):
        start = _BEFORE.match(text)
        text = text[start.end() if start is not None else 0 :].strip().rstrip("?!").strip()
        inside = text[1:-1]
        if not (text.startswith("(") and text.endswith(")")) or _closes_early(inside):
            break
        if len(split_list(inside)) != 1:
            break
        text = inside
    return text


def _closes_early(text: str) -> bool:
    depth = 0
    for one in text:
        depth += (one == "(") - (one == ")")
        if depth < 0:
            return True
    return False


def find_type_chain(text: str) -> str:
    """Return the dotted name of a type, without its type arguments; empty if it has none."""
    text = strip_type(text)
    found = _NAME.match(text)
    if found is None or (text[found.end() :].strip() and not text[found.end() :].lstrip().startswith("<")):
        return ""
    return re.sub(r"\s", "", found[0])


def find_parameter_type(text: str, position: int) -> str:
    """Return the type of a parameter of a function type, by position; "" for other types."""
    text = strip_type(text)
    depth = 0
    for at, one in enumerate(text if text.startswith("(") else ""):
        depth += (one == "(") - (one == ")")
        if not depth:
            if "->" not in text[at:]:
                return ""
            parts = split_list(text[1:at])
            return _LABEL.sub("", parts[position], count=1).strip() if position < len(parts) else ""
    return ""


def find_arguments(text: str) -> list[str]:
    """Return the type arguments of a type, such as "Key" and "[Value]" of `Outer<Key, [Value]>?`."""
    head, opening, rest = strip_type(text).partition("<")
    return split_list(rest[: rest.rindex(">")]) if opening and ">" in rest and "[" not in head else []


def list_parameters(text: str) -> list[str]:
    """Return the names of type parameters, such as "Key" and "Value" of `<Key: Hashable, Value>`."""
    return [one.partition(":")[0].strip() for one in split_list(text[1:-1])] if text.endswith(">") else []
