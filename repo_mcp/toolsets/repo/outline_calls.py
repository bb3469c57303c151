"""The call of `repo.outline`: the symbols to show, what is said about each, and how a long list continues.

A list that does not fit loses its most nested symbols first, and of these the last ones. So its first page
always reaches from the top of the file to its end, and the cursor continues with what was left out.

Values of enums, and fields and properties of one line, have no records unless `parent` or `kinds` asks for
them: the record of their type names them.

A record omits what it and the records above it already say: the parent that contains its lines, the receiver
of a method, the keyword and the name in its signature.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.record_classes import dataclass
from repo_mcp.text.citations import write_span
from repo_mcp.text.lines import escape_text
from repo_mcp.toolsets.answers import Arguments, Draft, Part, Result, find_integer, find_text
from repo_mcp.toolsets.pages import Page
from repo_mcp.toolsets.repo.reading_schemas import OUTLINE_DETAILS

if TYPE_CHECKING:
    from repo_mcp.model import Outline, Symbol
    from repo_mcp.repository import Repository

_LEAN, _TEXT, _FULL = OUTLINE_DETAILS
_EMBEDDED = re.compile(r"\*?([\w.]+(?:\[.*\])?)(?:\s*[`\"].*)?")  # a field of Go that is only a type
_OF_ONE_LINE = frozenset({"event", "property"})
_KINDS = {"type": "type_alias", "constructor": "method"}  # kinds of the graph -> those of outlines
MAX_NAMES_CHARS = 1_000  # of the members that the record of a type names
_HOW_SHOWN = frozenset({"detail", "docs"})  # arguments that may change from one page to the next
# The words before a name, which the kind of a symbol already says.
_KIND_WORD = re.compile(
    r"^(?:it|test|specify|describe|context|task|namespace|initializer)[ (][\"':]?"
    r"|(?<!\S)(?:async def|class|def|enum|fn|func|function|interface|module|package|struct|trait|type) "
)
_WORD_CHAR = re.compile(r"\w")
_LINE_BYTES, _ROW_BYTES = 16, 80  # of an entry of an outline, beside its name
_BOUND = ("method", "async_method", "property")
_RECEIVER = re.compile(r"\((?:self|cls)(?:, |(?=\)))")  # of a method in Python, which its kind implies


@dataclass(frozen=True, slots=True)
class _Listing:
    """The symbols that a call asks for, and how to show them."""

    found: Outline
    order: list[int]  # numbers of the symbols in the order of the pages
    parents: list[int | None]  # by symbol: the number of the symbol around it
    depths: list[int]  # by symbol; 0 for the outermost that is listed
    page: Page
    keys: list[str]  # of the symbols in `order`
    members: Mapping[int, str]  # by symbol: the names of the members that are not listed
    detail: str
    docs: bool
    notes: tuple[str, ...]

    def build(self, rows: int) -> Part:
        """Return the answer with the next `rows` symbols."""
        end = self.page.start + rows
        is_cut = end < len(self.order)
        numbers = sorted(self.order[self.page.start : end])
        rendered = self._write_lines(numbers) if self.detail == _TEXT else self._render(numbers)
        result = {
            "path": escape_text(self.found.path),
            "language": self.found.language,
            "symbols": rendered,
            **self.page.follow(self.keys, rows, is_cut),
            "truncated": self.found.truncated or is_cut,
            "parser": escape_text(self.found.parser),
        }
        return Part(result, [*self.found.warnings, *self.notes, *self._describe_cut(rows)])

    def _describe_cut(self, rows: int) -> list[str]:
        if self.page.start + rows == len(self.order):
            return []
        shorter = "" if self.detail == _TEXT else "; detail text lists about four times as many"
        return [
            f"The answer was cut to {rows} of {len(self.order)} symbols, the most nested left out first:"
            f" continue with cursor, or name a parent to list its members{shorter}."
        ]

    def _render(self, numbers: Sequence[int]) -> list[object]:
        symbols = [self.found.symbols[number] for number in numbers]
        named = [{"members": self.members[one]} if one in self.members else {} for one in numbers]
        if self.detail == _FULL:
            rows = [_render_whole(symbol) for symbol in symbols]
        else:
            rows = [*map(self._render_lean, symbols, _list_around(self.found.language, symbols))]
        return [row | members for row, members in zip(rows, named, strict=True)]

    def _render_lean(self, symbol: Symbol, around: str | None) -> Result:
        usual = "module" if symbol.parent_symbol is None else "class"
        signature = shorten_signature(symbol)
        if self.found.language == "python" and symbol.kind in _BOUND:
            signature = _RECEIVER.sub("(", signature)
        row = _render_whole(symbol) | {"signature": escape_text(signature)}
        left_out = {
            *(() if self.docs else ("doc",)),
            *(("scope_kind",) if symbol.scope_kind == usual else ()),
            *(() if symbol.is_conditional else ("is_conditional",)),
            *(("parent_symbol",) if symbol.parent_symbol == around else ()),
        }
        return {name: value for name, value in row.items() if name not in left_out}

    def _write_lines(self, numbers: Sequence[int]) -> list[object]:
        """Return a line for each symbol, and for enclosing symbols that were on an earlier page.

        Lines of equal names say under which conditions each is declared.
        """
        shown = set(numbers)
        for number in numbers:
            around = self.parents[number]
            while around is not None and around not in shown:
                shown.add(around)
                around = self.parents[around]
        counted = Counter(map(_name_symbol, self.found.symbols))
        return [
            self._write_line(number, is_one=counted[_name_symbol(self.found.symbols[number])] == 1)
            for number in sorted(shown)
        ]

    def _write_line(self, number: int, *, is_one: bool) -> str:
        symbol = self.found.symbols[number]
        lines = write_span(symbol.start_line, symbol.end_line)
        line = f"{lines} {'  ' * self.depths[number]}{symbol.signature}"
        if number in self.members:
            line += f" {{ {self.members[number]} }}"
        if symbol.decl_context and not is_one:
            line += f" [{symbol.decl_context}]"
        return escape_text(f"{line}  # {symbol.doc}" if self.docs and symbol.doc else line)


def outline(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `repo.outline`."""
    from repo_mcp.languages.outline.symbol_lookup import find_parents, get_named, measure_depths, qualify

    found = repository.outline(find_text(arguments, "path") or "")
    symbols = found.symbols
    parents = find_parents(symbols)
    depths = measure_depths(symbols, parents)
    chosen, base = list(range(len(symbols))), 1
    parent, kinds = find_text(arguments, "parent"), arguments.get("kinds")
    if parent is not None:
        whole = qualify(get_named(found, parent)[0])
        chosen = [number for number in chosen if _is_inside(symbols[number], whole)]
        base = min((depths[number] for number in chosen), default=1)
    detail = find_text(arguments, "detail") or _LEAN
    wanted = frozenset([*kinds, *map(_KINDS.get, kinds)]) if isinstance(kinds, list) else None
    members: dict[int, str] = {}
    short, note = frozenset[int](), ""
    if parent is None and wanted is None:
        members = _name_members(found.language, symbols, parents)
        short, note = _leave_out_short(symbols, detail)
    most = find_integer(arguments, "max_depth")
    listed = [
        number
        for number in chosen
        if (most is None or depths[number] - base < most)
        and (wanted is None or symbols[number].kind in wanted)
        and not (parents[number] in members and _is_named_in_type(symbols[number]))
        and number not in short
    ]
    listed.sort(key=lambda number: (depths[number], number))
    page = Page("repo.outline", {name: arguments[name] for name in arguments.keys() - _HOW_SHOWN})
    keys = [_name_symbol(symbols[number]) for number in listed]
    page.check(keys)
    listing = _Listing(
        found,
        listed,
        parents,
        [max(0, depth - base + (parent is not None)) for depth in depths],
        page,
        keys,
        members,
        detail,
        arguments.get("docs") is True,
        (*_explain_nothing(symbols, chosen, listed, parent), *filter(None, [note])),
    )
    return Draft(listing.build, len(listed) - page.start)


