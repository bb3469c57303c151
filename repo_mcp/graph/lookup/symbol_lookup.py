"""The symbol that a text names: by an id, a qualified name or an ending of one, or a path and line.

    0f3c...                       the id that answers give
    pkg.mod.Class.method          a qualified name; "::", "->", "#" and "/" count as dots
    Class.method, method          an ending of one
    shop/orders.py:45             the innermost symbol on a line; a column after it is ignored
    shop/orders.py:OrderStore     a symbol of that file
    shop/orders.py                the file itself
    shop.orders                   a Python module: its file
    Box<T>.put(int, String)       without type arguments; parameters choose among overloads
    Box$Node.<init>               as traces of Java name a nested class, and a constructor
    runProcedure                  what files import under that name, or call so themselves, although none
                                  declares it
    struct buffer                 a type, after the keyword that declares it
    crate::module::function       where qualified names have no modules, as in Rust: folders or a file

Nothing is guessed: a text that fits several symbols is refused, and they are listed. Declarations of one
symbol count as one (`repo_mcp/graph/lookup/whole_symbols.py`), and an external base that types name does not
compete with types inside others. A prototype stands for its definitions if each of several platforms has one,
except where a body is asked about.

Left out on purpose: words and patterns; see `repo_mcp/graph/lookup/symbol_search.py`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain, filterfalse

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.graph.go.builds import Builds
from repo_mcp.graph.lookup.ambiguous_symbols import MAX_CANDIDATES, AmbiguousSymbolError
from repo_mcp.graph.lookup.other_names import OtherNames
from repo_mcp.graph.lookup.qualified_names import FEW_FILES, Admits, NameMatch, QualifiedNames
from repo_mcp.graph.lookup.rival_symbols import drop_hidden, drop_left_out, keep_likely
from repo_mcp.graph.lookup.symbol_search import SearchableProgram, SymbolFinder
from repo_mcp.graph.lookup.unknown_symbols import LINE, NEAR_NAMES, UnknownSymbols, suggest
from repo_mcp.graph.lookup.whole_symbols import WholeSymbols, drop_prototypes, name_whole
from repo_mcp.graph.lookup.written_parameters import has_parameters
from repo_mcp.graph.nodes import Node, ProgramNodes, normalise_name
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.prototypes import WITH_HEADERS
from repo_mcp.graph.rust.module_files import list_module_files
from repo_mcp.languages.treesitter.written_lists import split_signature
from repo_mcp.symbols.symbol_record import TYPE_KINDS, SymbolKind
from repo_mcp.text.roles import is_test_path
from repo_mcp.text.written_symbols import read_compiled, read_written
from repo_mcp.workspace.reader.client_paths import shown

NEAR_PARTS = 3  # of a name before the part that is declared: one of them is a folder or the file
UNPARSED = "unparsed"  # key in the details of an error: the file whose symbols are not known
_SCOPES = TYPE_KINDS | {SymbolKind.MODULE}
_OPEN_SCOPES = frozenset({"c", "cpp", "csharp"})  # whose namespaces are parts of names in every file
_PATHS_IN_NAMES = frozenset({"java", "python"})  # in which the parts before a name are folders or the file
_FOLDERS_IN_NAMES = frozenset({"go", "rust"})  # in which a type may have the name of its package
_KEYWORD = re.compile(r"\s*(?:struct|union|enum|class)\s+(?=[\w:.]+\s*$)")


class SymbolLookup:
    """Looks symbols up in one program. Used by one call at a time."""

    def __init__(
        self,
        program: SearchableProgram,
        nodes: ProgramNodes,
        symbols: SymbolFinder,
        other_names: OtherNames,
        list_places: Callable[[Node], list[Node]],
        is_called: Callable[[Node], bool],
        is_external_base: Callable[[str], bool],
    ) -> None:
        """`list_places` returns all declarations of one symbol, the defining one first; `is_external_base`
        says whether the types that name a base mean one which is not declared here."""
        self._program = program
        self._nodes = nodes
        self._names = QualifiedNames(program, nodes)
        self._is_left_out = Builds.find(program).is_left_out
        self._unknown = UnknownSymbols(program, nodes, symbols)
        self.list_near = self._unknown.list_near
        self._other_names = other_names
        self._whole = WholeSymbols(nodes, list_places)
        self._is_called = is_called
        self._is_external_base = is_external_base

    def choose(
        self,
        text: str,
        argument: str = "symbol",
        *,
        has_body: bool = False,
        likely: frozenset[SymbolKind] = frozenset(),
    ) -> Node:
        """Return the one symbol that a text means. `argument` is its name in errors.

        With `has_body`, a prototype does not stand for the definitions of several platforms. Of several
        symbols, only those of a `likely` kind are meant (`keep_likely`): of an interface and a constant of
        one name, which TypeScript merges, only the interface has implementations.

        Raises AmbiguousSymbolError; RepoError with NOT_FOUND and the nearest names, or BUSY for a file that
        is being parsed again.
        """
        declaration = self._nodes.find(text)
        if declaration is not None:
            return self._nodes.get(declaration)
        text, kinds = split_keyword(text)
        likely = kinds or likely
        path, rest = self._split_place(text)
        self._check_parsed([path] if path else self._nodes.find_paths(text), argument)
        if path and not rest:
            return self._nodes.get(Declaration(path, 0))
        found = self._list_in_path(path, rest, argument) if path else self._list_anywhere(rest, argument)
        found = found or self._list_renamed(path, rest)
        if not path and self._is_declared_outside(rest, found):
            raise self._unknown.explain(text, path, rest, argument, found)
        if len(found) == 1 and has_body:
            found = self._whole.list_bodies(found[0])
        if not found:
            raise self._unknown.explain(text, path, rest, argument)
        return found[0] if len(found) == 1 else self._choose_one(text, found, likely, argument)

    def _choose_one(self, text: str, found: list[Node], likely: frozenset[SymbolKind], argument: str) -> Node:
        """Return the one of several symbols that is meant. Raises AmbiguousSymbolError if there are more."""
        fitting = keep_likely(found, likely, self._is_called) or found
        are_overloads = self._are_overloads(fitting)
        left = drop_prototypes(fitting) if are_overloads else fitting
        if len(left) != 1:
            raise AmbiguousSymbolError(text, left, argument, are_overloads=are_overloads)
        return left[0]

    def _is_declared_outside(self, name: str, found: Sequence[Node]) -> bool:
        """Return whether a plain name is that of an external type rather than of types inside others."""
        if not found or not name.isidentifier() or any(one.symbol.kind not in TYPE_KINDS for one in found):
            return False
        if not all(map(self._whole.is_nested, found)):
            return False
        return self._is_external_base(name)

    def _are_overloads(self, nodes: Sequence[Node]) -> bool:
        """Return whether symbols of one name are in one scope, which other files may open again."""
        if len({node.qualified_name for node in nodes}) > 1:
            return False
        if len({node.path for node in nodes}) == 1:
            return True
        scope = nodes[0].qualified_name.rpartition(".")[0]
        around = [one for one in self._list_meant(scope, lambda _: True) if one.qualified_name == scope]
        if _OPEN_SCOPES.issuperset(node.language for node in nodes) and any(
            one.symbol.kind is SymbolKind.MODULE for one in around
        ):
            return True
        return len(around) == 1 and around[0].symbol.kind in TYPE_KINDS

    def _list_in_path(self, path: str, text: str, argument: str) -> list[Node]:
        """Return the symbols of a file on a line or with a name; those of exactly this name, if any."""
        line = LINE.fullmatch(text)
        if line is not None:
            return self._list_on_line(path, int(line[1]), argument)
        found = self._list_meant(text, path.__eq__) or self._list_as_written(text, path.__eq__)
        found = [self._whole.choose_variant(node, path) for node in found]
        return [node for node in found if node.name_inside == normalise_name(text)] or found

    def _list_anywhere(self, name: str, argument: str) -> list[Node]:
        """Return the symbols that a name means. Raises AmbiguousSymbolError for more than can be listed."""
        declaring = self._program.list_declaring(name)
        first = self._list_first(name, declaring) if len(declaring) > FEW_FILES else []
        if len(first) > MAX_CANDIDATES:
            raise AmbiguousSymbolError(name, first, argument, len(declaring))
        return self._list_meant(name, lambda _: True) or self._list_as_written(name, lambda _: True)

    def _list_renamed(self, path: str, name: str) -> list[Node]:
        """Return what another name means that is not declared, in a file or anywhere, or a member of that."""
        first, _, rest = name.partition(".")
        meant = self._other_names.list_meant(first, path=path) if first.isidentifier() else []
        found = self._whole.merge(map(self._nodes.get, meant))
        if not rest or not found:
            return found
        return self._list_meant(f"{found[0].name_inside}.{rest}", found[0].path.__eq__)

    def _list_as_written(self, text: str, admits: Admits) -> list[Node]:
        """Return the symbols that a name means in the form in which people and stack traces write it.

        Of overloads, only those with the written parameters count. The first parts of the name may be folders
        and a file, if qualified names of the language have none: `crate::module::function`.
        """
        plain, written = read_written(text)
        plain = plain.removesuffix("!")  # of a macro's call in Rust
        found = self._list_meant(plain, admits) if plain != text else []
        parts = normalise_name(plain).split(".")
        for cut in range(1, len(parts)):
            if found:
                break
            around, name = frozenset(parts[max(0, cut - NEAR_PARTS) : cut]), ".".join(parts[cut:])
            found = self._list_meant(name, partial(_lies_in, around, admits))
            found = [node for node in found if self._may_lack_names(node, name, parts[cut - 1])]
            found = _keep_nearest(found, around)
        if len(found) != 1 and "::" in plain:
            found = self._list_reexported(parts) or found
        compiled = read_compiled(text)
        if not found and compiled != text:
            return self._list_meant(compiled, admits) or self._list_as_written(compiled, admits)
        parameters = split_signature(written).parameters if written else []
        return [node for node in found if parameters and has_parameters(node, parameters)] or found

    def _may_lack_names(self, node: Node, name: str, around: str) -> bool:
        """Return whether a qualified name may have parts before `name`, the last one `around`, which the
        symbol has not.

        They may be folders, but no types. In C++ the symbol has no others then: a macro may open the
        namespace, or a header that is included inside one.
        """
        if node.language in WITH_HEADERS:
            return node.name_inside == name and not self._names.declares(around, TYPE_KINDS)
        if node.language in _PATHS_IN_NAMES:
            return around in node.path.rpartition(".")[0].split("/")
        return node.language in _FOLDERS_IN_NAMES or not self._names.declares(around, _SCOPES)

    def _list_reexported(self, parts: Sequence[str]) -> list[Node]:
        """Return what a module re-exports under a name, as `pub use` of Rust does, or a member of that.

        In `a::b::T::m` the name is that of the member `m` or, if no module `T` has it, of its type `T`.
        """
        for end in (len(parts) - 1, len(parts) - 2):
            for path in list_module_files(self._program, parts[:end]) if end > 0 else ():
                meant = self._other_names.list_meant(parts[end], path=path)
                found = self._whole.merge(map(self._nodes.get, meant))
                if found and parts[end + 1 :]:
                    name = ".".join((found[0].symbol.name, *parts[end + 1 :]))
                    found = self._list_meant(name, found[0].path.__eq__)
                if found:
                    return found
        return []

    def look_up(self, qualified_name: str, admits: Admits) -> tuple[list[Declaration], NameMatch]:
        """Return what `QualifiedNames.look_up` does; if that is nothing, what a path of Rust leads to."""
        qualified_name, _ = split_keyword(qualified_name)
        found, match = self._names.look_up(qualified_name, admits)
        if found or "::" not in qualified_name:
            return found, match
        written = self._list_as_written(qualified_name, admits)
        return [node.declaration for node in written if admits(node.path)], NameMatch.IN_ORDER

    def _split_place(self, text: str) -> tuple[str, str]:
        """Return the path of a source file and the text after its colon; for a name, no path and the name."""
        head, _, rest = text.partition(":")
        has_file = self._program.has_file
        declaring = self._program.list_declaring(head.rpartition("/")[2])
        # A file that was removed a moment ago is listed until the symbol index follows.
        found = [head] if has_file(head) else [*filter(has_file, find_named_paths(head, declaring))]
        return (found[0], rest.lstrip(":")) if len(found) == 1 else ("", text)

    # A line

    def _list_on_line(self, path: str, line: int, argument: str) -> list[Node]:
        """Return the innermost symbols of a file on a line. Raises NOT_FOUND for a line in no symbol."""
        nodes = self._nodes.list_nodes(path)
        around = [node for node in nodes if node.symbol.start_line <= line <= node.symbol.end_line]
        if not around:
            near = sorted(nodes, key=lambda node: (_measure_distance(node, line), node.symbol.ordinal))
            raise RepoError(
                ErrorCode.NOT_FOUND,
                f"Line {line} of {shown(path)} is outside every symbol.",
                suggest(near[:NEAR_NAMES], "For the file itself, give only the path.", by_line=True),
                {"argument": argument},
            )
        holders = {node.symbol.parent for node in around}
        inner = [node for node in around if node.symbol.ordinal not in holders]
        least = min(node.symbol.end_line - node.symbol.start_line for node in inner)
        return [node for node in inner if node.symbol.end_line - node.symbol.start_line == least]

    # A name

    def _list_first(self, name: str, paths: Sequence[str]) -> list[Node]:
        """Return the first symbols of `_list_meant` for a plain name: one more than an error lists, or more.

        Files are read in the order of that list, and no further than needed. Returns nothing if there are
        fewer symbols, or if all files must be read to know them.
        """
        found: list[Node] = []
        met: set[Declaration] = set()
        named: set[tuple[str, str, SymbolKind]] = set()
        for path in chain(filterfalse(is_test_path, paths), filter(is_test_path, paths)):
            for one in self._names.list_in_file(path, name):
                node = self._nodes.get(one.declaration)
                # the type of an extension may be declared in any file
                if node.symbol.kind is SymbolKind.EXTENSION:
                    return []
                is_named = NameMatch.EXACT.admits(name, one.name) or NameMatch.ENDING.admits(name, one.name)
                key = name_whole(node)
                if not is_named or node.declaration in met or key in named:
                    continue
                places = self._whole.list_places(node)
                if places[0].path == path and not self._whole.belongs_to_type(node, {name}):
                    found.append(places[0])
                    met.update(place.declaration for place in places)
                    named.update([key] if key else [])
            if len(found) > MAX_CANDIDATES:
                return sorted(found, key=_order_tests_last)
        return []

    def _list_meant(self, text: str, admits: Admits) -> list[Node]:
        """Return the symbols that a name means, each by its defining declaration; tests come last."""
        name = normalise_name(text)
        named = self._names.list_ordered(text, admits)
        chosen, match = self._names.choose_best(named, text)
        if "." not in name and match is NameMatch.EXACT:  # a plain name may well mean a member
            chosen += [one for one in named if NameMatch.ENDING.admits(name, one.name)]
        found = self._whole.drop_nested(self._whole.merge(self._nodes.get(one.declaration) for one in chosen))
        found = drop_left_out(drop_hidden(found), self._is_left_out)
        return sorted(found or self._names.list_modules(name, admits), key=_order_tests_last)

    def _check_parsed(self, paths: Iterable[str], argument: str) -> None:
        """Raise BUSY for a file that changed since it was parsed, NOT_FOUND for one that never was."""
        for path in paths:
            if not self._program.has_file(path) or self._program.find_record(path) is not None:
                continue
            details = {"argument": argument}
            parsed = self._program.list_paths()
            place = bisect_left(parsed, path)
            if place < len(parsed) and parsed[place] == path:
                said = f"{shown(path)}, which may declare this symbol, changed and is not parsed yet."
                raise RepoError(ErrorCode.BUSY, said, "Ask again in a moment.", details)
            said = f"The symbols of {shown(path)} are not known: no parser for it, or it is not parsed yet."
            raise RepoError(ErrorCode.NOT_FOUND, said, details={**details, UNPARSED: path})


def split_keyword(text: str) -> tuple[str, frozenset[SymbolKind]]:
    """Return a name without a keyword such as `struct` before it, and the kinds that this one declares."""
    found = _KEYWORD.match(text)
    return (text[found.end() :], TYPE_KINDS) if found is not None else (text, frozenset())


def _order_tests_last(node: Node) -> tuple[bool, str, int]:
    return is_test_path(node.path), node.path, node.symbol.ordinal


def find_named_paths(text: str, paths: Iterable[str]) -> list[str]:
    """Return the paths that equal, or end with, the text before the first colon."""
    head = text.partition(":")[0]
    return [path for path in paths if path.endswith(head) and path[-len(head) - 1 : -len(head)] in ("", "/")]


def _lies_in(places: frozenset[str], admits: Admits, path: str) -> bool:
    """Return whether an admitted file, or a folder around it, has one of these names."""
    return admits(path) and not places.isdisjoint(path.rpartition(".")[0].split("/"))


def _keep_nearest(found: list[Node], places: frozenset[str]) -> list[Node]:
    """Return the symbols in whose paths most of the places occur."""
    counts = [len(places.intersection(node.path.rpartition(".")[0].split("/"))) for node in found]
    most = max(counts, default=0)
    return [node for node, count in zip(found, counts, strict=True) if count == most]


def _measure_distance(node: Node, line: int) -> int:
    return min(abs(node.symbol.start_line - line), abs(node.symbol.end_line - line))
