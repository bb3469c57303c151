"""The answers of libclang on names in C: `python bench/graph/c_oracle.py TREE 'src/**/*.c' -- ARGUMENTS`.

Prints a JSON line for each name that is used: path, line, name, the place of its declaration and that of its
definition, kind. Arguments after `--` go to the compiler. Files that include what is not there, as those for
another system do, are left out and named on standard error.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
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
)
Place = tuple[str, int]
Row = tuple[str, int, str, Place, Place, str]


def say_place(root: Path, location: cindex.SourceLocation) -> Place | None:
    """Return the path in the tree and the line of a location; None for what the compiler makes itself."""
    if location.file is None:
        return None
    path = Path(location.file.name).resolve()
    return (path.relative_to(root).as_posix() if path.is_relative_to(root) else OUTSIDE), location.line


def is_local(cursor: cindex.Cursor) -> bool:
    """Return whether a declaration is a function's own variable or parameter: no edge on our side."""
    parent = cursor.semantic_parent
    is_inside = parent is not None and parent.kind == _KINDS.FUNCTION_DECL
    return cursor.kind == _KINDS.PARM_DECL or (cursor.kind == _KINDS.VAR_DECL and is_inside)


def iter_uses(root: Path, unit: cindex.TranslationUnit) -> Iterator[Row]:
    """Yield the names that a file uses, and those used by what it includes of the tree."""
    waiting = [unit.cursor]
    while waiting:
        cursor = waiting.pop()
        for one in cursor.get_children():
            if one.location.file is not None and str(one.location.file.name).startswith(str(root)):
                waiting.append(one)
        found = cursor.referenced if cursor.kind in _USES else None
        if found is None or not found.spelling or is_local(found):
            continue
        here, declared = say_place(root, cursor.location), say_place(root, found.location)
        if here is None or declared is None or here[0] == OUTSIDE:
            continue
        definition = found.get_definition()
        defined = say_place(root, definition.location) if definition is not None else None
        yield (*here, found.spelling, declared, defined or declared, found.kind.name)


def main(arguments: list[str]) -> int:
    """Print the names of all files, each once."""
    root, pattern, *given = arguments
    tree = Path(root).resolve()
    index, seen = cindex.Index.create(), set()
    options = cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
    for file in sorted(tree.glob(pattern)):
        unit = index.parse(str(file), args=given[1:], options=options)
        faults = [one.spelling for one in unit.diagnostics if one.severity == cindex.Diagnostic.Fatal]
        if faults:
            print(f"{file.relative_to(tree).as_posix()}: {faults[0]}", file=sys.stderr)
            continue
        for row in iter_uses(tree, unit):
            if row not in seen:
                seen.add(row)
                print(json.dumps(row))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
