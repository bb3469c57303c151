"""Name rules of Swift: all files of a module see each other; a module is a folder in `Sources`.

The labels of arguments are part of the name of a function: `move(from:to:)`. A call passes its arguments in
the order of the parameters. It may leave out those with defaults, give a variadic one any number of values,
and put closures after the parentheses, the first of them without a label.
"""

from __future__ import annotations

import re
from functools import lru_cache

from repo_mcp.graph.program import Program
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.rules import OUTSIDE, Candidate, Path, Rules
from repo_mcp.languages.swift.manifest import MANIFEST
from repo_mcp.languages.swift.types import strip_type
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.symbol_record import (
    ACCESS_SHIFT,
    CALLABLE_KINDS,
    TYPE_KINDS,
    Access,
    DeclaredSymbol,
    Reference,
    SymbolKind,
)

CACHED_TEXTS = 4_096  # a call is compared with the functions of its name in all bases of a type
_TYPES = TYPE_KINDS - {SymbolKind.EXTENSION}
_OF_SYSTEM_TEXT = """
AppKit Combine CoreData CoreFoundation CoreGraphics Darwin Dispatch Foundation FoundationNetworking Glibc
QuartzCore Swift SwiftUI UIKit XCTest os
"""
_OF_SYSTEM = frozenset(_OF_SYSTEM_TEXT.split())
_ONLY_FOLDERS = ("Source", "src")
_SOURCE_FOLDERS = frozenset({"Sources", "Tests", *_ONLY_FOLDERS})
_MARKS = re.compile(r"[(\[{<]|[)\]}>]|,")
_PLAIN = re.compile(
    r"\s*(?:u?int\d*|bool|string|double|float|character|url|data|\[.*\]|(?:any|some) (?!Sendable\b)[\w.]+)"
    r"[?!]?\s*",
    re.I | re.S,
)
_ARROW = "\0\0"  # replaces "->", which is not a bracket
_LABEL = re.compile(r"^(?:\w+\s+)?`?\w+`?\s*:\s*")
_VALUE_LABEL = re.compile(r"\s*`?(\w+)`?\s*:")
_ATTRIBUTES = re.compile(r"^(?:@\w+(?:\([^()]*\))?\s+)+")


_GIVING_TEXT = "first last popLast popFirst removeFirst removeLast randomElement min max remove"
_GIVING_ITEM = frozenset(_GIVING_TEXT.split())
_KEEPING_TEXT = """
filter sorted reversed prefix suffix dropFirst dropLast drop lazy shuffled values joined union intersection
subtracting symmetricDifference
"""
_KEEPING_ITEMS = frozenset(_KEEPING_TEXT.split())


@dataclass(frozen=True, slots=True)
class _Parameter:
    label: str  # "_" for none
    is_optional: bool
    is_variadic: bool
    is_plain: bool  # its type is certainly not a function type
    type: str
    is_escaping: bool  # only functions are


@lru_cache(CACHED_TEXTS)
def accepts_labels(parameters: str, passed: str) -> bool:
    """Return whether a declaration accepts a call, judged by labels.

    `parameters` are those of the declaration, as written. `passed` is the parser's form of the call:
    "(for:_:)" for `(for: 1, 2)`, and the labels of trailing closures after it, as in "()_:then:". Any call is
    accepted if it is empty, or if the parameters were cut.
    """
    if not passed or not parameters.endswith(")"):
        return True
    inside, _, behind = passed.partition("|")[0].removeprefix("(").partition(")")
    wanted = _read_parameters(parameters)
    at = _take(wanted, inside.split(":")[:-1])
    if at < 0:
        return False
    left, closures = wanted[at:], behind.split(":")[:-1]
    free = [one.label for one in left if not one.is_plain]
    if len(closures) > len(free) or any(one not in free for one in closures[1:]):
        return False
    needed = [one.is_plain for one in left if not one.is_optional]
    return len(needed) <= len(closures) and not any(needed)


def is_of_value(reference: Reference) -> bool:
    """Return whether a member follows the name of a value rather than that of a type."""
    last = reference.qualifier.rpartition(".")[2].partition("/")[0]
    is_type = last in {"self", "super"} or last.lower().endswith(("type", "class", "self"))
    return last.isidentifier() and last[0].islower() and not is_type


