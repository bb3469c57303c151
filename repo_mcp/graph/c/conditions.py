"""The conditions of the preprocessor: those around a line of C, and whether two lines exclude each other.

A name certainly means a declaration only if every condition around the declaration also holds at the use.
Declarations that exclude each other are alternatives: each is meant where it is compiled.

The platforms of a line follow from the conditions around it and from where its file lies: `#ifdef _WIN32`,
`src/win/fs.c` and `darwin-syscalls.h` name a platform each. For each platform a condition is true, false or
unknown, since most macros belong to no platform.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from functools import lru_cache

import numpy as np

from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.model import CONDITIONS
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolRecord

_NAMES = (
    "windows", "cygwin", "linux", "android", "darwin", "freebsd", "netbsd", "openbsd", "dragonfly", "sunos",
    "aix", "zos", "haiku", "hurd", "qnx", "other",
)  # fmt: skip
_BIT = {name: 1 << number for number, name in enumerate(_NAMES)}
ALL = (1 << len(_NAMES)) - 1
_BSD = _BIT["freebsd"] | _BIT["netbsd"] | _BIT["openbsd"] | _BIT["dragonfly"]
_UNIX = ALL & ~_BIT["windows"]
_LINUX = _BIT["linux"] | _BIT["android"]

# The platforms of a word in a path. Words with other meanings too, such as "mac", are left out.
_WORDS: Mapping[str, int] = {
    **{name: bit for name, bit in _BIT.items() if name not in {"other", "linux"}},
    "win": _BIT["windows"], "win32": _BIT["windows"], "winnt": _BIT["windows"], "msvc": _BIT["windows"],
    "mingw": _BIT["windows"], "linux": _LINUX, "macos": _BIT["darwin"], "osx": _BIT["darwin"],
    "bsd": _BSD | _BIT["darwin"], "kqueue": _BSD | _BIT["darwin"], "solaris": _BIT["sunos"],
    "ibmi": _BIT["aix"], "os390": _BIT["zos"], "unix": _UNIX, "posix": _UNIX,
}  # fmt: skip
# The platforms that always define a macro, and those that may define it.
_MACROS: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(("_WIN32", "WIN32", "__WIN32__"), (_BIT["windows"], _BIT["windows"])),
    **dict.fromkeys(("_WIN64", "WIN64", "_MSC_VER", "__MINGW32__", "__MINGW64__"), (0, _BIT["windows"])),
    **dict.fromkeys(("__CYGWIN__", "__MSYS__"), (_BIT["cygwin"], _BIT["cygwin"])),
    **dict.fromkeys(("__linux__", "__linux", "linux"), (_LINUX, _LINUX)),
    "__ANDROID__": (_BIT["android"], _BIT["android"]),
    "__GLIBC__": (0, _BIT["linux"] | _BIT["hurd"] | _BIT["other"]),
    "__APPLE__": (_BIT["darwin"], _BIT["darwin"]),
    "__FreeBSD__": (_BIT["freebsd"], _BIT["freebsd"]),
    "__NetBSD__": (_BIT["netbsd"], _BIT["netbsd"]),
    "__OpenBSD__": (_BIT["openbsd"], _BIT["openbsd"]),
    "__DragonFly__": (_BIT["dragonfly"], _BIT["dragonfly"]),
    **dict.fromkeys(("__sun", "__sun__", "sun"), (_BIT["sunos"], _BIT["sunos"])),
    "_AIX": (_BIT["aix"], _BIT["aix"]),
    "__PASE__": (0, _BIT["aix"]),
    "__MVS__": (_BIT["zos"], _BIT["zos"]),
    "__HAIKU__": (_BIT["haiku"], _BIT["haiku"]),
    "__GNU__": (_BIT["hurd"], _BIT["hurd"]),
    **dict.fromkeys(("__QNX__", "__QNXNTO__"), (_BIT["qnx"], _BIT["qnx"])),
    **dict.fromkeys(("__unix__", "__unix", "unix"), (_LINUX | _BSD | _BIT["sunos"], _UNIX)),
}
_TOKEN = re.compile(r"defined\((\w+)\)|(\w+)|(&&|\|\||!(?!=)|[()])|(\s+)|(.)")
_WORD = re.compile(r"\w+")
_PATH_WORD = re.compile(r"[^\W_]+")

Token = tuple[str | None, str | None, str | None]  # name inside `defined()`, word, operator or parenthesis
Truth = tuple[int, int]  # bit masks: platforms on which a condition is certainly true, and on which it may be
_UNKNOWN: Truth = (0, ALL)
MAX_NESTING = 20


@dataclass(frozen=True, slots=True)
class Setting:
    """The conditions under which a line is compiled."""

    conditions: frozenset[str] = frozenset()  # as written
    platforms: int = ALL  # for which the line may be compiled, by the conditions and the path of its file
    by_conditions: int = ALL  # the same by the conditions alone


def read_setting(path: str, conditions: Iterable[str]) -> Setting:
    """Return the setting of lines in a file, given the conditions around them."""
    held = frozenset(conditions)
    by_conditions = ALL
    for one in held:
        by_conditions &= read_condition(one)[1]
    return Setting(held, by_conditions & read_path(path), by_conditions)


class Settings:
    """The settings of the lines of files. Caches what it reads."""

    def __init__(self) -> None:
        self._by_path: dict[str, tuple[list[int], list[Setting]]] = {}

    def find(self, scope: FileScope, line: int) -> Setting:
        """Return the setting of a line."""
        if scope.path not in self._by_path:
            self._by_path[scope.path] = read_settings(scope.path, scope.record)
        lines, settings = self._by_path[scope.path]
        return settings[bisect_right(lines, line)]

    def find_declared(self, scope: FileScope, ordinal: int) -> Setting:
        """Return the setting of a symbol's first line."""
        return self.find(scope, int(scope.record.starts[ordinal]))