def _leave_out_short(symbols: Sequence[Symbol], detail: str) -> tuple[frozenset[int], str]:
    """Return the functions with titles that are too short to be listed in an outline of all, and a note."""
    from repo_mcp.titled_names import is_titled
    from repo_mcp.toolsets.titled_rows import TitledRow, leave_out_short

    rows = [
        TitledRow(
            number,
            symbol.name,
            symbol.end_line - symbol.start_line + 1,
            _LINE_BYTES + len(symbol.signature) if detail == _TEXT else _ROW_BYTES + len(symbol.name),
        )
        for number, symbol in enumerate(symbols)
        if is_titled(symbol.name)
    ]
    short, note = leave_out_short(rows, max((one.end_line for one in symbols), default=0))
    return short, f"{note} `parent` or `kinds` lists them." if note else ""


def _name_members(language: str, symbols: Sequence[Symbol], parents: Sequence[int | None]) -> dict[int, str]:
    """Return the names of the fields and values of each type, by its number, cut after MAX_NAMES_CHARS.

    What a struct of Go embeds has "+" before it.
    """
    named: dict[int, list[str]] = {}
    for symbol, parent in zip(symbols, parents, strict=True):
        if parent is not None and _is_named_in_type(symbol):
            embedded = _EMBEDDED.fullmatch(symbol.signature) if language == "go" else None
            named.setdefault(parent, []).append(escape_text(f"+{embedded[1]}" if embedded else symbol.name))
    return {number: _join(names) for number, names in named.items()}