def find_parameter(parameters: str, passed: str, position: int) -> str:
    """Return the type of the parameter that takes an argument or a trailing closure, by position.

    `passed` is as for `accepts_labels`. The type is "" if the call does not fit, or the parameters were cut.
    """
    inside, _, behind = passed.removeprefix("(").partition(")")
    wanted, labels = _read_parameters(parameters), inside.split(":")[:-1]
    if position < len(labels):
        taken: list[int] = []
        known = _take(wanted, labels[: position + 1], taken) >= 0
        return wanted[taken[position]].type if known else ""
    at, closures = _take(wanted, labels), behind.split(":")[:-1]
    if at < 0 or position - len(labels) >= len(closures):
        return ""
    label = closures[position - len(labels)]
    free = [one for one in wanted[at:] if not one.is_plain and label in {"_", one.label}]
    functions = [one for one in free if "->" in one.type or one.is_escaping]
    needed = [one for one in free if not one.is_optional]
    return next((one.type for one in (*functions, *needed, *free)), "")


def list_values(parameters: str) -> list[str]:
    """Return the types of the associated values of a case, as in "(name: String, Int)"."""
    parts = _split(parameters[1:-1].replace("->", _ARROW)) if parameters.endswith(")") else []
    said = (part.partition("=")[0].strip() for part in parts)
    return [_LABEL.sub("", one, count=1).replace(_ARROW, "->") for one in said]


def has_values(parameters: str, passed: str) -> bool:
    """Return whether a case with these associated values may be made of the arguments of a call."""
    inside, _, behind = passed.partition("|")[0].removeprefix("(").partition(")")
    if not passed or behind or (parameters and not parameters.endswith(")")):
        return True
    parts = _split(parameters[1:-1].replace("->", _ARROW)) if parameters else []
    labels = [(found[1] if (found := _VALUE_LABEL.match(one)) else "_", "=" in one) for one in parts]
    given = inside.split(":")[:-1]
    needed = [label for label, is_optional in labels if not is_optional or label in given]
    return needed == given


def _take(wanted: list[_Parameter], labels: list[str], taken: list[int] | None = None) -> int:
    """Return how many parameters the arguments in parentheses take, or -1 if they do not fit.

    The position of the parameter of each argument is added to `taken`.
    """
    at = 0
    taken = taken if taken is not None else []
    for label in labels:
        if label == "_" and at and wanted[at - 1].is_variadic:
            taken.append(at - 1)
            continue
        while at < len(wanted) and wanted[at].label != label and wanted[at].is_optional:
            at += 1
        if at == len(wanted) or wanted[at].label != label:
            return -1
        taken.append(at)
        at += 1
    return at


@lru_cache(CACHED_TEXTS)
def spell_signature(parameters: str) -> str:
    """Return the labels and types of parameters, without names and defaults."""
    return ",".join(f"{one.label}:{one.type}" for one in _read_parameters(parameters)).replace(" ", "")


def have_same_labels(one: str, other: str) -> bool:
    """Return whether two lists of parameters have the same labels; True if one of them was cut."""
    is_cut = not (one.endswith(")") and other.endswith(")"))
    return is_cut or _list_labels(one) == _list_labels(other)


@lru_cache(CACHED_TEXTS)
def _list_labels(parameters: str) -> list[str]:
    return [one.label for one in _read_parameters(parameters)]


def _read_parameters(text: str) -> list[_Parameter]:
    found = []
    for part in _split(text[1:-1].replace("->", _ARROW)):
        head, _, rest = _ATTRIBUTES.sub("", part.strip()).partition(":")
        if head:
            declared, equals, _ = rest.partition("=")
            is_variadic = declared.rstrip().endswith("...")
            is_plain = _PLAIN.fullmatch(declared) is not None
            label = head.split()[0].strip("`")
            type_text = declared.strip().removesuffix("...").replace(_ARROW, "->")
            is_escaping = "@escaping" in declared
            found.append(
                _Parameter(label, bool(equals) or is_variadic, is_variadic, is_plain, type_text, is_escaping)
            )
    return found


def _split(text: str) -> list[str]:
    """Return the parts of a text between commas that are not in brackets."""
    parts, depth, start = [], 0, 0
    for found in _MARKS.finditer(text):
        if found[0] != ",":
            depth += 1 if found[0] in "([{<" else -1
        elif depth <= 0:
            parts.append(text[start : found.start()])
            start = found.end()
    return [*parts, text[start:]]


def _accepts(symbol: DeclaredSymbol, call: Reference) -> bool:
    return symbol.kind not in CALLABLE_KINDS or accepts_labels(symbol.parameters, call.alias)


# Cases and static members of library types, besides common names, which are never guessed.
_LIBRARY_TEXT = """
success failure some none cancel main background allow disallow zero utf8 left right center top bottom leading
trailing clear white black gray red green blue sortedKeys prettyPrinted userInitiated standard seconds
milliseconds finished year month day hour minute second weekday
"""
_LIBRARY = frozenset(_LIBRARY_TEXT.split())


