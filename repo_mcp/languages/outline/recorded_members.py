"""Completes an outline by line patterns from the symbol record of the same text, where the language has one.

A line pattern sees no field, no value of an enum and no constructor named `init`, and takes some calls for
declarations. The record has them all, but no signatures and no documentation. So the outline keeps its order
and its names, and a symbol that it lacks stands below the declaration that is around it in the record.

Functions with titles, such as tests, hold what is declared in them.

Left out: what other functions declare, members of values, and names that macros make, which the text does
not have.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping

from repo_mcp.languages.outline.adapter import MAX_NAME_CHARS, MAX_PARENT_CHARS, MAX_SYMBOLS, cut
from repo_mcp.languages.outline.declaration_heads import DeclarationHeads
from repo_mcp.languages.outline.declared_names import find_declared_name
from repo_mcp.languages.outline.symbol_lookup import qualify
from repo_mcp.languages.outline.titled_entries import build_titled
from repo_mcp.languages.patterns.declaration_kinds import CLASS_KINDS
from repo_mcp.languages.patterns.landmarks import Language, scan
from repo_mcp.model import Outline, Symbol
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import OWN_NAME
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    TYPE_KINDS,
    DeclaredSymbol,
    Reference,
    SymbolKind,
    SymbolRecord,
)
from repo_mcp.titled_names import is_titled

_HOLDERS = CLASS_KINDS | {"module"}
_HOLDING = TYPE_KINDS | {SymbolKind.MODULE}
_KINDS: Mapping[SymbolKind, str] = {
    SymbolKind.CLASS: "class",
    SymbolKind.INTERFACE: "interface",
    SymbolKind.STRUCT: "struct",
    SymbolKind.UNION: "struct",
    SymbolKind.ENUM: "enum",
    SymbolKind.TRAIT: "trait",
    SymbolKind.RECORD: "record",
    SymbolKind.TYPE: "type_alias",
    SymbolKind.FUNCTION: "function",
    SymbolKind.METHOD: "method",
    SymbolKind.CONSTRUCTOR: "method",
    SymbolKind.PROPERTY: "property",
    SymbolKind.ENUM_MEMBER: "enum_member",
    SymbolKind.EVENT: "event",
}
_PLAIN = frozenset({SymbolKind.PROPERTY, SymbolKind.ENUM_MEMBER, SymbolKind.EVENT})
_VALUES: Mapping[SymbolKind, str] = {SymbolKind.CONSTANT: "constant", SymbolKind.VARIABLE: "variable"}
_WITH_GROUPS = frozenset({"go"})  # const ( ... ), whose lines name a constant each
_WORDS: Mapping[SymbolKind, str] = {SymbolKind.CONSTANT: "const ", SymbolKind.VARIABLE: "var "}
_WITH_RECEIVERS = frozenset({"go"})  # methods stand outside their type, wherever that is declared
_WITH_MACROS = frozenset({"c", "cpp"})  # calls of macros look like declarations
_CALL = re.compile(r"[A-Z][A-Z0-9_]*\(")
_MAX_NAMESAKES = 50  # left over above a symbol, that are compared with it


def complete(outline: Outline, language: Language, text: bytes, record: SymbolRecord) -> Outline:
    """Return the outline of normalised text with the members that the record of that text has beside it.

    Fields have the kind `property`, as in the record, which those that line patterns found as variables get,
    too. What looks like a declaration in a function of C or C++ and is none for the parser is a call.
    """
    reading = _Reading(outline, language, text, record)
    found = [*reading.iter_kept(), *reading.added]
    found.sort(key=lambda one: (one.start_line, one.end_line))  # stable
    return replace(
        outline, symbols=tuple(found[:MAX_SYMBOLS]), truncated=outline.truncated or len(found) > MAX_SYMBOLS
    )


class _Reading:
    """One pass over one record."""

    def __init__(self, outline: Outline, language: Language, text: bytes, record: SymbolRecord) -> None:
        self._language = language.name
        self._symbols = outline.symbols
        self._record = record
        self._own_names = {one.symbol: one.name for one in _list_own_named(record)}
        self._heads = DeclarationHeads(language.name, text, scan(language, text).doc_spans)
        self._named: dict[str, list[int]] = {}  # name -> numbers of symbols of the outline
        for number, one in enumerate(outline.symbols):
            self._named.setdefault(one.name, []).append(number)
        self._by_macro = dict(self._iter_calls())
        self._known: dict[int, Symbol] = {}  # by number of a symbol of the outline: as the record has it
        self._places: dict[int, str] = {0: ""}  # ordinal of what may hold members -> its qualified name
        self._titled: set[int] = set()  # ordinals of functions with titles that the outline has
        self._signatures: dict[int, str] = {}  # of what may hold members, by ordinal
        self._bodies: list[tuple[int, int]] = []  # first and last lines of functions, ascending, apart
        self.added: list[Symbol] = []
        for ordinal in range(1, record.symbol_count):
            self._read(record.get_symbol(ordinal))

    def _iter_calls(self) -> Iterator[tuple[int, int]]:
        """Yield the line and the number of each symbol that a macro declares, perhaps by another name."""
        for number, one in enumerate(self._symbols if self._language in _WITH_MACROS else ()):
            if one.kind == "type_alias" and _CALL.match(one.signature):
                yield one.start_line, number

    def iter_kept(self) -> Iterator[Symbol]:
        """Yield the symbols of the outline as the record has them, without calls."""
        for number, one in enumerate(self._symbols):
            if number in self._known:
                yield self._known[number]
            elif not self._is_call(one):
                yield one

    def _is_call(self, one: Symbol) -> bool:
        """Return True for a symbol that the record lacks in a language with macros, if it looks like a call.

        It is in a function, or has the name of a macro and no type before that: `ANY_WARNING("-Wshadow")`.
        """
        if self._language not in _WITH_MACROS or one.kind in ("macro", *_HOLDERS):
            return False
        if one.name.isupper() and one.signature.startswith(f"{one.name}("):
            return True
        at = bisect_left(self._bodies, (one.start_line, 0)) - 1
        return at >= 0 and one.end_line <= self._bodies[at][1]

    def _read(self, symbol: DeclaredSymbol) -> None:
        if symbol.kind in CALLABLE_KINDS and (not self._bodies or self._bodies[-1][1] < symbol.start_line):
            self._bodies.append((symbol.start_line, symbol.end_line))
        around = self._places.get(symbol.parent)
        if is_titled(symbol.name):
            self._read_titled(symbol, around)
            return
        number = self._find_listed(symbol)
        if around is None:
            if number is not None:  # in a function, such as a method of a local class: no call
                one = self._symbols[number]
                self._known[number] = replace(one, end_line=max(one.start_line, symbol.end_line))
            return
        place = None
        if number is not None:
            known = self._known[number] = self._correct(self._symbols[number], symbol, around)
            place = qualify(known)
        elif symbol.parent in self._titled:  # a function in a function
            return
        elif symbol.kind is SymbolKind.MODULE:  # a namespace that the outline does not name
            place = around
        elif symbol.kind is SymbolKind.EXTENSION:  # of a type that may be declared elsewhere
            place = symbol.name
        elif len(self.added) <= MAX_SYMBOLS and (added := self._build(symbol, around)) is not None:
            self.added.append(added)
            place = qualify(added)
        if place is not None and symbol.kind in _HOLDING:
            self._places[symbol.ordinal] = cut(place, MAX_PARENT_CHARS)
            self._signatures[symbol.ordinal] = "" if number is None else self._symbols[number].signature

    def _read_titled(self, symbol: DeclaredSymbol, around: str | None) -> None:
        """Add a function with a title that the outline lacks, unless it has one line, which says it all."""
        numbers = self._named.get(symbol.name, [])
        listed = (self._symbols[one] for one in numbers if self._symbols[one].start_line == symbol.start_line)
        titled = next(listed, None)
        if titled is None and around is not None and symbol.start_line < symbol.end_line:
            titled = build_titled(symbol.name, symbol.start_line, symbol.end_line, around, self._heads)
            self.added.append(titled)
        if titled is not None:
            self._places[symbol.ordinal] = cut(qualify(titled), MAX_PARENT_CHARS)
            self._titled.add(symbol.ordinal)

    def _find_listed(self, symbol: DeclaredSymbol) -> int | None:
        """Return the number of the outline's symbol for one of the record; None if it has none."""
        name = symbol.name.rpartition(".")[2]
        if symbol.name.startswith("["):  # an expression
            name = name.strip("[]")
        numbers = self._named.get(name) or self._named.get(self._own_names.get(symbol.ordinal, ""), [])
        is_holder = symbol.kind in _HOLDING and symbol.kind is not SymbolKind.TYPE
        while numbers and self._symbols[numbers[0]].end_line < symbol.start_line:
            del numbers[0]
        for number in numbers[:_MAX_NAMESAKES]:
            one = self._symbols[number]
            if one.end_line < symbol.start_line or (one.kind in _HOLDERS) is not is_holder:
                continue
            if one.start_line > symbol.end_line:
                return None
            numbers.remove(number)
            self._by_macro.pop(one.start_line, None)
            return number
        return self._by_macro.pop(symbol.start_line, None)

    def _correct(self, one: Symbol, symbol: DeclaredSymbol, around: str) -> Symbol:
        """Return a symbol of the outline with the kind, the end and the parent that the record gives it."""
        name = symbol.name if symbol.ordinal in self._own_names else one.name
        kind, parent, scope = one.kind, one.parent_symbol, one.scope_kind
        if symbol.kind is SymbolKind.PROPERTY and kind == "variable":
            kind = "property"
        elif kind == "type_alias" and self._language in _WITH_MACROS:
            kind = {**_KINDS, **_VALUES}.get(symbol.kind, kind)  # by a macro
            name = symbol.name
        elif symbol.kind in CALLABLE_KINDS and kind == "type_alias":
            kind = "function"
        holders = TYPE_KINDS if self._language in _WITH_RECEIVERS else TYPE_KINDS - {SymbolKind.EXTENSION}
        if symbol.parent in self._titled:
            parent, scope = around, "function"
        elif self._record.get_kind(symbol.parent) in holders:
            parent, scope = around, "class"
            kind = "method" if kind == "function" else kind
        end = max(one.start_line, symbol.end_line)
        is_decorated = self._heads.lines[symbol.start_line - 1].lstrip().startswith(b"@")
        start = min(one.start_line, symbol.start_line) if is_decorated else one.start_line
        said = self._add_word(one.signature, symbol.kind)
        found = replace(one, kind=kind, name=name, signature=said, parent_symbol=parent, scope_kind=scope)
        return replace(found, start_line=start, end_line=end)

    def _add_word(self, signature: str, kind: SymbolKind) -> str:
        """Return a signature that begins with `const` or `var`, which only the head of a group has."""
        word = _WORDS.get(kind, "") if self._language in _WITH_GROUPS else ""
        return signature if signature.startswith(word) else f"{word}{signature}"

    def _build(self, symbol: DeclaredSymbol, around: str) -> Symbol | None:
        """Return a symbol that the outline lacks; None for one that is not to be listed."""
        is_member = self._record.get_kind(symbol.parent) in TYPE_KINDS
        kind = _KINDS.get(symbol.kind)
        if kind is None and is_member and symbol.kind is SymbolKind.CONSTANT:
            kind = "property"  # not in capitals, which line patterns find
        elif kind is None and self._language in _WITH_GROUPS:
            kind = _VALUES.get(symbol.kind)
        if kind is None or (symbol.kind in _PLAIN and not is_member) or self._is_in_head(symbol):
            return None
        first, last = symbol.start_line - 1, symbol.end_line - 1
        place = find_declared_name(self._heads.lines, symbol.name, first, last)
        if place is None:
            return None
        line, column = place
        signature, end = self._heads.sign(line, column)
        return Symbol(
            kind,
            cut(symbol.name, MAX_NAME_CHARS),
            self._add_word(signature, symbol.kind),
            symbol.start_line,
            symbol.end_line,
            self._heads.find_doc(first, end),
            around or None,
            "class" if is_member else "module",
        )

    def _is_in_head(self, symbol: DeclaredSymbol) -> bool:
        """Return True for a part of a record that its signature names, and for the constructor with these."""
        _, opened, inside = self._signatures.get(symbol.parent, "").partition("(")
        if symbol.kind is SymbolKind.CONSTRUCTOR:
            return bool(opened) and symbol.start_line == int(self._record.starts[symbol.parent])
        return symbol.kind is SymbolKind.PROPERTY and symbol.name in re.findall(r"\w+", inside)


def _list_own_named(record: SymbolRecord) -> list[Reference]:
    """Return the rows with the own names of values that are declared under other names."""
    number = record.string_table.find(OWN_NAME)
    rows = () if number is None else (record.ref_aliases == number).nonzero()[0]
    return [record.get_reference(int(row)) for row in rows]
