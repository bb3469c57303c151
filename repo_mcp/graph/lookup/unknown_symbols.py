"""Errors for a text that names no symbol, with the symbols that may be meant.

For an id these are the symbols of the file that it points to; for a name, those with a similar one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher, get_close_matches
from itertools import filterfalse, islice

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.graph.lookup.external_bases import find_external_derived
from repo_mcp.graph.lookup.symbol_search import SearchableProgram, SymbolFinder
from repo_mcp.graph.nodes import NODE_ID, Node, ProgramNodes, normalise_name
from repo_mcp.graph.vocabulary import BASES
from repo_mcp.symbols.symbol_record import TYPE_KINDS, SymbolKind
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.written_symbols import read_compiled
from repo_mcp.titled_names import is_titled
from repo_mcp.workspace.reader.client_paths import shown

NEAR_NAMES = 5
MAX_FOUND = 50  # of which many may have titles
MAX_MEMBERS = 12  # of a type that lacks the asked one
# lowest ratio (difflib) between an unknown name and a similar one that shares words with it
LEAST_ALIKE = 0.6
MAX_COMPARED = 2_000  # names with the same beginning as an unknown one: some 20 ms
BEGUN_CHARS = 2
# The line in a text after a path; a column after it is ignored.
LINE = re.compile(r"(\d{1,9})(?::\d+)?")


class UnknownSymbols:
    """Explains texts that name no symbol of one program."""

    def __init__(self, program: SearchableProgram, nodes: ProgramNodes, symbols: SymbolFinder) -> None:
        self._program = program
        self._nodes = nodes
        self._symbols = symbols

    def explain(
        self, text: str, path: str, rest: str, argument: str, others: Sequence[Node] = ()
    ) -> RepoError:
        """Return the error for a text that names no symbol: `rest` is what follows the path in it, if any.

        It names the `others` that have this name, but only inside a type.
        """
        details = {"argument": argument}
        head, _, behind = text.partition(":")
        if not path and LINE.fullmatch(behind):
            return RepoError(ErrorCode.NOT_FOUND, f"No source file has the path {shown(head)}.", "", details)
        said = f"No symbol is named {shown(rest)}" + (f" in {shown(path)}." if path else ".")
        usual = "Find the symbol with search_symbols."
        if NODE_ID.fullmatch(text):
            said = f"No symbol has the node_id {shown(text)}."
            usual = "Find the symbol with search_symbols; renaming changes a node_id."
        rest = read_compiled(rest)
        last = normalise_name(rest).rpartition(".")[2]
        is_declared = not others and bool(self._program.list_declaring(last))
        hint = (
            ("" if is_declared else self._name_derived(last))
            or self._name_members(rest)
            or suggest(self.list_near(text, last, path), usual)
        )
        if others:
            hint = f"{hint} {suggest(others[:NEAR_NAMES], usual)}"
        return RepoError(ErrorCode.NOT_FOUND, said, hint, details)

    def _name_members(self, text: str) -> str:
        """Return a hint with the members of the type before the last name; "" if no such type is declared."""
        owner, _, last = normalise_name(text).rpartition(".")
        own = owner.rpartition(".")[2]
        paths = self._program.list_declaring(own)[:NEAR_NAMES] if own else ()
        nodes = [node for path in paths for node in self._nodes.list_nodes(path)]
        types = [node for node in nodes if node.symbol.name == own and node.symbol.kind in TYPE_KINDS]
        declared = next((node for node in types if node.symbol.kind is not SymbolKind.EXTENSION), None)
        if declared is None:
            return ""
        holders = {(node.path, node.symbol.ordinal) for node in types}
        members = [node.symbol.name for node in nodes if (node.path, node.symbol.parent) in holders]
        names = list(dict.fromkeys(members))
        listed = get_close_matches(last, names, NEAR_NAMES) or names[:MAX_MEMBERS]
        place = f"{declared.qualified_name} ({declared.path}:{declared.symbol.start_line})"
        said = f" Its members are {', '.join(listed)}" if listed else ""
        more = f" and {len(names) - len(listed)} more" if len(names) > len(listed) and listed else ""
        bases = ", ".join(self._list_bases(declared))
        return (
            f"{place} has no {last}.{said}{more}{'.' if said else ''}{bases and f' Its bases are {bases}.'}"
        )

    def _list_bases(self, node: Node) -> list[str]:
        """Return the names in the head of a type from which it may inherit members."""
        record = self._program.find_record(node.path)
        rows = () if record is None else record.list_role(*BASES)
        return [
            record.strings[record.ref_names[row]]
            for row in rows
            if record is not None and record.ref_symbols[row] == node.symbol.ordinal
        ]

    def _name_derived(self, name: str) -> str:
        """Return a hint with the types that have an external type as a base; "" if none has.

        Of an undeclared name such a base is the only meaning that is known.
        """
        edges = find_external_derived(self._program, name).edges
        if not edges:
            return ""
        nodes = [(self._nodes.get(one.other).symbol.name, one) for one in edges[:NEAR_NAMES]]
        named = ", ".join(f"{own} ({one.other.path}:{one.lines[0]})" for own, one in nodes)
        more = f" and {len(edges) - NEAR_NAMES} more" if len(edges) > NEAR_NAMES else ""
        return f"It is declared outside this repository; these extend it: {named}{more}."

    def list_near(self, text: str, last: str, path: str = "") -> list[Node]:
        """Return symbols of the file that an id points to; if there is none, symbols with similar names."""
        paths = self._nodes.find_paths(text)
        if paths:
            return [self._nodes.get(one) for one in self._nodes.list_file(paths[0])[:NEAR_NAMES]]
        if not last:
            return []
        beginning = filterfalse(is_titled, self._program.names.iter_declared(last[:BEGUN_CHARS]))
        alike = get_close_matches(last, islice(beginning, MAX_COMPARED), NEAR_NAMES, 0.75)
        for query in (last, *alike):
            if found := self._find_named(query, path):
                return found
        parts = " ".join(get_word_terms(last)[1:])  # most parts of a misspelled name are right
        return [node for node in self._find_named(parts, path) if _is_alike(last, node.symbol.name)]

    def _find_named(self, query: str, path: str) -> list[Node]:
        """Return symbols that a query finds, without those that have titles: nobody means them by a name."""
        found = self._symbols.find(query, lambda where, _kind: not path or where == path, MAX_FOUND)
        nodes = (self._nodes.get(one.declaration) for one in found)
        return [*islice((one for one in nodes if not is_titled(one.symbol.name)), NEAR_NAMES)]


def suggest(near: Sequence[Node], usual: str, *, by_line: bool = False) -> str:
    """Return a hint that names symbols which may be meant, or the usual hint if there are none.

    If a line was asked for, theirs are named, too.
    """
    named = ", ".join(f"{node.qualified_name} ({_cite(node) if by_line else node.node_id})" for node in near)
    return f"Nearest: {named}." if near else usual


def _cite(node: Node) -> str:
    return f"lines {node.symbol.start_line}-{node.symbol.end_line}"


def _is_alike(wanted: str, name: str) -> bool:
    return SequenceMatcher(None, wanted.lower(), name.lower()).ratio() >= LEAST_ALIKE
