"""The call of `repo.open_file`: lines, the declaration of a name or around a line, or several of these.

Each of several spans has its own answer or error.

Left out on purpose: how opened lines are shown (`opened_rows.py`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.late_patterns import compile_late
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.record_classes import replace
from repo_mcp.text.citations import write_citation
from repo_mcp.text.lines import escape_text
from repo_mcp.text.written_symbols import read_written
from repo_mcp.titled_names import is_titled, split_qualified
from repo_mcp.toolsets.answers import Arguments, Draft, find_integer, find_text
from repo_mcp.toolsets.repo.opened_rows import count_rows, note_ranges, render_opened, render_spans
from repo_mcp.workspace.reader.client_paths import shown

if TYPE_CHECKING:
    from repo_mcp.model import Hit, OpenedText
    from repo_mcp.repository import Repository

# A citation, as answers and people write it: `a.py:12-20`, `a.py:12`, `a.py#L12-L20`.
_CITED = compile_late(r"(?P<path>.+?)(?::|#L)(?P<first>[1-9]\d{0,8})(?:-L?(?P<last>[1-9]\d{0,8}))?")
_MEMBER = compile_late(r"(?<=\w)#(?=\w)")  # in documents, before a method
_VARIABLE = compile_late(r"(?<=::|->)\$(?=\w)")  # in PHP, before a property
_LINES = ("start_line", "end_line")
MOST_DECLARING = 10  # files that are named for a symbol
MOST_SIMILAR = 3  # names, if no file declares it


def open_file(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `repo.open_file`."""
    max_chars = repository.config.limits.max_line_chars
    spans = arguments.get("spans")
    if not isinstance(spans, list) or not spans:  # some clients send an empty list for a missing argument
        opened = _open(repository, arguments)
        notes = note_ranges([arguments], [opened])
        return Draft(
            partial(render_opened, opened, max_chars=max_chars, notes=notes),
            count_rows(opened),
            "end_line" not in arguments,
        )
    if len(arguments) > 1:
        raise _refuse(
            "spans",
            "Argument spans cannot be combined with other arguments than path and about",
            "Give the lines in spans.",
        )
    answers = [_try_open(repository, span, context) for span in spans]
    rows = sum(0 if isinstance(one, RepoError) else count_rows(one) for one in answers)
    ordinary = any("end_line" not in span for span in spans)
    return Draft(partial(render_spans, spans, answers, max_chars=max_chars), rows, ordinary)


def _open(repository: Repository, asked: Arguments) -> OpenedText:
    """Return the lines that one span asks for. Raises RepoError."""
    path, symbol, line = find_text(asked, "path"), find_text(asked, "symbol"), find_integer(asked, "line")
    about = find_text(asked, "about")
    if "end_line" in asked and "start_line" not in asked and line is not None:  # it can only be the first
        asked = {name: asked[name] for name in asked if name != "line"} | {"start_line": line}
        line = None
    ways = [name for name in ("symbol", "line") if name in asked]
    ways += ["start_line or end_line"] if any(name in asked for name in _LINES) else []
    if len(ways) > 1:
        raise _refuse(ways[0], f"{' and '.join(ways)} exclude each other", "Give one of them.")
    if symbol is not None:
        return _open_titled(repository, path, symbol, about) or _open_symbol(
            repository, path, _read_name(symbol), about
        )
    if path is None:
        raise _refuse("path", "Argument path is missing", "Give path or symbol, or several spans.")
    if line is not None:
        return repository.open_file(path, None, None, around=line, about=about, folds=True)
    first, last = find_integer(asked, "start_line"), find_integer(asked, "end_line")
    try:
        return repository.open_file(path, first, last, about=about)
    except RepoError as error:
        cited = _CITED.fullmatch(path) if error.code is ErrorCode.NOT_FOUND and not ways else None
        if cited is None:
            raise
    return _open(repository, _read_citation(cited) | ({} if about is None else {"about": about}))


