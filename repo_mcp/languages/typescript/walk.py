"""The state of a pass over TypeScript or JavaScript, and the reading of its expressions as names.

A node is never asked what surrounds it: the handler of an outer node leaves a note here (under the byte where
the inner one starts, or with the byte where it ends), which the handler of the inner one finds.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.assigned_values import name_assigned
from repo_mcp.languages.treesitter.scope_walk import (
    CALLED,
    ITEMS,
    MAX_CHAIN_BYTES,
    SAME,
    TYPE,
    UNKNOWN,
    Entry,
    ScopeWalk,
)
from repo_mcp.languages.treesitter.source_text import find_first_child
from repo_mcp.languages.typescript.doc_tags import list_tags
from repo_mcp.languages.typescript.types import ANYTHING, read_type, read_types
from repo_mcp.languages.typescript.unnamed_exports import name_unnamed
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.model import BLOCK, UNKNOWN_TYPE, Binding
from repo_mcp.symbols.symbol_record import Access, ReferenceRole, SymbolFlag, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node
    from repo_mcp.languages.typescript.doc_tags import FunctionDoc

_PLAIN = re.compile(rb"[\w$.#\x80-\xff]+")
_CHAIN = re.compile(rb"\^?[\w$\x80-\xff]+(?:\(\)|\[\]|\.#?[\w$\x80-\xff]+)*")
_SPACE = re.compile(rb"\s+")
_HOISTED = re.compile(rb"^(?:async\s++)?function\b\s*+\*?\s*+([\w$]++)", re.MULTILINE)
GENERIC = re.compile(r"[<{]|=>")  # in a type that its name alone does not identify
_AWAITED = re.compile(rb"\((?:await|new)\s++([^()]*+(?:\(.*\))?)\)", re.DOTALL)
CAST = "^"  # begins a chain that starts from a value of the type after it
_CAST_TO = re.compile(rb"\((?:[^()]|\([^()]*\))*\sas\s+([A-Za-z_$][\w$]*)(?:<[\w\s,.|&]*>)?\)")
_ROUND = re.compile(rb"\([^()\[\]]*\)")
_SQUARE = re.compile(rb"\[[^()\[\]]*\]")
_TYPED_CALL = re.compile(rb"<[\w\s,.|&:;{}\[\]]*>\(")
_COMMENTS = re.compile(rb"(\"[^\"\n]*\"|'[^'\n]*'|`[^`]*`)|//[^\n]*|/\*.*?\*/", re.DOTALL)
MAX_TYPE_BYTES = 8_000  # that are read of one type
MAX_CAST_BYTES = 300  # of the comment before a cast, with the blanks around it
EXPECTED = "@"  # before an offset: the name of the variable that stands for an unnamed value or type
RESULT = (
    "()"  # stands for the variable in the row of a function's result, and follows the name of one in a call
)
ALL = int(Binding.BOUND)  # in a row with the type of a variable: one of several types, all of which it has


@dataclass(frozen=True, slots=True)
class Prefix:
    """The words before a declaration: `export`, `default`, `declare`."""

    start: int  # byte offset
    is_exported: bool = False
    is_default: bool = False


@dataclass(frozen=True, slots=True)
class Variables:
    """One `const`, `let` or `var`, while its variables are visited."""

    end: int
    is_constant: bool
    hoists: bool
    prefix: Prefix


class ScriptWalk(ScopeWalk):
    """The state of one pass over a TypeScript or JavaScript file."""

    keeps_unknown = True

    def __init__(self, file_name: str, text: bytes, *, is_typescript: bool) -> None:
        super().__init__(file_name, text)
        self.is_typescript = is_typescript
        self.unnamed = name_unnamed(file_name, text)  # the exported value without a name of its own
        self.prefixes: dict[int, Prefix] = {}  # start of a declaration -> its prefix
        self.values: dict[int, int] = {}  # start of a value -> its entry; -1: imported
        self.variables: list[Variables] = []
        self.objects: list[tuple[int, int]] = []  # (end, entry whose value it is or -1)
        self.functions: dict[int, int] = {}  # scope of a function -> its entry
        self.expecting: dict[int, int] = {}  # scope of a function with a contextual type -> its start
        self.roles: list[tuple[int, int, ReferenceRole]] = []  # (start, end, role) of spans of types
        self.base_roles: dict[int, ReferenceRole] = {}  # start of a base type -> its role
        self.bases_end = 0  # start of what is written between the head of a type and its members
        self.pattern_end = 0  # names bound before this byte are declared, or imported, by `pattern`
        self.pattern: Variables | None = None
        self.assigned_end = 0  # names in patterns before this byte are used, not bound
        self.required: set[str] = set()  # names of results of functions that are modules
        self.exported: dict[str, bool] = {}  # name exported apart from its declaration -> as default
        self.comment = (0, 0)  # span of the last doc comment
        self.docs: dict[int, FunctionDoc] = {}  # start of what follows a comment -> what it says
        self.doc_types: dict[int, str] = {}  # the same -> the type of the variable or property there
        self.decorators = (0, 0)  # span of the last decorators in a row
        self.members: dict[tuple[int, str], int] = {}  # (entry, name declared in it) -> first entry of it
        self.contexts: dict[
            int, tuple[str, str, int]
        ] = {}  # start of a function or object -> its contextual type
        self.components: set[int] = set()  # entries that create JSX elements
        self.blocks: dict[int, tuple[int, int]] = {}  # scope of a block or an unnamed function -> its span
        self.titled: dict[int, bool] = {}  # start of a function with a title -> whether it may hold others
        self.titled_scopes: set[int] = set()  # scopes of those that may

    @cached_property
    def hoisted(self) -> frozenset[bytes]:
        """Return the names of the functions that begin a line, also those below what is being read."""
        return frozenset(_HOISTED.findall(self.text))

    # Declarations

    def declare(self, node: Node, name: str, kind: SymbolKind, prefix: Prefix, parent: int = -1) -> Entry:
        """Add a symbol that begins with its prefix and decorators, and return its entry."""
        start = min(prefix.start, node.start_byte)
        if self.decorators[1] <= start and self.is_gap(self.decorators[1], start) and self.decorators[1]:
            start = self.decorators[0]
        ordinal = self.add_symbol(name, kind, start, node.end_byte, parent)
        entry = self.entries[ordinal]
        self.members.setdefault((entry.parent, name), ordinal)
        if parent < 0 and self.scope in self.blocks:
            self._note_block(name, ordinal)
        note_comment(self, entry, start)
        if prefix.is_exported:
            entry.flags |= SymbolFlag.PUBLIC_API
            entry.access = Access.PUBLIC
        if prefix.is_default:
            entry.flags |= SymbolFlag.DEFAULT_EXPORT
        return entry

    def _note_block(self, name: str, ordinal: int) -> None:
        """Record the lines in which a symbol is visible, if fewer than those of the enclosing symbol."""
        start, end = self.blocks[self.scope]
        if end != self.entry.end:
            last = self.find_line(max(start, end - 1))
            self.refer(ReferenceRole.BIND, name, start, "", BLOCK, last, ordinal)

    def find_prefix(self, node: Node) -> Prefix:
        """Return the prefix of a declaration; an empty one when it has none."""
        return self.prefixes.get(node.start_byte) or Prefix(node.start_byte)

    def open_last(self, end: int, *, is_local: bool, hoists: bool = False) -> None:
        """Open the scope of the symbol declared last, up to byte `end`."""
        self.open_scope(end, is_local=is_local, hoists=hoists, ordinal=len(self.entries) - 1)
        if hoists:
            self.functions[self.scope] = self.ordinal

    def bind_this(self, *, is_known: bool) -> None:
        """Record whether `this` in the innermost scope is the object around it.

        In a function that is passed to another one, it depends on the call.
        """
        (self._declared if is_known else self._bound)[self.scope].add("this")

    def read_signature(self, entry: Entry, node: Node) -> None:
        """Set an entry's parameters and result from a function or a function type."""
        parameters = node.child_by_field_name("parameters")
        if parameters is None:
            single = node.child_by_field_name("parameter")
            if single is not None:
                entry.parameters, entry.count = f"({self.read(single)})", 1
        else:
            entry.parameters = read_type_text(self, parameters)
            if parameters.end_byte - parameters.start_byte > 2:
                self._count_parameters(entry, parameters)
        result = node.child_by_field_name("return_type")
        if result is not None:
            entry.type = read_type_text(self, result)

    def _count_parameters(self, entry: Entry, parameters: Node) -> None:
        for one in parameters.named_children:
            text = self.text[one.start_byte : one.start_byte + 5]
            if one.type == "comment" or re.match(rb"this\b", text):
                continue
            entry.count += 1
            if text.startswith(b"..."):
                entry.flags |= SymbolFlag.VARIADIC

    def get_role(self, start: int) -> ReferenceRole:
        """Return the role of a type at a byte offset."""
        base = self.base_roles.get(start)
        if base is not None:
            return base
        roles = self.roles
        while roles and roles[-1][1] <= start:
            roles.pop()
        return roles[-1][2] if roles and roles[-1][0] <= start else ReferenceRole.TYPE

    # Names

    def read_name(self, node: Node | None) -> str:
        """Return the name of a member without quotes: `a`, `#a`, `"a"`, `[a]`."""
        name = self.read_line(node)
        return name[1:-1] if name[:1] in {"'", '"'} else name

    def read_chain(self, node: Node | None) -> str:
        """Return an expression, dotted: "a.b", "make()", "list[]"; "?" for anything else."""
        if node is None:
            return UNKNOWN
        start, end = node.start_byte, node.end_byte
        text = self.text[start:end] if end - start <= MAX_CHAIN_BYTES else b""
        if text and not _PLAIN.fullmatch(text):
            cast = read_cast(self, start) if text.startswith(b"(") else ""
            text = _simplify(_cast(text, cast) if cast else text)
        if not text and node.type == "new_expression":  # what it is given may be long, or hold brackets
            chain = self.read_chain(node.child_by_field_name("constructor"))
            return UNKNOWN if chain == UNKNOWN else f"{chain}()"
        return text.decode("utf-8", "replace") or UNKNOWN

    def count_arguments(self, arguments: Node | None) -> int:
        """Return the number of arguments plus 1; 0 when it is not known."""
        if arguments is None:
            return 1
        text, start, end = self.text, arguments.start_byte, arguments.end_byte
        if not text.startswith(b"(", start, end):
            return 0
        count = arguments.named_child_count
        find = text.find
        if max(find(b"...", start, end), find(b"//", start, end), find(b"/*", start, end)) >= 0:
            types = [one.type for one in arguments.named_children]
            if "spread_element" in types:
                return 0
            count -= types.count("comment")
        return count + 1

    # Types of variables

    def bind_annotation(self, alias: str, node: Node | None, start: int, ordinal: int = -1) -> bool:
        """Record the written type of a variable; return whether it has a name."""
        return bind_written(self, alias, self.read_line(node), start, ordinal)

    def read_owner(self, type_node: Node | None, value: Node | None) -> str:
        """Return the owner of the members in a pattern: a written type, as if called, or an expression."""
        if type_node is not None:
            return _name_owner(self.read_line(type_node))
        for _ in range(3):
            if value is not None and value.type == "binary_expression":
                right = value.child_by_field_name("right")
                if (
                    self.read(right) != "{}"
                    or self.read(value.child_by_field_name("operator")) not in _CHOOSING
                ):
                    break
                value = value.child_by_field_name("left")  # `given || {}`
            if value is None or value.type not in VALUE_WRAPPERS or not value.named_child_count:
                break
            if read_cast(self, value.start_byte):
                break
            if value.type == "as_expression" and value.named_child_count == 2:
                cast = read_type(self.read_line(value.named_children[1]))
                if cast.name and not cast.qualifier and not cast.is_items:
                    return CAST + cast.name
            value = value.named_children[0]
        return self.read_chain(value)

    def bind_value(
        self, alias: str, value: Node | None, start: int, ordinal: int = -1, steps: int = 0
    ) -> None:
        """Record the type of a variable by its value, or by each value that a condition chooses from."""
        for _ in range(3):
            if value is None or value.type not in VALUE_WRAPPERS:
                break
            inner = [one for one in value.named_children if one.type != "comment"]
            said = read_cast(self, value.start_byte) if value.type == "parenthesized_expression" else ""
            if said and bind_written(self, alias, said, start, ordinal):
                return
            is_cast = value.type == "as_expression" and len(inner) == 2
            if is_cast and self.bind_annotation(alias, inner[1], start, ordinal):
                return
            if is_cast:
                bind_anything(self, alias, inner[1], start, ordinal)
            value = inner[0] if inner else None
        if value is None:
            return
        if value.type in _CHOICES and steps < MAX_CHOICES:
            if self.read(value.child_by_field_name("operator")) in _CHOOSING:
                for field in _CHOICES[value.type]:
                    self.bind_value(alias, value.child_by_field_name(field), start, ordinal, steps + 1)
        elif value.type == "new_expression":
            named = value.child_by_field_name("constructor")
            type_arguments = value.child_by_field_name("type_arguments")
            if type_arguments is not None:
                text = f":{self.read_line(named)}{self.read_line(type_arguments)}"
                self.refer(ReferenceRole.BIND, text, start, "", alias, TYPE, ordinal)
                return
            self._bind_named(alias, named, TYPE, start, ordinal)
        elif value.type == "call_expression":
            type_arguments = value.child_by_field_name("type_arguments")
            named = skip_operators(value.child_by_field_name("function"), "await_expression")
            cast = _find_cast_result(named)
            if cast is None or not self.bind_annotation(alias, cast, start, ordinal):
                self._bind_named(alias, named, CALLED, start, ordinal, self.read_line(type_arguments))
        elif value.type in {"identifier", "member_expression", "this"}:
            self._bind_named(alias, value, SAME, start, ordinal)
        elif value.type == "subscript_expression":
            self.bind_item(alias, self.read_chain(value).removesuffix("[]"), start)
        elif value.type in _FUNCTIONS:
            self._bind_function(alias, value, start, ordinal)

    def _bind_named(
        self, alias: str, node: Node | None, arguments: int, start: int, ordinal: int, types: str = ""
    ) -> None:
        chain = self.read_chain(node)
        if chain in _WITHOUT_TYPE:
            return
        if chain == UNKNOWN or chain.endswith((")", "]")):
            if arguments != SAME:
                self.refer(ReferenceRole.BIND, UNKNOWN_TYPE, start, "", alias, arguments, ordinal)
            return
        qualifier, _, name = chain.rpartition(".")
        self.refer(ReferenceRole.BIND, name + types, start, qualifier, alias, arguments, ordinal)

    def _bind_function(self, alias: str, value: Node, start: int, ordinal: int) -> None:
        """Record that a variable is a function, with the written types of its parameters and result."""
        parameters, result = value.child_by_field_name("parameters"), value.child_by_field_name("return_type")
        if parameters is None or (
            result is None and b":" not in self.text[parameters.start_byte : parameters.end_byte]
        ):
            return
        gives = self.read_line(result).removeprefix(":").strip() or UNKNOWN_TYPE
        text = f"{self.read_line(parameters)} => {gives}"
        self.refer(ReferenceRole.BIND, text, start, "", alias, TYPE, ordinal)


