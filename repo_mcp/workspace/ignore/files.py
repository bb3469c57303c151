"""One ignore file: its identity, and its rules, parsed when a name is first checked by them.

Most walks check no name, because they know all names from the previous walk (`walk_memory`). So the facts
that such a walk needs are kept beside the identity, from process to process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from repo_mcp.record_classes import dataclass, replace
from repo_mcp.workspace.ignore.layers import Rule, RuleFile, is_looked_up
from repo_mcp.workspace.ignore.lines import HostilePattern, parse_line

IGNORE_NAME = ".gitignore"
MAX_PATTERNS_PER_FILE = 10_000
MAX_UNINDEXED_PATTERNS = 1_000  # Most patterns of a file that must be tried one by one for every name
MAX_WARNINGS = 20
DIGEST_BYTES = 16
SYNTAX_VERSION = 2  # raise it when the same lines come to mean something else
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SET_ASIDE = b"without catch-alls"


@dataclass(frozen=True, slots=True)
class IgnoreFacts:
    """The identity of an ignore file, and what its rules amount to."""

    digest: bytes  # DIGEST_BYTES, of its directory and text
    rule_count: int
    tried_count: int  # how many of the rules are tried one by one
    has_catch_alls: bool  # a rule that matches every name in the file's directory
    warnings: tuple[str, ...]  # warnings from parsing it


class IgnoreFile:
    """The ignore file of one directory. Threads may share it: to parse it twice does no harm."""

    __slots__ = ("_directory", "_rules", "_text", "_whole", "facts")

    def __init__(self, directory: str, text: bytes, facts: IgnoreFacts | None = None) -> None:
        """Without `facts`, which are those of an equal file, it is parsed at once."""
        self._directory = directory
        self._text = text
        self._rules: RuleFile | None = None
        self._whole: IgnoreFile | None = None  # the whole file, of which this object is a part
        if facts is None:
            rules, warnings = self._parse()
            digest = name_ignore_file(directory, text)
            tried = sum(not is_looked_up(rule) for rule in rules)
            facts = IgnoreFacts(digest, len(rules), tried, any(map(is_catch_all, rules)), tuple(warnings))
        self.facts = facts

    @property
    def rules(self) -> RuleFile:
        """Return the parsed rules."""
        if self._rules is None and self._whole is not None:
            kept = [rule for rule in self._whole.rules.rules if not is_catch_all(rule)]
            self._rules = RuleFile(_count_parts(self._directory), kept)
        elif self._rules is None:
            self._parse()
        assert self._rules is not None
        return self._rules

    def set_catch_alls_aside(self) -> IgnoreFile:
        """Return the same file without its rules that match every name in its directory, not parsed."""
        digest = name_ignore_file(self._directory, self.facts.digest + _SET_ASIDE)
        facts = replace(self.facts, digest=digest, has_catch_alls=False, warnings=())
        other = IgnoreFile(self._directory, b"", facts)
        other._whole = self
        return other

    def _parse(self) -> tuple[list[Rule], list[str]]:
        lines = self._text.removeprefix(_BYTE_ORDER_MARK).split(b"\n")
        rules, warnings = parse_lines(lines, show_ignore_file(self._directory))
        self._rules = RuleFile(_count_parts(self._directory), rules)
        return rules, warnings


def show_ignore_file(directory: str) -> str:
    """Return the path of the ignore file of a directory, as warnings name it."""
    path = f"{directory}/{IGNORE_NAME}" if directory else IGNORE_NAME
    return path if path.isprintable() else ascii(path)


def name_ignore_file(directory: str, text: bytes) -> bytes:
    """Return the digest by which the ignore file of a directory is recognised."""
    return hashlib.blake2b(
        directory.encode("utf-8", "surrogatepass") + b"\0" + text, digest_size=DIGEST_BYTES
    ).digest()


def parse_lines(lines: Sequence[bytes], where: str) -> tuple[list[Rule], list[str]]:
    """Return the rules of the lines of a file, and warnings, which name it as `where`."""
    rules: list[Rule] = []
    warnings: list[str] = []
    unindexed = 0
    for number, line in enumerate(lines):
        try:
            found = parse_line(line, len(rules))
        except HostilePattern as fault:
            add_warning(warnings, f"{where}: line {number + 1} is not applied: {fault}.")
            continue
        unindexed += sum(not is_looked_up(rule) for rule in found)
        if len(rules) + len(found) > MAX_PATTERNS_PER_FILE or unindexed > MAX_UNINDEXED_PATTERNS:
            add_warning(
                warnings, f"{where} is not applied from line {number + 1} on: it has too many patterns."
            )
            break
        rules += found
    return rules, warnings


def add_warning(warnings: list[str], text: str) -> None:
    """Add a warning about ignore files; after MAX_WARNINGS there is only one more, which says so."""
    if len(warnings) < MAX_WARNINGS:
        warnings.append(text)
    elif len(warnings) == MAX_WARNINGS:
        warnings.append("More ignore patterns were not applied.")


def is_catch_all(rule: Rule) -> bool:
    """Return True for a rule that ignores every name in its file's directory."""
    return not rule.negated and not rule.above and rule.name.matches_all


def _count_parts(directory: str) -> int:
    return directory.count("/") + 1 if directory else 0
