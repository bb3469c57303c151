"""The globs of tools' arguments, which choose paths to let in and paths to leave out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from posixpath import commonpath

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.text.lines import unescape_text
from repo_mcp.workspace.globs import PathGlob, expand_braces


class GlobFilter:
    """The `glob` argument of a tool: `*.py`, `src/**`, `**/test_*.py`, `{a,b}`, `!docs/**`. See `globs`.

    An alternative without a wildcard may name a directory, and then stands for its content: `src/core`. One
    that begins with `!` leaves out what the rest of it matches, and all below a directory that it matches,
    whatever the others let in; where all do, every other path is let in: `{*.py,!*test*}`, `!*.md`. `\\!` is
    the character.
    """

    __slots__ = ("_leaves_out", "_lets_in", "folder", "matches")

    def __init__(self, glob: str) -> None:
        """Raises RepoError with INVALID_ARGUMENT for a pattern that `PathGlob` refuses."""
        glob = unescape_text(glob)  # it may be a path as an answer shows it
        try:
            whole = PathGlob(glob)
            alternatives = expand_braces(glob)
            wanted = [one for one in alternatives if not one.startswith("!")]
            unwanted = [one[1:] for one in alternatives if one.startswith("!")]
            self._leaves_out = _match_any(
                unwanted, [one for one in unwanted if not one.endswith(("/", "**"))]
            )
            # below which every match lies; "" for the root
            self.folder = commonpath([PathGlob(one).folder for one in wanted] or [""])
            is_simple = wanted == alternatives and not any(map(_is_plain, wanted))
            self._lets_in = whole.matches if is_simple else _match_any(wanted, filter(_is_plain, wanted))
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


def _match_any(alternatives: Sequence[str], directories: Iterable[str]) -> Callable[[str], bool] | None:
    """Return a test for paths that match one of these, or are below what matches one of the `directories`."""
    patterns = [PathGlob(one) for one in alternatives]
    patterns += [PathGlob(_name_content(one)) for one in directories]
    if len(patterns) == 1:
        return patterns[0].matches
    return (lambda path: any(one.matches(path) for one in patterns)) if patterns else None


def _is_plain(glob: str) -> bool:
    return not any(sign in glob for sign in "*?[\\") and not glob.endswith("/")


def _name_content(directory: str) -> str:
    """Return the pattern of everything below a directory; one without a slash is met at any depth."""
    directory = directory.removeprefix("./")
    return f"{directory}/**" if "/" in directory else f"**/{directory}/**"
