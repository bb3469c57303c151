"""Choose among the declarations of one name.

The form of the question wants some kinds, the program itself counts more than its tests, and the parameters
or the words beside the name tell others apart: "the bounded Queue.push".
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from repo_mcp.graph.lookup.rival_symbols import keep_likely
from repo_mcp.graph.nodes import Node
from repo_mcp.research.findings.locating import is_test_node, may_answer
from repo_mcp.research.findings.records import Form
from repo_mcp.research.question.members_of_types import REAL_TYPES
from repo_mcp.research.question.phrases import Phrase
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolFlag, SymbolKind
from repo_mcp.text.generated import is_generated
from repo_mcp.text.lines import ReadLines
from repo_mcp.text.stop_words import STOP_WORDS

MAX_HEAD_LINES = 6  # of a declaration, in which its parameters are looked for
MOST_READ = 12  # declarations whose files are read, to see whether a program wrote them
MAX_MANIFEST_LINES = 2_000
_ONLY_DECLARING = (".d.ts", ".d.mts", ".d.cts", ".pyi")
_SCRIPTS = frozenset({"javascript", "typescript"})
_PARAMETERS = re.compile(r"\(([^()]{0,300})\)")
_WORD = re.compile(r"[^\W_]+")
IsCalled = Callable[[Node], bool]
_ANY_VALUE = frozenset(
    {SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.PROPERTY, SymbolKind.ENUM_MEMBER}
)
FOLLOWED = CALLABLE_KINDS | TYPE_KINDS | {SymbolKind.EVENT}
# The kinds that a form is about; other kinds are taken only when there are none of these.
KINDS: dict[Form, frozenset[SymbolKind]] = {
    Form.IMPLEMENTATIONS: TYPE_KINDS,
    Form.CALLERS: FOLLOWED,
    Form.CALLEES: FOLLOWED,
    Form.TESTS: FOLLOWED,
    Form.FLOW: FOLLOWED,
    Form.CONFIGURED: _ANY_VALUE | FOLLOWED,
    Form.DIFFERENCE: FOLLOWED,
    Form.RAISED: TYPE_KINDS,
}


def prefer(nodes: Iterable[Node], form: Form, phrase: Phrase, is_called: IsCalled) -> list[Node]:
    """Return the nodes of the wanted kinds; if some are outside tests and examples, only these.

    Of those, the kind that the question names is meant, if some are of it.
    """
    chosen = list(nodes)
    for wanted in (phrase.kinds, KINDS.get(form, frozenset())):
        chosen = keep_likely(chosen, wanted, is_called) or chosen
    real = [node for node in chosen if not is_test_node(node) and may_answer(node.path)]
    chosen = real or chosen
    return keep_likely(chosen, phrase.narrow, is_called) or chosen


def drop_lesser(nodes: Sequence[Node], *, means_types: bool) -> list[Node]:
    """Return the nodes without prototypes whose definition is present, and extensions whose type is.

    Unless it is asked what runs, types are meant and not the constructors that have their names.
    """
    defined = {node.symbol.name for node in nodes if not node.symbol.flags & SymbolFlag.FORWARD}
    typed = {node.symbol.name for node in nodes if node.symbol.kind in REAL_TYPES}
    return [
        node
        for node in nodes
        if not (node.symbol.flags & SymbolFlag.FORWARD and node.symbol.name in defined)
        and not (node.symbol.kind is SymbolKind.EXTENSION and node.symbol.name in typed)
        and not (means_types and node.symbol.kind is SymbolKind.CONSTRUCTOR and node.symbol.name in typed)
    ]


def put_written_first(nodes: list[Node], read_lines: ReadLines) -> list[Node]:
    """Return the nodes; among the first MOST_READ, those in files that a program wrote come last."""
    first, rest = nodes[:MOST_READ], nodes[MOST_READ:]
    if len(first) < 2:
        return nodes
    written = {path: is_generated(read_lines(path)) for path in {node.path for node in first}}
    return [*sorted(first, key=lambda node: written[node.path]), *rest]  # stable


def drop_bodiless(nodes: Sequence[Node]) -> list[Node]:
    """Return the nodes without those of files that only declare, such as `.d.ts`, if others have bodies."""
    others = [node for node in nodes if not only_declares(node.path)]
    return others if any(node.symbol.kind in FOLLOWED for node in others) else [*nodes]


def only_declares(path: str) -> bool:
    """Return True for a file that declares what others do: `.d.ts`, `.pyi`."""
    return path.endswith(_ONLY_DECLARING)


def keep_main_build(nodes: Sequence[Node], read_lines: ReadLines) -> list[Node]:
    """Return the nodes without those of files that replace others in browsers, if there are others."""
    if len(nodes) < 2 or not any(node.language in _SCRIPTS for node in nodes):
        return [*nodes]
    folders = {folder for node in nodes for folder in _iter_above(node.folder)}
    others = {path for folder in sorted(folders) for path in _list_browser_files(folder, read_lines)}
    return [node for node in nodes if node.path not in others] or [*nodes]


def _iter_above(folder: str) -> Iterator[str]:
    """Yield a folder and those around it, each as the beginning of a path."""
    parts = folder.split("/") if folder else []
    for depth in range(len(parts) + 1):
        yield "".join(f"{part}/" for part in parts[:depth])


def _list_browser_files(folder: str, read_lines: ReadLines) -> list[str]:
    """Return the files that the manifest in a folder says to take in browsers instead of others."""
    text = "\n".join(read_lines(f"{folder}package.json")[:MAX_MANIFEST_LINES])
    try:
        said = json.loads(text).get("browser") if '"browser"' in text else None
    except (ValueError, AttributeError, RecursionError):
        return []
    values = said.values() if isinstance(said, dict) else (said,)
    return [f"{folder}{one.removeprefix('./')}" for one in values if isinstance(one, str)]


def are_written(nodes: Sequence[Node], read_lines: ReadLines) -> bool:
    """Return True for values that only a program wrote: plain words rather mean what does the work."""
    return all(node.symbol.kind not in FOLLOWED and is_generated(read_lines(node.path)) for node in nodes)


def choose_overloads(nodes: list[Node], parameters: Sequence[str], read_lines: ReadLines) -> list[Node]:
    """Return the declarations whose parameters have the given names or types; all if none has."""
    if not parameters or len(nodes) < 2:
        return nodes
    fitting = [node for node in nodes if _takes(read_lines(node.path), node, parameters)]
    return fitting or nodes


def _takes(lines: Sequence[str], node: Node, parameters: Sequence[str]) -> bool:
    """Return True if the parameters of a declaration hold the given words, one each, in order."""
    head = " ".join(lines[node.symbol.start_line - 1 : node.symbol.start_line - 1 + MAX_HEAD_LINES])
    behind = _PARAMETERS.search(head[max(0, head.find(f"{node.symbol.name}(")) :])
    own = [one for one in behind[1].split(",") if one.strip()] if behind is not None else []
    return len(own) == len(parameters) and all(
        re.search(rf"(?<![\w.<]){re.escape(given)}(?!\w)", one)
        for given, one in zip(parameters, own, strict=True)
    )


def keep_placed(nodes: Sequence[Node], name: str, text: str) -> list[Node]:
    """Return those of some namesakes whose paths and owners have most of the words beside a name.

    `text` is the phrase with the name. If no place has any of its words, return all.
    """
    words = {word.lower() for word in _WORD.findall(text.replace(name, " ", 1))} - STOP_WORDS
    if len(nodes) < 2 or not words:
        return list(nodes)
    counts = [len(words & _list_around(node)) for node in nodes]
    return [node for node, count in zip(nodes, counts, strict=True) if count == max(counts)]


def _list_around(node: Node) -> set[str]:
    """Return the words in the path and in the owners of a declaration, in lower case."""
    owners = node.qualified_name.rpartition(".")[0]
    return {word.lower() for word in _WORD.findall(f"{node.path} {owners}")}
