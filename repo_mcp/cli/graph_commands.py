"""`definition`, `references`, `callers`, `callees`, `implementations` and `research`: what names lead to.

     tests/test_accounts.py:9  test_accounts.test_transfer_keeps_the_sum  function
          9:    transfer_funds(a, b, Decimal(1), "rent")

Symbols are printed as ranked hits are: a line with path, line, qualified name and kind, and how sure it is
unless it is exact; below it the lines that say so. The symbol index is built, or brought up to date, first.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from repo_mcp.cli.console import parameters
from repo_mcp.cli.console.endings import Command, complain, note, warn
from repo_mcp.cli.console.opening import bring_up_to_date, load, opened, renew_symbol_index
from repo_mcp.cli.console.working_root import find_working_root
from repo_mcp.config.command_parser import CommandParser
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.exit_codes import EXIT_DONE, EXIT_NOTHING_FOUND, EXIT_USAGE

if TYPE_CHECKING:
    from repo_mcp.cli.console.text import Text
    from repo_mcp.graph.edges import Edge, Edges
    from repo_mcp.graph.graph import Graph
    from repo_mcp.graph.lookup.ambiguous_symbols import AmbiguousSymbolError
    from repo_mcp.graph.nodes import Node
    from repo_mcp.repository import Repository
    from repo_mcp.symbols.model import SymbolKind

# The last one is what the lines mean, where the node overrides it.
_Row = tuple["Edge", "Node", "Node | None"]
SHOWN_LINES = 40  # most lines shown of a definition
DEFAULT_SYMBOLS = 100
# command -> what it prints, and an example
_ABOUT = {
    "definition": ("Print where a name is declared, with its declaration.", "Account.post"),
    "references": ("Print where a symbol is used: calls, imports, types, bases.", "UnbalancedEntry"),
    "callers": ("Print what calls a function, with the calling lines.", "transfer_funds"),
    "callees": ("Print what a function calls.", "transfer_funds"),
    "implementations": ("Print what implements or extends a type.", "UnbalancedEntry"),
}
_NAMES = """

