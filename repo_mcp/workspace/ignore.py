"""Ignores what Git would, by the `.gitignore` files of one root; and the operator's exclusions.

Rules are read as Git reads them: the deepest file first; within a file the last match wins; `!`
negates; a trailing `/` means directories only; a pattern with another slash is anchored to
its file's directory. Everything in an ignored directory is ignored and cannot be re-included.

How a line is read is described in `repo_mcp.workspace.ignore_lines`, how rules are found quickly in
`repo_mcp.workspace.ignore_layers`.

What Git tracks is not ignored, whatever the files say; only the operator's exclusions leave it out. So an
ignored directory with tracked files below it is walked for their sake.

A repository may be hostile: a pattern that is too long or has too many sets is refused with a warning
before anything compiles it, and none that is taken backtracks.

Left out on purpose: `.git/info/exclude` and the user's global rules (the answer would depend on
the machine).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.workspace import globs
from repo_mcp.workspace.git_index import NOTHING_TRACKED, TrackedPaths
from repo_mcp.workspace.ignore_layers import NameRules, Rule, RuleFile
from repo_mcp.workspace.ignore_lines import HostilePattern, encode_name, parse_line

MAX_IGNORE_FILE_BYTES = 256 * 1024
MAX_PATTERNS_PER_FILE = 10_000
MAX_IGNORE_FILES = 10_000  # Linux has 306
MAX_KNOWN_RULES = 100_000  # cached from walk to walk, about 50 MB; Linux has 2,000
MAX_UNINDEXED_PATTERNS = 1_000  # per file: neither a whole name nor `*.extension`
CATCH_ALLS_SET_ASIDE = ".gitignore ignores everything: its patterns that match every name are not applied"
_MAX_WARNINGS = 20


@dataclass(frozen=True, slots=True)
class _Parsed:
    """A parsed ignore file."""

    digest: bytes  # of its text
    rules: RuleFile
    warnings: tuple[str, ...]


class ParsedRules:
    """The rules parsed in the last walk of one root: an unchanged ignore file is not parsed again.

    Its rule objects stay the same, so that results derived from them can be recognised as current.
    """

    def __init__(self) -> None:
        self.files: dict[str, _Parsed] = {}  # by directory; replaced as a whole
        self.exclusions: _Parsed | None = None
        self.set_aside: tuple[RuleFile, RuleFile] | None = None  # the root's rules, before and after


class IgnoreRules:
    """The rules of one root, collected directory by directory as the walk descends. For one thread."""

    warnings: list[str]

    def __init__(
        self,
        exclude_globs: Sequence[str] = (),
        known: ParsedRules | None = None,
        tracked: TrackedPaths = NOTHING_TRACKED,
    ) -> None:
        """`exclude_globs` are patterns of the same syntax, applied at the root; no file can negate them.

        `known` holds the parsed rules of the same root and globs.
        """
        self.warnings = []
        self.tracked = tracked
        self._tracked = tracked if tracked.starts else None
        self._below_ignored: dict[str, bool] = {"": False}  # directories, by what was found out about them
        self._files: dict[str, RuleFile] = {}
        self._known = known if known is not None else ParsedRules()
        self._parsed: dict[str, _Parsed] = {}
        self._rule_count = 0
        exclusions = self._known.exclusions
        if exclusions is None:
            exclusions = self._parse(
                [encode_name(one) for one in exclude_globs], "the excluded globs", 0, b""
            )
            self._known.exclusions = exclusions
        self.warnings += exclusions.warnings
        self._exclusions = exclusions.rules

    def add_file(self, directory: str, text: bytes) -> None:
        """Add the `.gitignore` found in `directory`, "" for the root.

        A file that is too large, or one too many, is left out whole; a hostile pattern is left out alone.
        Both leave a warning.
        """
        where = f"{directory}/.gitignore" if directory else ".gitignore"
        if len(text) > MAX_IGNORE_FILE_BYTES:
            self._warn(f"{_shown(where)} not applied: more than {MAX_IGNORE_FILE_BYTES} bytes")
            return
        if len(self._files) >= MAX_IGNORE_FILES:
            self._warn(f"{_shown(where)} not applied: more than {MAX_IGNORE_FILES} ignore files")
            return
        digest = hashlib.blake2b(text, digest_size=32).digest()
        parsed = self._known.files.get(directory)
        if parsed is None or parsed.digest != digest:
            lines = text.removeprefix(b"\xef\xbb\xbf").split(b"\n")
            depth = directory.count("/") + 1 if directory else 0
            parsed = self._parse(lines, _shown(where), depth, digest)
        for warning in parsed.warnings:
            self._warn(warning)
        self._rule_count += len(parsed.rules.rules)
        if self._rule_count <= MAX_KNOWN_RULES:
            self._parsed[directory] = parsed
        self._files[directory] = parsed.rules

    def remember(self) -> None:
        """Keep the parsed rules for the next walk of this root."""
        self._known.files = self._parsed

    def find_file(self, directory: str) -> RuleFile | None:
        """Return the rules in force from a directory's own ignore file, or None."""
        return self._files.get(directory)

    def may_set_aside(self, name: str) -> bool:
        """Return True when an entry of this name in the root can change which rules are in force.

        While catch-alls are set aside, an entry that the complete rules ignore cannot, like all others there.
        """
        root = self._files.get("")
        whole = self._parsed.get("")
        if root is None:
            return False
        if whole is None:
            return True
        if whole.rules is root:
            return any(map(_is_catch_all, root.rules))
        rules = self._apply([whole.rules], "")
        return not (rules.ignored(name, False) and rules.ignored(name, True))

    def names_in(self, directory: str) -> NameRules:
        """Return the rules for the entries of a directory that is not ignored itself."""
        files = [file for path in _paths_down_to(directory) if (file := self._files.get(path)) is not None]
        return self._apply(files, directory)

    def _apply(self, files: Sequence[RuleFile], directory: str) -> NameRules:
        """Return the rules of `files` (uppermost first) and the exclusions, for one directory."""
        parts = directory.split("/") if directory else []
        layers = [file.layer_in(parts) for file in reversed(files)]
        return NameRules(
            tuple(layers),
            self._exclusions.layer_in(parts) if self._exclusions.rules else None,
            self._tracked,
            directory + "/" if directory else "",
            is_below_ignored=self._tracked is not None and self._is_below_ignored(directory),
        )

    def _is_below_ignored(self, directory: str) -> bool:
        """Return True when the rules name the directory or one above it, so that only tracked files count."""
        found = self._below_ignored.get(directory)
        if found is None:
            above, _, name = directory.rpartition("/")
            found = self.names_in(above).named(name, True)  # asks of the directories above in turn
            self._below_ignored[directory] = found
        return found

    def ignored(self, path: str, is_directory: bool) -> bool:
        """Return True when the path or a directory above it is ignored, by the files added so far."""
        directory, _, name = path.rpartition("/")
        if directory and self.ignored(directory, True):
            return True
        return self.names_in(directory).ignored(name, is_directory)

    def set_aside_catch_alls(self) -> bool:
        """Drop the root's own rules that match every name there; return True when there were any.

        Such a rule serves to keep files that are present out of version control, as in a packaged
        source tree; taken literally it would leave an empty index.
        """
        file = self._files.get("")
        if file is None:
            return False
        known = self._known.set_aside
        if known is None or known[0] is not file:
            kept = [rule for rule in file.rules if not _is_catch_all(rule)]
            known = self._known.set_aside = (file, RuleFile(0, kept))
        self._files[""] = known[1]
        self._below_ignored = {"": False}
        return len(known[1].rules) < len(file.rules)

    def _parse(self, lines: Sequence[bytes], where: str, depth: int, digest: bytes) -> _Parsed:
        before, self.warnings = self.warnings, []
        rules = self._parse_lines(lines, where)
        found, self.warnings = self.warnings, before
        return _Parsed(digest, RuleFile(depth, rules), tuple(found))

    def _parse_lines(self, lines: Sequence[bytes], where: str) -> list[Rule]:
        rules: list[Rule] = []
        unindexed = 0
        for number, line in enumerate(lines):
            try:
                found = parse_line(line, len(rules))
            except HostilePattern as fault:
                self._warn(f"{where}: line {number + 1} not applied: {fault}")
                continue
            unindexed += sum(rule.name.literal is None and rule.name.extension is None for rule in found)
            if len(rules) + len(found) > MAX_PATTERNS_PER_FILE or unindexed > MAX_UNINDEXED_PATTERNS:
                self._warn(f"{where}: not applied from line {number + 1} on: too many patterns")
                break
            rules += found
        return rules

    def _warn(self, text: str) -> None:
        if len(self.warnings) < _MAX_WARNINGS:
            self.warnings.append(text)
        elif len(self.warnings) == _MAX_WARNINGS:
            self.warnings.append("more ignore patterns were not applied")