_CHOICES = {"ternary_expression": ("consequence", "alternative"), "binary_expression": ("left", "right")}
_CHOOSING = frozenset({"", "||", "??"})
MAX_CHOICES = 3  # within one another
_WITHOUT_TYPE = frozenset({"undefined", "require", "import", "exports", "module.exports"})
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
VALUE_WRAPPERS = frozenset(
    {
        "await_expression",
        "parenthesized_expression",
        "non_null_expression",
        "as_expression",
        "satisfies_expression",
    }
)


def note_comment(walk: ScriptWalk, entry: Entry, start: int) -> None:
    """Set the flags of a symbol that begins at byte `start` by the comment above it."""
    comment_start, comment_end = walk.comment
    if comment_end and comment_end <= start and walk.is_gap(comment_end, start):
        entry.flags |= SymbolFlag.DOCUMENTED
        if b"@deprecated" in walk.text[comment_start:comment_end]:
            entry.flags |= SymbolFlag.DEPRECATED


def read_cast(walk: ScriptWalk, start: int) -> str:
    """Return T if `/** @type {T} */` stands before byte `start` of a JavaScript file; else empty."""
    if walk.is_typescript:
        return ""
    before = walk.text[max(0, start - MAX_CAST_BYTES) : start].rstrip()
    opened = before.rfind(b"/**") if before.endswith(b"*/") else -1
    tags = list_tags(before, opened, len(before)) if opened >= 0 else []
    return next((tag.type for tag in tags if tag.kind == "type"), "")