class SwiftRules(Rules):
    """The rules of Swift. Full paths begin with the module."""

    languages = frozenset({"swift"})
    folders_limit_paths = True
    has_implicit_members = True
    has_overloads = True
    inherits_overloads = True
    has_labels = True
    library_members = _LIBRARY
    accepts = staticmethod(_accepts)
    has_extensions = True
    checks_extensions = True
    self_words = frozenset({"self", "Self"})
    super_words = frozenset({"super"})
    constructor_name = "init"
    item_getters = _GIVING_ITEM
    list_filters = _KEEPING_ITEMS

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._targets: dict[str, dict[str, str]] = {}  # folder of a manifest -> folder -> module

    def find_home(self, scope: FileScope) -> Path:
        """Return the module of a file.

        A manifest may assign the folder of the file to a module. Otherwise the module is the folder directly
        below `Sources` or `Tests`, or else the first folder of the path.
        """
        return (self._find_module(scope.path),)

    def _find_module(self, path: str) -> str:
        folders = path.split("/")[:-1]
        for length in range(len(folders), -1, -1):
            targets = self._list_targets("/".join(folders[:length]))
            for inner in range(len(folders), length, -1):
                found = targets.get("/".join(folders[length:inner]))
                if found is not None:
                    return found
        for at, one in enumerate(folders[:-1]):
            if one in _SOURCE_FOLDERS:
                return one if one in _ONLY_FOLDERS else folders[at + 1]
        return folders[0] if folders else ""

    def _list_targets(self, folder: str) -> dict[str, str]:
        """Return the folders that a folder's manifest assigns to modules, each with the module's name."""
        if folder not in self._targets:
            scope = self.find_scope(f"{folder}/{MANIFEST}" if folder else MANIFEST)
            rows = scope.exports if scope is not None else []
            self._targets[folder] = {row.qualifier: row.alias for row in rows}
        return self._targets[folder]

    def list_visible(self, scope: FileScope, ordinal: int) -> list[Path]:
        """Return the module and the imported modules."""
        imported = [(self._find_folder(row),) for row in scope.imports if not row.name]
        return [self.find_home(scope), *imported]

    def _find_folder(self, row: Reference) -> str:
        """Return the first part of paths in an imported module: its name, or the only folder of sources.

        The latter is for tests that import the module under a name that no folder has.
        """
        if row.arguments and not self._is_here(row.qualifier):
            return next((one for one in _ONLY_FOLDERS if self.program.has_folder(one)), row.qualifier)
        return row.qualifier

    def find_import(self, scope: FileScope, ordinal: int, name: str) -> Path | None:
        """Return the path that `import struct Module.Name` binds, or that of an imported module."""
        for row in scope.find_imports(name):
            folder = self._find_folder(row)
            path = (folder, row.name) if row.name else (folder,)
            return path if self._is_here(folder) else OUTSIDE + path
        return None

    def imports_library(self, scope: FileScope) -> bool:
        """Return whether a file imports a module that is neither of the repository nor of the system."""
        modules = {row.qualifier for row in scope.imports} - _OF_SYSTEM
        return not all(self._is_here(one) for one in modules)

    def _is_here(self, module: str) -> bool:
        if module in self._list_targets("").values():
            return True
        folders = (f"Sources/{module}", f"Tests/{module}", module)
        return any(self.program.has_folder(folder) for folder in folders)

    def is_reachable(self, scope: FileScope, other: FileScope, ordinal: int) -> bool:
        """Return False for a declaration that is private, or in a private type, in another file."""
        flags = other.record.flags
        return all(int(flags[one]) >> ACCESS_SHIFT != Access.PRIVATE for one in other.iter_around(ordinal))

    def read_result(self, text: str) -> str:
        """Return a type without attributes, `any`, `?` and parentheses around it; "" for a function type."""
        stripped = strip_type(text) if not text.endswith("()") else text
        return "" if "->" in stripped and stripped.startswith(("(", "@")) else stripped

    def choose(self, scope: FileScope, found: list[Candidate]) -> tuple[list[Candidate], bool]:
        """Return all declarations; uncertain if several files declare a type, one for each build."""
        chosen, is_certain = super().choose(scope, found)
        paths = {other.path for other, ordinal in chosen if other.get_kind(ordinal) in _TYPES}
        return chosen, is_certain and len(paths) < 2

    def list_imported(self, scope: FileScope, row: Reference) -> tuple[list[str], list[Path], str]:
        """Return the path of an imported declaration; nothing for a whole module, which is no file."""
        qualifier, name = row.qualifier, row.name
        if not self._is_here(qualifier):
            return [], [], ".".join(filter(None, (qualifier, name)))
        return [], ([(qualifier, name)] if name else []), ""

    def may_declare(self, file_path: str, path: Path) -> bool:
        """Return whether a file belongs to the module of a path."""
        return self._find_module(file_path) == path[0]
