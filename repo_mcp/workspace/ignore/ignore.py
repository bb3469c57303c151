"""Ignores what Git would, by the `.gitignore` files of one root; and the operator's exclusions.

Rules are read as Git reads them: the deepest file first; within a file the last match wins; `!`
negates; a trailing `/` means directories only; a pattern with another slash is anchored to
its file's directory. Everything in an ignored directory is ignored and cannot be re-included.

How a line is read is described in `repo_mcp.workspace.ignore.lines`, how rules are found quickly in
`repo_mcp.workspace.ignore.layers`.

What Git tracks is not ignored, whatever the files say; only the operator's exclusions leave it out. So an
ignored directory with tracked files below it is walked for their sake.

A repository may be hostile: a pattern that is too long or has too many sets is refused with a warning
before anything compiles it, and none that is taken backtracks.

Left out on purpose: `.git/info/exclude` and the user's global rules (the answer would depend on
the machine).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from repo_mcp.workspace.git.index import NOTHING_TRACKED
from repo_mcp.workspace.git.index_entries import TrackedPaths
from repo_mcp.workspace.ignore.files import (
    IgnoreFacts,
    IgnoreFile,
    add_warning,
    name_ignore_file,
    parse_lines,
    show_ignore_file,
)
from repo_mcp.workspace.ignore.layers import NameRules, RuleFile
from repo_mcp.workspace.ignore.lines import encode_name

MAX_IGNORE_FILE_BYTES = 256 * 1024
MAX_IGNORE_FILES = 10_000  # Linux has 306
# Of all files together, which stay in memory from walk to walk: about 100 MB. Linux has 2,000 rules in 30 kB.
MAX_RULES = 200_000
MAX_TEXT_BYTES = 32 << 20
# Rules in force in one directory that are tried one by one: 0.5 ms for a name, or 26 ms for a deep directory.
MAX_TRIED_RULES = 2_000
CATCH_ALLS_SET_ASIDE = ".gitignore ignores everything: its patterns that match every name are not applied."


class ParsedRules:
    """The ignore files of the last walk of one root: an unchanged one is not parsed again."""

    def __init__(self) -> None:
        self.facts: Mapping[str, IgnoreFacts] = {}  # facts by directory, from the walk of another process
        self.files: dict[str, IgnoreFile] = {}  # parsed files by directory; replaced as a whole
        # The operator's exclusions, parsed, with the warnings.
        self.exclusions: tuple[RuleFile, tuple[str, ...]] | None = None
        # The root's own file, before and after its catch-alls were set aside.
        self.set_aside: tuple[IgnoreFile, IgnoreFile] | None = None


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
        self._below_ignored: dict[str, bool] = {"": False}  # directory -> the rules name it or one above it
        self._files: dict[str, IgnoreFile] = {}
        self._known = known if known is not None else ParsedRules()
        self._parsed: dict[str, IgnoreFile] = {}
        self._rule_count = self._text_bytes = 0
        if self._known.exclusions is None:
            rules, found = parse_lines([encode_name(one) for one in exclude_globs], "the excluded globs")
            self._known.exclusions = RuleFile(0, rules), tuple(found)
        self._exclusions, warnings = self._known.exclusions
        self.warnings += warnings

    def add_file(self, directory: str, text: bytes) -> None:
        """Add the `.gitignore` found in `directory`, "" for the root.

        A file that is too large, or one too many, is left out whole, as is one beyond what all of them may
        hold; a hostile pattern is left out alone. All leave a warning.
        """
        where = show_ignore_file(directory)
        if len(text) > MAX_IGNORE_FILE_BYTES:
            self._warn(f"{where} is not applied: it has more than {MAX_IGNORE_FILE_BYTES} bytes.")
            return
        if len(self._files) >= MAX_IGNORE_FILES:
            self._warn(f"{where} is not applied: there are more than {MAX_IGNORE_FILES} ignore files.")
            return
        if self._rule_count >= MAX_RULES or self._text_bytes + len(text) > MAX_TEXT_BYTES:
            self._warn(f"{where} is not applied: the ignore files have too many patterns together.")
            return
        file = self._find_known(directory, text)
        above = [self._files[one].facts for one in _paths_down_to(directory) if one in self._files]
        if file.facts.tried_count + sum(one.tried_count for one in above) > MAX_TRIED_RULES:
            self._warn(
                f"{where} is not applied: with those of the directories above it there are more than"
                f" {MAX_TRIED_RULES} patterns that can be decided only by trying."
            )
            return
        for warning in file.facts.warnings:
            self._warn(warning)
        self._rule_count += file.facts.rule_count
        self._text_bytes += len(text)
        self._parsed[directory] = self._files[directory] = file

    def _find_known(self, directory: str, text: bytes) -> IgnoreFile:
        """Return the ignore file, parsed already where it was met before."""
        file, facts = self._known.files.get(directory), self._known.facts.get(directory)
        if file is None and facts is None:
            return IgnoreFile(directory, text)
        digest = name_ignore_file(directory, text)
        if file is not None and file.facts.digest == digest:
            return file
        return IgnoreFile(directory, text, facts if facts is not None and facts.digest == digest else None)

    def remember(self) -> None:
        """Keep the parsed rules for the next walk of this root."""
        self._known.files = self._parsed
        self._known.facts = {}

    def find_file(self, directory: str) -> IgnoreFile | None:
        """Return a directory's own ignore file as it is in force, or None."""
        return self._files.get(directory)

    @property
    def has_exclusions(self) -> bool:
        """Return True when the operator excludes anything."""
        return bool(self._exclusions.rules)

    @property
    def has_catch_alls(self) -> bool:
        """Return True when a rule that is in force matches every name in the root."""
        file = self._files.get("")
        return file is not None and file.facts.has_catch_alls

    def may_set_aside(self, name: str) -> bool:
        """Return True when an entry of this name in the root can change which rules are in force.

        While catch-alls are set aside, an entry that the complete rules ignore cannot, like all others there.
        """
        root, whole = self._files.get(""), self._parsed.get("")
        if root is None or whole is None:
            return False
        if whole is root:
            return root.facts.has_catch_alls
        rules = self._apply([whole], "")
        return not (rules.ignored(name, False) and rules.ignored(name, True))

    def names_in(self, directory: str) -> NameRules:
        """Return the rules for the entries of a directory that is not ignored itself."""
        files = [file for path in _paths_down_to(directory) if (file := self._files.get(path)) is not None]
        return self._apply(files, directory)

    def _apply(self, files: Sequence[IgnoreFile], directory: str) -> NameRules:
        """Return the rules of `files` (uppermost first) and the exclusions, for one directory."""
        parts = directory.split("/") if directory else []
        layers = [file.rules.layer_in(parts) for file in reversed(files)]
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
            found = self.names_in(above).named(name, True)  # which asks about the directory above in turn
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
        if file is None or not self.has_catch_alls:
            return False
        known = self._known.set_aside
        if known is None or known[0] is not file:
            known = self._known.set_aside = (file, file.set_catch_alls_aside())
        self._files[""] = known[1]
        self._below_ignored = {"": False}
        return True

    def _warn(self, text: str) -> None:
        add_warning(self.warnings, text)


def _paths_down_to(directory: str) -> list[str]:
    """Return the root and every directory on the way down to this one, itself included."""
    paths = [""]
    at = 0
    while directory and at >= 0:
        at = directory.find("/", at + 1)
        paths.append(directory[:at] if at >= 0 else directory)
    return paths
