"""Find the imports and the licence at the top of a file, which match words of any prompt, and answer none."""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.text.lines import is_import

MAX_IMPORT_LINES = 12  # of one import, and of the imports that are shown
IMPORT_SEARCH_LINES = 200  # from the top of the file
LICENCE_LINES = 80
_OPENS = re.compile(r"[({]\s*(?:(?:#|//).*)?$")
_COMMENT = re.compile(r"\s*(?:/\*|\*|//|#(?!\s*(?:include|define|if|pragma)\b)|--|;|<!--)")
_RIGHTS = re.compile(r"copyright|licen[cs]e|SPDX-", re.IGNORECASE)


def list_imports(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Return the 0-based first and last line of each import at the top of the file."""
    statements = []
    line = 0
    while line < min(len(lines), IMPORT_SEARCH_LINES):
        end = line
        if is_import(lines[line]):
            if _OPENS.search(lines[line]):
                while (
                    end + 1 < len(lines)
                    and end - line < MAX_IMPORT_LINES
                    and not re.match(r"\s*[)}]", lines[end])
                ):
                    end += 1
            statements.append((line, end))
        line = end + 1
    return statements


def find_licence(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Return the 0-based first and last line of the comment at the top of the file, if it is a licence."""
    end = 0
    while end < min(len(lines), LICENCE_LINES) and (not lines[end].strip() or _COMMENT.match(lines[end])):
        end += 1
    return [(0, end - 1)] if end and any(map(_RIGHTS.search, lines[:end])) else []
