"""The platforms for which a line of C is compiled: by the conditions around it, and by where its file lies.

`#ifdef _WIN32`, `src/win/fs.c` and `darwin-syscalls.h` say a platform each. A condition has three answers for
each platform, as most macros are of no platform: yes, no, and unknown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

_NAMES = (
    "windows", "cygwin", "linux", "android", "darwin", "freebsd", "netbsd", "openbsd", "dragonfly", "sunos",
    "aix", "zos", "haiku", "hurd", "qnx", "other",
)  # fmt: skip
_BIT = {name: 1 << number for number, name in enumerate(_NAMES)}
ALL = (1 << len(_NAMES)) - 1
_BSD = _BIT["freebsd"] | _BIT["netbsd"] | _BIT["openbsd"] | _BIT["dragonfly"]
_UNIX = ALL & ~_BIT["windows"]
_LINUX = _BIT["linux"] | _BIT["android"]

# The platforms of a word in a path. A word that is used for other things, such as "mac", is none.
_WORDS: Mapping[str, int] = {
    **{name: bit for name, bit in _BIT.items() if name not in {"other", "linux"}},
    "win": _BIT["windows"], "win32": _BIT["windows"], "winnt": _BIT["windows"], "msvc": _BIT["windows"],
    "mingw": _BIT["windows"], "linux": _LINUX, "macos": _BIT["darwin"], "osx": _BIT["darwin"],
    "bsd": _BSD | _BIT["darwin"], "kqueue": _BSD | _BIT["darwin"], "solaris": _BIT["sunos"],
    "ibmi": _BIT["aix"], "os390": _BIT["zos"], "unix": _UNIX, "posix": _UNIX,
}  # fmt: skip
# The platforms that define a macro always, and those that may.
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
_PATH_WORD = re.compile(r"[^\W_]+")

Token = tuple[str | None, str | None, str | None]  # what is asked to be defined, a word, a mark
Truth = tuple[int, int]  # platforms on which something is surely true, and on which it may be
_UNKNOWN: Truth = (0, ALL)
MAX_NESTING = 20


@lru_cache(4096)
def read_path(path: str) -> int:
    """Return the platforms that the words of a path leave: all where none is one's."""
    left = ALL
    for word in _PATH_WORD.findall(path.lower()):
        mask = _WORDS.get(word, ALL)
        left = left & mask or mask
    return left


@lru_cache(4096)
def read_condition(text: str) -> Truth:
    """Return the platforms on which a condition surely holds, and those on which it may hold."""
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
    """Return the meaning of one operand; what is compared or computed is unknown where it may be defined."""
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
        truth = 0, _MACROS.get(word, _UNKNOWN)[1]  # its value is asked for: nothing where it is not defined
    at += 1
    is_computed = False
    while at < len(tokens) and tokens[at][2] not in {"&&", "||", ")"}:
        is_computed = True
        at += 1
        if tokens[at - 1][2] == "(":
            _, at = _read_any(tokens, at, depth + 1)
            at += 1
    return (_UNKNOWN if is_computed else truth), at
