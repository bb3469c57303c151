"""Find the lines that say that a type derives from another one, where no parser knows them.

    class Package extends BasePackage implements Countable     PHP, Scala, Dart, Groovy
    class Page < Base                                          Ruby
    class Disk(path: String) : Store(), Closeable              Kotlin
    contract Vault is Ownable                                  Solidity
    include Convertible     use CompletionTrait;               Ruby, PHP and others, inside of a type

A head may take several lines. Only direct bases are seen, and no aliases.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.model import ExactMatch, ExactRequest
from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.locating import is_test_place
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.text.lines import is_comment

MAX_READ = 2_000  # lines with the name
HEAD_LINES = 12  # of a declaration, from its name
MAX_CHARS = 2_000  # read of these, so that no line takes long
_TYPED = re.compile(r"<(?! )(?:[^<>{}]|<[^<>{}]*>)*>|\((?:[^()]|\([^()]*\))*\)")  # type parameters, arguments
_HEAD = re.compile(
    r"(?:\b(?:class|interface|trait|object|struct|enum|record|mixin|protocol|contract|actor|role|instance)\b"
    r"|@interface\b)[^{;=]*?(?:\bextends\b|\bimplements\b|\bwith\b|\bis\b|\bdoes\b|<:|<|(?<!:):(?!:))(?P<bases>[^{;]*)"
)
_MIXED = re.compile(
    r"(?P<indent>\s*)(?:@?(?:use|uses|include|extend|prepend|mixin|with|inherits?|extends|implements|behaviour"
    r"|defimpl)\b|(?:[\w.:]+\.|\w+\.send\(\s*:)(?:include|extend|prepend)\b)[\s(,]+(?P<bases>[^;{}#]*)"
)
_MADE = re.compile(r"\bClass\.new\((?P<bases>[^()]*)\)")
_NAME = re.compile(r"\w+(?:(?:::|[.\\])\w+)*")
_PARTS = re.compile(r"::|[.\\]")


@dataclass(frozen=True, slots=True)
class Deriving:
    """A line that says that a type derives from another one."""

    path: str
    line: int
    symbol: str  # that derives, or the file


def list_deriving(state: ResearchState, name: str, languages: Collection[str]) -> list[Deriving]:
    """Return what derives from a name in files of some languages, of the program first."""
    request = ExactRequest(name, whole_word=True, limit=MAX_READ, languages=tuple(sorted(languages)))
    found = [one for one in state.source.search_exact(request).matches if state.admits(one.path)]
    found.sort(key=lambda one: is_test_place(one.path))  # stable
    deriving = (_read(state, one, name) for one in found)
    return [one for one in deriving if one is not None]


def _read(state: ResearchState, match: ExactMatch, name: str) -> Deriving | None:
    state.check()
    line, lines = match.start_line, state.source.read_lines(match.path)
    if line > len(lines) or is_comment(lines[line - 1]):
        return None
    around = [
        one for one in state.source.find_layout(match.path).spans if one.name_line <= line <= one.end_line
    ]
    inner = max(around, key=lambda one: one.name_line, default=None)
    if not _derives(match.path, lines, line, name, inner):
        return None
    return Deriving(match.path, line, match.path if inner is None else inner.qualified_name)


def _derives(path: str, lines: Sequence[str], line: int, name: str, inner: SymbolSpan | None) -> bool:
    """Return whether a line mixes the name in, or whether it is a base in the head that the line ends."""
    text = lines[line - 1][:MAX_CHARS]
    mixed = _MIXED.match(text) or _MADE.search(text)
    if mixed is not None:
        is_import = mixed.re is _MIXED and not mixed["indent"] and find_language(path).name == "php"
        return not is_import and _has(mixed["bases"], name)
    first = line if inner is None or line - inner.name_line >= HEAD_LINES else inner.name_line
    head = " ".join(lines[first - 1 : line])[:MAX_CHARS]
    while (shorter := _TYPED.sub(" ", head)) != head:
        head = shorter
    declared = _HEAD.search(head.partition("(")[0])  # else the line is among parameters
    return (
        declared is not None
        and _has(declared["bases"], name)
        and re.search(rf"\b{re.escape(name)}\b", text) is not None
    )


def _has(bases: str, name: str) -> bool:
    return any(_PARTS.split(one)[-1] == name for one in _NAME.findall(bases))
