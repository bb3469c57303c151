"""The pages of a list, and the cursors that lead from one page to the next.

    cursor = URL-safe Base64 of: 4 bytes that name the call, 4 that name the rows given so far, their number

Nothing is stored between two calls. A cursor identifies the tool and the arguments of the call, except those
that only say how much is shown, so a page may be longer than the one before. It also identifies the rows
before it. The next call builds the list again and compares. If those rows are still the same, no row is given
twice and none is missed, whatever has changed elsewhere in the tree; otherwise the cursor is refused. Equal
lists have equal cursors.

Left out on purpose: secrecy. A client that makes up a cursor gets what another page would have shown it.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.protocol.frames import encode_json
from repo_mcp.text.lines import HIDING
from repo_mcp.toolsets.answers import Arguments
from repo_mcp.toolsets.schema_parts import Schema
from repo_mcp.toolsets.shown_text import MAY_HIDE

Found = TypeVar("Found")
CURSOR: Schema = {"type": "string", "description": ""}  # said by its name, and where an answer is cut
NEXT_CURSOR: Schema = {"type": "string", "description": "For the next page; none at the end"}
FEW_HITS = 3  # of a query most of whose words no file has
FEW_SHOWN = (
    f"Most words of the query are in no file, so only {FEW_HITS} hits are shown: ask in other words,"
    " or continue with cursor."
)
MAX_ROWS = 1_000_000  # before a cursor: a list is made anew for each page, so a made-up cursor costs no more
_NO_CURSOR = "This is not a cursor: no answer gave it, or it was altered."
_OTHER_CALL = "The cursor belongs to another call, or was altered."
_DIGEST_BYTES = 4  # one cursor in 4,000,000,000 passes for another's
_MAX_CHARS = 200
_HOW_MUCH = frozenset({"cursor", "limit", "max_results", "top_k", "format"})  # what a page may differ in


def encode_cursor(tool: str, arguments: Arguments, position: bytes) -> str:
    """Return the cursor of a position in the list that this call asks for."""
    return base64.urlsafe_b64encode(_name_call(tool, arguments) + position).decode("ascii").rstrip("=")


def decode_cursor(tool: str, arguments: Arguments) -> bytes | None:
    """Return the position that the argument `cursor` names; None without that argument.

    Raises RepoError with INVALID_ARGUMENT for the cursor of another call, and for anything but a cursor.
    """
    given = arguments.get("cursor")
    if not isinstance(given, str):
        return None
    padded = given[:_MAX_CHARS] + "=" * (-len(given) % 4)  # cut, it is none of ours
    try:
        found = base64.b64decode(padded.encode("ascii"), b"-_", validate=True)
    except (UnicodeEncodeError, binascii.Error):
        found = b""
    position = found.removeprefix(_name_call(tool, arguments))
    if len(position) in (0, len(found)):
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            _OTHER_CALL if len(found) > _DIGEST_BYTES else _NO_CURSOR,
            "Make the call whose answer gave the cursor, with the same arguments; or leave cursor out.",
            {"argument": "cursor"},
        )
    return position


def refuse_stale() -> RepoError:
    """Return the error for a cursor before which the list has changed."""
    return RepoError(
        ErrorCode.INVALID_ARGUMENT,
        "The cursor is out of date, or was altered: what was listed before it has changed.",
        "Make the call again without cursor.",
        {"argument": "cursor"},
    )


class Page:
    """The rows of a list from a cursor on, counted from 0. A list is given by the keys of its rows."""

    def __init__(self, tool: str, arguments: Arguments, most: int = MAX_ROWS) -> None:
        """Read the argument `cursor`. Raises INVALID_ARGUMENT; also for more than `most` rows before it."""
        self._tool = tool
        self._arguments = arguments
        self._most = most
        position = decode_cursor(tool, arguments)
        self._given = b"" if position is None else position[:_DIGEST_BYTES]
        self.start = 0 if position is None else int.from_bytes(position[_DIGEST_BYTES:])
        if position is not None and not 1 <= self.start <= most:
            raise refuse_stale()

    def check(self, keys: Sequence[str]) -> None:
        """Compare the rows before the page.

        Raises INVALID_ARGUMENT if they are not those that were returned.
        """
        if self.start and (self.start > len(keys) or _name_rows(keys[: self.start]) != self._given):
            raise refuse_stale()

    def follow(self, keys: Sequence[str], rows: int, is_cut: bool) -> Mapping[str, object]:
        """Return the field `cursor` of an answer with the first `rows` rows of the page; none at the end.

        A page without rows has none either: it would lead to itself.
        """
        end = self.start + rows
        if not is_cut or not rows or end > self._most:
            return {}
        position = _name_rows(keys[:end]) + end.to_bytes((end.bit_length() + 7) // 8)
        return {"cursor": encode_cursor(self._tool, self._arguments, position)}


def keep_few(hits: Sequence[Found], page: Page, *, lacks_most: bool) -> tuple[Sequence[Found], list[str]]:
    """Return the hits of a page, a few of a first one if most of the query is in no file, and a note."""
    if not lacks_most or page.start or len(hits) <= FEW_HITS:
        return hits, []
    return hits[:FEW_HITS], [FEW_SHOWN]


def note_cut(rows: int, count: int, what: str) -> list[str]:
    """Return a note if fewer rows than the page has have room."""
    if rows >= count:
        return []
    return [f"The answer was cut to {rows} {what} to keep it short; continue with cursor."]


def note_hidden(texts: Iterable[str], what: str) -> list[str]:
    """Return a note if rows have characters that may hide others in their text."""
    hiding = [str(place) for place, text in enumerate(texts, 1) if HIDING.search(text)]
    return [f"{MAY_HIDE}: {what} {', '.join(hiding)}."] if hiding else []


def _name_call(tool: str, arguments: Arguments) -> bytes:
    kept = {name: arguments[name] for name in sorted(arguments.keys() - _HOW_MUCH)}
    return _digest(encode_json([tool, kept]))


def _name_rows(keys: Sequence[str]) -> bytes:
    return _digest("\0".join(keys))


def _digest(text: str) -> bytes:
    import hashlib  # here: listing the tools needs none

    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()
