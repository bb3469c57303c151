"""The answers of libclang on names in C and C++: `python c_oracle.py TREE 'src/**/*.c' -- ARGUMENTS`.

Prints a JSON line for each name that is used: path, line, name, the place of its declaration, the place of
its definition, kind. Arguments after `--` go to the compiler. Files with missing includes, such as those for
another system, are left out and named on standard error.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from clang import cindex

OUTSIDE = "<outside>"  # the path of what is declared in another tree
_KINDS = cindex.CursorKind
_USES = (
    _KINDS.MEMBER_REF_EXPR,
    _KINDS.DECL_REF_EXPR,
    _KINDS.MEMBER_REF,
    _KINDS.MACRO_INSTANTIATION,
    _KINDS.TYPE_REF,
    _KINDS.TEMPLATE_REF,
)
_CLASSES = (_KINDS.TYPE_REF, _KINDS.TEMPLATE_REF)
_FUNCTIONS = (
    _KINDS.FUNCTION_DECL,
    _KINDS.FUNCTION_TEMPLATE,
    _KINDS.CXX_METHOD,
    _KINDS.CONSTRUCTOR,
    _KINDS.DESTRUCTOR,
    _KINDS.CONVERSION_FUNCTION,
)
_UNDECIDED = _KINDS.OVERLOADED_DECL_REF  # until a template has its arguments
_PARAMETERS = (
    _KINDS.PARM_DECL,
    _KINDS.TEMPLATE_TYPE_PARAMETER,
    _KINDS.TEMPLATE_NON_TYPE_PARAMETER,
    _KINDS.TEMPLATE_TEMPLATE_PARAMETER,
)
Place = tuple[str, int]
Start = tuple[str, int, int, str]  # the file, the byte, the kind and the name of something outermost
Row = tuple[str, int, str, Place, str, str]  # the last is a name that all units have for the declaration


def say_place(root: Path, location: cindex.SourceLocation) -> Place | None:
    """Return the path in the tree and the line of a location; None for what the compiler generated."""
    if location.file is None:
        return None
    return get_full_path(root, location.file.name), location.line


@cache
def get_full_path(root: Path, name: str) -> str:
    """Return the path in the tree of a file as the compiler names it."""
    path = Path(name).resolve()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else OUTSIDE


def lies_in(root: Path, location: cindex.SourceLocation) -> bool:
    """Return whether a location is in the tree, whichever `-I` led to its file."""
    return location.file is not None and get_full_path(root, location.file.name) != OUTSIDE


def is_local(cursor: cindex.Cursor) -> bool:
    """Return whether a declaration is a parameter or a local variable, to which we have no edges."""
    parent = cursor.semantic_parent
    is_inside = parent is not None and parent.kind in _FUNCTIONS
    return cursor.kind in _PARAMETERS or (cursor.kind == _KINDS.VAR_DECL and is_inside)


def find_owner(cursor: cindex.Cursor) -> cindex.Cursor | None:
    """Return the class of a member that is defined outside of it; None for anything else."""
    if cursor.kind not in _FUNCTIONS or cursor.semantic_parent is None or cursor.lexical_parent is None:
        return None
    return cursor.semantic_parent if cursor.semantic_parent != cursor.lexical_parent else None


def iter_new(root: Path, unit: cindex.TranslationUnit, walked: set[Start]) -> Iterator[cindex.Cursor]:
    """Yield the outermost declarations and macros of a file and of its headers, but those walked before.

    The headers of Redis were walked for each of its files, and that took nearly all of the time.
    """
    for one in unit.cursor.get_children():
        place = one.location
        if not lies_in(root, place):
            continue
        start = (
            get_full_path(root, place.file.name),
            place.offset,
            one.kind.value,
            one.spelling,
        )  # a macro makes several
        if start not in walked:
            walked.add(start)
            yield one


def iter_uses(
    root: Path, unit: cindex.TranslationUnit, definitions: dict[str | Place, Place], walked: set[Start]
) -> Iterator[Row]:
    """Yield the names that a file uses, and those used by what it includes of the tree; note definitions."""
    waiting = [*iter_new(root, unit, walked)]
    while waiting:
        cursor = waiting.pop()
        owner = find_owner(cursor)
        for one in cursor.get_children():
            if owner is not None and one.kind in _CLASSES and one.referenced == owner:
                continue  # that a member of a class is defined is no use of it
            if lies_in(root, one.location):
                waiting.append(one)
        if cursor.is_definition():
            place = say_place(root, cursor.location)
            if place is not None and cursor.get_usr():
                definitions[cursor.get_usr()] = place
                declared = say_place(root, cursor.canonical.location)
                if declared is not None and declared[0] != OUTSIDE:
                    definitions[declared] = place
        found = cursor.referenced if cursor.kind in _USES else None
        if found is None or not found.spelling or is_local(found) or found.kind == _UNDECIDED:
            continue
        here, declared = say_place(root, cursor.location), say_place(root, found.canonical.location)
        if here is None or declared is None or here[0] == OUTSIDE:
            continue
        template = cindex.conf.lib.clang_getSpecializedCursorTemplate(found)
        usr = (template or found).get_usr()
        yield (*here, found.spelling, declared, found.kind.name, usr)


def main(arguments: list[str]) -> int:
    """Print the names of all files, each once."""
    root, pattern, *given = arguments
    tree = Path(root).resolve()
    index = cindex.Index.create()
    seen: dict[Row, None] = {}
    walked: set[Start] = set()
    # What one file declares another may define; by place, too: `f(const int)` has another name than `f(int)`.
    definitions: dict[str | Place, Place] = {}
    options = cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
    for file in sorted(tree.glob(pattern)):
        unit = index.parse(str(file), args=given[1:], options=options)
        faults = [one.spelling for one in unit.diagnostics if one.severity == cindex.Diagnostic.Fatal]
        if faults:
            print(f"{file.relative_to(tree).as_posix()}: {faults[0]}", file=sys.stderr)
            continue
        seen.update(dict.fromkeys(iter_uses(tree, unit, definitions, walked)))
    for path, line, name, declared, kind, usr in seen:
        print(
            json.dumps(
                (path, line, name, declared, definitions.get(usr, definitions.get(declared, declared)), kind)
            )
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
