"""A strict reader of TOON 4.0 with commas: the oracle of the encoder's tests.

It reads what a conforming encoder writes and refuses the rest: no comments, no blank lines, no other
delimiters.
"""

from __future__ import annotations

import json
import re

HEADER = re.compile(
    r'(?P<key>[A-Za-z_][\w.]*|"(?:[^"\\]|\\.)*")?\[(?P<size>0|[1-9]\d*)(?P<keyed>:?)\]', re.ASCII
)
NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[^",]*')


def read_toon(text: str) -> object:
    """Return the JSON value of a document. Raises ValueError for what no encoder writes."""
    if text == "":
        return {}
    lines = []
    for line in text.split("\n"):
        body = line.lstrip(" ")
        indent = len(line) - len(body)
        if indent % 2 or not body or line != line.rstrip(" "):
            raise ValueError(f"bad line {line!r}")
        lines.append((indent // 2, body))
    reader = _Reader(lines)
    value = reader.read_root()
    if reader.at != len(lines):
        raise ValueError(f"left over: {lines[reader.at]}")
    return value


class _Reader:
    def __init__(self, lines: list[tuple[int, str]]) -> None:
        self.lines = lines
        self.at = 0

    def read_root(self) -> object:
        body = self.lines[0][1]
        if body == "[]" or body.startswith("["):
            self.at = 1
            return [] if body == "[]" else self._read_header(body, 0)
        if len(self.lines) == 1 and HEADER.match(body) is None and _split_key(body) is None:
            self.at = 1
            return _read_plain(body)
        return self._read_members(0)

    def _read_members(self, depth: int) -> dict[str, object]:
        members: dict[str, object] = {}
        while self.at < len(self.lines) and self.lines[self.at][0] == depth:
            body = self.lines[self.at][1]
            if body.startswith("- ") or body == "-":
                break
            self.at += 1
            self._read_member(body, depth, members)
        return members

    def _read_member(self, body: str, depth: int, members: dict[str, object]) -> None:
        header = HEADER.match(body)
        if header and header["key"]:
            key, value = _read_key(header["key"]), self._read_header(body, depth)
        else:
            split = _split_key(body)
            if split is None:
                raise ValueError(f"no key: {body!r}")
            key, rest = split
            if rest == "":
                value = self._read_members(depth + 1)
            else:
                value = [] if rest == " []" else _read_plain(_after_space(rest))
        if key in members:
            raise ValueError(f"twice: {key}")
        members[key] = value

    def _read_header(self, body: str, depth: int) -> object:
        header = HEADER.match(body)
        if header is None:
            raise ValueError(f"no header: {body!r}")
        size, rest = int(header["size"]), body[header.end() :]
        if rest.startswith("{"):
            fields, end = _read_fields(rest, 1)
            if rest[end:] != ":":
                raise ValueError(f"behind a table's head: {body!r}")
            rows = [self._take(depth + 1) for _ in range(size)]
            if header["keyed"]:
                split = [_split_key(row) for row in rows]
                found = {key: _read_row(_after_space(cells), fields) for key, cells in filter(None, split)}
                if len(found) != size or size < 2:
                    raise ValueError("entries")
                return found
            return [_read_row(row, fields) for row in rows]
        if rest == ":":
            return [self._read_item(depth + 1) for _ in range(size)]
        if not rest.startswith(": "):
            raise ValueError(f"bad header {body!r}")
        values = [_read_plain(token) for token in _split(rest[2:])]
        if len(values) != size:
            raise ValueError(f"{size} values wanted: {body!r}")
        return values

    def _read_item(self, depth: int) -> object:
        body = self._take(depth)
        if body == "-":
            return {}
        if not body.startswith("- "):
            raise ValueError(f"no item: {body!r}")
        body = body[2:]
        if body.startswith("["):
            return [] if body == "[0]:" else self._read_header(body, depth)
        header = HEADER.match(body)
        if (header and header["key"]) or _split_key(body) is not None:
            members: dict[str, object] = {}
            self._read_member(body, depth + 1, members)
            more = self._read_members(depth + 1)
            if members.keys() & more.keys():
                raise ValueError("twice")
            return members | more
        return _read_plain(body)

    def _take(self, depth: int) -> str:
        if self.at >= len(self.lines) or self.lines[self.at][0] != depth:
            raise ValueError(f"nothing at depth {depth}")
        self.at += 1
        return self.lines[self.at - 1][1]


Fields = list[tuple[str, "Fields | None"]]


def _read_fields(text: str, at: int) -> tuple[Fields, int]:
    fields: Fields = []
    while True:
        name = re.compile(r'[A-Za-z_][\w.]*|"(?:[^"\\]|\\.)*"', re.ASCII).match(text, at)
        if name is None:
            raise ValueError(f"no field: {text!r}")
        at, inner = name.end(), None
        if text[at] == "{":
            inner, at = _read_fields(text, at + 1)
        fields.append((_read_key(name[0]), inner))
        at += 1
        if text[at - 1] == "}":
            return fields, at
        if text[at - 1] != ",":
            raise ValueError(f"between fields: {text!r}")


def _read_row(text: str, fields: Fields) -> dict[str, object]:
    cells = [_read_plain(token) for token in _split(text)]

    def build(some: Fields) -> dict[str, object]:
        return {name: cells.pop(0) if inner is None else build(inner) for name, inner in some}

    row = build(fields)
    if cells:
        raise ValueError(f"too many cells: {text!r}")
    return row


def _split(text: str) -> list[str]:
    tokens, at = [], 0
    while True:
        token = TOKEN.match(text, at)
        assert token is not None
        tokens.append(token[0])
        at = token.end()
        if at == len(text):
            return tokens
        if text[at] != ",":
            raise ValueError(f"between values: {text!r}")
        at += 1


def _split_key(body: str) -> tuple[str, str] | None:
    """Return the key and the text after its colon; None if there is no colon outside of quotes."""
    at = 0
    while at < len(body):
        if body[at] == '"':
            end = re.compile(r'"(?:[^"\\]|\\.)*"').match(body, at)
            if end is None:
                raise ValueError(f"no end of quotes: {body!r}")
            at = end.end()
        elif body[at] == ":":
            return _read_key(body[:at]), body[at + 1 :]
        else:
            at += 1
    return None


def _read_key(token: str) -> str:
    if token.startswith('"'):
        return str(json.loads(token))
    if not re.fullmatch(r"[A-Za-z_][\w.]*", token, re.ASCII):
        raise ValueError(f"key {token!r}")
    return token


def _after_space(text: str) -> str:
    if not text.startswith(" "):
        raise ValueError(f"no space: {text!r}")
    return text[1:]


def _read_plain(token: str) -> object:
    if token.startswith('"'):
        if re.search(r"\\[^\\\"nrtu]", token.replace("\\\\", "")):
            raise ValueError(f"escape in {token!r}")
        return json.loads(token)
    if token in ("true", "false", "null") or NUMBER.fullmatch(token):
        return json.loads(token)
    if (
        not token
        or token != token.strip(" \t")
        or re.search(r'[:"\\\[\]{}\x00-\x1f]', token)
        or token[0] in "-#"
    ):
        raise ValueError(f"not quoted: {token!r}")
    return token
