"""The includes of C and C++: which file includes which, and under which conditions.

An include means a file in the folder of the includer or in one above it, else in one of the usual folders,
else the only file whose path ends with it: a compiler may be given any folder to search. Includes of includes
are followed to MAX_DEPTH, up to MAX_INCLUDED files.

A file that uses a name of the standard headers reaches a hundred others. So the includes are read once for a
program, and outlive the resolvers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from repo_mcp.graph.c.conditions import Setting, lacks_condition, read_settings
from repo_mcp.graph.program import Program
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbols.symbol_record import ReferenceRole

MAX_INCLUDED = 200  # files visited to decide whether one includes another
MAX_DEPTH = 5  # includes of includes
MAX_INCLUDERS, MAX_HEADERS = 2_000, 60  # found, and among them files that others may include
MAX_UP = 2  # folders that an include goes up
CACHED_INCLUDES = 60_000  # of files: 5 MB
CACHED_SETTINGS = 20_000  # of includes: 1 MB
CACHED_REACHED = 60_000  # paths in lists: 3 MB
CACHED_WALKS = 300  # of up to MAX_INCLUDED paths, and a level more: 3 MB
CACHED_NAMES = 16_384  # of folders and includes: 4 MB
_SYSTEM_TEXT = """
aio alloca assert complex crypt ctype dirent dlfcn elf endian err errno execinfo fcntl features fenv
float fnmatch fts ftw getopt glob grp ifaddrs inttypes iso646 langinfo libgen limits link locale malloc
math memory mntent netdb poll pthread pwd regex resolv sched search semaphore setjmp signal spawn
stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string strings syslog termios
tgmath threads time uchar ucontext unistd utime utmp wchar wctype windows winsock winsock2 ws2tcpip io
process direct
"""
_SYSTEM = frozenset(f"{one}.h" for one in _SYSTEM_TEXT.split())
_INCLUDE_FOLDERS = (
    "",
    "include/",
    "src/",
    "lib/",
    "inc/",
    "arch/x86/include/",
    "include/uapi/",
    "include/asm-generic/",
)

COMPILED = (".c", ".cc", ".cpp", ".cxx")

Includes = Sequence[tuple[str, int]]  # files, with the line of each include


class _Walk:
    """A walk along includes, level by level, that ends when the wanted file is found.

    Most files include the header of a name directly, while a whole walk reads hundreds of records.
    """

    def __init__(self, path: str) -> None:
        self.seen = {path}
        self.level = [path]
        self._depth = 0

    def step(self, below: list[str]) -> None:
        """Go on to the files below the last level; end the walk if they are too many or too deep."""
        self.seen.update(below)
        self._depth += 1
        self.level = below if self._depth < MAX_DEPTH and len(self.seen) <= MAX_INCLUDED else []


class IncludeGraph:
    """The includes of a program's files. Caches what it reads."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._direct: LruCache[str, Includes] = LruCache(CACHED_INCLUDES, lambda found: len(found) + 2)
        self._settings: LruCache[str, Sequence[Setting]] = LruCache(
            CACHED_SETTINGS, lambda found: len(found) + 2
        )
        self._surely: LruCache[tuple[str, Setting], _Walk] = LruCache(CACHED_WALKS)
        self._reached: LruCache[str, frozenset[str]] = LruCache(CACHED_REACHED, len)
        self._found: LruCache[tuple[str, str], str | None] = LruCache(CACHED_NAMES)

    @classmethod
    def find(cls, program: Program) -> IncludeGraph:
        """Return the includes of a program, which are kept with it."""
        found = program.kept.setdefault(cls, cls(program))
        assert isinstance(found, cls)
        return found

    def find_included(self, path: str, include: str) -> str | None:
        """Return the file that an include means; None if it is outside the repository."""
        return self._find_from(path.rpartition("/")[0], include)

    def _find_from(self, folder: str, include: str) -> str | None:
        """Return the file that an include in a folder means: in that folder or the nearest one above."""
        return self._found.get((folder, include), lambda: self._search(folder, include))

    def _search(self, folder: str, include: str) -> str | None:
        name, prefix = include.lstrip("<"), f"{folder}/" if folder else ""
        for inside in ("", "include/"):
            path = _normalise(prefix + inside + name)
            if path is not None and self._program.has_file(path):
                return path
        if folder:
            return self._find_from(folder.rpartition("/")[0], include)
        has_file = self._program.has_file
        if name.startswith("asm/") and has_file("include/asm-generic/" + name[4:]):
            arch = "arch/x86/include/" + name
            return arch if has_file(arch) else "include/asm-generic/" + name[4:]
        found = next((one + name for one in _INCLUDE_FOLDERS if has_file(one + name)), None)
        return found if found is not None else self._find_only(name, is_system=include.startswith("<"))

    def _find_only(self, name: str, *, is_system: bool) -> str | None:
        """Return the only file whose path ends with `name`: a compiler may be given any include folder.

        Return None for the names of system headers.
        """
        folder, _, last = name.rpartition("/")
        if is_system and (folder or last in _SYSTEM):
            return None
        paths = [one for one in self._program.list_declaring(last) if f"/{one}".endswith(f"/{name}")]
        return paths[0] if len(paths) == 1 else None

    def list_included(self, path: str) -> tuple[str, ...]:
        """Return the files of the repository that a file includes directly, each once."""
        return tuple(dict.fromkeys(one for one, _ in self._list_direct(path)))

    def _list_direct(self, path: str) -> Includes:
        return self._direct.get(path, lambda: self._read_direct(path))

    def _read_direct(self, path: str) -> Includes:
        record = self._program.find_record(path)
        if record is None:
            return ()
        rows = [row for row in record.list_role(ReferenceRole.IMPORT) if not record.ref_names[row]]
        found: list[tuple[str, int]] = []
        includes = record.string_table.get(record.ref_qualifiers[rows].tolist())
        for row, include in zip(rows, includes, strict=True):
            included = self.find_included(path, include) if include else None
            if included is not None:
                found.append((included, int(record.ref_lines[row])))
        return found

    def _list_settings(self, path: str) -> Sequence[Setting]:
        """Return the setting of each include in `_list_direct`."""
        return self._settings.get(path, lambda: self._read_settings(path))

    def _read_settings(self, path: str) -> Sequence[Setting]:
        includes, record = self._list_direct(path), self._program.find_record(path)
        if record is None or not includes:
            return ()
        lines, settings = read_settings(path, record)
        return [settings[bisect_right(lines, line)] for _, line in includes]

    def is_surely_included(self, path: str, use: Setting, target: str) -> bool:
        """Return whether a file includes another one, also through others, wherever `use` is compiled."""
        walk = self._surely.get((path, use), lambda: _Walk(path))
        while target not in walk.seen and walk.level:
            walk.step(self._list_surely_below(walk, use))
        return target in walk.seen

    def _list_surely_below(self, walk: _Walk, use: Setting) -> list[str]:
        """Return the new files that the last level of a walk includes under the conditions of `use`."""
        below = (
            (one, setting)
            for each in walk.level
            for (one, _), setting in zip(self._list_direct(each), self._list_settings(each), strict=True)
            if one not in walk.seen
        )
        return list(dict.fromkeys(one for one, setting in below if not lacks_condition(use, setting)))

    def is_included(self, path: str, target: str) -> bool:
        """Return whether a file includes another, directly or through others."""
        return target in self.list_reached(path)

    def list_reached(self, path: str) -> frozenset[str]:
        """Return the files that a file includes, directly or through others; of many, the nearest."""
        return self._reached.get(path, lambda: self._reach(path))

    def _reach(self, path: str) -> frozenset[str]:
        seen, level = {path}, [path]
        reached: set[str] = set()
        for _ in range(MAX_DEPTH):
            below: list[str] = []
            for one in level:
                included = [other for other, _ in self._list_direct(one)]
                reached.update(included)
                below += [other for other in included if other not in seen]
                seen.update(below)
                if len(seen) > MAX_INCLUDED:
                    return frozenset(reached)
            level = list(dict.fromkeys(below))
        return frozenset(reached)

    def list_includers(self, path: str) -> frozenset[str] | None:
        """Return a file and those that may include it, directly or through others; None for too many.

        An include in `<>` may mean any file whose path ends with it. An include by a path that goes up
        further than MAX_UP, or down again, is not found.
        """
        found, waiting = {path}, [path]
        for number, target in enumerate(waiting):  # grows
            above = self._list_direct_includers(target)
            new = above - found
            found |= new
            waiting += sorted(new)
            if len(found) > MAX_INCLUDERS or number == MAX_HEADERS:
                return None
        return frozenset(found)

    def _list_direct_includers(self, target: str) -> set[str]:
        return {
            path
            for include in _list_spellings(target)
            for path in self._program.list_including(include)
            if include.startswith("<") or self.find_included(path, include) in (target, None)
        }


def _list_spellings(path: str) -> list[str]:
    """Return the texts by which includes may name a file; a source file is seldom named by its folders."""
    parts = path.split("/")
    endings = ["/".join(parts[start:]) for start in range(len(parts))]
    if path.endswith(COMPILED):
        endings = endings[-2:]
    ups = ["../" * up + one for up in range(1, MAX_UP + 1) for one in endings[-3:]]
    return [*endings, *(f"<{one}" for one in endings), *ups]


def _normalise(path: str) -> str | None:
    """Return a path without "." and ".."; None when it leaves the root."""
    if "/." not in path and not path.startswith("."):
        return path
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