def read_settings(path: str, record: SymbolRecord) -> tuple[list[int], list[Setting]]:
    """Return the lines at which conditions change, and the settings before, between and after these."""
    known = {"": read_setting(path, ())}
    (mark,) = record.string_table.find_all([CONDITIONS])
    if mark is None:
        return [], [known[""]]
    rows = np.flatnonzero((record.ref_aliases == mark) & (record.ref_roles == int(ReferenceRole.BIND)))
    names = record.string_table.get(record.ref_names[rows].tolist())
    for name in dict.fromkeys(names):
        if name not in known:
            known[name] = read_setting(path, name.split(";"))
    return record.ref_lines[rows].tolist(), [known[""], *(known[name] for name in names)]


def excludes(one: Setting, other: Setting) -> bool:
    """Return whether two lines are never compiled together."""
    return not one.platforms & other.platforms or excludes_surely(one, other)


def excludes_surely(one: Setting, other: Setting) -> bool:
    """Return whether two lines exclude each other by conditions alone; paths only follow conventions."""
    if not one.by_conditions & other.by_conditions:
        return True
    return _contradicts(one.conditions, other.conditions) or _contradicts(other.conditions, one.conditions)


def _contradicts(conditions: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether one of the conditions is the opposite of others."""
    for one in conditions:
        if one.startswith("!("):
            denied = one[2:-1]
            if denied in others or others.issuperset(denied.split(" && ")):
                return True
        elif one.startswith("!") and one[1:] in others:
            return True
    return False


def lacks_condition(use: Setting, declared: Setting) -> bool:
    """Return whether a declaration has a condition that is not known to hold at its use."""
    return any(
        use.platforms & ~read_condition(one)[0] for one in declared.conditions if one not in use.conditions
    )


def is_narrower(one: Setting, other: Setting) -> bool:
    """Return whether one line is compiled for a part of the platforms of the other, its fallback."""
    both = one.platforms & other.platforms
    return one.platforms != other.platforms and both in {one.platforms, other.platforms}


@lru_cache(4096)
def read_path(path: str) -> int:
    """Return the platforms (bits) that the words of a path name; all if they name none."""
    left = ALL
    for word in _PATH_WORD.findall(path.lower()):
        mask = _WORDS.get(word, ALL)
        left = left & mask or mask
    return left


@lru_cache(4096)
def read_condition(text: str) -> Truth:
    """Return the platforms on which a condition certainly holds, and those on which it may."""
    if not any(one in _MACROS or one[0].isdigit() for one in _WORD.findall(text)):
        return _UNKNOWN  # most ask for a setting of the program, or guard a header
    found = (one for one in _TOKEN.finditer(text) if not one.group(4))
    tokens: list[Token] = [(one.group(1), one.group(2), one.group(3)) for one in found]
    truth, end = _read_any(tokens, 0, 0)
    return truth if end == len(tokens) else (0, truth[1] if end else ALL)


def _read_any(tokens: list[Token], at: int, depth: int) -> tuple[Truth, int]:
    (sure, may), at = _read_all(tokens, at, depth)
    while at < len(tokens) and tokens[at][2] == "||":
        (more_sure, more), at = _read_all(tokens, at + 1, depth)
        sure, may = sure | more_sure, may | more
    return (sure, may), at


def _read_all(tokens: list[Token], at: int, depth: int) -> tuple[Truth, int]:
    (sure, may), at = _read_one(tokens, at, depth)
    while at < len(tokens) and tokens[at][2] == "&&":
        (more_sure, more), at = _read_one(tokens, at + 1, depth)
        sure, may = sure & more_sure, may & more
    return (sure, may), at


def _read_one(tokens: list[Token], at: int, depth: int) -> tuple[Truth, int]:
    """Return the truth of one operand, and the next position; comparisons are unknown."""
    if at >= len(tokens) or depth > MAX_NESTING:
        return _UNKNOWN, len(tokens) + 1
    asked, word, mark = tokens[at]
    truth = _UNKNOWN
    if mark == "!":
        (sure, may), at = _read_one(tokens, at + 1, depth + 1)
        return (ALL & ~may, ALL & ~sure), at
    if mark == "(":
        truth, at = _read_any(tokens, at + 1, depth + 1)
    elif asked is not None:
        truth = _MACROS.get(asked, _UNKNOWN)
    elif word is not None and word.isdigit():
        truth = (ALL, ALL) if int(word[:18]) else (0, 0)
    elif word is not None:
        truth = 0, _MACROS.get(word, _UNKNOWN)[1]  # its value counts: 0 where it is not defined
    at += 1
    is_computed = False
    while at < len(tokens) and tokens[at][2] not in {"&&", "||", ")"}:
        is_computed = True
        at += 1
        if tokens[at - 1][2] == "(":
            _, at = _read_any(tokens, at, depth + 1)
            at += 1
    return (_UNKNOWN if is_computed else truth), at