def bind_written(walk: ScriptWalk, alias: str, text: str, start: int, ordinal: int = -1) -> bool:
    """Record the type of a variable as the text of a type says it; return whether it has a name."""
    types = read_types(text) if text else []
    if text and (GENERIC.search(text) or any(one.is_open or walk.is_bound(one.name) for one in types)):
        text = text.removeprefix(":").strip()
        walk.refer(ReferenceRole.BIND, f":{text}", start, "", alias, TYPE, ordinal)
        return True
    plain = ALL if len(types) > 1 and "&" in text and "|" not in text else TYPE
    for found in types:
        items = ITEMS if found.is_items else plain
        walk.refer(ReferenceRole.BIND, found.name, start, found.qualifier, alias, items, ordinal)
    return bool(types)


def write_owner(walk: ScriptWalk, text: str, start: int) -> str:
    """Return the owner of the members in a pattern, by the text of a type.

    For a type with type arguments, or without a name, it is a variable that stands for the value.
    """
    if not GENERIC.search(text):
        return _name_owner(text)
    return hold_type(walk, text, start)


def hold_type(walk: ScriptWalk, text: str, start: int) -> str:
    """Record a variable that stands for a value without a name, by the text of its type; return it."""
    alias = f"{EXPECTED}{start}"
    walk.refer(ReferenceRole.BIND, f":{text}", start, "", alias, TYPE)
    return alias


