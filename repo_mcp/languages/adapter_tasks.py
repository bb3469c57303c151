"""The tasks of installed adapters, run in the process that can be killed: a text in, a checked answer out.

A task is named `adapter/<hook>/<version>/<entry>`: an entry point `module:attribute`, and the version of its
package. Its request is the path, "\\n" and the text. The answer to `outline`, `marks` and `hints` is JSON,
with the key `fault` where the adapter failed; that to `structure` is a symbol record. An exception of an
adapter is a fault, named by its type alone. The parent process notices one that ends or hangs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from enum import StrEnum

from repo_mcp.languages.outline.adapter import Adapter, Use
from repo_mcp.languages.outline.adapter_answers import (
    FAULT,
    AdapterFault,
    count_lines,
    encode_outline,
    read_first_lines,
    read_hints,
    read_symbols,
    read_uses,
)
from repo_mcp.languages.outline.installed import InstalledAdapter, load_adapter
from repo_mcp.model import Symbol
from repo_mcp.symbols.record_builder import Head, SymbolRecordBuilder, encode_failure
from repo_mcp.symbols.symbol_record import ParseStatus, ReferenceRole, SymbolFlag, SymbolKind

PREFIX = "adapter/"
MAX_HEAD_LINES = 40  # of a declaration, searched for its name: decorators and comments come first
MAX_ENDED = 20  # texts that end the process, after which an adapter is not asked again in that round
_TRIES = 16  # occurrences of a name in other words before it

# Words for the kind of a symbol, besides the names of SymbolKind. Any other word counts as a variable.
_KINDS: Mapping[str, SymbolKind] = {
    **{kind.name.lower(): kind for kind in SymbolKind if kind is not SymbolKind.FILE},
    "async_function": SymbolKind.FUNCTION,
    "async_method": SymbolKind.METHOD,
    "field": SymbolKind.PROPERTY,
    "namespace": SymbolKind.MODULE,
    "package": SymbolKind.MODULE,
    "protocol": SymbolKind.TRAIT,
}


class Hook(StrEnum):
    """The hooks of an adapter that read text."""

    OUTLINE = "outline"
    MARKS = "marks"  # names and chunks, for the index of words
    STRUCTURE = "structure"  # symbols and references, for the symbol index
    HINTS = "hints"


def name_task(adapter: InstalledAdapter, hook: Hook) -> str:
    """Return the name of the task that runs a hook."""
    return f"{PREFIX}{hook}/{adapter.version}/{adapter.entry}"


def encode_request(path: str, text: bytes) -> bytes:
    """Return the request of a task."""
    return path.replace("\n", " ").encode() + b"\n" + text


def identify(task: str, text: bytes) -> bytes:
    """Return the key by which the poison list remembers a text that ended its process.

    For our own parsers it is the text. A text that ends an adapter may suit our parsers, or its next version.
    """
    return task.encode() + b"\n" + text if task.startswith(PREFIX) else text


def run_adapter_task(task: str, request: bytes) -> bytes:
    """Return the answer of a task (parser process only). Raises KeyError for an unknown hook."""
    hook, _, rest = task.removeprefix(PREFIX).partition("/")
    named, _, data = request.partition(b"\n")
    path, text = named.decode("utf-8", "replace"), data.decode("utf-8", "replace")
    run = _HOOKS[Hook(hook)]
    try:
        with redirect_stdout(None), redirect_stderr(None):  # what is printed may be text of the repository
            return run(load_adapter(rest.rpartition("/")[2]), path, text)
    except AdapterFault as fault:
        reason = str(fault)
    except Exception as error:  # not our code
        reason = type(error).__name__
    if hook == Hook.STRUCTURE:
        return encode_failure(path.rpartition("/")[2], max(1, count_lines(text)))
    return json.dumps({FAULT: reason}).encode()


def _outline(adapter: Adapter, path: str, text: str) -> bytes:
    return json.dumps(encode_outline(adapter.outline(path, text), count_lines(text))).encode()


def _mark(adapter: Adapter, path: str, text: str) -> bytes:
    """Return the spans of declared names and the first lines of chunks; each may have a fault of its own."""
    symbols = _list_symbols(adapter, path, text)
    answer: dict[str, object] = {"definitions": find_names(symbols, text.encode()), "first_lines": None}
    propose = getattr(adapter, "smart_chunks", None)
    try:
        if propose is not None:
            answer["first_lines"] = read_first_lines(propose(path, text), count_lines(text))
    except AdapterFault as fault:
        answer["chunks_fault"] = str(fault)
    except Exception as error:  # not our code
        answer["chunks_fault"] = type(error).__name__
    return json.dumps(answer).encode()


def _hint(adapter: Adapter, _path: str, prompt: str) -> bytes:
    find = getattr(adapter, "symbol_hints", None)
    return json.dumps({"hints": () if find is None else read_hints(find(prompt))}).encode()


def _structure(adapter: Adapter, path: str, text: str) -> bytes:
    """Return the symbol record; if the references cannot be used, one of the symbols alone, and PARTIAL."""
    symbols, lines = _list_symbols(adapter, path, text), count_lines(text)
    find = getattr(adapter, "references", None)
    uses: list[Use] = []
    status = ParseStatus.FULL
    try:
        uses = [] if find is None else read_uses(find(path, text), lines)
    except Exception:  # not our code
        status = ParseStatus.PARTIAL
    return build_record(path.rpartition("/")[2], lines, symbols, uses, status)


_HOOKS: Mapping[Hook, Callable[[Adapter, str, str], bytes]] = {
    Hook.OUTLINE: _outline,
    Hook.MARKS: _mark,
    Hook.STRUCTURE: _structure,
    Hook.HINTS: _hint,
}


def _list_symbols(adapter: Adapter, path: str, text: str) -> tuple[Symbol, ...]:
    lines = count_lines(text)
    found = encode_outline(adapter.outline(path, text), lines)["symbols"]
    assert isinstance(found, list)
    return read_symbols(found, lines)


def find_names(symbols: tuple[Symbol, ...], data: bytes) -> list[tuple[int, int]]:
    """Return the byte spans of the symbols' names, ascending and disjoint, without names that are not found.

    A name is searched for as a whole word in the first MAX_HEAD_LINES lines of its declaration.
    """
    starts = [0]
    for line in data.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    spans: set[tuple[int, int]] = set()
    for one in symbols:
        name = one.name.encode()
        first = starts[one.start_line - 1]
        last = min(starts[min(one.end_line, one.start_line + MAX_HEAD_LINES)], len(data))
        place = _find_word(data, name, first, last)
        while place >= 0 and (place, place + len(name)) in spans:  # two of one name on one line
            place = _find_word(data, name, place + len(name), last)
        if place >= 0:
            spans.add((place, place + len(name)))
    found: list[tuple[int, int]] = []
    for span in sorted(spans):
        if not found or span[0] >= found[-1][1]:
            found.append(span)
    return found


def _find_word(data: bytes, name: bytes, first: int, last: int) -> int:
    """Return the offset of a name that is not part of another word, or -1."""
    place = data.find(name, first, last) if name else -1
    for _ in range(_TRIES):
        if place < 0 or not (_is_word(data, place - 1) or _is_word(data, place + len(name))):
            return place
        place = data.find(name, place + 1, last)
    return -1


def _is_word(data: bytes, place: int) -> bool:
    around = data[place : place + 1] if place >= 0 else b""
    return around.isalnum() or around == b"_" or around >= b"\x80"


def build_record(
    file_name: str, lines: int, symbols: tuple[Symbol, ...], uses: list[Use], status: ParseStatus
) -> bytes:
    """Return the symbol record of a text. A use belongs to the innermost symbol around its line."""
    builder = SymbolRecordBuilder(file_name, max(1, lines))
    placed: list[tuple[int, int, int]] = []  # first line, last line, ordinal
    known: dict[str, int] = {}  # qualified name -> ordinal
    for one in sorted(symbols, key=lambda one: (one.start_line, -one.end_line)):
        kind = _KINDS.get(one.kind, SymbolKind.VARIABLE)
        parent = known.get(one.parent_symbol or "", 0)
        flags = SymbolFlag.DOCUMENTED if one.doc else 0
        ordinal = builder.add_symbol(one.name, kind, parent, one.start_line, one.end_line, Head(flags=flags))
        known[one.name if one.parent_symbol is None else f"{one.parent_symbol}.{one.name}"] = ordinal
        placed.append((one.start_line, one.end_line, ordinal))
    around: list[tuple[int, int, int]] = []
    coming = iter(placed)
    following = next(coming, None)
    for use in uses:
        while following is not None and following[0] <= use.line:
            around.append(following)
            following = next(coming, None)
        while around and around[-1][1] < use.line:
            around.pop()
        role = ReferenceRole[use.role.upper()]
        builder.add_reference(around[-1][2] if around else 0, role, use.name, use.line)
    builder.status = max(builder.status, status)
    return builder.encode()
