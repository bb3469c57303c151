"""Types that JavaScript writes in JSDoc comments: they count like those that TypeScript writes in the code.

`@typedef` and `@callback` declare types, which importers see. `@import`, and `@typedef {import("m").T} T`,
import one. A comment that says parameters or a result waits for the function that begins after it; so does
the type in `/** @type {T} */` for the variable, the property or the expression in parentheses.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.scope_walk import Entry
from repo_mcp.languages.treesitter.source_text import find_first_child
from repo_mcp.languages.typescript.destructuring import bind_pattern
from repo_mcp.languages.typescript.doc_tags import (
    FunctionDoc,
    Tag,
    list_imports,
    list_tags,
    list_uses,
    read_import_type,
    read_module,
)
from repo_mcp.languages.typescript.types import is_object_type, list_members, split_type
from repo_mcp.languages.typescript.walk import ScriptWalk, bind_written, write_owner
from repo_mcp.symbols.model import Binding
from repo_mcp.symbols.symbol_record import Access, ReferenceRole, SymbolFlag, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

# Between a comment and what it documents.
_NEXT = re.compile(rb"(?:\s+|//[^\n]*|/\*(?!\*)(?:[^*]|\*(?!/)){0,2000}\*/)*")
_DECLARING = frozenset({"typedef", "callback"})
_OF_FUNCTIONS = frozenset({"param", "returns", "template"})
_PATTERNS = {"assignment_pattern": "left", "rest_pattern": ""}


def on_comment(walk: ScriptWalk, node: Node) -> None:
    """Record a doc comment for the declaration after it, and in JavaScript the types that it says."""
    start, end = node.start_byte, node.end_byte
    if not walk.text.startswith(b"/**", start):
        return
    walk.comment = (start, end)
    if walk.is_typescript or walk.text.find(b"@", start, end) < 0:
        return
    tags = list_tags(walk.text, start, end)
    first = next((at for at, tag in enumerate(tags) if tag.kind in _DECLARING), len(tags))
    if first < len(tags):
        _declare_types(walk, tags, start, end)
        return
    for tag in tags:
        if tag.kind == "import":
            _import_names(walk, tag)
    follows = _NEXT.match(walk.text, end)
    after = follows.end() if follows is not None else end
    typed = next((tag for tag in tags if tag.kind == "type"), None)
    if typed is not None:
        refer_types(walk, typed, ReferenceRole.TYPE)
        walk.doc_types[after] = typed.type
    said = tuple(tag for tag in tags if tag.kind in _OF_FUNCTIONS)
    if said:
        walk.docs[after] = FunctionDoc(said, walk.scope, walk.ordinal)


def refer_types(walk: ScriptWalk, tag: Tag, role: ReferenceRole) -> None:
    """Add the uses of the types in a tag, and the imports in them."""
    for use in list_uses(tag):
        if use.module:
            walk.refer(ReferenceRole.IMPORT, "", use.start, use.module)
            qualifier = f'import("{use.module}")' + (f".{use.qualifier}" if use.qualifier else "")
            if use.name:
                walk.refer(role, use.name, use.start, qualifier)
        else:
            walk.refer(ReferenceRole.USE if use.is_value else role, use.name, use.start, use.qualifier)


def _import_names(walk: ScriptWalk, tag: Tag) -> None:
    module = read_module(tag)
    for name, local, start in list_imports(tag) if module else ():
        walk.refer(ReferenceRole.IMPORT, name, start, module, local)


# Declared types


def _declare_types(walk: ScriptWalk, tags: list[Tag], start: int, end: int) -> None:
    """Declare the types of a comment: each begins with its tag, the first with the comment."""
    scope, ordinal = walk.scope, walk.ordinal
    heads = [at for at, tag in enumerate(tags) if tag.kind in _DECLARING]
    before = [tag for tag in tags[: heads[0]] if tag.kind == "template"]
    for at, last in zip(heads, [*heads[1:], len(tags)], strict=True):
        begin = start if at == heads[0] else tags[at].start
        until = end if last == len(tags) else walk.text.rfind(b"\n", 0, tags[last].start)
        _declare_type(walk, [*before, *tags[at:last]], begin, until, (scope, ordinal))
        before = []


def _declare_type(walk: ScriptWalk, tags: list[Tag], start: int, end: int, around: tuple[int, int]) -> None:
    head = next(tag for tag in tags if tag.kind in _DECLARING)
    imported = read_import_type(head.type)
    if not head.name or "." in head.name:
        return
    if imported is not None:
        module, name = imported
        walk.refer(ReferenceRole.IMPORT, name, head.type_start, module, head.name, ordinal=around[1])
        if not around[1]:
            walk.refer(ReferenceRole.EXPORT, name, head.type_start, module, head.name, ordinal=0)
        return
    entry = _add_type(walk, head.name, SymbolKind.TYPE, start, end, around[1])
    ordinal = len(walk.entries) - 1
    if not around[1]:
        entry.flags |= SymbolFlag.PUBLIC_API
        entry.access = Access.PUBLIC
    walk.open_scope(end, is_local=False, ordinal=ordinal, parent=around[0])
    _bind_templates(walk, tags)
    typed = next((tag for tag in tags if tag.kind == "type"), head)
    entry.type = _write_function(tags) if head.kind == "callback" else typed.type
    _declare_members(walk, tags, typed, ordinal)
    for tag in tags:
        refer_types(walk, tag, ReferenceRole.ACCEPT if tag.kind == "param" else ReferenceRole.TYPE)


def _add_type(walk: ScriptWalk, name: str, kind: SymbolKind, start: int, end: int, parent: int) -> Entry:
    return walk.entries[walk.add_symbol(name, kind, start, end, parent)]


def _write_function(tags: list[Tag]) -> str:
    """Return the function type that a `@callback` says."""
    given = [tag for tag in tags if tag.kind == "param" and "." not in tag.name]
    result = next((tag.type for tag in tags if tag.kind == "returns"), "") or "void"
    parameters = ", ".join(f"{tag.name}: {tag.type or 'any'}" for tag in given)
    return f"({parameters}) => {result}"


def _declare_members(walk: ScriptWalk, tags: list[Tag], typed: Tag, ordinal: int) -> None:
    """Declare the properties of a type: those with tags of their own, and those in the text of its type."""
    for tag in tags:
        if tag.kind == "property" and tag.name and "." not in tag.name:
            _add_member(walk, tag.name, tag.type, (tag.start, tag.start + 1), ordinal)
    for part in split_type(typed.type, "&"):
        if is_object_type(part.strip()):
            for name, text in list_members(part.strip()):
                at = typed.raw.find(name.encode())
                start = typed.type_start + max(at, 0)
                _add_member(walk, name, text, (start, start + 1), ordinal)


def _add_member(walk: ScriptWalk, name: str, text: str, span: tuple[int, int], parent: int) -> None:
    entry = _add_type(walk, name, SymbolKind.PROPERTY, *span, parent)
    entry.access = Access.PUBLIC
    entry.type = text


# Functions


def move_doc(walk: ScriptWalk, start: int, to: int) -> None:
    """Let what a comment before byte `start` says count for the function that begins at another byte."""
    if start in walk.docs:
        walk.docs[to] = walk.docs.pop(start)


def apply_doc(walk: ScriptWalk, node: Node, start: int, entry: Entry | None) -> bool:
    """Give a function, whose scope is open, the types that the comment before byte `start` says.

    Return whether it says any of a parameter.
    """
    doc = walk.docs.pop(start, None)
    if doc is None:
        return False
    _bind_templates(walk, doc.tags)
    for tag in doc.tags:
        refer_types(walk, tag, ReferenceRole.ACCEPT if tag.kind == "param" else ReferenceRole.TYPE)
        if tag.kind == "returns" and entry is not None and not entry.type:
            entry.type = tag.type
    given = [tag for tag in doc.tags if tag.kind == "param"]
    _bind_parameters(walk, node, given)
    return bool(given)


def refer_unapplied(walk: ScriptWalk) -> None:
    """Add the uses of types in comments before anything else than a function."""
    for doc in walk.docs.values():
        walk.scope, walk.ordinal = doc.scope, doc.ordinal
        for tag in doc.tags:
            refer_types(walk, tag, ReferenceRole.TYPE)


def _bind_templates(walk: ScriptWalk, tags: list[Tag] | tuple[Tag, ...]) -> None:
    """Bind the type parameters that a comment declares."""
    for tag in tags:
        for name in tag.name.split(",") if tag.kind == "template" and tag.name else ():
            walk.bind(name.strip())
            walk.refer(ReferenceRole.BIND, f":{tag.type}", tag.start, "", f"<{name.strip()}", Binding.BOUND)


def _bind_parameters(walk: ScriptWalk, node: Node, tags: list[Tag]) -> None:
    """Bind parameters to their types, by name; a pattern to that of the tag at its position."""
    parameters, single = node.child_by_field_name("parameters"), node.child_by_field_name("parameter")
    found = parameters.named_children if parameters is not None else [single] if single is not None else []
    types = {tag.name: _write_parameter(tag, tags) for tag in tags if "." not in tag.name}
    texts = list(types.values())
    for index, one in enumerate(child for child in found if child.type != "comment"):
        pattern: Node | None = one
        if one.type in _PATTERNS:
            pattern = one.child_by_field_name(_PATTERNS[one.type]) or find_first_child(one)
        if pattern is None:
            continue
        name = walk.read(pattern) if pattern.type == "identifier" else ""
        if name and types.get(name):
            bind_written(walk, name, types[name], pattern.start_byte)
        elif pattern.type == "object_pattern" and texts[index : index + 1] and texts[index]:
            bind_pattern(walk, pattern, write_owner(walk, texts[index], pattern.start_byte))


def _write_parameter(tag: Tag, tags: list[Tag]) -> str:
    """Return the type of a parameter; if its members have tags of their own, that of an object with these."""
    start = f"{tag.name}."
    members = [one for one in tags if one.name.startswith(start) and "." not in one.name[len(start) :]]
    if tag.type or not members:
        return tag.type
    return f"{{ {'; '.join(f'{one.name[len(start) :]}: {one.type}' for one in members if one.type)} }}"