def bind_anything(walk: ScriptWalk, alias: str, node: Node | None, start: int, ordinal: int = -1) -> None:
    """Record that a variable may be anything, if that is its written type: its value shows less then."""
    if walk.read_line(node).removeprefix(":").strip() in ANYTHING:
        walk.refer(ReferenceRole.BIND, UNKNOWN_TYPE, start, "", alias, SAME, ordinal)


def skip_operators(called: Node | None, *kinds: str) -> Node | None:
    """Return the function of a call behind operators of these kinds.

    Before type arguments, the grammar puts those inside: `await load` is called in `await load<Box>(path)`.
    """
    while called is not None and called.type in kinds:
        called = called.named_children[-1] if called.named_child_count else None
    return called


def _find_cast_result(called: Node | None) -> Node | None:
    """Return T of `(() => { ...; return value as T })()`, a function that is called at once."""
    if called is None or called.type != "parenthesized_expression" or not called.named_child_count:
        return None
    body = called.named_children[-1].child_by_field_name("body")
    last = body.named_children[-1] if body is not None and body.named_child_count else None
    value = find_first_child(last) if last is not None and last.type == "return_statement" else None
    is_cast = value is not None and value.type == "as_expression" and value.named_child_count == 2
    return value.named_children[1] if is_cast and value is not None else None


