"""The deny policy: refuses by name alone, and no other rule can override it.

The policy receives a relative POSIX path and checks every component. It never looks at the file
system, so its answer does not reveal whether anything exists. It cannot be switched off, and
nothing in a repository can weaken it.

Names are compared in folded form on every platform, because a repository met on Linux may be on a file
system that folds names: NFKC, casefold, invisible characters dropped, everything from a `:` on cut off
(an NTFS stream), dots and spaces at the end dropped. Look-alikes from other scripts are different
names and stay allowed.

Left out on purpose: guesses by content, and armoured keys called merely `*.asc`, an extension
that documents use too.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from repo_mcp.workspace import globs

OWN_DIRECTORY_RULE = "own data directory"
OWN_DIRECTORY_NAME = ".repo_mcp"

_HINT = "The file may hold secrets and is never served. Ask the user for what you need from it."
_HINT_CONTROL = "Files of version control are never served. Ask for files of the work tree."
_HINT_OWN = "This is the index, not the repository. Ask for other files."

_CONTROL_NAMES = frozenset({".git", ".hg", ".svn"})
_SECRET_NAMES = frozenset(
    {
        ".env",
        ".envrc",
        ".netrc",
        "_netrc",
        ".npmrc",
        ".pypirc",
        ".git-credentials",
        ".htpasswd",
        ".pgpass",
        ".ssh",
        ".gnupg",
    }
)
_ENV_EXAMPLES = frozenset({".env.example", ".env.sample", ".env.template", ".env.dist"})
_SECRET_PREFIXES = (".env.", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "secrets.")
_SECRET_SUFFIXES = (
    ".pem",
    ".key",
    ".pfx",
    ".p12",
    ".pkcs12",
    ".ppk",
    ".jks",
    ".keystore",
    ".kdbx",
)
_PRIVATE_ASC = re.compile(r"(?s).*(?:priv|secret).*\.asc$")
# 8.3 aliases of denied names, including the hashed form that NTFS falls back to for `.git`.
_SHORT_CONTROL = re.compile(r"(?:git|gi7eba|hg|svn)~\d+$")
_SHORT_SECRET = re.compile(
    r"(?:env\w*|_?netrc|npmrc|pypirc|pgpass|gitcre|htpass|ssh|gnupg|secret\w*|id_(?:rsa|dsa|ecd|ed2)\w*)~\d+(?:\.|$)"
    r"|.*~\d+\.(?:kdb|pkc)$"
)
# Not of category Cf, but just as invisible: NFKC_Casefold drops these too.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)

# An ASCII name with other starts and ends, and without a tilde or colon, cannot match a rule.
_SUSPECT_STARTS = (".", "_netrc", "id_", "secrets.", "credentials")
_MAX_REMEMBERED = 50_000  # directories, about 5 MB; Linux has 5,096
_SUSPECT_ENDS = (*_SECRET_SUFFIXES, ".asc", ".", " ")


@dataclass(frozen=True, slots=True)
class Denial:
    """The rule that denies a path, and advice for the client."""

    rule: str  # the rule's name, such as `*.pem`
    hint: str  # what a client may do instead


class DenyPolicy:
    """The default rules, the operator's globs and the data directory. Immutable; safe for threads."""

    def __init__(
        self, extra_globs: Sequence[str] = (), data_dir_parts: tuple[str, ...] | None = None
    ) -> None:
        """`data_dir_parts` is the data directory's path inside the root, None when it is outside.

        Raises `ValueError` for a glob that `globs.PathGlob` refuses.
        """
        self._extra = tuple((text, globs.PathGlob(fold_path(text))) for text in extra_globs)
        self._data_dir = "/".join(map(fold_name, data_dir_parts)) if data_dir_parts else None
        self._only_names = not self._extra and self._data_dir in (None, OWN_DIRECTORY_NAME)
        self._clean: set[str] = set()  # directories found free of denials

    def find_denial(self, path: str) -> Denial | None:
        """Return the first denial of the path or of a directory above it; None when it may be served."""
        directory, _, name = path.rpartition("/")
        if directory and directory not in self._clean:
            denial = self._find_in_directory(directory)
            if denial is not None:
                return denial
        if self._only_names and _is_plain(name):
            return None
        return self._find_at(directory, name)

    def fingerprint(self) -> str:
        """Return a digest of the rules, so that an index built under other rules is not reused."""
        rules = (
            sorted(_CONTROL_NAMES | _SECRET_NAMES),
            sorted(_ENV_EXAMPLES),
            _SECRET_PREFIXES,
            _SECRET_SUFFIXES,
            (_PRIVATE_ASC.pattern, _SHORT_CONTROL.pattern, _SHORT_SECRET.pattern, _INVISIBLE.pattern),
            [text for text, _ in self._extra],
            self._data_dir,
        )
        return hashlib.blake2b(repr(rules).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def _find_in_directory(self, directory: str) -> Denial | None:
        """Return the denial of a directory or of one above it; directories without one are cached."""
        unknown = []
        while directory and directory not in self._clean:
            unknown.append(directory)
            directory = directory.rpartition("/")[0]
        for path in reversed(unknown):
            above, _, name = path.rpartition("/")
            denial = self._find_at(above, name)
            if denial is not None:
                return denial
            if len(self._clean) >= _MAX_REMEMBERED:
                self._clean.clear()
            self._clean.add(path)
        return None

    def _find_at(self, directory: str, name: str) -> Denial | None:
        """Return the denial of one entry whose directory is not denied."""
        denial = _find_by_name(fold_name(name))
        if denial is not None or not (self._extra or self._data_dir or directory):
            return denial
        folded = fold_path(f"{directory}/{name}" if directory else name)
        if folded == self._data_dir:
            return Denial(OWN_DIRECTORY_RULE, _HINT_OWN)
        if folded == ".aws/credentials" or folded.endswith("/.aws/credentials"):
            return Denial(".aws/credentials", _HINT)
        for text, glob in self._extra:
            if glob.matches(folded):
                return Denial(text, _HINT)
        return None


def fold_name(name: str) -> str:
    """Return the form in which one component is compared."""
    folded = name.lower() if name.isascii() else _fold_unicode(name)
    return folded.partition(":")[0].rstrip(". ")


def fold_path(path: str) -> str:
    """Return the form in which a whole path is compared."""
    return "/".join(map(fold_name, path.split("/")))


def _fold_unicode(name: str) -> str:
    """Apply NFKC and casefold and drop invisible characters, repeated up to 4 times until stable."""
    for _ in range(4):
        shown = _INVISIBLE.sub("", unicodedata.normalize("NFKC", name).casefold())
        folded = "".join(char for char in shown if unicodedata.category(char) != "Cf")
        if folded == name:
            break
        name = folded
    return name


def _is_plain(name: str) -> bool:
    """Return True when no name rule can match. Saves folding nearly every name; a test checks it."""
    if not name.isascii() or "~" in name or ":" in name:
        return False
    lowered = name.lower()
    return not lowered.startswith(_SUSPECT_STARTS) and not lowered.endswith(_SUSPECT_ENDS)


def _find_by_name(folded: str) -> Denial | None:
    """Return the denial of one folded component, wherever it is in a path."""
    if folded in _CONTROL_NAMES:
        return Denial(folded, _HINT_CONTROL)
    if folded in _SECRET_NAMES:
        return Denial(folded, _HINT)
    if folded == OWN_DIRECTORY_NAME:
        return Denial(OWN_DIRECTORY_RULE, _HINT_OWN)
    if folded.startswith(_SECRET_PREFIXES) and folded not in _ENV_EXAMPLES:
        rule = next(prefix for prefix in _SECRET_PREFIXES if folded.startswith(prefix))
        return Denial(f"{rule}*", _HINT)
    if folded.endswith(_SECRET_SUFFIXES):
        rule = next(suffix for suffix in _SECRET_SUFFIXES if folded.endswith(suffix))
        return Denial(f"*{rule}", _HINT)
    if _PRIVATE_ASC.match(folded):
        return Denial("*priv*.asc", _HINT)
    if "~" in folded:
        if _SHORT_CONTROL.match(folded):
            return Denial("git~1", _HINT_CONTROL)
        if _SHORT_SECRET.match(folded):
            return Denial("short name of a denied file", _HINT)
    return None