def _read_citation(cited: re.Match[str]) -> dict[str, object]:
    """Return the arguments that a citation stands for: its lines, or the declaration around a single one."""
    path, first, last = cited["path"], int(cited["first"]), cited["last"]
    return (
        {"path": path, "line": first}
        if last is None
        else {"path": path, "start_line": first, "end_line": int(last)}
    )


def _read_name(symbol: str) -> str:
    """Return a name as it is declared: `post` for `.post`, and `Ledger.post` for `Ledger<T>#post(int)`."""
    name = _MEMBER.sub(".", _VARIABLE.sub("", read_written(symbol)[0]))
    return name.replace("\\", ".").lstrip(".:") or symbol


def _open_titled(
    repository: Repository, path: str | None, symbol: str, about: str | None
) -> OpenedText | None:
    """Return the lines of a function with a title, if that is what a name means; it may be a call as well."""
    try:
        return _open_symbol(repository, path, symbol.strip(), about) if is_titled(symbol.strip()) else None
    except RepoError as error:
        if error.code is not ErrorCode.NOT_FOUND:
            raise
        return None


def _open_symbol(repository: Repository, path: str | None, symbol: str, about: str | None) -> OpenedText:
    """Return the lines of a declaration; without a path, in the only file that has one. Raises RepoError.

    If others are tests, documents and the like, the only file of the program counts, and they are named. A
    path that does not declare it, such as that of a caller, is no hindrance, but a warning tells of it.
    """
    if path is not None:
        try:
            return repository.open_file(path, None, None, symbol=symbol, about=about, folds=True)
        except RepoError as error:
            if error.code is not ErrorCode.NOT_FOUND:
                raise
            cited = None if error.details.get("argument") == "symbol" else _CITED.fullmatch(path)
            if cited is not None:
                return _open_symbol(repository, cited["path"], symbol, about)
            return _open_elsewhere(repository, path, symbol, about, error)
    found, similar = _list_declaring(repository, symbol)
    if not found and symbol.endswith("!"):
        found = _list_macros(repository, symbol)
    opened = _open_found(repository, found, symbol, about)
    if opened is None and not found:
        opened = _open_included(repository, symbol, about)
    if opened is not None:
        return opened
    if found:
        raise _refuse_several(symbol, list(found))
    similar = _join_near(repository, symbol, similar)
    hint = f"Similar: {similar}" if similar else "No name is similar; repo.search looks for words."
    said = " ".join([f"No file declares {shown(symbol)}.", *repository.symbol_index.warn()])
    raise RepoError(ErrorCode.NOT_FOUND, said, hint, {"argument": "symbol"})


def _join_near(repository: Repository, symbol: str, similar: str) -> str:
    """Return the names that are similar to one, those that the graph knows first."""
    from repo_mcp.toolsets.repo.graph_symbols import list_near

    others = similar.rstrip(".").split(", ") if similar else []
    near = [one for one in list_near(repository, symbol) if not any(one in other for other in others)]
    return f"{', '.join([*near, *others][:MOST_SIMILAR])}." if near or others else ""


def _open_found(
    repository: Repository, found: Mapping[str, str], symbol: str, about: str | None
) -> OpenedText | None:
    """Return the declaration in the files that were found, or what the name means for the graph."""
    try:
        opened = _open_only(repository, found, about) or _open_variant(repository, found, symbol, about)
    except RepoError:
        opened = _open_meant(repository, "", symbol, about)
        if opened is None:
            raise
    if opened is None:
        opened = _open_meant(repository, "", symbol, about)
    return opened


