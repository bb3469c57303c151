"""Resolve the phrases of a question to declared symbols, files, folders, outside names, or words.

A phrase names something only if the repository has it. It may be a name that is declared as it is written, in
another case, or as joined words ("rate limiter": RateLimiter, rate_limiter); a path; or the name of something
outside that is used here. Any other phrase can still be searched for by its words, and the report says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import partial
from itertools import takewhile

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.graph.graph import Graph, is_called
from repo_mcp.graph.hierarchy.hierarchy import ABSTRACT_KINDS
from repo_mcp.graph.lookup.rival_symbols import drop_hidden
from repo_mcp.graph.nodes import Node, normalise_name
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typed.path_lookup import VALUE_KINDS
from repo_mcp.graph.vocabulary import NAMED, SymbolFilter
from repo_mcp.research.findings.bounds import GLANCE
from repo_mcp.research.findings.excerpts import FLAG_PREFIX
from repo_mcp.research.findings.locating import (
    is_test_node,
    is_test_place,
    list_ending,
    may_answer,
    rank_role,
)
from repo_mcp.research.findings.records import Form, Subject, TakenAs
from repo_mcp.research.question.bound_names import find_exported, find_run
from repo_mcp.research.question.error_types import is_error, is_error_name
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
from repo_mcp.research.question.phrase_names import (
    fold_name,
    is_one_name,
    is_whole_name,
    list_names,
    looks_like_code,
    looks_like_name,
    split_phrase,
)
from repo_mcp.research.question.phrases import Phrase
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolFlag, SymbolKind, SymbolRecord
from repo_mcp.text.question_words import shares_word
from repo_mcp.text.stop_words import STOP_WORDS

MAX_SUBJECTS = 6  # declarations of one name that are followed
MAX_NEAR = 4  # symbols named in place of one that is not declared
MOST_BODIES = 2  # functions, of which one may be what `.d.ts` declares
MAX_LOOKED_AT = 80  # declarations of one name
COMMON = 20  # declarations of one name, of more of which length tells less than place
MAX_FILES = 800  # files that declare one name
MAX_NAME_PARTS = 64  # of one name; each is looked up in what the parts before it name
MAX_COMMENT_LINES = 30  # above a declaration
WORD_SUBJECTS = 3  # symbols that stand for words
LEAST_SCORE = 5.0  # in the search, of a symbol that stands for words

_IS_COMMENT = re.compile(r"\s*(?://|#|/?\*|--|;)")
_NAME_OF = re.compile(r"(\S+) (?:of|in|for|on|from) ")  # `max_tries` in "max_tries of the queue"
_PATH = re.compile(r"[\w.@+~()\[\]-][\w.@+~()\[\] -]*(?:/[\w.@+~()\[\] -]+)*/?")
_PLACE = re.compile(r"(?:[a-z ]{0,40}(?:at|in|on) )?(\S.*\.\w{1,12}):(\d{1,9})(?:[:-]\d{1,9})?")
_MEMBERS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY})
_INTERFACES = frozenset({SymbolKind.INTERFACE, SymbolKind.TYPE})
_CAPITAL = re.compile(r"(?<![\w.:])[A-Z]\w+(?![\w.:])")  # a plain name of a type
_IMPLEMENTED = TYPE_KINDS | {SymbolKind.METHOD}  # a name in another case never means a property
# Forms whose subject is a type with all that it declares.
_OF_TYPES = frozenset({Form.CONFIGURED, Form.DEFINED, Form.DIFFERENCE, Form.TESTS})
# Forms whose answers follow calls.
_OF_CALLS = frozenset({Form.CALLERS, Form.DEPENDENTS, Form.FLOW})
_OF_PROGRAM = frozenset({Form.CONFIGURED, Form.TESTS})  # tests give values to settings, and declare none
# Forms that ask what something does, and of these those that also ask what uses it.
_OF_BODIES = frozenset({Form.CALLEES, Form.DEFINED, Form.DEPENDENTS, Form.DIFFERENCE, Form.FLOW})
_OF_USERS = frozenset({Form.DEPENDENTS, Form.FLOW})
_STANDS_FOR_FOLDER = frozenset({"mod", "__init__", "index"})  # files that hold what their folder offers


class Subjects:
    """Resolves phrases in one graph."""

    def __init__(
        self, graph: Graph, folder: str, read_lines: Callable[[str], Sequence[str]] = lambda _path: ()
    ) -> None:
        """Count only what is declared in `folder`; "" for all. Overloads are told apart with `read_lines`."""
        self._graph = graph
        self._read_lines = read_lines
        self._prefix = f"{folder}/" if folder else ""

    def find(self, phrase: Phrase, form: Form) -> Subject:
        """Return the subject that a phrase names; its `is_found` is False if the phrase names nothing."""
        placed = self._find_placed(phrase.text) or self._find_path(phrase.text)
        if placed is not None:
            return placed
        if form is Form.IMPLEMENTATIONS:
            bases = [name for name in _CAPITAL.findall(phrase.text) if self._is_external_base(name)]
            if bases:
                written = Subject(phrase.text, TakenAs.OUTSIDE, name=bases[-1])
                return self._find_outside(bases[-1], phrase) or written
        whole = "_".join(split_phrase(phrase.whole))
        names = list_names(phrase.text)
        if form is Form.DIFFERENCE:  # the word that tells two apart may be a stop word: "a before handler"
            names = [name for name in names if looks_like_name(name) or is_whole_name(name, phrase.text)]
        for name in names:
            declared = self._find_declared(name, phrase, form)
            is_declared = declared is not None and declared.taken_as is TakenAs.DECLARED
            if whole and not is_declared:  # "a private module"
                declared = self._find_declared(whole, Phrase(phrase.whole), form) or declared
            if declared is not None:
                return declared
        for name in list_names(phrase.text):
            outside = self._find_outside(name, phrase)
            if outside is not None:
                return outside
        return Subject(phrase.text, TakenAs.UNKNOWN)

    def is_error(self, subject: Subject) -> bool:
        """Return True for a subject that can be raised, as far as is known of it."""
        if subject.nodes:
            return any(is_error(self._graph, node, self._read_lines) for node in subject.nodes)
        return subject.taken_as is TakenAs.OUTSIDE and is_error_name(subject.name)

    def is_everywhere(self, name: str) -> bool:
        """Return True for a name that so many files declare that it says of none which is meant."""
        return len(self._graph.scan.list_declaring(name)) > MAX_LOOKED_AT

    def find_undeclared(
        self, phrase: Phrase, is_absent: Callable[[str], bool] = lambda _word: False
    ) -> Subject | None:
        """Return the subject of a phrase that is meant as a name but is neither declared nor used here.

        That is a phrase which looks like a symbol's name, or a single word which `is_absent`. The subject
        holds the symbols with the most similar names. Return None for any other phrase.
        """
        of = _NAME_OF.match(phrase.text)
        text = phrase.text if of is None or not looks_like_code(of[1]) else of[1]
        is_called = phrase.kinds == CALLABLE_KINDS | TYPE_KINDS
        if not is_one_name(text):
            return None
        if not (is_called or looks_like_code(text) or is_absent(text)):
            return None
        plain = normalise_name(text)
        near = [node for node in self._graph.list_near(plain) if self._admits(node)]
        owner, _, last = plain.rpartition(".")
        types = self._list_types(owner) if owner else []
        if find_inherited_named(self._graph, types, last) == ([], True):
            return Subject(
                text, TakenAs.UNDECLARED, near=tuple(list_members(self._graph, types[0])), owner=types[0]
            )
        if owner:  # members of the type before the last dot come first
            members = [node for node in self._list_members(owner) if self._admits(node)]
            alike = get_close_matches(last, sorted({node.symbol.name for node in members}), MAX_NEAR, 0.4)
            same = [node for node in near if node.symbol.name == last]  # in another scope
            near = [*same, *(node for name in alike for node in members if node.symbol.name == name), *near]
        return Subject(text, TakenAs.UNDECLARED, near=tuple(dict.fromkeys(near))[:MAX_NEAR])

    def _list_members(self, owner: str) -> list[Node]:
        """Return the members of the types that have a name."""
        types = self._look_up(owner, Phrase(owner), Form.DEFINED)[0][:MAX_SUBJECTS]
        return [node for one in types for node in list_members(self._graph, one)]

    def find_headed(self, phrase: Phrase) -> Subject | None:
        """Return what is named by the last word of a phrase, and about the others; None if nothing is.

        `Checkpoint` of the package `log` for "the log checkpoint": the others stand in its path, around it,
        or in the comment above it.
        """
        *others, last = [word for word in split_phrase(phrase.text) if word.lower() not in STOP_WORDS] or [""]
        names = dict.fromkeys((last, last.capitalize(), last.removesuffix("s").capitalize()))
        found = [one for name in names for one in self._graph.scan.find_declared(name, MAX_FILES)]
        nodes = [node for node in map(self._graph.get_node, found[:MAX_LOOKED_AT]) if self._admits(node)]
        nodes = [
            node
            for node in nodes
            if node.symbol.kind in FOLLOWED and may_answer(node.path) and not is_test_node(node)
        ]
        for read in (lambda _node: "", self._read_comment):
            held = {
                node: shares_word(f"{node.path} {node.qualified_name} {read(node)}", others) for node in nodes
            }
            fitting = [node for node in nodes if others and held[node] == len(others)]
            if fitting:
                return Subject(phrase.text, TakenAs.DECLARED, tuple(fitting[:MAX_SUBJECTS]), last)
        return None

    def _read_comment(self, node: Node) -> str:
        """Return the lines above a declaration that begin as comments do, at most some."""
        above = self._read_lines(node.path)[: node.symbol.start_line - 1][-MAX_COMMENT_LINES:]
        return " ".join(takewhile(_IS_COMMENT.match, reversed(above)))

    def find_by_words(self, phrase: Phrase, form: Form) -> Subject:
        """Return the symbols that a search for the words of a phrase finds best."""
        words = [word for word in split_phrase(phrase.text) if word.lower() not in STOP_WORDS]
        found = self._graph.search(" ".join(words), SymbolFilter(), MAX_LOOKED_AT)[0] if words else []
        nodes = [node for node, score in found if score >= LEAST_SCORE and self._admits(node)]
        nodes.sort(key=lambda node: shares_word(node.symbol.name, words) < len(words))  # stable
        if form is Form.DIFFERENCE:
            nodes = [node for node in nodes if node.symbol.kind in FOLLOWED and not is_test_node(node)]
        elif form is Form.IMPLEMENTATIONS:
            nodes = [node for node in nodes if node.symbol.kind in _IMPLEMENTED]
        nodes = prefer(nodes, form, phrase, partial(is_called, self._graph))[:WORD_SUBJECTS]
        return Subject(phrase.text, TakenAs.WORDS, tuple(nodes))

    def find_folder(self, text: str) -> Subject | None:
        """Return the folder with this name that is nearest to the root, or None."""
        name = _fold_folder(text.strip("/"))
        folders: set[str] = set()
        for path in self._graph.name_uses.list_source_paths():
            parts = path.split("/")[:-1] if path.startswith(self._prefix) else ()
            for depth, part in enumerate(parts):
                if _fold_folder(part) == name:
                    folders.add("/".join(parts[: depth + 1]))
                    break
        best = min(folders, key=lambda one: (is_test_place(f"{one}/x.py"), one.count("/"), one), default=None)
        return None if best is None else Subject(text, TakenAs.FOLDER, name=best, left_out=len(folders) - 1)

    def _admits(self, node: Node) -> bool:
        return not self._prefix or node.path.startswith(self._prefix)

    def _find_placed(self, text: str) -> Subject | None:
        """Return the innermost symbol on a line, as citations name it: `src/orders.py:45-60`."""
        place = _PLACE.fullmatch(text)
        if place is None:
            return None
        try:
            node = self._graph.choose(f"{place[1]}:{place[2]}")
        except RepoError:  # no such file, nothing on the line, or several symbols
            return None
        return Subject(text, TakenAs.DECLARED, (node,), node.symbol.name) if self._admits(node) else None

    def _find_path(self, text: str) -> Subject | None:
        """Return a file by its path or the end of it, or a folder by its path or an unambiguous end of it."""
        if not _PATH.fullmatch(text) or ("/" not in text and "." not in text):
            return None
        path = text.strip("/")
        scan = self._graph.scan
        if scan.has_folder(path):
            return Subject(text, TakenAs.FOLDER, name=path)
        paths = scan.list_paths(self._prefix.rstrip("/"))
        fitting = list_ending(paths, path)
        for best in fitting:
            if scan.find_record(best) is not None:  # else it changed or was removed a moment ago
                node = self._graph.get_node(Declaration(best, 0))
                return Subject(text, TakenAs.FILE, (node,), left_out=len(fitting) - 1)
        folders = sorted(
            {one[: one.index(f"/{path}/") + len(path) + 1] for one in paths if f"/{path}/" in one}
        )
        return Subject(text, TakenAs.FOLDER, name=folders[0]) if len(folders) == 1 else None

    def _find_declared(self, name: str, phrase: Phrase, form: Form) -> Subject | None:
        nodes, taken_as = self._look_up(name, phrase, form)
        nodes = self._stand_in(nodes, form)
        nodes = self._graph.name_uses.drop_declared(nodes) or nodes
        nodes = drop_hidden([node for node in nodes if self._admits(node)])
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
        """Return nodes with what values run that are called, in place of these where that is asked for.

        Of an object, its type says what it is, and its member what a call does. Its users name the value.
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
        if self._prefix or files <= MAX_LOOKED_AT:
            return max(0, len(nodes) - MAX_SUBJECTS), False
        return max(files, len(nodes)) - MAX_SUBJECTS, True

    def _look_up(self, name: str, phrase: Phrase, form: Form) -> tuple[list[Node], TakenAs]:
        """Return the declarations of a name, and what the name is taken as."""
        plain = normalise_name(name)
        if plain.count(".") >= MAX_NAME_PARTS:
            return [], TakenAs.UNKNOWN
        if "." in plain:
            named = self._graph.look_up(plain, SymbolFilter())[0][:MAX_LOOKED_AT]
            if form in _OF_PROGRAM and all(map(_is_tried, named)):
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
        kinds = _IMPLEMENTED if form is Form.IMPLEMENTATIONS else frozenset()
        return self._list_alike(plain, kinds), TakenAs.DECLARED_OTHERWISE

    def _list_bodies(self, nodes: Sequence[Node]) -> list[Node]:
        """Return the functions of the name of some that only a file like `.d.ts` declares, if they are few.

        There `app.start` is one of a namespace; it may be written as any function of a module.
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
        declared = [one for one in self._graph.scan.find_declared(last, MAX_FILES) if is_of(one.path, module)]
        nodes = map(self._graph.get_node, declared[:MAX_LOOKED_AT])
        return [node for node in nodes if not node.symbol.parent]

    def _find_members(self, name: str, phrase: Phrase, form: Form) -> tuple[list[Node], TakenAs]:
        """Return members named `request` for "app.request", where `app` may be a variable."""
        owner, _, last = name.rpartition(".")
        if not self._graph.scan.list_declaring(owner.rpartition(".")[2]):
            return [], TakenAs.UNKNOWN
        inherited, is_whole = find_inherited_named(self._graph, self._list_types(owner), last)
        if inherited or is_whole:
            return inherited, TakenAs.DECLARED_OTHERWISE
        nodes = self._look_up(last, phrase, form)[0]
        return [node for node in nodes if node.symbol.kind in _MEMBERS], TakenAs.DECLARED_OTHERWISE

    def _list_types(self, name: str) -> list[Node]:
        """Return the types with a name, as it is written."""
        nodes, taken_as = self._look_up(name, Phrase(name), Form.IMPLEMENTATIONS)
        is_named = taken_as is TakenAs.DECLARED and not all(map(is_test_node, nodes))
        return [node for node in nodes if node.symbol.kind in REAL_TYPES] if is_named else []

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

        inside = [declaration for declaration in declarations if declaration.path.startswith(self._prefix)]
        ranks = {declaration: rank(declaration) for declaration in inside}
        ordered = sorted(inside, key=ranks.__getitem__)
        return [self._graph.get_node(declaration) for declaration in ordered[:MAX_LOOKED_AT]]

    def _is_external_base(self, name: str) -> bool:
        """Return whether a name is that of a base which is declared elsewhere, and of nothing else."""
        try:
            self._graph.choose(name)
        except RepoError as error:
            is_unknown = error.code is ErrorCode.NOT_FOUND
            return is_unknown and bool(self._graph.name_uses.find_external_derived(name, "").edges)
        return False

    def _find_outside(self, name: str, phrase: Phrase) -> Subject | None:
        plain = normalise_name(name)
        if not looks_like_name(plain) and not phrase.kinds:
            return None  # a plain word is used everywhere
        if re.search(rf"[\w-]-{re.escape(name)}\b", phrase.text):
            return None  # it is part of another: `IP` in the header `X-Real-IP`
        whole, edges = self._graph.scan.find_outside(plain, NAMED, GLANCE)
        used = any(may_answer(edge.other.path) and not is_test_place(edge.other.path) for edge in edges.edges)
        return Subject(phrase.text, TakenAs.OUTSIDE, name=whole) if used else None


def is_of(path: str, module: str) -> bool:
    """Return True for the file of a module: `units.rs`, `units/mod.rs`, `units/__init__.py`."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return module in (stem, folder.rpartition("/")[2] if stem in _STANDS_FOR_FOLDER else stem)


def _fold_folder(name: str) -> str:
    """Return the name of a folder as it is compared: "Web View" may be `web_view` or `webview`."""
    return re.sub(r"[ _-]", "", name).lower()


def _is_of_interface(record: SymbolRecord, ordinal: int) -> bool:
    """Return True for a member of an interface or an abstract class, through which the others are called."""
    around = int(record.parents[ordinal])
    return bool(
        int(record.flags[around]) & SymbolFlag.ABSTRACT or int(record.kinds[around]) in ABSTRACT_KINDS
    )


def _is_tried(node: Node) -> bool:
    """Return True for a value that only a test has."""
    return node.symbol.kind in VALUE_KINDS and is_test_node(node)


def _is_interface_of(node: Node, name: str) -> bool:
    """Return True for a type named like an interface of a name: `ICarrier` for "carrier"."""
    own = node.symbol.name
    is_so_named = node.symbol.kind in _INTERFACES and re.match(r"I[A-Z]", own) is not None
    return is_so_named and fold_name(own[1:]) == fold_name(name)
