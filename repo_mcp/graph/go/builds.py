"""Build constraints of Go: the files that a build has together, and the variants of a symbol.

A line `//go:build linux && !cgo` and the name of a file, `open_linux.go`, say which builds have a file. A
build is for one system and one architecture, and has any of the other tags. If no build has two files, what
both declare under one name is one symbol: the variant of a plain build stands for it.

Left out on purpose: which tags a program is really built with.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import combinations

from repo_mcp.graph.program import Declaration, Program
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbols.model import CONDITIONS
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, ReferenceRole, SymbolKind, SymbolRecord

_SYSTEMS_TEXT = """
aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9 solaris wasip1
windows zos
"""
_SYSTEMS = frozenset(_SYSTEMS_TEXT.split())
_NOT_UNIX = frozenset({"js", "nacl", "plan9", "wasip1", "windows", "zos"})
_ARCHITECTURES_TEXT = """
386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x sparc64 wasm
"""
_ARCHITECTURES = frozenset(_ARCHITECTURES_TEXT.split())
# System -> another one whose files are also built for it.
_INSIDE = {"android": "linux", "illumos": "solaris", "ios": "darwin"}
_PLAIN = frozenset({"linux", "amd64", "unix", "gc", "cgo"})  # the tags of a plain build; and "go1.x"

_IGNORED = "ignore"  # by convention, the tag of files that no build has
# Folders that the tools of Go leave out.
_LEFT_OUT = re.compile(r"(?:^|/)(?:testdata|[_.][^/]*)/")
_TOKEN = re.compile(r"[()!]|&&|\|\||[\w.]+")
_MARKS = frozenset({"(", ")", "!", "&&", "||"})
_NOWHERE = sys.maxsize  # the position behind a text that is no constraint
MAX_TAGS = 6  # of two files, besides systems and architectures: with more they may well be built together
MAX_NESTING = 20
MAX_VARIANTS = 20  # of one symbol
CACHED_VARIANTS = 20_000  # symbols of which it was asked; most have no other variant

_TYPES = TYPE_KINDS - {SymbolKind.EXTENSION}
_VALUES = frozenset({SymbolKind.CONSTANT, SymbolKind.VARIABLE})
_AROUND = TYPE_KINDS | {SymbolKind.FILE, SymbolKind.MODULE}
_Key = tuple[str, str, frozenset[SymbolKind], str]


class Builds:
    """The build constraints of the files of Go of one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._constraints: dict[str, str] = {}
        self._variants: LruCache[Declaration, tuple[Declaration, ...]] = LruCache(CACHED_VARIANTS)

    @classmethod
    def find(cls, program: Program) -> Builds:
        """Return the build constraints of a program, which are kept with it."""
        found = program.kept.setdefault(cls, cls(program))
        assert isinstance(found, cls)
        return found

    def read_constraint(self, path: str) -> str:
        """Return which builds have a file, by its text and its name; "" for all."""
        if path not in self._constraints:
            record = self._program.find_record(path)
            written = _find_written(record) if record is not None else ""
            is_list = "||" not in written and "(" not in written
            terms = written.split(" && ") if is_list else [written]
            parts = [*filter(None, dict.fromkeys([*terms, *_read_name(path)]))]
            joined = [f"({one})" if "||" in one and len(parts) > 1 else one for one in parts]
            self._constraints[path] = " && ".join(joined)
        return self._constraints[path]

    def exclude(self, one: str, other: str) -> bool:
        """Return whether no build has both files."""
        left, right = self.read_constraint(one), self.read_constraint(other)
        return bool(left and right) and _exclude(left, right)

    def list_built_with(self, path: str, others: Iterable[str]) -> list[str]:
        """Return those of the files that a build with this file may have, that of a plain build first.

        If one has the same constraint as the file, only such.
        """
        own = self.read_constraint(path)
        built = [one for one in others if not self.exclude(path, one)]
        same = [one for one in built if own and self.read_constraint(one) == own]
        return sorted(same or built, key=lambda one: not self.is_plain(one))

    def is_plain(self, path: str) -> bool:
        """Return whether a plain build has a file: for Linux, without tags of the program."""
        constraint = self.read_constraint(path)
        return not constraint or _is_plain(constraint)

    def is_left_out(self, path: str) -> bool:
        """Return whether no build has a file of Go."""
        if self._program.find_language(path) != "go":
            return False
        return _LEFT_OUT.search(path) is not None or _IGNORED in self.read_constraint(path).split(" && ")

    def list_variants(self, declaration: Declaration) -> tuple[Declaration, ...]:
        """Return the variants of a symbol, that of a plain build first; the symbol alone if it has no other.

        They have the same name in the same package and the same type.
        """
        if not declaration.ordinal or self._program.find_language(declaration.path) != "go":
            return (declaration,)
        if not self.read_constraint(declaration.path):
            return (declaration,)
        return self._variants.get(declaration, partial(self._find_variants, declaration))

    def _find_variants(self, declaration: Declaration) -> tuple[Declaration, ...]:
        record = self._program.find_record(declaration.path)
        key = _name_symbol(record, declaration.ordinal) if record is not None else None
        if record is None or key is None:
            return (declaration,)
        left: dict[str, Declaration] = {}
        for path in self._list_beside(declaration.path, key[-1]):
            other = self._program.find_record(path)
            named = other.find_symbols(key[-1]) if other is not None else ()
            same = [one for one in named if other is not None and _name_symbol(other, one) == key]
            left |= {path: Declaration(path, same[0])} if same else {}
        found = [declaration]
        for one in found:  # no build has two variants, but constraints need not say so of each two
            found += [left.pop(path) for path in [*left] if self.exclude(one.path, path)]
        return tuple(sorted(found, key=lambda one: (not self.is_plain(one.path), one.path)))

    def _list_beside(self, path: str, name: str) -> list[str]:
        """Return the other files of a folder that declare a name and are not in every build."""
        folder, paths = path.rpartition("/")[0], self._program.list_declaring(name)
        if folder:
            paths = paths[bisect_left(paths, f"{folder}/") : bisect_left(paths, f"{folder}0")]
        beside = [one for one in paths if one.rpartition("/")[0] == folder and one != path]
        return [one for one in beside if self.read_constraint(one)][:MAX_VARIANTS]