NAME is the name of a symbol, the end of its qualified name (Account.post), or
PATH:LINE. The first run parses all files; later runs parse those that changed."""


def _build_parser(name: str) -> CommandParser:
    about, example = _ABOUT[name]
    examples = [f"repo-mcp {name} {example}"]
    if name != "definition":
        examples.append(f"repo-mcp {name} src/ledger/accounts.py:27 --json")
    parser = CommandParser(f"repo-mcp {name}", "[options] NAME", about + _NAMES, examples)
    parser.add_argument("name", metavar="NAME", help="symbol")
    parser.add_argument(
        "--top-k",
        metavar="N",
        type=int,
        default=DEFAULT_SYMBOLS,
        help=f"symbols to print (default: {DEFAULT_SYMBOLS})",
    )
    parameters.add_color(parser)
    parameters.add_json(parser)
    parameters.add_place(parser)
    return parser


@contextmanager
def _ready(options: Namespace) -> Iterator[Repository]:
    """Open the repository with both of its indexes up to date. Raises RepoError, also for `--top-k`."""
    parameters.check_top_k(options.top_k)
    with opened(load(options)) as repository:
        bring_up_to_date(repository, quiet=options.json)
        renew_symbol_index(repository, quiet=options.json)
        yield repository


class _Page:
    """Prints symbols with lines of their files."""

    def __init__(self, options: Namespace, repository: Repository) -> None:
        from repo_mcp.cli.console.text import Colour, open_console

        self._console = open_console(Colour(options.color))
        self._root = find_working_root(options.repo_root)
        self._repository = repository

    def show(self, node: Node, line: int, sure: str, lines: Iterable[int], path: str = "") -> None:
        """Print a symbol at a line of its file, or of another at `path`, and further lines of that file."""
        from repo_mcp.cli.console.text import NUMBER, Text, visible

        path = path or node.path
        self._console.print(_head(self._root.show(path), line, node, sure))
        for number, text in self._read(path, lines):
            self._console.print(Text.assemble((f"    {number:>6}", NUMBER), f":{visible(text)}"))

    def _read(self, path: str, lines: Iterable[int]) -> Iterator[tuple[int, str]]:
        """Yield the lines as they are now; none of a file that became unreadable."""
        numbers = list(lines)
        first, last = min(numbers, default=1), max(numbers, default=0)
        try:
            opened = self._repository.open_file(path, first, last, most_lines=last - first + 1)
        except RepoError:
            return
        shown = dict(enumerate(opened.lines, first))
        yield from ((number, shown[number]) for number in numbers if number in shown)


def _head(path: str, line: int, node: Node, sure: str) -> Text:
    from repo_mcp.cli.console.text import FAINT, NUMBER, PATH, Text
    from repo_mcp.text.lines import escape_text

    head = Text.assemble((escape_text(path), PATH), ":", (str(line), NUMBER))
    head.append(f"  {escape_text(node.qualified_name)}", "cyan").append(f"  {node.kind}", FAINT)
    return head.append(f"  {sure}", "yellow") if sure != "exact" else head


def define(options: Namespace) -> int:
    """Print the declarations of a name. Raises RepoError."""
    from repo_mcp.graph.lookup.ambiguous_symbols import AmbiguousSymbolError

    with _ready(options) as repository:
        page = _Page(options, repository)
        try:
            with repository.engines.graph.open_at(options.name, "NAME") as (graph, node):
                spans = graph.list_spans(node)
                nodes: Sequence[Node] = [node]
                total = "1"
        except AmbiguousSymbolError as error:
            nodes, total, spans = error.candidates, error.total, []
        if options.json:
            _write_json([_describe(one) for one in nodes])
            return EXIT_DONE
        if len(nodes) > 1:
            for one in nodes[: options.top_k]:
                page.show(one, one.symbol.start_line, "exact", [one.symbol.start_line])
            note(f"{total} symbols have this name. Choose one with PATH:LINE or a longer name.")
            return EXIT_DONE
        for span in spans:
            last = min(span.end_line, span.start_line + SHOWN_LINES - 1)
            page.show(nodes[0], span.start_line, "exact", range(span.start_line, last + 1), span.path)
            if last < span.end_line:
                note(f"It continues to line {span.end_line}.")
    return EXIT_DONE


def _find_edges(command: str, graph: Graph, node: Node) -> Edges:
    from repo_mcp.graph.vocabulary import CALLS, NAMED, list_implementing

    if command == "callers":
        return graph.find_incoming(node, CALLS, dispatches=True)
    if command == "callees":
        return graph.find_outgoing(node, CALLS, dispatches=True)
    if command == "references":
        return graph.find_incoming(node, NAMED)
    return graph.find_incoming(node, list_implementing(node.symbol.kind))


def _list_likely(command: str) -> frozenset[SymbolKind]:
    """Return the kinds of symbols for which a command can find something; none stands for all kinds."""
    from repo_mcp.graph.vocabulary import CALLED_KINDS, IMPLEMENTED_KINDS

    return {"callers": CALLED_KINDS, "callees": CALLED_KINDS, "implementations": IMPLEMENTED_KINDS}.get(
        command, frozenset()
    )


def _follow(command: str, options: Namespace) -> int:
    """Print the symbols that a symbol leads to. Raises RepoError."""
    from repo_mcp.graph.lookup.ambiguous_symbols import AmbiguousSymbolError

    with _ready(options) as repository:
        live = repository.engines.graph
        try:
            likely = _list_likely(command)
            chosen = live.open_at(options.name, "NAME", has_body=command == "callees", likely=likely)
            with chosen as (graph, node):
                found = _find_edges(command, graph, node)
                rows = [
                    (edge, graph.get_node(edge.other), None if edge.via is None else graph.get_node(edge.via))
                    for edge in found.edges[: options.top_k]
                ]
        except AmbiguousSymbolError as error:
            return _list_candidates(error, options)
        if options.json:
            _write_json(_build_document(command, node, found, rows))
        else:
            _print_edges(command, _Page(options, repository), rows, found)
        for message in live.warn():
            warn(message)
    return EXIT_DONE if found.edges or found.externals else EXIT_NOTHING_FOUND


def _list_candidates(error: AmbiguousSymbolError, options: Namespace) -> int:
    """Print the possible symbols of a name on standard error, one a line, and return the exit code."""
    others = f"; {error.left_out} are not shown" if error.left_out else ""
    message = f"{error.total} symbols are named {options.name}{others}."
    code = complain(message, "Give one of these places, or a longer name:", EXIT_USAGE)
    root = find_working_root(options.repo_root)
    for node in error.candidates:
        note(f"{root.show(node.path)}:{node.symbol.start_line}  {node.qualified_name}")
    return code


def _print_edges(command: str, page: _Page, rows: Sequence[_Row], found: Edges) -> None:
    from repo_mcp.text.lines import escape_text

    # The lines of an edge to a callee are those of the caller, not of the node.
    shows_lines = command in ("callers", "references")
    for edge, node, via in rows:
        line = edge.lines[0] if shows_lines and edge.lines else node.symbol.start_line
        sure = edge.confidence.value + (f" via {escape_text(via.qualified_name)}" if via else "")
        page.show(node, line, sure, edge.lines if shows_lines else ())
    if not found.edges and not found.externals:
        note("Nothing found.")
    if found.externals:
        names = ", ".join(one.name for one in found.externals[:20])
        more = f" and {len(found.externals) - 20} more" if len(found.externals) > 20 else ""
        note(f"Outside the repository: {names}{more}.")
    if len(rows) < len(found.edges):
        note(f"{len(rows):,} of {len(found.edges):,} symbols; more with --top-k.")
    if found.cut:
        note("A limit of the search was reached: there may be more.")
    unresolved = sum(one.count for one in found.unresolved)
    if unresolved:
        what = "1 line uses the name" if unresolved == 1 else f"{unresolved:,} lines use the name"
        note(f"{what} in a way that could not be resolved.")


def _build_document(command: str, node: Node, found: Edges, rows: Sequence[_Row]) -> dict[str, object]:
    document: dict[str, object] = {
        "symbol": _describe(node),
        command: [
            {
                **_describe(other),
                "confidence": edge.confidence.value,
                "lines": list(edge.lines),
                **({"via": via.qualified_name} if via else {}),
            }
            for edge, other, via in rows
        ],
        "total": len(found.edges),
        "cut": found.cut,
        "unresolved": sum(one.count for one in found.unresolved),
    }
    if command == "callees":
        document["outside"] = [{"name": one.name, "lines": list(one.lines)} for one in found.externals]
    return document


def _describe(node: Node) -> dict[str, object]:
    return {
        "path": node.path,
        "start_line": node.symbol.start_line,
        "end_line": node.symbol.end_line,
        "qualified_name": node.qualified_name,
        "kind": node.kind,
    }


def _write_json(document: object) -> None:
    from repo_mcp.cli.console.plain import write_json

    write_json(document)


def _build_research_parser() -> CommandParser:
    parser = CommandParser(
        "repo-mcp research",
        "[options] QUESTION",
        """Answer a question by following references, as Markdown with citations: how
