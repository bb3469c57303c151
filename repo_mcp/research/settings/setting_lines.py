"""Find the lines that have the name of a setting: those that may set it, and those of the program.

isDev: true          sets it
"… isDev: off"       a message, which says what it is
Set isDev to …       prose, perhaps in a text of YAML
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.bodies.body import iter_enclosing
from repo_mcp.model import ExactMatch, ExactRequest
from repo_mcp.research.findings.locating import is_program
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.settings.line_use import LineUse, classify_use
from repo_mcp.text.product_name import find_product_names
from repo_mcp.text.roles import FileRole, find_role

MAX_MATCHES = 200  # lines examined for one name
MAX_SETTING_CHARS = 300  # of a line that a person wrote to set something; a longer one was generated
BLOCK_LINES = 60  # above a line, in which a text of YAML may begin
_OPERATOR = r"(?:\?\?|\|\||&&|[|&+])?"  # before `=`: sets a value only if there is none, or adds to one
_DATA = re.compile(r"\.(?:ya?ml|toml|json[c5]?|ini|properties)$", re.IGNORECASE)
_TABLES = re.compile(r"\.(?:toml|cfg|ini)$")
_TOOL = re.compile(r"\[+tool[.:]([\w-]+)")
_YAML = re.compile(r"\.ya?ml$", re.IGNORECASE)
_BEGINS_TEXT = re.compile(r"(?:^|[:\-])\s*[|>][-+\d]*\s*(?:#.*)?$")
_COMMAND = r"\s*+(?:\S{0,40}[;({]\s*+)?(?-i:set|config|export|enable|disable|ENV|ARG)\s"


def search_setting(state: ResearchState, name: str) -> tuple[ExactMatch, ...]:
    """Return the lines that may set a name, in any case and however its words are joined.

    Those of other programs are left out if there are others.
    """
    request = ExactRequest(_build_pattern(name), regex=True, case_sensitive=False, limit=MAX_MATCHES)
    found = state.source.search_exact(request)
    if found.truncated:
        state.limit(f"lines that set {name}", f"the first {MAX_MATCHES} by path are read")
    setting = tuple(match for match in found.matches if _may_set(state, name, match))
    return tuple(match for match in setting if not _is_of_tool(state, match)) or setting


def search_mentions(state: ResearchState, name: str) -> list[ExactMatch]:
    """Return the lines of the program that mention a name."""
    request = ExactRequest(name, whole_word=True, limit=MAX_MATCHES, include_tests=False)
    return [match for match in state.source.search_exact(request).matches if is_program(match.path)]


def _may_set(state: ResearchState, name: str, match: ExactMatch) -> bool:
    """Return False for a line that cannot set the name.

    It was generated, only reads the name, is prose, is a link in a document, has the name as a part of
    another, such as `p-timeout`, or names a type that differs from the setting in case: `Rack::ShowErrors`
    for `show_errors`.
    """
    if len(match.line) > MAX_SETTING_CHARS:
        return False
    quoted = re.escape(name).replace("_", "[_-]?")
    of_type = re.search(rf"::({quoted})\b", match.line, re.IGNORECASE)
    is_other = of_type is not None and of_type[1][0].isupper() != name[0].isupper()
    is_link = find_role(match.path) is FileRole.DOCS and re.match(
        rf"\s*(?:[-*]\s+)?\[`?{quoted}`?\]:", match.line, re.IGNORECASE
    )
    is_part = re.search(rf"(?<!\w-){quoted}(?!-\w)", match.line, re.IGNORECASE) is None
    if is_other or is_link or is_part or _is_prose(state, quoted, match):
        return False
    return classify_use(name, match.line) is not LineUse.READS


def _is_prose(state: ResearchState, quoted: str, match: ExactMatch) -> bool:
    """Return True for a line that says "set NAME" in a sentence, and for one of a text inside data."""
    line = match.line
    if not re.search(_build_plain(quoted), line, re.IGNORECASE):  # only a word before it sets it
        return _DATA.search(match.path) is not None or re.match(_COMMAND, line, re.IGNORECASE) is None
    if not _YAML.search(match.path) or not re.search(rf"\b{quoted}[\"']?\s*:", line, re.IGNORECASE):
        return False
    begins = r"(?:^\s*+(?:-\s+){0,4}|[{,]\s*)[\"']?(?:[\w-]+\.)*"
    is_key = re.search(rf"{begins}{quoted}[\"']?\s*:", line, re.IGNORECASE)
    return is_key is None or _is_in_text(state.source.read_lines(match.path), match.start_line)


def _is_of_tool(state: ResearchState, match: ExactMatch) -> bool:
    """Return True for a line below the heading of another program: `[tool.coverage]` of pyproject.toml."""
    above = state.source.read_lines(match.path)[: match.start_line] if _TABLES.search(match.path) else ()
    tool = _TOOL.match(next((line for line in reversed(above) if line.startswith("[")), ""))
    names = set() if tool is None else find_product_names(state.source.read_lines)
    return tool is not None and bool(names) and tool[1].lower() not in names


def _is_in_text(lines: Sequence[str], at: int) -> bool:
    """Return True for a line of YAML in a text of several lines, which `|` or `>` begins."""
    return any(map(_BEGINS_TEXT.search, iter_enclosing(lines, at, BLOCK_LINES)))


def _build_pattern(name: str) -> str:
    """Return an expression for lines that set a name, made of whole words, which the index can look up."""
    spelled = dict.fromkeys(re.escape(name.replace("_", joint)) for joint in ("_", "-", ""))
    return "|".join(map(_build_spelled, spelled))


def _build_spelled(quoted: str) -> str:
    worded = r"\b(?:config|export|ENV|ARG|set)\s+|\b(?:set|enable|disable)\s+:"
    return rf"(?:{_build_plain(quoted)}|(?:{worded}){quoted}\b)"


def _build_plain(quoted: str) -> str:
    """Return an expression for a name with a sign that gives it a value or declares it."""
    named = rf"[\"']{quoted}[\"']\s*,"  # registered by its name
    valued = rf"\b{quoted}\b(?:\[\w{{0,40}}\]|[\"']?\]?)\s*(?::=|{_OPERATOR}=(?:[^=>]|$)|:(?:[^:]|$))"
    keyed = rf"[\"':]{quoted}[\"']?\s*=>"  # of a table, as in Ruby and PHP
    filled = rf"\(\s*&(?:\w+\.)*\b{quoted}\b\s*[,)]"  # as what an option sets
    return rf"{valued}|{keyed}|{filled}|(?:#\s*define\s+|::\s+|--|::){quoted}\b|{named}"
