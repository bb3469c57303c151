"""Tell what a line does with the name of a setting: sets, takes, declares or only reads it. Pure."""

from __future__ import annotations

import re
from enum import StrEnum

from repo_mcp.bundler.statements import is_branch

# `os.environ["NAME"]`, `std::env::var_os("NAME")`, `GetEnvironmentVariable("NAME")`, `process.env.NAME`.
# Unless the name is in capitals, it is quoted: an object called `environment` may have a field of the name.
_TAKEN = r"\b\w{0,40}env\w{0,40}[\w.:!]{0,80}\s{0,40}[(\[]\s{0,40}[\"'`]NAME\b|\bprocess\.env\.NAME\b"
_TAKEN_IN_CAPITALS = _TAKEN + r"|\b\w{0,40}env\w{0,40}[\w.:!]{0,80}\s{0,40}[(\[.]\s{0,40}NAME\b"
# A line that sets a variable of the environment: `os.environ["NAME"] = `, `std::env::set_var(`, `setenv(`
_GIVEN = re.compile(
    r"\.env\s*\(|(?:set|put)_?env\w*\s*\(|set_var\s*\(|env_remove|\]\s*=[^=]|\benv\.\w+\s*=[^=]",
    re.IGNORECASE,
)
# A call that declares an option by its name: `pflag.IntVarP(&jobs, "NAME",`, `.option("NAME",`
_TAKEN_AS_OPTION = (
    r"\b\w{0,20}(?:flag|option)\w{0,20}(?:\(\))?(?:\.(\w{1,40}))?\((?:&?[\w.]{1,80},\s{0,40})?"
    r"[\"'`]NAME[\"'`]\s{0,40},"
)
# Functions that read or change a record of options, and declare none.
_KEEPS = re.compile(r"(?:get|pop|read|lookup|has|is_|set|put|insert|update|del|remove)", re.IGNORECASE)
_READING = re.compile(r"(?:get|pop|read|lookup|env|has|is_)", re.IGNORECASE)  # functions that read a setting
_SETTING = re.compile(r"(?:set|define|declare|register|add|default|option)", re.IGNORECASE)


class LineUse(StrEnum):
    """The use that a line makes of a name, as the report words it."""

    SETS = "sets {}"
    TAKES = "takes {} from the environment"
    OPTION = "declares the option {}"
    DECLARES = "declares or documents {}"
    PASSES_ON = "passes the name {}"
    GIVES = "has a parameter or an argument {}"
    READS = "reads {}"


def classify_use(name: str, line: str) -> LineUse:
    """Return how a line uses a name.

    If the name is a quoted argument before a comma, the called function decides: `get("NAME", 0)` reads it,
    `setdefault("NAME", 0)` sets it.
    """
    quoted = re.escape(name).replace("_", "[_-]?")
    if re.search(rf"--{quoted}=(?:(?-i:[A-Z][A-Z_]*\b)|<\w)", line, re.IGNORECASE):
        return LineUse.DECLARES  # a text of help
    if re.search(rf"(?:\w::|\bconfig|\bARG|--)\s{{0,40}}{quoted}\b(?!\s*=)", line, re.IGNORECASE):
        return LineUse.DECLARES
    taken = _TAKEN_IN_CAPITALS if name.isupper() else _TAKEN
    if re.search(taken.replace("NAME", quoted), line, re.IGNORECASE):
        return LineUse.SETS if _GIVEN.search(line) else LineUse.TAKES
    if re.search(rf"[\"'`][^\"'`]{{0,200}}\s{quoted}: ", line, re.IGNORECASE):
        return LineUse.READS  # a message that names it
    if re.search(rf"[\"'`][^\"'`]{{0,200}}\b{quoted}=(?:{{|%\w)", line, re.IGNORECASE):
        return LineUse.READS  # a text with its value: f"retries={retries}", "retries=%d"
    if re.search(rf"[\"'][^\"']{{0,200}}\b{quoted}\s?[=:]\s?[\"'](?=\s*[)+,;]|\s*$)", line, re.IGNORECASE):
        return LineUse.READS  # a text before its value: `"retries=" + retries`
    if is_branch(line) and re.search(rf"\b{quoted}\b[\])]*\s*:\s*$", line, re.IGNORECASE):
        return LineUse.READS  # the colon ends a condition
    if re.search(
        rf"[\w)\]]\[[^\[\]]{{0,80}}\b{quoted}\s*:[^:=]|\?\s[\w.]{{0,80}}\b{quoted}\s:\s", line, re.IGNORECASE
    ):
        return LineUse.READS  # a part of a list, or a choice: `rows[-size:]`, `is_big ? size : 0`
    if _stands_in_call(line, quoted):
        return LineUse.GIVES
    if re.match(rf"\s*(?:[\w.]{{1,80}}(?:\.|->))?{quoted}\s*=(?![=>])", line, re.IGNORECASE):
        return LineUse.SETS  # perhaps to what is read under the same name
    if re.search(rf"\b(?:name|long|dest)\s*[:=]\s*[\"'`]{quoted}[\"'`]", line, re.IGNORECASE):
        return LineUse.OPTION
    taking = re.search(_TAKEN_AS_OPTION.replace("NAME", quoted), line, re.IGNORECASE)
    if taking is not None and not _KEEPS.match(taking[1] or ""):
        return LineUse.OPTION
    handed = re.search(
        rf"(\w{{0,40}})(\(?)(?:[\w.]{{1,80}}, ?)?\s{{0,40}}[\"']{quoted}[\"']\s{{0,40}},", line, re.IGNORECASE
    )
    if handed is None:
        return LineUse.SETS
    if handed[2] and _READING.match(handed[1]):
        return LineUse.READS
    return LineUse.SETS if handed[2] and _SETTING.match(handed[1]) else LineUse.PASSES_ON


def judge_call(name: str) -> LineUse | None:
    """Return what a call does with the name of a variable of the environment; None for any other call."""
    if re.fullmatch(r"(?:set|put|with|insert)?_?env(?:_?var\w*)?|set_var", name, re.IGNORECASE):
        return LineUse.SETS
    return LineUse.TAKES if re.fullmatch(r"(?:get|lookup|read)_?env\w*", name, re.IGNORECASE) else None


def _stands_in_call(line: str, quoted: str) -> bool:
    """Return True if `name: ` stands in the round brackets of a call or a declaration on a line."""
    found = re.search(rf"[(,]\s{{0,40}}{quoted}\s?\??:\s", line, re.IGNORECASE)
    if found is None:
        return False
    opened: list[str] = []
    for char in line[: found.start() + 1]:
        if char in "([{":
            opened.append(char)
        elif char in ")]}" and opened:
            opened.pop()
    return opened[-1:] == ["("]
