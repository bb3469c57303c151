"""The deny policy: refuses by name alone, and nothing in a repository can weaken it.

The policy receives a relative POSIX path and checks every component. It never looks at the file
system, so its answer does not reveal whether anything exists. A path that ends in a slash is a directory.

The operator may allow some of what `repo_mcp.workspace.denied_names` denies, by globs that are compared with
the path of whatever is denied: of a file, or of a directory on the way to it. Version control and our own
data directory stay denied whatever he allows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from repo_mcp.workspace import globs
from repo_mcp.workspace.denied_names import (
    HINT_OWN,
    OWN_DIRECTORY_NAME,
    OWN_DIRECTORY_RULE,
    Denial,
    find_denial_of,
    fold_name,
    fold_path,
    is_plain,
    list_rules,
)

_MAX_REMEMBERED = 50_000  # directories, about 5 MB; Linux has 5,096


class DenyPolicy:
    """The default rules, what the operator allows of them, and the data directory. Safe for threads."""

    def __init__(
        self, allow_paths: Sequence[str] = (), data_dir_parts: tuple[str, ...] | None = None
    ) -> None:
        """`data_dir_parts` is the data directory's path inside the root, None when it is outside.

        Raises `ValueError` for a glob that `check_allowed` refuses.
        """
        self._allow_paths = tuple(allow_paths)
        self._allowed = tuple(glob for text in allow_paths for glob in check_allowed(text))
        self._data_dir = "/".join(map(fold_name, data_dir_parts)) if data_dir_parts else None
        self._only_names = self._data_dir in (None, OWN_DIRECTORY_NAME)
        self._clean: set[str] = set()  # directories found free of denials

    def find_denial(self, path: str) -> Denial | None:
        """Return the first denial of the path or of a directory above it; None when it may be served."""
        directory, _, name = path.rpartition("/")
        if directory and directory not in self._clean:
            denial = self._find_in_directory(directory)
            if denial is not None:
                return denial
        if not name or (self._only_names and is_plain(name)):
            return None
        return self._find_at(directory, name, is_directory=False)

    def fingerprint(self) -> str:
        """Return a digest of the rules, so that an index built under other rules is not reused."""
        rules = (*list_rules(), self._allow_paths, self._data_dir)
        return hashlib.blake2b(repr(rules).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def _find_in_directory(self, directory: str) -> Denial | None:
        """Return the denial of a directory or of one above it; directories without one are cached."""
        unknown = []
        while directory and directory not in self._clean:
            unknown.append(directory)
            directory = directory.rpartition("/")[0]
        for path in reversed(unknown):
            above, _, name = path.rpartition("/")
            if not (self._only_names and is_plain(name)):
                denial = self._find_at(above, name, is_directory=True)
                if denial is not None:
                    return denial
            if len(self._clean) >= _MAX_REMEMBERED:
                self._clean.clear()
            self._clean.add(path)
        return None

    def _find_at(self, directory: str, name: str, *, is_directory: bool) -> Denial | None:
        """Return the denial of one entry whose directory is not denied."""
        denial = find_denial_of(directory, fold_name(name), is_directory=is_directory)
        if self._only_names and (denial is None or not self._allowed):
            return denial
        path = fold_path(f"{directory}/{name}" if directory else name)
        if path == self._data_dir:
            return Denial(OWN_DIRECTORY_RULE, HINT_OWN, is_final=True)
        if denial is None or denial.is_final or not any(glob.matches(path) for glob in self._allowed):
            return denial
        return None


def check_allowed(text: str) -> tuple[globs.PathGlob, ...]:
    """Return the globs for one of the operator's: `dir/**` and `dir/` allow the directory `dir`, too.

    Raises `ValueError` with the reason for a pattern that no path matches or `globs.PathGlob` refuses.
    """
    folded = fold_path(text)
    for name in folded.split("/"):
        denial = find_denial_of("", name, is_directory=True)
        if denial is not None and denial.is_final:
            raise ValueError("version control and the data directory cannot be allowed")
    # With a slash in front, as the glob itself is compared with the whole path.
    directory = "/" + folded.removesuffix("**").rstrip("/") if folded.endswith(("/", "/**")) else folded
    return globs.PathGlob(folded), globs.PathGlob(directory)