def _find_written(record: SymbolRecord) -> str:
    """Return the constraint that a file states in its text."""
    if CONDITIONS not in record.strings:
        return ""
    rows = record.list_own_role(0, ReferenceRole.BIND)
    references = map(record.get_reference, rows)
    return next((one.name for one in references if one.alias == CONDITIONS), "")


def _read_name(path: str) -> list[str]:
    """Return the system and the architecture in the name of a file, as far as it has them."""
    _, *parts = path.rpartition("/")[2].removesuffix(".go").removesuffix("_test").split("_")
    architecture = [parts.pop()] if parts and parts[-1] in _ARCHITECTURES else []
    system = [parts[-1]] if parts and parts[-1] in _SYSTEMS else []
    return system + architecture


def _name_symbol(record: SymbolRecord, ordinal: int) -> _Key | None:
    """Return the package, the type around, the sort and the name of a symbol.

    None for a symbol inside a function, and for what is not declared."""
    kind, parent = record.get_kind(ordinal), record.get_parent(ordinal)
    around = record.get_kind(parent)
    if kind in {SymbolKind.MODULE, SymbolKind.EXTENSION} or around not in _AROUND:
        return None
    sort = next((each for each in (_TYPES, CALLABLE_KINDS, _VALUES) if kind in each), frozenset({kind}))
    owner = record.get_name(parent) if around in TYPE_KINDS else ""
    return record.get_name(1), owner, sort, record.get_name(ordinal)


# Constraints: each is a number with one bit for each build that fulfils it


@lru_cache(4096)
def _is_plain(constraint: str) -> bool:
    words = {tag: int(tag in _PLAIN or tag.startswith("go1.")) for tag in _list_tags(constraint)}
    return _evaluate(constraint, words, 1) == 1


@lru_cache(4096)
def _exclude(one: str, other: str) -> bool:
    """Return whether no build fulfils two constraints."""
    tags = _list_tags(f"{one} {other}")
    builds = _list_builds(tags)
    bits = {tag: sum(1 << bit for bit, build in enumerate(builds) if tag in build) for tag in tags}
    every = (1 << len(builds)) - 1
    left, right = _evaluate(one, bits, every), _evaluate(other, bits, every)
    return bool(builds) and left is not None and right is not None and not left & right


def _list_tags(constraint: str) -> frozenset[str]:
    return frozenset(one for one in _TOKEN.findall(constraint) if one not in _MARKS)


def _list_builds(tags: frozenset[str]) -> list[frozenset[str]]:
    """Return the tags of each build in which some tags differ; none if these are too many."""
    free = sorted(tags - _SYSTEMS - _ARCHITECTURES - {"unix"})
    if len(free) > MAX_TAGS:
        return []
    systems = sorted(_SYSTEMS) if tags & (_SYSTEMS | {"unix"}) else [""]
    chosen = [frozenset(one) for count in range(len(free) + 1) for one in combinations(free, count)]
    return [
        one | {system, architecture, _INSIDE.get(system, ""), "" if system in _NOT_UNIX else "unix"}
        for system in systems
        for architecture in (*sorted(tags & _ARCHITECTURES), "")
        for one in chosen
    ]


def _evaluate(constraint: str, bits: Mapping[str, int], every: int) -> int | None:
    """Return the builds that fulfil a constraint; None for a text that is none, or is nested too deeply."""
    tokens = _TOKEN.findall(constraint)
    if "".join(tokens) != "".join(constraint.split()):
        return None
    found, end = _read_any(tokens, 0, bits, every, 0)
    return found if end == len(tokens) else None


def _read_any(
    tokens: Sequence[str], at: int, bits: Mapping[str, int], every: int, depth: int
) -> tuple[int, int]:
    """Return the builds of operands between `||`, and the position behind them."""
    found, at = _read_all(tokens, at, bits, every, depth)
    while tokens[at : at + 1] == ["||"]:
        more, at = _read_all(tokens, at + 1, bits, every, depth)
        found |= more
    return found, at


def _read_all(
    tokens: Sequence[str], at: int, bits: Mapping[str, int], every: int, depth: int
) -> tuple[int, int]:
    found, at = _read_one(tokens, at, bits, every, depth)
    while tokens[at : at + 1] == ["&&"]:
        more, at = _read_one(tokens, at + 1, bits, every, depth)
        found &= more
    return found, at


def _read_one(
    tokens: Sequence[str], at: int, bits: Mapping[str, int], every: int, depth: int
) -> tuple[int, int]:
    token = tokens[at] if at < len(tokens) else ""
    if token == "!" and depth < MAX_NESTING:
        found, at = _read_one(tokens, at + 1, bits, every, depth + 1)
        return every & ~found, at
    if token == "(" and depth < MAX_NESTING:
        found, at = _read_any(tokens, at + 1, bits, every, depth + 1)
        return found, at + 1 if tokens[at : at + 1] == [")"] else _NOWHERE
    return (bits[token], at + 1) if token in bits else (0, _NOWHERE)
