"""The Python adapter: declarations by `ast`, parsed in a process that can be killed.

A source above MAX_AST_BYTES, or written for a newer Python, is outlined by line patterns. One that does not
parse has no symbols, and the outline names the line where the parser stopped. A warning says so in each case.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from repo_mcp.languages.outline.adapter import Adapter, Parse, ParserFailed, ParserFault
from repo_mcp.languages.outline.lexical_adapter import outline_lexically
from repo_mcp.languages.patterns.landmarks import Language
from repo_mcp.model import Outline, Symbol
from repo_mcp.record_classes import replace

PARSER = "ast"
TASK = "python"
MAX_AST_BYTES = 512 * 1024  # ast takes up to 1,000 bytes of memory for each of source
_RUNNING = f"Python {sys.version_info[0]}.{sys.version_info[1]}"
_BY_LINE_PATTERNS = "it was outlined by line patterns, which may miss some."


class PythonAdapter(Adapter):
    """Python sources and stubs. Dialects that only look like it are left to line patterns."""

    name = "python"

    def __init__(self, parse: Parse, find_language: Callable[[str], Language]) -> None:
        self._parse = parse
        self._find_language = find_language

    def supports_path(self, path: str) -> bool:
        name = path.rpartition("/")[2].lower()
        if self._find_language(path).name != "python":
            return False
        return not name.endswith((".pyx", ".pxd")) and name != "snakefile"

    def outline(self, path: str, text: str) -> Outline:
        data = text.encode()
        if len(data) > MAX_AST_BYTES:
            warning = f"The file is larger than {MAX_AST_BYTES:,} bytes: {_BY_LINE_PATTERNS}"
            return self._outline_lexically(path, text, warning)
        try:
            return self._read_answer(path, text, json.loads(self._parse(TASK, data)))
        except ParserFailed as failure:
            if failure.fault is ParserFault.UNAVAILABLE:
                found = self._outline_lexically(
                    path, text, f"There is no parser process: {_BY_LINE_PATTERNS}"
                )
            else:
                found = self._refuse(path, "The file could not be parsed within the time and memory limits.")
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            found = self._refuse(path, "The parser process gave no readable answer.")
        return replace(found, may_change=True)

    def _read_answer(self, path: str, text: str, answer: dict[str, Any]) -> Outline:
        failed = answer.get("failure")
        if failed == "newer":
            where = f"Line {answer['line']} needs a Python newer than {_RUNNING}"
            return self._outline_lexically(path, text, f"{where}: {_BY_LINE_PATTERNS}")
        if failed is not None:
            return self._refuse(path, _describe_failure(failed, answer["line"]))
        symbols = tuple(_read_symbol(row) for row in answer["symbols"])
        warnings = (f"Only the first {len(symbols):,} declarations are listed.",) if answer["cut"] else ()
        return Outline(path, "python", symbols, PARSER, warnings, bool(answer["cut"]))

    def _outline_lexically(self, path: str, text: str, warning: str) -> Outline:
        return outline_lexically(path, self._find_language(path), text, (warning,))

    def _refuse(self, path: str, warning: str) -> Outline:
        return Outline(path, "python", (), PARSER, (warning,))


def _read_symbol(row: list[Any]) -> Symbol:
    """Return the symbol of a row.

    Raises TypeError for a malformed one, since hostile text may control the parser.
    """
    symbol = Symbol(*row)
    texts = (symbol.kind, symbol.name, symbol.signature)
    optional = (symbol.doc, symbol.parent_symbol, symbol.scope_kind, symbol.decl_context)
    if not all(isinstance(one, str) for one in texts):
        raise TypeError
    if not all(one is None or isinstance(one, str) for one in optional):
        raise TypeError
    if type(symbol.start_line) is not int or type(symbol.end_line) is not int:
        raise TypeError
    if not isinstance(symbol.is_conditional, bool):
        raise TypeError
    return symbol


def _describe_failure(failure: str, line: int) -> str:
    where = f" at line {line}" if line else ""
    reasons = {
        "syntax": f"The file does not parse as {_RUNNING}: syntax error{where}.",
        "nesting": "The file does not parse: it is nested too deeply.",
    }
    return reasons.get(failure, "The file does not parse: it has characters that Python source may not have.")