def read_type_text(walk: ScriptWalk, node: Node | None) -> str:
    """Return a written type on one line, without comments and the ":" before it."""
    if node is None:
        return ""
    text = walk.text[node.start_byte : min(node.end_byte, node.start_byte + MAX_TYPE_BYTES)]
    if b"/*" in text or b"//" in text:
        text = _COMMENTS.sub(rb"\1", text)
    return " ".join(text.decode("utf-8", "replace").split()).removeprefix(":").strip()


def _name_owner(text: str) -> str:
    """Return a written type as if it were called, which stands for a value of it."""
    found = read_type(text)
    dotted = f"{found.qualifier}.{found.name}" if found.qualifier else found.name
    return f"{dotted}()" if found.name and not found.is_items else UNKNOWN


def _cast(text: bytes, said: str) -> bytes:
    """Return a chain that begins with `(value)`, where a comment says the type of the value, as a cast."""
    found = read_type(said)
    depth = 0
    for at, char in enumerate(text):
        depth += (char == ord("(")) - (char == ord(")"))
        if not depth and found.name and not found.qualifier and not found.is_items:
            return CAST.encode() + found.name.encode() + text[at + 1 :]
    return text


def _simplify(text: bytes) -> bytes:
    """Return a chain of members and calls as dotted names; empty when it is not one."""
    text = (name_assigned(text) or text) if text.startswith(b"(") else text
    awaited = _AWAITED.fullmatch(text)
    if awaited is not None:
        text = awaited[1]
    elif text.startswith((b"new ", b"await ")):
        text = text.partition(b" ")[2]
    if b" as " in text:
        text = _CAST_TO.sub(rb"^\1", text)
    text = _SPACE.sub(b"", text).replace(b"?.", b".").replace(b"!", b"")
    if b"<" in text:
        text = _TYPED_CALL.sub(b"(", text)
    for _ in range(5):
        shorter = _ROUND.sub(b"\x00", _SQUARE.sub(b"\x01", text))
        if shorter == text:
            break
        text = shorter
    text = text.replace(b"\x00", b"()").replace(b"\x01", b"[]").replace(b".[]", b"[]")
    return text if _CHAIN.fullmatch(text) else b""
