"""Find what is declared under a name, and choose among namesakes what the form of a question is about.

A name may be declared as it is written, in another case, as joined words, in a module, or as the member of a
type that is named before it. namesakes.py has the rules of the choice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from repo_mcp.graph.graph import Graph, is_called
from repo_mcp.graph.hierarchy.hierarchy import ABSTRACT_KINDS
from repo_mcp.graph.lookup.rival_symbols import drop_hidden
from repo_mcp.graph.nodes import Node, normalise_name
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typed.path_lookup import VALUE_KINDS
from repo_mcp.graph.vocabulary import SymbolFilter
from repo_mcp.research.findings.bounds import GLANCE
from repo_mcp.research.findings.excerpts import FLAG_PREFIX
from repo_mcp.research.findings.locating import is_test_node, is_test_place, may_answer, rank_role
from repo_mcp.research.findings.records import Form, Subject, TakenAs
from repo_mcp.research.question.bound_names import find_exported, find_run
from repo_mcp.research.question.members_of_types import REAL_TYPES, find_inherited_named, list_members
from repo_mcp.research.question.namesakes import (
    FOLLOWED,
    KINDS,
    are_written,
    choose_overloads,
    drop_bodiless,
    drop_lesser,
    keep_main_build,
    keep_placed,
    only_declares,
    prefer,
    put_written_first,
)
from repo_mcp.research.question.phrase_names import fold_name
from repo_mcp.research.question.phrases import Phrase
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolFlag, SymbolKind, SymbolRecord
from repo_mcp.text.lines import ReadLines

MAX_SUBJECTS = 6  # declarations of one name that are followed
MOST_BODIES = 2  # functions, one of which may be what a `.d.ts` file declares
MAX_LOOKED_AT = 80  # declarations of one name that are considered
COMMON = 20  # declarations of one name; among more, length says less than place
MAX_FILES = 800  # files that declare one name
MAX_NAME_PARTS = 64  # of one name; each is looked up in what the parts before it name

_MEMBERS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY})
_INTERFACES = frozenset({SymbolKind.INTERFACE, SymbolKind.TYPE})
IMPLEMENTED = TYPE_KINDS | {SymbolKind.METHOD}  # a name in another case never means a property
# Forms whose subject is a type with all that it declares.
_OF_TYPES = frozenset({Form.CONFIGURED, Form.DEFINED, Form.DIFFERENCE, Form.TESTS})
# Forms whose answers follow calls.
_OF_CALLS = frozenset({Form.CALLERS, Form.DEPENDENTS, Form.FLOW})
_OF_PROGRAM = frozenset({Form.CONFIGURED, Form.TESTS})  # tests give values to settings, and declare none
# Forms that ask what something does, and of these those that also ask what uses it.
_OF_BODIES = frozenset({Form.CALLEES, Form.DEFINED, Form.DEPENDENTS, Form.DIFFERENCE, Form.FLOW})
_OF_USERS = frozenset({Form.DEPENDENTS, Form.FLOW})
_STANDS_FOR_FOLDER = frozenset({"mod", "__init__", "index"})  # files that hold what their folder offers


class DeclaredNames:
    """Finds the declarations that names have in one graph."""

    def __init__(self, graph: Graph, folder: str, read_lines: ReadLines) -> None:
        """Count only what is declared in `folder`; "" for all. Overloads are told apart with `read_lines`."""
        self._graph = graph
        self._read_lines = read_lines
        self.prefix = f"{folder}/" if folder else ""

    def admits(self, node: Node) -> bool:
        """Return True for a symbol that is declared in the folder."""
        return not self.prefix or node.path.startswith(self.prefix)

    def find(self, name: str, phrase: Phrase, form: Form) -> Subject | None:
        """Return the declarations of a name as the subject of a phrase; None if there are none."""
        nodes, taken_as = self._look_up(name, phrase, form)
        nodes = self._stand_in(nodes, form)
        nodes = self._graph.name_uses.drop_declared(nodes) or nodes
        nodes = drop_hidden([node for node in nodes if self.admits(node)])
        if form is not Form.CONFIGURED:  # a setting is described where its type is
            nodes = keep_main_build(drop_bodiless(nodes), self._read_lines)
        nodes = self._graph.name_uses.drop_left_out(nodes)
        nodes = prefer(nodes, form, phrase, partial(is_called, self._graph))
        nodes = put_written_first(drop_lesser(nodes, means_types=form in _OF_TYPES), self._read_lines)
        nodes = choose_overloads(nodes, phrase.parameters, self._read_lines)
        nodes = keep_placed(nodes, name, phrase.text)
        if not nodes:
            return None
        if form is Form.DIFFERENCE and (
            all(map(is_test_node, nodes)) or (" " in phrase.text and are_written(nodes, self._read_lines))
        ):
            return None
        if taken_as is TakenAs.DECLARED_OTHERWISE and all(map(is_test_node, nodes)):
            return None  # the name as it is written may be a key or an option
        more, is_least = self._count_others(name, nodes)
        return Subject(
            phrase.text, taken_as, tuple(nodes[:MAX_SUBJECTS]), name, more, left_out_is_least=is_least
        )

    def _stand_in(self, nodes: Sequence[Node], form: Form) -> list[Node]:
        """Return the nodes; where a form asks what something does, with what a value runs in its place.

        The type of an object says what it is, and its member what a call does. Users name the value itself.
        """
        found: list[Node] = []
        for node in nodes:
            run = find_run(self._graph, node, self._read_lines) if form in _OF_BODIES else []
            run = run[:1] if form in (Form.DEFINED, Form.DIFFERENCE) else run[-1:]
            found += [node, *run] if form in _OF_USERS else run or [node]
        return list(dict.fromkeys(found))

    def _count_others(self, name: str, nodes: Sequence[Node]) -> tuple[int, bool]:
        """Return how many declarations of a name are left out, and whether there may be more."""
        files = 0 if "." in normalise_name(name) else len(self._graph.scan.list_declaring(name))
        if self.prefix or files <= MAX_LOOKED_AT:
            return max(0, len(nodes) - MAX_SUBJECTS), False
        return max(files, len(nodes)) - MAX_SUBJECTS, True

    def _look_up(self, name: str, phrase: Phrase, form: Form) -> tuple[list[Node], TakenAs]:
        """Return the declarations of a name, and what the name is taken as."""
        plain = normalise_name(name)
        if plain.count(".") >= MAX_NAME_PARTS:
            return [], TakenAs.UNKNOWN
        if "." in plain:
            named = self._graph.look_up(plain, SymbolFilter())[0][:MAX_LOOKED_AT]
            if form in _OF_PROGRAM and all(map(_is_value_of_test, named)):
                named = []
            named = named or self._find_in_module(plain) or find_exported(self._graph, plain)
            named = (self._list_bodies(named) if form is not Form.CONFIGURED else []) or named
            return (named, TakenAs.DECLARED) if named else self._find_members(plain, phrase, form)
        declarations = self._graph.scan.find_declared(plain, MAX_FILES)
        declarations = declarations or self._graph.scan.find_declared(f"{FLAG_PREFIX}{plain}", MAX_FILES)
        if form is Form.CONFIGURED and all(is_test_place(one.path) for one in declarations):
            declarations = []  # the setting itself may be written in another case
        if declarations:
            chosen = self._choose(declarations, phrase.kinds or KINDS.get(form, FOLLOWED), form)
            is_prose = form is Form.DIFFERENCE and " " in phrase.text
            if is_prose and not any(node.symbol.kind in FOLLOWED for node in chosen):
                chosen = self._list_alike(plain, TYPE_KINDS) or chosen
            return chosen, TakenAs.DECLARED
        meant = self._graph.scan.find_meant(plain, GLANCE)
        if meant:
            return [self._graph.get_node(declaration) for declaration in meant], TakenAs.DECLARED_OTHERWISE
        kinds = IMPLEMENTED if form is Form.IMPLEMENTATIONS else frozenset()
        return self._list_alike(plain, kinds), TakenAs.DECLARED_OTHERWISE

    def _list_bodies(self, nodes: Sequence[Node]) -> list[Node]:
        """Return the functions that are named like nodes of files such as `.d.ts`, if they are few.

        There, `app.start` belongs to a namespace; its body may be any function of a module.
        """
        if not nodes or not all(only_declares(node.path) for node in nodes):
            return []
        found = map(self._graph.get_node, self._graph.scan.find_declared(nodes[0].symbol.name, MAX_FILES))
        bodies = [
            node
            for node in found
            if node.symbol.kind in CALLABLE_KINDS
            and not (only_declares(node.path) or is_test_node(node))
            and may_answer(node.path)
        ]
        return bodies if len(bodies) <= MOST_BODIES else []

    def _list_alike(self, name: str, kinds: frozenset[SymbolKind] = frozenset()) -> list[Node]:
        """Return what is declared with a name in another case, or as the interface of one so named.

        Only `kinds` count, if any are given.
        """
        for query in dict.fromkeys((name, name.replace("_", " ").strip())):  # the latter: any joined words
            found = [node for node, _ in self._graph.search(query, SymbolFilter(), MAX_LOOKED_AT)[0]]
            found = [node for node in found if not kinds or node.symbol.kind in kinds]
            alike = [node for node in found if fold_name(node.symbol.name) == fold_name(name)]
            alike = alike or [node for node in found if _is_interface_of(node, name)]
            if alike:
                return alike
        return []

    def _find_in_module(self, name: str) -> list[Node]:
        """Return what the file of a module declares itself: `scale` of `units.rs` for "units::scale"."""
        owner, _, last = name.rpartition(".")
        module = owner.rpartition(".")[2]
        declared = [
            one for one in self._graph.scan.find_declared(last, MAX_FILES) if _is_file_of(one.path, module)
        ]
        nodes = map(self._graph.get_node, declared[:MAX_LOOKED_AT])
        return [node for node in nodes if not node.symbol.parent]

    def _find_members(self, name: str, phrase: Phrase, form: Form) -> tuple[list[Node], TakenAs]:
        """Return members named `request` for "app.request", where `app` may be a variable."""
        owner, _, last = name.rpartition(".")
        if not self._graph.scan.list_declaring(owner.rpartition(".")[2]):
            return [], TakenAs.UNKNOWN
        inherited, is_whole = find_inherited_named(self._graph, self.list_types(owner), last)
        if inherited or is_whole:
            return inherited, TakenAs.DECLARED_OTHERWISE
        nodes = self._look_up(last, phrase, form)[0]
        return [node for node in nodes if node.symbol.kind in _MEMBERS], TakenAs.DECLARED_OTHERWISE

    def list_types(self, name: str) -> list[Node]:
        """Return the types with a name, as it is written."""
        nodes, taken_as = self._look_up(name, Phrase(name), Form.IMPLEMENTATIONS)
        is_named = taken_as is TakenAs.DECLARED and not all(map(is_test_node, nodes))
        return [node for node in nodes if node.symbol.kind in REAL_TYPES] if is_named else []

    def list_members(self, owner: str) -> list[Node]:
        """Return the members of the types that have a name."""
        types = self._look_up(owner, Phrase(owner), Form.DEFINED)[0][:MAX_SUBJECTS]
        return [node for one in types for node in list_members(self._graph, one)]

    def _choose(
        self, declarations: Sequence[Declaration], wanted: frozenset[SymbolKind], form: Form
    ) -> list[Node]:
        """Return declarations, best first.

        The order is: wanted kinds, the program itself, definitions before prototypes, abstract ones if
        implementations are asked for, members of interfaces if more have the name than are followed and calls
        are asked for, then the longest; of a common name, first those nearest the root.
        """
        left_open = SymbolFlag.ABSTRACT if form is Form.IMPLEMENTATIONS else 0
        is_shared = len(declarations) > MAX_SUBJECTS and form in _OF_CALLS
        is_common = len(declarations) > COMMON

        def rank(declaration: Declaration) -> tuple[bool, int, bool, bool, bool, int, int, str, int]:
            record = self._graph.scan.find_record(declaration.path)
            assert record is not None
            flags = int(record.flags[declaration.ordinal])
            return (
                int(record.kinds[declaration.ordinal]) not in wanted,
                rank_role(declaration.path),
                bool(flags & SymbolFlag.FORWARD),
                not flags & left_open,
                not (is_shared and _is_of_interface(record, declaration.ordinal)),
                declaration.path.count("/") if is_common else 0,
                -int(record.spans[declaration.ordinal]),
                declaration.path,
                declaration.ordinal,
            )

        inside = [declaration for declaration in declarations if declaration.path.startswith(self.prefix)]
        ranks = {declaration: rank(declaration) for declaration in inside}
        ordered = sorted(inside, key=ranks.__getitem__)
        return [self._graph.get_node(declaration) for declaration in ordered[:MAX_LOOKED_AT]]


def _is_file_of(path: str, module: str) -> bool:
    """Return True for the file of a module: `units.rs`, `units/mod.rs`, `units/__init__.py`."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return module in (stem, folder.rpartition("/")[2] if stem in _STANDS_FOR_FOLDER else stem)


def _is_of_interface(record: SymbolRecord, ordinal: int) -> bool:
    """Return True for a member of an interface or an abstract class, through which the others are called."""
    around = int(record.parents[ordinal])
    return bool(
        int(record.flags[around]) & SymbolFlag.ABSTRACT or int(record.kinds[around]) in ABSTRACT_KINDS
    )


def _is_value_of_test(node: Node) -> bool:
    """Return True for a value that only a test has."""
    return node.symbol.kind in VALUE_KINDS and is_test_node(node)


def _is_interface_of(node: Node, name: str) -> bool:
    """Return True for a type named like an interface of a name: `ICarrier` for "carrier"."""
    own = node.symbol.name
    is_so_named = node.symbol.kind in _INTERFACES and re.match(r"I[A-Z]", own) is not None
    return is_so_named and fold_name(own[1:]) == fold_name(name)
