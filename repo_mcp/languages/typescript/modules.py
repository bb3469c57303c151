"""Imports and exports of TypeScript and JavaScript files.

ECMAScript modules and CommonJS give the same rows. IMPORT: `import d from "m"` has the name "default";
`import * as ns`, `require("m")` and `import("m")` have none. EXPORT: the alias is the name for importers. It
is "default" for `export default`, "export=" for the value of `module.exports` or `export =`, and empty with
the name "*" for `export * from "m"`; a row without a name gives the whole module `m`. Names in an object that
is exported as a whole have rows as if each were exported: importers have them as members.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.scope_walk import SAME
from repo_mcp.languages.treesitter.source_text import find_first_child
from repo_mcp.languages.typescript.declarations import FUNCTION_VALUES, hide_unnamed
from repo_mcp.languages.typescript.doc_comments import move_doc
from repo_mcp.languages.typescript.types import WHOLE
from repo_mcp.languages.typescript.unnamed_exports import UNNAMED
from repo_mcp.languages.typescript.walk import RESULT, Prefix, ScriptWalk
from repo_mcp.languages.typescript.wrapped_exports import find_wrapped
from repo_mcp.symbols.model import HELD, UNKNOWN_TYPE
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolFlag, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

IMPORT, EXPORT = ReferenceRole.IMPORT, ReferenceRole.EXPORT
MODULE_OBJECTS = frozenset({"exports", "module.exports"})
# expressions that declare what they are the value of
DECLARING_VALUES = frozenset({"function_expression", "generator_function", "arrow_function", "class"})
_WHOLE_ASSIGNED = re.compile(rb"\bmodule\.exports\s*=(?!=)")
MAX_WORDS_BYTES = 20  # between the comment of a variable and its name: a line feed and `export const`


def read_source(walk: ScriptWalk, node: Node | None) -> str:
    """Return the module that a string names; empty when it is not a string."""
    text = walk.read_line(node)
    return text[1:-1] if text[:1] in {"'", '"', "`"} else ""


# ECMAScript modules


def on_import(walk: ScriptWalk, node: Node) -> None:
    """Add the rows of an import statement."""
    children = node.named_children
    source_node = node.child_by_field_name("source")
    clause = next((one for one in children if one.type in {"import_clause", "import_require_clause"}), None)
    if clause is None:
        walk.refer(IMPORT, "", node.start_byte, read_source(walk, source_node))
        return
    if source_node is None:
        source_node = clause.child_by_field_name("source")
    source = read_source(walk, source_node)
    for child in clause.named_children:
        if child.type == "identifier":
            name = "default" if clause.type == "import_clause" else ""
            _import_name(walk, name, child, source)
        elif child.type == "namespace_import":
            _import_name(walk, "", child.named_children[-1] if child.named_children else None, source)
        elif child.type == "named_imports":
            for one in child.named_children:
                _import_specifier(walk, one, source)


def _import_specifier(walk: ScriptWalk, node: Node, source: str) -> None:
    name_node, alias_node = node.child_by_field_name("name"), node.child_by_field_name("alias")
    if name_node is not None:
        walk.taken.add(name_node.start_byte)
        _import_name(walk, walk.read_name(name_node), alias_node or name_node, source)


def _import_name(walk: ScriptWalk, name: str, local: Node | None, source: str, held: int = 0) -> None:
    if local is not None:
        walk.taken.add(local.start_byte)
        walk.refer(IMPORT, name, local.start_byte, source, walk.read(local), held)


def on_import_alias(walk: ScriptWalk, node: Node) -> None:
    """Declare the name of `import A = B.C` in this file, with the target as its type."""
    name_node = node.named_children[0] if node.named_children else None
    if name_node is None:
        return
    walk.taken.add(name_node.start_byte)
    name = walk.read(name_node)
    entry = walk.declare(node, name, SymbolKind.TYPE, walk.find_prefix(node))
    target = node.named_children[-1]
    entry.type = walk.read_line(target)
    entry.flags |= SymbolFlag.FORWARD


def on_export(walk: ScriptWalk, node: Node) -> None:
    """Add the rows of an export statement, or record it as the prefix of its declaration."""
    declaration, value = node.child_by_field_name("declaration"), node.child_by_field_name("value")
    words = [child.type for child in node.children if not child.is_named]
    is_default = "default" in words
    if value is not None:
        move_doc(walk, node.start_byte, value.start_byte)
    if declaration is not None:
        walk.prefixes[declaration.start_byte] = Prefix(node.start_byte, True, is_default)
        return
    source_node = node.child_by_field_name("source")
    if value is not None:
        _export_value(walk, node, value, UNNAMED)
        return
    source = read_source(walk, source_node)
    for child in node.named_children:
        if child.type == "export_clause":
            for one in child.named_children:
                _export_specifier(walk, one, source)
        elif child.type == "namespace_export" and child.named_children:
            alias_node = child.named_children[-1]
            walk.taken.add(alias_node.start_byte)
            walk.refer(EXPORT, "", alias_node.start_byte, source, walk.read_name(alias_node))
        elif "=" in words and child.type == "identifier":
            _export_value(walk, node, child, WHOLE)
    if "*" in words and source:
        walk.refer(EXPORT, "*", node.start_byte, source)


def _export_specifier(walk: ScriptWalk, node: Node, source: str) -> None:
    name_node, alias_node = node.child_by_field_name("name"), node.child_by_field_name("alias")
    if name_node is None:
        return
    walk.taken.add(name_node.start_byte)
    name = walk.read_name(name_node)
    if alias_node is not None:
        walk.taken.add(alias_node.start_byte)
    alias = walk.read_name(alias_node) if alias_node is not None else name
    walk.refer(EXPORT, name, name_node.start_byte, source, alias)
    if not source:
        walk.exported[name] = alias == "default"


def _export_value(walk: ScriptWalk, node: Node, value: Node, alias: str) -> None:
    """Add the rows of `export default value`, `export = value` or `module.exports = value`.

    A wrapped component is exported as it is: `export default observer(Page)`.
    """
    value = find_wrapped(walk, value) or value
    if value.type == "identifier":
        walk.taken.add(value.start_byte)
        name = walk.read(value)
        walk.refer(EXPORT, name, value.start_byte, "", alias)
        walk.exported[name] = alias == UNNAMED
        return
    if value.type == "object":
        for one in value.named_children:
            _export_named(walk, one)
    if alias == UNNAMED or value.type in DECLARING_VALUES:
        _declare_value(walk, node, value, alias)


def _export_named(walk: ScriptWalk, node: Node) -> None:
    """Add the names `a` or `a: b` of an object that is exported as default, as members of it."""
    if node.type == "shorthand_property_identifier":
        _export_property(walk, node)
        return
    value = node.child_by_field_name("value") if node.type == "pair" else None
    if value is not None and value.type == "identifier":
        export_member(walk, node, walk.read_name(node.child_by_field_name("key")), value)


def _declare_value(walk: ScriptWalk, node: Node, value: Node, alias: str) -> None:
    """Declare an exported value under its own name, or else under that of the file."""
    own = walk.read(value.child_by_field_name("name")) if value.type in DECLARING_VALUES else ""
    kind = SymbolKind.FUNCTION if value.type in FUNCTION_VALUES else SymbolKind.CONSTANT
    kind = SymbolKind.CLASS if value.type == "class" else kind
    is_written = kind is SymbolKind.CONSTANT and walk.unnamed.encode() in walk.text[: node.start_byte]
    name = own or (UNNAMED if is_written else walk.unnamed)  # what is above may be made of one of that name
    entry = walk.declare(node, name, kind, Prefix(node.start_byte, True, alias == UNNAMED))
    ordinal = len(walk.entries) - 1
    if not own:
        hide_unnamed(walk)
    walk.values[value.start_byte] = ordinal
    walk.refer(EXPORT, name, node.start_byte, "", alias)
    if kind is SymbolKind.FUNCTION:
        walk.read_signature(entry, value)
        if walk.text.startswith(b"async", value.start_byte):
            entry.flags |= SymbolFlag.ASYNC
    elif kind is SymbolKind.CONSTANT:
        walk.bind_value(name, value, node.start_byte)
        walk.open_scope(node.end_byte, is_local=walk.is_local, ordinal=ordinal)


# CommonJS


def import_required(walk: ScriptWalk, name_node: Node, value: Node) -> None:
    """Add the names that `const x = require("m")` or `const {a, b: c} = await import("m")` imports."""
    if value.type == "assignment_expression":
        _export_variable(walk, value, name_node)
    elif name_node.type == "identifier" and _is_module_object(walk, value):
        _export_whole_as(walk, name_node)
    if not _may_require(walk, value):
        return
    source, member = _take_required(walk, value)
    if not source:
        return
    is_held = walk.is_typescript or value.type == "await_expression" or _has_written_type(walk, name_node)
    held = HELD if is_held else 0
    if name_node.type == "identifier":
        _import_name(walk, member, name_node, source, held)
    elif name_node.type == "object_pattern" and not member:
        for one in name_node.named_children:
            _import_pattern(walk, one, source, held)


def _take_required(walk: ScriptWalk, value: Node) -> tuple[str, str]:
    """Return the module and the member of `require("m").a`; both are empty for any other value.

    Nothing more is recorded for it.
    """
    member, call = "", value
    if call.type == "await_expression":
        call = call.named_children[0]
    if call.type == "member_expression":
        member = walk.read(call.child_by_field_name("property"))
        call = call.child_by_field_name("object") or call
    source = _read_required(walk, call)
    if not source:
        return "", ""
    walk.values[value.start_byte] = -1
    walk.values[call.start_byte] = -1
    return source, member


def import_result(walk: ScriptWalk, value: Node, ordinal: int) -> bool:
    """Record that a function returns a module, as `() => require("./store")` does; False for other results.

    As an import it is called as the function with "()" after it.
    """
    if not walk.text.startswith(b"require", value.start_byte):
        return False
    source, member = _take_required(walk, value)
    if not source:
        return False
    name = walk.entries[ordinal].name + RESULT
    if name in walk.required:  # by another function of that name
        walk.refer(ReferenceRole.BIND, UNKNOWN_TYPE, value.start_byte, "", RESULT, SAME, ordinal)
        return False
    walk.required.add(name)
    walk.refer(IMPORT, member, value.start_byte, source, name)
    walk.refer(ReferenceRole.BIND, name, value.start_byte, "", RESULT, SAME, ordinal)
    return True


def find_requiring(walk: ScriptWalk, value: Node | None) -> Node | None:
    """Return the function in `memoize(() => require("./store"))`, which is the only argument of a call.

    Return any other value as it is.
    """
    given = value.child_by_field_name("arguments") if value is not None else None
    if value is None or value.type != "call_expression" or given is None or given.named_child_count != 1:
        return value
    function = given.named_children[0]
    body = function.child_by_field_name("body") if function.type in FUNCTION_VALUES else None
    if body is not None and body.type == "statement_block" and body.named_child_count == 1:
        body = find_first_child(body.named_children[0])
    is_required = body is not None and walk.text.startswith(b"require(", body.start_byte)
    return function if is_required else value


def _has_written_type(walk: ScriptWalk, name_node: Node) -> bool:
    """Return whether a JavaScript variable has a `@type` comment, so that it does not name the module."""
    start, end = walk.comment
    is_above = end and name_node.start_byte - end < MAX_WORDS_BYTES
    return bool(is_above) and b"@type " in walk.text[start:end]


def _export_variable(walk: ScriptWalk, value: Node, name_node: Node) -> None:
    """Export the variable of `var app = exports = module.exports = {}`."""
    for _ in range(3):
        left, right = value.child_by_field_name("left"), value.child_by_field_name("right")
        if left is not None and walk.read_line(left) == "module.exports":
            _export_whole_as(walk, name_node)
        if right is None or right.type != "assignment_expression":
            break
        value = right


def _export_whole_as(walk: ScriptWalk, name_node: Node) -> None:
    name = walk.read(name_node)
    walk.refer(EXPORT, name, name_node.start_byte, "", WHOLE)
    walk.exported[name] = False


def _is_module_object(walk: ScriptWalk, value: Node) -> bool:
    """Return whether a variable is, and stays, the object that a file exports: `var app = exports`."""
    if value.type not in {"identifier", "member_expression"} or walk.is_typescript or walk.is_local:
        return False
    return walk.read_line(value) in MODULE_OBJECTS and _WHOLE_ASSIGNED.search(walk.text) is None


def _may_require(walk: ScriptWalk, value: Node) -> bool:
    return walk.text.startswith((b"require", b"import", b"await"), value.start_byte)


def _read_required(walk: ScriptWalk, call: Node) -> str:
    """Return the module of `require("m")` or `import("m")`; empty for other calls."""
    if call.type != "call_expression":
        return ""
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if function is None or arguments is None or walk.read(function) not in {"require", "import"}:
        return ""
    values = arguments.named_children
    return read_source(walk, values[0]) if values and values[0].type == "string" else ""


def _import_pattern(walk: ScriptWalk, node: Node, source: str, held: int) -> None:
    if node.type == "shorthand_property_identifier_pattern":
        _import_name(walk, walk.read(node), node, source, held)
    elif node.type == "pair_pattern":
        local = node.child_by_field_name("value")
        if local is not None and local.type == "identifier":
            _import_name(walk, walk.read_name(node.child_by_field_name("key")), local, source, held)


def refer_required(walk: ScriptWalk, call: Node, function: Node) -> bool:
    """Add an import for a `require` or `import` call that is not yet recorded; return False for others."""
    source = _read_required(walk, call)
    if not source:
        return False
    walk.taken.add(function.start_byte)
    if walk.values.get(call.start_byte) != -1:
        name = "default" if function.type == "import" and _is_handed_on(call) else ""
        walk.refer(IMPORT, name, call.start_byte, source)
    return True


def _is_handed_on(call: Node) -> bool:
    """Return whether a function that only imports is handed to a call or an object, which takes the default.

    So `lazy(() => import("./Page"))` and `{ component: () => import("./Page") }` do.
    """
    function = call.parent
    if function is None or function.type != "arrow_function" or function.parent is None:
        return False
    return function.parent.type in {"arguments", "pair"}


def export_whole(walk: ScriptWalk, node: Node, value: Node) -> None:
    """Add the rows of `module.exports = value`."""
    source = _read_required(walk, value)
    if source:
        walk.values[value.start_byte] = -1
        walk.refer(EXPORT, "", node.start_byte, source, WHOLE)
    elif value.type == "object":
        for one in value.named_children:
            _export_property(walk, one)
    elif value.type in {"new_expression", "call_expression"} and find_wrapped(walk, value) is None:
        _declare_value(walk, node, value, WHOLE)
    else:
        _export_value(walk, node, value, WHOLE)


def _export_property(walk: ScriptWalk, node: Node) -> None:
    """Export a member of the object that is assigned to `module.exports`."""
    if node.type == "shorthand_property_identifier":
        name = walk.read(node)
        walk.taken.add(node.start_byte)
        walk.refer(EXPORT, name, node.start_byte, "", name)
        walk.exported.setdefault(name, False)
        return
    key = node.child_by_field_name("key" if node.type == "pair" else "name")
    value = node.child_by_field_name("value")
    name = walk.read_name(key)
    if node.type == "method_definition":
        walk.refer(EXPORT, name, node.start_byte, "", name)
    elif node.type == "pair" and value is not None:
        export_member(walk, node, name, value)


def export_member(walk: ScriptWalk, node: Node, name: str, value: Node) -> None:
    """Export the value of `exports.name = value`."""
    source = _read_required(walk, value)
    if source:
        walk.values[value.start_byte] = -1
        walk.refer(EXPORT, "", node.start_byte, source, name)
    elif value.type == "identifier" and not walk.is_bound(walk.read(value)):
        walk.taken.add(value.start_byte)
        local = walk.read(value)
        walk.refer(EXPORT, local, value.start_byte, "", name)
        walk.exported.setdefault(local, False)
    elif value.type != "assignment_expression" and not walk.is_local:
        _declare_export(walk, node, name, value)


def _declare_export(walk: ScriptWalk, node: Node, name: str, value: Node) -> None:
    kind = SymbolKind.FUNCTION if value.type in FUNCTION_VALUES else SymbolKind.CONSTANT
    kind = SymbolKind.CLASS if value.type == "class" else kind
    entry = walk.declare(node, name, kind, Prefix(node.start_byte, True))
    ordinal = len(walk.entries) - 1
    walk.values[value.start_byte] = ordinal
    walk.refer(EXPORT, name, node.start_byte, "", name)
    if kind is SymbolKind.FUNCTION:
        walk.read_signature(entry, value)
    elif kind is SymbolKind.CONSTANT:
        walk.bind_value(name, value, node.start_byte)
