"""The path syntax of Windows, as rules on strings: which client paths have a special meaning there.

Pure, and used on every platform, because a client does not know where the server runs:
`C:\\x` and `\\\\server\\share` never mean a relative path. Names that Windows itself would rewrite
(trailing dots, device names, streams, short names) are refused on Windows only; on POSIX such a
name is an ordinary name. Nothing here touches the file system.
"""

from __future__ import annotations

import re

from repo_mcp.late_patterns import compile_late

# `C:`, `C:\x`, `c:/x`, `C:x`; two leading separators (UNC, `\\?\`, `\\.\`); the NT prefix `\??\`.
_ABSOLUTE = compile_late(r"[A-Za-z]:|[\\/]{2}|\\\?\?\\")
# A drive with a separator: the only absolute form that can be inside a root.
_DRIVE = compile_late(r"[A-Za-z]:[\\/]")
# CON, NUL.txt, COM1.log, LPT\u00b9: Windows opens the device whatever the extension or directory.
_DEVICE = compile_late(
    r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3]) *(?:\..*)?$", re.I
)
_SHORT_NAME = compile_late(r"[^.]{1,8}~\d+(?:\..{0,3})?$")
_FORBIDDEN = compile_late(r'[<>:"|?*\x00-\x1f]')


def is_windows_absolute(path: str) -> bool:
    """Return True for a drive, UNC or device path, which no platform may take for a relative one."""
    return _ABSOLUTE.match(path) is not None


def has_backslash_climb(path: str) -> bool:
    """Return True when a `..` appears if backslashes are separators: POSIX refuses such a name."""
    return "\\" in path and ".." in re.split(r"[\\/]", path)


def to_posix(path: str) -> str:
    """Return the path with `/` in place of the separators of Windows."""
    return path.replace("\\", "/")


def find_component_fault(component: str) -> str | None:
    """Return why Windows would open something other than `component` names; None if it would not.

    Refuses streams (`a:b`), wildcards, devices (`NUL.txt`), and trailing dots and spaces, which Windows
    drops. A short name (`GIT~1`) is not a fault of syntax: see `is_short_name`.
    """
    if ":" in component:
        return "a colon names a stream of another file"
    if _FORBIDDEN.search(component):
        return "a character that Windows does not allow in names"
    if component[-1:] in (".", " "):
        return "Windows drops dots and spaces at the end of a name"
    if _DEVICE.match(component):
        return "the name of a device"
    return None


def is_short_name(component: str) -> bool:
    """Return True for the shape of an 8.3 alias, which may stand for a longer name."""
    return _SHORT_NAME.match(component) is not None


def relative_to_root(path: str, root: str) -> list[str] | None:
    """Return the components of `path` below `root`, both on a drive; None when it is elsewhere.

    `..` is folded first and cannot climb above the drive. Names are compared without case.
    """
    if not (_DRIVE.match(path) and _DRIVE.match(root)):
        return None
    wanted, base = _fold(path), _fold(root)
    if [part.casefold() for part in wanted[: len(base)]] != [part.casefold() for part in base]:
        return None
    return wanted[len(base) :]


def _fold(path: str) -> list[str]:
    drive, *parts = to_posix(path).split("/")
    folded: list[str] = []
    for part in parts:
        if part == "..":
            del folded[-1:]
        elif part not in ("", "."):
            folded.append(part)
    return [drive, *folded]
