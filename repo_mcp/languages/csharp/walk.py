"""The state of a pass over C#, and the reading of its expressions as names.

In the grammar of C#, types and values have the same nodes. So the handler of a node that contains a type
notes its span, and a name inside such a span is a type in the role of the span.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from repo_mcp.languages.csharp.chains import simplify, split_last
from repo_mcp.languages.csharp.types import (
    ARITY_SHIFT,
    FUNCTION,
    MAX_ARGUMENTS_CHARS,
    NULL,
    OF_CALL,
    OF_PARAMETER,
    TASK,
    WHOLE_NUMBERS,
    WrittenArgument,
    join_arguments,
    read_type,
)
from repo_mcp.languages.treesitter.scope_walk import (
    CALLED,
    ITEMS,
    MAX_CHAIN_BYTES,
    SAME,
    TYPE,
    UNKNOWN,
    Entry,
    Row,
    ScopeWalk,
    find_head,
)
from repo_mcp.languages.treesitter.source_text import KEPT_CHAINS
from repo_mcp.symbols.model import CONDITIONS
from repo_mcp.symbols.record_builder import MAX_TEXT_CHARS
from repo_mcp.symbols.symbol_record import Access, ReferenceRole, SymbolFlag, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

_EXTENDED = re.compile(rb"(?:\[[^\]]*\]\s*)?(?:(?:ref|in|readonly|scoped)\s+)*this\b")  # of a first parameter
_SIZE = re.compile(r"\[[^\],]+")  # of a new array
_DIRECTIVE = re.compile(rb"^[ \t]*#.*", re.MULTILINE)
_FLAGS = {
    "static": SymbolFlag.STATIC,
    "const": SymbolFlag.STATIC,
    "abstract": SymbolFlag.ABSTRACT,
    "async": SymbolFlag.ASYNC,
    "override": SymbolFlag.OVERRIDE,
    "partial": SymbolFlag.PARTIAL,
    "extern": SymbolFlag.FORWARD,
}
_OBSOLETE = re.compile(rb"\bObsolete(?:Attribute)?\b")
_WRAPPERS = frozenset(
    {"await_expression", "parenthesized_expression", "checked_expression", "ref_expression"}
)


class Passed(NamedTuple):
    """The call, value or type that decides the types of the parameters of an anonymous function."""

    name: str
    qualifier: str
    start: int
    argument: int  # or IS_VALUE, or IS_TYPE


class CSharpWalk(ScopeWalk):
    """The state of one pass over a C# file."""

    def __init__(self, file_name: str, text: bytes) -> None:
        super().__init__(file_name, text)
        self.comment_end = 0  # byte offset where the last doc comment ends
        self.types: list[tuple[int, int, ReferenceRole]] = []  # (start, end, role) of spans of types
        self.variable_types: dict[int, Node] = {}  # start of a declarator -> the type before it
        self.conditions: dict[int, str] = {}  # start of ".b" in "a?.b" -> "a"
        self.bases: dict[int, str] = {}  # entry of a type -> its first base, as written
        self.field_positions: dict[int, int] = {}  # start of a field's declarator -> its entry
        self.attributes: set[int] = set()  # starts of the names of attributes
        self.pending: dict[int, str] = {}  # start of a name after "?." -> its qualifier
        self.has_global_using = False
        self.asked_conditions: list[tuple[int, str]] = []  # (start, what holds from there on) of `#if`
        self.passed: dict[int, Passed] = {}  # start of a function or of `new()` -> what it is passed to
        self.targets: dict[int, str] = {}  # start of `new()` -> the chain of a value of its type
        self.arguments: dict[int, list[WrittenArgument]] = {}  # start of a called name -> its arguments
        self._plain_types: dict[tuple[int, str], str] = {}  # (scope, variable) -> its type as written

    # Declarations

    def declare(self, node: Node, name: str, kind: SymbolKind, parent: int = -1) -> Entry:
        """Add a symbol, DOCUMENTED if a doc comment precedes it, and return its entry."""
        start = node.start_byte
        ordinal = self.add_symbol(name, kind, start, node.end_byte, parent)
        entry = self.entries[ordinal]
        if self.comment_end and self.comment_end <= start and self.is_gap(self.comment_end, start):
            entry.flags |= SymbolFlag.DOCUMENTED
        return entry

    def read_modifiers(self, node: Node, entry: Entry, default: Access) -> set[str]:
        """Set an entry's flags and access from a declaration's modifiers and return their words."""
        words: set[str] = set()
        for child in node.children:
            if child.type == "modifier":
                words.add(self.read(child))
            elif child.type == "attribute_list":
                if _OBSOLETE.search(self.text, child.start_byte, child.end_byte):
                    entry.flags |= SymbolFlag.DEPRECATED
            elif child.is_named and child.type != "comment" and not child.type.startswith("preproc"):
                break
            elif child.type in _FLAGS:
                words.add(child.type)
        for word in words:
            entry.flags |= _FLAGS.get(word, 0)
        entry.access = _read_access(words, default)
        return words

    def read_parameters(self, entry: Entry, parameters: Node | None) -> None:
        """Set the parameters of an entry that can be called."""
        if parameters is None:
            return
        entry.parameters = self._read_signature(parameters)
        named = [one for one in parameters.named_children if one.type == "parameter"]
        entry.count = len(named)
        text = self.text[parameters.start_byte : parameters.end_byte]
        if b"params" in text and any(one.type == "params" for one in parameters.children):
            entry.flags |= SymbolFlag.VARIADIC
            entry.count += 1
        if named and _EXTENDED.match(self.text, named[0].start_byte, named[0].end_byte):
            entry.flags |= SymbolFlag.EXTENSION_METHOD

    def _read_signature(self, parameters: Node) -> str:
        """Return the parameters on one line, without preprocessor directives."""
        written = self.text[parameters.start_byte : parameters.end_byte]
        if _DIRECTIVE.search(written) is None:
            return self.read_line(parameters)
        return " ".join(_DIRECTIVE.sub(b"", written).decode("utf-8", "replace").split())

    # Types

    def note_type(self, node: Node | None, role: ReferenceRole = ReferenceRole.TYPE) -> None:
        """Record that names inside a node are types, in a role."""
        if node is not None and node.type not in {"predefined_type", "implicit_type"}:
            self.types.append((node.start_byte, node.end_byte, role))

    def find_role(self, start: int) -> ReferenceRole:
        """Return the role of the type around a byte offset, or USE."""
        types = self.types
        while types and types[-1][1] <= start:
            types.pop()
        for first, end, role in reversed(types[-4:]):
            if first <= start < end:
                return role
        return ReferenceRole.USE

    def bind_type(self, alias: str, node: Node | None, start: int) -> bool:
        """Record the written type of a variable; return whether it has a name."""
        found = read_type(self.read_line(node))
        if found.name:
            number = (ITEMS if found.is_items else TYPE) | found.arity << ARITY_SHIFT
            number |= TASK if found.is_task else 0
            written = found.type_arguments
            arguments = f"<{written}>" if written and len(written) < MAX_ARGUMENTS_CHARS else ""
            self.refer(ReferenceRole.BIND, found.name, start, found.qualifier + arguments, alias, number)
        written = self.read_type_text(node)
        if not found.name or written.endswith("?"):
            self.note_plain_type(alias, written)
        return bool(found.name)

    def note_plain_type(self, alias: str, text: str) -> None:
        """Record the type of a variable if no members of it are known; only the first one counts."""
        if text in WHOLE_NUMBERS:
            text = "=int"
        is_type = text.startswith("=") and not text.startswith(FUNCTION) and text != NULL
        if is_type:
            self._plain_types.setdefault((self.scope, alias), text[1:])

    def bind_value(self, alias: str, value: Node | None, start: int) -> None:
        """Record the type of a variable by its value."""
        awaited = 0
        for _ in range(3):
            if value is None or value.type not in _WRAPPERS or not value.named_child_count:
                break
            awaited |= TASK if value.type == "await_expression" else 0
            value = value.named_child(0)
        if value is None:
            return
        kind = value.type
        if kind in {"object_creation_expression", "cast_expression", "array_creation_expression"}:
            self.bind_type(alias, value.child_by_field_name("type"), start)
        elif kind == "as_expression":
            self.bind_type(alias, value.child_by_field_name("right"), start)
        elif kind == "invocation_expression":
            self._bind_named(alias, value.child_by_field_name("function"), CALLED | awaited, start)
        elif kind in {"identifier", "member_access_expression", "this"}:
            self._bind_named(alias, value, SAME | awaited, start)
        elif kind == "element_access_expression":
            self.bind_item(alias, self.read_chain(value).removesuffix("[]"), start)

    def _bind_named(self, alias: str, node: Node | None, arguments: int, start: int) -> None:
        """Record a variable whose type follows from a name; `arguments` says how."""
        chain = self.read_chain(node)
        qualifier, name = split_last(chain)
        if chain == UNKNOWN or not name or name.endswith((")", "]")):
            return
        if name.endswith(">"):  # a name has no type arguments, so the whole chain is the qualifier
            qualifier, name = chain, ""
        self.refer(ReferenceRole.BIND, name, start, qualifier, alias, arguments)

    def read_type_text(self, written: Node | None) -> str:
        """Return a written type as the value of an argument: after "="; "?" for `var`."""
        if written is None or written.type == "implicit_type":
            return UNKNOWN
        return f"={_SIZE.sub('[', self.read_line(written))}"

    # Names

    def read_name(self, node: Node | None) -> str:
        """Return a name without its type arguments and its "@"."""
        if node is not None and (end := node.end_byte) - (start := node.start_byte) < MAX_TEXT_CHARS:
            name = self.read_piece(start, end)
            if name.isidentifier():
                return name
        return re.sub(r"<.*", "", self.read_line(node)).strip().removeprefix("@")

    def read_chain(self, node: Node | None) -> str:
        """Return an expression, dotted: "a.b", "Make()", "items[]"; "?" for anything else."""
        return UNKNOWN if node is None else self.read_span(node.start_byte, node.end_byte)

    def read_span(self, start: int, end: int) -> str:
        """Return the expression from byte `start` to `end`, as dotted names or "?"."""
        prefix = ""
        if start in self.conditions and self.text[start : start + 1] in {b".", b"["}:
            prefix = self.conditions[start]
        if end - start > MAX_CHAIN_BYTES or prefix == UNKNOWN:
            return UNKNOWN
        text = self.text[start:end]
        return _name_chain(prefix.encode() + text) if prefix else _recall_chain(text)

    # Calls

    def _iter_recorded(self) -> Iterator[Row]:
        """Yield the rows; the alias of a call also has its arguments, "?" for those of unknown type."""
        for start, asked in self.asked_conditions:
            yield 0, 0, int(ReferenceRole.BIND), asked, "", CONDITIONS, start, 0
        for row in super()._iter_recorded():
            scope, ordinal, role, name, qualifier, alias, start, arguments = row
            written = self.arguments.get(start) if role == ReferenceRole.CALL else None
            if written is None:
                yield row
            else:
                said = join_arguments([self._resolve_argument(one, scope) for one in written])
                yield scope, ordinal, role, name, qualifier, alias + said, start, arguments

    def _list_typed(self, heads: Mapping[str, str]) -> set[tuple[int, str]]:
        """Return (scope, name) of the variables with a row that leads to a type, or out of this file."""
        search = self._find_binding
        shown: dict[tuple[int, str], list[tuple[int, str]]] = {}
        for row in self._rows:
            if row[2] == ReferenceRole.BIND:
                head = heads[row[4]] if row[4] else row[3]
                shown.setdefault((search(row[0], row[5]), row[5]), []).append((search(row[0], head), head))
        typed = set(shown)
        waiting = True
        while waiting:
            lost = [one for one in typed if all(head[0] >= 0 and head not in typed for head in shown[one])]
            typed.difference_update(lost)
            waiting = bool(lost)
        return typed

    def _resolve_argument(self, argument: WrittenArgument, scope: int) -> WrittenArgument:
        """Return an argument, with the type of a local variable in its place; "?" if it is unknown."""
        if argument.value.startswith(FUNCTION):
            return self._resolve_function(argument, scope)
        head = find_head(argument.value)
        binding = self._find_binding(scope, head)
        if binding < 0:
            return argument
        plain, rest = self._plain_types.get((binding, head), ""), argument.value[len(head) :]
        for step, ending in (("", ""), (".Value", "?"), ("[]", "[]")):
            if plain.endswith(ending) and plain and rest == step:
                return WrittenArgument(argument.form, f"={plain.removesuffix(ending)}")
        if (binding, head) in self._typed:
            return WrittenArgument(
                argument.form, self._numbered.get((binding, head), head) + argument.value[len(head) :]
            )
        return WrittenArgument(argument.form, UNKNOWN + rest if rest[:1] == "." else UNKNOWN)

    def _resolve_function(self, argument: WrittenArgument, scope: int) -> WrittenArgument:
        """Return a function as an argument; the chain that it calls stays only if its first name is known."""
        before, sign, rest = argument.value.partition(OF_CALL)
        if not sign:
            return argument
        chain, behind, types = rest.partition(OF_PARAMETER)
        binding = self._find_binding(scope, find_head(chain))
        if binding < 0:
            return argument
        if (binding, find_head(chain)) not in self._typed:
            return WrittenArgument(argument.form, before + behind + types)
        head = find_head(chain)
        chain = self._numbered.get((binding, head), head) + chain[len(head) :]
        return WrittenArgument(argument.form, before + sign + chain + behind + types)


TYPE_DECLARATIONS = frozenset(
    {SymbolKind.CLASS, SymbolKind.STRUCT, SymbolKind.INTERFACE, SymbolKind.RECORD, SymbolKind.ENUM}
)


def _name_chain(text: bytes) -> str:
    return simplify(text).decode("utf-8", "replace").replace("@", "") or UNKNOWN


_recall_chain = lru_cache(KEPT_CHAINS)(_name_chain)  # with a prefix they may be long


def _read_access(words: set[str], default: Access) -> Access:
    if "public" in words:
        return Access.PUBLIC
    if "protected" in words:
        if "internal" in words:
            return Access.PROTECTED_INTERNAL
        return Access.PRIVATE_PROTECTED if "private" in words else Access.PROTECTED
    if "internal" in words:
        return Access.INTERNAL
    return Access.PRIVATE if "private" in words or "file" in words else default
