"""Describe a folder whose code no parser reads: its parts, each with its main declaration.

How these depend on each other is not known, and what little code of other languages lies among them says
nothing of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.record_classes import dataclass
from repo_mcp.research.edges.unparsed_files import choose_main, fold_stem
from repo_mcp.research.findings.citing import join_names, shorten, write_count
from repo_mcp.research.findings.locating import is_program
from repo_mcp.research.findings.reasons import Reason
from repo_mcp.research.findings.research_state import ResearchState, TextPlace, note_lines
from repo_mcp.research.question.phrase_names import fold_signs
from repo_mcp.symbol_index.unread_declarations import has_parser
from repo_mcp.text.citations import write_citation

LEAST_SHARE = 2 / 3  # of the files of code in a folder that no parser reads
HOLDS_REST = 0.7  # share of these in one folder that is described in place of the folder around it
MAX_PARTS = 12
MAX_LOOKED_AT = 8  # files of one part, if none is named after it
_HEADING = re.compile(r"[#=]+ (.{1,120})$")
_BASES = frozenset({"base", "index", "init", "main"})


@dataclass(frozen=True, slots=True)
class _Part:
    """A folder with its files of code."""

    folder: str
    paths: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.folder.rpartition("/")[2]


ReadComment = Callable[[ResearchState, str, int], str]  # of what a line of a file declares


def note_unparsed_folder(state: ResearchState, folder: str, read_comment: ReadComment) -> str:
    """Note the parts of a folder, and return sentences on them; "" if parsers read much of its code."""
    prefix = f"{folder}/" if folder else ""
    every = [path for path in state.graph.name_uses.list_source_paths() if path.startswith(prefix)]
    code = [path for path in every if find_language(path).kind == "code" and is_program(path)]
    unread = [path for path in code if not has_parser(path)]
    if not unread or len(unread) < LEAST_SHARE * len(code):
        return ""
    inner = _find_inner(unread, folder)
    parts = _list_parts(unread, inner)
    if len(parts) > MAX_PARTS:
        state.limit(f"parts of {inner or 'the repository'}", f"{MAX_PARTS} of {len(parts)} are shown")
    readmes = {path.rpartition("/")[0]: path for path in every if fold_stem(path) == "readme"}
    told = [
        _note_part(state, part, unread, readmes.get(part.folder, ""), read_comment)
        for part in parts[:MAX_PARTS]
    ]
    language = Counter(find_language(path).name for path in unread).most_common(1)[0][0].title()
    whole = folder or "The repository"
    where = f", mostly in {inner}" if inner != folder else ""
    own = f" Its parts are {join_names(told, MAX_PARTS)}." if told else ""
    return (
        f"{whole} has {len(unread)} files of {language}{where}.{own} Nothing here parses {language}: how they"
        " depend on each other is not known."
    )


def _find_inner(paths: Sequence[str], folder: str) -> str:
    """Return the innermost folder that holds nearly all of some files: `lib/depot` of `depot`."""
    while True:
        depth = folder.count("/") + 2 if folder else 1
        inside = [path for path in paths if not folder or path.startswith(f"{folder}/")]
        below = Counter("/".join(path.split("/")[:depth]) for path in inside if path.count("/") >= depth)
        best, count = below.most_common(1)[0] if below else ("", 0)
        if count < HOLDS_REST * len(paths):
            return folder
        folder = best


def _list_parts(paths: Sequence[str], folder: str) -> list[_Part]:
    """Return the folders directly in a folder, those with most files first."""
    depth = folder.count("/") + 2 if folder else 1
    parts: dict[str, list[str]] = {}
    for path in paths:
        if (not folder or path.startswith(f"{folder}/")) and path.count("/") >= depth:
            parts.setdefault("/".join(path.split("/")[:depth]), []).append(path)
    ordered = sorted(parts, key=lambda one: (-len(parts[one]), one))
    return [_Part(one, tuple(parts[one])) for one in ordered]


def _note_part(
    state: ResearchState, part: _Part, paths: Sequence[str], readme: str, read_comment: ReadComment
) -> str:
    """Note the main declaration of a part. Return the part with that and its comment, or else its title."""
    count = write_count(len(part.paths), "file")
    path, main = _find_main(state, part, paths)
    title = _read_title(state.source.read_lines(readme)) if readme else ""
    if main is None:
        return f"{part.name} ({count}{title and ': '}{title})"
    first, last = main.head_line, main.end_line
    reason = Reason(f"main declaration of {part.folder} ({count})")
    note_lines(state, TextPlace(path, first, last, main.qualified_name), reason, 1, (first,))
    said = read_comment(state, path, first).rstrip(".") or title
    about = f": {said}" if said else ""
    return (
        f"{part.name} ({count}, {shorten(main.qualified_name)} at {write_citation(path, first, last)}{about})"
    )


def _find_main(state: ResearchState, part: _Part, paths: Sequence[str]) -> tuple[str, SymbolSpan | None]:
    """Return the file named after a part, or its base, with its main declaration, or else the longest."""
    name = fold_signs(part.name)
    beside = [path for path in paths if path.rpartition("/")[0] == part.folder.rpartition("/")[0]]
    near = sorted((*beside, *part.paths), key=lambda one: (one.count("/"), one))
    named = [path for path in near if fold_stem(path) == name]
    bases = [path for path in near if fold_stem(path) in _BASES and path in part.paths]
    chosen = [*named[:1], *bases[:1]][:1] or [path for path in near if path in part.paths][:MAX_LOOKED_AT]
    found = [(path, choose_main(state.source.find_layout(path).spans, path)) for path in chosen]
    return max(
        found,
        key=lambda one: -1 if one[1] is None else one[1].end_line - one[1].start_line,
        default=("", None),
    )


def _read_title(lines: Sequence[str]) -> str:
    """Return the first heading of a document; "" if it does not begin with one."""
    first = next((line for line in lines if line.strip()), "")
    found = _HEADING.match(first)
    return "" if found is None else found[1].strip().replace("\\", "")
