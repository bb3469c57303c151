"""Find the lines that say that a type derives from another one, where no parser knows them.

    class Package extends BasePackage implements Countable     PHP, Scala, Dart, Groovy
    class Page < Base                                          Ruby
    class Disk(path: String) : Store(), Closeable              Kotlin
    contract Vault is Ownable                                  Solidity
    include Convertible     use CompletionTrait;               Ruby, PHP and others, inside of a type

A head may take several lines. Only direct bases are seen, and no aliases. A base is written with fewer
qualifiers where it is declared in a module around: `Crate` in `module Depot` may be `Depot::Crate`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.model import ExactMatch, ExactRequest
from repo_mcp.ranking.query.asked_name import split_qualified
from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.locating import find_inner_span, is_test_place
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.text.lines import is_comment

MAX_READ = 2_000  # lines with the names
HEAD_LINES = 12  # of a declaration, from its name
MAX_CHARS = 2_000  # read of these, so that no line takes long
_TYPED = re.compile(r"<(?! )(?:[^<>{}]|<[^<>{}]*>)*>|\((?:[^()]|\([^()]*\))*\)")  # type parameters, arguments
_TYPE = re.compile(
    r"\b(?:class|interface|trait|object|struct|enum|record|mixin|protocol|contract|actor|role|instance)\b"
    r"|@interface\b"
)
# The head of a type with its bases: `class Page < Base`, `contract Vault is Ownable`.
_HEAD = re.compile(
    rf"(?:{_TYPE.pattern})[^{{;=]*?"
    r"(?:\bextends\b|\bimplements\b|\bwith\b|\bis\b|\bdoes\b|<:|<|(?<!:):(?!:))(?P<bases>[^{;]*)"
)
# A line that mixes something in: `include Convertible`, `Page.send(:include, Convertible)`.
_MIXED = re.compile(
    r"(?P<indent>\s*)(?:@?(?:use|uses|include|extend|prepend|mixin|with|inherits?|extends|implements|behaviour"
    r"|defimpl)\b|(?:[\w.:]+\.|\w+\.send\(\s*:)(?:include|extend|prepend)\b)[\s(,]+(?P<bases>[^;{}#]*)"
)
_MADE = re.compile(r"\bClass\.new\((?P<bases>[^()]*)\)")  # a class without a head
_NAME = re.compile(r"\w+(?:(?:::|[.\\])\w+)*")
_ENDED_BY_LINE = frozenset({"elixir", "julia", "ruby"})
Parts = tuple[str, ...]  # of a qualified name, outermost first


@dataclass(frozen=True, slots=True)
class Deriving:
    """A line that says that a type derives from another one."""

    path: str
    line: int
    symbol: str  # that derives, or the file
    base: Parts


def list_deriving(
    state: ResearchState, bases: Collection[Parts], languages: Collection[str]
) -> list[Deriving]:
    """Return what derives from types in files of some languages, of the program first.

    A line whose base means another type of the same name is left out.
    """
    names = sorted({base[-1] for base in bases})
    declare = lru_cache(lambda name: {*list_declared(state, name), *bases})
    request = ExactRequest(
        "|".join(map(re.escape, names)),
        regex=True,
        whole_word=True,
        limit=MAX_READ,
        languages=tuple(sorted(languages)),
    )
    found = [one for one in state.source.search_exact(request).matches if state.admits(one.path)]
    found.sort(key=lambda one: is_test_place(one.path))  # stable
    deriving = []
    for one in found:
        state.check()
        inner, written = _read(state, one)
        scope = () if inner is None else split_parts(inner.qualified_name)
        fitting = [base for base in written if any(agree(base, known) for known in bases)]
        meant = [find_meant(base, scope, declare(base[-1])) for base in fitting]
        base = next((part for means in meant for part in means if part in bases), None)
        if base is not None and scope not in bases:
            symbol = one.path if inner is None else inner.qualified_name
            deriving.append(Deriving(one.path, one.start_line, symbol, base))
    return deriving


def list_declared(state: ResearchState, name: str) -> list[Parts]:
    """Return the qualified names of what is declared with a name."""
    return [split_parts(hit.symbol or "") for hit in state.source.list_spelled(name)]


def find_meant(base: Parts, scope: Parts, declared: Iterable[Parts]) -> set[Parts]:
    """Return what a base that is written in a scope may mean of the types with its name.

    The innermost module around that declares it tells. If none does, all are possible whose qualifiers do not
    contradict those of the base.
    """
    fitting = {one for one in declared if agree(base, one)}
    within = ((*scope[:count], *base) for count in range(len(scope), -1, -1))
    return next(({one} for one in within if one in fitting), fitting)


def agree(one: Parts, other: Parts) -> bool:
    """Return whether two qualified names may be the same, though one of them may lack outer parts."""
    return all(map(str.__eq__, reversed(one), reversed(other)))


def split_parts(name: str) -> Parts:
    """Return the parts of a qualified name, outermost first."""
    return tuple(split_qualified(name))


def list_written_bases(state: ResearchState, path: str, parts: Parts) -> list[Parts]:
    """Return the bases that the head of a type and the lines inside of it name, as they are written."""
    lines = state.source.read_lines(path)
    return [
        base
        for span in state.source.find_layout(path).spans
        if split_parts(span.qualified_name) == parts
        for line in range(span.name_line, span.end_line + 1)
        for base in _list_bases(path, lines, line, span)
    ]


def _read(state: ResearchState, match: ExactMatch) -> tuple[SymbolSpan | None, list[Parts]]:
    """Return the declaration around a line, and the bases that the line gives it."""
    line, lines = match.start_line, state.source.read_lines(match.path)
    if line > len(lines) or is_comment(lines[line - 1]) or not _may_derive(match.path, lines, line):
        return None, []
    layout = state.source.find_layout(match.path)  # takes much longer than the rest
    if line in layout.comment_lines:
        return None, []
    inner = find_inner_span(layout.spans, line)
    return inner, list(_list_bases(match.path, lines, line, inner))


def _may_derive(path: str, lines: Sequence[str], line: int) -> bool:
    """Return False for a line that mixes nothing in, and above which no head of a type begins."""
    text = lines[line - 1][:MAX_CHARS]
    if _MIXED.match(text) or _MADE.search(text):
        return True
    return any(map(_TYPE.search, lines[max(0, line - _count_head_lines(path)) : line]))


def _count_head_lines(path: str) -> int:
    """Return how many lines the head of a type may take: one where the end of the line ends it."""
    return 1 if find_language(path).name in _ENDED_BY_LINE else HEAD_LINES


def _list_bases(path: str, lines: Sequence[str], line: int, inner: SymbolSpan | None) -> Iterator[Parts]:
    """Yield the bases that a line mixes in, or that are in the head of the declaration that the line ends."""
    text = lines[line - 1][:MAX_CHARS]
    mixed = _MIXED.match(text) or _MADE.search(text)
    if mixed is not None:
        is_import = mixed.re is _MIXED and not mixed["indent"] and find_language(path).name == "php"
        yield from () if is_import else _split_bases(mixed["bases"])
        return
    is_head = inner is not None and line - inner.name_line < _count_head_lines(path)
    first = inner.name_line if inner is not None and is_head else line
    head = " ".join(lines[first - 1 : line])[:MAX_CHARS]
    while (shorter := _TYPED.sub(" ", head)) != head:
        head = shorter
    declared = _HEAD.search(head.partition("(")[0])  # else the line is among parameters
    for base in _split_bases(declared["bases"]) if declared is not None else ():
        if re.search(rf"\b{re.escape(base[-1])}\b", text) is not None:
            yield base


def _split_bases(bases: str) -> list[Parts]:
    return [split_parts(one) for one in _NAME.findall(bases)]
