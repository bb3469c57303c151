"""Add or replace one member of a JSON file without touching any other character.

The file may have comments, and commas before a closing bracket, as the files of VS Code and Gemini do. It is
first read whole and strictly. Then the offset is found by scanning, and text is inserted there in the file's
own indentation and line ends. The caller reads the result again and compares.

Refused (ValueError): a text that is no JSON object, duplicate names in one object, other values where an
object belongs. Nesting is walked with a counter, never by recursion.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from repo_mcp.record_classes import dataclass

DEFAULT_INDENT = "  "
# Groups are not repeated possessively: Python before 3.11.5 gets that wrong (gh-106052).
_SPACE = re.compile(r"(?:[ \t\r\n]++|//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*\*/)*")
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*"')
_SCALAR = re.compile(r"[^\s,\]}/]++")


@dataclass(frozen=True, slots=True)
class _Member:
    """One member of an object, by offsets into the text."""

    key: str
    start: int  # offset of the key
    value: int
    end: int  # offset after the value


@dataclass(frozen=True, slots=True)
class _Object:
    """One object, by offsets into the text."""

    start: int  # offset of its brace
    members: tuple[_Member, ...]
    has_last_comma: bool
    closing: int  # offset of its closing brace

    def find(self, key: str) -> _Member | None:
        return next((member for member in self.members if member.key == key), None)


def read_json(text: str) -> dict[str, Any]:
    """Read the JSON object in a text, ignoring comments. Raises ValueError with the fault."""
    try:
        document = _load(text)
    except json.JSONDecodeError:
        document = _load_with_extras(text)
    if not isinstance(document, dict):
        raise ValueError("it is not an object")
    return document


def _load(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_build_object)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _load_with_extras(text: str) -> Any:
    try:
        return _load(_blank_extras(text))
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at line {error.lineno}, column {error.colno}") from None


def set_member(text: str, section: str, name: str, value: Mapping[str, object]) -> str:
    """Return the text with `value` as the member `name` of the object `section`.

    `text` must be valid for `read_json`. Raises ValueError when the section is not an object.
    """
    root = _scan_object(text, _skip_space(text, 0))
    unit = _find_indent(text, root)
    table = root.find(section)
    if table is None:
        return _insert(text, root, section, {name: value}, unit)
    if text[table.value] != "{":
        raise ValueError(f"{section} is not an object")
    servers = _scan_object(text, table.value)
    member = servers.find(name)
    if member is None:
        return _insert(text, servers, name, value, unit)
    is_inline = "\n" not in text[member.value : member.end]
    shown = _render(value, "" if is_inline and len(servers.members) > 1 else unit, _line_indent(text, member))
    return text[: member.value] + shown.replace("\n", _line_end(text)) + text[member.end :]


def remove_member(text: str, section: str, name: str) -> str:
    """Return the text without the member `name` of the object `section`. Comments stay.

    `text` must be valid for `read_json` and have that member.
    """
    root = _scan_object(text, _skip_space(text, 0))
    table = root.find(section)
    servers = _scan_object(text, -1 if table is None else table.value)
    member = servers.find(name)
    if member is None:
        raise ValueError(f"{section} has no {name}")
    place = servers.members.index(member)
    end, after = member.end, _skip_space(text, member.end)
    if text[after] == ",":
        end = after + 1
    if place < len(servers.members) - 1:  # the next one takes its place
        end += len(text[end:]) - len(text[end:].lstrip())
        return text[: member.start] + text[end:]
    before = text[: member.start].rstrip()
    if place and not servers.has_last_comma:  # the one before becomes the last
        comma = _skip_space(text, servers.members[place - 1].end)
        before = (text[:comma] + text[comma + 1 : member.start]).rstrip()
    rest = text[end:]
    return before + (rest.lstrip() if before.endswith("{") else rest)


def render_new(section: str, name: str, value: Mapping[str, object]) -> str:
    """Return the text of a new file that holds only this member."""
    return json.dumps({section: {name: value}}, indent=DEFAULT_INDENT, ensure_ascii=False) + "\n"


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has the same name twice")
    return found


def _blank_extras(text: str) -> str:
    """Replace comments and commas before closing brackets by spaces; other characters keep their offsets."""
    parts: list[str] = []
    at = 0
    while at < len(text):
        after = _skip_space(text, at)
        parts.append(re.sub(r"[^\n]", " ", text[at:after]))
        if after >= len(text):
            break
        string = _STRING.match(text, after)
        if string is None and (text[after] == '"' or text.startswith("/*", after)):
            # Otherwise the text would be scanned to its end for each.
            raise ValueError("a string or a comment is not closed")
        end = string.end() if string else after + 1
        token = text[after:end]
        if token == "," and text[_skip_space(text, end) : _skip_space(text, end) + 1] in ("}", "]"):
            token = " "
        parts.append(token)
        at = end
    return "".join(parts)


def _skip_space(text: str, at: int) -> int:
    """Return the offset after white space and comments."""
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _scan_object(text: str, start: int) -> _Object:
    """Return the members of the object whose brace is at `start`, in a text known to be well formed."""
    members = []
    has_last_comma = False
    at = _skip_space(text, start + 1)
    while text[at] != "}":
        key_end = _skip_value(text, at)
        value = _skip_space(text, _skip_space(text, key_end) + 1)  # after the colon
        end = _skip_value(text, value)
        members.append(_Member(json.loads(text[at:key_end]), at, value, end))
        at = _skip_space(text, end)
        has_last_comma = text[at] == ","
        if has_last_comma:
            at = _skip_space(text, at + 1)
    return _Object(start, tuple(members), has_last_comma, at)


def _skip_value(text: str, at: int) -> int:
    """Return the offset after the value that begins at `at`."""
    depth = 0
    while True:
        string = _STRING.match(text, at)
        if string is not None:
            at = string.end()
        elif text[at] in "{[":
            depth, at = depth + 1, at + 1
        elif text[at] in "}]":
            depth, at = depth - 1, at + 1
        elif text[at] in ",:":
            at += 1
        else:
            scalar = _SCALAR.match(text, at)
            at = scalar.end() if scalar else at + 1
        if depth == 0:
            return at
        at = _skip_space(text, at)


def _insert(text: str, place: _Object, key: str, value: object, unit: str) -> str:
    """Return the text with one more member at the end of an object."""
    name = json.dumps(key, ensure_ascii=False)
    if place.members and "\n" not in text[place.start : place.closing]:
        last = place.members[-1].end
        return f"{text[:last]}, {name}: {_render(value, '', '')}{text[last:]}"
    new_line = _line_end(text)
    outer = _indent_at(text, place.start)
    indent = _line_indent(text, place.members[0]) if place.members else outer + unit
    added = f"\n{indent}{name}: {_render(value, unit, indent)}".replace("\n", new_line)
    end = len(text[: place.closing].rstrip())  # offset after the last member, its comma and its comment
    if place.members and not place.has_last_comma:
        last = place.members[-1].end
        text, end = f"{text[:last]},{text[last:]}", end + 1
    rest = text[end:]
    if "\n" not in rest[: len(rest) - len(rest.lstrip())]:  # an empty object on one line
        rest = f"{new_line}{outer}{rest.lstrip()}"
    return text[:end] + added + rest


def _render(value: object, unit: str, indent: str) -> str:
    """Render a value for insertion after its name; on one line when `unit` is empty."""
    shown = json.dumps(value, indent=unit or None, ensure_ascii=False)
    return shown.replace("\n", "\n" + indent)


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _line_indent(text: str, member: _Member) -> str:
    return _indent_at(text, member.start)


def _indent_at(text: str, at: int) -> str:
    """Return the white space at the start of the line that contains an offset."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _find_indent(text: str, root: _Object) -> str:
    """Return one step of the file's indentation."""
    for member in root.members:
        indent = _line_indent(text, member)
        if indent and not text[text.rfind("\n", 0, member.start) + 1 : member.start].strip():
            return indent
    return DEFAULT_INDENT