def _is_catch_all(rule: Rule) -> bool:
    return not rule.negated and not rule.above and rule.name.matches_all


class GlobFilter:
    """The `glob` argument of a tool: `*.py`, `src/**`, `**/test_*.py`, `{a,b}`, `!docs/**`. See `globs`.

    An alternative without a wildcard may name a directory, and then stands for its content: `src/core`. One
    that begins with `!` leaves out what the rest of it matches, whatever the others let in; where all do,
    every other path is let in: `{*.py,!tests/**}`, `!*.md`. `\\!` is the character.
    """

    __slots__ = ("_leaves_out", "_lets_in", "matches")

    def __init__(self, glob: str) -> None:
        """Raises RepoError with INVALID_ARGUMENT for a pattern that `globs.PathGlob` refuses."""
        try:
            whole = globs.PathGlob(glob)
            alternatives = globs.expand_braces(glob)
            wanted = [one for one in alternatives if not one.startswith("!")]
            self._leaves_out = _match_any([one[1:] for one in alternatives if one.startswith("!")])
            is_simple = wanted == alternatives and not any(map(_is_plain, wanted))
            self._lets_in = whole.matches if is_simple else _match_any(wanted)
        except ValueError as fault:
            raise RepoError(
                ErrorCode.INVALID_ARGUMENT,
                f"The glob cannot be used: {fault}.",
                "Use a pattern such as *.py, src/**, **/test_*.py or !docs/**.",
            ) from None
        # returns True when a relative path matches; most have nothing to leave out
        self.matches = self._lets_in if self._leaves_out is None and self._lets_in else self.matches_either

    def matches_either(self, path: str, other: str | None = None) -> bool:
        """Return True when one of two names of a file is let in, and neither is left out."""
        names = (path,) if other is None else (path, other)
        if self._leaves_out is not None and any(map(self._leaves_out, names)):
            return False
        return self._lets_in is None or any(map(self._lets_in, names))


def _match_any(alternatives: Sequence[str]) -> Callable[[str], bool] | None:
    """Return what tells whether a path matches one of these, or lies below one that names a directory."""
    patterns = [globs.PathGlob(one) for one in alternatives]
    patterns += [globs.PathGlob(_name_content(one)) for one in alternatives if _is_plain(one)]
    if len(patterns) == 1:
        return patterns[0].matches
    return (lambda path: any(one.matches(path) for one in patterns)) if patterns else None


def _is_plain(glob: str) -> bool:
    return not any(sign in glob for sign in "*?[\\") and not glob.endswith("/")


def _name_content(directory: str) -> str:
    """Return the pattern of everything below a directory; one without a slash is met at any depth."""
    directory = directory.removeprefix("./")
    return f"{directory}/**" if "/" in directory else f"**/{directory}/**"


def _paths_down_to(directory: str) -> list[str]:
    """Return the root and every directory on the way down to this one, itself included."""
    paths = [""]
    at = 0
    while directory and at >= 0:
        at = directory.find("/", at + 1)
        paths.append(directory[:at] if at >= 0 else directory)
    return paths


def _shown(path: str) -> str:
    return path if path.isprintable() else ascii(path)