def _is_named_in_type(symbol: Symbol) -> bool:
    is_short = symbol.kind in _OF_ONE_LINE and symbol.start_line == symbol.end_line
    return is_short or symbol.kind == "enum_member"


def _join(names: Sequence[str]) -> str:
    whole = ", ".join(names)
    if len(whole) <= MAX_NAMES_CHARS:
        return whole
    kept = whole[:MAX_NAMES_CHARS].count(", ")
    return f"{', '.join(names[:kept])} and {len(names) - kept} more"


def _list_around(language: str, symbols: Sequence[Symbol]) -> list[str | None]:
    """Return the qualified name of the innermost symbol around each symbol; None for an outermost one.

    Namespaces of C++ are in no name of an outline.
    """
    from repo_mcp.languages.outline.symbol_lookup import WITH_NAMESPACES, qualify

    around: list[str | None] = []
    held: list[Symbol] = []  # the declarations around the one before, the outermost first
    for symbol in symbols:
        while held and not _holds(held[-1], symbol):
            held.pop()
        around.append(qualify(held[-1]) if held else None)
        if symbol.kind != "module" or language not in WITH_NAMESPACES:
            held.append(symbol)
    return around


def _holds(outer: Symbol, inner: Symbol) -> bool:
    """Return True if the lines of `outer` hold those of `inner` and more."""
    within = outer.start_line <= inner.start_line and inner.end_line <= outer.end_line
    return within and inner.end_line - inner.start_line < outer.end_line - outer.start_line


def _is_inside(symbol: Symbol, parent: str) -> bool:
    around = symbol.parent_symbol
    return around is not None and (around == parent or around.startswith(f"{parent}."))


def _explain_nothing(
    symbols: Sequence[Symbol], chosen: Sequence[int], listed: Sequence[int], parent: str | None
) -> tuple[str, ...]:
    """Return a warning if a filter leaves none of the symbols; else none."""
    if listed or not symbols:
        return ()
    if not chosen:
        return (f"The outline has no members of {parent}; it may leave out fields, cases and the like.",)
    there = ", ".join(sorted({symbols[number].kind for number in chosen}))
    return (f"Nothing in this file is of these kinds and depths; its kinds are: {there}.",)


def _name_symbol(symbol: Symbol) -> str:
    """Return the key of a symbol on a page. Its lines are not in it, as they may change."""
    return f"{symbol.kind} {symbol.parent_symbol} {symbol.name}"


def shorten_signature(symbol: Symbol) -> str:
    """Return the signature without what name and kind already say: "(self) -> int", "= 3", "(Base)".

    A signature that does not begin with decorators, a word for the kind and the name is returned whole.
    """
    signature, name = symbol.signature, symbol.name
    if signature.startswith("@"):
        heads = [match.span() for match in _KIND_WORD.finditer(signature)]
    else:
        first = _KIND_WORD.match(signature)
        heads = [*(() if first is None else (first.span(),)), (0, 0)]
    for kept, start in heads:
        end = start + len(name)
        if signature.startswith(name, start) and not _WORD_CHAR.match(signature, end):
            return f"{signature[:kept]}{signature[end:]}".lstrip("\"' ").rstrip()
    return signature


def _render_whole(symbol: Symbol) -> Result:
    return {
        "kind": escape_text(symbol.kind),
        "name": escape_text(symbol.name),
        "signature": escape_text(symbol.signature),
        "start_line": symbol.start_line,
        "end_line": symbol.end_line,
        "doc": _escape(symbol.doc),
        "parent_symbol": _escape(symbol.parent_symbol),
        "scope_kind": symbol.scope_kind,
        "is_conditional": symbol.is_conditional,
        "decl_context": _escape(symbol.decl_context),
    }


def _escape(text: str | None) -> str | None:
    return None if text is None else escape_text(text)
