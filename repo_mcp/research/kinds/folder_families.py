"""Find a kind whose types are files of one folder that is named after it: each rule is a file of `rules/`.

    reporters/dot.js:  export class Dot extends Base     the base that most of them derive from
    reporters/list.js: export class List extends Base
    reporters/index.js                                   lists them: one more has to be named there

Where they have no base in common, what lists the files, or finds them by the name of the folder, is told.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from repo_mcp.bodies.body import Body
from repo_mcp.graph.nodes import Node
from repo_mcp.languages.patterns.language_registry import LANGUAGES
from repo_mcp.model import ExactRequest
from repo_mcp.record_classes import dataclass
from repo_mcp.research.edges.shared_members import list_bases
from repo_mcp.research.findings.locating import may_answer
from repo_mcp.research.findings.named_symbols import (
    DOING,
    admits_node,
    count_lines,
    is_deprecated,
    read_body,
    read_code,
)
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.kinds.base_types import is_enumeration
from repo_mcp.research.kinds.derived_types import list_many_derived, list_program_derived
from repo_mcp.research.kinds.listings import EXPORTS, Listing, find_places
from repo_mcp.research.kinds.siblings import OF_BASES, Sibling, split_words
from repo_mcp.symbols.symbol_record import TYPE_KINDS
from repo_mcp.text.question_words import spell_plural

LEAST_FILES = 3  # in a folder of a kind
MOST_FILES = 60  # whose declarations are looked at
LEAST_SHARE = 0.5  # of the files, that derive from one base
MODEL_LINES = 6  # a shorter declaration does not show how one is written
HEAD_LINES = 30  # of a file without one
MOST_MATCHES = 40  # lines with the name of the folder
LEAST_KEY = 2  # characters of what tells a file from others
_OF_ALL = OF_BASES | {"common", "helper", "helpers", "shared", "types", "util", "utils"}  # stems of no type
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
# Does something with files that are named only while the program runs.
_LOADS = re.compile(
    r"\b(?:require|import|import_module|iter_modules|walk_packages|walk_modules|load\w*|readdir\w*|glob\w*"
    r"|listdir|scandir)\s*\("
)


@dataclass(frozen=True, slots=True)
class FolderFamily:
    """The files of a folder that is named after a kind."""

    folder: str
    paths: tuple[str, ...]  # without the one that exports them, and what all of them use
    base: Node | None  # from which types of most of them derive
    listings: tuple[Listing, ...]  # that name them; none are looked for if there is a base
    loading: Node | None  # finds them by the name of the folder, if nothing lists them


def find_folder_family(
    state: ResearchState, nouns: Sequence[str], base: Node | None = None
) -> FolderFamily | None:
    """Return the family in the folder named by the last of the nouns, or another; None without one.

    Of several folders, the one nearest to the root counts, then that with most files. Something must tell
    that its files are a kind. None is returned beside a `base` that tells as much: one from which as many
    types derive as there are files, or any type in the folder, or that is an enumeration or guessed.
    """
    wanted = {noun: {noun, spell_plural(noun)} for noun in nouns}
    every = set().union(*wanted.values())
    held: dict[str, list[str]] = defaultdict(list)
    for path in state.graph.name_uses.list_source_paths():
        folder = path.rpartition("/")[0]  # compared before the role of the path, which takes longer to tell
        if _is_named(folder, every) and may_answer(path) and state.admits(path):
            held[folder].append(path)
    for noun in reversed(nouns):
        found = [one for one, own in held.items() if _is_named(one, wanted[noun]) and len(own) >= LEAST_FILES]
        best = min(found, key=lambda one: (one.count("/"), -len(held[one]), one), default=None)
        if best is not None:
            own = [one for one in held[best] if _may_be_one(one)]
            is_known = len(own) < LEAST_FILES or _is_known(state, best, own, base)
            return None if is_known else _read_family(state, best, own, nouns)
    return None


def _may_be_one(path: str) -> bool:
    """Return False for a file that exports the others, or that all of them use."""
    return not EXPORTS.search(path) and _OF_ALL.isdisjoint(_read_stem(path))


def _is_named(folder: str, names: set[str]) -> bool:
    return folder.rpartition("/")[2].lower().replace("-", "").replace("_", "") in names


def _is_known(state: ResearchState, folder: str, paths: Sequence[str], base: Node | None) -> bool:
    """Return True for a base that tells as much of a kind as a folder does, or is surely meant."""
    if base is not None and (is_enumeration(base) or base.symbol.name in state.request.guesses):
        return True
    derived = [] if base is None else [*list_program_derived(state, base), *list_many_derived(state, base)]
    return len(derived) >= len(paths) or any(one.folder == folder for one in derived)


def _read_family(
    state: ResearchState, folder: str, own: Sequence[str], nouns: Sequence[str]
) -> FolderFamily | None:
    base = _find_base(state, own)
    if base is not None:
        return FolderFamily(folder, tuple(own), base, (), None)
    siblings = [one for path in own[:MOST_FILES] for one in _read_siblings(state, path)]
    languages = tuple(sorted({node.language for node in state.graph.outline(own[0])[:1]} & LANGUAGES.keys()))
    found = find_places(state, siblings, own[0], languages, (), nouns)
    listings = tuple(one for one in found if one.path not in own)
    loading = None if listings else _find_loading(state, folder)
    if not listings and loading is None:
        return None
    return FolderFamily(folder, tuple(own), None, listings, loading)


def _find_base(state: ResearchState, paths: Sequence[str]) -> Node | None:
    """Return the type of the program from which types of most files derive; None without one."""
    bases: Counter[Node] = Counter()
    looked = paths[:MOST_FILES]
    for path in looked:
        types = [node for node in state.graph.outline(path) if node.symbol.kind in TYPE_KINDS]
        bases.update({base for node in types for base in list_bases(state, node)})
    fitting = [one for one in bases if admits_node(state, one) and not is_deprecated(one)]
    base = max(fitting, key=lambda one: (bases[one], one.path), default=None)
    is_common = base is not None and bases[base] >= max(LEAST_FILES, LEAST_SHARE * len(looked))
    return base if is_common else None


def _read_stem(path: str) -> tuple[str, ...]:
    return split_words(path.rpartition("/")[2].partition(".")[0])


def _read_siblings(state: ResearchState, path: str) -> list[Sibling]:
    """Return a file as other code names it: by its stem, in a path or as a module."""
    stem, key = path.rpartition("/")[2].partition(".")[0], _read_stem(path)
    name = stem if path.endswith(".py") and _IDENTIFIER.fullmatch(stem) else ""
    return [Sibling(name, key)] if len("".join(key)) >= LEAST_KEY else []


def _find_loading(state: ResearchState, folder: str) -> Node | None:
    """Return the shortest function of the program that names a folder and loads files; None without one."""
    name = re.escape(folder.rpartition("/")[2])
    request = ExactRequest(
        rf"[\"'`./]{name}[\"'`/.]", regex=True, case_sensitive=True, limit=MOST_MATCHES, include_tests=False
    )
    around = (
        state.source.find_around(one.path, one.start_line)
        for one in state.source.search_exact(request).matches
        if may_answer(one.path) and state.admits(one.path)
    )
    nodes = [node for node in dict.fromkeys(around) if node is not None and node.symbol.kind in DOING]
    loading = [node for node in nodes if any(map(_LOADS.search, read_body(state, node)))]
    return min(loading, key=lambda one: (count_lines(one), one.path), default=None)


def find_folder_model(state: ResearchState, family: FolderFamily) -> tuple[str, Node | None, Body]:
    """Return a short file of a family to copy: its path, its longest declaration, and lines of that.

    Without a declaration that is long enough, the lines at the top of the file are returned.
    """
    told: list[tuple[int, str, Node]] = []
    for path in family.paths[:MOST_FILES]:
        nodes = [node for node in state.graph.outline(path) if node.symbol.parent == 0]
        longest = max(nodes, key=count_lines, default=None)
        if longest is not None and count_lines(longest) >= MODEL_LINES:
            told.append((count_lines(longest), path, longest))
    if told:
        _, path, node = min(told, key=lambda one: one[:2])
        return path, node, read_code(state, node)
    path = min(family.paths, key=lambda one: (len(state.source.read_lines(one)), one))
    lines = state.source.read_lines(path) or ("",)
    comments = state.source.read_comment_lines(path)
    return path, None, Body(lines, 1, min(HEAD_LINES, len(lines)), 1, {}, comments)