something works, what calls or implements X, where X is configured or added,
what breaks if X changes, how X and Y differ, the architecture.""",
        (
            'repo-mcp research "how is a transfer checked"',
            'repo-mcp research "what calls transfer_funds"',
            'repo-mcp research "how does it start again? (resume, load_state)"',
            'repo-mcp research "the architecture" --top-k 5',
            "repo-mcp research - < issue.md",
        ),
    )
    parser.add_argument(
        "question", metavar="QUESTION", help="a question in plain language; - reads standard input"
    )
    parser.add_argument("--depth", metavar="N", type=int, help="levels of references to follow")
    parser.add_argument("--top-k", metavar="N", type=int, default=10, help="findings to print (default: 10)")
    parameters.add_json(parser)
    parameters.add_place(parser)
    return parser


def research(options: Namespace) -> int:
    """Print the report on a question. Raises RepoError."""
    from repo_mcp.research.findings.records import ResearchRequest, RunControl
    from repo_mcp.toolsets.research.report_record import cut_report
    from repo_mcp.toolsets.research.research_text import render_report

    question = parameters.read_text(options.question)
    if not question.strip():
        raise RepoError(ErrorCode.INVALID_ARGUMENT, "The question is empty.", "Ask about the code.")
    request = ResearchRequest(question.replace("\0", " "), options.depth, findings=options.top_k)
    with _ready(options) as repository:
        report = repository.engines.researcher.answer(request, RunControl(lambda: False))
    result = cut_report(report, options.top_k).result
    if options.json:
        _write_json(result)
    else:
        print(render_report(question, result), end="")
    for message in report.warnings:
        warn(message)
    return EXIT_DONE if report.findings else EXIT_NOTHING_FOUND


def _build_command(name: str) -> Command:
    if name == "definition":
        return Command(lambda: _build_parser(name), define)
    return Command(lambda: _build_parser(name), lambda options: _follow(name, options))


COMMANDS = {
    **{name: _build_command(name) for name in _ABOUT},
    "research": Command(_build_research_parser, research),
}