def _open_elsewhere(
    repository: Repository, path: str, symbol: str, about: str | None, error: RepoError
) -> OpenedText:
    """Return the lines of a declaration that its given path lacks. Raises the error, naming any files."""
    own = repository.tree.name_path(path)
    has_file = error.details.get("argument") == "symbol"  # else the path leads to none
    meant = _open_meant(repository, own, symbol, about) if has_file else None
    if meant is not None:
        return meant
    try:
        found, _ = _list_declaring(repository, symbol)
    except RepoError:  # there is no index
        raise error from None
    if not found and (meant := _open_meant(repository, "", symbol, about)) is not None:
        return meant
    if own not in found:
        opened = _open_only(repository, found, about, own)
        if opened is not None:
            note = f"{shown(own)} declares no {shown(symbol)}." if has_file else error.message
            return replace(opened, warnings=(note, *opened.warnings))
        hint = f"{shown(symbol)} is declared in {_join_paths(list(found))}." if found else error.hint
    else:  # in the index it has one: it cannot be parsed, or has changed since
        others = [other for other in found if other != own]
        hint = f"{error.hint} Also declared in {_join_paths(others)}." if others else error.hint
    raise RepoError(error.code, error.message, hint, error.details) from error


def _open_meant(repository: Repository, path: str, symbol: str, about: str | None) -> OpenedText | None:
    """Return the declaration that a name means for the graph, in a file or, without a path, anywhere.

    Returns None if there is none. Raises RepoError if several files have one.
    """
    from repo_mcp.toolsets.repo.graph_symbols import list_meant, open_longest

    nodes = list_meant(repository, f"{path}:{symbol}" if path else symbol)
    if not nodes:
        return None
    paths = [*dict.fromkeys(node.path for node in nodes)]
    own = _choose_path(paths)
    if not own:
        raise _refuse_several(symbol, paths)
    opened = open_longest(repository, [node for node in nodes if node.path == own], about)
    if split_qualified(symbol.replace("::", "."))[-1].rstrip("!") == nodes[0].symbol.name:
        return opened
    named = shown(nodes[0].name_inside)
    note = f"{shown(symbol)} is another name of {named}."
    return replace(opened, warnings=(note, *opened.warnings))


def _refuse_several(symbol: str, paths: Sequence[str]) -> RepoError:
    hint = f"Give one as path, such as {_join_paths(paths[:MOST_DECLARING])}."  # there may be more
    return _refuse("path", f"Several files declare {shown(symbol)}.", hint)


def _open_included(repository: Repository, symbol: str, about: str | None) -> OpenedText | None:
    """Return the member of the last module that a class includes and that declares one; None if none does."""
    from repo_mcp.toolsets.repo.included_members import find_included

    owner, _, name = symbol.replace("::", ".").rpartition(".")
    classes = _list_declaring(repository, owner)[0] if owner else {}
    found = find_included(repository, owner, list(classes), name)
    if not found:
        return None
    first, *others = found
    opened = repository.open_file(first.path, None, None, symbol=first.symbol, about=about, folds=True)
    also = f"; others: {', '.join(map(_cite, others))}" if others else ""
    note = f"{shown(owner)} declares no {shown(name)}; a module that it includes does{also}."
    return replace(opened, warnings=(note, *opened.warnings))


def _cite(hit: Hit) -> str:
    """Return the name of a declaration, and where it is."""
    first, last = hit.symbol_lines or (hit.start_line, hit.end_line)
    return f"`{escape_text(hit.symbol or '')}` ({write_citation(hit.path, first, last)})"


def _open_only(
    repository: Repository, found: Mapping[str, str], about: str | None, beside: str = ""
) -> OpenedText | None:
    """Return the declaration in the file that `_choose_path` chooses of those found, if any.

    Raises RepoError for a file that cannot be opened.
    """
    paths = list(found)
    path = _choose_path(paths, beside)
    if not path:
        return None
    try:
        opened = repository.open_file(path, None, None, symbol=found[path], about=about, folds=True)
    except RepoError as error:  # it cannot be parsed, or has changed since it was indexed
        if error.code is not ErrorCode.NOT_FOUND:
            raise
        message = (
            f"{shown(path)} has a declaration {shown(found[path])} in the index, but it cannot be opened."
        )
        raise RepoError(error.code, message, error.hint, error.details) from error
    others = [other for other in paths if other != path]
    note = (f"Also declared in {_join_paths(others)}: path opens these.",) if others else ()
    return replace(opened, warnings=(*opened.warnings, *note))


