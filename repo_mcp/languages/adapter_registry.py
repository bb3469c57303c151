"""The adapters of a server, and the choice of one for a path.

The order is fixed: built-in adapters for certain languages, then installed ones by name, then line patterns
for the rest. The first enabled adapter that supports the path is used, for its outline and for its chunks.
Its symbols and references are used where the language has no parser of ours, whose resolver knows more.

The code of an installed adapter reads text only in a parser process, with the limits of every other parser.
An adapter that fails on a text, or answers nonsense, is not used for it, and a warning says so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from repo_mcp.languages.adapter_tasks import Hook, encode_request, name_task
from repo_mcp.languages.outline.adapter import Adapter, Parse, ParserFailed, ParserFault
from repo_mcp.languages.outline.adapter_answers import (
    AdapterFault,
    Marks,
    count_lines,
    decode_answer,
    decode_outline,
    read_definitions,
    read_first_lines,
    read_hints,
)
from repo_mcp.languages.outline.heading_readers import HeadingsAdapter
from repo_mcp.languages.outline.installed import InstalledAdapter
from repo_mcp.languages.outline.keys_adapter import KeysAdapter
from repo_mcp.languages.outline.lexical_adapter import PARSER, LexicalAdapter, outline_lexically
from repo_mcp.languages.outline.recorded_members import complete
from repo_mcp.languages.patterns.landmarks import Language
from repo_mcp.languages.patterns.language_registry import find_dialect
from repo_mcp.languages.patterns.language_registry import find_language as find_language_by_name
from repo_mcp.languages.python.adapter import PythonAdapter
from repo_mcp.languages.symbol_parsers import find_parser_task
from repo_mcp.model import Outline
from repo_mcp.record_classes import replace
from repo_mcp.symbols.symbol_record import ParseStatus, SymbolRecordError, decode_symbol_record

_OVER_LIMITS = "it crashed, or exceeded the limits of time and memory"
MAX_COMPLETED_BYTES = 512 * 1024  # of a text: the parsers of C take half a second for it
_MEMBERS_MISSING = "The symbol parser did not read the file: fields and other members may be missing."
_PARTLY_PARSED = "The symbol parser read the file in part: members may be missing, and ends may be wrong."
_NO_PROCESS = "no process could be started"


class AdapterRegistry:
    """The adapters of one server. Safe to use from several threads."""

    def __init__(
        self,
        parse: Parse,
        installed: Sequence[InstalledAdapter],
        *,
        disabled: Collection[str] = (),
        find_language: Callable[[str], Language] = find_language_by_name,
    ) -> None:
        """`installed` come from `find_installed`; `disabled` names the adapters to leave out."""
        self._find_language = find_language
        self._parse = parse
        special: tuple[Adapter, ...] = (
            PythonAdapter(parse, find_language),
            HeadingsAdapter(find_language),
            KeysAdapter(find_language),
        )
        self._lexical = LexicalAdapter(find_language)
        self._installed = tuple(one for one in installed if one.name not in disabled)
        every: tuple[Adapter | InstalledAdapter, ...] = (*special, *self._installed, self._lexical)
        self._adapters = tuple(one for one in every if one.name not in disabled)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the enabled adapters, in the order in which they are tried."""
        return tuple(one.name for one in self._adapters)

    def find(self, path: str) -> Adapter | InstalledAdapter | None:
        """Return the adapter of a path, or None when no enabled adapter supports it."""
        return next((one for one in self._adapters if one.supports_path(path)), None)

    def find_installed(self, path: str) -> InstalledAdapter | None:
        """Return the adapter of a path when it is an installed one."""
        if not self._installed:
            return None
        found = self.find(path)
        return found if isinstance(found, InstalledAdapter) else None

    def find_symbol_task(self, path: str) -> str | None:
        """Return the task by which an installed adapter makes a file's symbol record; None without one."""
        found = self.find_installed(path)
        return None if found is None else name_task(found, Hook.STRUCTURE)

    def outline(self, path: str, text: str) -> Outline:
        """Return the outline of a text with "\\n" line ends; warn of an installed adapter that failed."""
        adapter = self.find(path)
        own = self._find_language(path)
        language = own.name
        if adapter is None:
            dialect = find_dialect(own, text.encode())
            if dialect is not own:
                return outline_lexically(path, dialect, text)
            return Outline(
                path, language, (), "none", (f"There are no outlines for the language {language}.",)
            )
        if not isinstance(adapter, InstalledAdapter):
            return adapter.outline(path, text)
        try:
            return decode_outline(
                path, self._ask(adapter, Hook.OUTLINE, path, text.encode()), count_lines(text)
            )
        except AdapterFault as fault:
            warning = _describe(adapter, fault)
        if not self._lexical.supports_path(path):
            return Outline(path, language, (), "none", (warning,), may_change=True)
        return replace(outline_lexically(path, own, text, (warning,)), may_change=True)

    def complete(self, outline: Outline, text: bytes) -> Outline:
        """Return an outline of normalised text with the members that only a symbol parser sees.

        Outlines by other means than line patterns, and of languages without a parser, are returned as they
        are; so are those of texts that the parser cannot read within its limits, with a warning.
        """
        own = self._find_language(outline.path)
        language = find_dialect(own, text)
        task = find_parser_task(outline.path, own.name) if outline.parser == PARSER else None
        if task is None or language.name == "objective-c":  # whose headers the parser of C would read
            return outline
        name = outline.path.rpartition("/")[2].replace("\n", " ")
        failed = replace(outline, warnings=(*outline.warnings, _MEMBERS_MISSING))
        if len(text) > MAX_COMPLETED_BYTES:
            return failed
        try:
            record = decode_symbol_record(self._parse(task, name.encode() + b"\n" + text))
        except (ParserFailed, SymbolRecordError):
            return replace(failed, may_change=True)
        if record.status is ParseStatus.PARTIAL:
            outline = replace(outline, warnings=(*outline.warnings, _PARTLY_PARSED))
        return complete(outline, language, text, record)

    def mark(self, path: str, data: bytes, lines: int) -> Marks | None:
        """Return the names and chunks that an installed adapter marks in a normalised text; None without one.

        Raises ParserFailed with UNAVAILABLE if no process starts, whatever the text.
        """
        adapter = self.find_installed(path)
        if adapter is None or not lines:
            return None
        try:
            answer = self._ask(adapter, Hook.MARKS, path, data, must_start=True)
            definitions = read_definitions(answer.get("definitions"), len(data))
            first_lines = read_first_lines(answer.get("first_lines"), lines)
        except AdapterFault as fault:
            return Marks([], None, str(fault))
        return Marks(definitions, first_lines, str(answer.get("chunks_fault", ""))[:200])

    def find_hints(self, prompt: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the names that installed adapters see in a prompt, and warnings about those that failed."""
        names: list[str] = []
        warnings: list[str] = []
        for adapter in self._installed:
            try:
                answer = self._ask(adapter, Hook.HINTS, "", prompt.encode("utf-8", "replace"))
                names += read_hints(answer.get("hints"))
            except AdapterFault as fault:
                warnings.append(_describe(adapter, fault))
        return tuple(dict.fromkeys(names)), tuple(warnings)

    def _ask(
        self, adapter: InstalledAdapter, hook: Hook, path: str, text: bytes, *, must_start: bool = False
    ) -> Mapping[str, Any]:
        """Return the answer of a hook. Raises AdapterFault; with `must_start` ParserFailed if none starts."""
        try:
            return decode_answer(self._parse(name_task(adapter, hook), encode_request(path, text)))
        except ParserFailed as failure:
            if failure.fault is ParserFault.DIED:
                raise AdapterFault(_OVER_LIMITS) from failure
            if must_start:
                raise
            raise AdapterFault(_NO_PROCESS) from failure


def _describe(adapter: InstalledAdapter, fault: AdapterFault) -> str:
    return f"The adapter {adapter.name} failed ({fault})."
