"""Resolve the phrases of a question to declared symbols, files, folders, outside names, or words.

A phrase names something only if the repository has it. It may be a name that is declared as it is written, in
another case, or as joined words ("rate limiter": RateLimiter, rate_limiter); a path; or the name of something
outside that is used here. Any other phrase can still be searched for by its words, and the report says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches
from functools import partial
from itertools import takewhile

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.graph.graph import Graph, is_called
from repo_mcp.graph.nodes import Node, normalise_name
from repo_mcp.graph.vocabulary import NAMED, SymbolFilter
from repo_mcp.research.findings.bounds import GLANCE
from repo_mcp.research.findings.locating import is_test_node, is_test_place, may_answer
from repo_mcp.research.findings.records import Form, Subject, TakenAs
from repo_mcp.research.question.declared_names import (
    IMPLEMENTED,
    MAX_FILES,
    MAX_LOOKED_AT,
    MAX_SUBJECTS,
    DeclaredNames,
)
from repo_mcp.research.question.error_types import is_error, is_error_name
from repo_mcp.research.question.members_of_types import find_inherited_named, list_members
from repo_mcp.research.question.namesakes import FOLLOWED, prefer
from repo_mcp.research.question.phrase_names import (
    is_one_name,
    is_whole_name,
    list_names,
    looks_like_code,
    looks_like_name,
    split_phrase,
)
from repo_mcp.research.question.phrases import Phrase
from repo_mcp.research.question.subject_paths import find_folder, find_path, find_placed
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS
from repo_mcp.text.lines import ReadLines
from repo_mcp.text.question_words import shares_word
from repo_mcp.text.stop_words import STOP_WORDS

MAX_NEAR = 4  # symbols named in place of one that is not declared
MAX_COMMENT_LINES = 30  # above a declaration
WORD_SUBJECTS = 3  # symbols that stand for words
LEAST_SCORE = 5.0  # in the search, of a symbol that stands for words

_IS_COMMENT = re.compile(r"\s*(?://|#|/?\*|--|;)")
_NAME_OF = re.compile(r"(\S+) (?:of|in|for|on|from) ")  # `max_tries` in "max_tries of the queue"
_CAPITAL = re.compile(r"(?<![\w.:])[A-Z]\w+(?![\w.:])")  # a plain name of a type


class Subjects:
    """Resolves phrases in one graph."""

    def __init__(self, graph: Graph, folder: str, read_lines: ReadLines = lambda _path: ()) -> None:
        """Count only what is declared in `folder`; "" for all. Overloads are told apart with `read_lines`."""
        self._graph = graph
        self._folder = folder
        self._read_lines = read_lines
        self._names = DeclaredNames(graph, folder, read_lines)

    def find(self, phrase: Phrase, form: Form) -> Subject:
        """Return the subject that a phrase names; its `is_found` is False if the phrase names nothing."""
        placed = find_placed(self._graph, phrase.text)
        if placed is not None and self._names.admits(placed.nodes[0]):
            return placed
        named = find_path(self._graph, self._folder, phrase.text)
        if named is not None:
            return named
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
            declared = self._names.find(name, phrase, form)
            is_declared = declared is not None and declared.taken_as is TakenAs.DECLARED
            if whole and not is_declared:  # "a private module"
                declared = self._names.find(whole, Phrase(phrase.whole), form) or declared
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
        """Return True for a name that too many files declare to tell which one is meant."""
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
        near = [node for node in self._graph.list_near(plain) if self._names.admits(node)]
        owner, _, last = plain.rpartition(".")
        types = self._names.list_types(owner) if owner else []
        if find_inherited_named(self._graph, types, last) == ([], True):
            return Subject(
                text, TakenAs.UNDECLARED, near=tuple(list_members(self._graph, types[0])), owner=types[0]
            )
        if owner:  # members of the type before the last dot come first
            members = [node for node in self._names.list_members(owner) if self._names.admits(node)]
            alike = get_close_matches(last, sorted({node.symbol.name for node in members}), MAX_NEAR, 0.4)
            same = [node for node in near if node.symbol.name == last]  # in another scope
            near = [*same, *(node for name in alike for node in members if node.symbol.name == name), *near]
        return Subject(text, TakenAs.UNDECLARED, near=tuple(dict.fromkeys(near))[:MAX_NEAR])

    def find_headed(self, phrase: Phrase) -> Subject | None:
        """Return what the last word of a phrase names, if it is about the other words; or None.

        `Checkpoint` of the package `log` for "the log checkpoint": the others stand in its path, around it,
        or in the comment above it.
        """
        *others, last = [word for word in split_phrase(phrase.text) if word.lower() not in STOP_WORDS] or [""]
        names = dict.fromkeys((last, last.capitalize(), last.removesuffix("s").capitalize()))
        found = [one for name in names for one in self._graph.scan.find_declared(name, MAX_FILES)]
        nodes = [
            node for node in map(self._graph.get_node, found[:MAX_LOOKED_AT]) if self._names.admits(node)
        ]
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
        """Return the lines above a declaration that begin as comments do, at most MAX_COMMENT_LINES."""
        above = self._read_lines(node.path)[: node.symbol.start_line - 1][-MAX_COMMENT_LINES:]
        return " ".join(takewhile(_IS_COMMENT.match, reversed(above)))

    def find_by_words(self, phrase: Phrase, form: Form) -> Subject:
        """Return the symbols that a search for the words of a phrase finds best."""
        words = [word for word in split_phrase(phrase.text) if word.lower() not in STOP_WORDS]
        found = self._graph.search(" ".join(words), SymbolFilter(), MAX_LOOKED_AT)[0] if words else []
        nodes = [node for node, score in found if score >= LEAST_SCORE and self._names.admits(node)]
        nodes.sort(key=lambda node: shares_word(node.symbol.name, words) < len(words))  # stable
        if form is Form.DIFFERENCE:
            nodes = [node for node in nodes if node.symbol.kind in FOLLOWED and not is_test_node(node)]
        elif form is Form.IMPLEMENTATIONS:
            nodes = [node for node in nodes if node.symbol.kind in IMPLEMENTED]
        nodes = prefer(nodes, form, phrase, partial(is_called, self._graph))[:WORD_SUBJECTS]
        return Subject(phrase.text, TakenAs.WORDS, tuple(nodes))

    def find_folder(self, text: str) -> Subject | None:
        """Return the folder with this name that is nearest to the root, or None."""
        return find_folder(self._graph, self._names.prefix, text)

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