def _choose_path(paths: Sequence[str], beside: str = "") -> str:
    """Return the only path, or the only one of the program; "" for none or several.

    Of several of the program, the only one in the folder of the file `beside` counts.
    """
    from repo_mcp.text.roles import FileRole, find_role  # not when tools are listed

    chosen = [path for path in paths if find_role(path) is FileRole.CODE] if len(paths) > 1 else paths
    if len(chosen) > 1 and beside:
        folder = beside.rpartition("/")[0]
        chosen = [path for path in chosen if path.rpartition("/")[0] == folder]
    return chosen[0] if len(chosen) == 1 else ""


def _open_variant(
    repository: Repository, found: Mapping[str, str], symbol: str, about: str | None
) -> OpenedText | None:
    """Return the variant of a plain build if all files that were found declare variants of one symbol."""
    if len(found) < 2:
        return None
    try:
        with repository.engines.graph.open_at(symbol) as (graph, node):
            first, *others = graph.list_spans(node)
    except RepoError:
        return None
    if not first.constraint or not found.keys() <= {first.path, *(one.path for one in others)}:
        return None
    opened = repository.open_file(first.path, None, None, around=first.start_line, about=about, folds=True)
    named = ", ".join(f"{escape_text(one.path)} ({escape_text(one.constraint)})" for one in others)
    return replace(opened, warnings=(*opened.warnings, f"Other builds have other declarations: {named}."))


def _list_declaring(repository: Repository, symbol: str) -> tuple[dict[str, str], str]:
    """Return the files that declare a name, the best first, each with the name that it has there.

    The name may begin with that of the file as a module, `shop.ledger.Ledger.post`, or of its folder, where
    a package has files for its types: `org.shop.Ledger.post`. The second result lists similar names if no
    file declares this one and there are any, or else is "". Raises RepoError.
    """
    from repo_mcp.model import SearchRequest  # here: tools are listed before the engine is loaded
    from repo_mcp.ranking.direct_hits.near_names import SIMILAR

    request = SearchRequest(symbol, MOST_DECLARING, symbols_only=True, names_snapshot=False)
    plain = symbol.replace("::", ".")
    ending = f".{plain}", f".{plain.lstrip('$')}"  # where a variable of PHP is declared, its name has no sign
    found: dict[str, str] = {}
    answer = repository.search(request)
    for hit in answer.hits:
        own = hit.symbol or ""
        if f".{own}".endswith(ending):
            found[hit.path] = symbol  # a constructor may have the name of its class, and of its file
        elif own and any(f".{around}.{own}".endswith(ending) for around in _name_modules(hit.path)):
            found.setdefault(hit.path, own)
    if found:
        return found, ""
    alike = dict.fromkeys(_cite(hit) for hit in answer.hits if hit.symbol)
    said = next((one.partition(SIMILAR)[2] for one in answer.warnings if SIMILAR in one), "")
    return found, f"{', '.join([*alike][:MOST_SIMILAR])}." if alike else said


def _list_macros(repository: Repository, called: str) -> dict[str, str]:
    """Return the files that declare the macro of a call, `vec!`, each with that name."""
    from repo_mcp.languages.outline.symbol_lookup import find_named

    found, _ = _list_declaring(repository, called.removesuffix("!"))
    return {path: called for path in found if find_named(repository.outline(path).symbols, called)}


def _name_modules(path: str) -> tuple[str, str]:
    """Return the dotted names of a file as a module (a package for its `__init__`) and of its folder."""
    module = path.rpartition(".")[0].removesuffix("/__init__").replace("/", ".")
    return module, module.rpartition(".")[0]


def _join_paths(paths: Sequence[str]) -> str:
    return ", ".join(map(shown, paths))


def _try_open(repository: Repository, asked: Arguments, context: CallContext) -> OpenedText | RepoError:
    if context.cancelled():
        raise RepoError(ErrorCode.CANCELLED, "The call was cancelled.")
    try:
        return _open(repository, asked)
    except RepoError as error:
        return error


def _refuse(argument: str, message: str, hint: str) -> RepoError:
    return RepoError(ErrorCode.INVALID_ARGUMENT, message, hint, {"argument": argument})
