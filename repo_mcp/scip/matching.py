"""Joins the statements of a SCIP document with our symbol record of the same file.

A document does not say which version of the file it describes. So a place counts only if the text there is
the name with which its symbol ends. If that is not so for too many places, the document describes another
version, and all of it is refused. An import under another name, `a as b`, counts as a place of `a`.

Our records know lines, not characters. If a name has one meaning in a line, each of our references by that
name in the line gets it. If it has several, our references stay as they are, and a use is added for each
meaning. Uses that our parser did not find are added if they mean something in the file's own package. They
are of the role USE, because SCIP does not distinguish calls from other uses.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from index_format import compute_fingerprint
from repo_mcp.record_classes import dataclass
from repo_mcp.scip.descriptors import LOCAL, list_last_names, split_symbol
from repo_mcp.scip.export import is_letter
from repo_mcp.scip.messages import DEFINITION, FORWARD_DEFINITION, Document, Occurrence, PositionEncoding
from repo_mcp.symbol_index.precise_record import encode_precise_record
from repo_mcp.symbols.record_builder import Head, SymbolRecordBuilder
from repo_mcp.symbols.symbol_record import Reference, ReferenceRole, SymbolRecord

MAX_LINE_CHARS = 5_000  # places in longer lines are not read: people do not write such lines
MAX_WRONG_SHARE = 0.2  # of the places of plain names: with more, the document is of another version
MAX_HEAD_LINES = 40  # of a declaration, down to its name
_DEFINITIONS = DEFINITION | FORWARD_DEFINITION
LOOKED_AT = 64  # declarations of a name that are tried for a line: the last ones that begin before it
_NAME = re.compile(r"[^\W\d]\w*|\$[\w$]*|[^\W\d][\w$]*")
_RENAMED = re.compile(r"([^\W\d]\w*)\s+as\s")
_NO_USE = (")", "]")  # endings of the symbols of parameters, which our records do not have
# Endings of modules, and of symbols without a plain name in the text.
_NO_NAME = ("/", ":", "`().", "`.", "`#")

OUTSIDE = "it has positions outside the file"
OTHER_VERSION = "it describes another version of the file"


class OtherText(ValueError):
    """A document that does not fit the text of its file."""


@dataclass(frozen=True, slots=True)
class Matched:
    """The statements that were taken from a document."""

    record: bytes  # a precise record
    meanings: frozenset[bytes]  # of declarations
    names: frozenset[str]  # of added references
    resolved: int  # references that have a meaning


@dataclass(frozen=True, slots=True)
class _Place:
    """A name with a meaning, in one line."""

    line: int  # from 1
    name: str
    symbol: str
    is_definition: bool


def match_document(document: Document, record: SymbolRecord, text: str) -> Matched:
    """Return the statements of a document about a file with this record and text. Raises OtherText."""
    lines = text.split("\n")
    if document.text and document.text.decode("utf-8", "replace") != text:
        raise OtherText(OTHER_VERSION)
    places = list(_Reader(document, lines).iter_places())
    declared = _find_declared(document.path, record, places)
    known = set(declared.values())
    meanings: dict[tuple[int, str], dict[bytes, None]] = {}
    own = {split_symbol(place.symbol)[0] for place in places if place.is_definition}
    uses: set[tuple[int, str]] = set()  # what may be added
    for place in sorted(places, key=lambda one: one.symbol.endswith(_NO_USE)):
        meaning = _mean(document.path, place.symbol)
        is_local = place.symbol.startswith(LOCAL)
        if place.is_definition or (is_local and meaning not in known):
            continue
        key, is_parameter = (place.line, place.name), place.symbol.endswith(_NO_USE)
        if is_parameter and key in meanings:
            continue  # a keyword argument beside another use of its name: `size=self.size`
        meanings.setdefault(key, {})[meaning] = None
        if not is_local and not is_parameter and split_symbol(place.symbol)[0] in own:
            uses.add(key)
    return _join(record, declared, meanings, uses)


class _Reader:
    """Reads the places of one document in the text of its file."""

    def __init__(self, document: Document, lines: Sequence[str]) -> None:
        self._document = document
        self._lines = lines
        self._names: dict[str, Sequence[str]] = {}  # symbol -> its last names

    def iter_places(self) -> Iterable[_Place]:
        """Yield the places whose text is the name of their symbol. Raises OtherText, perhaps at the end."""
        right = wrong = 0
        for one in self._document.occurrences:
            if one.line >= len(self._lines):
                raise OtherText(OUTSIDE)
            text, is_word = self._read(one)
            wanted = () if one.symbol.startswith(LOCAL) else self._find_names(one.symbol)
            right += text in wanted
            if is_word and (text in wanted or one.symbol.startswith(LOCAL)):
                yield _Place(one.line + 1, text, one.symbol, bool(one.roles & _DEFINITIONS))
            elif wanted and text not in wanted and text and not one.symbol.endswith(_NO_NAME):
                wrong += not is_word  # a whole word may be an alias or another name: it is left out
        if wrong > MAX_WRONG_SHARE * (right + wrong):
            raise OtherText(OTHER_VERSION)

    def _find_names(self, symbol: str) -> Sequence[str]:
        found = self._names.get(symbol)
        if found is None:
            found = self._names[symbol] = list_last_names(symbol)
        return found

    def _read(self, one: Occurrence) -> tuple[str, bool]:
        """Return the text at a place, and whether it is a whole name. Raises OtherText."""
        line = self._lines[one.line]
        if len(line) > MAX_LINE_CHARS:
            return "", True  # it is not examined
        if line.isascii() or self._document.encoding is PositionEncoding.UTF32:
            start, end = one.start, one.end
        else:
            start, end = _count_letters(line, (one.start, one.end), self._document.encoding)
        if max(start, end) > len(line):
            raise OtherText(OUTSIDE)
        renamed = _RENAMED.match(line, start, end)
        text = line[start:end] if renamed is None else renamed[1]
        around = line[start - 1 : start] + line[start + len(text) : start + len(text) + 1]
        return text, _NAME.fullmatch(text) is not None and not any(map(is_letter, around))


def _count_letters(line: str, places: Iterable[int], encoding: PositionEncoding) -> list[int]:
    """Return places in a line that is not ASCII, counted in characters.

    A place beyond the end of the line becomes the end plus one. Places in an unknown encoding are taken to be
    in characters already.
    """
    if encoding is PositionEncoding.UNKNOWN:
        return list(places)
    codec, width = ("utf-8", 1) if encoding is PositionEncoding.UTF8 else ("utf-16-le", 2)
    data = line.encode(codec, "replace")
    return [
        len(data[: place * width].decode(codec, "ignore")) if place * width <= len(data) else len(line) + 1
        for place in places
    ]


def _mean(path: str, symbol: str) -> bytes:
    """Return the meaning of a symbol. A local symbol has another meaning in each file."""
    return compute_fingerprint(f"{path}\0{symbol}".encode() if symbol.startswith(LOCAL) else symbol.encode())


def _find_declared(path: str, record: SymbolRecord, places: Iterable[_Place]) -> dict[int, bytes]:
    """Return the meaning of each declaration that has one, by ordinal.

    A definition belongs to the innermost declaration around it that has its name. The first one counts.
    """
    by_name: dict[str, tuple[list[int], list[int]]] = {}
    names, starts, ends = (
        record.names.tolist(),
        record.starts.tolist(),
        (record.starts + record.spans).tolist(),
    )
    strings = record.strings
    for ordinal in range(1, record.symbol_count):
        own_starts, ordinals = by_name.setdefault(strings[names[ordinal]], ([], []))
        own_starts.append(starts[ordinal])
        ordinals.append(ordinal)
    declared: dict[int, bytes] = {}
    for place in sorted((one for one in places if one.is_definition), key=lambda one: one.line):
        own_starts, ordinals = by_name.get(place.name, ([], []))
        last = bisect_right(own_starts, place.line)
        for ordinal in reversed(ordinals[max(0, last - LOOKED_AT) : last]):
            if place.line <= min(ends[ordinal], starts[ordinal] + MAX_HEAD_LINES):
                declared.setdefault(ordinal, _mean(path, place.symbol))
                break
    return _share(record, declared)


def _share(record: SymbolRecord, declared: Mapping[int, bytes]) -> dict[int, bytes]:
    """Return the meanings, also for declarations of the same name and kind in the same parent.

    Such are getters and setters, signatures of overloads and branches of a condition; an indexer defines only
    the first of them. If several of them have different meanings, none is added.
    """
    rows = zip(record.parents.tolist(), record.names.tolist(), record.kinds.tolist(), strict=True)
    groups: dict[tuple[int, int, int], list[int]] = {}
    for ordinal, key in enumerate(rows):
        groups.setdefault(key, []).append(ordinal)
    shared = dict(declared)
    for ordinals in groups.values():
        known = {declared[ordinal] for ordinal in ordinals if ordinal in declared}
        if len(known) == 1:
            shared.update(dict.fromkeys(ordinals, *known))
    return shared


def _join(
    record: SymbolRecord,
    declared: Mapping[int, bytes],
    meanings: Mapping[tuple[int, str], Mapping[bytes, None]],
    uses: set[tuple[int, str]],
) -> Matched:
    """Return a file's record with the meanings of its references, and with the uses that were added."""
    owners = _list_owners(record)
    rows = [record.get_reference(row) for row in range(record.reference_count)]
    found = [_find_meaning(row, meanings) for row in rows]
    added = _list_added(rows, meanings, uses)
    builder = _copy_record(record, rows)
    for line, name, _ in added:
        builder.add_reference(int(owners[min(line, len(owners) - 1)]), ReferenceRole.USE, name, line)
    every = [*found, *(meaning for _, _, meaning in added)]
    lines = [*(row.line for row in rows), *(line for line, _, _ in added)]
    order = np.argsort(np.array(lines, dtype=np.int64), kind="stable").tolist()  # as `encode` sorts them
    references = [every[place] for place in order]
    new = [row for row, place in enumerate(order) if place >= len(rows)]
    return Matched(
        encode_precise_record(builder.encode(), declared, references, new),
        frozenset(declared.values()),
        frozenset(name for _, name, _ in added),
        sum(one is not None for one in every),
    )


def _find_meaning(row: Reference, meanings: Mapping[tuple[int, str], Mapping[bytes, None]]) -> bytes | None:
    """Return the meaning of a reference; None if its name has none in its line, or several."""
    meant = () if row.role is ReferenceRole.BIND else meanings.get((row.line, row.name), ())
    return next(iter(meant)) if len(meant) == 1 else None


def _list_added(
    rows: Iterable[Reference],
    meanings: Mapping[tuple[int, str], Mapping[bytes, None]],
    uses: set[tuple[int, str]],
) -> list[tuple[int, str, bytes]]:
    """Return line, name and meaning of each use to be added, in order of line and name."""
    known = {(row.line, row.name) for row in rows if row.role is not ReferenceRole.BIND}
    return [
        (*key, meaning)
        for key, meant in sorted(meanings.items())
        if key in uses and (key not in known or len(meant) > 1)
        for meaning in meant
    ]


def _copy_record(record: SymbolRecord, rows: Iterable[Reference]) -> SymbolRecordBuilder:
    """Return a builder with the symbols of a record and with `rows`, its references."""
    builder = SymbolRecordBuilder(record.get_name(0), 1 + int(record.spans[0]))
    builder.status = record.status
    for ordinal in range(1, record.symbol_count):
        symbol = record.get_symbol(ordinal)
        builder.add_symbol(
            *(symbol.name, symbol.kind, symbol.parent, symbol.start_line, symbol.end_line),
            Head(
                flags=symbol.flags,
                access=symbol.access,
                parameters=symbol.parameters,
                parameter_count=symbol.parameter_count,
                return_type=symbol.return_type,
            ),
        )
    for row in rows:
        builder.add_reference(
            *(row.symbol, row.role, row.name, row.line),
            qualifier=row.qualifier,
            alias=row.alias,
            arguments=row.arguments,
        )
    return builder


def _list_owners(record: SymbolRecord) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the ordinal of the innermost symbol around each line, by line."""
    owners = np.zeros(2 + int(record.spans[0]), dtype=np.int64)
    for ordinal in range(1, record.symbol_count):  # a parent before its children
        start = int(record.starts[ordinal])
        owners[start : start + int(record.spans[ordinal]) + 1] = ordinal
    return owners
